"""How long the first page of a feed of a million alerts takes, with any filter and the counts the screen shows.

`python -m service.bench.feed [--alerts N] [--requests N] [--kind sqlite|postgresql]`: fills a database with alerts of two
years, then asks the HTTP interface, in process, for the first page with random filters, in both orders.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa
from fastapi.testclient import TestClient

from service.access.door import COOKIE
from service.access.roles import Role
from service.bench.databases import KINDS, database
from service.house import House
from service.stamps import stamp
from service.store import SEVERITIES, Store
from service.store.cells import NAMES
from service.store.search import sort_key
from service.store.tables import CellRow, HeadRow
from service.web.app import create_app

GAMES = {"raise_it_up": "669a", "caribbean_stud": "639a", "let_it_ride": "643a", "dj_wild": "687a"}
TABLES, CHECKS, PEOPLE = 40, 25, 20
YEARS_S = 2 * 365 * 86400
NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
CHUNK = 20_000
WARM = 20
"""Requests before the measured ones: a service that has just started compiles its statements first."""


def main(arguments: list[str] | None = None) -> int:
    """Measures and prints; returns the exit status."""
    options = argparse.ArgumentParser(prog="python -m service.bench.feed", description=__doc__.splitlines()[0])
    options.add_argument("--alerts", type=int, default=1_000_000)
    options.add_argument("--requests", type=int, default=300)
    options.add_argument("--kind", choices=KINDS, action="append")
    given = options.parse_args(arguments)
    for kind in given.kind or KINDS:
        with database(kind) as url:
            store = Store(url)
            started_s = time.perf_counter()
            fill(store, given.alerts)
            say(f"{kind}: {given.alerts} alerts written in {time.perf_counter() - started_s:.0f} s")
            measure(store, kind, given.requests)
            store.close()
    return 0


def measure(store: Store, kind: str, requests: int) -> None:
    """Asks for first pages and prints how long they took."""
    house = House(store)
    client = TestClient(create_app(house, screens=False), base_url="http://127.0.0.1:8080")
    person = house.access.people.add("bench", [(Role.VIEWER, "*")], now=house.now())
    client.cookies.set(
        COOKIE, house.access.sessions.open(person.user_id, how="bench", address="127.0.0.1", now=house.now()).text
    )
    dice = random.Random(5)
    warm = random.Random(6)
    for _ in range(WARM):
        client.get("/api/alerts", params=random_query(warm))
    took: list[tuple[float, float, dict[str, Any]]] = []
    for _ in range(requests):
        query = random_query(dice)
        started_s, cpu_s = time.perf_counter(), time.process_time()
        answer = client.get("/api/alerts", params=query)
        took.append((time.perf_counter() - started_s, time.process_time() - cpu_s, query))
        assert answer.status_code == 200, answer.text
    took.sort(key=lambda one: one[0])
    wall = [one[0] * 1000 for one in took]
    cpu = sorted(one[1] * 1000 for one in took)
    say(
        f"{kind}: first page with counts, {requests} random filters: median {wall[len(wall) // 2]:.1f} ms, "
        f"p95 {wall[int(len(wall) * 0.95)]:.1f} ms, max {wall[-1]:.1f} ms (slowest: {took[-1][2]}); "
        f"processor time of this process: median {cpu[len(cpu) // 2]:.1f} ms, max {cpu[-1]:.1f} ms"
    )


def random_query(dice: random.Random) -> dict[str, Any]:
    """A filter someone may choose: none to four conditions, either order."""
    choices: dict[str, Any] = {
        "table_id": f"table-{dice.randrange(TABLES):02d}", "game": dice.choice(sorted(GAMES)),
        "severity": dice.choice(SEVERITIES), "check_id": f"{dice.choice(sorted(GAMES))}-{dice.randrange(CHECKS)}",
        "status": dice.choice(("open", "acknowledged", "confirmed", "dismissed")), "origin": dice.choice(("live", "review")),
        "assignee": f"person{dice.randrange(PEOPLE)}", "section": dice.choice(("669a", "643a.1", "ante wager", ".12(b)")),
        "from_utc": stamp(NOW - timedelta(days=dice.choice((1, 7, 30, 400)))), "to_utc": stamp(NOW - timedelta(days=dice.choice((0, 2, 300)))),
    }  # fmt: skip
    names = dice.sample(sorted(choices), dice.randrange(5))
    return {name: choices[name] for name in names} | {"order": dice.choice(("newest", "severity")), "limit": 50}


def fill(store: Store, number: int) -> None:
    """Writes alerts of two years; old ones are decided, new ones open."""
    for origin in ("live", "review"):
        store.open_run(origin, table_id="table-00", origin=origin, opened_utc=NOW, about={})
    cells: dict[tuple[str, ...], list[int]] = {}
    with store.write() as session:
        batch: list[dict[str, Any]] = []
        for row in rows(number, cells):
            batch.append(row)
            if len(batch) == CHUNK:
                _insert(session, batch)
                batch = []
        _insert(session, batch)
        names = (*NAMES, "status")
        cell_rows = [
            dict(zip(names, key, strict=True)) | {"cell_id": one[0], "alerts": one[1]} for key, one in cells.items()
        ]
        session.execute(sa.insert(CellRow), cell_rows)
        session.execute(sa.update(HeadRow).values(position=number))
    with store.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        # PostgreSQL does this by itself (autovacuum) while alerts come in over two years; SQLite needs no such thing
        connection.exec_driver_sql("ANALYZE" if store.is_sqlite else "VACUUM ANALYZE")


def _insert(session: Any, batch: list[dict[str, Any]]) -> None:
    if not batch:
        return
    _bulk(session, "alerts", batch)
    steps = [
        {"alert_seq": row["seq"], "status": row["status"], "reason": "seen on tape", "by": "ann", "at_utc": row["raised_utc"], "action": "comment"}
        for row in batch if row["status"] != "open"
    ]  # fmt: skip
    _bulk(session, "dispositions", steps)


def _bulk(session: Any, table: str, rows: list[dict[str, Any]]) -> None:
    """Inserts rows past the ORM: COPY on PostgreSQL, the driver's own loop on SQLite."""
    if not rows:
        return
    names = ", ".join(f'"{name}"' for name in rows[0])
    driver = session.connection().connection.driver_connection
    if session.get_bind().dialect.name == "postgresql":
        with driver.cursor() as cursor, cursor.copy(f"COPY {table} ({names}) FROM STDIN") as copy:
            for row in rows:
                copy.write_row(tuple(row.values()))
        return
    marks = ", ".join("?" * len(rows[0]))
    driver.executemany(f"INSERT INTO {table} ({names}) VALUES ({marks})", [tuple(row.values()) for row in rows])


def rows(number: int, cells: dict[tuple[str, ...], list[int]]) -> Iterator[dict[str, Any]]:
    """Alerts as rows; counts them in `cells` (number, count)."""
    dice = random.Random(3)
    games = sorted(GAMES)
    for seq in range(1, number + 1):
        table = dice.randrange(TABLES)
        game = games[table % 4]
        check = min(dice.randrange(CHECKS), dice.randrange(CHECKS))
        share = seq / number
        status = dice.choice(("confirmed", "dismissed", "dismissed")) if dice.random() > max(0.002, (share - 0.98) * 40) else dice.choice(("open", "open", "acknowledged"))  # fmt: skip
        raised = NOW - timedelta(seconds=(1 - share) * YEARS_S)
        values = {
            "table_id": f"table-{table:02d}", "game": game, "check_id": f"{game}-{check}", "severity": SEVERITIES[(check * check) % 3],
            "origin": "review" if dice.random() < 0.1 else "live", "kind": "finding",
            "citation": f"58 Pa. Code § {GAMES[game]}.{5 + check % 9}({'abcde'[check % 5]})", "status": status,
        }  # fmt: skip
        cell = cells.setdefault(tuple(values.values()), [len(cells) + 1, 0])
        cell[1] += 1
        yield values | {
            "seq": seq, "run_id": values["origin"], "finding_id": f"{seq:016x}", "raised_utc": stamp(raised),
            "finding": _finding(values, seq), "assignee": f"person{dice.randrange(PEOPLE)}" if dice.random() < 0.2 else None,
            "incident": f"{seq:032x}", "incident_ms": seq, "sort_key": sort_key(raised, seq), "cell_id": cell[0],
        }  # fmt: skip


def _finding(values: dict[str, str], seq: int) -> str:
    return json.dumps(
        {
            "v": 1, "finding_id": f"{seq:016x}", "check_id": values["check_id"], "verdict": "breach", "severity": values["severity"],
            "citation": values["citation"], "table_id": values["table_id"], "round_id": f"{values['table_id']}-r{seq % 999:04d}",
            "seat": seq % 6 + 1, "area": f"seat{seq % 6 + 1}.ante", "t_s": seq % 30000 / 1.0, "since_s": seq % 30000 / 1.0,
            "expected": "winnings of $15 at odds of 1 to 1, and the stake of $15 left in its place", "seen": "paid $10",
            "text": "Seat 3's Ante Wager was paid $10 instead of $15; the chapter prescribes odds of 1 to 1.", "missing": "",
            "events": list(range(seq % 7)), "frames": list(range(seq % 9)), "owed_cents": 1500, "paid_cents": 1000,
            "consequence": "", "readings": [], "confidence": 0.998,
        }
    )  # fmt: skip


def say(text: str) -> None:
    """A line of the result."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
