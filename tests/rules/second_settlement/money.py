"""What a wager returns, the meters of progressive and electronic wagers, and the envy bonus."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from second_settlement.paytables import Line, Pay, Share, Table, Terms, pay_of

Document = Mapping[str, Any]
"""A round as docs/settle.md describes it."""
Seat = Mapping[str, Any]


class Result(NamedTuple):
    """What became of a wager and all that goes back to the player, the stake included."""

    outcome: str
    return_cents: int


class Settled(NamedTuple):
    """A round settled: the results of every seat by wager, and what stands on the meters afterwards."""

    seats: dict[int, dict[str, Result]]
    meters: dict[str, int]


LOST = Result("lose", 0)


def won(return_cents: int) -> Result:
    """Paid; the return holds the stake where the odds are "to 1"."""
    return Result("win", return_cents)


def pushed(stake: int) -> Result:
    """Neither paid nor collected."""
    return Result("push", stake)


def returned(stake: int) -> Result:
    """Given back: withdrawn, or of a void round, or not in play."""
    return Result("returned", stake)


def to_one(stake: int, odds: Pay | None) -> Result:
    """A wager paid "odds to 1": the stake and the odds on it, a part of a cent dropped; lost where there are none."""
    if odds is None:
        return LOST
    assert not isinstance(odds, Share)
    return won(stake + int(stake * odds))


def seats_of(document: Document) -> list[Seat]:
    """The seats ascending: from the one farthest to the dealer's left."""
    return sorted(document["seats"], key=lambda seat: int(seat["seat"]))


def folds(seat: Seat) -> bool:
    """Whether the player folded."""
    return bool(seat["decision"]["action"] == "fold")


def return_all(document: Document) -> Settled:
    """A void round: all wagers are returned (§ .13) and nothing is added to a meter."""
    seats = {}
    for seat in seats_of(document):
        seats[int(seat["seat"])] = {wager: returned(cents) for wager, cents in seat["wagers"].items()}
    return Settled(seats, Meters(document).balances)


class Meters:
    """What stands on the meters while a round is settled, seat by seat."""

    def __init__(self, document: Document) -> None:
        self.balances: dict[str, int] = dict(document["config"].get("meters_before") or {})

    def add(self, seats: list[Seat], wager: str, group: str, terms: Mapping[str, Terms]) -> None:
        """Add every accepted wager at the rate of progression of each meter, a part of a cent dropped."""
        for stake in (seat["wagers"][wager] for seat in seats if wager in seat["wagers"]):
            for meter, term in terms.items():
                self.balances[f"{group}.{meter}"] += stake * term.percent // 100

    def take(self, group: str, share: Share, reseed: int) -> int:
        """Pay a share, a part of a cent dropped; all of a meter sets it at once to its reseed."""
        name = f"{group}.{share.meter}"
        amount = self.balances[name] * share.percent // 100
        self.balances[name] = reseed if share.percent == 100 else self.balances[name] - amount
        return amount

    def for_one(self, group: str, pay: Pay | None, stake: int, terms: Mapping[str, Terms]) -> Result:
        """A wager paid "odds for 1", the stake not returned, or a share of a meter; lost where there is neither."""
        if pay is None:
            return LOST
        if isinstance(pay, Share):
            return won(self.take(group, pay, terms[pay.meter].reseed_for_1 * stake))
        return won(int(stake * pay))


def pay_envy(
    seats: list[Seat],
    results: dict[int, dict[str, Result]],
    *,
    wager: str,
    tables: Mapping[str, Table],
    holders: Mapping[int, Line],
) -> None:
    """Pay each player with the wager the sum for every other seat whose hand qualifies; never for the own hand.

    Args:
        seats: all seats, those that folded too: a receiver may have.
        results: of each seat; a bonus is added to them.
        wager: the progressive wager that makes a receiver.
        tables: dollars by hand, by the receiver's wager in cents.
        holders: the hand of each seat whose hand can qualify.
    """
    for seat in seats:
        if wager not in seat["wagers"]:
            continue
        table = tables[str(seat["wagers"][wager])]
        others = (hand for number, hand in holders.items() if number != seat["seat"])
        dollars = [pay_of(table, hand) for hand in others]
        cents = sum(100 * amount for amount in dollars if isinstance(amount, int))
        if cents:
            results[seat["seat"]]["envy"] = won(cents)


def extras(
    config: Mapping[str, Any], cards: list[str], position: object, stake: int, for_1: Mapping[str, int], whose: str
) -> dict[str, Result]:
    """Magic Card and Lucky Bonus of a Five Card Hand Bonus on the hand of these cards, where they were drawn."""
    drawn = {"magic": config.get("magic_card") in cards, "lucky": config.get("lucky") == position}
    return {f"{name}_{whose}": won(for_1[name] * stake) for name, fits in drawn.items() if fits}
