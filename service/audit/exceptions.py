"""Wagers that were not paid right, one by one, and everything of the round that each belongs to."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import sqlalchemy as sa

from rules.dated import law_of
from rules.settlement.readings import READINGS, switches_of
from rules.settlement.results import SettlementError, WagerResult
from rules.settlement.rounds import GAMES, settle
from service.audit.bodies import unpack
from service.audit.calendar import ShiftPlan
from service.audit.facts import AuditError, Verdict
from service.audit.questions import Questions, Scope, places, within
from service.audit.tables import AuditRoundRow, BodyRow, ExceptionRow, FactRow, ImportRow
from service.errors import NotFoundError
from service.stamps import moment_of

PAGE = 100


@dataclass(frozen=True, slots=True)
class Exceptional:
    """A wager paid over or under, or not determined."""

    round_seq: int
    number: int
    at_utc: str
    day: str
    table_id: str
    shift: str
    dealer: str
    round_id: str
    seat: int
    game: str
    wager: str
    line: str
    staked_cents: int | None
    owed_cents: int | None
    paid_cents: int | None
    verdict: Verdict
    note: str

    @property
    def difference_cents(self) -> int | None:
        """Cents paid too much, below zero too little; None where unknown."""
        return None if self.owed_cents is None or self.paid_cents is None else self.paid_cents - self.owed_cents

    @property
    def key(self) -> str:
        """Where the next page goes on."""
        return f"{self.at_utc}/{self.round_seq}/{self.number}"


@dataclass(frozen=True, slots=True)
class Wager:
    """One wager of a round with the way to what was owed.

    Attributes:
        way: in words and numbers; why it is not known where it is not.
        readings: readings of ambiguous texts under which what was paid would be right.
    """

    seat: int
    wager: str
    line: str
    staked_cents: int | None
    owed_cents: int | None
    paid_cents: int | None
    verdict: Verdict
    way: str
    citation: str
    readings: tuple[str, ...] = ()

    @property
    def difference_cents(self) -> int | None:
        """Cents paid too much, below zero too little; None where unknown."""
        return None if self.owed_cents is None or self.paid_cents is None else self.paid_cents - self.owed_cents


@dataclass(frozen=True, slots=True)
class RoundDetail:
    """A round taken out of the books.

    Attributes:
        document: the round as it came.
        source: file and line, or the run it was seen in.
    """

    round_seq: int
    table_id: str
    day: str
    round_id: str
    game: str
    shift: str
    dealer: str
    at_utc: str
    run_id: str
    source: str
    document: Mapping[str, Any]
    wagers: tuple[Wager, ...]

    def law_day(self, plan: ShiftPlan) -> datetime.date | None:
        """The calendar day whose law the round was judged by, None where nobody knows when it was played; `plan` has the house's clock."""
        if "law_day" in self.document:
            return _law_day(self.document)
        return plan.moment(moment_of(self.at_utc)).law_day if self.at_utc else None


@dataclass(slots=True)
class Exceptions:
    """Finds mispayments and rounds."""

    questions: Questions

    def page(
        self, scope: Scope, *, undetermined: bool = False, before: str = "", limit: int = PAGE
    ) -> list[Exceptional]:
        """Mispayments, newest first.

        Args:
            scope: which.
            undetermined: those that are not determined instead of those paid over or under.
            before: the `key` of the last one of the page before.
            limit: how many at most.

        Raises:
            AuditError: `before` is no key.
        """
        row = ExceptionRow
        with self.questions.database.read() as session:
            condition = [row.mispaid.is_(not undetermined), *places(row, scope), *within(row.dealer, scope.dealers)]
            numbers = self.questions.kinds_of(session, scope, lines=True)
            if numbers is not None:
                condition.append(row.kind_id.in_(numbers))
            if before:
                at, seq, number = _read_key(before)
                order = sa.tuple_(row.at_utc, row.round_seq, row.number)
                condition.append(order < sa.tuple_(sa.literal(at), sa.literal(seq), sa.literal(number)))
            query = sa.select(row).where(*condition)
            query = query.order_by(row.at_utc.desc(), row.round_seq.desc(), row.number.desc()).limit(limit)
            kinds = self.questions.kinds(session)
            return [_exceptional(found, kinds[found.kind_id]) for found in session.scalars(query)]

    def all(self, scope: Scope, *, undetermined: bool = False) -> Iterator[Exceptional]:
        """Every one of them, newest first, a page at a time."""
        before = ""
        while page := self.page(scope, undetermined=undetermined, before=before, limit=500):
            yield from page
            before = page[-1].key

    def round(self, round_seq: int) -> RoundDetail:
        """A round with every wager and the way to what it was owed, worked out again from what came in.

        Raises:
            NotFoundError: there is none of this number.
        """
        with self.questions.database.read() as session:
            row, body = session.get(AuditRoundRow, round_seq), session.get(BodyRow, round_seq)
            if row is None or body is None:
                raise NotFoundError(
                    f"there is no round {round_seq} in the audit", do="Follow a link of the list of mispayments"
                )
            facts = list(
                session.scalars(sa.select(FactRow).where(FactRow.round_seq == round_seq).order_by(FactRow.number))
            )
            notes = {
                n: note
                for n, note in session.execute(
                    sa.select(ExceptionRow.number, ExceptionRow.note).where(ExceptionRow.round_seq == round_seq)
                )
            }
            kinds = self.questions.kinds(session)
            taken = session.get(ImportRow, row.import_id) if row.import_id else None
        document = unpack(body.body)
        was_seen = document.get("kind") == "video"
        ways = _ways_of_video(document) if was_seen else _ways_of_import(document)
        wagers = []
        for fact in facts:
            kind = kinds[fact.kind_id]
            way, citation = ways.get(
                (fact.seat, kind.wager), ("nothing is owed: no such payout arises from these cards", "")
            )
            note = notes.get(fact.number, "")
            if note and note != way:
                way = f"{way}; not determined: {note}" if way else note
            wagers.append(
                Wager(fact.seat, kind.wager, kind.line, fact.staked_cents, fact.owed_cents, fact.paid_cents,
                      Verdict(fact.verdict), way, citation)
            )  # fmt: skip
        source = row.run_id or (f"{taken.name}, line {row.line}" if taken is not None else "")
        detail = RoundDetail(
            round_seq, row.table_id, row.day, row.round_id, row.game, row.shift, row.dealer, row.at_utc, row.run_id,
            source, document, tuple(wagers),
        )  # fmt: skip
        return detail if was_seen else _contested(detail)


def _ways_of_video(document: Mapping[str, Any]) -> dict[tuple[int, str], tuple[str, str]]:
    payouts = document["round"].get("payouts", ())
    return {(int(p["seat"]), str(p["wager"])): (p.get("way", ""), p.get("citation", "")) for p in payouts}


def _law_day(document: Mapping[str, Any]) -> datetime.date:
    return datetime.date.fromisoformat(str(document["law_day"]))


def _results(document: Mapping[str, Any], config: Mapping[str, Any]) -> dict[tuple[int, str], WagerResult]:
    with law_of(_law_day(document)):
        settled = settle({**document, "config": config})
    return {(seat, wager): one for seat, wagers in settled.seats.items() for wager, one in wagers.items()}


def _ways_of_import(document: Mapping[str, Any]) -> dict[tuple[int, str], tuple[str, str]]:
    results = _results(document, document["config"])
    return {key: (one.way, one.citation) for key, one in results.items()}


def _contested(detail: RoundDetail) -> RoundDetail:
    """Adds to each mispayment the readings of ambiguous texts under which it is none."""
    if not any(wager.verdict in (Verdict.OVER, Verdict.UNDER) for wager in detail.wagers):
        return detail
    config = dict(detail.document["config"])
    chosen = config.get("readings", {})
    right: dict[tuple[int, str], list[str]] = {}
    for switch in switches_of(GAMES[str(detail.document["game"])].game):
        for value in READINGS[switch]:
            if value == chosen.get(switch, READINGS[switch][0]):
                continue
            try:
                results = _results(detail.document, config | {"readings": {**chosen, switch: value}})
            except SettlementError:
                continue
            for wager in detail.wagers:
                result = results.get((wager.seat, wager.wager))
                back = int(result.return_cents) if result is not None else 0
                if wager.verdict in (Verdict.OVER, Verdict.UNDER) and back == wager.paid_cents:
                    right.setdefault((wager.seat, wager.wager), []).append(f"{switch}={value}")
    wagers = tuple(replace(w, readings=tuple(right.get((w.seat, w.wager), ()))) for w in detail.wagers)
    return replace(detail, wagers=wagers)


def _read_key(text: str) -> tuple[str, int, int]:
    parts = text.split("/")
    if len(parts) != 3 or not all(part.isascii() and part.isdigit() for part in parts[1:]):
        raise AuditError(f"no place in the list: {text[:60]!r}", do="Pass on what the page before gave as next_before")
    return parts[0], int(parts[1]), int(parts[2])


def _exceptional(row: ExceptionRow, kind: Any) -> Exceptional:
    return Exceptional(
        row.round_seq, row.number, row.at_utc, row.day, row.table_id, row.shift, row.dealer, row.round_id, row.seat,
        kind.game, kind.wager, kind.line, row.staked_cents, row.owed_cents, row.paid_cents, Verdict(row.verdict), row.note,
    )  # fmt: skip
