"""Chapter 669a, Raise It Up Stud Poker."""

from __future__ import annotations

from fractions import Fraction

from second_settlement.cards import read_cards
from second_settlement.hands import Category, Hand, best_five_card_hand, three_card_hand
from second_settlement.money import (
    LOST,
    Document,
    Meters,
    Result,
    Seat,
    Settled,
    folds,
    pay_envy,
    pushed,
    return_all,
    seats_of,
    to_one,
)
from second_settlement.paytables import (
    FROM_MINI_ROYAL_OF_SPADES,
    FROM_ROYAL_FLUSH,
    FROM_STRAIGHT_FLUSH,
    ONLY,
    MeterTerms,
    Paytables,
    Share,
    Terms,
    column,
    pay_of,
)

PAYTABLES: Paytables = {
    "pair_plus": {  # § 669a.12(a)
        "A": column(FROM_STRAIGHT_FLUSH, 40, 30, 6, 4, 1),
        "B": column(FROM_STRAIGHT_FLUSH, 40, 25, 6, 4, 1),
    },
    "play": {ONLY: column(FROM_ROYAL_FLUSH, 100, 20, 10, 6, 5, 4, 3, Fraction(3, 2), 1)},  # (c)
    "blind": {ONLY: column(FROM_ROYAL_FLUSH, 1000, 200, 30, 4, 3, 2, 1)},  # (d): two pair and a pair push
    "progressive": {"A": column(FROM_MINI_ROYAL_OF_SPADES, Share(100), 500, 70, 60, 6)},  # (e)(1)
    "six_card_bonus": {  # (f)
        "A": column(FROM_ROYAL_FLUSH, 1000, 200, 50, 25, 20, 10, 5),
        "B": column(FROM_ROYAL_FLUSH, 1000, 200, 50, 25, 15, 10, 5),
        "C": column(FROM_ROYAL_FLUSH, 1000, 200, 100, 20, 15, 9, 8),
        "D": column(FROM_ROYAL_FLUSH, 1000, 200, 100, 20, 15, 10, 7),
    },
    "envy": {  # (e)(5), in dollars, by the receiver's wager in cents
        "100": column(FROM_MINI_ROYAL_OF_SPADES, 100, 25),
        "500": column(FROM_MINI_ROYAL_OF_SPADES, 500, 125),
    },
}
METERS: MeterTerms = {"progressive": {"A": {"meter": Terms(1000, 14)}}}  # (e)(3)


def settle(document: Document) -> Settled:
    """Settle a round: what every wager returns, and the meter afterwards."""
    if document.get("void"):
        return return_all(document)
    meters, seats = Meters(document), seats_of(document)
    progressive = document["config"]["paytables"].get("progressive")
    if progressive:
        meters.add(seats, "progressive", "prog", METERS["progressive"][progressive])
    results = {}
    for seat in reversed(seats):  # § 669a.11(i): from the player farthest to the dealer's right
        results[int(seat["seat"])] = _settle_seat(seat, document, meters)
    holders = {int(seat["seat"]): three_card_hand(read_cards(seat["cards"])) for seat in seats if _cards_stay(seat)}
    pay_envy(seats, results, wager="progressive", tables=PAYTABLES["envy"], holders=holders)
    return Settled(results, meters.balances)


def _cards_stay(seat: Seat) -> bool:
    """Whether the cards lie on the table until envy bonuses are settled (§ 669a.11(f))."""
    return not folds(seat) or bool({"progressive", "six_card_bonus"} & seat["wagers"].keys())


def _settle_seat(seat: Seat, document: Document, meters: Meters) -> dict[str, Result]:
    """§ 669a.11(i)(1) to (3); Pair Plus and Six Card Bonus live on after a fold, the Progressive does not ((g))."""
    wagers, names = seat["wagers"], document["config"]["paytables"]
    cards = read_cards(seat["cards"])
    three, best = three_card_hand(cards), best_five_card_hand(cards + read_cards(document["community"]))
    results = _base_wagers(seat, best)
    if "pair_plus" in wagers:
        table = PAYTABLES["pair_plus"][names["pair_plus"]]
        results["pair_plus"] = to_one(wagers["pair_plus"], pay_of(table, three))
    if "progressive" in wagers:
        name = names["progressive"]
        pay = None if folds(seat) else pay_of(PAYTABLES["progressive"][name], three)
        results["progressive"] = meters.for_one("prog", pay, wagers["progressive"], METERS["progressive"][name])
    if "six_card_bonus" in wagers:
        table = PAYTABLES["six_card_bonus"][names["six_card_bonus"]]
        results["six_card_bonus"] = to_one(wagers["six_card_bonus"], pay_of(table, best.category))
    return results


def _base_wagers(seat: Seat, best: Hand) -> dict[str, Result]:
    """Ante, Blind and Play: a pair of 10s or better wins (§ 669a.11(i)(2)); who folds loses Ante and Blind ((f))."""
    ante, blind = seat["wagers"]["ante"], seat["wagers"]["blind"]
    if folds(seat):
        return {"ante": LOST, "blind": LOST}
    if best.category < Category.PAIR_OF_TENS_OR_BETTER:
        return {"ante": LOST, "blind": LOST, "play": LOST}
    blind_odds = pay_of(PAYTABLES["blind"][ONLY], best.category)
    return {
        "ante": to_one(ante, 1),  # § 669a.12(b)
        "blind": pushed(blind) if blind_odds is None else to_one(blind, blind_odds),
        "play": to_one(ante * int(seat["decision"]["multiple"]), pay_of(PAYTABLES["play"][ONLY], best.category)),
    }
