"""Settlement of Caribbean Stud Poker.

Source: 58 Pa. Code § 639a.6(c), § 639a.11(b) and (c), § 639a.12, § 639a.13.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from rules.cards import Card
from rules.hands import HandRank, is_ace_king_or_better, rank_five
from rules.money import Cents
from rules.paytables import Paytable, five_card_names
from rules.settlement.fields import Field
from rules.settlement.hand_bonus import DEALER, DealerHandBonus, extras, settle_player
from rules.settlement.progressive import HAND_BONUS, PROGRESSIVE, settle_progressive_line
from rules.settlement.readings import is_on, reading
from rules.settlement.results import WagerResult, lost, pushed, returned, settle_by_line
from rules.settlement.table import FOLD, GameRules, Results, Round, Seat, envy_bonuses

GAME = "caribbean_stud"
_CODE = "58 Pa. Code §"


def compare(player: HandRank, dealer: HandRank, tie_break: str = "standard") -> int:
    """Whether the player's hand is higher (1), equal (0) or lower (-1) than the dealer's.

    Args:
        player: the player's hand.
        dealer: the dealer's hand.
        tie_break: within a category, "standard" compares the ranks of the category first, then the other cards;
            "literal" takes 639a.6(c) word by word, the highest card not contained in the other hand (CAR-A1).
    """
    if player.category is not dealer.category or tie_break == "standard":
        return (player.score > dealer.score) - (player.score < dealer.score)
    ours, theirs = Counter(player.ranks), Counter(dealer.ranks)
    highest, other = max(ours - theirs, default=0), max(theirs - ours, default=0)
    return (highest > other) - (highest < other)


def settle_unqualified(
    dealer: HandRank, ante: Cents, bet: Cents, tables: Mapping[str, Paytable]
) -> Mapping[str, WagerResult] | None:
    """Ante and Bet of every player who did not fold, whatever his cards, where the dealer has no ace-king (639a.11(c)(3)(i)); None where he has.

    Args:
        dealer: the dealer's hand.
        ante: cents.
        bet: cents.
        tables: paytables of "ante" and "bet".
    """
    if is_ace_king_or_better(dealer):
        return None
    line = tables["ante"].line(five_card_names(dealer))  # the Ante pays every hand alike
    assert line is not None
    below = f"dealer's {dealer.words} is below ace-king"
    won = settle_by_line(ante, line.pay, hand="", subject=below, citation=tables["ante"].citation)
    return {"ante": won, "bet": returned(bet, because=below, citation=f"{_CODE} 639a.11(c)(3)(i)")}


def settle_base(
    player: HandRank,
    dealer: HandRank,
    ante: Cents,
    bet: Cents,
    tables: Mapping[str, Paytable],
    tie_break: str = "standard",
) -> Mapping[str, WagerResult]:
    """Ante and Bet of a player who did not fold (639a.11(c)(3)).

    Args:
        player: the player's hand.
        dealer: the dealer's hand.
        ante: cents.
        bet: cents.
        tables: paytables of "ante" and "bet".
        tie_break: see `compare`.
    """
    below = settle_unqualified(dealer, ante, bet, tables)
    return settle_qualified(player, dealer, ante, bet, tables, tie_break) if below is None else below


def settle_qualified(
    player: HandRank,
    dealer: HandRank,
    ante: Cents,
    bet: Cents,
    tables: Mapping[str, Paytable],
    tie_break: str = "standard",
) -> Mapping[str, WagerResult]:
    """Ante and Bet of a player who did not fold against a dealer who has ace-king or better (639a.11(c)(3)(ii)); arguments as of `settle_base`."""
    line = tables["ante"].line(five_card_names(player))
    assert line is not None
    order = compare(player, dealer, tie_break)
    both = f"{player.words} against the dealer's {dealer.words}"
    if order < 0:
        citation = f"{_CODE} 639a.11(c)(3)(ii)(A)"
        because = f"{both}, lower"
        return {
            "ante": lost(ante, because=because, citation=citation),
            "bet": lost(bet, because=because, citation=citation),
        }
    if order == 0:
        citation = f"{_CODE} 639a.11(c)(3)(ii)(C)"
        return {
            "ante": pushed(ante, because=f"{both}, equal", citation=citation),
            "bet": pushed(bet, because=f"{both}, equal", citation=citation),
        }
    won = settle_by_line(ante, line.pay, hand="", subject=f"{both}, higher", citation=tables["ante"].citation)
    paid_line = tables["bet"].line(five_card_names(player))
    assert paid_line is not None
    return {
        "ante": won,
        "bet": settle_by_line(bet, paid_line.pay, hand=player.label, citation=tables["bet"].citation),
    }


def _settle_table(played: Round) -> Results:
    dealer_cards = played.shared["dealer"]
    dealer = rank_five(dealer_cards)
    bonus = _dealer_bonus(played, dealer)
    results: dict[int, dict[str, WagerResult]] = {}
    for seat in played.settlement_order:
        best = rank_five(seat.cards)
        seat_results: dict[str, WagerResult] = {}
        seat_results.update(_base(played, seat, best, dealer))
        seat_results.update(_optional(played, seat, best))
        seat_results.update(_hand_bonus(played, seat, best, dealer_cards, bonus))
        results[seat.number] = seat_results
    for number, envy in _envy(played).items():
        results[number]["envy"] = envy
    return results


def _base(played: Round, seat: Seat, best: HandRank, dealer: HandRank) -> Mapping[str, WagerResult]:
    ante = seat.wagers["ante"]
    if seat.is_folded:
        return {"ante": _forfeit(ante)}
    tie_break = reading(played.readings, "car.tie_break")
    return settle_base(best, dealer, ante, Cents(2 * ante), played.paytables, tie_break)


def _forfeit(stake: Cents) -> WagerResult:
    return lost(stake, because="folded", why="fold", citation=f"{_CODE} 639a.11(b)")


def _optional(played: Round, seat: Seat, best: HandRank) -> Mapping[str, WagerResult]:
    results = {}
    names = five_card_names(best)
    if "bonus" in seat.wagers:
        stake, table = seat.wagers["bonus"], played.paytable("bonus")
        line = table.line(names)
        pay = line.pay if line else None
        settled = settle_by_line(stake, pay, hand=names[0], citation=table.citation)
        results["bonus"] = _forfeit(stake) if seat.is_folded else settled
    if "progressive" in seat.wagers:
        stake, table = seat.wagers["progressive"], played.paytable("progressive")
        if seat.is_folded:
            results["progressive"] = _forfeit(stake)
        else:
            by_hand = settle_progressive_line(stake, table, (best.label, *names), played.meters, seat.number)
            assert by_hand is not None
            results["progressive"] = by_hand
    return results


def _dealer_bonus(played: Round, dealer: HandRank) -> DealerHandBonus | None:
    players = sum("fchb_dealer" in seat.wagers for seat in played.seats)
    return DealerHandBonus(played.paytable("fchb_dealer"), dealer, players, played.meters) if players else None


def _hand_bonus(
    played: Round, seat: Seat, best: HandRank, dealer_cards: Sequence[Card], bonus: DealerHandBonus | None
) -> Mapping[str, WagerResult]:
    """Five Card Hand Bonus on the player's and the dealer's hand; it lives on after a fold (639a.11(b))."""
    results: dict[str, WagerResult] = {}
    if "fchb_player" in seat.wagers:
        stake, table = seat.wagers["fchb_player"], played.paytable("fchb_player")
        won = results["fchb_player"] = settle_player(played, seat.number, stake, table, best)
        results.update(extras(played, table, stake, seat.cards, side="player", lucky=seat.number, won=won))
    if "fchb_dealer" in seat.wagers and bonus is not None:
        stake, table = seat.wagers["fchb_dealer"], played.paytable("fchb_dealer")
        won = results["fchb_dealer"] = bonus.settle(seat.number, stake)
        results.update(extras(played, table, stake, dealer_cards, side=DEALER, lucky=DEALER, won=won))
    return results


def _envy(played: Round) -> Mapping[int, WagerResult]:
    """Envy bonuses; a folded hand never counts, its cards are in the discard rack (639a.11(c), CAR-A6)."""
    must_wager = is_on(played.readings, "envy.holder_must_wager")
    holders = {
        seat.number: five_card_names(rank_five(seat.cards))
        for seat in played.seats
        if not seat.is_folded and (not must_wager or "progressive" in seat.wagers)
    }
    receivers = {seat.number: seat.wagers["progressive"] for seat in played.seats if "progressive" in seat.wagers}
    return envy_bonuses(played.paytables.get("progressive"), receivers, holders)


def _read_decision(seat: Field) -> Mapping[str, str | int]:
    return {"action": seat.get("decision").get("action").choice("bet", FOLD)}


RULES = GameRules(
    game=GAME,
    chapter="639a",
    seats=7,
    cards_each=5,
    shared_cards={"dealer": 5},
    before_deal=("ante", "bonus", "progressive", "fchb_player", "fchb_dealer"),
    required=("ante",),
    fixed=("ante", "bet"),
    chosen={
        "bonus": "bonus",
        "progressive": "progressive",
        "fchb_player": "five_card_hand_bonus",
        "fchb_dealer": "five_card_hand_bonus",
    },
    metered={PROGRESSIVE: ("progressive",), HAND_BONUS: ("fchb_player", "fchb_dealer")},
    unit_keys={PROGRESSIVE: "progressive_unit", HAND_BONUS: "fchb_unit"},
    read_decision=_read_decision,
    settle=_settle_table,
)
