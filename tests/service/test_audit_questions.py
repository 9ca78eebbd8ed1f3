"""A table-day of the simulated month through the books: every planted mistake found, every sum exact, on both databases."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from audit_fakes import NOW

from datasets.month.write import Month, write_month
from rules.records import RoundRecord
from service.audit.calendar import ShiftPlan
from service.audit.commands import read_tables
from service.audit.exceptions import Exceptions
from service.audit.facts import AuditError, Verdict
from service.audit.importing import Importer
from service.audit.questions import By, Questions, Scope, limited, read_by, read_days
from service.audit.reconciling import by_every_property, reconcile, recount
from service.audit.sampling import Plan, Result, Samples, allocate
from service.audit.tables import AuditRoundRow, FactRow, LineSumRow
from service.store.base import Database

TABLE_DAY = Month(tables=4, days=1, hours=9, seed=11)


@pytest.fixture(scope="module")
def month(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """Four tables of the four games, nine hours: two shifts, 1,440 rounds."""
    folder = tmp_path_factory.mktemp("month")
    write_month(TABLE_DAY, folder)
    return folder, json.loads((folder / "books.json").read_text(encoding="utf-8"))


@pytest.fixture
def questions(database_url: str, month: tuple[Path, dict[str, Any]]) -> Iterator[Questions]:
    folder, _ = month
    database = Database(database_url)
    taker = Importer(database, ShiftPlan(), read_tables([folder / "tables"]))
    for path in sorted((folder / "rounds").glob("*.gz")):
        taker.take(path, now=lambda: NOW)
    yield Questions(database)
    database.close()


def test_everything_planted_is_found_and_every_sum_is_exact(
    questions: Questions, month: tuple[Path, dict[str, Any]]
) -> None:
    totals, mistakes = month[1]["totals"], month[1]["mistakes"]
    assert len({one["kind"] for one in mistakes}) >= 4
    whole = questions.whole(Scope())
    tally = whole.tally
    assert (whole.rounds, tally.wagers, tally.undetermined) == (totals["rounds"], totals["wagers"], 0)
    assert (tally.staked_cents, tally.owed_cents, tally.paid_cents) == (
        totals["staked"],
        totals["owed"],
        totals["paid"],
    )
    assert (tally.over_cents, tally.under_cents, tally.mispaid) == (totals["over"], totals["under"], totals["mistakes"])
    found = {(e.table_id, e.round_id, e.seat, e.wager): e.difference_cents for e in Exceptions(questions).all(Scope())}
    assert found == {(m["table"], m["round"], m["seat"], m["wager"]): m["paid"] - m["owed"] for m in mistakes}
    for game, page in month[1]["by_game"].items():
        of_game = questions.whole(Scope(games=(game,)))
        assert (of_game.rounds, of_game.tally.wagers, of_game.tally.paid_cents) == (
            page["rounds"],
            page["wagers"],
            page["paid"],
        )

    books = recount(questions, Scope(), now=NOW, by="test")
    assert books.agrees, books.disagreements
    assert {account.rounds for account in books.accounts if account.rounds is not None} == {totals["rounds"]}
    for by in By:
        rows = questions.table(Scope(), (by,))
        assert sum(row.tally.wagers for row in rows) == totals["wagers"]
        assert reconcile(questions, Scope(), rows).agrees
    assert by_every_property(questions, Scope(shifts=("day",), games=("dj_wild", "raise_it_up"))).agrees

    _filters_narrow_alike(questions)
    _pages_hold_everything_once(questions)
    _a_round_has_its_way(questions)
    _a_tampered_sum_is_noticed(questions)


def _filters_narrow_alike(questions: Questions) -> None:
    """Any filter gives what counting by its property gives, whichever table of sums answers."""
    narrowed: dict[By, Callable[[tuple[str, ...]], Scope]] = {
        By.TABLE: lambda key: Scope(tables=key),
        By.LINE: lambda key: Scope(lines=key),
        By.DEALER: lambda key: Scope(dealers=key),
        By.SHIFT: lambda key: Scope(shifts=key),
    }
    for by, scope_of in narrowed.items():
        for row in questions.table(Scope(), (by,))[:6]:
            scope = scope_of(row.key)
            assert questions.whole(scope).tally == row.tally
            assert sum(r.tally.wagers for r in questions.table(scope, (By.LINE, By.DEALER))) == row.tally.wagers
    assert questions.whole(Scope(first="2026-10-02")).tally.wagers == 0
    nobody = limited(Scope(), frozenset())
    assert (questions.whole(nobody).tally.wagers, Exceptions(questions).page(nobody)) == (0, [])
    assert limited(Scope(tables=("riu-01", "car-01")), frozenset({"car-01"})).tables == ("car-01",)


def _pages_hold_everything_once(questions: Questions) -> None:
    exceptions, keys, before = Exceptions(questions), [], ""
    while page := exceptions.page(Scope(), before=before, limit=2):
        keys += [one.key for one in page]
        before = page[-1].key
    assert keys == sorted(set(keys), key=lambda k: (k.split("/")[0], *map(int, k.split("/")[1:])), reverse=True)
    assert len(keys) == questions.whole(Scope()).tally.mispaid
    with pytest.raises(AuditError, match="no place in the list"):
        exceptions.page(Scope(), before="x/y/z")


def _a_round_has_its_way(questions: Questions) -> None:
    exceptions = Exceptions(questions)
    one = exceptions.page(Scope(), limit=1)[0]
    detail = exceptions.round(one.round_seq)
    wager = detail.wagers[one.number]
    assert (wager.wager, wager.owed_cents, wager.paid_cents) == (one.wager, one.owed_cents, one.paid_cents)
    assert "§" in wager.citation
    assert wager.way
    assert detail.source.startswith("2026-10-01.jsonl.gz, line ")


def _a_tampered_sum_is_noticed(questions: Questions) -> None:
    with questions.database.write() as session:
        row = session.scalars(sa.select(LineSumRow).limit(1)).one()
        row.paid_cents += 1
    assert not reconcile(questions, Scope()).agrees
    with questions.database.write() as session:
        session.scalars(sa.select(LineSumRow).limit(1)).one().paid_cents -= 1
    assert reconcile(questions, Scope()).agrees
    with questions.database.write() as session:
        fact = session.scalars(sa.select(FactRow).where(FactRow.verdict == int(Verdict.RIGHT)).limit(1)).one()
        fact.paid_cents = (fact.paid_cents or 0) + 100
    assert reconcile(questions, Scope()).agrees, "sums alone cannot show it"
    found = recount(questions, Scope(), now=NOW, by="test")
    assert any("every wager" in text for text in found.disagreements)


def test_a_sample_is_drawn_recorded_and_evaluated(questions: Questions) -> None:
    samples = Samples(questions)
    plan = Plan(Scope(), confidence=0.9, tolerable=0.05, allowed=1, by=(By.TABLE, By.SHIFT), seed=5)
    first = samples.draw(plan, by="ann", now=NOW)
    assert (first.population, first.estimate.passes) == (1440, None)
    drawn = samples.drawn(first.sample_id, limit=500)
    assert len(drawn) == first.size == len({one.round_seq for one in drawn})
    counted = {
        key: sum(one.stratum == " / ".join(key) for one in drawn)
        for key in {tuple(d.stratum.split(" / ")) for d in drawn}
    }
    shares = allocate({key: 320 if key[1] == "day" else 40 for key in counted}, first.size)
    assert counted == shares
    again = samples.draw(plan, by="bob", now=NOW)
    assert [one.round_seq for one in samples.drawn(again.sample_id, limit=500)] == [one.round_seq for one in drawn]

    with pytest.raises(AuditError, match="with a note"):
        samples.enter(first.sample_id, 1, Result.DIFFERS, note=" ", by="ann", now=NOW)
    samples.enter(first.sample_id, 1, Result.DIFFERS, note="a king read as a queen", by="ann", now=NOW)
    for number in range(2, first.size + 1):
        found = samples.enter(first.sample_id, number, Result.AGREES, note="", by="ann", now=NOW)
    assert (found.estimate.checked, found.estimate.differs, found.estimate.passes) == (first.size, 1, True)
    assert found.estimate.interval[0] < 1 / first.size < found.estimate.upper <= 0.055
    worse = samples.enter(first.sample_id, 2, Result.UNREADABLE, note="", by="bob", now=NOW)
    assert (worse.estimate.unreadable, worse.estimate.passes) == (1, False)
    for bad in (
        Plan(Scope(), confidence=1.0),
        Plan(Scope(), tolerable=0.0),
        Plan(Scope(), by=(By.LINE,)),
        Plan(Scope(first="2030-01-01")),
    ):
        with pytest.raises(AuditError):
            samples.draw(bad, by="ann", now=NOW)


def test_words_that_name_nothing_are_refused() -> None:
    assert read_days("2026-10-01", "") == ("2026-10-01", "")
    for first, last in (("2026-10-32", ""), ("1.10.2026", ""), ("2026-10-02", "2026-10-01")):
        with pytest.raises(AuditError):
            read_days(first, last)
    with pytest.raises(AuditError, match="cannot be counted by 'colour'"):
        read_by(["game", "colour"])


def test_a_finished_round_keeps_what_the_audit_needs() -> None:
    """`service.audit.seen` reads records by these names."""
    names = set(RoundRecord.__dataclass_fields__)
    assert {"round_id", "closed_s", "seats", "payouts", "community", "dealer"} <= names
    assert {"table_id", "day", "round_id"} <= set(AuditRoundRow.__table__.c.keys())
