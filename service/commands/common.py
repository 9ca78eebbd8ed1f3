"""What the commands share: where they print, options that several have, and files that they read."""

from __future__ import annotations

import socket
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from rules.findings import Verdict
from service.errors import ServiceError
from service.screens import words

HOST, PORT = "127.0.0.1", 8080

out = Console(width=None if sys.stdout.isatty() else 150)
err = Console(stderr=True)

TableFile = Annotated[Path, typer.Option("--table", help="the table's file (YAML)", show_default=False)]
Port = Annotated[int, typer.Option(help="port of the screens and the interface", min=1, max=65535)]


def verify_free(host: str, port: int) -> None:
    """Raises ServiceError where something listens already."""
    try:
        with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host.strip("[]"), port))
    except OSError as error:
        raise ServiceError(
            f"cannot listen here ({error.strerror})", where=f"{host}:{port}", do="Choose another --port"
        ) from error


def print_findings(breaches: Sequence[Mapping[str, Any]], counts: Mapping[str, int], rounds: int) -> None:
    """Prints what a review found."""
    found = "1 breach" if len(breaches) == 1 else f"{len(breaches)} breaches"
    heads = ("at", "round", "check", "section", "what was seen", "expected")
    listing = Table(*heads, title=f"{found} in {words.counted(rounds, 'round')}")
    for finding in breaches:
        number = finding["round_id"].rpartition("-r")[2].lstrip("0")
        cited, seen = words.section(finding["citation"]), words.title(finding)
        listing.add_row(words.clock(finding["t_s"]), number, finding["check_id"], cited, seen, finding["expected"])
    out.print(listing if breaches else f"No breach in {words.counted(rounds, 'round')}", highlight=False)
    rest = ", ".join(f"{counts[v.value]} {v.value.replace('_', ' ')}" for v in Verdict if v is not Verdict.BREACH)
    out.print(f"Other checks: {rest}", highlight=False)
