"""Where `pitwatch run` keeps what it makes anew each time: folders of its own, so that nothing else is ever removed."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

from service.digests import sha256_of_file
from service.errors import ServiceError
from service.reviews.results import RUN_FILE

MARK = "made_by_pitwatch_run.txt"
"""Only a folder with this file in it is removed."""
SAID = (
    "pitwatch run made this folder. It removes it with all that is in it, and makes it anew, each time it is started.\n"
)


@dataclass(frozen=True, slots=True)
class Demonstration:
    """The folders of one demonstration.

    Args:
        out: for the results of the review; the others lie beside it.
    """

    out: Path

    @property
    def folder(self) -> Path:
        """What is made anew each time: database, evidence and its key, tables."""
        return self.out.with_name(f"{self.out.name}-service")

    @property
    def database(self) -> str:
        """URL of the database."""
        return f"sqlite:///{self.folder / 'pitwatch.db'}"

    @property
    def evidence(self) -> Path:
        """Folder of the evidence."""
        return self.folder / "evidence"

    @property
    def tables(self) -> Path:
        """Folder of the tables."""
        return self.folder / "tables"

    @property
    def reviews(self) -> Path:
        """Folder of recordings that people dropped in, which are theirs and stay."""
        return self.out.with_name(f"{self.out.name}-reviews")

    def verify_ours(self, video: Path) -> None:
        """Checks that nothing would be removed that a demonstration did not make.

        Args:
            video: the recording whose earlier review may be replaced.

        Raises:
            ServiceError: something else lies in one of its places.
        """
        if self.folder.exists() and not (self.folder / MARK).is_file():
            raise ServiceError(
                "something is here that pitwatch run did not make", where=self.folder, do="Move it away, or give another folder with --out"
            )  # fmt: skip
        if (self.out / RUN_FILE).is_file() and _video_of(self.out) != sha256_of_file(video):
            raise ServiceError(
                "here lies the review of another recording", where=self.out, do="Move it away, or give another folder with --out"
            )  # fmt: skip

    def make_anew(self, video: Path) -> None:
        """Removes what an earlier demonstration left, and makes an empty folder.

        Raises:
            ServiceError: something else lies there, or it cannot be removed or made.
        """
        self.verify_ours(video)
        try:
            if self.folder.exists():
                shutil.rmtree(self.folder)
            self.folder.mkdir(parents=True)
            (self.folder / MARK).write_text(SAID, encoding="utf-8")
        except OSError as error:
            raise ServiceError(
                f"it cannot be made anew ({error.strerror})", where=self.folder, do="Give another folder with --out"
            ) from error


def _video_of(result: Path) -> str:
    """SHA-256 of the recording that a review was made of, "" where its results do not say."""
    try:
        return str(json.loads((result / RUN_FILE).read_text(encoding="utf-8"))["sha256"]["video"])
    except (ValueError, KeyError, TypeError):
        return ""
