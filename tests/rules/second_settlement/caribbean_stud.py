"""Chapter 639a, Caribbean Stud Poker."""

from __future__ import annotations

from dataclasses import dataclass

from second_settlement.cards import ACE, KING, read_cards
from second_settlement.hands import Category, Hand, five_card_hand
from second_settlement.money import (
    LOST,
    Document,
    Meters,
    Result,
    Seat,
    Settled,
    extras,
    folds,
    pay_envy,
    pushed,
    return_all,
    returned,
    seats_of,
    to_one,
    won,
)
from second_settlement.paytables import (
    FROM_ROYAL_FLUSH,
    ONLY,
    MeterTerms,
    Paytables,
    Share,
    Terms,
    column,
    pay_of,
)

MEGA, MAJOR, MINOR = Share(100, "mega"), Share(100, "major"), Share(100, "minor")
PAIR_OR_LESS = (Category.PAIR_OF_TENS_OR_BETTER, Category.PAIR_OF_NINES_OR_LOWER, Category.HIGH_CARD)
PAYTABLES: Paytables = {
    "bet": {ONLY: column((*FROM_ROYAL_FLUSH[:-1], *PAIR_OR_LESS), 100, 50, 20, 7, 5, 4, 3, 2, 1, 1, 1)},  # § 639a.12(b)
    "bonus": {  # (c)
        "A": column(FROM_ROYAL_FLUSH, 1000, 200, 100, 50, 40, 25, 7, 3, 1),
        "B": column(FROM_ROYAL_FLUSH, 1000, 200, 100, 50, 40, 25, 6, 3, 1),
        "C": column(FROM_ROYAL_FLUSH, 1000, 200, 100, 50, 40, 20, 6, 3, 1),
    },
    "progressive": {  # (d)(1)
        "A": column(FROM_ROYAL_FLUSH, Share(100), 5000, 500, 100, 50, 10, 3, 2),
        "B": column(FROM_ROYAL_FLUSH, Share(100), Share(10), 500, 100, 50, 10, 3, 2),
        "C": column(FROM_ROYAL_FLUSH, Share(100), Share(10), 200, 50, 40, 30, 9),
        "D": column(FROM_ROYAL_FLUSH, Share(100), Share(10), 300, 50, 40, 30, 9),
        "E": column(FROM_ROYAL_FLUSH, Share(100), Share(10), 500, 100, 50),
        "F": column(FROM_ROYAL_FLUSH, MEGA, MAJOR, 300, 50, 40, 30, 9),
        "G": column(FROM_ROYAL_FLUSH, MEGA, MAJOR, MINOR, 50, 40, 30, 10),
        "H": column(FROM_ROYAL_FLUSH, MEGA, MAJOR, MINOR, 50, 40, 30, 9),
    },
    "fchb": {"A": column(FROM_ROYAL_FLUSH, Share(100), Share(10), 500, 100, 50)},  # (e)(1)
    "envy": {  # (d)(6), in dollars, by the receiver's wager in cents
        "100": column(FROM_ROYAL_FLUSH, 1000, 300),
        "500": column(FROM_ROYAL_FLUSH, 5000, 1500),
    },
}
WITH_ENVY = ("D", "F", "G", "H")  # (d)(6)
EXTRAS_FOR_1 = {"magic": 20, "lucky": 5}  # (e)(3)
METERS: MeterTerms = {
    "progressive": {  # (d)(4); nothing is ever paid from a reserve
        "A": {"meter": Terms(10_000, 53), "reserve": Terms(0, 15)},
        "B": {"meter": Terms(10_000, 53), "reserve": Terms(0, 15)},
        "C": {"meter": Terms(10_000, 25)},
        "D": {"meter": Terms(10_000, 21)},
        "E": {"meter": Terms(10_000, 65), "reserve": Terms(0, 5)},
        "F": {"mega": Terms(10_000, 11), "major": Terms(1000, 10)},
        "G": {"mega": Terms(10_000, 9), "major": Terms(1000, 7), "minor": Terms(250, 3)},
        "H": {"mega": Terms(10_000, 10), "major": Terms(1000, 8), "minor": Terms(250, 3)},
    },
    "fchb": {"A": {"meter": Terms(0, 13), "reserve": Terms(0, 8)}},  # (e)(4)
}


@dataclass(slots=True)
class _Table:
    """What the seats of a round share, while it is settled."""

    document: Document
    meters: Meters
    dealer: Hand
    dealer_share_cents: int | None = None
    """What the dealer's hand took from the meter, once it did."""


def settle(document: Document) -> Settled:
    """Settle a round: what every wager returns, and the meters afterwards."""
    if document.get("void"):
        return return_all(document)
    seats = seats_of(document)
    table = _Table(document, Meters(document), five_card_hand(read_cards(document["dealer"]["cards"])))
    _add_to_meters(seats, table)
    results, holders = {}, {}
    for seat in reversed(seats):  # § 639a.11(c): from the player farthest to the dealer's right
        number, hand = int(seat["seat"]), five_card_hand(read_cards(seat["cards"]))
        results[number] = _base_wagers(seat, hand, table.dealer) | _bonus_wagers(seat, hand, table)
        results[number] |= _bonus_on_own_hand(seat, hand, table) | _bonus_on_dealer(seat, table)
        if not folds(seat):  # the cards of a fold went to the discard rack before (§ 639a.11(c))
            holders[number] = hand.category
    if document["config"]["paytables"].get("progressive") in WITH_ENVY:
        pay_envy(seats, results, wager="progressive", tables=PAYTABLES["envy"], holders=holders)
    return Settled(results, table.meters.balances)


def _add_to_meters(seats: list[Seat], table: _Table) -> None:
    """Every wager that was accepted raises its meters, seat by seat (§ 639a.12(d)(4), (e)(4))."""
    progressive = table.document["config"]["paytables"].get("progressive")
    if progressive:
        table.meters.add(seats, "progressive", "prog", METERS["progressive"][progressive])
    for wager in ("fchb_player", "fchb_dealer"):
        table.meters.add(seats, wager, "fchb", METERS["fchb"]["A"])


def _base_wagers(seat: Seat, hand: Hand, dealer: Hand) -> dict[str, Result]:
    """Ante and Bet, which is twice the Ante (§ 639a.11(b), (c)(3))."""
    ante, bet = seat["wagers"]["ante"], 2 * seat["wagers"]["ante"]
    if folds(seat):
        return {"ante": LOST}
    paid_ante = to_one(ante, 1)  # § 639a.12(a)
    is_ace_king = dealer.category > Category.HIGH_CARD or dealer.ranks[:2] == (ACE, KING)
    if not is_ace_king:
        return {"ante": paid_ante, "bet": returned(bet)}
    if hand < dealer:
        return {"ante": LOST, "bet": LOST}
    if hand == dealer:
        return {"ante": pushed(ante), "bet": pushed(bet)}
    return {"ante": paid_ante, "bet": to_one(bet, pay_of(PAYTABLES["bet"][ONLY], hand.category))}


def _bonus_wagers(seat: Seat, hand: Hand, table: _Table) -> dict[str, Result]:
    """Caribbean Stud Bonus and Progressive, whatever the dealer holds; a fold forfeits both (§ 639a.11(b), (c)(4), (5))."""
    wagers, names = seat["wagers"], table.document["config"]["paytables"]
    results = {}
    if "bonus" in wagers:
        odds = None if folds(seat) else pay_of(PAYTABLES["bonus"][names["bonus"]], hand.category)
        results["bonus"] = to_one(wagers["bonus"], odds)
    if "progressive" in wagers:
        name = names["progressive"]
        pay = None if folds(seat) else pay_of(PAYTABLES["progressive"][name], hand.category)
        results["progressive"] = table.meters.for_one("prog", pay, wagers["progressive"], METERS["progressive"][name])
    return results


def _bonus_on_own_hand(seat: Seat, hand: Hand, table: _Table) -> dict[str, Result]:
    """Five Card Hand Bonus on the player's hand, which a fold does not forfeit (§ 639a.11(b), (c)(6))."""
    if "fchb_player" not in seat["wagers"]:
        return {}
    stake, config = seat["wagers"]["fchb_player"], table.document["config"]
    pay = pay_of(PAYTABLES["fchb"]["A"], hand.category)
    results = {"fchb_player": table.meters.for_one("fchb", pay, stake, METERS["fchb"]["A"])}
    return results | extras(config, seat["cards"], seat["seat"], stake, EXTRAS_FOR_1, "player")


def _bonus_on_dealer(seat: Seat, table: _Table) -> dict[str, Result]:
    """The same on the dealer's hand."""
    if "fchb_dealer" not in seat["wagers"]:
        return {}
    stake, config = seat["wagers"]["fchb_dealer"], table.document["config"]
    pay = pay_of(PAYTABLES["fchb"]["A"], table.dealer.category)
    if isinstance(pay, Share):
        results = {"fchb_dealer": won(_part_of_dealers_share(pay, table))}
    else:
        results = {"fchb_dealer": table.meters.for_one("fchb", pay, stake, METERS["fchb"]["A"])}
    return results | extras(config, table.document["dealer"]["cards"], "dealer", stake, EXTRAS_FOR_1, "dealer")


def _part_of_dealers_share(share: Share, table: _Table) -> int:
    """A share that the dealer's hand wins is divided equally among those who wagered on it (§ 639a.12(e)(2)).

    It is taken from the meter once, at the turn of the first of them; a part of a cent is dropped.
    """
    if table.dealer_share_cents is None:
        table.dealer_share_cents = table.meters.take("fchb", share, reseed=0)
    return table.dealer_share_cents // sum("fchb_dealer" in seat["wagers"] for seat in table.document["seats"])
