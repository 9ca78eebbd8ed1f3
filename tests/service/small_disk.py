"""Reviews on file systems of limited size: `unshare --map-root-user --mount python small_disk.py FOLDER SIZES`.

Recording, work, results and database lie on a tmpfs. It is made too small for the review, in so many sizes; then it gets room, and the review is started again. Prints how many sizes were tried, how many failed, and how many
ended in the same results and the same rows as a review that always had room.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import yaml
from service_fakes import NOW, frames, mapping
from test_review_full_disk import recorded
from test_review_queue import worker_of
from test_review_resume import tree

from service.evidence.mp4 import Shot, write_shots
from service.reviews.office import RESULT, TABLE_FILE, Office, OfficeSettings, known_tables
from service.reviews.queue import State
from service.store import Store
from service.store.base import AWAY

ROOM = 64 << 20


class Disk:
    """A tmpfs."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.folder = folder
        self._mount("size=64m")

    def room(self, size: int) -> None:
        """Leaves so many bytes free."""
        self._mount(f"remount,size={self.used() + size}")

    def used(self) -> int:
        """Bytes in use."""
        found = os.statvfs(self.folder)
        return (found.f_blocks - found.f_bfree) * found.f_frsize

    def _mount(self, how: str) -> None:
        subprocess.run(["mount", "-t", "tmpfs", "-o", how, "tmpfs", str(self.folder)], check=True)


class Patience(threading.Event):
    """What a worker waits with while its database takes nothing: the disk gets room meanwhile."""

    def __init__(self, disk: Disk) -> None:
        super().__init__()
        self.disk, self.waits = disk, 0

    def wait(self, timeout: float | None = None) -> bool:
        self.waits += 1
        self.disk.room(ROOM)
        return False


def reviewed(folder: Path, recording: Path, size: int | None) -> tuple[dict[str, Any], Any, int]:
    """The results and rows of a review that had so much room at first, and how often it failed."""
    disk = Disk(folder)
    store = Store(f"sqlite:///{folder}/s.db")
    settings = OfficeSettings(
        folder / "reviews", (recording.parent,), known_tables([recording.parent / TABLE_FILE]), spare_bytes=0
    )
    office = Office(store, settings)
    (ordered,) = office.order(recording.name, table_id=None, by="ann", now=NOW)
    before = disk.used()
    patience = Patience(disk)
    if size is not None:
        disk.room(size)
    try:
        done = worker_of(store, stop=patience).work_once()
    except AWAY:  # not even that a worker takes it fits into the database; it waits
        done = office.queue.get(ordered.review_id)
        assert done.state is State.WAITING
    assert done is not None
    failed = int(done.state is not State.DONE or patience.waits > 0)
    if done.state is not State.DONE:
        assert done.state is State.WAITING or "Free some space" in done.reason, done
        disk.room(ROOM)
        office.queue.retry(ordered.review_id)
        done = worker_of(store).work_once()
        assert done is not None
        assert done.state is State.DONE, done
    rows = recorded(store)
    results = tree(Path(done.folder) / RESULT)
    used = disk.used() - before
    store.close()
    subprocess.run(["umount", "--lazy", str(folder)], check=True)  # FFmpeg keeps a film open that it could not end
    folder.rmdir()
    return {"results": results, "rows": rows}, used, failed


def main(folder: Path, sizes: int) -> None:
    recordings = folder / "recordings"
    recordings.mkdir()
    (recordings / TABLE_FILE).write_text(yaml.safe_dump(mapping()))
    recording = recordings / "night.mp4"
    write_shots(recording, (Shot(frame.t_s, frame.image) for frame in frames()))
    whole, used, _ = reviewed(folder / "disk", recording, None)
    failed = same = 0
    for number in range(sizes):
        found, _, times = reviewed(folder / "disk", recording, used * number // sizes)
        failed, same = failed + times, same + (found == whole)
    sys.stdout.write(json.dumps({"sizes": sizes, "failed": failed, "same": same, "used": used}) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
