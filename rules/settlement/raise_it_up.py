"""Settlement of Raise It Up Stud Poker, seat by seat.

Source: 58 Pa. Code § 669a.11(f), (g) and (i), § 669a.12, § 669a.13. The order of a seat's wagers is that of § 669a.11(i):
Pair Plus; Ante, Play and Blind; Progressive Payout; Six Card Bonus.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from types import MappingProxyType

from rules.cards import Card
from rules.hands import HandRank, rank_best_of_six, rank_three
from rules.money import Cents
from rules.paytables import Paytable, five_card_names, game_paytables, three_card_names
from rules.settlement.fields import Field
from rules.settlement.progressive import PROGRESSIVE, MeterBank, settle_progressive_line
from rules.settlement.readings import is_on, reading
from rules.settlement.results import SettlementError, WagerResult, lost, settle_by_line
from rules.settlement.table import FOLD, GameRules, Results, Round, envy_bonuses

GAME = "raise_it_up"
WAGERS = ("pair_plus", "ante", "play", "blind", "progressive", "six_card_bonus")
"""Every wager, in the order of settlement."""
OPTIONAL = ("pair_plus", "progressive", "six_card_bonus")
"""Wagers offered only where the Rules Submission says so, with the paytable chosen there."""
NO_READINGS: Mapping[str, str] = MappingProxyType({})

_CODE = "58 Pa. Code §"


def settle_seat(
    cards: Sequence[Card],
    community: Sequence[Card],
    wagers: Mapping[str, int],
    *,
    folded: bool,
    paytables: Mapping[str, str],
    readings: Mapping[str, str] = NO_READINGS,
    meters: MeterBank | None = None,
    seat: int = 0,
) -> Mapping[str, WagerResult]:
    """What each wager of one seat returns.

    Args:
        cards: the player's three cards, in any order.
        community: the three community cards, in any order.
        wagers: cents by wager of `WAGERS`; a wager not made is absent.
        folded: whether the player made no Play Wager.
        paytables: paytable chosen for each optional wager offered, e.g. {"pair_plus": "A"}.
        readings: switches of ambiguous texts with their values, the default reading where absent:
            `riu.pair_plus_on_fold` live/forfeit, `riu.progressive_cards` 3/6, `three_card.ace_low` true/false.
        meters: the progressive meter at this seat's turn, changed by a payout. Without it a Progressive Payout Wager
            that wins a share of the meter is left out of the result, for its amount is not known.
        seat: number of the seat, for the meter's record.

    Returns:
        Results by wager in the order of settlement.

    Raises:
        SettlementError: for an unknown wager, one that is not offered, or a Play Wager of a folded hand.
        rules.hands.HandError: for a wrong number of cards.
        rules.paytables.PaytableError: for a paytable the chapter does not have.
    """
    _verify(wagers, folded, paytables)
    ace_low = is_on(readings, "three_card.ace_low")
    best = rank_best_of_six((*cards, *community))
    three = three_card_names(rank_three(cards, ace_low=ace_low))
    results: dict[str, WagerResult] = {}
    for wager in WAGERS:
        if wager not in wagers:
            continue
        stake = Cents(wagers[wager])
        table = _table(wager, paytables)
        result: WagerResult | None
        if wager == "pair_plus":
            forfeit = folded and reading(readings, "riu.pair_plus_on_fold") == "forfeit"
            result = _forfeit(stake) if forfeit else _pair_plus(stake, table, three)
        elif wager == "progressive":
            six = reading(readings, "riu.progressive_cards") == "6"
            names = _progressive_names_of_six(cards, community, ace_low) if six else three
            result = _forfeit(stake) if folded else settle_progressive_line(stake, table, names, meters, seat)
        elif wager == "six_card_bonus":
            result = _by_best(stake, table, best)
        else:
            result = _forfeit(stake) if folded else _base(stake, table, best)
        if result is not None:
            results[wager] = result
    return MappingProxyType(results)


def progressive_names(cards: Sequence[Card], readings: Mapping[str, str] = NO_READINGS) -> tuple[str, ...]:
    """The rows of the Progressive Payout and envy tables that a player's three cards answer to."""
    ace_low = is_on(readings, "three_card.ace_low")
    return three_card_names(rank_three(cards, ace_low=ace_low))


def payout_names(
    cards: Sequence[Card], community: Sequence[Card], readings: Mapping[str, str] = NO_READINGS
) -> tuple[str, ...]:
    """The rows of the Progressive Payout table that a hand answers to, under the reading `riu.progressive_cards`."""
    if reading(readings, "riu.progressive_cards") == "6":
        return _progressive_names_of_six(cards, community, is_on(readings, "three_card.ace_low"))
    return progressive_names(cards, readings)


def _progressive_names_of_six(cards: Sequence[Card], community: Sequence[Card], ace_low: bool) -> tuple[str, ...]:
    """The best three of all six cards: the literal reading of 669a.12(e)(2) (RIU-A2, `riu.progressive_cards` 6)."""
    threes = [rank_three(three, ace_low=ace_low) for three in combinations((*cards, *community), 3)]
    return three_card_names(max(threes, key=lambda three: (three.category, three.ranks, three.suit == "s")))


def _verify(wagers: Mapping[str, int], folded: bool, offered: Mapping[str, str]) -> None:
    for wager in wagers:
        if wager not in WAGERS:
            raise SettlementError(f"{GAME}: no wager {wager!r}; those of the game: {', '.join(WAGERS)}")
        if wager in OPTIONAL and wager not in offered:
            raise SettlementError(f"{GAME}: a wager on {wager!r}, which the Rules Submission does not offer")
    if folded and "play" in wagers:
        raise SettlementError(f"{GAME}: a Play Wager of a hand that folded; {_CODE} 669a.11(f) has one or the other")


def _table(wager: str, chosen: Mapping[str, str]) -> Paytable:
    return game_paytables(GAME).table(wager, chosen[wager] if wager in OPTIONAL else "A")


def _forfeit(stake: Cents) -> WagerResult:
    return lost(stake, because="folded", why="fold", citation=f"{_CODE} 669a.11(f), (g)")


def _pair_plus(stake: Cents, table: Paytable, names: Sequence[str]) -> WagerResult:
    line = table.line(names)
    return settle_by_line(
        stake, line.pay if line else None, hand=line.hand if line else names[-1], citation=table.citation
    )


def _by_best(stake: Cents, table: Paytable, best: HandRank) -> WagerResult:
    names = five_card_names(best)
    line = table.line(names)
    return settle_by_line(stake, line.pay if line else None, hand=names[0], citation=table.citation)


def _base(stake: Cents, table: Paytable, best: HandRank) -> WagerResult:
    """Ante, Play or Blind: lost below a pair of 10s (669a.11(i)(2)(i)), else paid by the table (ii)."""
    names = five_card_names(best)
    if not best.is_pair_of_tens_or_better:
        because = f"{best.words} is below a pair of 10s"
        return lost(stake, because=because, hand=names[0], citation=f"{_CODE} 669a.11(i)(2)(i)")
    return _by_best(stake, table, best)


_MOST = {"third": 3, "fourth": 2, "fifth": 1}
"""The highest multiple of the Ante at each decision: 669a.11(b), (d), (f)."""


def _read_decision(seat: Field) -> Mapping[str, str | int]:
    decision = seat.get("decision")
    action = decision.get("action").choice("play", FOLD)
    if action == FOLD:
        return {"action": action}
    street = decision.get("street").choice(*_MOST)
    return {"action": action, "multiple": decision.get("multiple").number(1, _MOST[street])}


def _settle_table(played: Round) -> Results:
    chosen = {wager: table.name for wager, table in played.paytables.items()}
    results: dict[int, dict[str, WagerResult]] = {}
    for seat in played.settlement_order:
        wagers = dict(seat.wagers)
        if not seat.is_folded:
            wagers["play"] = Cents(wagers["ante"] * int(seat.decision["multiple"]))
        results[seat.number] = dict(
            settle_seat(
                seat.cards,
                played.shared["community"],
                wagers,
                folded=seat.is_folded,
                paytables=chosen,
                readings=played.readings,
                meters=played.meters,
                seat=seat.number,
            )
        )
    for number, bonus in _envy(played).items():
        results[number]["envy"] = bonus
    return results


def _envy(played: Round) -> Mapping[int, WagerResult]:
    """Envy bonuses; a folded hand counts where its cards stay on the table (669a.11(f), RIU-A9)."""
    folded_counts = is_on(played.readings, "envy.folded_holder")
    must_wager = is_on(played.readings, "envy.holder_must_wager")
    holders = {
        seat.number: progressive_names(seat.cards, played.readings)
        for seat in played.seats
        if (not seat.is_folded or (folded_counts and {"progressive", "six_card_bonus"} & seat.wagers.keys()))
        and (not must_wager or "progressive" in seat.wagers)
    }
    receivers = {seat.number: seat.wagers["progressive"] for seat in played.seats if "progressive" in seat.wagers}
    return envy_bonuses(played.paytables.get("progressive"), receivers, holders)


RULES = GameRules(
    game=GAME,
    chapter="669a",
    seats=6,
    cards_each=3,
    shared_cards={"community": 3},
    before_deal=("ante", "blind", "pair_plus", "six_card_bonus", "progressive"),
    required=("ante", "blind"),
    fixed=("ante", "blind", "play"),
    chosen={wager: wager for wager in OPTIONAL},
    metered={PROGRESSIVE: ("progressive",)},
    unit_keys={PROGRESSIVE: "progressive_unit"},
    read_decision=_read_decision,
    settle=_settle_table,
)
