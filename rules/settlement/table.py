"""What the settlement of every game shares: a round as read, and what a game's module says of its game."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from rules.cards import DECK_52, Card
from rules.money import Cents, format_cents
from rules.paytables import GamePaytables, Paytable
from rules.settlement.fields import Field
from rules.settlement.progressive import MeterBank
from rules.settlement.results import Outcome, WagerResult

FOLD = "fold"


@dataclass(frozen=True, slots=True)
class Seat:
    """One player's part of a round.

    Attributes:
        number: 1 is farthest to the dealer's left.
        wagers: cents by wager, placed before the deal.
        cards: in dealt order.
        decision: as the game's `read_decision` gives it, e.g. {"action": "fold"}.
    """

    number: int
    wagers: Mapping[str, Cents]
    cards: tuple[Card, ...]
    decision: Mapping[str, str | int]

    @property
    def is_folded(self) -> bool:
        """Whether the player gave up the hand."""
        return self.decision.get("action") == FOLD


@dataclass(frozen=True, slots=True)
class Round:
    """A round as read from JSON.

    Attributes:
        round_id: its name.
        seats: ascending.
        shared: cards of no player, by the name of the field ("community", "dealer", "six_cards", "replacement").
        paytables: by wager.
        meters: what stands on the meters; settling changes it.
        readings: switches of ambiguous texts.
        config: the Rules Submission as read.
        magic_card: the Magic Card drawn by the system, None without.
        lucky: seat, or "dealer", that the system drew for the Lucky Bonus, None without.
        void: why the round is void, "" if it is not.
        void_settles_bonus: whether Progressive and Trips are settled all the same (687a.13(d)).
    """

    round_id: str
    seats: tuple[Seat, ...]
    shared: Mapping[str, tuple[Card, ...]]
    paytables: Mapping[str, Paytable]
    meters: MeterBank
    readings: Mapping[str, str]
    config: Field
    magic_card: Card | None = None
    lucky: int | str | None = None
    void: str = ""
    void_settles_bonus: bool = False

    @property
    def settlement_order(self) -> tuple[Seat, ...]:
        """From the dealer's right, counterclockwise."""
        return tuple(reversed(self.seats))

    def paytable(self, wager: str) -> Paytable:
        """The paytable of a wager that is offered."""
        return self.paytables[wager]


Results = Mapping[int, Mapping[str, WagerResult]]
"""Results by seat and wager."""


def _find_table(law: GamePaytables, wager: str, name: str) -> Paytable:
    return law.table(wager, name)


@dataclass(frozen=True, slots=True, kw_only=True)
class GameRules:
    """What reading and settling a round needs to know of a game.

    Attributes:
        game: its name in `rules/data/paytables.yaml`.
        chapter: of 58 Pa. Code.
        seats: betting positions at most.
        cards_each: cards of a player.
        shared_cards: other cards by the name of the field, "?" after it where it may be missing, with their number.
        before_deal: every wager placed before the deal.
        required: wagers without which there is no hand.
        fixed: wagers whose one paytable needs no choice.
        chosen: optional wagers, and under which name the Rules Submission chooses their paytable.
        metered: wagers that raise meters, by group of meters, in the order in which they are added.
        unit_keys: the field of `config` with the one amount of the wagers of a group.
        read_decision: the decision of a seat, checked.
        settle: the results of all seats, in the order of settlement.
        settle_void: the wagers settled although the round is void; None where the chapter has none.
        find_table: the paytable of a chosen name.
        printed_units: the one amount, in cents, that a paytable of a wager is printed for, by group, and the section.
        deck: the cards of the game.
    """

    game: str
    chapter: str
    seats: int
    cards_each: int
    shared_cards: Mapping[str, int]
    before_deal: tuple[str, ...]
    required: tuple[str, ...]
    fixed: tuple[str, ...]
    chosen: Mapping[str, str]
    metered: Mapping[str, tuple[str, ...]]
    unit_keys: Mapping[str, str]
    read_decision: Callable[[Field], Mapping[str, str | int]]
    settle: Callable[[Round], Results]
    settle_void: Callable[[Round], Results] | None = None
    find_table: Callable[[GamePaytables, str, str], Paytable] = _find_table
    printed_units: Mapping[str, tuple[Mapping[str, int], str]] = field(default_factory=dict)
    deck: frozenset[Card] = field(default=frozenset(DECK_52))


def envy_bonuses(
    table: Paytable | None, receivers: Mapping[int, Cents], holders: Mapping[int, Sequence[str]]
) -> Mapping[int, WagerResult]:
    """The envy bonus of every player who receives one: a fixed sum for each other seat that holds a qualifying hand.

    Args:
        table: the progressive paytable, None where the wager is not offered.
        receivers: progressive wager in cents by seat, of players who folded too.
        holders: the rows that the hands still on the table answer to, by seat.
    """
    if table is None or not table.envy:
        return {}
    bonuses = {}
    for receiver, wager in receivers.items():
        items = {
            seat: bonus
            for seat, names in holders.items()
            if seat != receiver and (bonus := table.envy_for(wager, names)) is not None
        }
        if items:
            total = Cents(sum(cents for _, cents in items.values()))
            parts = "; ".join(f"seat {seat} {hand} {format_cents(cents)}" for seat, (hand, cents) in items.items())
            bonuses[receiver] = WagerResult(
                outcome=Outcome.WIN,
                stake_cents=Cents(0),
                return_cents=total,
                owed_cents=total,
                way=f"envy bonus by the wager of {format_cents(wager)}: {parts}: {format_cents(total)}",
                citation=table.envy_citation,
            )
    return bonuses


def extra_payout(table: Paytable, extra: str, wager: Cents, *, because: str) -> WagerResult:
    """A Magic Card or Lucky Bonus payout, counted on the Five Card Hand Bonus Wager, with no stake of its own."""
    odds = table.extras[extra]
    amount = odds.winnings(wager)  # type: ignore[union-attr]
    return WagerResult(
        outcome=Outcome.WIN,
        stake_cents=Cents(0),
        return_cents=amount,
        owed_cents=amount,
        odds=str(odds),
        way=f"{because} {odds} on {format_cents(wager)}: {format_cents(amount)}",
        citation=table.extras_citation,
    )
