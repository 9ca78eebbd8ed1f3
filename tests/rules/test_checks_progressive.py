"""Progressive wagers, awards, envy bonuses and meters: what breaks each check and only it, and its edge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from case_kit import Kit
from house import AT, award, envy, prog, progressive
from rounds import Edit, Script, Seat, breaches, build, judge, last_act, seat, table, verdicts

from rules.event_base import Source
from rules.events import (
    CardRemoved,
    CardTurned,
    ElectronicWagerAccepted,
    Event,
    Face,
    FloorDecision,
    MeterRead,
    PayoutPlaced,
    Side,
    WagerPlaced,
)
from rules.findings import Verdict
from rules.house_events import BonusPaid
from rules.paytables import PaytableError

STRAIGHT = seat(1, "4c 5d 6h", 3)
ROYAL = seat(3, "Ah Kh Qh", 3)
SPADES = seat(4, "As Ks Qs", 3)
NOTHING = seat(6, "Jd 8s 2s", 3)
BOARD = ("7d", "7h", "3c")


def played(seats: Sequence[Seat], wagered: tuple[int, ...], cents: int = 100) -> Script:
    script = build(seats, BOARD)
    progressive(script, wagered, cents)
    return script


def rows(script: Script, **config: object) -> list[str]:
    found = breaches(judge(script.events, prog(**config)))
    return [f"{check.removeprefix('RIU-')}:{number}" for check, number in found]


def straight() -> Script:
    """Seat 1 wins 6 for 1 on $1."""
    script = played([STRAIGHT, NOTHING], (1, 6))
    award(script, 1, 600)
    return script


def test_honest_award() -> None:
    found = judge(straight().events, prog())
    assert breaches(found) == []
    done = {f.check_id for f in found if f.seat == 1 and f.verdict is Verdict.COMPLIANT}
    assert {f"RIU-SET-PROG-{row}" for row in ("VERIFY", "LIGHT", "FLOOR", "PAY")} <= done
    lanes = ("MS-PROG-LOCK", "MS-PROG-COLLECT", "MS-PROG-VERIFY", "MS-PROG-INVENTORY", "PROG-AFTER", "METER-RATE")
    assert {verdicts(found, f"RIU-{row}")[None] for row in lanes} == {Verdict.COMPLIANT}


DEAL: list[tuple[str, Edit, list[str]]] = [
    ("never_locked", lambda s: s.drop("lock"), ["MS-PROG-LOCK:None"]),
    ("locked_after_the_first_card", lambda s: s.change("lock", t_s=s.get("deal:1.0").t_s + 0.1), ["MS-PROG-LOCK:None"]),
    ("straight_to_the_inventory", lambda s: s.change("collect-chips", place="inventory"), ["MS-PROG-COLLECT:None"]),
    ("never_collected", lambda s: s.drop("collect-chips", "bank"), ["MS-PROG-COLLECT:None"]),
    ("one_chip_too_few", lambda s: s.change("collect-chips", count=1), ["MS-PROG-VERIFY:None"]),
    ("one_chip_too_many", lambda s: s.change("collect-chips", count=3), ["MS-PROG-VERIFY:None"]),
    ("put_away_before_counted", lambda s: s.swap("bank", "collect-chips"), ["MS-PROG-INVENTORY:None"]),
    ("put_elsewhere", lambda s: s.change("bank", to="tip_box"), ["MS-PROG-INVENTORY:None"]),
    ("not_put_away", lambda s: s.drop("bank"), ["MS-PROG-INVENTORY:None"]),
    ("before_the_ante", lambda s: s.change("accept:1", t_s=s.get("wager:1.ante").t_s - 2.0), ["PROG-AFTER:1"]),
    ("just_before_the_ante", lambda s: s.change("accept:1", t_s=s.get("wager:1.blind").t_s - 0.9), []),
    ("meter_short", lambda s: s.change("meter:after", amount_cents=500_026), ["METER-RATE:None"]),
    ("meter_within_a_cent", lambda s: s.change("meter:after", amount_cents=500_027), []),
    ("meter_over", lambda s: s.change("meter:after", amount_cents=500_030), ["METER-RATE:None"]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "edit", "expected"), DEAL, ids=[row[0] for row in DEAL])
def test_before_the_deal(name: str, edit: Edit, expected: list[str]) -> None:
    script = straight()
    edit(script)
    extra = {"METER-RATE:None"} if name == "before_the_ante" else set()
    assert [row for row in rows(script) if row not in extra] == expected


def test_a_chip_left_on_the_device() -> None:
    script = straight()
    script.drop("collect-chips", "bank")
    chip = WagerPlaced(**AT, area="seat6.progressive", amount_cents=100, by=Side.PLAYER)
    script.insert(chip, after="accept:6")
    found = judge(script.events, prog(reports=[]))
    assert breaches(found) == [("RIU-MS-PROG-COLLECT", None)]


def test_linked_meters_grow_elsewhere_too() -> None:
    script = straight()
    script.change("meter:after", amount_cents=512_345)
    assert rows(script, progressive_linked=True) == []


AWARD: list[tuple[str, Edit, list[str]]] = [
    ("short", lambda s: s.change("award:1", amount_cents=500), ["SET-PROG-PAY:1"]),
    ("over", lambda s: s.change("award:1", amount_cents=700), ["SET-PROG-PAY:1"]),
    ("with_the_stake", lambda s: s.change("award:1", amount_cents=700), ["SET-PROG-PAY:1"]),
    ("not_paid", lambda s: s.drop("award:1"), ["SET-PROG-PAY:1"]),
    ("light_after", lambda s: s.swap("lit:1", "award:1"), ["SET-PROG-FLOOR:1", "SET-PROG-LIGHT:1"]),
    ("no_light", lambda s: s.drop("lit:1"), ["SET-PROG-LIGHT:1"]),
    ("no_floorperson", lambda s: s.drop("valid:1"), ["SET-PROG-FLOOR:1"]),
    ("floorperson_after", lambda s: s.swap("valid:1", "award:1"), ["SET-PROG-FLOOR:1"]),
    ("from_the_cage_and_racked", lambda s: s.change("award:1", source=Source.CAGE), ["SET-PROG-CARDS:1"]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "edit", "expected"), AWARD, ids=[row[0] for row in AWARD])
def test_award_at_odds(name: str, edit: Edit, expected: list[str]) -> None:
    script = straight()
    edit(script)
    assert rows(script) == expected


def test_what_no_source_tells_is_undetermined() -> None:
    script = straight()
    script.drop("award:1", "lit:1", "valid:1", "lock", "collect-chips", "bank")
    found = judge(script.events, prog(reports=[]))
    assert breaches(found) == []
    assert verdicts(found, "RIU-SET-PROG-PAY")[1] is Verdict.UNDETERMINED
    assert verdicts(found, "RIU-MS-PROG-LOCK")[None] is Verdict.UNDETERMINED


def test_paid_on_a_hand_that_does_not_win() -> None:
    """A flush of three cards is below the straight: it wins Pair Plus, not the progressive."""
    script = played([seat(1, "2h 9h Jh", 3), NOTHING], (1, 6))
    award(script, 1, 600)
    assert rows(script) == ["SET-PROG-VERIFY:1"]


def test_paid_with_chips_on_the_area() -> None:
    script = straight()
    script.drop("award:1")
    chips = PayoutPlaced(**AT, area="seat1.progressive", amount_cents=600)
    script.insert(chips, after="valid:1")
    assert rows(script) == []


def test_two_lines_paid() -> None:
    """An ace, king and queen of hearts is a straight flush too: 500 for 1, not 570."""
    script = played([ROYAL, NOTHING], (3,))
    award(script, 3, 57_000)
    assert rows(script) == ["PAY-HIGHEST:3"]
    script.change("award:3", amount_cents=50_000)
    assert rows(script) == []


def spades(paid: int = 500_028, source: Source = Source.CAGE) -> Script:
    """Seat 4 wins the whole meter, which stands at 5,000.28."""
    script = played([STRAIGHT, SPADES], (1, 4))
    award(script, 1, 600)
    award(script, 4, paid, source=source)
    script.insert(MeterRead(**AT, meter="prog.meter", amount_cents=100_000), after="award:4", name="meter:reseed")
    paper = FloorDecision(**AT, decision="documentation_completed", seat=4)
    script.insert(paper, after="award:4", name="paper")
    envy(script, 1, 10_000, after="award:1", hand_of=4)
    return script


def test_the_whole_meter() -> None:
    found = judge(spades().events, prog())
    assert breaches(found) == []
    for row in ("METER-TURN", "SET-PROG-100", "SET-PROG-CARDS"):
        assert verdicts(found, f"RIU-{row}")[4] is Verdict.COMPLIANT
    assert verdicts(found, "RIU-ENVY-PAY")[1] is Verdict.COMPLIANT


WHOLE: list[tuple[str, Edit, list[str]]] = [
    ("as_before_the_wagers", lambda s: s.change("award:4", amount_cents=500_000), ["METER-TURN:4"]),
    ("from_the_inventory", lambda s: s.change("award:4", source=Source.INVENTORY), ["SET-PROG-100:4"]),
    ("papers_after_the_rack", lambda s: s.swap("paper", "rack:4.0"), ["SET-PROG-CARDS:4"]),
    ("no_papers", lambda s: s.drop("paper"), ["SET-PROG-CARDS:4"]),
    ("not_reseeded", lambda s: s.change("meter:reseed", amount_cents=0), ["METER-RATE:None"]),
    ("seed_of_the_wrong_wager", lambda s: s.change("meter:reseed", amount_cents=500_000), ["METER-RATE:None"]),
    ("envy_short", lambda s: s.change("envy:1", amount_cents=2_500), ["ENVY-PAY:1"]),
    ("envy_of_five_dollars", lambda s: s.change("envy:1", amount_cents=50_000), ["ENVY-PAY:1"]),
    ("no_envy", lambda s: s.drop("envy:1"), ["ENVY-PAY:1"]),
    ("own_envy", lambda s: envy(s, 4, 10_000, after="award:4"), ["ENVY-OWN:4"]),
    ("own_envy_named", lambda s: envy(s, 4, 1, after="award:4", hand_of=4), ["ENVY-OWN:4"]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "edit", "expected"), WHOLE, ids=[row[0] for row in WHOLE])
def test_award_of_the_whole_meter(name: str, edit: Edit, expected: list[str]) -> None:
    script = spades()
    edit(script)
    assert rows(script) == expected


def test_five_dollars() -> None:
    script = played([STRAIGHT, SPADES], (1, 4), 500)
    award(script, 1, 3_000)
    award(script, 4, 500_140, source=Source.CAGE)
    script.insert(FloorDecision(**AT, decision="documentation_completed", seat=4), after="award:4")
    script.insert(MeterRead(**AT, meter="prog.meter", amount_cents=500_000), after="award:4", wait_s=0.2)
    envy(script, 1, 50_000, after="award:1")
    assert rows(script, progressive_unit_cents=500) == []


def test_envy_without_a_qualifying_hand() -> None:
    script = straight()
    envy(script, 6, 2_500, after="award:1")
    assert rows(script) == ["ENVY-PAY:6"]


def test_envy_for_each_of_two_hands() -> None:
    """Two ace-king-queens of one suit: each holder has the other's bonus, a third player both."""
    diamonds = seat(1, "Ad Kd Qd", 3)
    script = played([diamonds, ROYAL, NOTHING], (1, 3, 6))
    for number in (1, 3):
        award(script, number, 50_000)
        envy(script, number, 2_500, after=f"award:{number}")
    envy(script, 6, 5_000, after="award:1")
    assert rows(script) == []
    script.change("envy:6", amount_cents=2_500)
    assert rows(script) == ["ENVY-MULTI:6"]
    script.change("envy:6", amount_cents=4_000)
    assert rows(script) == ["ENVY-PAY:6"]
    script.change("envy:6", amount_cents=5_000)
    script.change("envy:3", amount_cents=5_000)
    assert rows(script) == ["ENVY-OWN:3"]


def test_a_folded_player_keeps_envy_and_not_the_payout() -> None:
    folded = seat(6, "4d 5h 6s", 0)
    script = build([SPADES, folded], BOARD)
    progressive(script, (4, 6))
    script.drop("fold-rack:6")
    for i, card in enumerate(("4d", "5h", "6s")):
        card_id = script.card_id(f"deal:6.{i}")
        script.insert(
            CardTurned(**AT, area="seat6.cards", card_id=card_id, face=Face.UP, card=card),
            after="reveal:3",
            name=f"t{i}",
            wait_s=0.3,
        )
        script.insert(
            CardRemoved(**AT, area="seat6.cards", card_id=card_id, to_area="discard_rack"),
            after="rack:4.2",
            wait_s=0.01 * i,
        )
    award(script, 4, 500_028, source=Source.CAGE)
    script.insert(FloorDecision(**AT, decision="documentation_completed", seat=4), after="award:4")
    envy(script, 6, 10_000, after="award:4")
    assert rows(script) == []
    script.insert(BonusPaid(**AT, seat=6, wager="progressive", amount_cents=600), after="envy:6")
    assert rows(script) == ["FOLD-PROG:6"]


def test_whose_hand_was_not_read_earns_nothing_certain() -> None:
    script = spades()
    script.change("turn:4.1", card=None)
    found = judge(script.events, prog())
    assert breaches(found) == []
    assert verdicts(found, "RIU-ENVY-PAY")[1] is Verdict.UNDETERMINED


def test_not_offered_is_told_once() -> None:
    script = build([STRAIGHT, NOTHING], BOARD)
    accepted = ElectronicWagerAccepted(**AT, seat=1, wager="progressive", amount_cents=100)
    script.insert(accepted, after="wager:6.blind")
    assert breaches(judge(script.events, table())) == [("RIU-PROG-OFFER", 1)]


def test_six_cards_under_the_other_reading() -> None:
    """RIU-A2: with the board's cards counted, 8c 9d on a board with a ten is a straight."""
    script = build([seat(1, "8c 9d 2h", 3), NOTHING], ("Td", "7h", "3c"))
    progressive(script, (1,))
    award(script, 1, 600)
    assert rows(script) == ["SET-PROG-VERIFY:1"]
    assert rows(script, readings={"riu.progressive_cards": "6", "decision.inference": "signals"}) == []


def test_events_are_events() -> None:
    assert all(isinstance(event, Event) for event in spades().events)


def test_a_paytable_that_the_law_does_not_know_is_an_error_not_a_wager_that_is_not_offered() -> None:
    script, config = straight(), prog()
    unknown = replace(config, paytables={**config.paytables, "progressive": "Z"})
    with pytest.raises(PaytableError, match="no paytable 'Z'"):
        judge(script.events, unknown)
    without = {name: column for name, column in config.paytables.items() if name != "progressive"}
    assert breaches(judge(build([STRAIGHT, NOTHING], BOARD).events, replace(config, paytables=without))) == []


@pytest.mark.parametrize(
    ("prefix", "number", "wager", "first"),
    [
        ("RIU", 1, "progressive", "ante"),
        ("CAR", 1, "fchb_player", "ante"),
        ("CAR", 1, "progressive", "bonus"),
        ("LIR", 1, "fchb", "bet1"),
        ("DJW", 1, "progressive", "ante"),
    ],
)
def test_what_a_system_pays_comes_after_the_wagers_that_the_chapter_names(
    prefix: str, number: int, wager: str, first: str
) -> None:
    """639a.11(c)(5), (6), 643a.11(g), 669a.11(i)(3), 687a.11(f): "After settling ..."; an envy bonus is won by another's hand."""
    kit = Kit(prefix)

    def accused(*, early: bool, wager: str = wager, wagered: bool = True) -> bool:
        script = kit.script()
        if wagered:
            accepted = ElectronicWagerAccepted(**AT, seat=number, wager=wager, amount_cents=100)
            script.insert(accepted, after=script.names("wager:")[-1], name="accepted")
        paid = BonusPaid(**AT, seat=number, wager=wager, amount_cents=5_000, source=Source.ACCOUNT)
        script.insert(paid, after=last_act(script, number), name="system")
        if early:
            acts = [name for name in script.names(f"pay:{number}.") if name.endswith(f".{first}")]
            script.move("system", before=acts[0], lead_s=1.1)
            script.items.sort(key=lambda item: item[1].t_s)
        return (f"{prefix}-SET-WSEQ", number) in breaches(judge(script.events, kit.table()))

    turned = kit.script().get(f"turn:{number}.0").t_s
    acts = [name for name in kit.script().names(f"pay:{number}.") if name.endswith(f".{first}")]
    assert kit.script().get(acts[0]).t_s - turned > 1.1  # the hand lies open by then
    assert accused(early=True)
    assert not accused(early=False)
    assert not accused(early=True, wager="envy")
    assert not accused(early=True, wagered=False)  # won in the round before, as far as anybody knows
