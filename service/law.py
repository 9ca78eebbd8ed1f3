"""The sentence of law a finding cites, for people who read it."""

from __future__ import annotations

from datetime import UTC, date, datetime

from rules.dated import law_of
from rules.law import GAMES, game_law


def today() -> date:
    """Whose law is in force, for what does not say of which day it is."""
    return datetime.now(UTC).date()


def sentence(citation: str, day: date | None) -> str:
    """What the cited paragraph demands, "" where the project holds no sentence for it.

    The nearest paragraph that has one answers, so "§ 669a.12(e)(5)" falls back on "§ 669a.12(e)".

    Args:
        citation: as findings cite.
        day: of the round, by whose law it was judged; None for the newest text held.

    >>> sentence("58 Pa. Code § 669a.12(b)", date(2026, 11, 20))
    'A certificate holder shall pay each winning Ante Wager at odds of 1 to 1.'
    """
    with law_of(day):
        return _sentence(citation.partition("§ ")[2])


def _sentence(place: str) -> str:
    for game in GAMES:
        law = game_law(game)
        if place.startswith(law.chapter):
            paragraph = place.removeprefix(law.chapter).split(" ")[0].rstrip(",;")
            while paragraph:
                if paragraph in law.sentences:
                    return law.sentences[paragraph]
                paragraph = paragraph.rpartition("(")[0]
    return ""
