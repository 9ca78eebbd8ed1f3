"""How long each question behind the audit's screens takes: `python -m service.audit.timing --database URL`.

Prints one JSON line with the milliseconds of every question at the 50th and 95th percentile. Filters are drawn from what
the books hold, by a fixed seed. Each is asked three times: `p50`, `p95` and `most` are of the fastest of the three, which
leaves out what other programs of the machine took; `p95_any` is of all of them; `p95_cpu` is the processor time of this
process (of the client alone, where the database is a server).
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from random import Random

from service.audit.exceptions import Exceptions
from service.audit.questions import FIELDS, By, Questions, Scope
from service.audit.reconciling import reconcile
from service.audit.sampling import Plan, Samples
from service.store.base import Database

Question = Callable[[Scope], object]
ASKED = 3


def questions_of(questions: Questions) -> dict[str, Question]:
    """Every question that a screen asks, by name."""
    exceptions, samples = Exceptions(questions), Samples(questions)

    def by(one: By) -> Question:
        return lambda scope: questions.table(scope, (one,))

    def older(scope: Scope) -> object:
        first = exceptions.page(scope, limit=61)
        return exceptions.page(scope, before=first[-1].key, limit=61) if first else None

    def round_of(scope: Scope) -> object:
        first = exceptions.page(scope, limit=1)
        return exceptions.round(first[0].round_seq) if first else None

    named: dict[str, Question] = {f"by {one}": by(one) for one in FIELDS}
    return named | {
        "whole": questions.whole, "trend": questions.trend, "reconciliation": lambda scope: reconcile(questions, scope),
        "mispayments, two pages": older, "round": round_of, "filters": lambda _scope: questions.choices(),
        "sample": lambda _scope: samples.samples(),
    }  # fmt: skip


def scopes(questions: Questions, count: int, random: Random) -> list[Scope]:
    """All payouts, and so many scopes of one to three filters."""
    choices = questions.choices()
    days = choices[By.DAY]
    found = [Scope()]
    for _ in range(count - 1):
        first, last = sorted(random.choices(days, k=2)) if random.random() < 0.5 else ("", "")
        fields = random.sample(list(FIELDS), random.randint(0, 2))
        found.append(Scope(first, last, **{FIELDS[one]: (random.choice(choices[one]),) for one in fields}))
    return found


def measure(database: Database, *, repeats: int, seed: int = 7) -> dict[str, dict[str, float]]:
    """Milliseconds by question; see the module."""
    questions = Questions(database)
    wanted = scopes(questions, repeats, Random(seed))
    if not Samples(questions).samples():
        from datetime import UTC, datetime

        Samples(questions).draw(Plan(Scope()), by="timing", now=datetime(2026, 11, 21, tzinfo=UTC))
    out = {}
    for name, ask in questions_of(questions).items():
        times = [[_milliseconds(ask, scope) for _ in range(ASKED)] for scope in wanted]
        best = sorted(min(wall for wall, _ in three) for three in times)
        every = sorted(wall for three in times for wall, _ in three)
        cpu = sorted(used for three in times for _, used in three)
        out[name] = {
            "p50": _at(best, 0.5), "p95": _at(best, 0.95), "most": round(best[-1], 1), "p95_any": _at(every, 0.95),
            "p95_cpu": _at(cpu, 0.95),
        }  # fmt: skip
    return out


def _milliseconds(ask: Question, scope: Scope) -> tuple[float, float]:
    """Wall-clock and processor time."""
    start, used = time.perf_counter(), time.process_time()
    ask(scope)
    return 1000 * (time.perf_counter() - start), 1000 * (time.process_time() - used)


def _at(values: Sequence[float], share: float) -> float:
    """The value that this share of all does not exceed."""
    return round(values[min(len(values) - 1, int(share * len(values)))], 1)


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the measurement."""
    parser = argparse.ArgumentParser(prog="python -m service.audit.timing", description=__doc__)
    parser.add_argument("--database", required=True)
    parser.add_argument("--repeats", type=int, default=40, help="scopes asked of every question")
    given = parser.parse_args(arguments)
    sys.stdout.write(json.dumps(measure(Database(given.database), repeats=given.repeats)) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
