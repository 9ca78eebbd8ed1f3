"""Rounds that were seen, on video or in the events of another system: their payouts as facts."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from rules.findings import Verdict as Check
from rules.money import MOST_CENTS
from rules.settlement.rounds import GAMES
from service.audit.bodies import canonical, digest_of, pack
from service.audit.calendar import NO_MOMENT, ShiftPlan
from service.audit.facts import AuditedRound, Fact, Verdict, judge_amounts, line_of
from service.audit.judge import kind_of

JUDGED_ELSEWHERE = "judged by another check; see the findings of the round"


def seen_round(
    record: Mapping[str, Any], *, table_id: str, game: str, at: datetime | None, dealer: str, plan: ShiftPlan, source: str,
    run_id: str = "",
) -> AuditedRound:  # fmt: skip
    """A closed round of an engine, as JSON values, with a fact for each of its payouts.

    Args:
        record: see `rules.records.RoundRecord`.
        table_id: its table.
        game: e.g. "dj_wild"; "" to tell it from the round's own citations.
        at: when it ended, None where nobody knows.
        dealer: the dealer's number, "" where not known.
        plan: days and shifts.
        source: tells apart rounds of the same name, which every run begins anew; a run or the content of a file.
        run_id: the run of the store it was seen in, "" for events of another system.
    """
    found = game or _game_of(record)
    short = digest_of(source.encode()).hex()[:8]
    content = canonical({"kind": "video", "round": record})
    return AuditedRound(
        table_id=table_id,
        round_id=f"{str(record['round_id']).rpartition('-')[2]}@{short}",
        game=found,
        moment=NO_MOMENT if at is None else plan.moment(at),
        dealer=dealer,
        facts=tuple(_fact(payout, found) for payout in record.get("payouts", ())),
        digest=digest_of(content),
        body=pack(content),
        run_id=run_id,
    )


def _fact(payout: Mapping[str, Any], game: str) -> Fact:
    staked, owed, paid = (_amount(payout.get(name)) for name in ("stake_cents", "due_cents", "returned_cents"))
    outcome = str(payout["outcome"])
    line = line_of(outcome, hand=payout.get("hand", ""), odds=payout.get("odds", ""), why=payout.get("why", ""))
    verdict, note = _verdict(Check(payout["verdict"]), outcome, owed, paid)
    kind = kind_of(game, str(payout["wager"]), line)
    if verdict is Verdict.UNDETERMINED:
        note = note or str(payout.get("way", ""))
    return Fact(int(payout["seat"]), kind, staked, owed, paid, verdict, note, payout.get("citation", ""))


def _amount(cents: int | None) -> int | None:
    """An amount as it can be added up, None where it is unknown or more than any table pays."""
    return cents if cents is None or cents <= MOST_CENTS else None


def _verdict(check: Check, outcome: str, owed: int | None, paid: int | None) -> tuple[Verdict, str]:
    """What a check's verdict and the amounts say together; where they do not fit, nothing is said."""
    by_amounts = judge_amounts(owed, paid)
    if check is Check.COMPLIANT:
        fits = by_amounts in (Verdict.RIGHT, Verdict.UNDETERMINED)
        return (Verdict.RIGHT, "") if fits else (Verdict.UNDETERMINED, JUDGED_ELSEWHERE)
    if check is Check.UNDETERMINED:
        return Verdict.UNDETERMINED, ""
    if check is Check.NOT_APPLICABLE:
        right = by_amounts is Verdict.RIGHT
        return (Verdict.RIGHT, "") if right else (Verdict.UNDETERMINED, JUDGED_ELSEWHERE)
    if by_amounts in (Verdict.OVER, Verdict.UNDER):
        return by_amounts, ""
    if by_amounts is Verdict.UNDETERMINED and outcome == "win" and paid == 0:
        return Verdict.UNDER, ""
    if by_amounts is Verdict.UNDETERMINED and outcome == "lose":
        return Verdict.OVER, ""
    return Verdict.UNDETERMINED, JUDGED_ELSEWHERE


def _game_of(record: Mapping[str, Any]) -> str:
    """The game whose chapter the payouts cite, or the only one that has their wagers; "unknown" where neither tells."""
    payouts = record.get("payouts", ())
    for payout in payouts:
        for chapter, rules in GAMES.items():
            if f"§ {chapter}." in payout.get("citation", ""):
                return rules.game
    names = {str(payout["wager"]) for payout in payouts}
    offered = {rules.game: {*rules.before_deal, *rules.fixed, *rules.chosen} for rules in GAMES.values()}
    fitting = [game for game, wagers in offered.items() if names and names <= wagers]
    return fitting[0] if len(fitting) == 1 else "unknown"
