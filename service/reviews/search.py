"""The language rounds are searched with: words that all have to hold, read into terms. See docs/guides/investigator.md."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy.orm import InstrumentedAttribute

from rules.cards import RANKS, SUITS
from rules.hands import FiveCard, ThreeCard
from rules.law import GAMES
from service.reviews.errors import ReviewError
from service.reviews.tables import ReviewRow
from service.store.round_facts import COMMUNITY, DEALER, named
from service.store.round_tables import RoundCardRow, RoundFactRow, RoundFindingRow, RoundHandRow, RoundWagerRow

HELP = "See the search help: e.g. As, [As Kd], seat3:As, hand:flush, paid>500, ante.diff<0, breach, check:RIU-C1-WHEN"
HANDS = frozenset(named(rank.label) for rank in FiveCard) | frozenset(
    "three:" + named(rank.label) for rank in ThreeCard
)
AMOUNTS = {
    "stake": RoundWagerRow.stake_cents, "owed": RoundWagerRow.owed_cents, "paid": RoundWagerRow.paid_cents,
    "diff": RoundWagerRow.difference_cents,
}  # fmt: skip
OPERATORS: dict[str, Callable[[InstrumentedAttribute[int], int], sa.ColumnElement[bool]]] = {
    ">=": lambda column, cents: column >= cents,
    "<=": lambda column, cents: column <= cents,
    "!=": lambda column, cents: column != cents,
    ">": lambda column, cents: column > cents,
    "<": lambda column, cents: column < cents,
    "=": lambda column, cents: column == cents,
    ":": lambda column, cents: column == cents,
}
CARD = re.compile(rf"(?:[{RANKS}][{SUITS}]|Jo)")
AMOUNT = re.compile(
    r"(?:(?P<wager>[a-z][a-z0-9_]*)\.)?(?P<field>stake|owed|paid|diff)(?P<operator>>=|<=|!=|[<>=:])(?P<amount>.+)"
)
DOLLARS = re.compile(r"(?P<sign>[-−]?)\$?(?P<whole>\d{1,9})(?:\.(?P<rest>\d{1,2}))?")
PLACE = re.compile(r"seat(\d{1,2})|community|dealer")


@dataclass(frozen=True, slots=True)
class Term:
    """One condition on a round.

    Attributes:
        text: as it was written.
        number: the column that names the round in the term's table.
        where: the condition, of one table and aliases of it.
        in_order: rows of one value come in the order of rounds from the index, so that the term may lead the search.
    """

    text: str
    number: InstrumentedAttribute[int]
    where: sa.ColumnElement[bool]
    in_order: bool = True


def read_query(text: str) -> list[Term]:
    """The terms of a search.

    Raises:
        ReviewError: a word is none of the language; says which, and what would be.
    """
    return [_term(word) for word in _words(text)]


def _words(text: str) -> Iterator[str]:
    for match in re.finditer(r"\[[^\]]*\]?|\S+", text):
        word = match.group()
        if word.startswith("[") and not word.endswith("]"):
            raise ReviewError("a bracket is not closed", where=word, do="Write the cards of one hand as [As Kd]")
        yield word


def _term(word: str) -> Term:
    if word.startswith("["):
        return _one_hand(word)
    if CARD.fullmatch(card := _card(word)):
        return _cards(word, card, None)
    amount = AMOUNT.fullmatch(word.lower())
    if amount is not None:
        return _amount(word, amount)
    name, colon, value = word.partition(":")
    if not colon:
        return _single(word)
    place = PLACE.fullmatch(name.lower())
    if place is not None:
        return _at(word, value, _place(name.lower(), place))
    if name.lower() not in NAMED or not value:
        raise ReviewError(f"{word!r} is no search word", do=HELP)
    return NAMED[name.lower()](word, value)


def _card(word: str) -> str:
    """A card however its letters are written: `as`, `10h`, `A♠`."""
    text = word.replace("10", "T").translate(str.maketrans("♠♥♦♣", "shdc"))
    return text[:1].upper() + text[1:].lower()


def _place(name: str, match: re.Match[str]) -> int:
    return int(match.group(1)) if match.group(1) else {"community": COMMUNITY, "dealer": DEALER}[name]


def _cards(word: str, card: str, place: int | None) -> Term:
    table = sa.orm.aliased(RoundCardRow)
    where = table.card == card
    return Term(word, table.number, where if place is None else where & (table.place == place))


def _one_hand(word: str) -> Term:
    cards = [_card(text) for text in word.strip("[]").replace(",", " ").split()]
    for card in cards:
        if not CARD.fullmatch(card):
            raise ReviewError(
                f"{card!r} is no card", where=word, do="Write rank and suit as in As, Td, 9h, 2c; Jo for the joker"
            )
    if not cards:
        raise ReviewError("there is no card in the bracket", where=word, do="Write the cards of one hand as [As Kd]")
    first = sa.orm.aliased(RoundCardRow)
    where = first.card == cards[0]
    for card in cards[1:]:
        other = sa.orm.aliased(RoundCardRow)
        same = (other.card == card) & (other.number == first.number) & (other.place == first.place)
        where &= sa.exists().where(same)
    return Term(word, first.number, where)


def _at(word: str, value: str, place: int) -> Term:
    card = _card(value)
    if CARD.fullmatch(card):
        return _cards(word, card, place)
    return _hand(word, value, place)


def _hand(word: str, value: str, place: int | None = None) -> Term:
    hand = value.lower().replace("_", "-")
    if hand not in HANDS:
        raise ReviewError(
            f"{value!r} is neither a card nor a hand", where=word, do=f"Hands are {', '.join(sorted(HANDS))}"
        )
    table = sa.orm.aliased(RoundHandRow)
    where = table.hand == hand
    return Term(word, table.number, where if place is None else where & (table.place == place))


def _amount(word: str, match: re.Match[str]) -> Term:
    table = sa.orm.aliased(RoundWagerRow)
    cents, operator = cents_of(match["amount"], word), match["operator"]
    where = OPERATORS[operator](getattr(table, AMOUNTS[match["field"]].key), cents)
    if match["wager"]:
        where &= table.wager == match["wager"]
    return Term(word, table.number, where, in_order=operator in "=:")


def cents_of(text: str, word: str) -> int:
    """An amount in dollars as cents.

    Raises:
        ReviewError: it is none.
    """
    match = DOLLARS.fullmatch(text)
    if match is None:
        raise ReviewError(f"{text!r} is no amount in dollars", where=word, do="Write it as in paid>500 or diff=-12.50")
    cents = 100 * int(match["whole"]) + int((match["rest"] or "0").ljust(2, "0"))
    return -cents if match["sign"] else cents


def _single(word: str) -> Term:
    lower = word.lower()
    if lower in ("breach", "undetermined"):
        table = sa.orm.aliased(RoundFindingRow)
        return Term(word, table.number, table.verdict == lower)
    if lower.replace("_", "-") in HANDS:
        return _hand(word, lower)
    raise ReviewError(f"{word!r} is no search word", do=HELP)


def _check(word: str, value: str) -> Term:
    table = sa.orm.aliased(RoundFindingRow)
    return Term(word, table.number, table.check_id == value.upper())


def _section(word: str, value: str) -> Term:
    table = sa.orm.aliased(RoundFindingRow)
    start = value.lstrip("§ ").lower()
    # whatever begins with it: 669a.11 finds 669a.11(c); the next string after all of these ends with the next character
    within = (table.section >= start) & (table.section < start[:-1] + chr(ord(start[-1]) + 1))
    return Term(word, table.number, within, in_order=False)


def _wager(word: str, value: str) -> Term:
    table = sa.orm.aliased(RoundWagerRow)
    return Term(word, table.number, table.wager == value.lower())


def _table(word: str, value: str) -> Term:
    table = sa.orm.aliased(RoundFactRow)
    return Term(word, table.number, table.table_id == value)


def _round(word: str, value: str) -> Term:
    table = sa.orm.aliased(RoundFactRow)
    return Term(word, table.number, table.round_id == value)


def _review(word: str, value: str) -> Term:
    if not (value.isascii() and value.isdigit() and len(value) < 10):
        raise ReviewError(f"{value!r} is no number of a review", where=word, do="Write it as in review:12")
    table, review = sa.orm.aliased(RoundFactRow), sa.orm.aliased(ReviewRow)
    run = sa.select(review.run_id).where(review.review_id == int(value)).scalar_subquery()
    return Term(word, table.number, table.run_id == run, in_order=False)


def _game(word: str, value: str) -> Term:
    game = value.lower()
    if game not in GAMES:
        raise ReviewError(f"there is no game {value!r}", where=word, do=f"Games are {', '.join(GAMES)}")
    table = sa.orm.aliased(RoundFactRow)
    return Term(word, table.number, table.game == game)


NAMED: dict[str, Callable[[str, str], Term]] = {
    "card": lambda word, value: _cards(word, _verified(word, value), None),
    "hand": _hand,
    "three": lambda word, value: _hand(word, f"three:{value}"),
    "wager": _wager,
    "check": _check,
    "finding": _check,
    "section": _section,
    "table": _table,
    "round": _round,
    "review": _review,
    "game": _game,
}


def _verified(word: str, value: str) -> str:
    card = _card(value)
    if not CARD.fullmatch(card):
        raise ReviewError(
            f"{value!r} is no card", where=word, do="Write rank and suit as in As, Td, 9h, 2c; Jo for the joker"
        )
    return card
