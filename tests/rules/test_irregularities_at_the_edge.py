"""Irregularities of the deal at their edges, in every game (.13): what the dealer put right accuses nobody, and what he did not is told."""

from __future__ import annotations

from typing import Any

import pytest
from case_kit import GAMES, Edit, Kit, Make, count_stub, played
from rounds import Script, breaches, judge

from rules.events import CardMoved, CardPlaced, CardRemoved, Face
from rules.findings import Verdict
from rules.house_events import CardDrawn, CardFoundFaceUp

AT: dict[str, Any] = {"table_id": "", "t_s": 1.0}
EVERY = pytest.mark.parametrize("prefix", GAMES)
FACE = "6c"
"""A card that nobody holds in the standard rounds' first seats."""


def broken(make: Make, prefix: str, method: str = "MS") -> list[str]:
    """Rows broken in a case, without the game."""
    file = make(Kit(prefix, method))
    return [check_id.partition("-")[2] for check_id, _ in breaches(judge(file.events, file.table))]


def ends(make: Make, prefix: str, row: str) -> set[Verdict]:
    """How the check of a row ended."""
    file = make(Kit(prefix))
    return {f.verdict for f in judge(file.events, file.table) if f.check_id == f"{prefix}-{row}"}


def deals(s: Script) -> list[str]:
    return [name for name in s.names("deal:") if name.split(":")[1][0].isdigit()]


# -- cards drawn in error ---------------------------------------------------------------------------------------------


def drawn(*places: int, gap_s: float = 0.05) -> Edit:
    """Cards drawn in error after the first, by their place in the deal to the seats (0 = the first), one after the other."""

    def edit(s: Script, _: Kit) -> None:
        names = deals(s)
        for i, place in enumerate(places):
            card = CardDrawn(**AT, card_id=s.get(names[place]).card_id, in_error=True)  # type: ignore[attr-defined]
            s.insert(card, after=names[0], wait_s=0.05 + gap_s * i, name=f"drawn:{i}")
        s.items.sort(key=lambda item: item[1].t_s)

    return edit


@EVERY
@pytest.mark.parametrize("gap_s", [0.05, 0.0])
def test_two_cards_drawn_at_once_are_the_next_two(prefix: str, gap_s: float) -> None:
    """Each is used as the next card; that the other one came first takes nothing from it (.13(b))."""
    both = played(drawn(1, 2, gap_s=gap_s))
    assert broken(both, prefix) == []
    assert ends(both, prefix, "IRR-DRAWN") == {Verdict.COMPLIANT}
    assert broken(played(drawn(1, 3)), prefix) == ["IRR-DRAWN"]


@EVERY
def test_two_cards_drawn_and_used_the_other_way_round(prefix: str) -> None:
    """Which of the two was the next card the section does not say."""
    assert ends(played(drawn(2, 1)), prefix, "IRR-DRAWN") == {Verdict.UNDETERMINED}


def put_away(after: str, face: Face) -> Edit:
    """A card drawn in error after that one goes to the rack."""

    def edit(s: Script, k: Kit) -> None:
        name = {"first": deals(s)[0], "last": k.last_deal(s)}[after]
        s.insert(CardDrawn(**AT, card_id=9000, in_error=True), after=name, name="drawn", wait_s=0.05)
        away = CardPlaced(**AT, area="discard_rack", card_id=9000, face=face, card=FACE if face is Face.UP else None)
        s.insert(away, after="drawn", wait_s=0.05)

    return edit


@EVERY
def test_a_card_drawn_after_the_last_one_goes_with_the_stub(prefix: str) -> None:
    """No next card was due any more (.13(b))."""
    assert broken(played(put_away("first", Face.DOWN)), prefix) == ["IRR-DRAWN"]
    assert broken(played(put_away("last", Face.DOWN)), prefix) == []


@EVERY
def test_a_card_drawn_in_error_that_showed_its_face_is_racked(prefix: str) -> None:
    """.13(b) is of a card whose face was not exposed; the other is treated as one found face up (.13(a))."""
    up = played(put_away("first", Face.UP))
    assert broken(up, prefix) == []
    assert ends(up, prefix, "IRR-FACEUP-1") == {Verdict.COMPLIANT}
