"""Drawn rounds of the four games, as docs/settle.md describes them.

Every paytable, odd cents, hands at the edge of a line and of another, several who win a meter or an envy bonus, ties, folds,
withdrawn bets, payout limits, void rounds. The same seed draws the same rounds.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

from second_settlement import caribbean_stud, let_it_ride
from second_settlement.cards import DECK
from second_settlement.drawing import (
    FIVE_CARD_SHAPES,
    SIX_CARD_ROYAL,
    THREE_CARD_SHAPES,
    Deal,
    amount,
    balance,
    best_for_joker,
)
from second_settlement.paytables import MeterTerms

Round = dict[str, Any]


def drawn_rounds(game: str, seed: int, count: int) -> Iterator[Round]:
    """Rounds of a game (`669a`, `639a`, `643a`, `687a`)."""
    for number in range(count):
        rng = random.Random(f"{game} {seed} {number}")
        document = DRAW[game](rng) | {"id": f"{game}-{seed}-{number}", "game": game}
        if rng.random() < 0.04:
            document["void"] = {"reason": "drawn", "settle_bonus": rng.random() < 0.6}
        yield document


def _offered(rng: random.Random, choices: Mapping[str, str | Sequence[str]]) -> dict[str, str]:
    """A paytable for most of the wagers; the others are not offered."""
    return {wager: rng.choice(names) for wager, names in choices.items() if rng.random() < 0.9}


def _meters(rng: random.Random, paytables: Mapping[str, str], terms: MeterTerms) -> dict[str, int]:
    """What stands on the meters of the wagers that are offered, `terms` telling which they are."""
    meters: dict[str, int] = {}
    for wager, by_name in terms.items():
        offered = {"fchb": "five_card_hand_bonus"}.get(wager, wager)
        group = "fchb" if wager == "fchb" else "prog"
        if offered in paytables:
            meters |= {f"{group}.{meter}": balance(rng) for meter in by_name[paytables[offered]]}
    return meters


def _numbers(rng: random.Random, most: int) -> list[int]:
    """Numbers of the seats in play; a file may tell them in any order."""
    numbers = rng.sample(range(1, most + 1), rng.choice((1, 2, 3, most - 1, most)))
    return numbers if rng.random() < 0.3 else sorted(numbers)


def _placed(rng: random.Random, offered: Collection[str], amounts: Mapping[str, int | None]) -> dict[str, int]:
    """Some of the wagers that are offered, of the amount given or of any."""
    wagers = {}
    for wager, cents in amounts.items():
        if wager in offered and rng.random() < 0.7:
            wagers[wager] = cents or amount(rng)
    return wagers


def _ante_and_blind(rng: random.Random) -> dict[str, int]:
    """Equal, or seldom, against the law, a Blind that is paid as it lies."""
    ante = amount(rng)
    return {"ante": ante, "blind": ante if rng.random() < 0.97 else amount(rng)}


def _extras(rng: random.Random, paytables: Mapping[str, str], positions: Sequence[int | str]) -> dict[str, Any]:
    """What the system draws for the Five Card Hand Bonus."""
    extras: dict[str, Any] = {}
    if "five_card_hand_bonus" in paytables:
        if rng.random() < 0.6:
            extras["magic_card"] = rng.choice(DECK)
        if rng.random() < 0.6:
            extras["lucky"] = rng.choice(positions)
    return extras


def _raise_it_up(rng: random.Random) -> Round:
    deal, numbers = Deal(rng), _numbers(rng, 6)
    paytables = _offered(rng, {"pair_plus": "AB", "progressive": "A", "six_card_bonus": "ABCD"})
    unit = rng.choice((100, 500))
    board = deal.board(3, of_shape=rng.choice((2, 3)))
    seats = []
    for number in numbers:
        wanted = deal.completing(board) if rng.random() < 0.35 else deal.shaped(THREE_CARD_SHAPES)
        hand = deal.filled(wanted, 3) if rng.random() < 0.8 else deal.any(3)
        side = {"pair_plus": None, "six_card_bonus": None, "progressive": unit}
        street, highest = rng.choice((("third", 3), ("fourth", 2), ("fifth", 1)))
        play = {"action": "play", "street": street, "multiple": rng.randint(1, highest)}
        seats.append(
            {
                "seat": number,
                "cards": hand,
                "wagers": _ante_and_blind(rng) | _placed(rng, paytables, side),
                "decision": {"action": "fold"} if rng.random() < 0.25 else play,
            }
        )
    meters = {"prog.meter": balance(rng)} if "progressive" in paytables else {}
    config = {"paytables": paytables, "progressive_unit": unit, "meters_before": meters}
    return {"config": config, "community": board, "seats": seats}


def _caribbean_stud(rng: random.Random) -> Round:
    deal, numbers = Deal(rng), _numbers(rng, 7)
    paytables = _offered(rng, {"bonus": "ABC", "progressive": "ABCDEFGH", "five_card_hand_bonus": "A"})
    has_envy = paytables.get("progressive") in caribbean_stud.WITH_ENVY
    unit = rng.choice((100, 500) if has_envy else (100, 500, 250, 1, 199, 1000))
    bonus_unit = rng.choice((100, 500, 1, 33, 77, 2500))
    dealer = deal.filled(deal.shaped(FIVE_CARD_SHAPES), 5)
    fchb = ("fchb_player", "fchb_dealer") if "five_card_hand_bonus" in paytables else ()
    offered = [*paytables, *fchb]
    side = {"bonus": None, "progressive": unit, "fchb_player": bonus_unit, "fchb_dealer": bonus_unit}
    seats = []
    for number in numbers:
        wanted = deal.same_ranks(dealer) if rng.random() < 0.25 else deal.shaped(FIVE_CARD_SHAPES)
        hand = deal.filled(wanted, 5) if rng.random() < 0.85 else deal.any(5)
        seats.append(
            {
                "seat": number,
                "cards": hand,
                "wagers": {"ante": amount(rng), **_placed(rng, offered, side)},
                "decision": {"action": "fold" if rng.random() < 0.3 else "bet"},
            }
        )
    config = {
        "paytables": paytables,
        "progressive_unit": unit,
        "fchb_unit": bonus_unit,
        "meters_before": _meters(rng, paytables, caribbean_stud.METERS),
        **_extras(rng, paytables, ("dealer", *range(1, 8))),
    }
    return {"config": config, "dealer": {"cards": dealer, "upcard": dealer[0]}, "seats": seats}


def _let_it_ride_cards(deal: Deal, players: int) -> tuple[list[str], list[str], list[list[str]]]:
    """Community cards, Six Card Bonus cards, and a hand for each player that often goes with the one or the other."""
    rng = deal.rng
    board = deal.board(2, of_shape=2)
    hands = []
    if rng.random() < 0.3:  # a six-card royal flush in two hands, or one card short of it
        royal = deal.shaped([SIX_CARD_ROYAL])
        six = deal.filled(royal[:3], 3)
        hands.append(deal.filled(royal[3 : rng.choice((5, 6, 6))], 3))
    else:
        six = deal.board(3, of_shape=3)
    while len(hands) < players:
        wanted = deal.completing(rng.choice((board, board, six))) if rng.random() < 0.5 else []
        wanted = wanted or deal.shaped(THREE_CARD_SHAPES)
        hands.append(deal.filled(wanted, 3) if rng.random() < 0.85 else deal.any(3))
    rng.shuffle(hands)
    return board, six, hands


def _payout_limit(rng: random.Random, main: str) -> dict[str, int]:
    """The least wager of the table and a payout limit, often just the lowest that § 643a.12(h) allows."""
    least = rng.choice((100, 500, 1000, 1666, 1667, 2500, 5000))
    lowest = max(5_000_000, 3 * least * (1000 if main == "A" else 500))
    limit = lowest + rng.choice((0, 0, 1, 777, rng.randrange(10**7)))
    return {"min_bet": least} | ({"max_payout": limit} if rng.random() < 0.6 else {})


def _let_it_ride(rng: random.Random) -> Round:
    numbers = _numbers(rng, 7)
    board, six, hands = _let_it_ride_cards(Deal(rng), len(numbers))
    bonuses = {"five_card_bonus": "ABCDEFG", "three_card_bonus": "ABCDEF", "six_card_bonus": "ABCDE"}
    progressive, names = rng.choice((("progressive3", "AB"), ("progressive5", "ABCD")))
    paytables = _offered(rng, {**bonuses, "five_card_hand_bonus": "A", progressive: names}) | {"main": rng.choice("AB")}
    unit, bonus_unit = rng.choice((100, 500)), rng.choice((25, 50, 100, 500, 7, 33))
    offered = [*paytables, *(["fchb"] if "five_card_hand_bonus" in paytables else [])]
    side = {**dict.fromkeys(bonuses), progressive: unit, "fchb": bonus_unit}
    seats = []
    for number, hand in zip(numbers, hands, strict=True):
        bet = amount(rng)
        seats.append(
            {
                "seat": number,
                "cards": hand,
                "wagers": dict.fromkeys(("bet1", "bet2", "bet3"), bet) | _placed(rng, offered, side),
                "decisions": {bet: rng.choice(("ride", "ride", "withdraw")) for bet in ("bet1", "bet2")},
            }
        )
    config = {
        "paytables": paytables,
        "progressive_unit": unit,
        "fchb_unit": bonus_unit,
        "meters_before": _meters(rng, paytables, let_it_ride.METERS),
        **_payout_limit(rng, paytables["main"]),
        **_extras(rng, paytables, range(1, 8)),
    }
    return {"config": config, "community": board, "six_cards": six, "seats": seats}


def _wild_hand(deal: Deal, other: Sequence[str]) -> list[str]:
    """A hand of DJ Wild: often with wild cards, or one that ties with another."""
    rng = deal.rng
    if rng.random() < 0.15:
        return deal.any(5)
    if other and rng.random() < 0.25:
        wanted = deal.same_ranks(other)
        return deal.filled(wanted[: rng.choice((4, 5, 5))], 5)
    wanted = deal.shaped(FIVE_CARD_SHAPES)
    return deal.filled(deal.with_wild(wanted) if rng.random() < 0.5 else wanted, 5)


def _replacement(deal: Deal, hands: Sequence[Sequence[str]]) -> str:
    """The extra card, often the one that serves the holder of the joker best."""
    for hand in hands:
        if "Jo" in hand and deal.rng.random() < 0.6:
            return best_for_joker(hand, deal.free)
    return next(card for card in deal.free if card != "Jo")


def _dj_wild(rng: random.Random) -> Round:
    deal, numbers = Deal(rng, has_joker=True), _numbers(rng, 6)
    paytables = _offered(
        rng, {"progressive": "12", "trips": ("04", "05", "06", "07"), "bad_beat": ("01", "02", "03", "04")}
    )
    unit = 500 if paytables.get("progressive") == "2" else 100
    dealer = _wild_hand(deal, [])
    side = {"trips": None, "bad_beat": None, "progressive": unit}
    seats: list[dict[str, Any]] = [
        {
            "seat": number,
            "cards": _wild_hand(deal, dealer),
            "wagers": _ante_and_blind(rng) | _placed(rng, paytables, side),
            "decision": {"action": "fold" if rng.random() < 0.25 else "raise"},
        }
        for number in numbers
    ]
    config = {
        "paytables": paytables,
        "progressive_unit": unit,
        "folded_hands_qualify_progressive": rng.random() < 0.5,
        "meters_before": {"prog.meter": balance(rng)} if "progressive" in paytables else {},
    }
    document = {"config": config, "dealer": {"cards": dealer}, "seats": seats}
    if any(
        "progressive" in seat["wagers"] for seat in seats
    ):  # only then is the extra card sure to be dealt (§ 687a.10(c))
        document["replacement"] = _replacement(deal, [seat["cards"] for seat in seats])
    return document


DRAW: Mapping[str, Callable[[random.Random], Round]] = {
    "669a": _raise_it_up,
    "639a": _caribbean_stud,
    "643a": _let_it_ride,
    "687a": _dj_wild,
}
