"""Chapter 687a, DJ Wild Stud Poker."""

from __future__ import annotations

from collections.abc import Sequence

from second_settlement.cards import JOKER, Card, read_cards
from second_settlement.hands import Category, Hand, five_card_hand
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
    returned,
    seats_of,
    to_one,
    won,
)
from second_settlement.paytables import FROM_ROYAL_FLUSH, ONLY, Line, Paytables, Share, column, pay_of
from second_settlement.wild import wild_hand

FROM_FIVE_WILDS = (
    Category.FIVE_WILDS,
    Category.ROYAL_FLUSH,
    Category.FIVE_OF_A_KIND,
    Category.STRAIGHT_FLUSH,
    Category.FOUR_OF_A_KIND,
    Category.FULL_HOUSE,
    Category.FLUSH,
    Category.STRAIGHT,
    Category.THREE_OF_A_KIND,
)
"""The rows of the tables of Blind and Trips."""
PAYTABLES: Paytables = {
    "blind": {
        ONLY: column(FROM_FIVE_WILDS, 1000, 50, 10, 9, 4, 3, 2, 1)
    },  # § 687a.12(b): three-of-a-kind or less pushes
    "progressive": {  # (c)
        "1": column(FROM_ROYAL_FLUSH, Share(100), Share(10), 300, 50, 40, 30, 9),
        "2": column(FROM_ROYAL_FLUSH, Share(100), Share(10), 300, 50, 40, 30, 9),
    },
    "envy": {  # (c), in dollars, by the receiver's wager in cents
        "100": column(FROM_ROYAL_FLUSH, 1000, 300),
        "500": column(FROM_ROYAL_FLUSH, 5000, 1500),
    },
    "trips, natural": {  # (d), the column "Natural", from a royal flush down; no five-of-a-kind is natural
        "04": column(FROM_ROYAL_FLUSH, 1000, 200, 60, 30, 25, 20, 6),
        "05": column(FROM_ROYAL_FLUSH, 1000, 200, 50, 30, 25, 20, 6),
        "06": column(FROM_ROYAL_FLUSH, 400, 200, 50, 30, 25, 20, 6),
        "07": column(FROM_ROYAL_FLUSH, 1000, 200, 40, 30, 25, 20, 6),
    },
    "trips, with wild": {  # (d), the column "With Wild"
        "04": column(FROM_FIVE_WILDS, 2000, 90, 70, 25, 6, 5, 4, 3, 1),
        "05": column(FROM_FIVE_WILDS, 2000, 70, 60, 25, 6, 5, 4, 3, 1),
        "06": column(FROM_FIVE_WILDS, 500, 70, 60, 25, 6, 5, 4, 3, 1),
        "07": column(FROM_FIVE_WILDS, 2000, 60, 50, 25, 6, 5, 4, 3, 1),
    },
    "bad_beat": {  # (e); "or less" in DJWBB-04 pays on nothing less
        "01": column(FROM_FIVE_WILDS[1:], 500, 500, 500, 500, 400, 300, 100, 9),
        "02": column(FROM_FIVE_WILDS[1:], 10_000, 10_000, 5000, 500, 400, 300, 100, 9),
        "03": column(FROM_FIVE_WILDS[1:], 500, 500, 500, 300, 200, 100, 50, 15),
        "04": column(FROM_FIVE_WILDS[1:], 299, 299, 299, 299, 200, 100, 50, 15),
    },
}
RESEED_CENTS = {"1": 200_000, "2": 1_000_000}  # (c); the chapter gives no rate of progression


def settle(document: Document) -> Settled:
    """Settle a round: what every wager returns, and the meter afterwards."""
    void = document.get("void")
    if void and not void.get("settle_bonus"):
        return return_all(document)
    meters, seats = Meters(document), seats_of(document)
    results, holders = {}, {}
    for seat in reversed(seats):  # § 687a.11(e), read as: from the player farthest to the dealer's right
        number, cards = int(seat["seat"]), read_cards(seat["cards"])
        progressive_hand = _progressive_hand(cards, document)
        results[number] = (
            (_returned_base_wagers(seat) if void else _base_wagers(seat, cards, document))
            | _progressive(seat, progressive_hand, document, meters)
            | _trips(seat, cards, document)
        )
        if progressive_hand is not None and _can_be_envied(seat, document):
            holders[number] = progressive_hand
    pay_envy(seats, results, wager="progressive", tables=PAYTABLES["envy"], holders=holders)
    return Settled(results, meters.balances)


def _has_folded(seat: Seat, document: Document) -> bool:
    """A fold of a round that became void counts for nothing."""
    return not document.get("void") and folds(seat)


def _folded_hands_qualify(document: Document) -> bool:
    """The house's choice under § 687a.11(b)(3)."""
    return bool(document["config"].get("folded_hands_qualify_progressive"))


def _can_be_envied(seat: Seat, document: Document) -> bool:
    """A folded hand counts where the house lets it, and only while its cards stay on the table (§ 687a.11(c))."""
    cards_stay = bool({"trips", "progressive"} & seat["wagers"].keys())
    return not _has_folded(seat, document) or (_folded_hands_qualify(document) and cards_stay)


def _returned_base_wagers(seat: Seat) -> dict[str, Result]:
    """A round void under § 687a.13(d): all but Progressive and Trips is returned."""
    return {wager: returned(cents) for wager, cents in seat["wagers"].items() if wager in ("ante", "blind", "bad_beat")}


def _base_wagers(seat: Seat, cards: Sequence[Card], document: Document) -> dict[str, Result]:
    """Ante, Blind and Raise, which is twice the Ante (§ 687a.11(b), (e)), and the Bad Beat, which rests on them ((f)(3))."""
    wagers = seat["wagers"]
    hand, dealer = wild_hand(cards), wild_hand(read_cards(document["dealer"]["cards"]))
    results: dict[str, Result] = {}
    if folds(seat):
        results = {"ante": LOST, "blind": LOST}
    elif hand < dealer:
        results = {"ante": LOST, "blind": LOST, "raise": LOST}
    elif hand == dealer:
        stakes = {"ante": wagers["ante"], "blind": wagers["blind"], "raise": 2 * wagers["ante"]}
        results = {wager: pushed(stake) for wager, stake in stakes.items()}
    else:  # § 687a.12(a), (b)
        blind_odds = pay_of(PAYTABLES["blind"][ONLY], hand.category)
        results = {
            "ante": to_one(wagers["ante"], 1),
            "raise": to_one(2 * wagers["ante"], 1),
            "blind": pushed(wagers["blind"]) if blind_odds is None else to_one(wagers["blind"], blind_odds),
        }
    if "bad_beat" in wagers:
        is_beaten = hand < dealer and not folds(seat)
        table = PAYTABLES["bad_beat"][document["config"]["paytables"]["bad_beat"]]
        results["bad_beat"] = to_one(wagers["bad_beat"], pay_of(table, hand.category) if is_beaten else None)
    return results


def _progressive_hand(cards: Sequence[Card], document: Document) -> Line | None:
    """The hand of the Progressive: the extra card for the joker (§ 687a.11(f)(1)), 2s as they are; None without one."""
    replacement = read_cards([document["replacement"]]) if document.get("replacement") else []
    replaced = [card for card in cards if card != JOKER]
    if len(replaced) < len(cards):
        replaced += replacement
    return five_card_hand(replaced).category if len(replaced) == len(cards) else None


def _progressive(seat: Seat, hand: Line | None, document: Document, meters: Meters) -> dict[str, Result]:
    """Progressive Bonus, its odds "to 1" as printed (§ 687a.11(b)(3), (f)(1), § 687a.12(c))."""
    if "progressive" not in seat["wagers"]:
        return {}
    assert hand is not None
    if _has_folded(seat, document) and not _folded_hands_qualify(document):
        return {"progressive": LOST}
    name = document["config"]["paytables"]["progressive"]
    pay = pay_of(PAYTABLES["progressive"][name], hand)
    if isinstance(pay, Share):
        return {"progressive": won(meters.take("prog", pay, RESEED_CENTS[name]))}
    return {"progressive": to_one(seat["wagers"]["progressive"], pay)}


def _trips(seat: Seat, cards: Sequence[Card], document: Document) -> dict[str, Result]:
    """Trips Bonus, which a fold does not forfeit (§ 687a.11(b)(1), (f)(2)).

    Natural is a hand without the joker whose 2s, played as 2s, make the same as they would as wild cards.
    """
    if "trips" not in seat["wagers"]:
        return {}
    hand: Hand = wild_hand(cards)
    is_natural = JOKER not in cards and five_card_hand(cards).category == hand.category
    tables = PAYTABLES["trips, natural" if is_natural else "trips, with wild"]
    table = tables[document["config"]["paytables"]["trips"]]
    return {"trips": to_one(seat["wagers"]["trips"], pay_of(table, hand.category))}
