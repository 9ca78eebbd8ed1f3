"""Ambiguous texts: each switch is explained, and a breach that rests on one says so and is a warning."""

from __future__ import annotations

from dataclasses import replace

import pytest
from house import AT, award, machine, opened, prog, progressive
from rounds import Script, build, judge, seat, table

from rules.events import CardPlaced, Face, PayoutPlaced, Side, StackPlaced, StubCounted, WagerIncreased, WagerRemoved
from rules.findings import Finding, Severity, Verdict
from rules.hands import FIVE_OF_A_KIND_RANKS
from rules.house_events import CardFoundFaceUp
from rules.law import ambiguities, ambiguities_of, readings
from rules.settlement.readings import READINGS, switches_of
from rules.table import TableConfig

SIGNALS = {"decision.inference": "signals"}


def breach(script: Script, config: TableConfig | None = None) -> list[Finding]:
    return [f for f in judge(script.events, config or table()) if f.verdict is Verdict.BREACH]


def test_every_switch_of_an_ambiguity_exists() -> None:
    for item in ambiguities().values():
        assert not item.switch or item.switch in readings(), item.ambiguity_id
        assert item.question.endswith((".", "?"))
        assert item.default


def test_every_switch_of_all_games_and_raise_it_up_is_explained() -> None:
    mine = [n for n, r in readings().items() if "raise_it_up" in r.games]
    assert [name for name in mine if not ambiguities_of(name)] == []
    names = list(ambiguities())
    assert sum(name.startswith("ALL-A") for name in names) == 28
    counts = {"RIU": 19, "CAR": 21, "LIR": 24, "DJW": 28}
    assert {game: sum(name.startswith(f"{game}-A") for name in names) for game in counts} == counts
    assert [name for name in readings() if not ambiguities_of(name)] == []


def test_a_wager_between_the_announcement_and_the_first_card() -> None:
    """RIU-A13: locked at the announcement, or when the dealing begins."""
    script = build()
    late = WagerIncreased(**AT, area="seat3.pair_plus", amount_cents=1000, by=Side.PLAYER)
    script.items = [
        (n, e if e.t_s <= script.get("nmb").t_s else replace(e, t_s=e.t_s + 10)) for n, e in script.items
    ]  # fmt: skip
    script.insert(late, after="nmb", wait_s=5.0)
    script.change("pay:3.pair_plus", amount_cents=1000)
    found = breach(script)
    assert [(f.check_id, f.severity) for f in found] == [("RIU-WAG-LOCK", Severity.WARNING)]
    assert "No breach under lock.at=first_card (RIU-A13)" in found[0].text
    assert "lock.at=announcement" in found[0].readings
    assert breach(script, table(readings={**SIGNALS, "lock.at": "first_card"})) == []


def test_a_wager_after_the_first_card_rests_on_no_reading() -> None:
    script = build()
    late = WagerIncreased(**AT, area="seat3.pair_plus", amount_cents=1000, by=Side.PLAYER)
    script.insert(late, after="deal:4.0")
    found = breach(script)
    assert [(f.check_id, f.severity, f.readings) for f in found] == [("RIU-WAG-LOCK", Severity.CRITICAL, ())]


def test_ace_two_three() -> None:
    """RIU-A5: Pair Plus on A-2-3 pays 6 to 1, or nothing."""
    script = build([seat(1, "Ah 2c 3d", 3, pair_plus=500), seat(2, "9h 8c 4d", 3)], ("Kd", "Ks", "8d"))
    script.change("pay:1.pair_plus", amount_cents=2500)
    found = breach(script)
    assert [(f.check_id, f.severity) for f in found] == [("RIU-SET-PP", Severity.CRITICAL)], "wrong under both"
    script.drop("pay:1.pair_plus", "take:1.pair_plus")
    script.insert(WagerRemoved(**AT, area="seat1.pair_plus", by=Side.DEALER), after="turn-hand:1")
    found = breach(script)
    assert [(f.check_id, f.severity) for f in found] == [("RIU-SET-PP", Severity.WARNING)]
    assert "three_card.ace_low=false (RIU-A5)" in found[0].text
    assert breach(script, table(readings={**SIGNALS, "three_card.ace_low": "false"})) == []


def test_progressive_on_six_cards() -> None:
    """RIU-A2."""
    script = build([seat(1, "8c 9d 2h", 3), seat(6, "Jd 8s 2s", 3)], ("Td", "7h", "3c"))
    progressive(script, (1,))
    award(script, 1, 600)
    found = breach(script, prog())
    assert [(f.check_id, f.severity) for f in found] == [("RIU-SET-PROG-VERIFY", Severity.WARNING)]
    assert "riu.progressive_cards=6 (RIU-A2)" in found[0].text


def test_two_play_wagers() -> None:
    """RIU-A1."""
    script = build()
    script.insert(WagerIncreased(**AT, area="seat1.play", amount_cents=4000, by=Side.PLAYER), after="reveal:2")
    found = breach(script)
    assert [f.check_id for f in found] == ["RIU-PLAY-ONCE"]
    assert "riu.play_wagers=multiple (RIU-A1)" in found[0].text
    assert "riu.play_wagers=one" in found[0].readings
    assert breach(script, table(readings={**SIGNALS, "riu.play_wagers": "multiple"})) == []


def test_pair_plus_of_a_folded_hand() -> None:
    """RIU-A4: it lives (folded, its cards left for the Six Card Bonus), or is forfeited."""
    script = build(
        [seat(1, "Th 8c 2d", 1, 3), seat(4, "4c 4s Kd", 0, pair_plus=500, six_card_bonus=500)], ("9d", "7s", "9h")
    )
    script.drop("pay:4.pair_plus", "take:4.pair_plus")
    script.insert(WagerRemoved(**AT, area="seat4.pair_plus", by=Side.DEALER), after="turn-hand:4")
    found = breach(script)
    assert [(f.check_id, f.severity) for f in found] == [("RIU-SET-PP", Severity.WARNING)]
    assert "riu.pair_plus_on_fold=forfeit (RIU-A4)" in found[0].text
    assert breach(script, table(readings={**SIGNALS, "riu.pair_plus_on_fold": "forfeit"})) == []


def test_void_rounds_between_stub_counts() -> None:
    """ALL-A9: a void round counts towards the five, or does not."""

    def night(config: TableConfig) -> list[str]:
        events = []
        for n in range(6):
            script = build(t_s=10.0 + 200 * n, first_card_id=100 * (n + 1))
            if n == 0:
                script.insert(StubCounted(**AT, count=37), after="deal:community.6th")
            if n == 2:
                extra = CardPlaced(**AT, area="seat3.cards", card_id=900, face=Face.DOWN)
                script.insert(extra, after="deal:3.2", wait_s=0.25)
            events += script.events
        found = [f for f in judge(events, config) if f.verdict is Verdict.BREACH]
        return [f.text.rpartition(". ")[2] for f in found if "STUB" in f.check_id]

    assert night(table()) == ["No breach under stub.count_voided=false (ALL-A9)."]
    assert night(table(readings={**SIGNALS, "stub.count_voided": "false"})) == []


def test_a_face_up_card_in_a_stack() -> None:
    """ALL-A3: the next card completes the stack, or the round is void."""
    script = build()
    script.drop("deal:")
    after = "nmb"
    for n in (1, 3, 4, 6):
        script.insert(StackPlaced(**AT, area=f"seat{n}.cards", count=3), after=after, name=f"stack:{n}", wait_s=1.0)
        after = f"stack:{n}"
        if n == 3:
            script.insert(CardFoundFaceUp(**AT, card_id=900), after=after, name="found")
            burned = CardPlaced(**AT, area="discard_rack", card_id=900, face=Face.UP, card="2h")
            script.insert(burned, after="found", wait_s=0.2)
    script.insert(StackPlaced(**AT, area="community.4th", count=3), after=after, wait_s=1.0)
    script.insert(PayoutPlaced(**AT, area="seat1.ante", amount_cents=1000), after="reveal:3")
    shoe = {"dealing": "automated_shoe"}
    found = {f.check_id for f in breach(script, machine(**shoe))}
    assert "RIU-IRR-FACEUP-2" not in found
    void = machine(**shoe, readings={**SIGNALS, "faceup_in_stack": "void"})
    told = [f for f in breach(script, void) if f.check_id == "RIU-IRR-FACEUP-2"]
    assert [f.severity for f in told] == [Severity.WARNING]
    assert "faceup_in_stack=replace (ALL-A3)" in told[0].text


@pytest.mark.parametrize("value", ["true", "false"])
def test_a_preshuffled_deck_dealt_by_hand(value: str) -> None:
    """ALL-A7."""
    script = opened()
    script.change("new", preinspected=True)
    script.drop("inspect", "verify", "spread", "wash", "shuffle")
    config = machine(dealing="hand", readings={**SIGNALS, "hand.preshuffled_allowed": value})
    found = breach(script, config)
    assert [f.check_id for f in found] == ([] if value == "true" else ["RIU-HD-ASM"])
    if found:
        assert found[0].severity is Severity.WARNING


def test_settlement_reads_the_values_of_its_switches_from_the_data() -> None:
    for name, values in READINGS.items():
        assert values == readings()[name].values
        assert not readings()[name].house
    assert READINGS["djw.five_of_a_kind_rank"] == FIVE_OF_A_KIND_RANKS


@pytest.mark.parametrize(
    ("game", "own"),
    [
        ("raise_it_up", ("riu.", "three_card.", "envy.")),
        ("caribbean_stud", ("car.", "fchb.", "envy.holder")),
        ("let_it_ride", ("lir.", "fchb.", "three_card.", "envy.holder")),
        ("dj_wild", ("djw.", "envy.holder")),
    ],
)
def test_an_amount_rests_on_switches_of_its_own_game(game: str, own: tuple[str, ...]) -> None:
    assert set(switches_of(game)) == {name for name in READINGS if name.startswith(own)}
    assert switches_of("a fifth game") == ()
