"""How a bench tells what it measured: tables for people, then one line of JSON for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from typing import Any

from rich.console import Console
from rich.table import Table

WIDTH = 140


def tell(tables: Iterable[Table], numbers: Any) -> None:
    """Print tables, and the numbers in them as a line of JSON."""
    console = Console(width=WIDTH)
    for table in tables:
        console.print(table)
    json.dump(numbers, sys.stdout)
    sys.stdout.write("\n")
