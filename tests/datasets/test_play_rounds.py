"""Played rounds: deterministic, physically consistent, and every planted mistake is one the engine reports."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from datasets.play.chips import COLORS, MAX_CHIPS, chips_for
from datasets.play.games import GAMES, game_of, plants_of
from datasets.play.games.base import plan_round
from datasets.play.script import Collect, DealCard, Pay, TurnCommunity
from datasets.simulate import Recording, SimulationError, play_rounds, table_mapping, truth_lines
from rules.catalogue import catalogue
from rules.engine import Engine
from rules.events import CardPlaced, CardTurned, Face, PayoutPlaced, StackPlaced, WagerPlaced, WagerRemoved
from rules.findings import Finding, Verdict
from rules.law import game_law
from rules.table import TableConfig


@pytest.fixture(scope="module", params=list(GAMES))
def honest(request: pytest.FixtureRequest) -> Recording:
    return play_rounds(request.param, 3, 12, seats=(1, 3, 6))


def test_the_same_seed_gives_the_same_truth(honest: Recording) -> None:
    again = play_rounds(honest.game.name, 3, 12, seats=(1, 3, 6))
    assert truth_lines(again) == truth_lines(honest)
    assert truth_lines(play_rounds(honest.game.name, 3, 13, seats=(1, 3, 6))) != truth_lines(honest)


def test_no_card_comes_twice_in_a_round(honest: Recording) -> None:
    rounds: list[list[str]] = []
    tracks = {track.item_id: track.name for track in honest.stage.cards}
    for event in honest.events():
        if event.kind == "no_more_bets":
            rounds.append([])
        if isinstance(event, CardPlaced):
            rounds[-1].append(tracks[event.card_id])
    law = game_law(honest.game.name)
    dealt = 3 * law.player_cards + law.dealer_cards + law.community_cards
    optional = {"let_it_ride": 3}.get(honest.game.name, 0)
    always = {"dj_wild": 1}.get(honest.game.name, 0)
    assert {len(cards) for cards in rounds} <= {dealt + always, dealt + optional + always}
    assert all(len(set(cards)) == len(cards) for cards in rounds)
    assert {card for cards in rounds for card in cards} <= set(honest.game.deck)


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


def stacked_chips(recording: Recording) -> int:
    legs = [leg for track in recording.stage.chips for leg in track.legs]
    return sum(leg.area is not None and leg.target.z_mm >= 3.2 for leg in legs)


def test_a_house_that_has_chips_spread_says_so_and_nobody_stacks() -> None:
    anyhow, spread = (play_rounds("dj_wild", 3, 2, chips_spread=house) for house in (False, True))
    assert stacked_chips(anyhow) > 0
    assert stacked_chips(spread) == 0
    assert [TableConfig.from_mapping(table_mapping(r)).chips_spread for r in (anyhow, spread)] == [False, True]


DEAL_ORDER: dict[str, list[int | str]] = {
    "raise_it_up": [1, 3, 6] * 3 + ["community.4th", "community.5th", "community.6th"],
    "caribbean_stud": [seat or f"dealer.{min(turn, 2)}" for turn in range(1, 6) for seat in (1, 3, 6, None)],
    "let_it_ride": [1, 3, 6, "community.1", 1, 3, 6, "community.2", 1, 3, 6],
    "dj_wild": [1] * 5 + [3] * 5 + [6] * 5 + [f"dealer.{place}" for place in range(1, 6)] + ["extra"],
}
"""Where the cards go in the order of .8 of each chapter, for seats 1, 3 and 6."""


def test_cards_are_dealt_in_the_order_of_the_chapter(honest: Recording) -> None:
    wanted = [f"seat{name}.cards" if isinstance(name, int) else name for name in DEAL_ORDER[honest.game.name]]
    areas = [e.area for e in honest.events() if isinstance(e, CardPlaced)]
    six = [f"six_cards.{place}" for place in (1, 2, 3)]
    while areas:
        if areas[:3] == six:
            del areas[:3]
        assert areas[: len(wanted)] == wanted
        del areas[: len(wanted)]


def test_seats_are_settled_from_the_highest(honest: Recording) -> None:
    order: list[int] = []
    for event in honest.events():
        if event.kind == "no_more_bets":
            order = []
        if isinstance(event, CardTurned) and event.face is Face.UP and event.area.startswith("seat"):
            order.append(int(event.area[4]))
            assert order == sorted(order, reverse=True)


def test_the_law_settles_what_the_dealer_pays(honest: Recording) -> None:
    """Every honest round pays and collects what `pitwatch settle` says of it: chips counted from the events."""
    if honest.game.name == "raise_it_up":
        pytest.skip("its settlement is the simulator's own; compared in test_play_settle.py")
    rng = np.random.default_rng(77)
    for _ in range(20):
        facts, script = plan_round(honest.game, rng, (1, 3, 6), None)
        owed = {(seat, w): cents for seat, own in honest.game.owed(facts).items() for w, cents in own.items()}
        paid = {(s.act.seat, s.act.wager): s.act.cents for s in script if isinstance(s.act, Pay)}
        assert paid == {key: cents for key, cents in owed.items() if cents}


def test_wagers_are_placed_and_later_leave(honest: Recording) -> None:
    placed = Counter(e.area for e in honest.events() if isinstance(e, WagerPlaced))
    removed = Counter(e.area for e in honest.events() if isinstance(e, WagerRemoved))
    assert placed == removed


def test_chips_for_uses_the_fewest_chips() -> None:
    assert chips_for(18_600) == ("black", "green", "green", "green", "red", "red", "white")
    assert chips_for(600) == ("red", "white")
    with pytest.raises(ValueError, match="50 cents"):
        chips_for(150)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("name", list(GAMES))
def test_no_wager_or_payout_needs_more_chips_than_fit(name: str, seed: int) -> None:
    _, script = plan_round(game_of(name), np.random.default_rng(seed), (1, 2, 4, 5), None)
    for step in script:
        if isinstance(step.act, Pay):
            assert 1 <= len(chips_for(step.act.cents)) <= MAX_CHIPS


@pytest.mark.parametrize("name", list(GAMES))
def test_an_honest_script_collects_or_pays_each_wager_once(name: str) -> None:
    game = game_of(name)
    facts = game.draw(np.random.default_rng(8), (1, 2, 3), game.paytables)
    script = game.write(facts)
    collected = [(s.act.seat, w) for s in script if isinstance(s.act, Collect) for w in s.act.wagers]
    paid = [(s.act.seat, s.act.wager) for s in script if isinstance(s.act, Pay)]
    assert len(set(collected + paid)) == len(collected + paid)
    law = game_law(name)
    cards = sum(isinstance(s.act, DealCard) for s in script)
    assert cards == 3 * law.player_cards + sum(len(shared) for shared in facts.shared.values())
    assert sum(isinstance(s.act, TurnCommunity) for s in script) == law.community_cards


KINDS = [(game, plant) for game in GAMES for plant in plants_of(game)]


@pytest.mark.parametrize(("name", "plant"), KINDS)
def test_every_plant_is_found_by_the_engine_and_nothing_else(name: str, plant: str) -> None:
    """The truth's events alone lead the engine to exactly the planted mistake."""
    recording = play_rounds(name, 2, 40, [plant])
    findings, rounds = judged(recording)
    breaches = {(f.check_id, rounds.get(f.round_id or ""), f.seat) for f in findings if f.verdict is Verdict.BREACH}
    required = {(e.check_id, n, e.seat) for n, e, _ in recording.findings if e.required}
    allowed = {(e.check_id, n, e.seat) for n, e, _ in recording.findings}
    assert required
    assert required <= breaches <= allowed
    assert {check for check, _, _ in required} <= set(plants_of(name)[plant].checks)


OTHER_WAYS = [
    (game, dealing, plant)
    for game in GAMES
    for dealing, plants in {
        "hand": ("deal_out_of_order", "card_face_up", "short_pay"),
        "automated_shoe": ("deal_out_of_order", "extra_card", "loser_paid"),
    }.items()
    for plant in (None, *plants)
]


@pytest.mark.parametrize(("name", "dealing", "plant"), OTHER_WAYS)
def test_cards_dealt_from_the_hand_and_in_stacks_are_judged_too(name: str, dealing: str, plant: str | None) -> None:
    recording = play_rounds(name, 2, 46, [plant] if plant else [], dealing=dealing)
    findings, rounds = judged(recording)
    breaches = {(f.check_id, rounds.get(f.round_id or ""), f.seat) for f in findings if f.verdict is Verdict.BREACH}
    required = {(e.check_id, n, e.seat) for n, e, _ in recording.findings if e.required}
    assert bool(required) == (plant is not None)
    assert required <= breaches <= {(e.check_id, n, e.seat) for n, e, _ in recording.findings}
    assert len(rounds) == 2


@pytest.mark.parametrize("name", list(GAMES))
def test_an_automated_shoe_deals_stacks(name: str) -> None:
    law = game_law(name)
    recording = play_rounds(name, 1, 3, seats=(2, 5), dealing="automated_shoe")
    stacks = [e for e in recording.events() if isinstance(e, StackPlaced) and e.area != "discard_rack"]
    assert [(e.area, e.count) for e in stacks[:2]] == [(f"seat{seat}.cards", law.player_cards) for seat in (2, 5)]
    assert all(e.count in (3, 5) for e in stacks[2:])
    assert not [
        e for e in recording.events() if isinstance(e, CardPlaced) and e.area.startswith("seat") and e.face is Face.DOWN
    ]


@pytest.mark.parametrize("name", list(GAMES))
def test_a_card_too_many_in_a_stack_is_wanted_when_the_hand_is_laid_out(name: str) -> None:
    """Nobody above the table can count a stack; the finding's moment is that of the cards side by side."""
    for seed in range(46, 52):
        recording = play_rounds(name, 1, seed, ["extra_card"], dealing="automated_shoe")
        ((_, wanted, at_s),) = [found for found in recording.findings if found[1].required]
        shown = [
            event.t_s
            for event in recording.events()
            if isinstance(event, CardPlaced) and event.face is Face.UP and event.area == f"seat{wanted.seat}.cards"
        ]
        assert len(shown) == game_law(name).player_cards + 1
        assert shown[-1] <= at_s < shown[-1] + 2.0


@pytest.mark.parametrize("plant", ["hole_card_up", "up_card_down", "dealer_extra_card"])
def test_no_card_of_the_dealer_lies_wholly_on_another_when_he_has_shown_them(plant: str) -> None:
    for seed in range(4):
        played = play_rounds("caribbean_stud", 1, seed, (plant,), seats=(1, 3))
        shown = max(e.t_s for e in played.events() if isinstance(e, CardTurned) and e.area.startswith("dealer"))
        scene = played.stage.moment(shown + 0.2, played.places).scene()
        dealer = [area.center_mm for area in played.layout.areas if area.name.startswith("dealer")]
        near = [
            np.array(c.center_mm)
            for c in scene.cards
            if min(np.hypot(*np.subtract(c.center_mm, d)) for d in dealer) < 60
        ]
        assert len(near) >= 5
        assert min(np.hypot(*(a - b)) for i, a in enumerate(near) for b in near[:i]) > 15.0


def test_a_plant_for_single_cards_is_refused_for_stacks() -> None:
    with pytest.raises(SimulationError, match="not with dealing automated_shoe"):
        play_rounds("dj_wild", 1, 1, ["round_robin"], dealing="automated_shoe")
    with pytest.raises(SimulationError, match="must be one of manual_shoe, hand, automated_shoe"):
        play_rounds("dj_wild", 1, 1, dealing="robot")


def judged(recording: Recording) -> tuple[list[Finding], dict[str, int]]:
    """Findings on the truth's events, and the numbers of the rounds by their ids."""
    engine = Engine(TableConfig.from_mapping(table_mapping(recording)))
    findings = [*engine.feed_all(recording.events()), *engine.close()]
    return findings, {record.round_id: i + 1 for i, record in enumerate(engine.rounds)}


def test_honest_rounds_lead_to_no_breach(honest: Recording) -> None:
    findings, rounds = judged(honest)
    assert not [f for f in findings if f.verdict is Verdict.BREACH]
    assert len(rounds) == 3


@pytest.mark.parametrize("name", list(GAMES))
def test_plants_name_checks_of_the_rulebook(name: str) -> None:
    known = set(catalogue(name))
    for kind in plants_of(name).values():
        assert set(kind.checks) <= known


@pytest.mark.parametrize("name", list(GAMES))
def test_a_game_has_at_least_eight_kinds_of_mistakes(name: str) -> None:
    assert len(plants_of(name)) >= 8
    for kind in plants_of(name).values():
        assert kind.checks
        assert all(check.startswith(f"{game_of(name).prefix}-") for check in kind.checks)


def test_every_plant_is_documented() -> None:
    text = (Path(__file__).parents[2] / "docs" / "simulator.md").read_text(encoding="utf-8")
    for name, plant in KINDS:
        kind = plants_of(name)[plant]
        assert f"| {name} | `{kind.name}` | {kind.text} | {', '.join(kind.checks)} |" in text
