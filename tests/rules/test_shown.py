"""Hands laid out by the dealer: cards told as probable were dealt, or were none."""

from __future__ import annotations

from dataclasses import replace

import pytest
from rounds import SEATS, Script, altered, breaches, build, judge, verdicts

from rules.events import CardPlaced, CardRemoved, CardTurned, Face
from rules.findings import Verdict
from rules.records import CardSeen, Step
from rules.shown import settled_by_showing

AREA = "seat3.cards"


def card(
    number: int, sure: float, name: str | None = None, *, read: float = 0.9, gone: bool = False, home: str = AREA
) -> CardSeen:
    """A card dealt face down, with the confidence it was told with; turned since if it has a name."""
    placed = CardPlaced(table_id="t", t_s=float(number), confidence=sure, area=home, card_id=number, face=Face.DOWN)
    seen = CardSeen(number, home, home, Step(number, placed), Face.DOWN, Face.DOWN)
    if name is not None:
        turned = CardTurned(table_id="t", t_s=50.0, confidence=read, area=home, card_id=number, face=Face.UP, card=name)
        seen.face, seen.turned = Face.UP, Step(50 + number, turned)
        seen.name(name, seen.turned)
    if gone:
        seen.removed = Step(40, CardRemoved(table_id="t", t_s=40.0, area=home, card_id=number))
    return seen


def told(cards: list[CardSeen]) -> list[float]:
    return [c.placed.event.confidence for c in cards]


def test_as_many_shown_as_told_and_each_was_one() -> None:
    hand = [card(1, 0.9, "2c"), card(2, 0.45, "7h", read=0.8), card(3, 0.8, "Kd")]
    assert settled_by_showing(hand, hand, 3, over=True) == ()
    assert told(hand) == [0.9, 0.8, 0.8]
    assert [c.placed.t_s for c in hand] == [1.0, 2.0, 3.0]


def test_one_more_than_the_law_has_is_proven_too() -> None:
    hand = [card(n, sure, name) for n, (sure, name) in enumerate([(0.9, "2c"), (0.9, "7h"), (0.9, "Kd"), (0.45, "As")])]
    assert settled_by_showing(hand, hand, 3, over=True) == ()
    assert min(told(hand)) == 0.9


def test_as_many_shown_as_surely_told_and_the_probable_one_was_none() -> None:
    hand = [card(1, 0.9, "2c"), card(2, 0.45), card(3, 0.8, "7h"), card(4, 0.8, "Kd")]
    assert [c.card_id for c in settled_by_showing(hand, hand, 3, over=True)] == [2]


def test_a_card_shown_under_the_number_of_one_that_was_none_began_as_another() -> None:
    hand = [card(1, 0.9, "2c"), card(2, 0.45, "7h"), card(3, 0.8), card(4, 0.8, "Kd")]
    assert [c.card_id for c in settled_by_showing(hand, hand, 3, over=True)] == [3]
    assert [(c.card_id, c.placed.t_s) for c in hand] == [(1, 1.0), (2, 3.0), (3, 2.0), (4, 4.0)]


@pytest.mark.parametrize(
    "hand",
    [
        [card(1, 0.9, "2c"), card(2, 0.45, "7h"), card(3, 0.8)],
        [card(1, 0.9, "2c"), card(2, 0.45), card(3, 0.6, "7h"), card(4, 0.8, "Kd")],
        [card(1, 0.9, "2c"), card(2, 0.45, "7h"), card(3, 0.8, "Kd", read=0.4)],
        [card(1, 0.9, "2c"), card(2, 0.45, "2c"), card(3, 0.8, "Kd")],
        [card(1, 0.9, gone=True), card(2, 0.45, "7h"), card(3, 0.8, "Kd"), card(4, 0.8, "As")],
        [card(1, 0.9, "2c"), card(2, 0.45, "7h"), card(3, 0.45), card(4, 0.8, "Kd")],
        [card(1, 0.9, "2c"), card(2, 0.45, "7h", home="seat3.other"), card(3, 0.8), card(4, 0.8, "Kd")],
    ],
    ids=[
        "too few shown",
        "others unsure",
        "read unsurely",
        "one twice",
        "one gone",
        "one of two probable",
        "elsewhere",
    ],
)
def test_where_the_numbers_tell_nothing_all_stays(hand: list[CardSeen]) -> None:
    before = [c.placed for c in hand]
    assert settled_by_showing(hand, hand, 3, over=True) == ()
    assert [c.placed for c in hand] == before


def test_a_face_that_is_not_read_may_be_one_more_and_nothing_is_proven() -> None:
    hand = [card(1, 0.9, "2c"), card(2, 0.45, "7h"), card(3, 0.8, "Kd")]
    more = replace(card(4, 0.9), face=Face.UP)
    assert settled_by_showing(hand, [*hand, more], 3, over=True) == ()
    assert told(hand) == [0.9, 0.45, 0.8]


def test_no_probable_card_was_none_before_the_hand_lies_shown() -> None:
    hand = [card(1, 0.9), card(2, 0.45, "7h"), card(3, 0.8, "2c"), card(4, 0.8, "Kd")]
    assert settled_by_showing(hand, hand, 3, over=False) == ()


def test_a_hand_of_four_laid_out_card_by_card_is_not_three_for_a_moment() -> None:
    """Of two cards told as probable one was none; three cards lie open before the last is turned."""
    script = build(SEATS)
    for number in (901, 902):
        script.insert(altered(script.get("deal:3.2"), card_id=number, confidence=0.45), after="deal:3.2")
    script.insert(altered(script.get("turn:3.0"), card_id=902, card="2c"), after="turn:3.0", wait_s=0.01)
    found = judge(script.events)
    assert verdicts(found, "RIU-IRR-COUNT")[3] is Verdict.BREACH
    assert breaches(found) == [("RIU-IRR-COUNT", 3)]


def dealt_out_of_order() -> Script:
    script = build(SEATS)
    script.swap("deal:3.1", "deal:4.1")
    return script


def test_an_order_with_a_probable_card_is_judged_when_its_hand_was_shown() -> None:
    script = build(SEATS)
    script.change("deal:3.1", confidence=0.45)
    assert verdicts(judge(script.events), "RIU-MS-ORDER") == {None: Verdict.COMPLIANT}
    script.drop("turn:3")
    assert verdicts(judge(script.events), "RIU-MS-ORDER") == {None: Verdict.UNDETERMINED}
    wrong = dealt_out_of_order()
    wrong.change("deal:3.1", confidence=0.45)
    assert breaches(judge(wrong.events)) == [("RIU-MS-ORDER", 4)]


def test_a_card_that_was_none_accuses_nobody_and_hides_nothing() -> None:
    none = altered(build(SEATS).get("deal:3.1"), card_id=999, confidence=0.45)
    honest = build(SEATS)
    honest.insert(none, after="deal:3.1")
    found = judge(honest.events)
    assert breaches(found) == []
    assert verdicts(found, "RIU-MS-ORDER") == {None: Verdict.COMPLIANT}
    assert verdicts(found, "RIU-IRR-COUNT")[3] is Verdict.COMPLIANT
    wrong = dealt_out_of_order()
    wrong.insert(none, after="deal:6.1")
    assert breaches(judge(wrong.events)) == [("RIU-MS-ORDER", 4)]


@pytest.mark.parametrize(
    ("sure", "name", "objectness", "verdict"),
    [
        (0.4, "2c", None, Verdict.UNDETERMINED),
        (0.8, "2c", None, Verdict.BREACH),
        (0.45, None, None, Verdict.UNDETERMINED),
        (0.45, None, 0.89, Verdict.UNDETERMINED),
        (0.45, None, 0.9, Verdict.BREACH),
    ],
)
def test_a_hand_with_a_card_more_that_comes_to_light_as_it_is_laid_out_is_never_kept(
    sure: float, name: str | None, objectness: float | None, verdict: Verdict
) -> None:
    script = build(SEATS)
    more = CardPlaced(
        table_id="", t_s=0, confidence=sure, area=AREA, card_id=903, face=Face.UP, card=name, objectness=objectness
    )
    script.insert(more, after="turn:3.2", wait_s=0.01)
    assert verdicts(judge(script.events), "RIU-IRR-COUNT")[3] is verdict


@pytest.mark.parametrize(("objectness", "verdict"), [(0.95, Verdict.BREACH), (0.6, Verdict.UNDETERMINED)])
def test_a_probable_card_that_is_turned_and_cannot_be_read_is_counted_where_it_is_surely_found(
    objectness: float, verdict: Verdict
) -> None:
    """Film 3098: of six cards laid out one lay under another, a narrow part of it in sight."""
    script = build(SEATS)
    script.insert(altered(script.get("deal:3.2"), card_id=903, confidence=0.45), after="deal:3.2", wait_s=0.3)
    shown = CardTurned(
        table_id="", t_s=0, confidence=0.45, area=AREA, card_id=903, face=Face.UP, card=None, objectness=objectness
    )
    script.insert(shown, after="turn:3.2", wait_s=0.01)
    assert verdicts(judge(script.events), "RIU-IRR-COUNT")[3] is verdict
