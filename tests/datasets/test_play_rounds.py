"""Played rounds: deterministic, physically consistent, and every planted mistake is one the engine reports."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from datasets.play.plants import CHECK_OF_WAGER, COLORS, MAX_CHIPS, PLANTS, chips_for, plan_round
from datasets.play.script import Collect, DealCard, Pay, TurnCommunity, draw_round, write_script
from datasets.simulate import PAYTABLES, Recording, play_rounds, table_mapping, truth_lines
from rules.engine import Engine
from rules.events import CardPlaced, CardTurned, Face, PayoutPlaced, WagerPlaced, WagerRemoved
from rules.findings import Verdict
from rules.table import TableConfig


@pytest.fixture(scope="module")
def honest() -> Recording:
    return play_rounds("raise_it_up", 3, 12, seats=(1, 3, 6))


def test_the_same_seed_gives_the_same_truth(honest: Recording) -> None:
    again = play_rounds("raise_it_up", 3, 12, seats=(1, 3, 6))
    assert truth_lines(again) == truth_lines(honest)
    assert truth_lines(play_rounds("raise_it_up", 3, 13, seats=(1, 3, 6))) != truth_lines(honest)


def test_no_card_comes_twice_in_a_round(honest: Recording) -> None:
    rounds: list[list[str]] = []
    tracks = {track.item_id: track.name for track in honest.stage.cards}
    for event in honest.events():
        if event.kind == "no_more_bets":
            rounds.append([])
        if isinstance(event, CardPlaced):
            rounds[-1].append(tracks[event.card_id])
    assert [len(cards) for cards in rounds] == [12, 12, 12]
    assert all(len(set(cards)) == len(cards) for cards in rounds)


def test_chips_are_conserved(honest: Recording) -> None:
    place: Counter[str] = Counter()
    for transfer in honest.stage.transfers:
        place[transfer.source] -= COLORS[transfer.color]
        place[transfer.target] += COLORS[transfer.color]
    assert sum(place.values()) == 0
    assert all(cents == 0 for name, cents in place.items() if "." in name), "every area is empty after the last round"


def test_players_win_what_is_paid_and_lose_what_is_taken(honest: Recording) -> None:
    won = sum(event.amount_cents or 0 for event in honest.events() if isinstance(event, PayoutPlaced))
    to_tray = sum(COLORS[t.color] for t in honest.stage.transfers if t.target == "tray")
    from_tray = sum(COLORS[t.color] for t in honest.stage.transfers if t.source == "tray")
    assert from_tray == won
    assert to_tray > 0


def test_nothing_moves_through_time_twice(honest: Recording) -> None:
    for track in (*honest.stage.cards, *honest.stage.chips):
        ends = [track.born_s, *(leg.end_s for leg in track.legs)]
        assert all(leg.start_s >= end - 1e-6 for leg, end in zip(track.legs, ends, strict=False))
        assert track.gone_s >= ends[-1] - 1e-6


def test_things_at_rest_lie_in_their_areas(honest: Recording) -> None:
    for track in (*honest.stage.cards, *honest.stage.chips):
        for leg in track.legs:
            if leg.area is not None:
                assert honest.layout.area(leg.area).contains(*leg.target.xy), (track.name, leg)


def test_chip_tops_are_seen(honest: Recording) -> None:
    """Chips of one area that do not stand on one another are at least 15 mm apart, so half of each top is free."""
    for t_s in np.arange(2.0, honest.length_s, 1.7):
        moment = honest.stage.moment(float(t_s), honest.places)
        chips = [item for item in moment.resting if hasattr(item, "color")]
        for i, a in enumerate(chips):
            for b in chips[:i]:
                distance = np.hypot(a.center_mm[0] - b.center_mm[0], a.center_mm[1] - b.center_mm[1])
                assert distance > 15.0 or abs(a.z_mm - b.z_mm) >= 3.2


def test_seats_are_dealt_in_order_and_settled_from_the_highest(honest: Recording) -> None:
    areas = [e.area for e in honest.events() if isinstance(e, CardPlaced)][:9]
    assert areas == [f"seat{seat}.cards" for _ in range(3) for seat in (1, 3, 6)]
    turned = [e.area for e in honest.events() if isinstance(e, CardTurned) and e.face is Face.UP]
    first_round = list(dict.fromkeys(area for area in turned[:12] if area.startswith("seat")))
    assert first_round == sorted(first_round, reverse=True)


def test_wagers_are_placed_and_later_leave(honest: Recording) -> None:
    placed = Counter(e.area for e in honest.events() if isinstance(e, WagerPlaced))
    removed = Counter(e.area for e in honest.events() if isinstance(e, WagerRemoved))
    assert placed == removed


def test_chips_for_uses_the_fewest_chips() -> None:
    assert chips_for(18_600) == ("black", "green", "green", "green", "red", "red", "white")
    assert chips_for(600) == ("red", "white")
    with pytest.raises(ValueError, match="50 cents"):
        chips_for(150)


@pytest.mark.parametrize("seed", range(12))
def test_no_wager_or_payout_needs_more_chips_than_fit(seed: int) -> None:
    _, script = plan_round(np.random.default_rng(seed), (1, 2, 4, 5), PAYTABLES, None)
    for step in script:
        if isinstance(step.act, Pay):
            assert 1 <= len(chips_for(step.act.cents)) <= MAX_CHIPS


def test_an_honest_script_collects_or_pays_each_wager_once() -> None:
    facts = draw_round(np.random.default_rng(8), (1, 2, 3), PAYTABLES)
    script = write_script(facts)
    collected = [(s.act.seat, w) for s in script if isinstance(s.act, Collect) for w in s.act.wagers]
    paid = [(s.act.seat, s.act.wager) for s in script if isinstance(s.act, Pay)]
    assert len(set(collected + paid)) == len(collected + paid)
    assert sum(isinstance(s.act, DealCard) for s in script) == 12
    assert sum(isinstance(s.act, TurnCommunity) for s in script) == 3


@pytest.mark.parametrize("plant", PLANTS)
def test_every_plant_is_found_by_the_engine_and_nothing_else(plant: str) -> None:
    """The truth's events alone lead the engine to exactly the planted mistake."""
    recording = play_rounds("raise_it_up", 2, 40, [plant])
    engine = Engine(TableConfig.from_mapping(table_mapping(recording)))
    findings = [*engine.feed_all(recording.events()), *engine.close()]
    number = {record.round_id: i + 1 for i, record in enumerate(engine.rounds)}
    breaches = {(f.check_id, number.get(f.round_id or ""), f.seat) for f in findings if f.verdict is Verdict.BREACH}
    required = {(e.check_id, n, e.seat) for n, e, _ in recording.findings if e.required}
    allowed = {(e.check_id, n, e.seat) for n, e, _ in recording.findings}
    assert required
    assert required <= breaches <= allowed
    assert {check for check, _, _ in required} <= set(PLANTS[plant].checks)


def test_honest_rounds_lead_to_no_breach(honest: Recording) -> None:
    engine = Engine(TableConfig.from_mapping(table_mapping(honest)))
    findings = [*engine.feed_all(honest.events()), *engine.close()]
    assert not [f for f in findings if f.verdict is Verdict.BREACH]
    assert len(engine.rounds) == 3


def test_plants_name_checks_of_the_rulebook() -> None:
    from rules.catalogue import catalogue

    known = set(catalogue("raise_it_up"))
    for kind in PLANTS.values():
        assert set(kind.checks) <= known
    assert set(CHECK_OF_WAGER.values()) <= known


def test_every_plant_is_documented() -> None:
    text = (Path(__file__).parents[2] / "docs" / "simulator.md").read_text(encoding="utf-8")
    for kind in PLANTS.values():
        assert f"| `{kind.name}` | {kind.text} | {', '.join(kind.checks)} |" in text
