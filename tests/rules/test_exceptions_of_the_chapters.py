"""Exceptions and combinations of the chapters: what one sentence allows is no breach of another, and what it forbids is told though another was kept."""

from __future__ import annotations

from typing import Any

import pytest
from case_kit import DEVICE, GAMES, Edit, Kit, broken, change, count_stub, electronic, ends, insert, played, second
from game_rounds import player
from rounds import At, Script, altered, judge

from rules.event_base import Agent, Face, GapCause, Side
from rules.events import (
    CardPlaced,
    CardRemoved,
    CardTurned,
    CoverageGap,
    DecisionAnnounced,
    DeviceJammed,
    Event,
    FloorDecision,
    PayoutPlaced,
    WagerDecreased,
    WagerPlaced,
    WagerRemoved,
)
from rules.findings import Verdict
from rules.house_events import (
    BonusPaid,
    CardFoundFaceUp,
    CardsIdle,
    CardsShuffled,
    CardsWashed,
    ConductReported,
    CoverCardInserted,
)

AT: At = {"table_id": "", "t_s": 1.0}


# -- forfeited by telling of the hand (669a.11(a)(3)) ----------------------------------------------------------------------


def shown(s: Script, k: Kit) -> None:
    """Seat 1, which wins, shows its cards to seat 3 before the 4th Street card."""
    insert(ConductReported(**AT, seat=1, what="showed_cards", other_seat=3), "examine:6", name="shown")(s, k)


def collected(s: Script, _: Kit) -> None:
    """Every wager of seat 1 collected where it was to be paid or left."""
    for wager in ("ante", "blind", "play"):
        gone = WagerRemoved(**AT, area=f"seat1.{wager}", by=Side.DEALER)
        s.insert(gone, after="collect:1.pair_plus", wait_s=0.3, name=f"forfeit:{wager}")
    s.drop("pay:1", "take:1")


def collected_at_once(s: Script, _: Kit) -> None:
    """The same as soon as it was seen, at a seat that has not wagered on the hand."""
    s.drop("play:1", "pay:1", "take:1", "collect:1")
    for wager in ("ante", "blind", "pair_plus"):
        s.insert(WagerRemoved(**AT, area=f"seat1.{wager}", by=Side.DEALER), after="shown", name=f"forfeit:{wager}")


def test_collected_though_nobody_told_of_the_hand() -> None:
    assert broken(played(shown, collected, lambda s, _: s.drop("shown")), "RIU") == [
        "SET-ANTE",
        "SET-BLIND",
        "SET-PLAY",
    ]


@pytest.mark.parametrize("edit", [collected, collected_at_once])
def test_wagers_forfeited_by_telling_of_the_hand_may_be_collected(edit: Any) -> None:
    """A violation "shall result in a forfeiture of all wagers on that round by that person" (669a.11(a)(3))."""
    assert broken(played(shown, edit), "RIU") == ["PLR-NOTALK"]


def test_paid_though_the_player_told_of_the_hand_is_not_called_right() -> None:
    """Nor is it called wrong: whether the wagers were held forfeited, nobody says."""
    assert broken(played(shown), "RIU") == ["PLR-NOTALK"]
    file = played(shown)(Kit("RIU"))
    found = {f.verdict for f in judge(file.events, file.table) if f.check_id == "RIU-SET-PLAY" and f.seat == 1}
    assert found == {Verdict.UNDETERMINED}
    assert ends(played(), "RIU", "SET-PLAY") == {Verdict.COMPLIANT}


def test_no_other_chapter_forfeits_for_it() -> None:
    """639a has no such sentence: a winner whose wagers were collected was wronged."""
    wrong = played(shown, lambda s, _: s.change("pay:1.bet", amount_cents=1))
    assert broken(wrong, "CAR") == ["SET-WIN"]


# -- every wager returned (.8(h), .13) -------------------------------------------------------------------------------------

PROGRESSIVE = {
    "RIU": {"pair_plus": "A", "six_card_bonus": "B", "progressive": "A"},
    "CAR": {"bonus": "A", "progressive": "A"},
}


def progressive(s: Script, k: Kit) -> None:
    """Chips of seats 1 and 3 on the Progressive's device, taken by the system and collected before the deal."""
    for seat in (1, 3):
        chip = WagerPlaced(**AT, area=f"seat{seat}.progressive", amount_cents=100, by=Side.PLAYER)
        s.insert(chip, after=s.names("wager:")[-1], name=f"wager:{seat}.progressive")
    electronic("progressive")(s, k)
    for seat in (1, 3):
        s.insert(WagerRemoved(**AT, area=f"seat{seat}.progressive", by=Side.DEALER), after="lock", name=f"chip:{seat}")


def two_face_up(s: Script, _: Kit) -> None:
    """Two cards found face up in the shoe, and put into the rack."""
    for card, after in enumerate(("deal:1.1", "deal:3.1")):
        s.insert(CardFoundFaceUp(**AT, card_id=700 + card), after=after, name=f"found:{card}")
        gone = CardRemoved(**AT, area="shoe", card_id=700 + card, to_area="discard_rack")
        s.insert(gone, after=f"found:{card}", name=f"gone:{card}")


def void(s: Script, after: str, by: Side, given_back: str) -> None:
    """The round ends here: wagers go back by these hands, Progressive chips onto the device or by hand, cards to the rack."""
    s.items = s.items[: s.index(after) + 1]
    s.t_s = s.items[-1][1].t_s + 3.0
    areas: dict[str, None] = {}
    cards: dict[int, str] = {}
    for _, event in s.items:
        if isinstance(event, WagerPlaced):
            areas[event.area] = None
        elif isinstance(event, WagerRemoved):
            areas.pop(event.area, None)
        elif isinstance(event, CardPlaced):
            cards[event.card_id] = event.area
    for area in areas:
        s.add(f"back:{area}", WagerRemoved(**AT, area=area, by=by), 0.3)
    for seat in (1, 3):
        chip: Event = PayoutPlaced(**AT, area=f"seat{seat}.progressive", amount_cents=100)
        if given_back == "by hand":
            chip = BonusPaid(**AT, seat=seat, wager="progressive", amount_cents=100)
        s.add(f"back:{seat}.progressive", chip, 0.5)
    for card, area in cards.items():
        s.add(f"rack:{card}", CardRemoved(**AT, area=area, card_id=card, to_area="discard_rack"), 0.1)


@pytest.mark.parametrize("prefix", ["RIU", "CAR"])
@pytest.mark.parametrize("by", [Side.PLAYER, Side.DEALER])
@pytest.mark.parametrize("given_back", ["chips", "by hand"])
def test_wagers_given_back_in_a_void_round_are_no_settlement(prefix: str, by: Side, given_back: str) -> None:
    """After a second card found face up "all wagers shall be returned to the players", those on the Progressive too (.13(a))."""
    returned = played(
        progressive, two_face_up, lambda s, _: void(s, "gone:1", by, given_back), paytables=PROGRESSIVE[prefix]
    )
    assert broken(returned, prefix) == []
    went_on = broken(played(progressive, two_face_up, paytables=PROGRESSIVE[prefix]), prefix)
    assert went_on == ["IRR-FACEUP-2"]


@pytest.mark.parametrize("prefix", ["RIU", "CAR"])
@pytest.mark.parametrize("given_back", ["chips", "by hand"])
def test_a_progressive_wager_given_back_is_not_paid_to_a_hand(prefix: str, given_back: str) -> None:
    """The floor voids the round once two hands lie shown, neither of which wins the Progressive."""

    def late(s: Script, _: Kit) -> None:
        void(s, "turn-hand:3", Side.PLAYER, given_back)
        s.insert(FloorDecision(**AT, decision="void_round"), after="turn-hand:3", wait_s=1.0)

    assert broken(played(progressive, late, paytables=PROGRESSIVE[prefix]), prefix) == []
    paid = BonusPaid(**AT, seat=3, wager="progressive", amount_cents=100)
    wrong = broken(played(progressive, insert(paid, "turn-hand:3"), paytables=PROGRESSIVE[prefix]), prefix)
    assert "SET-PROG-VERIFY" in wrong


@pytest.mark.parametrize("prefix", ["RIU", "CAR", "LIR", "DJW"])
def test_nothing_is_owed_after_a_stub_that_was_not_whole(prefix: str) -> None:
    """All hands are void (.8(h)): that the dealer played on is told, not what he should have paid."""

    def short(s: Script, _: Kit) -> None:
        s.change(s.names("pay:")[0], amount_cents=1)

    assert len(broken(played(short), prefix)) == 1
    assert broken(played(short, count_stub(-1)), prefix) == ["MS-STUB-BADDECK"]


# -- wagers withdrawn (.7(c)) ----------------------------------------------------------------------------------------------

SIDES = {"RIU": "pair_plus", "CAR": "bonus"}


def withdrawn(area: str, after: str, wait_s: float, by: Side | None = Side.PLAYER) -> Edit:
    """A wager taken away, so that it is neither paid nor collected later."""

    def edit(s: Script, _: Kit) -> None:
        s.insert(WagerRemoved(**AT, area=area, by=by), after=after, wait_s=wait_s, name="withdrawn")
        seat, wager = area[4:].split(".")
        s.drop(*(f"{name}:{seat}.{wager}" for name in ("pay", "collect", "take")))

    return edit


@pytest.mark.parametrize("prefix", SIDES)
@pytest.mark.parametrize(("wait_s", "by", "expected"), [
    (1.3, Side.PLAYER, ["WAG-LOCK"]), (0.5, Side.PLAYER, []), (1.3, None, []), (-1.0, Side.PLAYER, []),
])  # fmt: skip
def test_a_wager_withdrawn_between_the_announcement_and_the_cards(
    prefix: str, wait_s: float, by: Side | None, expected: list[str]
) -> None:
    """It may not be withdrawn once "no more bets" was announced; just then, or by whose hand nobody saw, is not said."""
    edit = withdrawn(f"seat1.{SIDES[prefix]}", "nmb", wait_s, by=by)
    make = played(edit, lambda s, _: s.items.sort(key=lambda item: item[1].t_s))
    assert broken(make, prefix) == expected
    file = make(Kit(prefix))
    (end,) = [f.verdict for f in judge(file.events, file.table) if f.check_id == f"{prefix}-WAG-LOCK" and f.seat == 1]
    assert (end is Verdict.COMPLIANT) is (wait_s < 0)


def decreased(after: str, cents: int = 1000, by: Side = Side.PLAYER) -> Any:
    def edit(s: Script, _: Kit) -> None:
        s.insert(
            WagerDecreased(**AT, area="seat1.play", amount_cents=cents, by=by), after=after, wait_s=0.7, name="less"
        )
        s.change("pay:1.play", amount_cents=cents)

    return edit


def four_times(s: Script, _: Kit) -> None:
    s.change("play:1", amount_cents=4000)


def test_a_play_wager_is_not_taken_back() -> None:
    """It may be made after the announcement "as provided in § 669a.11(b), (d) and (f)", not withdrawn once the next card lies open (669a.7(c))."""
    assert broken(played(withdrawn("seat1.play", "reveal:1", 0.7)), "RIU") == ["WAG-LOCK"]
    assert broken(played(withdrawn("seat3.play", "reveal:2", 0.7)), "RIU") == ["WAG-LOCK"]
    assert broken(played(decreased("reveal:1")), "RIU") == ["WAG-LOCK"]
    assert broken(played(decreased("play:1")), "RIU") == []  # before the next card the decision is still open
    assert broken(played(withdrawn("seat1.play", "reveal:1", 0.7, by=Side.DEALER)), "RIU") == ["SET-PLAY"]
    assert broken(played(four_times, decreased("reveal:1", 3000)), "RIU") == ["PLAY-AMT-1"]  # put right


# -- forfeited wagers of a fold (639a.11(b), (c)) ---------------------------------------------------------------------------

FULL_HOUSE = (player(1, "Th Tc 4d 3s 2c", "bet", ante=1000), player(4, "8c 8d 8h 3h 3d", "fold", ante=1000, bonus=500))
FOLD = insert(DecisionAnnounced(**AT, seat=4, decision="fold"), "fold:4", name="said")


def left(s: Script, _: Kit) -> None:
    """The Bonus Wager of the fold lies there until the hands are settled."""
    s.insert(altered(s.get("fold-collect:4.bonus"), by=Side.DEALER), after="take:1.ante", wait_s=0.5, name="late")
    s.drop("fold-collect:4.bonus")


def paid(s: Script, _: Kit) -> None:
    """Then it is paid 50 to 1 on its full house."""
    s.change("late", by=Side.PLAYER)
    s.insert(PayoutPlaced(**AT, area="seat4.bonus", amount_cents=25000), after="turn-hand:1", wait_s=0.3)


@pytest.mark.parametrize(("edits", "expected"), [
    ((), []),
    ((FOLD,), []),
    ((FOLD, left), ["FOLD-COLLECT"]),
    ((left,), []),  # nobody said that the seat folded
    ((FOLD, left, paid), ["FOLD-COLLECT", "FOLD-FORFEIT"]),
    ((left, paid), ["FOLD-FORFEIT"]),  # its Ante had been collected, so that it had
])  # fmt: skip
def test_a_bonus_wager_is_forfeited_and_collected_with_the_fold(edits: Any, expected: list[str]) -> None:
    """The player "shall forfeit all wagers", and the dealer collects them before he reveals the hole cards."""
    make = played(*edits, plan={"players": FULL_HOUSE})
    assert broken(make, "CAR") == expected
    file = make(Kit("CAR"))
    found = {f.check_id: f for f in judge(file.events, file.table) if f.seat == 4}
    if "FOLD-FORFEIT" in expected:
        assert (found["CAR-FOLD-FORFEIT"].owed_cents, found["CAR-FOLD-FORFEIT"].paid_cents) == (0, 25000)
    assert (found["CAR-FOLD-COLLECT"].verdict is Verdict.COMPLIANT) is (left not in edits)


# -- cut and shuffled again (.5(e), (f)) ------------------------------------------------------------------------------------

EVERY = pytest.mark.parametrize("prefix", GAMES)
RECUT = insert(FloorDecision(**AT, decision="recut"), "load", wait_s=0.5, name="order")
AGAIN = insert(CoverCardInserted(**AT, by=Side.DEALER, cards_above=15), "order", wait_s=0.5, name="again")


def unseen(after: str) -> Any:
    """Nothing was seen for a while after an event."""

    def edit(s: Script, _: Kit) -> None:
        gap = CoverageGap(**AT, cause=GapCause.BLACK, since_s=s.get(after).t_s + 0.1)
        s.insert(gap, after=after, wait_s=3.0, name="gap")

    return edit


@EVERY
def test_a_recut_that_is_required_is_made(prefix: str) -> None:
    """A floorperson "may require the cards to be recut" (.5(e)); the deck then comes back into the shoe, seen or not."""
    assert broken(second(RECUT), prefix) == ["CUT-RECUT"]
    assert broken(second(RECUT, AGAIN), prefix) == []
    assert broken(second(RECUT, AGAIN, unseen("again")), prefix) == []
    assert broken(second(RECUT, unseen("order")), prefix) == []
    assert Verdict.UNDETERMINED in ends(second(RECUT, unseen("order")), prefix, "CUT-RECUT")
    reshuffled = insert(CardsShuffled(**AT, by=Agent.DEALER), "order", wait_s=0.3, name="anew")
    cut = insert(CoverCardInserted(**AT, by=Side.DEALER, cards_above=15), "anew", wait_s=0.3)
    assert broken(second(RECUT, reshuffled, cut), prefix) == []


IDLE = (
    insert(CardsIdle(**AT, place="spread", since_s=1900.0), "load", wait_s=1.0, name="idle"),
    insert(CardsWashed(**AT), "idle", wait_s=1.0, name="wash"),
)


@EVERY
def test_after_idling_the_washed_cards_are_shuffled_again(prefix: str) -> None:
    """The shuffle before the cards were spread is undone by the wash: "the procedures in ... this section shall be completed" (.5(f))."""
    assert broken(second(*IDLE), prefix) == ["IDLE-REOPEN"]
    assert broken(second(*IDLE, unseen("wash")), prefix) == []
    shuffled = insert(CardsShuffled(**AT, by=Agent.DEVICE), "wash", wait_s=1.0)
    assert broken(second(*IDLE, shuffled, by=Agent.DEVICE, shuffler=DEVICE), prefix) == []


# -- the cards to the rack (.11(j), 639a.11(d)) -----------------------------------------------------------------------------


def racked(seat: int, after: str, wait_s: float = 0.05) -> Any:
    """The cards of a seat go to the rack there."""

    def edit(s: Script, _: Kit) -> None:
        for name in s.names(f"rack:{seat}."):
            card = s.get(name)
            s.drop(name)
            s.insert(card, after=after, wait_s=wait_s, name=name)

    return edit


@pytest.mark.parametrize(("prefix", "seat", "last"), [("RIU", 3, "collect:3.six_card_bonus"), ("CAR", 6, "pay:6.bet")])
def test_cards_go_to_the_rack_once_the_wagers_of_the_seat_are_settled(prefix: str, seat: int, last: str) -> None:
    """ "After all wagers have been settled, the dealer shall remove all remaining cards": one hand at a time or all at the end."""
    assert broken(played(racked(seat, f"turn-hand:{seat}")), prefix) == ["END-RACK"]
    assert broken(played(racked(seat, last)), prefix) == []
    assert broken(played(racked(seat, f"turn-hand:{seat}"), unseen(f"rack:{seat}.0")), prefix) == []


# -- a seat that is left out of the deal (.8(d), .9(b), .10(b)) --------------------------------------------------------------


def left_out(seat: int) -> Any:
    """No cards for a seat, and its wagers lie there to the end."""
    names = "deal examine check fold fold-collect fold-rack ride move withdraw turn turn-hand rack decide play pay collect take stack"
    return lambda s, _: s.drop(*(f"{name}:{seat}" for name in names.split()))


def cards_unseen(s: Script, _: Kit) -> None:
    """The cards of the seat were not made out, but what was done with its wagers was."""
    s.drop(
        *(
            f"{name}:4"
            for name in ("deal", "stack", "examine", "check", "fold", "fold-rack", "ride", "turn", "turn-hand", "rack")
        )
    )


def said(s: Script, _: Kit) -> None:
    s.insert(ConductReported(**AT, seat=3, what="second_position", other_seat=4), after="nmb", name="said")


def late(s: Script, _: Kit) -> None:
    """Its wagers came after the announcement, so that they may not be accepted."""
    for name in s.names("wager:4."):
        made = s.get(name)
        s.drop(name)
        s.insert(made, after="nmb", wait_s=0.8, name=name)


def withdrawn_by_then(s: Script, k: Kit) -> None:
    for name in s.names("wager:4."):
        s.insert(WagerRemoved(**AT, area=s.area(name), by=Side.PLAYER), after=k.first_deal(s), name="gone")


@EVERY
@pytest.mark.parametrize("method", ["MS", "HD", "AS"])
def test_every_seat_with_the_wagers_gets_cards(prefix: str, method: str) -> None:
    """Cards go to "each player who placed" the wagers: one that is skipped is told, where its wagers surely are of this round."""
    assert broken(played(left_out(4)), prefix, method) == [f"{method}-ELIGIBLE"]
    assert f"{method}-ELIGIBLE" not in broken(played(cards_unseen), prefix, method)
    for edit in (said, late, withdrawn_by_then, unseen("nmb"), change("wager:4." + Kit(prefix).base, by=None)):
        assert f"{method}-ELIGIBLE" not in broken(played(left_out(4), edit), prefix, method)
    assert (
        broken(
            played(
                lambda s, _: s.drop(
                    *(f"{n}:4" for n in ("wager", "fold-collect")),
                ),
                left_out(4),
            ),
            prefix,
            method,
        )
        == []
    )


# -- a community card that is exposed (669a.13(d)) --------------------------------------------------------------------------


def shows(box: str, card: str) -> Any:
    """A community card dealt face up, that lies so from then on."""

    def edit(s: Script, _: Kit) -> None:
        s.change(f"deal:community.{box}", face=Face.UP, card=card)
        s.drop(f"reveal:{('4th', '5th', '6th').index(box) + 1}")

    return edit


@pytest.mark.parametrize("method", ["MS", "HD"])
@pytest.mark.parametrize(("box", "card"), [("4th", "Td"), ("5th", "4s"), ("6th", "9c")])
def test_a_community_card_dealt_face_up_voids_the_round(method: str, box: str, card: str) -> None:
    """It is exposed before it is revealed in accordance with 669a.11: wagers go back, and none is owed its odds."""
    went_on = broken(played(shows(box, card), change("pay:1.ante", amount_cents=1)), "RIU", method)
    assert sorted(went_on) == sorted(["IRR-EXPOSED", f"{method}-DOWN"])
    assert broken(played(shows(box, card), lambda s, _: void(s, "stub", Side.DEALER, "by hand")), "RIU", method) == [
        f"{method}-DOWN"
    ]


def flashed(box: str, card: str, after: str) -> Any:
    """A community card that shows its face for a moment."""

    def edit(s: Script, k: Kit) -> None:
        for face in (Face.DOWN, Face.UP):
            event = CardTurned(**AT, area=f"community.{box}", card_id=s.card_id(f"deal:community.{box}"), face=face)
            s.insert(event, after=after, wait_s=0.3 if face is Face.UP else 0.7, name=f"flash:{face}")
        s.change(f"flash:{Face.UP}", card=card)

    return edit


@pytest.mark.parametrize("after", ["stub", "examine:6", "play:1", "check:3.1"])
@pytest.mark.parametrize(("box", "card"), [("5th", "4s"), ("6th", "9c")])
def test_a_community_card_that_was_flashed_is_exposed_and_not_revealed(box: str, card: str, after: str) -> None:
    """Whose Play Wagers are right by the cards that were revealed is not accused, and no card lies in a wrong box (669a.11(c)-(f))."""
    flash = flashed(box, card, after)
    assert broken(played(flash, readings={}), "RIU") == ["IRR-EXPOSED"]
    assert (
        broken(played(flash, lambda s, _: void(s, f"flash:{Face.DOWN}", Side.PLAYER, "by hand"), readings={}), "RIU")
        == []
    )
    assert broken(played(flash, change("play:3", amount_cents=3000), readings={}), "RIU") == [
        "IRR-EXPOSED",
        "PLAY-AMT-2",
    ]


def test_a_revealed_card_that_is_told_face_down_for_a_moment_stays_revealed() -> None:
    """In its turn it was revealed; that it lay face down again is no exposure."""

    def down(s: Script, k: Kit) -> None:
        for face in (Face.UP, Face.DOWN):
            event = CardTurned(**AT, area="community.4th", card_id=s.card_id("deal:community.4th"), face=face)
            s.insert(event, after="reveal:1", wait_s=0.4 if face is Face.UP else 0.2)

    assert broken(played(down), "RIU") == []


# -- decided too late (669a.11(h), 639a.11(c)) ------------------------------------------------------------------------------


def after_6th_street(wait_s: float = 1.6, by: Side | None = Side.PLAYER) -> Any:
    def edit(s: Script, _: Kit) -> None:
        made = altered(s.get("play:6"), by=by)
        s.drop("play:6")
        s.insert(made, after="reveal:3", wait_s=wait_s, name="play:6")
        s.items.sort(key=lambda item: item[1].t_s)

    return edit


def refused(s: Script, _: Kit) -> None:
    s.change("collect:6.play", by=Side.PLAYER)


def test_a_play_wager_after_the_last_community_card_shows_that_it_was_early() -> None:
    """Whatever is inferred from silence: no Play Wager may be made then, and the dealer took this one for one in time."""
    assert broken(played(after_6th_street(), readings={}), "RIU")[0] == "C3-WHEN"
    for edits in ((after_6th_street(0.6),), (after_6th_street(by=None),), (after_6th_street(), refused)):
        assert "C3-WHEN" not in broken(played(*edits, readings={}), "RIU")


def test_the_cards_of_a_fold_are_racked_before_the_hole_cards() -> None:
    """ "The dealer shall collect all forfeited wagers and associated cards ... The dealer shall then reveal" (639a.11(c))."""

    def late_cards(s: Script, _: Kit) -> None:
        for name in s.names("fold-rack:4"):
            gone = s.get(name)
            s.drop(name)
            s.insert(gone, after="reveal:dealer.4", wait_s=1.6, name=name)
        s.items.sort(key=lambda item: item[1].t_s)

    assert broken(played(FOLD, late_cards), "CAR") == ["FOLD-COLLECT"]
    assert broken(played(late_cards), "CAR") == []
    kept = {"paytables": {"bonus": "A", "five_card_hand_bonus": "fixed"}}
    bonus = electronic("five_card_hand_bonus", "fchb_player", seats=(4,))
    assert "FOLD-COLLECT" not in broken(played(FOLD, late_cards, bonus, **kept), "CAR")


# -- electronic wagers in their time (639a.7(c)) ---------------------------------------------------


@pytest.mark.parametrize(("wait_s", "expected"), [(-0.5, []), (0.8, ["WAG-LOCK"]), (1.8, ["EWS-LOCK"])])
def test_no_five_card_hand_bonus_is_accepted_after_the_announcement(wait_s: float, expected: list[str]) -> None:
    """ "All wagers, except the Bet Wager, shall be placed prior to the dealer announcing" it (639a.7(c)); its system locks by the first card (639a.2(d))."""

    def at_that_time(s: Script, _: Kit) -> None:
        made = s.get("accept:1")
        s.drop("accept:1")
        s.insert(made, after="nmb", wait_s=wait_s, name="accept:1")
        s.items.sort(key=lambda item: item[1].t_s)

    bonus = electronic("five_card_hand_bonus", "fchb_player", seats=(1,))
    offered = {"paytables": {"bonus": "A", "five_card_hand_bonus": "fixed"}}
    assert broken(played(bonus, at_that_time, **offered), "CAR") == expected


@EVERY
@pytest.mark.parametrize(("method", "rows"), [("MS", 1), ("AS", 0)])
def test_a_jam_voids_the_round_of_an_automated_shoe_only(prefix: str, method: str, rows: int) -> None:
    """ "If an automated dealing shoe is being used and the device jams" (.13(f)): what is paid after another device jammed is owed."""

    def short(s: Script, _: Kit) -> None:
        s.change(s.names("pay:")[0], amount_cents=1)

    jam = played(lambda s, k: insert(DeviceJammed(**AT, device="shoe"), k.reveal)(s, k), short)
    assert len([row for row in broken(jam, prefix, method) if not row.startswith("IRR-")]) == rows


def taken_back(wait_s: float, by: Side | None = Side.PLAYER, *, again: bool = False) -> Edit:
    """Seat 4 takes its wagers back so long after "no more bets", and gets no cards."""

    def edit(s: Script, k: Kit) -> None:
        left_out(4)(s, k)
        for i, name in enumerate(s.names("wager:4.")):
            made, later_s = s.get(name), round(wait_s + i / 100, 2)
            s.insert(WagerRemoved(**AT, area=s.area(name), by=by), after="nmb", name=f"gone:{i}", wait_s=later_s)
            if again:
                s.insert(made, after=f"gone:{i}", name=f"again:{i}", wait_s=0.05)
        s.items.sort(key=lambda item: item[1].t_s)

    return edit


@EVERY
def test_a_seat_that_gets_no_cards_takes_no_wager_back_after_no_more_bets(prefix: str) -> None:
    """ "A wager may not be made, increased or withdrawn after the dealer has announced 'no more bets'" (.7(c)); once it was passed over the seat may have its chips."""
    assert broken(played(taken_back(1.3)), prefix) == ["WAG-LOCK"]
    assert broken(played(taken_back(0.6)), prefix) == []  # the hand may have come before the word
    assert broken(played(taken_back(6.0)), prefix) == []  # passed over; who erred nobody knows
    for by in (Side.DEALER, None):
        assert broken(played(taken_back(1.3, by)), prefix) == []  # given back, or not seen by whom
    assert "WAG-LOCK" not in broken(played(taken_back(1.3, again=True)), prefix)  # changed for other chips
    assert broken(played(taken_back(1.3), unseen("nmb")), prefix) == []
