"""Closed rounds into the store, live or reviewed: the one way in, which also writes what they are searched by."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from service.stamps import moment_of
from service.store.base import Base
from service.store.round_facts import FOUND, cards_of, findings_of, hands_of, round_row, wagers_of
from service.store.round_tables import RoundCardRow, RoundFactRow, RoundFindingRow, RoundHandRow, RoundWagerRow
from service.store.rows import insert_new
from service.store.tables import RoundRow, RunRow

LOCK = 0x7069_7472
"""PostgreSQL advisory lock: rounds are numbered by one transaction at a time, so that numbers are committed in order."""
FACT_COLUMNS = tuple(c.name for c in sa.inspect(RoundFactRow).columns if c.name not in ("number", "run_id", "game", "opened_ms"))  # fmt: skip
ROUNDS_AT_ONCE = 200


def put_rounds(
    session: Session, run_id: str, rounds: Sequence[Mapping[str, Any]], findings: Iterable[Mapping[str, Any]] = ()
) -> int:
    """Writes closed rounds and what they are searched by within a transaction; what is there already stays as it is.

    Args:
        session: its transaction writes.
        run_id: the run they belong to; it is in the store.
        rounds: closed rounds as JSON values, at most `ROUNDS_AT_ONCE`.
        findings: as JSON values, of these rounds or of others of the run that are there already.

    Returns:
        How many rounds were new.
    """
    by_round: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for finding in findings:
        if finding["verdict"] in FOUND:
            by_round[finding["round_id"]].append(finding)
    if not rounds and not by_round:
        return 0
    if session.get_bind().dialect.name == "postgresql":
        session.execute(sa.select(sa.func.pg_advisory_xact_lock(LOCK)))
    rows = [{"run_id": run_id, "round_id": str(r["round_id"]), "round": json.dumps(r)} for r in rounds]
    insert_new(session, RoundRow, rows)
    known = _known(session, run_id, {str(record["round_id"]) for record in rounds} | by_round.keys())
    run = session.get_one(RunRow, run_id)
    new = [record for record in rounds if record["round_id"] not in known]
    _index(session, run, new, by_round)
    for round_id, found in by_round.items():
        if round_id in known:
            _add_findings(session, known[round_id], found)
    return len(new)


def zero_utc(run: RunRow) -> datetime | None:
    """When capture time 0 of a run was; None where nobody knows, as of most recordings.

    A camera's run knows it by its first frame; a recording that is played as if it were live, by when it was started; a
    review, by what was said or found of its recording.
    """
    if run.epoch_ms:
        return datetime.fromtimestamp(run.epoch_ms / 1000, UTC)
    recorded = json.loads(run.about).get("recorded_utc")
    if isinstance(recorded, str) and recorded:
        return moment_of(recorded)
    return moment_of(run.opened_utc) if run.origin == "live" else None


def opened_ms(zero: datetime, opened_s: float) -> int:
    """When a round began, milliseconds since 1970, of a run whose capture time 0 was at `zero`."""
    return round(1000 * (zero.timestamp() + opened_s))


def _known(session: Session, run_id: str, round_ids: Iterable[str]) -> dict[str, int]:
    fact, ids = RoundFactRow, sorted(round_ids)
    found: dict[str, int] = {}
    for start in range(0, len(ids), ROUNDS_AT_ONCE):
        part = ids[start : start + ROUNDS_AT_ONCE]
        query = sa.select(fact.round_id, fact.number).where(fact.run_id == run_id, fact.round_id.in_(part))
        found.update((round_id, number) for round_id, number in session.execute(query))
    return found


def _index(
    session: Session, run: RunRow, rounds: Sequence[Mapping[str, Any]], by_round: Mapping[str, list[Mapping[str, Any]]]
) -> None:
    """Writes what new rounds are searched by, table by table; they are numbered in their order."""
    zero, game = zero_utc(run), run.game or str(json.loads(run.about).get("game", ""))
    facts = []
    for record in rounds:
        rung = sum(finding["verdict"] == "breach" for finding in by_round.get(record["round_id"], ()))
        row = round_row(run.table_id, record, rung)
        began_ms = None if zero is None else opened_ms(zero, float(record["opened_s"]))
        columns = {name: row[name] for name in FACT_COLUMNS}
        facts.append(RoundFactRow(run_id=run.run_id, game=game, opened_ms=began_ms, **columns))
    session.add_all(facts)
    session.flush()
    parts: dict[type[Base], list[dict[str, Any]]] = defaultdict(list)
    for fact, record in zip(facts, rounds, strict=True):
        number = fact.number
        cards, hands = sorted(set(cards_of(record))), sorted(set(hands_of(game, record)))
        parts[RoundCardRow] += [{"card": card, "number": number, "place": place} for card, place in cards]
        parts[RoundHandRow] += [{"hand": hand, "number": number, "place": place} for hand, place in hands]
        parts[RoundWagerRow] += [row | {"number": number} for row in wagers_of(record)]
        found = findings_of(by_round.get(record["round_id"], ()))
        parts[RoundFindingRow] += [row | {"number": number} for row in found]
    for table, rows in parts.items():
        if rows:
            session.execute(sa.insert(table), rows)


def _add_findings(session: Session, number: int, found: Sequence[Mapping[str, Any]]) -> None:
    """What became known of a round after it closed."""
    insert_new(session, RoundFindingRow, [row | {"number": number} for row in findings_of(found)])
    finding = RoundFindingRow
    rung = sa.select(sa.func.count()).where(finding.number == number, finding.verdict == "breach").scalar_subquery()
    session.execute(sa.update(RoundFactRow).where(RoundFactRow.number == number).values(breaches=rung))
