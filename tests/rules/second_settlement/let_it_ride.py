"""Chapter 643a, Let It Ride Poker."""

from __future__ import annotations

from dataclasses import dataclass

from second_settlement.cards import ACE, Card, read_cards
from second_settlement.hands import Category, ThreeCards, best_five_card_hand, five_card_hand, three_card_hand
from second_settlement.money import (
    LOST,
    Document,
    Meters,
    Result,
    Seat,
    Settled,
    extras,
    pay_envy,
    return_all,
    returned,
    seats_of,
    to_one,
    won,
)
from second_settlement.paytables import (
    FROM_MINI_ROYAL,
    FROM_MINI_ROYAL_OF_SPADES,
    FROM_ROYAL_FLUSH,
    FROM_STRAIGHT_FLUSH,
    MeterTerms,
    Paytables,
    Share,
    Terms,
    column,
    pay_of,
)

MEGA, MAJOR, MINOR = Share(100, "mega"), Share(100, "major"), Share(100, "minor")
PAYTABLES: Paytables = {
    "main": {  # § 643a.12(a)
        "A": column(FROM_ROYAL_FLUSH, 1000, 200, 50, 11, 8, 5, 3, 2, 1),
        "B": column(FROM_ROYAL_FLUSH, 500, 200, 50, 11, 8, 5, 3, 2, 1),
    },
    "five_card_bonus": {  # (b)
        "A": column(FROM_ROYAL_FLUSH, 20_000, 2000, 150, 75, 50, 25, 4, 3, 2),
        "B": column(FROM_ROYAL_FLUSH, 20_000, 2000, 200, 75, 50, 25, 5, 4, 1),
        "C": column(FROM_ROYAL_FLUSH, 20_000, 2000, 100, 75, 50, 25, 9, 6),
        "D": column(FROM_ROYAL_FLUSH, 10_000, 2000, 200, 75, 50, 25, 5, 4, 1),
        "E": column(FROM_ROYAL_FLUSH, 10_000, 2000, 200, 100, 50, 25, 10, 6),
        "F": column(FROM_ROYAL_FLUSH, 10_000, 2000, 100, 75, 50, 25, 9, 6),
        "G": column(FROM_ROYAL_FLUSH, 25_000, 2500, 400, 200, 50, 25, 5),
    },
    "three_card_bonus": {  # (c)
        "A": column(FROM_STRAIGHT_FLUSH, 40, 30, 6, 4, 1),
        "B": column(FROM_STRAIGHT_FLUSH, 40, 30, 5, 4, 1),
        "C": column(FROM_STRAIGHT_FLUSH, 40, 30, 6, 3, 1),
        "D": column(FROM_MINI_ROYAL, 50, 40, 30, 6, 4, 1),
        "E": column(FROM_MINI_ROYAL, 50, 40, 30, 5, 4, 1),
        "F": column(FROM_MINI_ROYAL, 50, 40, 30, 6, 3, 1),
    },
    "progressive3": {  # (d)(1)
        "A": column(FROM_MINI_ROYAL_OF_SPADES, Share(100), 500, 70, 60, 6),
        "B": column(FROM_MINI_ROYAL_OF_SPADES, Share(100), 500, 100, 90),
    },
    "progressive5": {  # (e)(1)
        "A": column(FROM_ROYAL_FLUSH, Share(100), Share(10), 300, 50, 40, 30, 9),
        "B": column(FROM_ROYAL_FLUSH, MEGA, MAJOR, 300, 50, 40, 30, 9),
        "C": column(FROM_ROYAL_FLUSH, MEGA, MAJOR, MINOR, 50, 40, 30, 10),
        "D": column(FROM_ROYAL_FLUSH, MEGA, MAJOR, MINOR, 50, 40, 30, 9),
    },
    "fchb": {"A": column(FROM_ROYAL_FLUSH, Share(100), Share(10), 500, 100, 50)},  # (f)(1)
    "six_card_bonus": {  # (g)
        "A": column(FROM_ROYAL_FLUSH, 1000, 200, 50, 25, 20, 10, 5),
        "B": column(FROM_ROYAL_FLUSH, 1000, 200, 50, 25, 15, 10, 5),
        "C": column(FROM_ROYAL_FLUSH, 1000, 200, 100, 20, 15, 9, 8),
        "D": column(FROM_ROYAL_FLUSH, 1000, 200, 100, 20, 15, 10, 7),
        "E": column(FROM_ROYAL_FLUSH, 1000, 200, 50, 20, 15, 10, 5),
    },
    "envy3": {  # (d)(5), in dollars, by the receiver's wager in cents
        "100": column(FROM_MINI_ROYAL_OF_SPADES, 100, 25),
        "500": column(FROM_MINI_ROYAL_OF_SPADES, 500, 125),
    },
    "envy5": {  # (e)(5), the same
        "100": column(FROM_ROYAL_FLUSH, 1000, 300),
        "500": column(FROM_ROYAL_FLUSH, 5000, 1500),
    },
}
SIX_CARD_ROYAL_TO_1 = {"E": {"d": 200_000, "h": 20_000, "s": 20_000, "c": 20_000}}  # (g), by suit
EXTRAS_FOR_1 = {"magic": 20, "lucky": 5}  # (f)(3)
METERS: MeterTerms = {
    "progressive3": {"A": {"meter": Terms(1000, 14)}, "B": {"meter": Terms(1000, 20)}},  # (d)(3)
    "progressive5": {  # (e)(3)
        "A": {"meter": Terms(10_000, 21)},
        "B": {"mega": Terms(10_000, 11), "major": Terms(1000, 10)},
        "C": {"mega": Terms(10_000, 9), "major": Terms(1000, 7), "minor": Terms(250, 3)},
        "D": {"mega": Terms(10_000, 10), "major": Terms(1000, 8), "minor": Terms(250, 3)},
    },
    "fchb": {"A": {"meter": Terms(0, 13), "reserve": Terms(0, 8)}},  # (f)(4)
}
PROGRESSIVES = ("progressive3", "progressive5")


@dataclass(frozen=True, slots=True)
class _Hands:
    """What a player holds: the own three cards, and five with the community cards."""

    three: ThreeCards
    five: Category


def settle(document: Document) -> Settled:
    """Settle a round: what every wager returns, and the meters afterwards."""
    if document.get("void"):
        return return_all(document)
    meters, seats = Meters(document), seats_of(document)
    names = document["config"]["paytables"]
    for progressive in PROGRESSIVES:
        if progressive in names:
            meters.add(seats, progressive, "prog", METERS[progressive][names[progressive]])
    meters.add(seats, "fchb", "fchb", METERS["fchb"]["A"])
    community = read_cards(document["community"])
    held, results = {}, {}
    for seat in reversed(seats):  # § 643a.11(f): from the player farthest to the dealer's right
        number, cards = int(seat["seat"]), read_cards(seat["cards"])
        hands = _Hands(three_card_hand(cards), five_card_hand(cards + community).category)
        held[number] = hands
        results[number] = (
            _base_wagers(seat, hands, document)
            | _bonus_wagers(seat, hands, document, meters)
            | _hand_bonus(seat, hands, document, meters)
            | _six_card_bonus(seat, document)
        )
    threes = {number: hands.three for number, hands in held.items()}
    fives = {number: hands.five for number, hands in held.items()}
    pay_envy(seats, results, wager="progressive3", tables=PAYTABLES["envy3"], holders=threes)
    pay_envy(seats, results, wager="progressive5", tables=PAYTABLES["envy5"], holders=fives)
    return Settled(results, meters.balances)


def _base_wagers(seat: Seat, hands: _Hands, document: Document) -> dict[str, Result]:
    """Bets 1 to 3 (§ 643a.11(b), (d), (f)).

    A payout limit is for the winnings of the three together, used up in their order (§ 643a.12(h)).
    """
    config, wagers, results = document["config"], seat["wagers"], {}
    odds = pay_of(PAYTABLES["main"][config["paytables"]["main"]], hands.five)
    left: int | None = config.get("max_payout")
    for bet in ("bet1", "bet2", "bet3"):
        if seat["decisions"].get(bet) == "withdraw":
            results[bet] = returned(wagers[bet])
            continue
        result = to_one(wagers[bet], odds)
        if left is not None and result != LOST:
            winnings = min(result.return_cents - wagers[bet], left)
            left -= winnings
            result = won(wagers[bet] + winnings)
        results[bet] = result
    return results


def _bonus_wagers(seat: Seat, hands: _Hands, document: Document, meters: Meters) -> dict[str, Result]:
    """Five and Three Card Bonus, Three- and Five-Card Progressive (§ 643a.11(g)(1) to (4))."""
    wagers, names, results = seat["wagers"], document["config"]["paytables"], {}
    for wager, bonus_hand in (("five_card_bonus", hands.five), ("three_card_bonus", hands.three)):
        if wager in wagers:
            results[wager] = to_one(wagers[wager], pay_of(PAYTABLES[wager][names[wager]], bonus_hand))
    for wager, progressive_hand in (("progressive3", hands.three), ("progressive5", hands.five)):
        if wager in wagers:
            pay = pay_of(PAYTABLES[wager][names[wager]], progressive_hand)
            results[wager] = meters.for_one("prog", pay, wagers[wager], METERS[wager][names[wager]])
    return results


def _hand_bonus(seat: Seat, hands: _Hands, document: Document, meters: Meters) -> dict[str, Result]:
    """Five Card Hand Bonus with Magic Card and Lucky Bonus (§ 643a.1, § 643a.11(g)(5), § 643a.12(f))."""
    if "fchb" not in seat["wagers"]:
        return {}
    stake, config = seat["wagers"]["fchb"], document["config"]
    pay = pay_of(PAYTABLES["fchb"]["A"], hands.five)
    results = {"fchb": meters.for_one("fchb", pay, stake, METERS["fchb"]["A"])}
    cards = [*seat["cards"], *document["community"]]
    return results | extras(config, cards, seat["seat"], stake, EXTRAS_FOR_1, "player")


def _six_card_bonus(seat: Seat, document: Document) -> dict[str, Result]:
    """Six Card Bonus (§ 643a.11(g)(6), § 643a.12(g))."""
    if "six_card_bonus" not in seat["wagers"]:
        return {}
    cards = read_cards([*seat["cards"], *document["six_cards"]])
    name = document["config"]["paytables"]["six_card_bonus"]
    odds = pay_of(PAYTABLES["six_card_bonus"][name], best_five_card_hand(cards).category)
    if name in SIX_CARD_ROYAL_TO_1 and _is_six_card_royal(cards):
        odds = SIX_CARD_ROYAL_TO_1[name][cards[0].suit]
    return {"six_card_bonus": to_one(seat["wagers"]["six_card_bonus"], odds)}


def _is_six_card_royal(cards: list[Card]) -> bool:
    """Ace, king, queen, jack, 10 and 9 of one suit (§ 643a.6(e)(1))."""
    return len({card.suit for card in cards}) == 1 and min(card.rank for card in cards) == ACE - 5
