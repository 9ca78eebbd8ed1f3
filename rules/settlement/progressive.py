"""Progressive meters within one round: what each accepted wager adds, and what a share of the meter pays.

A wager pays what stands on its meter when the player's turn comes; a payout of 100% sets the meter at once to its
reseed, so that the next seat of the round is paid from that (58 Pa. Code §§ 669a.12(e)(3)-(4), 639a.12(d)(4)-(5),
643a.12(d)(3)-(4)).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rules.money import Cents, MeterShare, format_cents
from rules.paytables import Paytable
from rules.settlement.results import SettlementError, WagerResult, paid_amount, settle_by_line

PROGRESSIVE = "prog"
HAND_BONUS = "fchb"


@dataclass(frozen=True, slots=True)
class MeterEntry:
    """One change of a meter: `kind` is "contribution" or "payout", `balance` what stands there after it."""

    kind: str
    seat: int | str
    meter: str
    amount: Cents
    balance: Cents


class MeterBank:
    """The meters of one table during one round.

    Args:
        balances: cents by meter before the round, e.g. {"prog.meter": 147260, "prog.reserve": 9169}.
    """

    def __init__(self, balances: Mapping[str, int]) -> None:
        self._balances = {name: Cents(cents) for name, cents in balances.items()}
        self._log: list[MeterEntry] = []

    @property
    def balances(self) -> Mapping[str, Cents]:
        """Cents by meter, as they stand now."""
        return dict(self._balances)

    @property
    def log(self) -> tuple[MeterEntry, ...]:
        """Every change in its order."""
        return tuple(self._log)

    def balance(self, meter: str) -> Cents:
        """What stands on one meter.

        Raises:
            SettlementError: if the round names no balance for it.
        """
        if meter not in self._balances:
            raise SettlementError(f"config.meters_before: no balance for {meter!r}, which the paytable needs")
        return self._balances[meter]

    def contribute(self, table: Paytable, group: str, seat: int, wager: Cents) -> None:
        """Add the part of an accepted wager that raises the meters of its paytable."""
        for meter in table.meters.values():
            if meter.increment_percent is not None:
                self._change("contribution", seat, f"{group}.{meter.name}", meter.increment(wager), 1)

    def pay(self, table: Paytable, group: str, seat: int | str, share: MeterShare, unit: Cents) -> Cents:
        """Take a share of a meter, and reseed it where the share is all of it.

        Args:
            table: the paytable with its meters.
            group: "prog" or "fchb".
            seat: whose turn it is, or "dealer".
            share: the share the hand wins.
            unit: the wager offered, which the reseed is counted for.

        Returns:
            The amount paid, which is 0 where an empty meter was won (EMPTY-METER).
        """
        name = f"{group}.{share.meter}"
        amount = share.of(self.balance(name))
        if share.percent == 100:
            self._balances[name] = table.meters[share.meter].reseed(unit)
            self._log.append(MeterEntry("payout", seat, name, amount, self._balances[name]))
        else:
            self._change("payout", seat, name, amount, -1)
        return amount

    def _change(self, kind: str, seat: int | str, name: str, amount: Cents, sign: int) -> None:
        self._balances[name] = Cents(self.balance(name) + sign * amount)
        self._log.append(MeterEntry(kind, seat, name, amount, self._balances[name]))


def settle_progressive_line(
    stake: Cents,
    table: Paytable,
    names: Sequence[str],
    meters: MeterBank | None,
    seat: int,
    *,
    group: str = PROGRESSIVE,
) -> WagerResult | None:
    """Settle a wager whose paytable may pay a share of a meter.

    Returns:
        The result; None where a share of a meter is won and `meters` is None, so that the amount is not known.
    """
    line = table.line(names)
    if line is None or not isinstance(line.pay, MeterShare):
        hand = line.hand if line else names[0]
        return settle_by_line(stake, line.pay if line else None, hand=hand, citation=table.citation)
    if meters is None:
        return None
    before = meters.balance(f"{group}.{line.pay.meter}")
    amount = meters.pay(table, group, seat, line.pay, stake)
    return paid_share(stake, line.pay, amount, before=before, hand=line.hand, group=group, citation=table.citation)


def paid_share(
    stake: Cents,
    share: MeterShare,
    amount: Cents,
    *,
    before: Cents,
    hand: str,
    group: str,
    citation: str,
    parts: int = 0,
) -> WagerResult:
    """The result of a share of a meter, divided among `parts` players where it is (639a.12(e)(2)); 0 for undivided."""
    odds = f"{share.percent}% of {group}.{share.meter}" + (f" / {parts}" if parts else "")
    divided = f", divided among {parts}" if parts else ""
    way = (
        f"{hand} {share.percent}% of the {group}.{share.meter} at {format_cents(before)}{divided}: "
        f"{format_cents(amount)} in all, the stake was collected before"
    )
    return paid_amount(stake, amount, odds=odds, hand=hand, way=way, citation=citation)
