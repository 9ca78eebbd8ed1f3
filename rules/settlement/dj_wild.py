"""Settlement of DJ Wild Stud Poker.

Source: 58 Pa. Code § 687a.6, § 687a.11, § 687a.12, § 687a.13(d).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from rules.cards import DECK_53, Card
from rules.hands import FiveCard, HandRank, is_wild, rank_five, rank_five_wild
from rules.money import Basis, Cents, Odds
from rules.paytables import GamePaytables, Paytable, five_card_names, game_paytables
from rules.settlement.fields import Field
from rules.settlement.progressive import PROGRESSIVE, settle_progressive_line
from rules.settlement.readings import is_on, reading
from rules.settlement.results import SettlementError, WagerResult, lost, pushed, settle_by_line
from rules.settlement.table import FOLD, GameRules, Results, Round, Seat, envy_bonuses

GAME = "dj_wild"
NATURAL, WITH_WILD = "natural", "with wild"
_CODE = "58 Pa. Code §"


def is_natural(cards: Sequence[Card], reading_of_natural: str = "no_substitution") -> bool:
    """Whether a hand is paid from the Natural column of the Trips Bonus (687a.12(d), DJW-A5).

    Args:
        cards: the player's five cards.
        reading_of_natural: "no_substitution": no joker, and every 2 playing as a 2 gives as good a category as wild;
            "no_wild_present": no joker and no 2 at all.
    """
    if reading_of_natural == "no_wild_present":
        return not any(map(is_wild, cards))
    if any(card.is_joker for card in cards):
        return False
    return rank_five(cards).category is rank_five_wild(cards).category


def wild_hand(cards: Sequence[Card], readings: Mapping[str, str]) -> HandRank:
    """A hand with its wild cards, as the readings DJW-A1 and DJW-A3 have it.

    Raises:
        SettlementError: a reading that is none.
    """
    return rank_five_wild(
        cards,
        five_of_a_kind=reading(readings, "djw.five_of_a_kind_rank"),
        duplicates=is_on(readings, "djw.wild_flush_duplicate_ace"),
    )


def progressive_hand(cards: Sequence[Card], replacement: Card | None, *, deuces_wild: bool = False) -> HandRank:
    """The hand of the Progressive: the joker replaced by the extra card, every 2 plain (687a.11(f)(1), DJW-A2).

    Args:
        cards: the player's five cards.
        replacement: the extra card, None where there is none.
        deuces_wild: the other reading, in which every 2 stays wild.

    Raises:
        SettlementError: if there is a joker and no card to replace it.
    """
    if replacement is None and any(card.is_joker for card in cards):
        raise SettlementError("replacement: missing, but a player with a Progressive Bonus Wager holds the joker")
    plain = [replacement if card.is_joker and replacement is not None else card for card in cards]
    return rank_five_wild(plain) if deuces_wild else rank_five(plain)


def settle_base(
    player: HandRank,
    dealer: HandRank,
    wagers: Mapping[str, Cents],
    tables: Mapping[str, Paytable],
    tie_break: str = "standard",
) -> Mapping[str, WagerResult]:
    """Ante, Raise and Blind of a player who did not fold (687a.11(e)).

    Args:
        player: the player's hand.
        dealer: the dealer's hand.
        wagers: cents of "ante", "raise" and "blind".
        tables: their paytables.
        tie_break: within a category, "standard" compares ranks, "category" makes it a push (DJW-A4).
    """
    order = compare(player, dealer, tie_break)
    both = f"{player.words} against the dealer's {dealer.words}"
    results = {}
    for wager in ("ante", "raise", "blind"):
        stake, hand = wagers[wager], player.label if wager == "ante" else ""
        if order < 0:
            citation = f"{_CODE} 687a.11(e)(3)"
            results[wager] = lost(stake, because=f"{both}, lower", hand=hand, citation=citation)
        elif order == 0:
            citation = f"{_CODE} 687a.11(e)(2)"
            results[wager] = pushed(stake, because=f"{both}, equal", hand=hand, citation=citation)
        else:
            line = tables[wager].line(five_card_names(player))
            assert line is not None
            subject = player.label if wager == "blind" else f"{both}, higher"
            results[wager] = settle_by_line(
                stake, line.pay, hand=hand, subject=subject, citation=tables[wager].citation
            )
    return results


def compare(player: HandRank, dealer: HandRank, tie_break: str = "standard") -> int:
    """Whether the player's hand is higher (1), equal (0) or lower (-1) than the dealer's."""
    ours, theirs = (player.place, dealer.place) if tie_break == "category" else (player.score, dealer.score)
    return (ours > theirs) - (ours < theirs)


def _settle_table(played: Round) -> Results:
    dealer = wild_hand(played.shared["dealer"], played.readings)
    results: dict[int, dict[str, WagerResult]] = {}
    for seat in _order(played):
        player = wild_hand(seat.cards, played.readings)
        seat_results: dict[str, WagerResult] = {}
        if seat.is_folded:
            seat_results.update({wager: _forfeit(seat.wagers[wager]) for wager in ("ante", "blind")})
        else:
            wagers = {**seat.wagers, "raise": Cents(2 * seat.wagers["ante"])}
            tie_break = reading(played.readings, "djw.tie_break")
            seat_results.update(settle_base(player, dealer, wagers, played.paytables, tie_break))
        seat_results.update(_progressive(played, seat, folded=seat.is_folded))
        seat_results.update(_trips(played, seat, player))
        seat_results.update(_bad_beat(played, seat, player, dealer))
        results[seat.number] = seat_results
    for number, envy in _envy(played, folded_counts=True).items():
        results[number]["envy"] = envy
    return results


def _settle_void(played: Round) -> Results:
    """Progressive and Trips of a round void because cards were revealed before the Raise Wagers (687a.13(d)).

    Nobody has folded for good before that point, so no wager is forfeited.
    """
    results: dict[int, dict[str, WagerResult]] = {}
    for seat in _order(played):
        if len(seat.cards) != 5:
            continue
        progressive = _progressive(played, seat, folded=False)
        results[seat.number] = {**progressive, **_trips(played, seat, wild_hand(seat.cards, played.readings))}
    for number, envy in _envy(played, folded_counts=False).items():
        results.setdefault(number, {})["envy"] = envy
    return results


def _order(played: Round) -> tuple[Seat, ...]:
    """The order of settlement; 687a.11(e) contradicts itself, the sister chapters go from the right (DJW-A7)."""
    way = reading(played.readings, "djw.settle_order")
    if way == "right_ccw":
        return played.settlement_order
    return played.seats if way == "left_cw" else (played.seats[0], *played.settlement_order[:-1])


def _forfeit(stake: Cents) -> WagerResult:
    return lost(stake, because="folded", why="fold", citation=f"{_CODE} 687a.11(b)")


def _folded_qualifies(played: Round) -> bool:
    field = played.config.find("folded_hands_qualify_progressive")
    return field.flag() if field else False


def _replacement(played: Round) -> Card | None:
    cards = played.shared["replacement"]
    return cards[0] if cards else None


def _progressive(played: Round, seat: Seat, *, folded: bool) -> Mapping[str, WagerResult]:
    if "progressive" not in seat.wagers:
        return {}
    stake, table = seat.wagers["progressive"], played.paytable("progressive")
    if folded and not _folded_qualifies(played):
        because = "folded, and this house lets no folded hand qualify"
        return {"progressive": lost(stake, because=because, why="fold", citation=f"{_CODE} 687a.11(b)(3)")}
    if reading(played.readings, "djw.prog_basis") == "for":
        table = _on_basis(table, Basis.FOR)
    names = _progressive_names(played, seat)
    result = settle_progressive_line(stake, table, names, played.meters, seat.number)
    assert result is not None
    return {"progressive": result}


def _progressive_names(played: Round, seat: Seat) -> tuple[str, ...]:
    deuces_wild = is_on(played.readings, "djw.progressive_deuces_wild")
    best = progressive_hand(seat.cards, _replacement(played), deuces_wild=deuces_wild)
    return (best.label, *five_card_names(best))


def _on_basis(table: Paytable, basis: Basis) -> Paytable:
    lines = tuple(
        replace(line, pay=replace(line.pay, basis=basis)) if isinstance(line.pay, Odds) else line
        for line in table.lines
    )
    return replace(table, lines=lines)


def _trips(played: Round, seat: Seat, player: HandRank) -> Mapping[str, WagerResult]:
    """Trips Bonus; it lives on after a fold (687a.11(b)(1))."""
    if "trips" not in seat.wagers:
        return {}
    of = reading(played.readings, "djw.natural")
    column = NATURAL if is_natural(seat.cards, of) else WITH_WILD
    table = _trips_column(played.paytable("trips"), column)
    line = table.line(five_card_names(player))
    subject = f"{player.label}, {column}"
    pay = line.pay if line else None
    stake = seat.wagers["trips"]
    return {"trips": settle_by_line(stake, pay, hand=player.label, subject=subject, citation=table.citation)}


def _bad_beat(played: Round, seat: Seat, player: HandRank, dealer: HandRank) -> Mapping[str, WagerResult]:
    """Two-Way Bad Beat: three-of-a-kind or better that loses to the dealer (687a.11(f)(3), DJW-A14)."""
    if "bad_beat" not in seat.wagers:
        return {}
    stake, table = seat.wagers["bad_beat"], played.paytable("bad_beat")
    if seat.is_folded:
        return {"bad_beat": _forfeit(stake)}
    wins = reading(played.readings, "djw.bad_beat")
    order = compare(player, dealer, reading(played.readings, "djw.tie_break"))
    if wins == "two_way" and order > 0:
        player, dealer, order = dealer, player, -1
    if wins != "any" and order >= 0:
        because = f"{player.words} does not lose to the dealer's {dealer.words}"
        return {"bad_beat": lost(stake, because=because, hand=player.label, citation=f"{_CODE} 687a.11(f)(3)(i)")}
    or_less = is_on(played.readings, "djw.bb04_or_less") and table.name == "04"
    names = five_card_names(player)
    if or_less and player.category < FiveCard.THREE_OF_A_KIND:
        names = (FiveCard.THREE_OF_A_KIND.label,)
    line = table.line(names)
    pay = line.pay if line else None
    subject = f"{player.label} that loses to the dealer's {dealer.words}"
    return {"bad_beat": settle_by_line(stake, pay, hand=player.label, subject=subject, citation=table.citation)}


def _envy(played: Round, *, folded_counts: bool) -> Mapping[int, WagerResult]:
    """Envy bonuses, for which the chapter has amounts and no procedure: as in the sister chapters (DJW-A12).

    A folded hand counts where the house lets folded hands qualify and the cards stay on the table, which 687a.11(c)
    has for players with a Trips or Progressive Bonus Wager. `folded_counts` False counts every hand as not folded.
    """
    if reading(played.readings, "djw.envy") == "false":
        return {}
    must_wager = is_on(played.readings, "envy.holder_must_wager")
    receivers = {seat.number: seat.wagers["progressive"] for seat in played.seats if "progressive" in seat.wagers}
    holders = {}
    for seat in played.seats:
        stays = _folded_qualifies(played) and bool({"trips", "progressive"} & seat.wagers.keys())
        if folded_counts and seat.is_folded and not stays:
            continue
        jokers = any(card.is_joker for card in seat.cards)
        known = len(seat.cards) == 5 and (_replacement(played) is not None or not jokers)
        if receivers and jokers and not known and folded_counts:
            raise SettlementError(f"replacement: missing; seat {seat.number} holds the joker, whose place the extra card takes for the envy bonuses (687a.11(f)(1))")  # fmt: skip
        if receivers and known and (not must_wager or "progressive" in seat.wagers):
            holders[seat.number] = _progressive_names(played, seat)
    return envy_bonuses(played.paytables.get("progressive"), receivers, holders)


def _read_decision(seat: Field) -> Mapping[str, str | int]:
    return {"action": seat.get("decision").get("action").choice("raise", FOLD)}


def _find_table(law: GamePaytables, wager: str, name: str) -> Paytable:
    """The paytable of a name as the chapter prints it or its last two digits: "DJWT-04" or "04"."""
    short = name.removeprefix("DJWT-").removeprefix("DJWBB-")
    if wager != "trips":
        return law.table(wager, short)
    columns = sorted({column.split(" ")[0] for column in law.tables[wager]})
    return law.table(wager, f"{short} {NATURAL}" if short in columns else short)


def _trips_column(table: Paytable, column: str) -> Paytable:
    return game_paytables(GAME).table("trips", f"{table.name.split(' ')[0]} {column}")


RULES = GameRules(
    game=GAME,
    chapter="687a",
    seats=6,
    cards_each=5,
    shared_cards={"dealer": 5, "replacement?": 1},
    before_deal=("ante", "blind", "progressive", "trips", "bad_beat"),
    required=("ante", "blind"),
    fixed=("ante", "raise", "blind"),
    chosen={"progressive": "progressive", "trips": "trips", "bad_beat": "bad_beat"},
    metered={PROGRESSIVE: ("progressive",)},
    unit_keys={PROGRESSIVE: "progressive_unit"},
    printed_units={PROGRESSIVE: ({"1": 100, "2": 500}, "§ 687a.12(c)")},
    read_decision=_read_decision,
    settle=_settle_table,
    settle_void=_settle_void,
    find_table=_find_table,
    deck=frozenset(DECK_53),
)
