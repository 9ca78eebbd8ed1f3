"""`pitwatch verify`: the command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

OK, TAMPERED = 0, 1


def verify(
    folder: Annotated[Path, typer.Argument(help="evidence: a vault or one bundle, as a folder or a zip", show_default=False)],
    key: Annotated[Path | None, typer.Option(help="public key (PEM) that you got another way", show_default=False)] = None,
    head: Annotated[list[Path] | None, typer.Option(help="head that you kept (a line of heads.jsonl, or a copy of it); may be given several times", show_default=False)] = None,
    as_json: Annotated[bool, typer.Option("--json", help="the result as one JSON object")] = False,
) -> None:  # fmt: skip
    """Say whether evidence is as it was written: what was changed, removed, reordered or cut off.

    Needs neither network nor database. Exit status 0 genuine, 1 tampered with, 2 nothing to verify.
    """
    from service.evidence.errors import EvidenceError
    from service.evidence.keys import read_public
    from service.evidence.vault import nobody_writes
    from service.evidence.verify import read_kept, verify

    given = None
    if key is not None:
        try:
            given = read_public(key.read_bytes(), where=key)
        except OSError as error:
            raise EvidenceError(f"the key cannot be read ({error.strerror})", where=key) from error
    kept = [one for path in head or () for one in read_kept(path)]
    with nobody_writes(folder):
        report = verify(folder, key=given, kept=kept)
    typer.echo(json.dumps(report.to_dict(), ensure_ascii=False) if as_json else report.text())
    raise typer.Exit(OK if report.genuine else TAMPERED)
