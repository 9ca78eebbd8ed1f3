"""`make bench`: speeds, measured side by side in one run and given as ratios.

A review beside plain decoding and beside Ultralytics on whole frames (`bench_review`); hands ranked a second stand beside three other evaluators,
then rounds judged a second (`bench_law`); pictures drawn a second beside JPEGs of them (`bench_drawing`); a call of the networks
(`bench_networks`).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from datasets.clips import BUNDLED
from datasets.score import bench_review
from datasets.score.bench_drawing import tables as drawing_tables
from datasets.score.bench_law import tables as law_tables
from datasets.score.bench_networks import tables as network_tables
from datasets.score.printing import tell


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("--clip", type=Path, default=BUNDLED)
    given = parser.parse_args(arguments)
    found = bench_review.measured(given.clip)
    parts = {"law": law_tables(), "drawing": drawing_tables(), "networks": network_tables()}
    numbers = {name: told for name, (_, told) in parts.items()}
    shown = [bench_review.table(found), *(part for printed, _ in parts.values() for part in printed)]
    tell(shown, {"review": asdict(found), **numbers})
    return 0


if __name__ == "__main__":
    sys.exit(main())
