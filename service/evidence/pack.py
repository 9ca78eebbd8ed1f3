"""`pitwatch pack`: evidence as one archive, to be handed over."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer


def pack(
    folder: Annotated[Path, typer.Argument(help="evidence: a vault or one bundle", show_default=False)],
    archive: Annotated[Path, typer.Argument(help="zip to make", show_default=False)],
) -> None:
    """Pack evidence into one archive that pitwatch verify takes as it is: the same evidence gives the same bytes."""
    from service.evidence.bundle import MANIFEST
    from service.evidence.chain import CHAIN
    from service.evidence.disk import told
    from service.evidence.errors import EvidenceError
    from service.evidence.vault import nobody_writes
    from service.evidence.zips import zip_folder

    if not any((folder / name).is_file() for name in (CHAIN, MANIFEST)):
        raise EvidenceError("there is no evidence here", where=folder, do="Give a folder with chain.jsonl, or a bundle")
    if archive.exists():
        raise EvidenceError("something is there already", where=archive, do="Give another name")
    part = archive.with_name(f".{archive.name}.part")
    with told(archive):
        try:
            with nobody_writes(folder), part.open("wb") as out:
                zip_folder(folder, out)
                out.flush()
                os.fsync(out.fileno())
            os.replace(part, archive)
        finally:
            part.unlink(missing_ok=True)
    typer.echo(f"Written: {archive}")
