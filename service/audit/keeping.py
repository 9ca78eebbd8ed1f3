"""Takes judged rounds into the books: rounds, bodies, facts, exceptions and all sums in one transaction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert as postgresql_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert
from sqlalchemy.orm import Session

from service.audit.facts import MEASURES, MISPAID, AuditedRound, Kind, Tally, Verdict
from service.audit.tables import (
    AuditRoundRow,
    BodyRow,
    DealerSumRow,
    ExceptionRow,
    FactRow,
    FullSumRow,
    KindRow,
    LineSumRow,
    RoundSumRow,
    WagerSumRow,
)
from service.store.base import Base

CHUNK = 400
"""Keys asked for in one query."""
LOCK = 0x7069_7461
"""PostgreSQL advisory lock: one writer of facts at a time, as on SQLite."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A judged round with the line of the import it came from, None for a round seen on video."""

    judged: AuditedRound
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Kept:
    """What became of a batch.

    Attributes:
        rounds, wagers: newly taken in.
        known: rounds that were there already with the same content.
        conflicts: rounds that were there already with other content, which were left out.
    """

    rounds: int
    wagers: int
    known: int
    conflicts: tuple[Placed, ...]


@dataclass(slots=True)
class Keeper:
    """Writes batches; remembers the numbers of the kinds of wagers."""

    _kinds: dict[Kind, int] = field(default_factory=dict)

    def keep(self, session: Session, batch: Sequence[Placed], *, import_id: int | None = None) -> Kept:
        """Take in a batch within the session's transaction; rounds already there are not taken in again."""
        if session.get_bind().dialect.name == "postgresql":
            session.execute(sa.select(sa.func.pg_advisory_xact_lock(LOCK)))
        known = self._known(session, batch)
        fresh: dict[tuple[str, str, str], Placed] = {}
        same, conflicts = 0, []
        for placed in batch:
            judged = placed.judged
            there = known.get(judged.key) or (fresh[judged.key].judged.digest if judged.key in fresh else None)
            if there is None:
                fresh[judged.key] = placed
            elif there == judged.digest:
                same += 1
            else:
                conflicts.append(placed)
        rounds = list(fresh.values())
        if rounds:
            self._write(session, rounds, import_id)
        return Kept(len(rounds), sum(len(p.judged.facts) for p in rounds), same, tuple(conflicts))

    def _known(self, session: Session, batch: Sequence[Placed]) -> dict[tuple[str, str, str], bytes]:
        found: dict[tuple[str, str, str], bytes] = {}
        groups: dict[tuple[str, str], list[str]] = {}
        for placed in batch:
            table_id, day, round_id = placed.judged.key
            groups.setdefault((table_id, day), []).append(round_id)
        row = AuditRoundRow
        for (table_id, day), ids in groups.items():
            for start in range(0, len(ids), CHUNK):
                query = sa.select(row.round_id, row.digest).where(
                    row.table_id == table_id, row.day == day, row.round_id.in_(ids[start : start + CHUNK])
                )
                found.update({(table_id, day, round_id): digest for round_id, digest in session.execute(query)})
        return found

    def _write(self, session: Session, rounds: Sequence[Placed], import_id: int | None) -> None:
        self._number_kinds(session, rounds)
        last = session.scalar(sa.select(sa.func.max(AuditRoundRow.round_seq))) or 0
        sums = Sums()
        rows: dict[type[Base], list[dict[str, Any]]] = {AuditRoundRow: [], BodyRow: [], FactRow: [], ExceptionRow: []}
        for seq, placed in enumerate(rounds, start=last + 1):
            judged = placed.judged
            total = Tally()
            for number, fact in enumerate(judged.facts):
                total.add(fact)
                kind = self._kinds[fact.kind]
                amounts = {
                    "staked_cents": fact.staked_cents,
                    "owed_cents": fact.owed_cents,
                    "paid_cents": fact.paid_cents,
                }
                row = {
                    "round_seq": seq,
                    "number": number,
                    "seat": fact.seat,
                    "kind_id": kind,
                    "verdict": int(fact.verdict),
                }
                rows[FactRow].append(row | amounts)
                if fact.verdict is not Verdict.RIGHT:
                    rows[ExceptionRow].append(row | amounts | _exception(judged, fact.verdict, fact.way))
                whole = self._kinds[Kind(fact.kind.game, fact.kind.wager)]
                sums.add(judged, fact, kind, whole)
            sums.add_round(judged, total)
            rows[AuditRoundRow].append(_round(seq, placed, total, import_id))
            rows[BodyRow].append({"round_seq": seq, "body": judged.body})
        for table, values in rows.items():
            if values:
                session.execute(_insert(session, table.__table__), values)
        sums.write(session)

    def _number_kinds(self, session: Session, rounds: Iterable[Placed]) -> None:
        wanted = {fact.kind for placed in rounds for fact in placed.judged.facts}
        wanted |= {Kind(kind.game, kind.wager) for kind in wanted}
        new = sorted(wanted - self._kinds.keys(), key=lambda k: (k.game, k.wager, k.line))
        if not new:
            return
        rows = [{"game": k.game, "wager": k.wager, "line": k.line} for k in new]
        session.execute(_insert(session, KindRow.__table__).on_conflict_do_nothing(), rows)
        query = sa.select(KindRow.game, KindRow.wager, KindRow.line, KindRow.kind_id)
        self._kinds = {Kind(game, wager, line): number for game, wager, line, number in session.execute(query)}


class Sums:
    """The sums of a batch, to be added to those kept."""

    def __init__(self) -> None:
        self.tables: dict[type[Base], dict[tuple[Any, ...], Tally]] = {
            table: {} for table in (WagerSumRow, LineSumRow, DealerSumRow, FullSumRow, RoundSumRow)
        }
        self.rounds: dict[tuple[Any, ...], int] = {}

    def add(self, judged: AuditedRound, fact: Any, kind: int, whole: int) -> None:
        """Add a fact to every table of sums."""
        place, dealer = (judged.moment.day, judged.table_id, judged.moment.shift), judged.dealer
        for table, key in (
            (WagerSumRow, (*place, whole)), (LineSumRow, (*place, kind)),
            (DealerSumRow, (*place, whole, dealer)), (FullSumRow, (*place, kind, dealer)),
        ):  # fmt: skip
            cells = self.tables[table]
            tally = cells.get(key)
            if tally is None:
                tally = cells[key] = Tally()
            tally.add(fact)

    def add_round(self, judged: AuditedRound, total: Tally) -> None:
        """Add a round's total."""
        key = (judged.moment.day, judged.table_id, judged.moment.shift, judged.game, judged.dealer)
        self.tables[RoundSumRow].setdefault(key, Tally()).include(total)
        self.rounds[key] = self.rounds.get(key, 0) + 1

    def write(self, session: Session, *, sign: int = 1) -> None:
        """Add all to what is kept; rows in the order of their keys, so that two writers never wait for each other.

        Args:
            session: its transaction writes.
            sign: -1 takes away what was added before.
        """
        for table, cells in self.tables.items():
            if not cells:
                continue  # rounds of which no wager was settled
            names = [column.name for column in table.__table__.primary_key]
            order = ("day", "table_id", "shift", "kind_id", "dealer") if table is not RoundSumRow else (
                "day", "table_id", "shift", "game", "dealer")  # fmt: skip
            keys = [name for name in order if name in names]
            measures = [*MEASURES, "rounds"] if table is RoundSumRow else list(MEASURES)
            rows = []
            for key in sorted(cells):
                tally = cells[key]
                row = dict(zip(keys, key, strict=True)) | {name: sign * getattr(tally, name) for name in MEASURES}
                rows.append(row | ({"rounds": sign * self.rounds[key]} if table is RoundSumRow else {}))
            statement = _insert(session, table.__table__)
            new = statement.excluded
            session.execute(
                statement.on_conflict_do_update(
                    index_elements=keys, set_={name: table.__table__.c[name] + new[name] for name in measures}
                ),
                rows,
            )


def _insert(session: Session, table: Any) -> Any:
    return (sqlite_insert if session.get_bind().dialect.name == "sqlite" else postgresql_insert)(table)


def _exception(judged: AuditedRound, verdict: Verdict, note: str) -> dict[str, Any]:
    return {
        "mispaid": verdict in MISPAID, "at_utc": judged.moment.at_utc, "day": judged.moment.day,
        "table_id": judged.table_id, "shift": judged.moment.shift, "dealer": judged.dealer,
        "round_id": judged.round_id, "note": note,
    }  # fmt: skip


def _round(seq: int, placed: Placed, total: Tally, import_id: int | None) -> dict[str, Any]:
    judged = placed.judged
    return {
        "round_seq": seq, "table_id": judged.table_id, "day": judged.moment.day, "round_id": judged.round_id,
        "game": judged.game, "shift": judged.moment.shift, "dealer": judged.dealer, "at_utc": judged.moment.at_utc,
        "run_id": judged.run_id, "import_id": import_id, "line": placed.line, "digest": judged.digest,
        **{name: getattr(total, name) for name in MEASURES},
    }  # fmt: skip
