"""The Five Card Hand Bonus, the electronic wager of Caribbean Stud and Let It Ride, with Magic Card and Lucky Bonus.

Source: 58 Pa. Code §§ 639a.1, 639a.11(c)(6), 639a.12(e), 643a.1, 643a.11(g)(5), 643a.12(f).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rules.cards import Card
from rules.hands import HandRank
from rules.money import Cents, MeterShare
from rules.paytables import Paytable, five_card_names
from rules.settlement.progressive import HAND_BONUS, MeterBank, paid_share, settle_progressive_line
from rules.settlement.readings import is_on
from rules.settlement.results import Outcome, WagerResult
from rules.settlement.table import Round, extra_payout

DEALER = "dealer"


def settle_player(played: Round, seat: int, stake: Cents, table: Paytable, best: HandRank) -> WagerResult:
    """The wager on the player's own hand."""
    names = (best.label, *five_card_names(best))
    result = settle_progressive_line(stake, table, names, played.meters, seat, group=HAND_BONUS)
    assert result is not None
    return result


class DealerHandBonus:
    """The wagers on the dealer's hand: a share of the meter is taken once and divided equally (639a.12(e)(2)).

    It is taken at the first such player's turn and each part is floored to the cent (CAR-A12).

    Args:
        table: the paytable.
        best: the dealer's hand.
        players: how many wagered on the dealer's hand.
        meters: the meters.
    """

    def __init__(self, table: Paytable, best: HandRank, players: int, meters: MeterBank) -> None:
        self._table, self._best, self._players, self._meters = table, best, players, meters
        self._taken: tuple[Cents, Cents] | None = None

    def settle(self, seat: int, stake: Cents) -> WagerResult:
        """The result of one player's wager on the dealer's hand."""
        line = self._table.line(five_card_names(self._best))
        if line is None or not isinstance(line.pay, MeterShare):
            names = (self._best.label, *five_card_names(self._best))
            result = settle_progressive_line(stake, self._table, names, self._meters, seat, group=HAND_BONUS)
            assert result is not None
            return result
        if self._taken is None:
            before = self._meters.balance(f"{HAND_BONUS}.{line.pay.meter}")
            amount = self._meters.pay(self._table, HAND_BONUS, DEALER, line.pay, stake)
            self._taken = before, Cents(amount // self._players)
        before, part = self._taken
        return paid_share(
            stake,
            line.pay,
            part,
            before=before,
            hand=line.hand,
            group=HAND_BONUS,
            citation=f"{self._table.citation}, (2)",
            parts=self._players,
        )


def extras(
    played: Round,
    table: Paytable,
    stake: Cents,
    cards: Sequence[Card],
    *,
    side: str,
    lucky: int | str,
    won: WagerResult,
) -> Mapping[str, WagerResult]:
    """Magic Card and Lucky Bonus of one wager.

    Args:
        played: the round, with `magic_card` and `lucky` of its configuration.
        table: the paytable of the Five Card Hand Bonus.
        stake: the wager.
        cards: the cards of the hand wagered on.
        side: "player" or "dealer", the end of the payouts' names.
        lucky: seat number, or "dealer", that the Lucky Bonus must have drawn.
        won: the result of the wager itself, which the payouts need only under `fchb.extra_requires_win`.
    """
    needs_win = is_on(played.readings, "fchb.extra_requires_win")
    if needs_win and won.outcome is not Outcome.WIN:
        return {}
    payouts = {}
    magic = played.magic_card
    if magic is not None and magic in cards:
        payouts[f"magic_{side}"] = extra_payout(table, "magic_card", stake, because=f"magic card {magic}")
    if played.lucky == lucky:
        payouts[f"lucky_{side}"] = extra_payout(table, "lucky_bonus", stake, because=f"lucky position {lucky}")
    return payouts
