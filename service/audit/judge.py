"""Settled rounds judged: what `rules` owes for every wager against what the round says was paid.

A round is judged whole or not at all. It is settled with the configuration of its table's file and the law of its day.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from rules.dated import law_day, law_of, section_date
from rules.money import MOST_CENTS
from rules.settlement.fields import Field
from rules.settlement.readings import READINGS
from rules.settlement.results import SettlementError, WagerResult
from rules.settlement.rounds import GAMES, settle
from rules.table import TableConfig
from service.audit.bodies import canonical, digest_of, pack
from service.audit.calendar import A_TIME, FIRST_YEAR, LAST_YEAR, Moment, ShiftPlan, read_time
from service.audit.facts import AuditedRound, Fact, Kind, Verdict, judge_amounts, line_of

PAYOUTS_OF_THEIR_OWN = ("envy", "magic_player", "magic_dealer", "lucky_player", "lucky_dealer")
"""Payouts without a stake, which may be paid although nothing is owed."""
UNKEPT = ("deck", "expected")
"""Fields of a round that say nothing of what was owed or paid."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/ -]{0,63}")
_PARAGRAPH = re.compile(r"§ ?\d+a(\.\d+)")


@dataclass(frozen=True, slots=True)
class Judge:
    """Judges settled rounds.

    Attributes:
        plan: days and shifts.
        tables: table files by table; a round of a table that is not among them must bring its own configuration.
    """

    plan: ShiftPlan
    tables: Mapping[str, TableConfig]

    def judge(self, document: Mapping[str, Any]) -> AuditedRound:
        """One settled round.

        Raises:
            SettlementError: naming the field that is wrong, what it holds and what is expected.
        """
        root = Field(document)
        table_id, round_id = _name(root.get("table")), _name(root.get("id"))
        moment = self._moment(root)
        config = self.config(root, table_id)
        paid = root.get("paid")
        with law_of(moment.law_day):
            settled = settle({**document, "config": config})
            game = GAMES[str(document["game"])].game
            results = {(seat, wager): one for seat, wagers in settled.seats.items() for wager, one in wagers.items()}
            _verify_stakes(root.find("stakes"), results)
            facts = self._facts(paid, results, game, table_id)
        kept = {name: value for name, value in document.items() if name not in UNKEPT}
        dealer = root.find("dealer_number")
        return AuditedRound(
            table_id=table_id,
            round_id=round_id,
            game=game,
            moment=moment,
            dealer=_name(dealer) if dealer else "",
            facts=facts,
            digest=digest_of(canonical(kept)),
            body=pack(canonical(kept | {"config": config, "law_day": str(moment.law_day)})),
        )

    def config(self, root: Field, table_id: str) -> Mapping[str, Any]:
        """The Rules Submission that a round is settled by: the table's file with what only the round knows.

        Raises:
            SettlementError: neither is there, or both are and differ.
        """
        field = root.find("config")
        own: Mapping[str, Any] = field.mapping() if field else {}
        table = self.tables.get(table_id)
        if table is None:
            if "paytables" not in own:
                raise SettlementError(f"config.paytables: missing, and there is no table file of {table_id}")
            return own
        if (game := str(root.get("game").value)) in GAMES and GAMES[game].game != table.game:
            raise SettlementError(f"game: {game}, but the table file of {table_id} says {table.game}")
        filed = config_of(table)
        for name, value in filed.items():
            if name in own and own[name] != value and name != "readings":
                raise SettlementError(f"config.{name}: {own[name]!r}, but the table file of {table_id} says {value!r}")
        return {**own, **filed}

    def _moment(self, root: Field) -> Moment:
        field, shift = root.get("at"), root.find("shift")
        try:
            at = read_time(field.text())
        except ValueError:
            raise field.fail(f"a day and a time of day as {A_TIME}, in the years {FIRST_YEAR} to {LAST_YEAR}") from None
        return self.plan.moment(at, shift=_name(shift) if shift else None)

    def _facts(
        self, paid: Field, results: Mapping[tuple[int, str], WagerResult], game: str, table_id: str
    ) -> tuple[Fact, ...]:
        given: dict[tuple[int, str], int | None] = {}
        for seat, wagers in paid.items():
            for wager, cents in wagers.items():
                key = (int(seat) if seat.isdigit() and seat.isascii() else -1, wager)
                if key not in results and not (wager in PAYOUTS_OF_THEIR_OWN and any(s == key[0] for s, _ in results)):
                    raise SettlementError(
                        f"{cents.path}: the round has no such wager; seat {seat} has {_wagers(results, key[0])}"
                    )
                given[key] = None if cents.value is None else cents.cents()
        table = self.tables.get(table_id)
        facts = [
            _fact(seat, wager, one, given.get((seat, wager)), game, table) for (seat, wager), one in results.items()
        ]
        for (number, wager), back in given.items():
            if (number, wager) not in results and back is not None:
                facts.append(Fact(number, kind_of(game, wager, "not owed"), 0, 0, back, judge_amounts(0, back)))
        return tuple(facts)


def _verify_stakes(stakes: Field | None, results: Mapping[tuple[int, str], WagerResult]) -> None:
    """Stakes that follow from a decision must be those that the source names, where it names them."""
    for seat, wagers in stakes.items() if stakes else ():
        for wager, cents in wagers.items():
            result = results.get((int(seat) if seat.isdigit() and seat.isascii() else -1, wager))
            if result is not None and result.stake_cents != cents.cents():
                raise cents.fail(f"{result.stake_cents} cents, which the wagers and the decision make it")


def _fact(seat: int, wager: str, result: WagerResult, paid: int | None, game: str, table: TableConfig | None) -> Fact:
    owed = int(result.return_cents)
    if max(owed, result.stake_cents) > MOST_CENTS:
        raise SettlementError(
            f"seat {seat}, {wager}: {owed} cents are owed for {result.stake_cents}; at most {MOST_CENTS} can be audited"
        )
    line = line_of(result.outcome, hand=result.hand, odds=result.odds, why=result.why)
    verdict, way = judge_amounts(owed, paid), ""
    if paid is None:
        way = "what was paid is not known"
    elif not _is_in_force(game, result.citation):
        verdict, way = Verdict.UNDETERMINED, f"the text of {result.citation} on that day is not held"
    elif table is not None and (part := result.owed_cents % min(table.chips.values())):
        smallest, rounding = min(table.chips.values()), table.reading("rounding")
        if rounding == "chip":
            owed -= int(part)
            verdict = judge_amounts(owed, paid)
        elif rounding == "exact" and verdict is not Verdict.RIGHT and abs(paid - owed) < smallest:
            verdict, way = Verdict.UNDETERMINED, f"how it is rounded to chips of {smallest} cents"
    return Fact(seat, kind_of(game, wager, line), int(result.stake_cents), owed, paid, verdict, way)


@lru_cache(maxsize=4096)
def kind_of(game: str, wager: str, line: str) -> Kind:
    """The same object for the same kind."""
    return Kind(game, wager, line)


def _is_in_force(game: str, citation: str) -> bool:
    day, match = law_day(), _PARAGRAPH.search(citation)
    return day is None or match is None or section_date(game, match[1]).effective <= day


def config_of(table: TableConfig) -> dict[str, Any]:
    """A table's file as the configuration that settlement reads."""
    config: dict[str, Any] = {"dealing": table.dealing, "paytables": dict(table.paytables)}
    optional = {
        "progressive_unit": table.progressive_unit_cents,
        "max_payout": table.payout_limit_cents,
        "min_bet": table.minimum_wager_cents if table.payout_limit_cents is not None else None,
    }
    config |= {name: value for name, value in optional.items() if value is not None}
    chosen = {name: value for name, value in table.readings.items() if name in READINGS and value != READINGS[name][0]}
    return config | ({"readings": chosen} if chosen else {})


def _name(field: Field) -> str:
    text = field.text()
    if not _NAME.fullmatch(text):
        raise field.fail('1 to 64 letters, digits, ".", "_", ":", "/", "-" or blanks, the first a letter or digit')
    return text


def _wagers(results: Mapping[tuple[int, str], WagerResult], seat: int) -> str:
    return ", ".join(wager for number, wager in results if number == seat) or "none"
