"""Honest courses at the edge of the checks of procedure, in every game: nobody is accused, and nothing is called kept unseen."""

from __future__ import annotations

from dataclasses import replace

import pytest
from case_kit import (
    DEVICE,
    GAMES,
    Edit,
    Kit,
    before,
    broken,
    change,
    count_stub,
    ends,
    insert,
    many,
    opened,
    played,
    second,
    stub_cards,
)
from cases_shared import two_decks
from rounds import At, Script, breaches, judge

from rules.event_base import Agent, Face, GapCause, Hand, Side
from rules.events import (
    CardRemoved,
    CardTurned,
    CoverageGap,
    DecisionAnnounced,
    DeckChanged,
    DeviceJammed,
    Event,
    FloorDecision,
    ShufflerCounted,
    StubCounted,
    TableOpened,
)
from rules.findings import Verdict
from rules.house_events import (
    CardsShuffled,
    ConductReported,
    CoverCardInserted,
    CutCompleted,
    DeckHeld,
    DeviceState,
    EquipmentSeen,
    ObjectSeen,
)

AT: At = {"table_id": "", "t_s": 1.0}
EVERY = pytest.mark.parametrize("prefix", GAMES)


@EVERY
@pytest.mark.parametrize("what", ["left_table", "cards_out_of_view", "touched_cards"])
def test_conduct_before_the_cards_is_none_of_the_round(prefix: str, what: str) -> None:
    """Who left the table between two rounds did not leave it in the next, where another sits at the seat (.7(b), .11(a))."""
    seat, other = (4, 3) if what == "touched_cards" else (3, None)
    report = ConductReported(**AT, seat=seat, what=what, other_seat=other)
    assert broken(before(report), prefix) == []
    assert len(broken(played(lambda s, k: insert(report, k.reveal)(s, k)), prefix)) == 1


@pytest.mark.parametrize(("after", "expected"), [("reveal:2", ["PLR-NOTALK"]), ("reveal:3", [])])
def test_cards_may_be_shown_once_all_community_cards_lie_open(after: str, expected: list[str]) -> None:
    """A hand may not be told "prior to the dealer revealing all of the community cards" (669a.11(a)(3))."""
    report = ConductReported(**AT, seat=3, what="showed_cards", other_seat=4)
    assert broken(played(insert(report, after)), "RIU") == expected


@EVERY
def test_a_decision_before_the_cards_is_none_of_the_round(prefix: str) -> None:
    """What a keypad told of a round that no camera saw is no fold of the next (.11)."""
    fold = DecisionAnnounced(**AT, seat=1, decision="fold")
    file = before(fold)(Kit(prefix))
    assert breaches(judge(file.events, file.table)) == []
    quiet = played()(Kit(prefix))
    verdicts = [[(f.check_id, f.seat, f.verdict) for f in judge(it.events, it.table)] for it in (file, quiet)]
    assert verdicts[0] == verdicts[1]


@EVERY
@pytest.mark.parametrize(
    "early",
    [DeviceJammed(**AT, device="shuffler"), DeviceJammed(**AT, device="shoe"), FloorDecision(**AT, decision="void_round")],
    ids=["shuffler", "shoe", "floor"],
)  # fmt: skip
def test_what_came_before_the_cards_does_not_void_the_round(prefix: str, early: Event) -> None:
    """A shuffler that jams between two rounds only has the cards reshuffled (.13(e)): what is paid in the next is judged."""
    wrong = played(lambda s, _: s.change(s.names("pay:")[0], amount_cents=1), shuffler=DEVICE, reports=[])
    assert len(broken(wrong, prefix)) == 1
    assert broken(before(early, then=wrong), prefix) == broken(wrong, prefix)


@EVERY
def test_a_shuffler_that_jams_during_a_round_does_not_void_it(prefix: str) -> None:
    """It has the other of two decks in it (.3(b)(2), .13(e))."""
    jam = DeviceJammed(**AT, device="shuffler", back="blue")
    wrong = played(lambda s, _: s.change(s.names("pay:")[0], amount_cents=1), shuffler=DEVICE, reports=[])
    jammed = played(
        lambda s, k: insert(jam, k.reveal)(s, k),
        lambda s, _: s.change(s.names("pay:")[0], amount_cents=1),
        shuffler=DEVICE, reports=[],
    )  # fmt: skip
    assert broken(jammed, prefix) == broken(wrong, prefix)


@EVERY
def test_cash_that_is_changed_for_chips_is_no_wager(prefix: str) -> None:
    """Laid in a betting area before any chips, or once settlement began, it may buy chips for the wager (.7(a))."""

    def cash(kit: Kit) -> ObjectSeen:
        return ObjectSeen(**AT, area=f"seat3.{kit.base}", what="cash")

    for make in (
        lambda kit: before(cash(kit))(kit),
        lambda kit: played(lambda s, k: s.insert(cash(k), after=s.names("rack:")[0]))(kit),
    ):
        assert broken(make, prefix) == []
        assert Verdict.UNDETERMINED in ends(make, prefix, "WAG-CHIPS")


@EVERY
@pytest.mark.parametrize("item", ["progressive_system", "progressive_device"])
def test_a_table_without_a_progressive_wager_needs_no_system(prefix: str, item: str) -> None:
    """The chapters ask for one where the wager is offered (669a.2(c), 639a.2(c), 643a.2(d))."""
    assert broken(before(EquipmentSeen(**AT, item=item, in_place=False)), prefix) == []


def shuffled_first(s: Script, _: Kit) -> None:
    """The new deck shuffled once before the spread, so that what follows the wash decides."""
    s.insert(CardsShuffled(**AT, by=Agent.DEALER), after="inspect", wait_s=1.0)
    s.drop("shuffle", "cover", "cut")


@EVERY
def test_a_shuffle_after_the_wash_that_the_shuffler_counted_or_nobody_saw(prefix: str) -> None:
    """A count of the shuffler follows a shuffle, and a shuffle that was not seen may have been one (.4(c))."""
    counts = {"automated": True, "counts_cards": True}

    def counted(s: Script, k: Kit) -> None:
        s.insert(ShufflerCounted(**AT, count=53 if k.prefix == "DJW" else 52), after="wash", wait_s=1.0)

    def hidden(s: Script, _: Kit) -> None:
        gap = CoverageGap(**AT, cause=GapCause.BLACK, since_s=s.get("wash").t_s + 0.5)
        s.insert(gap, after="wash", wait_s=3.0)

    assert broken(opened(shuffled_first, counted, shuffler=counts), prefix) == []
    assert ends(opened(shuffled_first, hidden), prefix, "OPEN-WASH") == {Verdict.UNDETERMINED}
    assert broken(opened(shuffled_first), prefix) == ["CUT-REQ", "OPEN-WASH"]


@EVERY
@pytest.mark.parametrize(
    "edit", [change("shuffle", complete=False), shuffled_first], ids=["broken_off", "before_the_wash"]
)
def test_a_new_deck_is_called_shuffled_only_where_it_was(prefix: str, edit: Edit) -> None:
    """A shuffle that was broken off, or that the wash followed, is not the one of .4(c)."""
    assert Verdict.COMPLIANT not in ends(opened(edit), prefix, "OPEN-SHUFFLE")


@EVERY
def test_a_cut_that_is_not_required_is_judged_as_one_too_many_only(prefix: str) -> None:
    """How a cut is done is said of "a cut ... required" (.5(d)); after a device none is (.5(c)(1))."""
    cut = CoverCardInserted(**AT, by=Side.PLAYER, cards_above=8)
    assert broken(second(insert(cut, "stack", wait_s=0.5), by=Agent.DEVICE, shuffler=DEVICE), prefix) == [
        "SHUF-ASM-DEAL"
    ]
    assert broken(second(change("cover", by=Side.PLAYER, cards_above=8)), prefix) == ["CUT-BYDEALER", "CUT-DEPTH"]


@EVERY
def test_a_recut_for_the_next_deal_is_not_late_for_the_last(prefix: str) -> None:
    """A card that was not seen to go leaves a round open until the next is announced (.5(e))."""
    file = second()(Kit(prefix))
    gone = [e for e in file.events if isinstance(e, CardRemoved) and e.t_s < 2000.0]
    cut = max(e.t_s for e in file.events if isinstance(e, CutCompleted))
    order = FloorDecision(table_id=file.table.table_id, t_s=cut + 0.1, decision="recut")
    again = CoverCardInserted(table_id=file.table.table_id, t_s=cut + 0.2, by=Side.DEALER, cards_above=20)
    events = sorted([*(e for e in file.events if e is not gone[-1]), order, again], key=lambda e: e.t_s)
    assert breaches(judge(events, file.table)) == []


@EVERY
@pytest.mark.parametrize("method", ["MS", "HD", "AS"])
def test_a_stub_that_was_counted_again_stands_as_counted_last(prefix: str, method: str) -> None:
    """A miscount that the dealer puts right before he goes on shows no wrong deck (.8(h)); one put right after it does not help."""

    def again(after: str) -> Edit:
        def edit(s: Script, k: Kit) -> None:
            s.insert(StubCounted(**AT, count=stub_cards(k)), after=after or k.reveal, wait_s=0.1, name="again")

        return edit

    assert broken(played(count_stub(-1), again("new")), prefix, method) == []
    assert broken(played(count_stub(-1), again("")), prefix, method) == [f"{method}-STUB-BADDECK"]


@pytest.mark.parametrize(("faces", "expected"), [((Face.UP, Face.DOWN), []), ((Face.UP,), ["D1-FACEDOWN"])])
def test_cards_examined_and_replaced_face_down(faces: tuple[Face, ...], expected: list[str]) -> None:
    """A player who turned a card to examine it and replaced it face down kept 669a.11(b)."""

    def turned(s: Script, k: Kit) -> None:
        for face in reversed(faces):
            card = CardTurned(**AT, area="seat3.cards", card_id=s.card_id("deal:3.0"), face=face)
            s.insert(card, after="stub", wait_s=0.3 if face is Face.UP else 0.6, name=face)

    assert broken(played(turned), "RIU") == expected


@EVERY
@pytest.mark.parametrize(
    "between",
    [
        CoverageGap(table_id="", t_s=1900.0, cause=GapCause.LOST, since_s=1200.0),
        DeckChanged(table_id="", t_s=1800.0, deck="A", back="red", design="bee", preinspected=True),
        TableOpened(table_id="", t_s=1800.0),
    ],
    ids=["gap", "new_deck", "opened"],
)
def test_decks_in_turns_where_what_lay_between_is_not_known(prefix: str, between: Event) -> None:
    """Between two rounds with one deck another may have been dealt that nobody saw; new decks begin as they come (.3(b)(3))."""
    file = two_decks("red", "red")(Kit(prefix))
    assert [row for row, _ in breaches(judge(file.events, file.table))] == [f"{prefix}-DECK-ALT"]
    events = sorted([*file.events, replace(between, table_id=file.table.table_id)], key=lambda e: e.t_s)
    assert f"{prefix}-DECK-ALT" not in [row for row, _ in breaches(judge(events, file.table))]


@EVERY
def test_the_deck_on_its_way_to_the_shuffler_is_not_held_for_the_deal(prefix: str) -> None:
    """The hand is chosen, and the place of the deck asked for, once the cards are shuffled (.9(a)(2))."""
    away = DeckHeld(**AT, hand=Hand.RIGHT, over_inventory=False)
    dealt = played(lambda s, k: insert(DeckHeld(**AT, hand=Hand.LEFT, over_inventory=True), k.first_deal(s))(s, k))
    assert broken(before(away, then=dealt), prefix, "HD") == []


@EVERY
def test_a_stub_may_have_been_counted_while_nothing_was_seen(prefix: str) -> None:
    """Five rounds without a count are told only where a count would have been (.8(f))."""
    file = many(7, counted=2)(Kit(prefix))
    assert [row for row, _ in breaches(judge(file.events, file.table))] == [f"{prefix}-MS-STUB-5RND"]
    gap = CoverageGap(table_id=file.table.table_id, t_s=1600.0, cause=GapCause.LOST, since_s=1450.0)
    events = sorted([*file.events, gap], key=lambda e: e.t_s)
    assert breaches(judge(events, file.table)) == []


@EVERY
def test_what_the_shuffler_counted_is_of_one_deck(prefix: str) -> None:
    """Without a count nothing is called right; with two decks a wrong count may be of the one that is not dealt (.5(b))."""
    counts = {"automated": True, "counts_cards": True}
    assert ends(played(shuffler=counts), prefix, "SHUF-COUNT") == {Verdict.UNDETERMINED}
    wrong = before(ShufflerCounted(**AT, count=40), then=played(shuffler=counts))
    assert broken(wrong, prefix) == ["SHUF-COUNT"]
    either = before(ShufflerCounted(**AT, count=40), then=played(shuffler=counts, decks=2))
    assert ends(either, prefix, "SHUF-COUNT") == {Verdict.UNDETERMINED}


@EVERY
def test_a_shuffler_that_fails_once_it_shuffled_is_not_replaced_yet(prefix: str) -> None:
    """It is to be covered before another way of shuffling is used (.13(g)); the cards it had shuffled may be dealt."""

    def failed(s: Script, _: Kit) -> None:
        s.insert(DeviceState(**AT, device="shuffler", usable=False), after="load", wait_s=0.5)

    assert broken(second(failed, by=Agent.DEVICE, shuffler=DEVICE), prefix) == []
    assert broken(second(failed, by=Agent.DEALER, shuffler=DEVICE), prefix) == ["IRR-OOS"]
