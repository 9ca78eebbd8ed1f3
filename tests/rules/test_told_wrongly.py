"""Rounds told with several things wrong at once, by which an honest dealer or player was accused (`datasets.score.courses`); told rightly, the same is a breach."""

from __future__ import annotations

from dataclasses import replace

import pytest
import test_caribbean_stud_checks as car
import test_dj_wild_checks as djw
import test_let_it_ride_checks as lir
from case_kit import Kit
from game_rounds import build as build_game
from game_rounds import table
from rounds import AT, Script, altered, breaches, build, hands_told, judge, nobody_at, verdicts
from rounds import seat as seat_of_rounds
from rounds import table as rounds_table

from rules.events import CardPlaced, CardRemoved, CardTurned, Face, HandOver, Side, WagerPlaced
from rules.findings import Verdict
from rules.records import Step
from rules.rounds import Round

GAMES = {"caribbean_stud": car, "let_it_ride": lir, "dj_wild": djw}


def script_of(game: str) -> Script:
    return build() if game == "raise_it_up" else build_game(GAMES[game].plan())


def alleged(game: str, script: Script) -> list[tuple[str, int | None]]:
    return breaches(judge(script.events, None if game == "raise_it_up" else table(game)))


@pytest.mark.parametrize("lost", [False, True])
@pytest.mark.parametrize(
    ("game", "act", "first", "last", "lead_s", "check"),
    [
        ("caribbean_stud", "decide:1", "deal:1.1", "deal:1.4", 1.3, "CAR-BET-TURN"),
        ("caribbean_stud", "reveal:dealer.1", "deal:dealer.2", "deal:dealer.4", 0.4, "CAR-REVEAL-WHEN"),
        ("dj_wild", "decide:6", "deal:6.0", "deal:6.4", 1.3, "DJW-RAISE-TURN"),
        ("let_it_ride", "reveal:1", "deal:1.1", "deal:1.2", 1.3, "LIR-C1-WHEN"),
        ("raise_it_up", "reveal:1", "deal:6.1", "deal:6.2", 0.2, "RIU-C1-WHEN"),
    ],
)
def test_what_came_before_a_card_that_may_be_one_found_again(
    game: str, act: str, first: str, last: str, lead_s: float, check: str, *, lost: bool
) -> None:
    """Chips laid, or a card turned, before the last card was dealt; of its place a card had left unseen, so that it may be that one."""
    script = script_of(game)
    cards = [
        name
        for name in script.names("deal:")
        if script.index(name) > script.index(last) and name != "deal:community.4th"
    ]
    if game == "raise_it_up":
        script.move("deal:community.4th", before=last, lead_s=0.3)
    script.move(act, before=last, lead_s=lead_s)
    script.drop(*cards, "withdraw", "move:")  # no other card comes after the act, and nobody decides after it
    if lost:
        dealt = script.get(first)
        assert isinstance(dealt, CardPlaced)
        script.insert(CardRemoved(**AT, area=dealt.area, card_id=dealt.card_id), after=first, name="lost", wait_s=0.05)
        script.drop(*(f"{what}:{first.removeprefix('deal:')}" for what in ("turn", "reveal", "rack")))
    script.items.sort(key=lambda item: item[1].t_s)
    assert (check in {name for name, _ in alleged(game, script)}) is not lost


@pytest.mark.parametrize("seen", [True, False])
@pytest.mark.parametrize(
    ("game", "seat", "check"), [("raise_it_up", 6, "RIU-PLAY-AMT-3"), ("caribbean_stud", 6, "CAR-BET-AMT"), ("dj_wild", 6, "DJW-RAISE-AMT")]
)  # fmt: skip
def test_an_ante_of_the_next_round_is_none_of_this_one(game: str, seat: int, check: str, *, seen: bool) -> None:
    """The Ante was not made out; its player lays the next one while cards still lie there."""
    script = script_of(game)
    ante = script.get(f"wager:{seat}.ante")
    if not seen:
        reached = HandOver(**AT, area=f"seat{seat}.ante", since_s=ante.t_s - 0.3, side=Side.PLAYER)
        script.insert(reached, after=f"wager:{seat}.ante", name="hand")
        script.drop(*(f"{what}:{seat}.ante" for what in ("wager", "collect", "pay", "take")))
    last = script.names("rack:")[-1]
    script.insert(altered(ante, amount_cents=700), after=script.names("rack:")[0], name="next", wait_s=0.02)
    script.items.append((last, replace(script.get(last), t_s=script.items[-1][1].t_s + 2.0)))
    found = judge(script.events, None if game == "raise_it_up" else table(game))
    assert breaches(found) == []
    assert (verdicts(found, check)[seat] is Verdict.COMPLIANT) is seen


@pytest.mark.parametrize("by", [Side.PLAYER, None])
def test_a_base_wager_found_once_settlement_began_was_not_made_out_before(by: Side | None) -> None:
    """Chips that nobody known laid where none were made out may have lain there since before the deal; a player lays them for the next round."""
    script = build()
    script.drop("wager:3.blind", "pay:3.blind", "take:3.blind")
    hands_told(script)
    late = WagerPlaced(**AT, area="seat3.blind", amount_cents=1000, by=by)
    script.insert(late, after="turn-hand:3", name="found")
    assert (("RIU-ANTE-REQ", 3) in breaches(judge(script.events))) is (by is Side.PLAYER)


@pytest.mark.parametrize("since_s", [None, 2.0])
def test_a_box_is_not_the_wrong_one_where_its_card_may_have_been_turned_before(since_s: float | None) -> None:
    """The second card's turn is told after the third's; it can have been turned since before that."""
    script = build()
    script.swap("reveal:2", "reveal:3")
    second = script.get("reveal:2")
    first = script.get("reveal:3").t_s
    script.change("reveal:2", earliest_s=None if since_s is None else round(first - since_s, 3))
    told = {name for name, _ in breaches(judge(script.events)) if name.endswith("PLACE")}
    assert second.t_s > first
    assert told == ({"RIU-C2-PLACE", "RIU-C3-PLACE"} if since_s is None else set())


@pytest.mark.parametrize("brought", [True, False])
@pytest.mark.parametrize(
    ("game", "card", "check"), [("raise_it_up", "deal:6.2", "RIU-MS-DOWN"), ("dj_wild", "deal:6.4", "DJW-MS-DOWN")]
)
def test_a_card_was_dealt_face_up_only_where_dealing_surely_went_on(game: str, card: str, check: str, *, brought: bool) -> None:  # fmt: skip
    """A card that comes after it may be one that had left its place unseen."""
    script = script_of(game)
    after = [name for name in script.names("deal:") if script.index(name) > script.index(card)]
    script.drop(*after, "stub")
    script.change(card, face=Face.UP, card="2h")
    other = script.get("deal:3.1")
    assert isinstance(other, CardPlaced)
    if brought:
        script.drop("deal:3.1")
        script.insert(other, after=card, name="deal:3.1", wait_s=0.5)
    else:
        script.insert(
            CardRemoved(**AT, area=other.area, card_id=other.card_id), after="deal:3.1", name="lost", wait_s=0.05
        )
        script.insert(replace(other, card_id=990), after=card, name="again", wait_s=0.5)
        script.drop("turn:3.1", "rack:3.1")
    assert (check in {name for name, _ in alleged(game, script)}) is brought


def left_out(script: Script, area: str) -> None:
    """A wager that was not made out: nothing is told of its chips, and no hand over its place."""
    key = area.removeprefix("seat")
    script.drop(*(f"{what}:{key}" for what in ("wager", "laid", "collect", "pay", "take")))


LACKING = (
    ("raise_it_up", "seat3.blind", "RIU-ANTE-REQ"),
    ("let_it_ride", "seat3.bet2", "LIR-THREE-EQ"),
    ("dj_wild", "seat3.blind", "DJW-ANTE-REQ"),
)


@pytest.mark.parametrize(("game", "area", "check"), LACKING)
def test_a_base_wager_is_missing_only_where_hands_that_lay_chips_are_told(game: str, area: str, check: str) -> None:
    """Nothing is told of one base wager: of its chips and of the hand that laid them."""

    def accused(*, told: bool = True, unseen: str = "", reports: tuple[str, ...] = ()) -> bool:
        script = script_of(game)
        left_out(script, area)
        if told:
            hands_told(script)
        script.drop(*unseen.split())
        config = rounds_table(reports=list(reports)) if game == "raise_it_up" else table(game, reports=list(reports))
        return (check, 3) in breaches(judge(script.events, config))

    other = {"raise_it_up": "ante", "let_it_ride": "bet1", "dj_wild": "ante"}[game]
    assert accused()
    assert not accused(told=False)  # nobody tells of hands
    assert not accused(unseen=f"laid:3.{other}")  # of the seat's own hands one was missed already
    assert not accused(unseen="laid:1 laid:4 laid:5 laid:6")  # at the other seats nobody tells of hands
    assert accused(told=False, reports=("wager_placed",))  # what is sure to tell of wagers has none


@pytest.mark.parametrize(("count", "accused"), [(3, True), (None, False)])
def test_a_base_wager_is_missing_at_a_seat_that_got_a_stack(count: int | None, accused: bool) -> None:
    """Whether a seat was dealt in shows a stack that was counted."""
    kit = Kit("RIU", "AS")
    script = kit.script()
    left_out(script, "seat3.blind")
    hands_told(script)
    script.change("stack:3", count=count)
    assert (("RIU-ANTE-REQ", 3) in breaches(judge(script.events, kit.table(reports=[])))) is accused


def test_a_hand_that_reached_for_the_seat_may_have_laid_the_wager_that_was_not_made_out() -> None:
    """Over another place of the seat, where no chips came or went; a hand that laid other chips there tells nothing."""
    for area, since_s, accused in (
        ("seat3.pair_plus", 9.0, False),
        ("seat3.ante", 9.0, False),
        ("seat1.ante", 9.0, True),
    ):
        script = build()
        left_out(script, "seat3.blind")
        hands_told(script)
        assert ("RIU-ANTE-REQ", 3) in breaches(judge(script.events))
        near = HandOver(table_id=script.table_id, t_s=since_s + 0.4, area=area, since_s=since_s, side=Side.PLAYER)
        script.items.insert(0, ("near", near))
        assert (("RIU-ANTE-REQ", 3) in breaches(judge(script.events))) is accused


def test_chips_that_can_have_come_long_before_account_for_no_other_hand() -> None:
    """The Blind came with its own hand; one over another place of the seat, before that, may have laid the Ante."""
    for since_s, accused in ((0.9, False), (0.25, True)):
        script = build()
        left_out(script, "seat3.ante")
        hands_told(script)
        blind = script.get("wager:3.blind")
        script.change("wager:3.blind", earliest_s=round(blind.t_s - 0.8, 3))
        t_s = round(blind.t_s - since_s, 3)
        near = HandOver(table_id=script.table_id, t_s=t_s + 0.1, area="seat3.play", since_s=t_s, side=Side.PLAYER)
        script.items.insert(script.index("wager:3.blind"), ("near", near))
        script.items.sort(key=lambda item: item[1].t_s)
        assert (("RIU-ANTE-REQ", 3) in breaches(judge(script.events))) is accused


def test_who_plays_the_round_has_made_its_wager() -> None:
    """Cards for a seat of which no Ante is told: a breach where nobody plays, not where the player takes the cards up, decides or has another wager."""
    for kept, accused in (("", True), ("examine:3", False), ("decide:3", False), ("wager:3.bonus", False)):
        script = build_game(car.plan())
        event = script.get(kept) if kept and kept in dict(script.items) else None
        at = script.index(kept) if event is not None else 0
        if kept == "wager:3.bonus" and event is None:
            ante = script.get("wager:3.ante")
            event, at = altered(ante, area="seat3.bonus"), script.index("wager:3.ante")
        nobody_at(script, 3)
        if event is not None:
            script.items.insert(min(at, len(script.items)), (kept, event))
            script.items.sort(key=lambda item: item[1].t_s)
        hands_told(script)
        assert (("CAR-MS-ELIGIBLE", 3) in alleged("caribbean_stud", script)) is accused


@pytest.mark.parametrize("goes_on", [False, True])
@pytest.mark.parametrize(
    ("game", "act", "cards", "check"),
    [
        ("caribbean_stud", "decide:1", ("deal:6.4", "deal:3.4"), "CAR-BET-TURN"),
        ("dj_wild", "decide:1", ("deal:6.4", "deal:3.4"), "DJW-RAISE-TURN"),
        ("let_it_ride", "withdraw:3.bet1", ("deal:6.2", "deal:1.2"), "LIR-WAG-LOCK"),
        ("let_it_ride", "reveal:1", ("deal:6.2", "deal:1.2"), "LIR-C1-WHEN"),
    ],
)
def test_a_card_that_came_alone_long_after_the_others_was_dealt_nobody_knows_when(
    game: str, act: str, cards: tuple[str, str], check: str, *, goes_on: bool
) -> None:
    """It was found late, or is another's; where the dealer really deals on, cards come to other places too."""
    script = script_of(game)
    for n, card in enumerate(cards[: 2 if goes_on else 1]):
        dealt = script.get(card)
        script.drop(card)
        script.insert(dealt, after=act, name=card, wait_s=1.3 + n / 2)
    script.items.sort(key=lambda item: item[1].t_s)
    assert (check in {name for name, _ in alleged(game, script)}) is goes_on


@pytest.mark.parametrize(("game", "act"), [("let_it_ride", "reveal:1"), ("caribbean_stud", "decide:1")])
def test_cards_that_come_to_light_beside_a_stack_were_dealt_with_it(game: str, act: str) -> None:
    """Face down at two places that have their cards in stacks: nothing was dealt after the community card, or the wager."""
    script = build_game(GAMES[game].plan(dealing="automated_shoe"))
    for number, seat in ((901, 3), (902, 4)):
        found = CardPlaced(**AT, area=f"seat{seat}.cards", card_id=number, face=Face.DOWN)
        script.insert(found, after=act, name="found", wait_s=1.2 + number / 1000)
    script.items.sort(key=lambda item: item[1].t_s)
    assert breaches(judge(script.events, table(game, dealing="automated_shoe"))) == []


@pytest.mark.parametrize("late", [False, True])
def test_two_of_the_dealers_cards_told_late_do_not_make_a_hand_turned_too_early(*, late: bool) -> None:
    """Settlement began when the last of the dealer's cards was shown: with one of two told at its earliest it began as late, with both it did not."""
    script = build_game(car.plan())
    shown = script.get("turn:6.0").t_s
    script.drop("turn-hand:6")
    for n, card in enumerate(("reveal:dealer.3", "reveal:dealer.4")):
        event, t_s = script.get(card), round(shown + 0.7 + n / 10, 3)
        script.change(card, t_s=t_s, earliest_s=round(event.t_s - 0.1, 3) if late else None)
    script.items.sort(key=lambda item: item[1].t_s)
    told = {name for name, _ in alleged("caribbean_stud", script)}
    assert ("CAR-CARDS-FINAL" in told) is not late


@pytest.mark.parametrize("side", [Side.PLAYER, Side.DEALER, None])
def test_who_turned_a_card_before_settlement_is_said_only_of_a_players_hand(side: Side | None) -> None:
    script = build_game(car.plan())
    card = script.get("deal:1.0")
    assert isinstance(card, CardPlaced)
    turned = CardTurned(**AT, area="seat1.cards", card_id=card.card_id, face=Face.UP, card="Th")
    script.insert(turned, after="decide:3", name="shown", wait_s=0.3)
    t_s = script.get("shown").t_s
    hand = HandOver(**AT, area="seat1.cards", since_s=t_s - 0.2, side=side)
    script.insert(hand, after="shown", name="by")
    assert (("CAR-CARDS-FINAL", 1) in alleged("caribbean_stud", script)) is (side is Side.PLAYER)


@pytest.mark.parametrize(
    ("game", "act", "check"),
    [
        ("let_it_ride", "reveal:1", "LIR-C1-WHEN"),
        ("caribbean_stud", "reveal:dealer.1", "CAR-REVEAL-WHEN"),
        ("dj_wild", "reveal:dealer.0", "DJW-REVEAL-WHEN"),
        ("caribbean_stud", "decide:1", "CAR-BET-TURN"),
    ],
)
def test_a_stack_that_comes_after_an_act_of_play_shows_that_it_came_too_early(game: str, act: str, check: str) -> None:
    """From an automated shoe: two seats get theirs afterwards. One alone, or a second at a place that has one, was lost and found again."""

    def accused(*seats: int, again: bool = False) -> bool:
        script = build_game(GAMES[game].plan(dealing="automated_shoe"))
        for n, seat in enumerate(seats):
            stack = script.get(f"stack:{seat}")
            if not again:
                script.drop(f"stack:{seat}")
            script.insert(stack, after=act, name=f"late:{seat}", wait_s=1.3 + n / 2)
        script.items.sort(key=lambda item: item[1].t_s)
        return check in {name for name, _ in breaches(judge(script.events, table(game, dealing="automated_shoe")))}

    assert accused(3, 6)
    assert not accused(6)
    assert not accused(3, 6, again=True)


@pytest.mark.parametrize("game", ["raise_it_up", "caribbean_stud", "let_it_ride"])
def test_a_card_too_many_came_with_a_reach_of_its_own_or_lies_shown(game: str) -> None:
    """Told late, it can have come with one that brought another: it may be none. Dealt one at a time, as many cards come as the dealer's hand."""
    check = {"raise_it_up": "RIU-IRR-COUNT", "caribbean_stud": "CAR-IRR-COUNT", "let_it_ride": "LIR-IRR-COUNT"}[game]

    def accused(*, late: bool, reach: bool, shown: bool) -> bool:
        script = script_of(game)
        deals = [name for name in script.names("deal:") if isinstance(script.get(name), CardPlaced)]
        for name in deals:
            card = script.get(name)
            assert isinstance(card, CardPlaced)
            hand = HandOver(**AT, area=card.area, since_s=card.t_s - 0.15, side=Side.DEALER)
            script.insert(hand, after=name, name=f"brought:{name}", wait_s=0.05)
        first, last = script.get(deals[-1 if not late else 0]).t_s, script.get(deals[-1]).t_s
        extra = CardPlaced(
            **AT, area="seat3.cards", card_id=903, face=Face.DOWN, earliest_s=first - 0.05 if late else None
        )
        script.insert(extra, after=deals[-1], name="extra", wait_s=0.3)
        if reach:
            hand = HandOver(**AT, area="seat3.cards", since_s=last + 0.15, side=Side.DEALER)
            script.insert(hand, after="extra", name="brought:extra", wait_s=0.05)
        if shown:
            turned = CardTurned(**AT, area="seat3.cards", card_id=903, face=Face.UP, card="2c")
            script.insert(turned, after=script.names("turn:3.")[-1], name="fourth", wait_s=0.1)
        script.items.sort(key=lambda item: item[1].t_s)
        return (check, 3) in alleged(game, script)

    assert accused(late=False, reach=True, shown=False)
    assert not accused(late=True, reach=False, shown=False)
    assert accused(late=True, reach=False, shown=True)


@pytest.mark.parametrize("name", ["Qs", None])
def test_an_up_card_lost_and_found_again_is_no_hole_card(name: str | None) -> None:
    """The dealer's first card, dealt face up, leaves its place unseen and is found there as another while players decide."""
    script = build_game(car.plan())
    up = script.get("deal:dealer.0")
    assert isinstance(up, CardPlaced)
    lost = CardRemoved(**AT, area=up.area, card_id=up.card_id)
    script.insert(lost, after="stub", name="lost", wait_s=0.2)
    script.insert(replace(up, card_id=905, card=name and up.card), after="decide:1", name="found", wait_s=0.2)
    script.change("rack:dealer.0", card_id=905)
    script.items.sort(key=lambda item: item[1].t_s)
    assert alleged("caribbean_stud", script) == []


def test_community_cards_that_go_to_the_rack_had_been_turned() -> None:
    """One too many was told among them; of a stack from an automated shoe one goes there before play, of single cards none does."""
    script = build()
    none = CardPlaced(**AT, confidence=0.45, area="community.4th", card_id=906, face=Face.DOWN)
    script.insert(none, after="deal:community.6th", name="none", wait_s=0.2)
    r = Round(rounds_table(), 1)
    for index, event in enumerate(script.events):
        r.add(Step(index, event))
    assert [card.home for _, card in r.reveals] == [f"community.{box}" for box in ("4th", "5th", "6th")]


@pytest.mark.parametrize("second", ["seen", "late", "missed"])
def test_a_seat_that_decides_twice_after_a_card_decides_before_the_next(second: str) -> None:
    """Seat 6's hand over its cards before the 4th Street card was not seen; its decisions after that and after the 5th are two after the first where the second was missed, or told late."""
    script = build([seat_of_rounds(1, "Th 8c 2d", 1, 3), seat_of_rounds(6, "Kh 5c 7s", 3, 1)])
    script.drop("check:6.1")
    if second == "seen":  # it decides twice before the 5th Street card
        again = script.get("check:6.2")
        assert isinstance(again, HandOver)
        script.insert(replace(again, since_s=again.t_s + 0.4), after="check:6.2", name="again", wait_s=0.8)
    else:
        twice = script.get("check:6.2")
        assert isinstance(twice, HandOver)
        since_s = round(script.get("reveal:2").t_s + 0.8, 3)
        script.insert(replace(twice, since_s=since_s), after="reveal:2", name="again", wait_s=1.2)
        if second == "missed":
            script.drop("reveal:2")
        else:
            turned = script.get("reveal:2")
            script.change("reveal:2", t_s=round(turned.t_s + 1.4, 3), earliest_s=round(turned.t_s - 0.1, 3))
    script.items.sort(key=lambda item: item[1].t_s)
    assert ("RIU-C1-WHEN" in {name for name, _ in breaches(judge(script.events))}) is (second == "seen")


@pytest.mark.parametrize(("late", "reaches", "accused"), [(False, 2, True), (False, 0, True), (True, 1, False)])
def test_a_second_extra_card_came_with_a_reach_of_its_own(*, late: bool, reaches: int, accused: bool) -> None:
    """Told late, with no reach of the dealer's but the one that brought the first, it may be none (687a.8(f))."""
    script = build_game(djw.plan(extra=True))
    first = script.get("deal:extra.1")
    assert isinstance(first, CardPlaced)
    second = replace(first, card_id=907, earliest_s=round(first.t_s - 0.05, 3) if late else None)
    script.insert(second, after="deal:extra.1", name="second", wait_s=0.6)
    for n in range(reaches):
        since_s = round(first.t_s - 0.1 + 0.6 * n, 3)
        hand = HandOver(**AT, area=first.area, since_s=since_s, side=Side.DEALER)
        script.insert(hand, after="deal:extra.1", name=f"hand:{n}", wait_s=0.05 + 0.6 * n)
    script.items.sort(key=lambda item: item[1].t_s)
    offered = {"trips": "04", "bad_beat": "01", "progressive": "1"}
    config = table("dj_wild", paytables=offered, progressive_unit_cents=100)
    assert ("DJW-MS-EXTRA" in {name for name, _ in breaches(judge(script.events, config))}) is accused


@pytest.mark.parametrize("shown", [False, True])
@pytest.mark.parametrize(("game", "wager", "check"), [("caribbean_stud", "bet", "CAR-FOLD-FORFEIT"), ("dj_wild", "raise", "DJW-FOLD-FORFEIT")])  # fmt: skip
def test_a_hand_that_is_shown_later_was_not_racked_as_a_fold(game: str, wager: str, check: str, *, shown: bool) -> None:
    """The raise was not made out; of the cards those that were told left unseen under the dealer's hand, and lie there as others at settlement."""
    script = script_of(game)
    left_out(script, f"seat6.{wager}")
    script.drop("decide:6", "rack:6")
    t_s = script.get("examine:6").t_s
    dealt = [script.get(name) for name in script.names("deal:6.")]
    for n, card in enumerate(dealt):
        assert isinstance(card, CardPlaced)
        gone = CardRemoved(**AT, area=card.area, card_id=card.card_id)
        script.insert(gone, after="examine:6", name=f"gone:{n}", wait_s=0.5 + n / 100)
        if shown:
            name = f"turn:6.{n}"
            turned = script.get(name)
            assert isinstance(turned, CardTurned)
            up = CardPlaced(**AT, area=card.area, card_id=920 + n, face=Face.UP, card=turned.card)
            script.items[script.index(name)] = (name, replace(up, t_s=turned.t_s, table_id=script.table_id))
        else:
            script.drop(f"turn:6.{n}")
    hand = HandOver(**AT, area="seat6.cards", since_s=round(t_s + 0.4, 3), side=Side.DEALER)
    script.insert(hand, after="examine:6", name="hand", wait_s=0.6)
    script.items.sort(key=lambda item: item[1].t_s)
    assert ((check, 6) in alleged(game, script)) is not shown


@pytest.mark.parametrize(("wait_s", "since_s", "accused"), [(0.3, None, True), (9.0, None, False), (0.3, 2.0, False)])
def test_a_card_that_is_found_late_is_not_one_too_many(wait_s: float, since_s: float | None, *, accused: bool) -> None:
    """The stub was not seen to be racked, so that nothing ends the deal before a player decides (687a.13(c)); five cards come with one reach."""
    script = build_game(djw.plan())
    script.drop("stub")
    last = script.get(script.names("deal:")[-1]).t_s
    script.items = [(name, event if event.t_s <= last else replace(event, t_s=event.t_s + 10.0)) for name, event in script.items]  # fmt: skip
    earliest_s = None if since_s is None else round(last - since_s, 3)
    extra = CardPlaced(**AT, area="seat6.cards", card_id=908, face=Face.DOWN, earliest_s=earliest_s)
    script.insert(extra, after=script.names("deal:")[-1], name="extra", wait_s=wait_s)
    script.items.sort(key=lambda item: item[1].t_s)
    assert (("DJW-IRR-COUNT", 6) in alleged("dj_wild", script)) is accused
