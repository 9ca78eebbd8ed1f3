"""Mistakes planted into simulated rounds: what goes wrong and which checks of the rulebook must report it.

Each plant takes an honest round and gives back its script with the mistake in it, or None where the round has no
place for it; `plan_round` then draws another round. A round carries one plant at most.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from datasets.play.script import (
    STREETS,
    Act,
    Check,
    Collect,
    DealCard,
    Expected,
    LateBet,
    NoMoreBets,
    Pay,
    Placement,
    PlaceWagers,
    Play,
    RevealHand,
    RoundFacts,
    SeatFacts,
    Step,
    TakeBack,
    TurnCommunity,
    draw_round,
    write_script,
)  # fmt: skip

CHECK_OF_WAGER = {
    "pair_plus": "RIU-SET-PP", "ante": "RIU-SET-ANTE", "play": "RIU-SET-PLAY", "blind": "RIU-SET-BLIND",
    "six_card_bonus": "RIU-SET-SCB",
}  # fmt: skip
"""The check that judges the payout of each wager."""
COLORS = {"white": 100, "red": 500, "green": 2500, "black": 10000, "purple": 50000, "orange": 100000}
"""The simulated tables' chip set, cents per colour."""
MAX_CHIPS = 4
"""Chips of one wager or payout at most, so that they lie in one row of an area."""

Script = list[Step]
Plant = Callable[[RoundFacts, np.random.Generator], Script | None]


@dataclass(frozen=True, slots=True)
class PlantKind:
    """A kind of mistake: its name, what goes wrong, the checks it must lead to (one of them per round)."""

    name: str
    text: str
    checks: tuple[str, ...]
    apply: Plant


def chips_for(cents: int) -> tuple[str, ...]:
    """Colours of the fewest chips that make an amount, highest first.

    Raises:
        ValueError: the amount is no sum of chips.
    """
    out: list[str] = []
    for color, value in sorted(COLORS.items(), key=lambda item: -item[1]):
        count, cents = divmod(cents, value)
        out += [color] * count
    if cents:
        raise ValueError(
            f"no chips make the remaining {cents} cents; the smallest chip is worth {min(COLORS.values())}"
        )
    return tuple(out)


def _payable(cents: int) -> bool:
    return cents > 0 and cents % min(COLORS.values()) == 0 and len(chips_for(cents)) <= MAX_CHIPS


def _find(script: Script, wanted: Callable[[Act], bool]) -> list[int]:
    return [i for i, step in enumerate(script) if wanted(step.act)]


def _pick(options: list[int], rng: np.random.Generator) -> int | None:
    return int(rng.choice(options)) if options else None


def _deal_out_of_order(facts: RoundFacts, rng: np.random.Generator) -> Script | None:
    """Two seats are served in the wrong order in one pass."""
    if len(facts.seats) < 2:
        return None
    script = write_script(facts)
    deals = _find(script, lambda act: isinstance(act, DealCard) and act.area.startswith("seat"))
    n = len(facts.seats)
    first = int(rng.integers(3)) * n + int(rng.integers(n - 1))
    a, b = deals[first], deals[first + 1]
    late, early = script[a].act, script[b].act
    seat = facts.seats[first % n + 1].seat
    script[a] = Step(early, (Expected("RIU-MS-ORDER", seat),))
    script[b] = Step(late)
    return script


def _early_reveal(facts: RoundFacts, rng: np.random.Generator) -> Script | None:
    """A community card is turned before the last seat has decided, which then still acts."""
    script = write_script(facts)
    options = []
    for street, box in enumerate(STREETS, start=1):
        i = next(k for k, step in enumerate(script) if step.act == TurnCommunity(f"community.{box}"))
        before = script[i - 1].act
        if isinstance(before, Check) or (street == 3 and isinstance(before, Play)):
            options.append((street, i))
    if not options:
        return None
    street, i = options[int(rng.integers(len(options)))]
    found = (Expected(f"RIU-C{street}-WHEN"), Expected("RIU-IRR-EXPOSED", required=False))
    script[i - 1], script[i] = Step(script[i].act, found), script[i - 1]
    return script


def _wrong_multiple(facts: RoundFacts, rng: np.random.Generator) -> Script | None:
    """A Play Wager of a multiple of the ante that its decision does not allow."""
    players = [s for s in facts.seats if not s.stacked & {"play", "ante"}]
    if not players:
        return None
    seat = players[int(rng.integers(len(players)))]
    street = int(rng.integers(1, 4))
    allowed = {1: (1.5, 4.0, 0.5), 2: (3.0, 1.5), 3: (2.0, 3.0)}[street]
    amounts = [int(m * seat.wagers.ante) for m in allowed]
    payable = [cents for cents in amounts if cents % 200 == 0 and _payable(cents)]
    if not payable:
        return None
    changed = replace(seat, street=street, play=payable[int(rng.integers(len(payable)))])
    script = write_script(facts.with_seat(changed))
    i = _find(script, lambda act: isinstance(act, Play) and act.placement.seat == seat.seat)[0]
    script[i] = Step(script[i].act, (Expected(f"RIU-PLAY-AMT-{street}", seat.seat),))
    return script


def _mispaid(facts: RoundFacts, rng: np.random.Generator, *, short: bool) -> Script | None:
    script = write_script(facts)
    stacked = {(s.seat, wager) for s in facts.seats for wager in s.stacked}
    pays = _find(script, lambda act: isinstance(act, Pay) and (act.seat, act.wager) not in stacked)
    options: list[tuple[int, int]] = []
    for i in pays:
        act = script[i].act
        assert isinstance(act, Pay)
        for value in COLORS.values():
            cents = act.cents - value if short else act.cents + value
            if value <= act.cents and _payable(cents):
                options.append((i, cents))
    if not options:
        return None
    i, cents = options[int(rng.integers(len(options)))]
    act = script[i].act
    assert isinstance(act, Pay)
    script[i] = Step(replace(act, cents=cents), (Expected(CHECK_OF_WAGER[act.wager], act.seat),))
    return script


def _short_pay(facts: RoundFacts, rng: np.random.Generator) -> Script | None:
    return _mispaid(facts, rng, short=True)


def _over_pay(facts: RoundFacts, rng: np.random.Generator) -> Script | None:
    return _mispaid(facts, rng, short=False)


def _blind_not_equal(facts: RoundFacts, rng: np.random.Generator) -> Script | None:
    """A seat is dealt to although its Blind is not its Ante; the dealer settles it as it lies."""
    seats = [s for s in facts.seats if not s.stacked & {"ante", "blind"}]
    if not seats:
        return None
    seat = seats[int(rng.integers(len(seats)))]
    amounts = [cents for cents in (500, 1000, 1500, 2000, 2500, 5000) if cents != seat.wagers.ante]
    changed = replace(seat, wagers=replace(seat.wagers, blind=int(rng.choice(amounts))))
    corrected = frozenset(key for key in facts.corrected if key[0] != seat.seat)
    script = write_script(replace(facts.with_seat(changed), corrected=corrected))
    found = Expected("RIU-BLIND-EQ", seat.seat)
    return [Step(step.act, (found,)) if isinstance(step.act, NoMoreBets) else step for step in script]


def _wrong_box(facts: RoundFacts, rng: np.random.Generator) -> Script | None:
    """Two community cards are turned in each other's box."""
    script = write_script(facts)
    turns = _find(script, lambda act: isinstance(act, TurnCommunity))
    a, b = ((0, 1), (1, 2), (0, 2))[int(rng.integers(3))]
    first, second = script[turns[a]].act, script[turns[b]].act
    script[turns[a]] = Step(second, (Expected(f"RIU-C{a + 1}-PLACE"),))
    script[turns[b]] = Step(first, (Expected(f"RIU-C{b + 1}-PLACE"),))
    return script


def _wrong_settle_order(facts: RoundFacts, rng: np.random.Generator) -> Script | None:
    """Two neighbours are settled in the wrong order."""
    script = write_script(facts)
    starts = _find(script, lambda act: isinstance(act, RevealHand))
    if len(starts) < 2:
        return None
    k = int(rng.integers(len(starts) - 1))
    a, b = starts[k], starts[k + 1]
    end = starts[k + 2] if k + 2 < len(starts) else len(script) - 1
    act = script[b].act
    assert isinstance(act, RevealHand)
    moved = [Step(act, (Expected("RIU-SET-ORDER", act.seat),)), *script[b + 1 : end]]
    return [*script[:a], *moved, *script[a:b], *script[end:]]


def _card_face_up(facts: RoundFacts, rng: np.random.Generator) -> Script | None:
    """A player's card is dealt face up and left with the hand."""
    script = write_script(facts)
    i = _pick(_find(script, lambda act: isinstance(act, DealCard) and act.area.startswith("seat")), rng)
    assert i is not None
    act = script[i].act
    assert isinstance(act, DealCard)
    seat = int(act.area.split(".")[0].removeprefix("seat"))
    found = (Expected("RIU-MS-DOWN", seat), Expected("RIU-IRR-FACEUP-1", seat, required=False))
    script[i] = Step(replace(act, face_up=True), found)
    return script


def _extra_card(facts: RoundFacts, rng: np.random.Generator) -> Script | None:
    """A seat gets a fourth card and play goes on."""
    script = write_script(facts)
    seat = facts.seats[int(rng.integers(len(facts.seats)))].seat
    last = _find(script, lambda act: isinstance(act, DealCard) and act.area == f"seat{seat}.cards")[-1]
    found = (Expected("RIU-IRR-COUNT", seat), Expected("RIU-MS-ORDER", seat, required=False))
    script.insert(last + 1, Step(DealCard(facts.stub[0], f"seat{seat}.cards"), found))
    return script


def _late_bet(facts: RoundFacts, rng: np.random.Generator) -> Script | None:
    """A player adds to a wager after "no more bets"; the dealer settles what lies there."""
    options = [
        (s, wager)
        for s in facts.seats
        for wager in ("pair_plus", "six_card_bonus")
        if getattr(s.wagers, wager) in (500, 1000) and wager not in s.stacked
    ]
    if not options:
        return None
    seat, wager = options[int(rng.integers(len(options)))]
    before = getattr(seat.wagers, wager)
    changed = replace(seat, wagers=replace(seat.wagers, **{wager: 2 * before}))
    script = write_script(facts.with_seat(changed))
    placed = script[0].act
    assert isinstance(placed, PlaceWagers)
    target = Placement(seat.seat, wager, 2 * before)
    honest = tuple(replace(p, cents=before) if p == target else p for p in placed.placements)
    script[0] = Step(PlaceWagers(honest))
    deals = _find(script, lambda act: isinstance(act, DealCard))
    i = deals[int(rng.integers(1, min(6, len(deals))))]
    script.insert(i, Step(LateBet(Placement(seat.seat, wager, before)), (Expected("RIU-WAG-LOCK", seat.seat),)))
    return script


def _loser_paid(facts: RoundFacts, rng: np.random.Generator) -> Script | None:
    """A losing wager is paid even money."""
    script = write_script(facts)
    stake = {
        (s.seat, wager): cents for s in facts.seats for wager, cents in (*s.wagers.placed().items(), ("play", s.play))
    }
    stacked = {(s.seat, wager) for s in facts.seats for wager in s.stacked}
    options = [
        (i, wager)
        for i, step in enumerate(script)
        if isinstance(step.act, Collect) and _settling(script, i, step.act.seat)
        for wager in step.act.wagers
        if (step.act.seat, wager) not in stacked and _payable(stake[step.act.seat, wager])
    ]
    if not options:
        return None
    i, wager = options[int(rng.integers(len(options)))]
    act = script[i].act
    assert isinstance(act, Collect)
    check = "RIU-SET-BASE-L" if wager in ("ante", "blind", "play") else CHECK_OF_WAGER[wager]
    paid = Step(Pay(act.seat, wager, stake[act.seat, wager]), (Expected(check, act.seat),))
    rest = tuple(w for w in act.wagers if w != wager)
    script[i : i + 1] = [*([Step(Collect(act.seat, rest))] if rest else []), paid]
    if not _find(script, lambda other: other == TakeBack(act.seat)):
        end = next((j for j in range(i + 1, len(script)) if isinstance(script[j].act, RevealHand)), len(script) - 1)
        script.insert(end, Step(TakeBack(act.seat)))
    return script


def _settling(script: Script, i: int, seat: int) -> bool:
    """Whether this step lies after the seat's cards were turned, so that it settles and is not a fold."""
    return any(step.act == RevealHand(seat) for step in script[:i])


def _winner_collected(facts: RoundFacts, rng: np.random.Generator) -> Script | None:
    """A winning wager is taken instead of paid."""
    script = write_script(facts)
    i = _pick(_find(script, lambda act: isinstance(act, Pay)), rng)
    if i is None:
        return None
    act = script[i].act
    assert isinstance(act, Pay)
    script[i] = Step(Collect(act.seat, (act.wager,)), (Expected(CHECK_OF_WAGER[act.wager], act.seat),))
    return script


def _deal_before_no_more_bets(facts: RoundFacts, rng: np.random.Generator) -> Script | None:
    """The first cards leave the shoe before "no more bets"."""
    script = write_script(facts)
    script[1], script[2] = Step(script[2].act, (Expected("RIU-MS-NMB"),)), script[1]
    return script


PLANTS: Mapping[str, PlantKind] = {
    kind.name: kind
    for kind in (
        PlantKind("deal_out_of_order", "two seats dealt in the wrong order", ("RIU-MS-ORDER",), _deal_out_of_order),
        PlantKind(
            "early_reveal", "a community card turned before every seat has decided",
            ("RIU-C1-WHEN", "RIU-C2-WHEN", "RIU-C3-WHEN"), _early_reveal,
        ),
        PlantKind(
            "wrong_multiple", "a Play Wager of a multiple that is not allowed",
            ("RIU-PLAY-AMT-1", "RIU-PLAY-AMT-2", "RIU-PLAY-AMT-3"), _wrong_multiple,
        ),
        PlantKind("short_pay", "a winner paid too little", tuple(CHECK_OF_WAGER.values()), _short_pay),
        PlantKind("over_pay", "a winner paid too much", tuple(CHECK_OF_WAGER.values()), _over_pay),
        PlantKind("blind_not_equal", "a Blind that is not the Ante", ("RIU-BLIND-EQ",), _blind_not_equal),
        PlantKind(
            "wrong_box", "a community card turned in the wrong box",
            ("RIU-C1-PLACE", "RIU-C2-PLACE", "RIU-C3-PLACE"), _wrong_box,
        ),
        PlantKind("wrong_settle_order", "two seats settled in the wrong order", ("RIU-SET-ORDER",), _wrong_settle_order),
        PlantKind("card_face_up", "a player's card dealt face up", ("RIU-MS-DOWN",), _card_face_up),
        PlantKind("extra_card", "a fourth card dealt to a seat, play goes on", ("RIU-IRR-COUNT",), _extra_card),
        PlantKind("late_bet", "a wager raised after no more bets", ("RIU-WAG-LOCK",), _late_bet),
        PlantKind(
            "loser_paid", "a losing wager paid", ("RIU-SET-BASE-L", "RIU-SET-PP", "RIU-SET-SCB"), _loser_paid
        ),
        PlantKind("winner_collected", "a winning wager taken", tuple(CHECK_OF_WAGER.values()), _winner_collected),
        PlantKind(
            "deal_before_no_more_bets", "dealing begun before no more bets", ("RIU-MS-NMB",), _deal_before_no_more_bets
        ),
    )
}  # fmt: skip
"""Every kind of mistake by name."""


def plan_round(
    rng: np.random.Generator, seats: Iterable[int], paytables: Mapping[str, str], plant: str | None
) -> tuple[RoundFacts, Script]:
    """A round with a plant, or an honest one; drawn again until it has a place for the plant and chips for its payouts.

    Raises:
        ValueError: the plant does not exist, or no round of these seats has a place for it.
    """
    numbers = tuple(seats)
    for _ in range(2000):
        facts = draw_round(rng, numbers, paytables)
        script = write_script(facts) if plant is None else PLANTS[plant].apply(facts, rng)
        if script is not None and _chips_fit(script) and (plant is None or _seen(facts, script)):
            return facts, script
    raise ValueError(f"no round with seats {numbers} has a place for the plant {plant!r}")


def _chips_fit(script: Script) -> bool:
    """Whether every wager, with what is added to it later, and every payout is few enough chips."""
    placements: list[Placement] = []
    payouts: list[int] = []
    for step in script:
        act = step.act
        if isinstance(act, PlaceWagers):
            placements += act.placements
        elif isinstance(act, Play | LateBet):
            placements.append(act.placement)
        elif isinstance(act, Pay):
            payouts.append(act.cents)
    if not all(_payable(cents) for cents in (*payouts, *(p.cents for p in placements))):
        return False
    rows: dict[tuple[int, str], list[int]] = {}
    for p in placements:
        rows.setdefault((p.seat, p.wager), []).append(len(chips_for(p.cents)))
    # A row that grows does not stay in the middle of its area, so there is room for one chip less.
    return all(sum(row) <= MAX_CHIPS - (len(row) > 1) for row in rows.values())


def _seen(facts: RoundFacts, script: Script) -> bool:
    """Whether no stack hides the amounts of the seats with which something is wrong."""
    wrong = {found.seat for step in script for found in step.findings}
    by_seat: Mapping[int, SeatFacts] = {s.seat: s for s in facts.seats}
    return not any(by_seat[seat].stacked for seat in wrong if seat is not None)
