"""The database that a command works on; nothing of it is loaded here."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

DEFAULT_DATABASE = "sqlite:///var/pitwatch.db"
_SQLITE = "sqlite:///"
DatabaseUrl = Annotated[
    str, typer.Option("--database", help="SQLAlchemy URL of the service's database; SQLite by default")
]


def make_folder_of(database: str) -> None:
    """Makes the folder of a SQLite file."""
    if database.startswith(_SQLITE):
        Path(database.removeprefix(_SQLITE)).parent.mkdir(parents=True, exist_ok=True)
