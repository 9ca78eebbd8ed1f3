"""The sentence of law a finding cites, for people who read it."""

from __future__ import annotations

from rules.law import GAMES, game_law


def sentence(citation: str) -> str:
    """What the cited paragraph demands, "" where the project holds no sentence for it.

    The nearest paragraph that has one answers, so "§ 669a.12(e)(5)" falls back on "§ 669a.12(e)".

    >>> sentence("58 Pa. Code § 669a.12(b)")
    'A certificate holder shall pay each winning Ante Wager at odds of 1 to 1.'
    """
    _, _, place = citation.partition("§ ")
    for game in GAMES:
        law = game_law(game)
        if place.startswith(law.chapter):
            paragraph = place.removeprefix(law.chapter).split(" ")[0].rstrip(",;")
            while paragraph:
                if paragraph in law.sentences:
                    return law.sentences[paragraph]
                paragraph = paragraph.rpartition("(")[0]
    return ""
