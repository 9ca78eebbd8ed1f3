"""Reading a round from JSON strictly: every error says which field, what it holds and what is expected."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rules.cards import Card, CardError, parse_card
from rules.money import MOST_CENTS, Cents
from rules.settlement.results import SettlementError

_MISSING = object()
_KINDS = {dict: "an object", list: "a list", str: "a text", bool: "true or false", int: "a whole number"}


@dataclass(frozen=True, slots=True)
class Field:
    """A value of a JSON document with the path to it, e.g. `seats[2].wagers.ante`."""

    value: Any
    path: str = ""

    def fail(self, expected: str) -> SettlementError:
        """The error of this field holding something else than `expected`."""
        shown = json.dumps(self.value, default=str)
        return SettlementError(
            f"{self.path or 'the line'}: expected {expected}, got {shown if len(shown) <= 60 else shown[:57] + '...'}"
        )

    def get(self, key: str) -> Field:
        """The field of this object named `key`.

        Raises:
            SettlementError: if this is no object or the field is missing.
        """
        field = self.find(key)
        if field is None:
            raise SettlementError(f"{self._join(key)}: missing")
        return field

    def find(self, key: str) -> Field | None:
        """The field of this object named `key`, None where it is missing or null."""
        value = self.mapping().get(key, _MISSING)
        return None if value is _MISSING or value is None else Field(value, self._join(key))

    def mapping(self) -> Mapping[str, Any]:
        """This as an object."""
        return self._typed(dict)  # type: ignore[no-any-return]

    def items(self) -> Iterator[tuple[str, Field]]:
        """The fields of this object."""
        for key, value in self.mapping().items():
            yield key, Field(value, self._join(key))

    def elements(self) -> Iterator[Field]:
        """The elements of this list."""
        for place, value in enumerate(self._typed(list)):
            yield Field(value, f"{self.path}[{place}]")

    def text(self) -> str:
        """This as a text."""
        return self._typed(str)  # type: ignore[no-any-return]

    def flag(self) -> bool:
        """This as true or false."""
        return self._typed(bool)  # type: ignore[no-any-return]

    def choice(self, *allowed: str) -> str:
        """This as one of a few texts."""
        if self.value not in allowed or not isinstance(self.value, str):
            raise self.fail(f"one of {', '.join(allowed)}")
        return self.value

    def number(self, least: int, most: int | None = None) -> int:
        """This as a whole number within bounds; true and 1.0 are none."""
        value = self.value
        if (
            isinstance(value, bool)
            or not isinstance(value, int)
            or value < least
            or (most is not None and value > most)
        ):
            raise self.fail(
                f"a whole number of at least {least}" if most is None else f"a whole number {least} to {most}"
            )
        return value

    def cents(self, *, least: int = 0) -> Cents:
        """This as an amount of money in whole cents."""
        if isinstance(self.value, bool) or not isinstance(self.value, int) or self.value < least:
            raise self.fail(f"a whole number of cents of at least {least}")
        if self.value > MOST_CENTS:
            raise self.fail(f"at most {MOST_CENTS} cents")
        return Cents(self.value)

    def card(self, deck: frozenset[Card]) -> Card:
        """This as a card of the game's deck."""
        try:
            card = parse_card(self.value)
        except CardError as err:
            raise SettlementError(f"{self.path}: {err}") from err
        if card not in deck:
            raise SettlementError(f"{self.path}: {card} is not in the deck of {len(deck)} cards of this game")
        return card

    def cards(self, deck: frozenset[Card], count: int | None) -> tuple[Card, ...]:
        """This as a list of cards, `count` of them unless None."""
        cards = tuple(field.card(deck) for field in self.elements())
        if count is not None and len(cards) != count:
            raise self.fail(f"{count} cards")
        return cards

    def _join(self, key: str) -> str:
        return f"{self.path}.{key}" if self.path else key

    def _typed(self, kind: type) -> Any:
        if not isinstance(self.value, kind):
            raise self.fail(_KINDS[kind])
        return self.value


def verify_one_deck(cards: Sequence[tuple[str, Card]]) -> None:
    """Check that no card lies in two places.

    Args:
        cards: path of the field and card.

    Raises:
        SettlementError: naming the card and both fields.
    """
    seen: dict[Card, str] = {}
    for path, card in cards:
        if card in seen:
            raise SettlementError(
                f"{path}: {card} is there twice, the other time in {seen[card]}; one deck has it once"
            )
        seen[card] = path
