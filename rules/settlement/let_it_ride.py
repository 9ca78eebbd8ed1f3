"""Settlement of Let It Ride Poker.

Source: 58 Pa. Code § 643a.6, § 643a.11(g), § 643a.12, § 643a.13. The order of a seat's wagers is that of § 643a.11(g).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from rules.cards import Card
from rules.hands import HandRank, rank_best_of_six, rank_five, rank_three
from rules.money import Basis, Cents, Odds, format_cents
from rules.paytables import Paytable, five_card_names, game_paytables, six_card_names, three_card_names
from rules.settlement.fields import Field
from rules.settlement.hand_bonus import extras, settle_player
from rules.settlement.progressive import HAND_BONUS, PROGRESSIVE, settle_progressive_line
from rules.settlement.readings import is_on, reading
from rules.settlement.results import Outcome, SettlementError, WagerResult, returned, settle_by_line
from rules.settlement.table import GameRules, Results, Round, Seat, envy_bonuses

GAME = "let_it_ride"
BETS = ("bet1", "bet2", "bet3")
PROGRESSIVES = ("progressive3", "progressive5")
RIDE, WITHDRAW = "ride", "withdraw"
_CODE = "58 Pa. Code §"


def settle_bets(
    best: HandRank,
    stake: Cents,
    riding: Sequence[str],
    table: Paytable,
    payout_limit: Cents | None,
    *,
    with_stake: bool = False,
) -> Mapping[str, WagerResult]:
    """Bets 1 to 3: those withdrawn are returned, the others are paid by the table, together up to the payout limit.

    Args:
        best: the hand of the player's three and the two community cards.
        stake: cents of each of the three bets.
        riding: the bets not withdrawn.
        table: the paytable of the Let It Ride Wagers.
        payout_limit: cents the winnings of one hand may reach (643a.12(h)), used up in the order of the bets
            (LIR-CAP, LIR-A10); None without a limit.
        with_stake: the limit counts the stakes of the bets too.
    """
    names = five_card_names(best)
    line = table.line(names)
    left = payout_limit
    if left is not None and with_stake:
        left = Cents(max(0, left - stake * len(riding)))
    results: dict[str, WagerResult] = {}
    for bet in BETS:
        if bet not in riding:
            results[bet] = returned(stake, because="withdrawn", citation=f"{_CODE} 643a.11(b), (d)")
            continue
        result = settle_by_line(stake, line.pay if line else None, hand=names[0], citation=table.citation)
        if left is not None and result.outcome is Outcome.WIN:
            result = _limited(result, left)
            left = Cents(left - result.owed_cents)
        results[bet] = result
    return results


def _limited(result: WagerResult, left: Cents) -> WagerResult:
    if result.owed_cents <= left:
        return result
    return replace(
        result,
        owed_cents=left,
        return_cents=Cents(result.stake_cents + left),
        way=f"{result.way}, but the payout limit leaves {format_cents(left)} and the stake",
        citation=f"{result.citation}, (h)",
    )


def _settle_table(played: Round) -> Results:
    _verify_one_progressive(played)
    limit = _read_limit(played)
    results: dict[int, dict[str, WagerResult]] = {}
    for seat in played.settlement_order:
        five = (*seat.cards, *played.shared["community"])
        best = rank_five(five)
        with_stake = reading(played.readings, "lir.limit_basis") == "with_stake"
        bets = settle_bets(
            best, seat.wagers["bet1"], _riding(seat), played.paytable("bet1"), limit, with_stake=with_stake
        )
        seat_results = dict(bets)
        seat_results.update(_bonuses(played, seat, best))
        seat_results.update(_progressives(played, seat, best))
        if "fchb" in seat.wagers:
            stake, table = seat.wagers["fchb"], played.paytable("fchb")
            won = seat_results["fchb"] = settle_player(played, seat.number, stake, table, best)
            seat_results.update(extras(played, table, stake, five, side="player", lucky=seat.number, won=won))
        seat_results.update(_six_card_bonus(played, seat))
        results[seat.number] = seat_results
    for number, envy in _envy(played).items():
        results[number]["envy"] = envy
    return results


def _riding(seat: Seat) -> tuple[str, ...]:
    return tuple(bet for bet in BETS if seat.decision.get(bet) != WITHDRAW)


def _bonuses(played: Round, seat: Seat, best: HandRank) -> Mapping[str, WagerResult]:
    results = {}
    if "five_card_bonus" in seat.wagers:
        stake, table = seat.wagers["five_card_bonus"], played.paytable("five_card_bonus")
        names = five_card_names(best)
        line = table.line(names)
        pay = line.pay if line else None
        if isinstance(pay, Odds):
            basis = Basis(reading(played.readings, "lir.fcb_basis"))
            pay = replace(pay, basis=basis)
        results["five_card_bonus"] = settle_by_line(stake, pay, hand=names[0], citation=table.citation)
    if "three_card_bonus" in seat.wagers:
        stake, table = seat.wagers["three_card_bonus"], played.paytable("three_card_bonus")
        names = _three_names(played, seat.cards)
        line = table.line(names)
        hand = line.hand if line else names[-1]
        pay = line.pay if line else None
        results["three_card_bonus"] = settle_by_line(stake, pay, hand=hand, citation=table.citation)
    return results


def _three_names(played: Round, cards: Sequence[Card]) -> tuple[str, ...]:
    ace_low = is_on(played.readings, "three_card.ace_low")
    return three_card_names(rank_three(cards, ace_low=ace_low))


def _progressives(played: Round, seat: Seat, best: HandRank) -> Mapping[str, WagerResult]:
    results = {}
    hands = {"progressive3": _three_names(played, seat.cards), "progressive5": (best.label, *five_card_names(best))}
    for wager, names in hands.items():
        if wager in seat.wagers:
            table = played.paytable(wager)
            result = settle_progressive_line(seat.wagers[wager], table, names, played.meters, seat.number)
            assert result is not None
            results[wager] = result
    return results


def _six_card_bonus(played: Round, seat: Seat) -> Mapping[str, WagerResult]:
    """The best of the player's three cards and the three Six Card Bonus cards, not the community cards."""
    if "six_card_bonus" not in seat.wagers:
        return {}
    six = (*seat.cards, *played.shared["six_cards"])
    if len(six) != 6:
        raise SettlementError(f"six_cards: missing, but seat {seat.number} has a Six Card Bonus Wager")
    table = played.paytable("six_card_bonus")
    names = six_card_names(six, rank_best_of_six(six))
    line = table.line(names)
    hand = line.hand if line else names[0]
    pay = line.pay if line else None
    return {"six_card_bonus": settle_by_line(seat.wagers["six_card_bonus"], pay, hand=hand, citation=table.citation)}


def _envy(played: Round) -> Mapping[int, WagerResult]:
    """Envy bonuses of the progressive wager offered, of either kind for its own bettors only (LIR-A23)."""
    must_wager = is_on(played.readings, "envy.holder_must_wager")
    bonuses: dict[int, WagerResult] = {}
    for wager in PROGRESSIVES:
        holders = {}
        for seat in played.seats:
            if must_wager and wager not in seat.wagers:
                continue
            five = rank_five((*seat.cards, *played.shared["community"]))
            three = wager == "progressive3"
            holders[seat.number] = _three_names(played, seat.cards) if three else five_card_names(five)
        receivers = {seat.number: seat.wagers[wager] for seat in played.seats if wager in seat.wagers}
        for number, envy in envy_bonuses(played.paytables.get(wager), receivers, holders).items():
            bonuses[number] = _both(bonuses[number], envy) if number in bonuses else envy
    return bonuses


def _both(first: WagerResult, second: WagerResult) -> WagerResult:
    """The envy bonuses of a player with both progressive wagers."""
    return replace(
        first,
        owed_cents=Cents(first.owed_cents + second.owed_cents),
        return_cents=Cents(first.return_cents + second.return_cents),
        odds=f"{first.odds}; {second.odds}",
        hand=f"{first.hand}; {second.hand}",
        way=f"{first.way}; {second.way}",
        citation=f"{first.citation}; {second.citation}",
    )


def _read_limit(played: Round) -> Cents | None:
    """The payout limit of the Rules Submission, None without one.

    It may not be lower than $50,000, nor than the most that one hand can win at the least wager (643a.12(h)).
    """
    field, law = played.config.find("max_payout"), game_paytables(GAME).payout_limit
    if field is None:
        return None
    assert law is not None
    least = law.least
    if min_bet := played.config.find("min_bet"):
        best = played.paytable(BETS[0]).lines[0].pay
        assert isinstance(best, Odds)
        lowest = min_bet.cents(least=1)
        stakes = lowest if reading(played.readings, "lir.limit_basis") == "with_stake" else 0
        least = max(least, Cents(len(BETS) * (best.winnings(lowest) + stakes)))
    if field.cents() < least:
        raise field.fail(f"at least {least} cents ({law.citation})")
    return field.cents()


def _verify_one_progressive(played: Round) -> None:
    """A table has one Progressive area and system (643a.2(b)(7), (d)); two that share a meter cannot be told apart."""
    both = [played.paytables[wager].meters.keys() for wager in PROGRESSIVES if wager in played.paytables]
    if len(both) == 2 and both[0] & both[1]:
        raise SettlementError("config.paytables: progressive3 and progressive5 would share a meter; choose one of them")


def _read_decisions(seat: Field) -> Mapping[str, str | int]:
    wagers = seat.get("wagers")
    for bet in BETS[1:]:
        if wagers.get(bet).value != wagers.get("bet1").value:
            raise wagers.get(bet).fail("the amount of bet1: 643a.7(d) has three equal wagers")
    decisions = seat.get("decisions")
    return {bet: decisions.get(bet).choice(RIDE, WITHDRAW) for bet in BETS[:2]}


RULES = GameRules(
    game=GAME,
    chapter="643a",
    seats=7,
    cards_each=3,
    shared_cards={"community": 2, "six_cards?": 3},
    before_deal=(
        *BETS,
        "five_card_bonus",
        "three_card_bonus",
        *PROGRESSIVES,
        "fchb",
        "six_card_bonus",
    ),
    required=BETS,
    fixed=(),
    chosen={
        **dict.fromkeys(BETS, "main"),
        "five_card_bonus": "five_card_bonus",
        "three_card_bonus": "three_card_bonus",
        "progressive3": "progressive3",
        "progressive5": "progressive5",
        "fchb": "five_card_hand_bonus",
        "six_card_bonus": "six_card_bonus",
    },
    metered={PROGRESSIVE: PROGRESSIVES, HAND_BONUS: ("fchb",)},
    unit_keys={PROGRESSIVE: "progressive_unit", HAND_BONUS: "fchb_unit"},
    read_decision=_read_decisions,
    settle=_settle_table,
)
