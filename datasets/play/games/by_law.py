"""What the simulated dealer owes in games against a dealer's hand and in Let It Ride: settled by `rules.settlement`.

The settlement of the chapters is proved by itself (`tests/rules/test_settle_rounds.py`); the simulator uses it so that the
truth of a film is the law's, and the checks that judge the film have their own way to the chips.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from datasets.play.facts import Owed, RoundFacts, SeatFacts
from rules.settlement.rounds import settle_round

_FIELDS = {"dealer": "dealer", "community": "community", "six_cards": "six_cards", "extra": "replacement"}


@dataclass(frozen=True, slots=True)
class End:
    """How a wager ends: `outcome` as the settlement names it, and the winnings in cents."""

    outcome: str
    cents: int


def settled(chapter: str, facts: RoundFacts, decision_wager: str | None) -> Mapping[int, Mapping[str, End]]:
    """How every wager of every seat ends, seats from the first on.

    Args:
        chapter: "639a" ...
        facts: the round.
        decision_wager: "bet" or "raise"; None in Let It Ride. Winnings are counted on what was really placed, also where
            that is no lawful amount.
    """
    document: dict[str, Any] = {
        "id": "simulated",
        "game": chapter,
        "config": {"paytables": dict(facts.paytables)},
        "seats": [_seat(seat, decision_wager) for seat in facts.seats],
    }
    for group, cards in facts.shared.items():
        if cards:
            document[_FIELDS[group]] = _cards(group, cards)
    results = settle_round(document)["seats"]
    return {seat.seat: _ends(results[str(seat.seat)], seat, decision_wager) for seat in facts.seats}


def owed(ends: Mapping[int, Mapping[str, End]]) -> Owed:
    """Winnings of standing wagers: 0 is a push or a wager given back, None a loss."""
    return {seat: {w: None if e.outcome == "lose" else e.cents for w, e in own.items()} for seat, own in ends.items()}


def _cards(group: str, cards: tuple[str, ...]) -> Any:
    if group == "dealer":
        return {"cards": list(cards)}
    return cards[0] if group == "extra" else list(cards)


def _seat(seat: SeatFacts, decision_wager: str | None) -> dict[str, Any]:
    wagers = dict(seat.wagers)
    out: dict[str, Any] = {"seat": seat.seat, "wagers": wagers, "cards": list(seat.cards)}
    if decision_wager is None:
        wagers.update(bet2=wagers["bet1"], bet3=wagers["bet1"])
        out["decisions"] = {bet: "withdraw" if bet in seat.withdrawn else "ride" for bet in ("bet1", "bet2")}
    else:
        out["decision"] = {"action": decision_wager if seat.made else "fold"}
    return out


def _ends(results: Mapping[str, Any], seat: SeatFacts, decision_wager: str | None) -> Mapping[str, End]:
    ends = {}
    for wager, result in results.items():
        stake = result["wager"]
        cents = max(0, result["return"] - stake)
        placed = seat.made if wager == decision_wager else seat.wagers.get(wager, stake)
        cents = cents * placed // stake if stake else cents
        ends[wager] = End(result["outcome"], cents)
    return ends
