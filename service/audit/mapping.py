"""CSV of other systems: a mapping file says which of their columns is which field of ours; see `docs/import.md`.

The rows of a round stand together; they become one document in the format of `docs/settle.md`, which is then judged like
any other. Nothing is guessed: a column, wager, decision or game that the mapping does not name is an error.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from rules.money import MOST_CENTS
from rules.settlement.results import SettlementError
from rules.settlement.rounds import GAMES
from service.audit.facts import AuditError
from service.textfiles import parse_yaml, read_text

Row = Mapping[str, str]


def _with_time_of_day(form: str) -> str:
    """A form of times that tells the hour; a day alone would be taken as its midnight."""
    if not any(sign in form.replace("%%", "") for sign in ("%H", "%I", "%c", "%X")):
        raise ValueError("must tell the time of day, e.g. %H:%M:%S")
    return form


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class RoundColumns(_Part):
    """Columns that are the same in all rows of a round."""

    id: str
    table: str
    at: str
    game: str | None = None
    dealer_number: str | None = None
    shift: str | None = None
    void: str | None = None


class SeatColumns(_Part):
    """Columns that are the same in all rows of a seat."""

    number: str
    cards: str
    decision: str | None = None


class WagerColumns(_Part):
    """Columns of one wager. `paid` is what went back in all (`returned`) or that less the stake (`net`)."""

    name: str
    stake: str
    paid: str
    paid_is: Literal["returned", "net"] = "returned"


class CsvMapping(_Part):
    """A mapping file."""

    version: Literal[1]
    delimiter: str = Field(",", min_length=1, max_length=1)
    encoding: str = "utf-8-sig"
    round: RoundColumns
    seat: SeatColumns
    wager: WagerColumns
    money: Literal["cents", "dollars"]
    at_format: Annotated[str, AfterValidator(_with_time_of_day)] | None = Field(
        None, description="as Python's strptime; ISO 8601 if not given"
    )
    game: str | None = Field(None, description="the game of every row, if no column says it")
    games: Mapping[str, str] = Field(default_factory=dict, description="their names of games -> chapters, e.g. 669a")
    wagers: Mapping[str, str] = Field(description="their names of wagers -> ours")
    decisions: Mapping[str, Mapping[str, str | int]] = Field(
        default_factory=dict, description="their words -> our decision"
    )
    shared: Mapping[str, str] = Field(
        default_factory=dict, description="community, dealer, six_cards, replacement -> column"
    )
    meters: Mapping[str, str] = Field(default_factory=dict, description="meter, e.g. prog.meter -> column")
    drawn: Mapping[Literal["magic_card", "lucky"], str] = Field(default_factory=dict, description="-> column")

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column the mapping names."""
        parts = (self.round, self.seat)
        named = [name for part in parts for name in part.model_dump().values() if name is not None]
        named += [self.wager.name, self.wager.stake, self.wager.paid]
        return tuple(dict.fromkeys((*named, *self.shared.values(), *self.meters.values(), *self.drawn.values())))

    def key(self, row: Row) -> tuple[str, str]:
        """What tells the round of a row from its neighbours."""
        return row[self.round.table], row[self.round.id]

    def document(self, rows: Sequence[tuple[int, Row]]) -> dict[str, Any]:
        """The rows of one round as a document.

        Args:
            rows: line and row.

        Raises:
            SettlementError: naming line and column.
        """
        _, first = rows[0]
        for name in (self.round.at, *self.shared.values(), *self.meters.values(), *self.drawn.values()):
            for line, row in rows[1:]:
                if row[name] != first[name]:
                    raise SettlementError(
                        f"line {line}, column {name}: {row[name]!r}, but {first[name]!r} before in this round"
                    )
        game = self._game(*rows[0])
        config: dict[str, Any] = {
            "meters_before": {
                meter: self._cents(*rows[0], column) for meter, column in self.meters.items() if first[column]
            }
        }
        config |= {name: _number_or_text(first[column]) for name, column in self.drawn.items() if first[column]}
        out: dict[str, Any] = {
            "id": first[self.round.id], "table": first[self.round.table], "at": self._at(*rows[0]), "game": game, "config": config,
        }  # fmt: skip
        for name, column in (("dealer_number", self.round.dealer_number), ("shift", self.round.shift)):
            if column is not None and first[column]:
                out[name] = first[column]
        if self.round.void is not None and first[self.round.void]:
            out["void"] = {"reason": first[self.round.void]}
        for name, column in self.shared.items():
            if first[column]:
                cards = _cards(first[column])
                out[name] = {"cards": cards} if name == "dealer" else cards[0] if name == "replacement" else cards
        self._seats(out, rows, game)
        return out

    def _seats(self, out: dict[str, Any], rows: Sequence[tuple[int, Row]], game: str) -> None:
        seats: dict[str, dict[str, Any]] = {}
        paid: dict[str, dict[str, int | None]] = {}
        stakes: dict[str, dict[str, int]] = {}
        before = GAMES[game].before_deal
        for line, row in rows:
            number = row[self.seat.number]
            if not number.isdigit() or not number.isascii():
                raise SettlementError(
                    f"line {line}, column {self.seat.number}: expected a seat's number, got {number!r}"
                )
            seat = {
                "seat": int(number),
                "wagers": {},
                "cards": _cards(row[self.seat.cards]),
                **self._decision(line, row, game),
            }
            known = seats.setdefault(number, seat)
            if any(known[name] != value for name, value in seat.items() if name != "wagers"):
                raise SettlementError(
                    f"line {line}: cards or decision of seat {number} are not those of its line before"
                )
            wager = self._named(line, row, self.wager.name, self.wagers)
            if wager in paid.setdefault(number, {}):
                raise SettlementError(f"line {line}, column {self.wager.name}: seat {number} has a second {wager}")
            stake = self._cents(line, row, self.wager.stake) if row[self.wager.stake] else 0
            if wager in before:
                known["wagers"][wager] = stake
            else:
                stakes.setdefault(number, {})[wager] = stake
            back = self._cents(line, row, self.wager.paid) if row[self.wager.paid] else None
            paid[number][wager] = back if back is None or self.wager.paid_is == "returned" else back + stake
        out["seats"], out["paid"] = list(seats.values()), paid
        if stakes:
            out["stakes"] = stakes

    def _game(self, line: int, row: Row) -> str:
        game = self.game
        if game is None and self.round.game is not None:
            game = self._named(line, row, self.round.game, self.games)
        if game is None or game not in GAMES:
            raise SettlementError(f"line {line}: game {game!r} is none of {', '.join(GAMES)}")
        return game

    def _decision(self, line: int, row: Row, game: str) -> dict[str, Any]:
        column = self.seat.decision
        if column is None or not row[column]:
            return {}
        word = row[column]
        if word not in self.decisions:
            raise SettlementError(f"line {line}, column {column}: {word!r} is none of {', '.join(self.decisions)}")
        return {"decisions" if GAMES[game].chapter == "643a" else "decision": dict(self.decisions[word])}

    def _named(self, line: int, row: Row, column: str, names: Mapping[str, str]) -> str:
        if row[column] not in names:
            raise SettlementError(f"line {line}, column {column}: {row[column]!r} is none of {', '.join(names)}")
        return names[row[column]]

    def _at(self, line: int, row: Row) -> str:
        text = row[self.round.at]
        if self.at_format is None:
            return text
        try:
            return datetime.strptime(text, self.at_format).isoformat()  # noqa: DTZ007  # the house's zone is set later
        except ValueError as error:
            raise SettlementError(f"line {line}, column {self.round.at}: {error}") from None

    def _cents(self, line: int, row: Row, column: str) -> int:
        text = row[column].strip()
        try:
            amount = Decimal(text.removeprefix("$").replace(",", "")) * (1 if self.money == "cents" else 100)
        except ArithmeticError:
            amount = Decimal("NaN")
        if not amount.is_finite() or abs(amount) > MOST_CENTS or amount != amount.to_integral_value():
            raise SettlementError(f"line {line}, column {column}: {text!r} is no amount in {self.money}")
        return int(amount)


def read_mapping(path: Path) -> tuple[CsvMapping, str]:
    """A mapping file and the SHA-256 of its text.

    Raises:
        ServiceError: it is not YAML, or no mapping; names the line or the key.
    """
    text = read_text(path, what="mapping file", do="Give a mapping with --mapping; docs/import.md describes it")
    raw = parse_yaml(text, where=path, do="Correct it; docs/import.md has an example")
    try:
        mapping = CsvMapping.model_validate(raw)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(map(str, first["loc"])) or "the file"
        raise AuditError(f"{key}: {first['msg']}", where=path, do="See the list of keys in docs/import.md") from error
    return mapping, hashlib.sha256(text.encode()).hexdigest()


def _cards(text: str) -> list[str]:
    return text.replace("10", "T").replace(",", " ").split()


def _number_or_text(text: str) -> int | str:
    return int(text) if text.isdigit() and text.isascii() else text
