"""Playing cards: two characters each ("Th" is the ten of hearts), the joker is "Jo".

A card is the same object wherever it is parsed, so sets and comparisons are cheap. Suits are equal in rank
(58 Pa. Code § 669a.6(a) and the same subsection of the sister chapters); the order of `SUITS` only sorts decks.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

RANKS = "23456789TJQKA"
SUITS = "cdhs"
JOKER_TEXT = "Jo"
ACE, KING, QUEEN, JACK, TEN = 14, 13, 12, 11, 10
JOKER_RANK = 0
SUIT_SHIFT = 40
"""Bits of a card's code below the suits."""
JOKER_CODE = 1 << (SUIT_SHIFT + 3 * len(SUITS))

_RANK_WORDS = (
    "deuce",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "jack",
    "queen",
    "king",
    "ace",
)
_SUIT_WORDS = {"c": "clubs", "d": "diamonds", "h": "hearts", "s": "spades"}


class CardError(ValueError):
    """A text that is no card, or cards that cannot lie on one table together; the text says which and why."""


@dataclass(frozen=True, slots=True, order=True)
class Card:
    """One card of the deck. Use `parse_card`, which always hands out the same object for the same card.

    Attributes:
        rank: 2..14, ace 14; 0 for the joker.
        suit: "c", "d", "h" or "s"; "" for the joker.
        code: a number whose sum over a hand tells its ranks and suits: ranks counted in base 5 in the low 40 bits, suits
            counted in octal above, jokers above these.
    """

    rank: int
    suit: str
    code: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        code = JOKER_CODE if self.is_joker else 5 ** (self.rank - 2) + (1 << (SUIT_SHIFT + 3 * SUITS.index(self.suit)))
        object.__setattr__(self, "code", code)

    @property
    def is_joker(self) -> bool:
        """Whether this is the joker."""
        return self.rank == JOKER_RANK

    @property
    def words(self) -> str:
        """The card as spoken at the table, e.g. "ten of hearts"."""
        return "joker" if self.is_joker else f"{_RANK_WORDS[self.rank - 2]} of {_SUIT_WORDS[self.suit]}"

    def __str__(self) -> str:
        return JOKER_TEXT if self.is_joker else RANKS[self.rank - 2] + self.suit


JOKER = Card(JOKER_RANK, "")
DECK_52: tuple[Card, ...] = tuple(Card(rank, suit) for suit in SUITS for rank in range(2, ACE + 1))
DECK_53: tuple[Card, ...] = (*DECK_52, JOKER)
DECK_FACES = {len(deck): tuple(map(str, deck)) for deck in (DECK_52, DECK_53)}
"""The cards of a deck, as events name them, by its size."""
_BY_TEXT = {str(card): card for card in DECK_53}


def rank_words(rank: int, *, plural: bool = False) -> str:
    """The name of a rank, e.g. 14 -> "ace", or "aces"; the plural of six is "sixes"."""
    word = _RANK_WORDS[rank - 2]
    return word + ("es" if word == "six" else "s") if plural else word


def parse_card(text: str) -> Card:
    """The card written as `text`.

    Args:
        text: rank of "23456789TJQKA" and suit of "cdhs", as in "Th", or "Jo" for the joker.

    Raises:
        CardError: if it is anything else, "10h" and "th" included.
    """
    card = _BY_TEXT.get(text) if isinstance(text, str) else None
    if card is None:
        raise CardError(f"{text!r} is no card: expected a rank of {RANKS} and a suit of {SUITS}, as in 'Th', or 'Jo'")
    return card


def parse_cards(texts: Iterable[str] | str) -> tuple[Card, ...]:
    """Several cards in their order, from a list of texts or from one text with blanks between ("Th 9c 2d").

    Raises:
        CardError: if one of them is no card or a card is there twice.
    """
    cards = tuple(parse_card(text) for text in (texts.split() if isinstance(texts, str) else texts))
    verify_no_duplicates(cards)
    return cards


def verify_no_duplicates(cards: Iterable[Card]) -> None:
    """Check that no card is there twice, which one deck forbids.

    Raises:
        CardError: naming the first card seen twice.
    """
    seen: set[Card] = set()
    for card in cards:
        if card in seen:
            raise CardError(f"{card} is there twice; one deck has each card once")
        seen.add(card)


def format_cards(cards: Iterable[Card]) -> str:
    """The cards in their order with blanks between, e.g. "Th 9c 2d"."""
    return " ".join(map(str, cards))
