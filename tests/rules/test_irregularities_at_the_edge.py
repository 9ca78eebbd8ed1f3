"""Irregularities of the deal at their edges, in every game (.13): what the dealer put right accuses nobody, and what he did not is told."""

from __future__ import annotations

import pytest
from case_kit import GAMES, Edit, Kit, broken, count_stub, ends, played
from rounds import At, Script

from rules.events import CardMoved, CardPlaced, CardRemoved, Face
from rules.findings import Verdict
from rules.house_events import CardDrawn, CardFoundFaceUp

AT: At = {"table_id": "", "t_s": 1.0}
EVERY = pytest.mark.parametrize("prefix", GAMES)
FACE = "6c"
"""A card that nobody holds in the standard rounds' first seats."""


def deals(s: Script) -> list[str]:
    return [name for name in s.names("deal:") if name.split(":")[1][0].isdigit()]


# -- cards drawn in error ---------------------------------------------------------------------------------------------


def drawn(*places: int, gap_s: float = 0.05) -> Edit:
    """Cards drawn in error after the first, by their place in the deal to the seats (0 = the first), one after the other."""

    def edit(s: Script, _: Kit) -> None:
        names = deals(s)
        for i, place in enumerate(places):
            card = CardDrawn(**AT, card_id=s.card_id(names[place]), in_error=True)
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


# -- cards found face up ----------------------------------------------------------------------------------------------


def found(*after: str, area: str = "discard_rack") -> Edit:
    """A card found face up after each of these moments, and put into the rack or elsewhere."""

    def edit(s: Script, k: Kit) -> None:
        moments = {"wagers": s.names("wager:")[-1], "announced": "nmb", "dealing": deals(s)[0], "dealt": k.last_deal(s)}
        for i, moment in enumerate(after):
            name = f"found:{i}"
            s.insert(CardFoundFaceUp(**AT, card_id=9000 + i), after=moments[moment], name=name, wait_s=0.05 + 0.1 * i)
            s.insert(CardPlaced(**AT, area=area, card_id=9000 + i, face=Face.UP), after=name, wait_s=0.02)
        s.items.sort(key=lambda item: item[1].t_s)

    return edit


@EVERY
@pytest.mark.parametrize("moments", [("announced", "dealing"), ("dealing", "dealing"), ("announced", "announced")])
def test_two_cards_found_face_up_while_dealing_void_the_round(prefix: str, moments: tuple[str, str]) -> None:
    assert "IRR-FACEUP-2" in broken(played(found(*moments)), prefix)


@EVERY
@pytest.mark.parametrize(
    "moments", [("wagers", "wagers"), ("wagers", "dealing"), ("dealing", "dealt"), ("dealt", "dealt")]
)
def test_cards_found_face_up_before_or_after_the_deal_void_none(prefix: str, moments: tuple[str, str]) -> None:
    """The section is of cards found "while the cards are being dealt" (.13(a))."""
    assert broken(played(found(*moments)), prefix) == []
    assert ends(played(found(*moments)), prefix, "IRR-FACEUP-2") == {Verdict.UNDETERMINED}


@EVERY
def test_a_card_found_before_the_deal_may_be_turned_and_go_back(prefix: str) -> None:
    assert broken(played(found("wagers", area="shoe")), prefix) == []
    assert broken(played(found("dealing", area="shoe")), prefix) == ["IRR-FACEUP-1"]


def came_up(*, told: bool = False, racked: bool = True) -> Edit:
    """Before seat 3's last card one comes there face up; it goes to the rack, and play goes on with the next."""

    def edit(s: Script, _: Kit) -> None:
        last = s.names("deal:3.")[-1]
        before = s.items[s.index(last) - 1][0]
        s.insert(CardPlaced(**AT, area="seat3.cards", card_id=9000, face=Face.UP, card=FACE), after=before, name="up", wait_s=0.1)  # fmt: skip
        if racked:
            s.insert(
                CardRemoved(**AT, area="seat3.cards", card_id=9000, to_area="discard_rack"), after="up", wait_s=0.2
            )
        if told:
            s.insert(CardFoundFaceUp(**AT, card_id=9000, card=FACE), after="up", wait_s=0.02)

    return edit


@EVERY
@pytest.mark.parametrize("told", [True, False])
def test_a_card_that_came_up_and_was_racked_and_replaced(prefix: str, told: bool) -> None:
    """As .13(a) has it: the deck is whole, every hand has its cards, no round is void, and that card was not used."""
    put_right = played(came_up(told=told), count_stub(-1))
    assert broken(put_right, prefix) == []
    assert "IRR-COUNT" in broken(played(came_up(racked=False)), prefix)
    assert "MS-STUB-BADDECK" in broken(played(came_up(told=told), count_stub()), prefix)


@EVERY
def test_a_card_racked_and_not_replaced_is_a_misdeal(prefix: str) -> None:
    """A hand one card short, and a count of the stub that shows it (.8(h))."""

    def short(s: Script, k: Kit) -> None:
        last = s.names("deal:3.")[-1]
        s.change(last, face=Face.UP, card=FACE)
        gone = CardRemoved(**AT, area="seat3.cards", card_id=s.card_id(last), to_area="discard_rack")
        s.drop(f"turn:{last[5:]}", f"rack:{last[5:]}")
        s.insert(gone, after=last, wait_s=0.1)
        count_stub()(s, k)

    assert "MS-STUB-MISDEAL" in broken(played(short), prefix)


# -- cards laid in a wrong place ------------------------------------------------------------------------------------------


def moved_on(later: bool = False) -> Edit:
    """A card of seat 4 is laid at seat 3 first and moved on, before the next card or a card later."""

    def edit(s: Script, k: Kit) -> None:
        name = s.names("deal:4.")[0]
        after = deals(s)[deals(s).index(name) + 1] if later else name
        s.change(name, area="seat3.cards")
        move = CardMoved(**AT, area="seat4.cards", from_area="seat3.cards", card_id=s.card_id(name))
        s.insert(move, after=after, wait_s=0.2)

    return edit


@EVERY
def test_a_card_laid_in_a_wrong_place_is_used_as_the_next_card(prefix: str) -> None:
    """It was drawn in error, its face not exposed, and lies where the next card was due (.13(b)): every hand has its cards (.13(c))."""
    assert broken(played(moved_on()), prefix) == []
    assert ends(played(moved_on()), prefix, "IRR-COUNT") == {Verdict.COMPLIANT}


@EVERY
def test_a_card_moved_after_another_was_dealt_is_left_open(prefix: str) -> None:
    assert broken(played(moved_on(later=True)), prefix) == []
    assert Verdict.UNDETERMINED in ends(played(moved_on(later=True)), prefix, "IRR-COUNT")
