"""The engine on the other three games: never raising, the same findings in whatever portions, money conserved."""

from __future__ import annotations

import pickle
import random
from collections.abc import Callable
from dataclasses import replace

import pytest
import rounds
import test_caribbean_stud_checks as car
import test_dj_wild_checks as djw
import test_let_it_ride_checks as lir
from game_rounds import Plan, build, results, table
from hypothesis import given, settings
from hypothesis import strategies as st
from rounds import breaches, judge

from rules.catalogue import METHODS
from rules.checks.base import Check, Judge
from rules.engine import Engine
from rules.events import EVENT_TYPES, Event, Face, GapCause, Side
from rules.findings import Finding, Verdict, finding_to_json

GAMES: dict[str, Callable[..., Plan]] = {"caribbean_stud": car.plan, "let_it_ride": lir.plan, "dj_wild": djw.plan}
GAMES_STEP = {"caribbean_stud": 0, "let_it_ride": 1, "dj_wild": 2}
"""Every seventh event is left out, from another start in each game; all of them take minutes."""
WAGERS = ("ante", "bet", "blind", "raise", "bonus", "bet1", "bet2", "bet3", "trips", "bad_beat", "six_card_bonus")
AREAS = [
    *(f"seat{n}.{name}" for n in (1, 2) for name in ("cards", *WAGERS)),
    *(f"{group}.{place}" for group in ("dealer", "community", "six_cards", "extra") for place in (1, 2, 3, "cards")),
    "seat9.cards", "dealer", "community", "tray", "shoe", "discard_rack", "",
]  # fmt: skip
TIMES = st.floats(0, 300).map(lambda t: round(t, 3))
VALUES: dict[str, st.SearchStrategy[object]] = {
    "table_id": st.sampled_from([*GAMES]),
    "t_s": TIMES,
    "since_s": TIMES,
    "confidence": st.sampled_from([1.0, 0.9, 0.3]),
    "area": st.sampled_from(AREAS),
    "from_area": st.sampled_from(AREAS),
    "to_area": st.one_of(st.none(), st.sampled_from(AREAS)),
    "card_id": st.integers(1, 14),
    "face": st.sampled_from(list(Face)),
    "card": st.sampled_from(["Ah", "Kh", "Qh", "2c", "2d", "Td", "Jo", None]),
    "count": st.integers(0, 53),
    "amount_cents": st.sampled_from([0, 100, 500, 1000, 2000]),
    "by": st.sampled_from([None, *Side]),
    "side": st.sampled_from([None, *Side]),
    "cause": st.sampled_from(list(GapCause)),
    "seat": st.integers(1, 9),
    "wager": st.sampled_from(["progressive", "progressive3", "fchb", "other"]),
    "decision": st.sampled_from(["bet", "raise", "ride", "fold", "void_round"]),
    "device": st.sampled_from(["shoe", "shuffler"]),
}
KINDS = (
    "card_placed", "card_turned", "card_removed", "card_moved", "stack_placed", "wager_placed", "wager_decreased",
    "wager_removed", "payout_placed", "hand_over", "coverage_gap", "no_more_bets", "electronic_wager_accepted",
    "decision_announced", "stub_counted", "device_jammed", "floor_decision",
)  # fmt: skip


def _event(kind: str) -> st.SearchStrategy[Event]:
    cls = EVENT_TYPES[kind]
    return st.builds(cls, **{name: VALUES[name] for name in cls.__dataclass_fields__ if name in VALUES})


EVENTS = st.lists(st.one_of([_event(kind) for kind in KINDS]), max_size=60)


@settings(max_examples=20, deadline=None)
@given(EVENTS, st.sampled_from([*GAMES]), st.sampled_from([*METHODS]))
def test_never_raises_on_any_events(stream: list[Event], game: str, dealing: str) -> None:
    engine = Engine(table(game, dealing=dealing))
    found = [f for event in stream for f in engine.feed(event)] + list(engine.close())
    ids = [f.finding_id for f in found]
    assert len(ids) == len(set(ids)), "one judgement of one thing a round"
    for finding in found:
        assert finding.text
        assert (finding.verdict is Verdict.UNDETERMINED) == bool(finding.missing)


@settings(max_examples=6, deadline=None)
@given(st.randoms(use_true_random=False), st.sampled_from([*GAMES]))
def test_never_raises_on_a_real_round_mixed_up(rng: random.Random, game: str) -> None:
    stream = list(build(GAMES[game]()).events)
    for _ in range(rng.randrange(1, 30)):
        i, j = rng.randrange(len(stream)), rng.randrange(len(stream))
        choice = rng.randrange(3)
        if choice == 0:
            stream[i], stream[j] = stream[j], stream[i]
        elif choice == 1:
            del stream[i]
        else:
            stream.insert(i, stream[j])
    judge(stream, table(game))


@pytest.mark.parametrize("game", GAMES)
def test_any_event_missing_makes_no_breach(game: str) -> None:
    """Not seen is never "did not happen": an honest round with one event left out accuses nobody."""
    stream = build(GAMES[game]()).events
    names = [name for name, _ in build(GAMES[game]()).items]
    config = table(game)
    wrong = {}
    for i in range(GAMES_STEP[game], len(stream), 7):
        found = breaches(judge([*stream[:i], *stream[i + 1 :]], config))
        if found:
            wrong[names[i]] = found
    assert wrong == {}


@pytest.mark.parametrize("game", GAMES)
def test_state_stored_after_any_event_goes_on_the_same(game: str) -> None:
    stream = build(GAMES[game]()).events
    whole = [finding_to_json(f) for f in judge(stream, table(game))]
    engine = Engine(table(game))
    found: list[Finding] = []
    for event in stream:
        found += engine.feed(event)
        engine = pickle.loads(pickle.dumps(engine))
    found += engine.close()
    assert [finding_to_json(f) for f in found] == whole


@pytest.mark.parametrize("game", GAMES)
def test_records_of_an_honest_round_say_what_settlement_says(game: str) -> None:
    plan = GAMES[game]()
    engine = Engine(table(game))
    engine.feed_all(build(plan).events)
    engine.close()
    (record,) = engine.rounds
    assert record.complete
    owed = results(plan)
    seen = {(p.seat, p.wager): p for p in record.payouts}
    for seat, wagers in owed.items():
        for wager, end in wagers.items():
            payout = seen[(int(seat), wager)]
            winnings = end["return"] - end["wager"] if end["outcome"] == "win" else 0
            if end.get("why") == "fold" and payout.outcome == "":
                continue
            assert (payout.outcome, payout.owed_cents) == (end["outcome"], winnings), (seat, wager)
            assert payout.paid_cents in (winnings, None)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("dealing", METHODS)
def test_honest_rounds_in_a_row(game: str, dealing: str) -> None:
    """Three rounds one after the other, in each dealing method: found as three, and nobody accused."""
    engine = Engine(table(game, dealing=dealing))
    found: list[Finding] = []
    kind = "automated_shoe" if dealing == "automated_shoe" else "manual_shoe"
    for n in range(3):
        plan = GAMES[game](t_s=10.0 + 200.0 * n, first_card_id=100 + 1000 * n, dealing=kind)
        found += engine.feed_all(build(plan).events)
    found += engine.close()
    assert breaches(found) == []
    assert len(engine.rounds) == 3


@pytest.mark.parametrize("dealing", ["manual_shoe", "hand", "automated_shoe"])
@pytest.mark.parametrize("game", [*GAMES, "raise_it_up"])
def test_checks_of_one_row_are_told_apart_by_whom_they_are_about_or_by_their_scope(game: str, dealing: str) -> None:
    config = replace(rounds.table(), dealing=dealing) if game == "raise_it_up" else table(game, dealing=dealing)
    rows = [(check.check_id, check.per_seat, check.scope) for check in Engine(config)._checks]
    assert len(rows) == len(set(rows))


def test_ids_of_findings_are_what_they_were_whatever_functions_are_called(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = {
        "RIU-MS-DOWN": "4a9ed1d987f3a516", "RIU-IRR-COUNT": "a774bf473ecdafbe", "LIR-MS-DOWN": "4a20293f51754a5c", "LIR-IRR-COUNT": "9d76c8abb8881d15",
    }  # fmt: skip

    def nameless(checks: tuple[Check, ...]) -> tuple[Check, ...]:
        def called(judge: Judge) -> Judge:
            return lambda ctx, seat: judge(ctx, seat)

        return tuple(replace(check, judge=called(check.judge)) for check in checks)

    for config, events in (
        (rounds.table(), rounds.build().events),
        (table("let_it_ride"), build(lir.plan()).events),
    ):
        engine = Engine(config)
        monkeypatch.setattr(engine, "_checks", nameless(engine._checks))
        found = [*engine.feed_all(events), *engine.close()]
        assert [finding_to_json(f) for f in found] == [finding_to_json(f) for f in judge(events, config)]
        of_table = {f.check_id: f.finding_id for f in found if f.seat is None and f.check_id in kept}
        assert of_table == {name: one for name, one in kept.items() if name in of_table}
        assert len(of_table) == 2
