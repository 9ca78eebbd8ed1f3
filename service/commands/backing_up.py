"""`pitwatch backup`: a copy of everything the service keeps."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from service.commands.database import DEFAULT_DATABASE, DatabaseUrl


def backup(
    to: Annotated[Path, typer.Argument(help="folder that is made for the copy", show_default=False)],
    database: DatabaseUrl = DEFAULT_DATABASE,
    evidence: Annotated[Path, typer.Option(help="folder with bundles and chain")] = Path("var/evidence"),
    with_database: Annotated[bool, typer.Option("--database-too/--no-database", help="copy the database, not evidence alone")] = True,
) -> None:  # fmt: skip
    """Copy database and evidence while the service runs, and verify the copy."""
    from service.backup import back_up, back_up_evidence

    if not with_database:
        typer.echo(f"{back_up_evidence(evidence, to)} bundles in {to}")
        return
    done = back_up(database, evidence, to)
    typer.echo(
        f"{done.alerts} alerts" + (f", {done.bundles} bundles" if done.bundles is not None else "") + f" in {to}"
    )
