"""Mistakes planted into simulated rounds that more than one game knows: what goes wrong, and which check reports it.

Each plant takes an honest round and gives back its script with the mistake in it, or None where the round has no
place for it; `plan_round` then draws another round. A round carries one plant at most.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from datasets.play.chips import COLORS, payable
from datasets.play.facts import RoundFacts, SeatFacts
from datasets.play.script import (
    Act,
    Collect,
    DealCard,
    DealStack,
    Expected,
    LateBet,
    NoMoreBets,
    Pay,
    Placement,
    PlaceWagers,
    Play,
    RackStub,
    RevealHand,
    RevealShared,
    Script,
    Step,
    TakeBack,
    find,
)  # fmt: skip

if TYPE_CHECKING:
    from datasets.play.games.base import Game


def expected(game: Game, name: str, seat: int | None = None) -> tuple[Expected, ...]:
    """The finding of a check, with those that may follow from it."""
    follows = [game.check(other) for other in game.follows.get(name, ())]
    seats = (seat,) if seat is None else (seat, None)
    more = (Expected(check, whose, required=False) for check in follows for whose in seats)
    return (Expected(game.check(name), seat), *more)


def pick(options: list[int], rng: np.random.Generator) -> int | None:
    """One of the options, None where there is none."""
    return int(rng.choice(options)) if options else None


def _is_seat_deal(act: Act) -> bool:
    return isinstance(act, DealCard | DealStack) and act.area.startswith("seat")


def _seat_of(act: Act) -> int:
    assert isinstance(act, DealCard | DealStack)
    return int(act.area.split(".")[0].removeprefix("seat"))


def _stacked(facts: RoundFacts) -> set[tuple[int, str]]:
    return {(s.seat, wager) for s in facts.seats for wager in s.stacked}


def deal_out_of_order(game: Game, facts: RoundFacts, rng: np.random.Generator) -> Script | None:
    """Two seats are served in the wrong order in one pass."""
    if len(facts.seats) < 2:
        return None
    script = game.write(facts)
    deals = find(script, _is_seat_deal)
    n = len(facts.seats)
    if game.dealing == "automated_shoe":
        first = int(rng.integers(n - 1))
        a, b = deals[first : first + 1], deals[first + 1 : first + 2]
    elif game.passes:
        first = int(rng.integers(game.hand_cards)) * n + int(rng.integers(n - 1))
        a, b = deals[first : first + 1], deals[first + 1 : first + 2]
    else:
        first = int(rng.integers(n - 1))
        own = [i for i in deals if _seat_of(script[i].act) == facts.seats[first].seat]
        a, b = own, [i for i in deals if _seat_of(script[i].act) == facts.seats[first + 1].seat]
    found = expected(game, game.deal_order, facts.seats[first % n + 1].seat)
    late, early = [script[i].act for i in a], [script[i].act for i in b]
    for i, act in zip((*a, *b), (*early, *late), strict=True):
        script[i] = Step(act)
    # What went wrong is known once the seat that comes too early has its first card.
    script[a[0]] = Step(script[a[0]].act, found)
    return script


def _mispaid(game: Game, facts: RoundFacts, rng: np.random.Generator, *, short: bool) -> Script | None:
    script = game.write(facts)
    stacked = _stacked(facts)
    pays = find(script, lambda act: isinstance(act, Pay) and (act.seat, act.wager) not in stacked)
    options: list[tuple[int, int]] = []
    for i in pays:
        act = script[i].act
        assert isinstance(act, Pay)
        for value in COLORS.values():
            cents = act.cents - value if short else act.cents + value
            if value <= act.cents and payable(cents):
                options.append((i, cents))
    if not options:
        return None
    i, cents = options[int(rng.integers(len(options)))]
    act = script[i].act
    assert isinstance(act, Pay)
    script[i] = Step(replace(act, cents=cents), (_payout_check(game, facts, act.seat, act.wager),))
    return script


def _payout_check(game: Game, facts: RoundFacts, seat: int, wager: str) -> Expected:
    return Expected(game.check_of(facts, facts.seat(seat), wager), seat)


def short_pay(game: Game, facts: RoundFacts, rng: np.random.Generator) -> Script | None:
    """A winner gets too little."""
    return _mispaid(game, facts, rng, short=True)


def over_pay(game: Game, facts: RoundFacts, rng: np.random.Generator) -> Script | None:
    """A winner gets too much."""
    return _mispaid(game, facts, rng, short=False)


def wrong_settle_order(game: Game, facts: RoundFacts, rng: np.random.Generator) -> Script | None:
    """Two neighbours are settled in the wrong order."""
    script = game.write(facts)
    starts = find(script, lambda act: isinstance(act, RevealHand))
    if len(starts) < 2:
        return None
    k = int(rng.integers(len(starts) - 1))
    a, b = starts[k], starts[k + 1]
    end = starts[k + 2] if k + 2 < len(starts) else len(script) - 1
    if any(isinstance(step.act, RevealShared) for step in script[a:end]):
        return None
    act = script[b].act
    assert isinstance(act, RevealHand)
    moved = [Step(act, expected(game, "SET-ORDER", act.seat)), *script[b + 1 : end]]
    return [*script[:a], *moved, *script[a:b], *script[end:]]


def card_face_up(game: Game, facts: RoundFacts, rng: np.random.Generator) -> Script | None:
    """A player's card is dealt face up and left with the hand."""
    script = game.write(facts)
    i = pick(find(script, _is_seat_deal), rng)
    assert i is not None
    act = script[i].act
    assert isinstance(act, DealCard)
    script[i] = Step(replace(act, face_up=True), expected(game, "MS-DOWN", _seat_of(act)))
    return script


def stub_exposed(game: Game, facts: RoundFacts, rng: np.random.Generator) -> Script | None:
    """What is left of the deck is racked with a card of it face up."""
    script = game.write(facts)
    i = find(script, lambda act: isinstance(act, RackStub))[0]
    script[i] = Step(RackStub(facts.stub[-1]), expected(game, "MS-STUB-RACK"))
    return script


def extra_card(game: Game, facts: RoundFacts, rng: np.random.Generator) -> Script | None:
    """A seat gets a card too many and play goes on; one in a stack is seen when the hand is laid out."""
    script = game.write(facts)
    laid_out = {step.act.seat: i for i, step in enumerate(script) if isinstance(step.act, RevealHand)}
    in_stacks = any(isinstance(step.act, DealStack) for step in script)
    seat = pick([s.seat for s in facts.seats if not in_stacks or s.seat in laid_out], rng)
    if seat is None:
        return None
    found = expected(game, "IRR-COUNT", seat)
    last = find(script, lambda act: _is_seat_deal(act) and _seat_of(act) == seat)[-1]
    stack = script[last].act
    if isinstance(stack, DealStack):
        script[last] = Step(replace(stack, cards=(*stack.cards, facts.stub[-1])))
        script[laid_out[seat]] = Step(script[laid_out[seat]].act, found)
        return script
    script.insert(last + 1, Step(DealCard(facts.stub[0], f"seat{seat}.cards"), found))
    return script


def late_bet(game: Game, facts: RoundFacts, rng: np.random.Generator) -> Script | None:
    """A player adds to a wager after "no more bets"; the dealer settles what lies there."""
    options = [
        (s, wager)
        for s in facts.seats
        for wager in game.sides
        if s.wagers.get(wager) in (500, 1000) and wager not in s.stacked
    ]
    if not options:
        return None
    seat, wager = options[int(rng.integers(len(options)))]
    before = seat.wagers[wager]
    script = game.write(facts.with_seat(seat.with_wager(wager, 2 * before)))
    placed = script[0].act
    assert isinstance(placed, PlaceWagers)
    target = Placement(seat.seat, wager, 2 * before)
    honest = tuple(replace(p, cents=before) if p == target else p for p in placed.placements)
    script[0] = Step(PlaceWagers(honest))
    deals = find(script, lambda act: isinstance(act, DealCard | DealStack))
    i = deals[int(rng.integers(1, min(6, len(deals))))]
    script.insert(i, Step(LateBet(Placement(seat.seat, wager, before)), expected(game, "WAG-LOCK", seat.seat)))
    return script


def _losing(game: Game, facts: RoundFacts, script: Script) -> list[tuple[int, str]]:
    """Steps that collect at settlement with each wager they take; none that was put down as a stack."""
    stacked = _stacked(facts)
    return [
        (i, wager)
        for i, step in enumerate(script)
        if isinstance(step.act, Collect) and _settling(script, i, step.act.seat)
        for wager in step.act.wagers
        if (step.act.seat, wager) not in stacked
    ]


def _stakes(game: Game, facts: RoundFacts, script: Script) -> Mapping[tuple[int, str], int]:
    out = {(s.seat, wager): cents for s in facts.seats for wager, cents in s.wagers.items()}
    for step in script:
        if isinstance(step.act, Play):
            out[step.act.placement.seat, step.act.placement.wager] = step.act.placement.cents
    return out


def _not_collected(script: Script, i: int, wager: str, instead: list[Step]) -> Script:
    """The script in which step `i` leaves one wager out; its player takes what is left back at the end."""
    act = script[i].act
    assert isinstance(act, Collect)
    rest = tuple(w for w in act.wagers if w != wager)
    script[i : i + 1] = [*([Step(Collect(act.seat, rest))] if rest else []), *instead]
    if not find(script, lambda other: other == TakeBack(act.seat)):
        later = (j for j in range(i + 1, len(script)) if isinstance(script[j].act, RevealHand))
        script.insert(next(later, len(script) - 1), Step(TakeBack(act.seat)))
    return script


def loser_paid(game: Game, facts: RoundFacts, rng: np.random.Generator) -> Script | None:
    """A losing wager is paid even money."""
    script = game.write(facts)
    stake = _stakes(game, facts, script)
    options = [
        (i, wager)
        for i, wager in _losing(game, facts, script)
        if payable(stake[script[i].act.seat, wager])  # type: ignore[union-attr]
    ]
    if not options:
        return None
    i, wager = options[int(rng.integers(len(options)))]
    act = script[i].act
    assert isinstance(act, Collect)
    paid = Step(Pay(act.seat, wager, stake[act.seat, wager]), (_payout_check(game, facts, act.seat, wager),))
    return _not_collected(script, i, wager, [paid])


def loser_left(game: Game, facts: RoundFacts, rng: np.random.Generator) -> Script | None:
    """A losing wager is not collected, and its player takes it back."""
    script = game.write(facts)
    options = _losing(game, facts, script)
    if not options:
        return None
    i, wager = options[int(rng.integers(len(options)))]
    act = script[i].act
    assert isinstance(act, Collect)
    found = (_payout_check(game, facts, act.seat, wager),)
    script = _not_collected(script, i, wager, [])
    j = find(script, lambda other: other == TakeBack(act.seat))[0]
    script[j] = Step(script[j].act, found)
    return script


def _settling(script: Script, i: int, seat: int) -> bool:
    """Whether this step lies after the seat's cards were turned, so that it settles and is not a fold."""
    return any(step.act == RevealHand(seat) for step in script[:i])


def winner_collected(game: Game, facts: RoundFacts, rng: np.random.Generator) -> Script | None:
    """A winning wager is taken instead of paid."""
    script = game.write(facts)
    i = pick(find(script, lambda act: isinstance(act, Pay)), rng)
    if i is None:
        return None
    act = script[i].act
    assert isinstance(act, Pay)
    script[i] = Step(Collect(act.seat, (act.wager,)), (_payout_check(game, facts, act.seat, act.wager),))
    return script


def push_collected(game: Game, facts: RoundFacts, rng: np.random.Generator) -> Script | None:
    """A wager that neither wins nor loses is taken."""
    script = game.write(facts)
    stacked = _stacked(facts)
    pushes = [
        (seat, wager)
        for seat, wagers in game.owed(facts).items()
        for wager, cents in wagers.items()
        if cents == 0 and (seat, wager) not in stacked
    ]
    if not pushes:
        return None
    seat, wager = pushes[int(rng.integers(len(pushes)))]
    start = find(script, lambda act: act == RevealHand(seat))[0]
    base = [
        i
        for i in find(script, lambda act: getattr(act, "seat", None) == seat)
        if i > start and _wagers(script[i].act) - set(game.sides)
    ]
    found = (_payout_check(game, facts, seat, wager),)
    script.insert(max(base, default=start) + 1, Step(Collect(seat, (wager,)), found))
    return script


def deal_before_no_more_bets(game: Game, facts: RoundFacts, rng: np.random.Generator) -> Script | None:
    """The first cards leave the shoe before "no more bets"."""
    script = game.write(facts)
    script[1], script[2] = Step(script[2].act, expected(game, "MS-NMB")), script[1]
    return script


def blind_not_equal(game: Game, facts: RoundFacts, rng: np.random.Generator) -> Script | None:
    """A seat is dealt to although its Blind is not its Ante; the dealer settles it as it lies."""
    seats = [s for s in facts.seats if not s.stacked & {"ante", "blind"}]
    if not seats:
        return None
    seat = seats[int(rng.integers(len(seats)))]
    amounts = [cents for cents in (500, 1000, 1500, 2000, 2500, 5000) if cents != seat.wagers["ante"]]
    changed = seat.with_wager("blind", int(rng.choice(amounts)))
    corrected = frozenset(key for key in facts.corrected if key[0] != seat.seat)
    script = game.write(replace(facts.with_seat(changed), corrected=corrected))
    return at_no_more_bets(script, expected(game, "BLIND-EQ", seat.seat))


def at_no_more_bets(script: Script, found: tuple[Expected, ...]) -> Script:
    """A script in which these findings can be seen at "no more bets"."""
    return [Step(step.act, found) if isinstance(step.act, NoMoreBets) else step for step in script]


def wrong_multiple(check: str, times: tuple[float, ...]) -> Callable[..., Script | None]:
    """The plant of a Bet or Raise that is not twice the Ante but one of these multiples."""

    def apply(game: Game, facts: RoundFacts, rng: np.random.Generator) -> Script | None:
        seats: list[SeatFacts] = [s for s in facts.seats if s.made and not s.stacked]
        if not seats:
            return None
        seat = seats[int(rng.integers(len(seats)))]
        amounts = [int(t * seat.wagers["ante"]) for t in times]
        amounts = [cents for cents in amounts if payable(cents)]
        if not amounts:
            return None
        changed = replace(seat, made=amounts[int(rng.integers(len(amounts)))])
        script = game.write(facts.with_seat(changed))
        i = find(script, lambda act: isinstance(act, Play) and act.placement.seat == seat.seat)[0]
        script[i] = Step(script[i].act, expected(game, check, seat.seat))
        return script

    return apply


def dealer_shown_early(game: Game, facts: RoundFacts, rng: np.random.Generator) -> Script | None:
    """The dealer's cards are shown before the last seat has decided, which then still makes its wager."""
    script = game.write(facts)
    i = find(script, lambda act: isinstance(act, RevealShared))[0]
    plays = [k for k in find(script, lambda act: isinstance(act, Play)) if k < i]
    decided = find(script, lambda act: type(act).__name__ in ("Play", "Fold"))
    if not plays or plays[-1] != decided[-1] or len(plays) < 2:
        return None
    late = script[plays[-1]]
    shown = Step(script[i].act, expected(game, "REVEAL-WHEN"))
    return [*script[: plays[-1]], *script[plays[-1] + 1 : i], shown, late, *script[i + 1 :]]


def wager_order(game: Game, facts: RoundFacts, rng: np.random.Generator) -> Script | None:
    """A side wager is settled before the wagers that come first."""
    script = game.write(facts)
    options: list[tuple[int, int]] = []
    for start in find(script, lambda act: isinstance(act, RevealHand)):
        own = [start]
        while start + len(own) < len(script) and isinstance(script[start + len(own)].act, Collect | Pay):
            own.append(start + len(own))
        side = [i for i in own[1:] if _wagers(script[i].act) & set(game.sides)]
        if side and side[0] > own[0] + 1:
            options.append((start, side[0]))
    if not options:
        return None
    start, i = options[int(rng.integers(len(options)))]
    act = script[start].act
    assert isinstance(act, RevealHand)
    moved = script.pop(i)
    script.insert(start + 1, moved)
    script[start + 2] = Step(script[start + 2].act, expected(game, "SET-WSEQ", act.seat))
    return script


def _wagers(act: Act) -> set[str]:
    if isinstance(act, Collect):
        return set(act.wagers)
    return {act.wager} if isinstance(act, Pay) else set()
