"""Events of other systems in the audit: judged by the engine, each payout a fact like any other; bad files taken in not at all."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import sqlalchemy as sa
import test_caribbean_stud_checks as caribbean_stud
import test_dj_wild_checks as dj_wild
import test_let_it_ride_checks as let_it_ride
from audit_fakes import NOW
from game_rounds import PAYTABLES, build

from rules.events import DealerChanged, EventError, event_from_dict, event_to_json
from rules.table import TableConfig
from service.audit.calendar import ShiftPlan
from service.audit.events import EventImporter, read_start
from service.audit.exceptions import Exceptions
from service.audit.facts import AuditError
from service.audit.questions import Questions, Scope
from service.audit.seen import seen_round
from service.audit.tables import AuditRoundRow
from service.store.base import Database

GAMES: dict[str, tuple[Callable[[], Any], Callable[[Any], None], str]] = {
    "caribbean_stud": (caribbean_stud.plan, lambda s: s.change("pay:6.bet", amount_cents=5000), "bet"),
    "let_it_ride": (let_it_ride.plan, lambda s: s.change("pay:6.bet2", amount_cents=5000), "bet2"),
    "dj_wild": (dj_wild.plan, lambda s: s.change("pay:1.trips", amount_cents=500), "trips"),
}


def imported(
    game: str, folder: Path, edit: Callable[[Any], None] | None = None, more: str = ""
) -> tuple[EventImporter, Path]:
    """An importer and a file of one round's events, changed or honest."""
    script = build(GAMES[game][0]())
    if edit is not None:
        edit(script)
    dealer = DealerChanged(table_id=game, t_s=0.0, dealer="204")
    path = folder / f"{'edited' if edit else 'honest'}.jsonl"
    path.write_text("".join(event_to_json(event) + "\n" for event in (dealer, *script.events)) + more, encoding="utf-8")
    rules = {"dealing": "manual_shoe", "seats": 6, "paytables": dict(PAYTABLES[game])}
    table = TableConfig.from_mapping({"version": 1, "table_id": game, "game": game, "rules_submission": rules})
    database = Database(f"sqlite:///{folder}/books.db")
    return EventImporter(database, ShiftPlan(), table, datetime.fromisoformat("2026-10-01T23:00:00-04:00")), path


@pytest.mark.parametrize("game", GAMES)
def test_a_payout_changed_in_the_events_is_the_one_mispayment(game: str, tmp_path: Path) -> None:
    _, edit, wager = GAMES[game]
    taker, honest = imported(game, tmp_path)
    assert taker.take(honest, now=lambda: NOW).rounds == 1
    questions = Questions(taker.database)
    before = questions.whole(Scope()).tally
    assert before.mispaid == 0
    assert before.right >= 3

    taker, edited = imported(game, tmp_path, edit)
    assert taker.take(edited, now=lambda: NOW).rounds == 1
    (one,) = Exceptions(questions).all(Scope())
    assert (one.wager, one.game, one.dealer, one.shift, one.day) == (wager, game, "204", "grave", "2026-10-01")
    assert one.difference_cents not in (None, 0)
    detail = Exceptions(questions).round(one.round_seq)
    assert detail.wagers[one.number].citation.startswith("58 Pa. Code §")
    assert detail.source == "edited.jsonl, line 1"

    assert taker.take(edited, now=lambda: NOW).status == "known"
    assert questions.whole(Scope()).rounds == 2


EASTERN = ZoneInfo("America/New_York")


@pytest.mark.parametrize(
    ("starts", "ended", "day", "shift"),
    [
        (datetime.fromisoformat("2026-10-31T22:00"), datetime(2026, 11, 1, 9, 45, tzinfo=UTC), "2026-10-31", "grave"),
        (datetime(2026, 10, 31, 22, tzinfo=EASTERN), datetime(2026, 11, 1, 9, 45, tzinfo=UTC), "2026-10-31", "grave"),
        (datetime.fromisoformat("2026-03-07T22:00"), datetime(2026, 3, 8, 10, 45, tzinfo=UTC), "2026-03-08", "day"),
    ],
)
def test_a_night_on_which_the_clock_changes_is_as_long_as_it_is(
    starts: datetime, ended: datetime, day: str, shift: str, tmp_path: Path
) -> None:
    taker, path = imported("dj_wild", tmp_path)
    moved = tmp_path / "late.jsonl"
    events = [event_from_dict(json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]
    later_s = 7.75 * 3600 - max(event.t_s for event in events)
    moved.write_text("".join(event_to_json(replace(one, t_s=one.t_s + later_s)) + "\n" for one in events[1:]))
    taker = EventImporter(taker.database, ShiftPlan(zone=EASTERN), taker.table, starts)
    assert taker.take(moved, now=lambda: NOW).rounds == 1
    with taker.database.read() as session:
        (row,) = session.scalars(sa.select(AuditRoundRow))
    assert abs(datetime.fromisoformat(row.at_utc.replace("Z", "+00:00")) - ended) < timedelta(minutes=1)
    assert (row.day, row.shift) == (day, shift)


@pytest.mark.parametrize(
    ("starts", "said"),
    [("2026-11-01T01:30:00", "comes twice"), ("2026-03-08T02:30:00", "does not come")],
)
def test_a_start_that_the_clock_shows_twice_or_never_is_refused(starts: str, said: str, tmp_path: Path) -> None:
    taker, _ = imported("dj_wild", tmp_path)
    with pytest.raises(AuditError, match=f"--starts: 2026-.* {said} on the house's clock. Give it with its offset"):
        EventImporter(taker.database, ShiftPlan(zone=EASTERN), taker.table, read_start(starts))


@pytest.mark.parametrize("starts", ["", "noon", "2026-10-01", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59-12:00"])
def test_a_start_that_is_none_is_refused(starts: str) -> None:
    with pytest.raises(AuditError, match=r"--starts: no time: .* Give it as 2026-10-01T06:00:30-04:00"):
        read_start(starts)


def test_an_amount_that_cannot_be_added_up_is_not_known() -> None:
    payout = {"seat": 1, "wager": "trips", "outcome": "win", "verdict": "breach", "stake_cents": 10**11, "due_cents": 10**14, "returned_cents": 0}  # fmt: skip
    record = {"round_id": "r1", "payouts": [payout]}
    judged = seen_round(record, table_id="t", game="dj_wild", at=None, dealer="", plan=ShiftPlan(), source="a")
    (fact,) = judged.facts
    assert (fact.staked_cents, fact.owed_cents, fact.paid_cents, fact.difference_cents) == (10**11, None, 0, None)


def test_a_compressed_file_that_is_damaged_is_refused_as_a_whole(tmp_path: Path) -> None:
    taker, path = imported("dj_wild", tmp_path)
    packed = bytearray(gzip.compress(path.read_bytes()))
    packed[25:28] = b"\xff\xff\xff"
    (tmp_path / "a.jsonl.gz").write_bytes(packed)
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(path.read_bytes())[:-20])
    for name in ("a.jsonl.gz", "b.jsonl.gz"):
        with pytest.raises(AuditError, match="damaged or cut off"):
            taker.take(tmp_path / name, now=lambda: NOW)
    assert Questions(taker.database).whole(Scope()).rounds == 0


def test_a_file_that_is_no_utf8_is_refused_with_its_line(tmp_path: Path) -> None:
    taker, path = imported("dj_wild", tmp_path)
    path.write_bytes(path.read_bytes() + b"\xff\n")
    with pytest.raises(EventError, match=r"honest\.jsonl, line \d+: not UTF-8"):
        taker.take(path, now=lambda: NOW)


def test_a_file_with_a_bad_line_is_refused_as_a_whole(tmp_path: Path) -> None:
    taker, path = imported("dj_wild", tmp_path, more='{"type": "event", "kind": "card_placed"}\n')
    with pytest.raises(EventError, match=r"honest\.jsonl, line \d+"):
        taker.take(path, now=lambda: NOW)
    assert Questions(taker.database).whole(Scope()).rounds == 0
