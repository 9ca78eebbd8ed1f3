"""Every switch of an ambiguous text does what it says: each value judges the same events in its own way, or is refused."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import cases_money
import game_rounds
import house
import pytest
import test_caribbean_stud_checks as car
import test_checks_progressive as riu
import test_let_it_ride_checks as lir
from case_kit import Edit, Kit, change
from rounds import AT, TABLE, Script, build, judge, seat, table

from rules.events import (
    CardPlaced,
    CardRemoved,
    CardTurned,
    CoverageGap,
    DecisionAnnounced,
    DeckChanged,
    ElectronicWagerAccepted,
    Event,
    Face,
    FloorDecision,
    GapCause,
    MeterRead,
    PayoutPlaced,
    Side,
    StubCounted,
    WagerRemoved,
)
from rules.findings import Finding, Severity, Verdict
from rules.house_events import ConductReported, WagersBanked, WagersCollected, WagersLocked
from rules.law import GAMES, ambiguities, readings, render_readings
from rules.settlement.readings import READINGS
from rules.settlement.results import SettlementError
from rules.settlement.rounds import settle_round
from rules.table import TableConfig, TableConfigError
from service.tables.limits import form_of


def told(script: Script, config: TableConfig, check_id: str) -> list[Finding]:
    return [finding for finding in judge(script.events, config) if finding.check_id == check_id]


def verdicts(script: Script, config: TableConfig, check_id: str) -> list[Verdict]:
    """How a check ends, seats ascending, those with nothing to judge left out."""
    ends = sorted(told(script, config, check_id), key=lambda finding: finding.seat or 0)
    return [finding.verdict for finding in ends if finding.verdict is not Verdict.NOT_APPLICABLE]


def minimal(game: str, chosen: Mapping[str, str]) -> TableConfig:
    rules: dict[str, Any] = {"dealing": "manual_shoe", "seats": 6}
    rules["paytables"] = {"main": "A"} if game == "let_it_ride" else {}
    doc = {"version": 1, "table_id": "t", "game": game, "rules_submission": rules, "readings": dict(chosen)}
    return TableConfig.from_mapping(doc, where="t.yaml")


RULES = Path(__file__).parents[2] / "rules"
ASKED = re.compile(r'''(?:\breading\((?:[\w.]+, )?|\bis_on\([\w.]+, |\breadings\[)"([\w.]+)"''')
"""Where the program asks for a switch. One that is only quoted in a text, f"rounding={reading('rounding')}", decides nothing."""
LAID_DOWN = re.compile(r"\breading: ([\w.]+)")
"""Where the data of a chapter name the switch that decides."""


def asked_for() -> set[str]:
    program = "".join(path.read_text(encoding="utf-8") for path in RULES.rglob("*.py"))
    laws = [RULES / "data" / f"law_{game}.yaml" for game in GAMES]
    data = "".join(path.read_text(encoding="utf-8") for path in laws)
    return {*ASKED.findall(program), *LAID_DOWN.findall(data)}


@pytest.mark.parametrize("name", readings())
def test_every_switch_decides_something_or_is_refused(name: str) -> None:
    item = readings()[name]
    assert item.values[0] in item.allowed
    if len(item.allowed) == 1:
        assert name not in asked_for(), "it has an effect; let a table's file set it"
    else:
        assert name in asked_for(), "nothing reads it: let it decide, or refuse its values with the reason"


def test_only_switches_that_exist_are_asked_for() -> None:
    assert asked_for() <= set(readings())


def test_settlement_knows_the_values_of_the_law() -> None:
    assert {name: readings()[name].allowed for name in READINGS} == dict(READINGS)


REFUSED = [(name, value, why) for name, item in readings().items() for value, why in item.refused.items()]


@pytest.mark.parametrize(("name", "value", "why"), REFUSED, ids=[f"{name}={value}" for name, value, _ in REFUSED])
def test_a_value_that_changes_nothing_is_refused_with_the_reason(name: str, value: str, why: str) -> None:
    item = readings()[name]
    assert value in item.values[1:], "the reading taken is never refused"
    for game in item.games:
        assert minimal(game, {name: item.values[0]}).reading(name) == item.values[0]
        with pytest.raises(TableConfigError) as refused:
            minimal(game, {name: value})
        assert str(refused.value) == f"t.yaml: readings.{name}: {value} would change nothing: {why}; leave it out"
        offered = {one["name"]: one["values"] for one in form_of(game)["readings"]}
        assert value not in offered.get(name, [])
    page = render_readings()
    rows = [line for line in page.splitlines() if f"| `{name}`: " in line]
    assert len(rows) == sum(one.switch == name for one in ambiguities().values())
    assert all(why in row for row in rows)


@pytest.mark.parametrize("start", [1, 2])
def test_to_the_right_as_the_players_see_it(start: int) -> None:
    """LIR-A13, CAR-A9: the second card lies at the dealer's right, or at the players'."""
    community, dealer = lir.built(), car.built()
    if start == 2:
        for script, places in ((community, {"1": "2", "2": "1"}), (dealer, {"1": "2", "2": "1"})):
            script.items = [(n, _elsewhere(e, places)) for n, e in script.items]
    kept, broken = (Verdict.COMPLIANT, Verdict.BREACH) if start == 1 else (Verdict.BREACH, Verdict.COMPLIANT)
    for game, script, row in (
        ("let_it_ride", community, "LIR-MS-COMM2"),
        ("caribbean_stud", dealer, "CAR-MS-DLR2"),
    ):
        assert verdicts(script, game_rounds.table(game), row) == [kept]
        config = game_rounds.table(game, readings={"layout.right_of": "player"})
        assert verdicts(script, config, row) == [broken]


def _elsewhere(event: Any, places: Mapping[str, str]) -> Any:
    area = getattr(event, "area", None)
    group, _, place = (area or "").partition(".")
    if group not in ("community", "dealer") or place not in places:
        return event
    return replace(event, area=f"{group}.{places[place]}")


def test_the_turned_card_to_the_right_as_the_players_see_it() -> None:
    """LIR-A13: it lies on the dealer's left, which is the players' right, already."""
    script = lir.built()
    script.drop("placed:1")
    script.change("rack:community.1", area="community.1")
    assert verdicts(script, game_rounds.table("let_it_ride"), "LIR-C1-WHICH") == [Verdict.BREACH]
    by_players = game_rounds.table("let_it_ride", readings={"layout.right_of": "player"})
    assert verdicts(script, by_players, "LIR-C1-WHICH") == [Verdict.COMPLIANT]
    assert verdicts(lir.built(), by_players, "LIR-C1-WHICH") == [Verdict.BREACH]


def wrong(script: Script, config: TableConfig) -> list[tuple[str, Severity]]:
    """The breaches in a script, in order of check."""
    return sorted((f.check_id, f.severity) for f in judge(script.events, config) if f.verdict is Verdict.BREACH)


@pytest.mark.parametrize("edit", [lir.bonus_card_shown, lir.four_bonus_cards])
def test_an_irregularity_of_the_six_card_bonus_cards(edit: Any) -> None:
    """LIR-A9: it concerns the Six Card Bonus Wagers alone, or voids the round."""
    script = lir.built(edit)
    row = "LIR-SCB-REVEAL" if edit is lir.bonus_card_shown else "LIR-SCB-COUNT"
    scb_only, void = (
        game_rounds.table("let_it_ride", readings={"lir.scb_irregularity": v}) for v in ("scb_only", "void")
    )
    assert wrong(script, scb_only) == [(row, Severity.CRITICAL)]
    (bonus,) = told(script, scb_only, "LIR-SET-SCB")
    assert bonus.verdict is Verdict.UNDETERMINED
    assert "whether the wager is returned" in bonus.text
    assert wrong(script, void) == [("LIR-IRR-EXPOSED", Severity.CRITICAL), (row, Severity.CRITICAL)]
    (goes_on,) = told(script, void, "LIR-IRR-EXPOSED")
    assert "Six Card Bonus card" in goes_on.expected
    script.change("pay:6.bet2", amount_cents=100)
    assert "LIR-SET-WIN" in dict(wrong(script, scb_only))
    assert "LIR-SET-WIN" not in dict(wrong(script, void)), "a void round pays nothing"


def test_three_or_five_card_progressive_alone() -> None:
    """LIR-A7: either may be offered, or the house has chosen one."""
    for value, name in (("3card", "progressive3"), ("5card", "progressive5")):
        both = {"progressive3", "progressive5"}
        for offered in both:
            paytables = {"main": "A", offered: "A"}
            more = {"paytables": paytables, "progressive_unit_cents": 100, "readings": {"lir.progressive": value}}
            assert game_rounds.table("let_it_ride", **{**more, "readings": {}}).offers(offered)
            if offered == name:
                assert game_rounds.table("let_it_ride", **more).offers(offered)
                continue
            with pytest.raises(
                TableConfigError, match=rf"{offered}: readings.lir.progressive is {value}.*643a.2\(b\)\(7\)"
            ):
                game_rounds.table("let_it_ride", **more)


BOTH = {
    "paytables": {**game_rounds.PAYTABLES["let_it_ride"], "progressive3": "A", "progressive5": "A"},
    "progressive_unit_cents": 100,
    "reports": house.TOLD,
    "readings": {"lir.progressive": "both"},
}


def two_progressives(*, count5: int = 2, told5: bool = True) -> Script:
    """Seats 1 and 3 wager on the three cards, seats 3 and 6 on all five."""
    script = lir.built()
    last = script.names("wager:")[-1]
    for number, wager in ((1, "progressive3"), (3, "progressive3"), (3, "progressive5"), (6, "progressive5")):
        event = ElectronicWagerAccepted(**AT, seat=number, wager=wager, amount_cents=100)
        script.insert(event, after=last, name=f"accept:{number}.{wager}")
        last = f"accept:{number}.{wager}"
    last = "nmb"
    for wager, count in (("progressive3", 2), ("progressive5", count5)):
        if wager == "progressive5" and not told5:
            continue
        for told in (
            WagersLocked(**AT, wager=wager), WagersCollected(**AT, wager=wager, count=count),
            WagersBanked(**AT, wager=wager),
        ):  # fmt: skip
            script.insert(told, after=last, name=f"{told.kind}:{wager}")
            last = f"{told.kind}:{wager}"
    return script


def test_the_chips_of_both_progressives_are_locked_collected_and_counted() -> None:
    """LIR-A7: where both are offered each has its checks before the deal."""
    config = game_rounds.table("let_it_ride", **BOTH)
    rows = [f"LIR-MS-PROG-{what}" for what in ("LOCK", "COLLECT", "VERIFY", "INVENTORY")]
    for row in rows:
        kept = told(two_progressives(), config, row)
        assert [one.verdict for one in kept] == [Verdict.COMPLIANT] * 2, row
        assert len({one.finding_id for one in kept}) == 2
    assert "LIR-MS-PROG-VERIFY" not in dict(wrong(two_progressives(), config))
    (counted, found) = told(two_progressives(count5=3), config, "LIR-MS-PROG-VERIFY")
    assert (counted.verdict, found.verdict) == (Verdict.COMPLIANT, Verdict.BREACH)
    assert found.seen.startswith("3 chips for 2 accepted")
    missing = {row: weight for row, weight in wrong(two_progressives(told5=False), config) if "-PROG-" in row}
    assert missing == {"LIR-MS-PROG-LOCK": Severity.CRITICAL, "LIR-MS-PROG-COLLECT": Severity.WARNING}


@pytest.mark.parametrize("named", [True, False])
def test_the_meters_of_both_progressives_are_told_by_name(named: bool) -> None:
    """LIR-A7: 14 cents of each three-card wager and 21 of each five-card wager; a meter without a name may be either's."""
    script = two_progressives()
    last = "wagers_banked:progressive5"
    for meter, percent in (("progressive3", 14), ("progressive5", 21)):
        name = f"{meter}.main" if named else "prog.main"
        script.insert(MeterRead(**AT, meter=name, amount_cents=500_000), after=script.names("wager:")[-1], wait_s=0.05)
        script.insert(MeterRead(**AT, meter=name, amount_cents=500_000 + 2 * percent), after=last)
    config = game_rounds.table("let_it_ride", **BOTH)
    for row in ("LIR-3CP-METER", "LIR-5CP-METER"):
        assert verdicts(script, config, row) == [Verdict.COMPLIANT if named else Verdict.UNDETERMINED]


def test_envy_bonuses_of_both_progressives_are_added_up() -> None:
    """LIR-A7: the mini-royal and the royal flush of another player, each by its own wager."""
    seats = [
        {"seat": 1, "cards": "As Ks Qs", "wagers": dict.fromkeys(("bet1", "bet2", "bet3"), 1000)},
        {"seat": 2, "cards": "2h 5d 9c", "wagers": {**dict.fromkeys(("bet1", "bet2", "bet3"), 1000), "progressive3": 100, "progressive5": 100}},
    ]  # fmt: skip
    ride = {"bet1": "ride", "bet2": "ride"}
    document = {
        "id": "r1", "game": "643a",
        "seats": [{**seat, "cards": str(seat["cards"]).split(), "decisions": ride} for seat in seats],
        "community": ["Js", "Ts"],
        "config": {
            "paytables": {"main": "A", "progressive3": "A", "progressive5": "B"}, "progressive_unit": 100,
            "meters_before": {f"prog.{name}": 500_000 for name in ("meter", "reserve", "mega", "major", "minor")},
        },
    }  # fmt: skip
    envy = settle_round(document)["seats"]["2"]["envy"]
    assert envy["return"] == 10_000 + 100_000
    assert "; " in envy["hand"]


def test_the_payout_limit_counts_winnings_or_the_stakes_too() -> None:
    """LIR-A10: three 4s at 3 to 1 on three bets of 10,000.00 are 90,000.00; under a limit of 50,000.00 less the stakes 20,000.00."""
    players = lir.changed(6, wagers=dict.fromkeys(("bet1", "bet2", "bet3"), 1_000_000))
    script = lir.built(players=players)
    for bet, cents in (("bet1", 3_000_000), ("bet2", 2_000_000), ("bet3", 0)):
        script.change(f"pay:6.{bet}", amount_cents=cents)
    script.drop("pay:6.bet3")
    script.insert(PayoutPlaced(**AT, area="seat6.bet3", amount_cents=0), after="pay:6.bet2")
    winnings, stakes = (
        game_rounds.table("let_it_ride", payout_limit_cents=5_000_000, readings={"lir.limit_basis": value})
        for value in ("winnings", "with_stake")
    )
    assert wrong(script, winnings) == []
    (found,) = (one for one in told(script, stakes, "LIR-SET-WIN") if one.verdict is Verdict.BREACH)
    assert (found.verdict, found.severity, found.seat) == (Verdict.BREACH, Severity.WARNING, 6)
    assert "No breach under lir.limit_basis=winnings (LIR-A10)" in found.text
    script.change("pay:6.bet1", amount_cents=2_000_000)
    script.change("pay:6.bet2", amount_cents=0)
    assert wrong(script, stakes) == []
    assert wrong(script, winnings) == [("LIR-SET-WIN", Severity.WARNING)]


def test_settlement_counts_the_stakes_towards_the_payout_limit() -> None:
    """LIR-A10, as above."""
    bets = dict.fromkeys(("bet1", "bet2", "bet3"), 1_000_000)
    document = {
        "id": "r1", "game": "643a",
        "seats": [{"seat": 1, "cards": ["4h", "4d", "Jc"], "wagers": bets, "decisions": {"bet1": "ride", "bet2": "ride"}}],
        "community": ["Ts", "4s"],
    }  # fmt: skip

    def returned(config: dict[str, Any]) -> int:
        seat = settle_round({**document, "config": config})["seats"]["1"]
        return sum(one["return"] for one in seat.values())

    config: dict[str, Any] = {"paytables": {"main": "A"}, "max_payout": 5_000_000}
    assert returned(config) == 5_000_000 + 3_000_000
    assert returned({**config, "readings": {"lir.limit_basis": "with_stake"}}) == 5_000_000
    least = {**config, "max_payout": 7_500_000, "min_bet": 2500}
    assert returned(least) == 7_500_000 + 3_000_000
    with pytest.raises(SettlementError, match="7507500"):
        returned({**least, "readings": {"lir.limit_basis": "with_stake"}})


def exposed(script: Script) -> None:
    """Seat 3's second card comes face up."""
    script.change("deal:3.1", face=Face.UP, card=PEEKED[script.table_id])


def burn(script: Script) -> None:
    """The card goes to the discard rack, and another comes for it."""
    number = script.card_id("deal:3.1")
    later = [name for name, event in script.items if getattr(event, "card_id", None) == number and name != "deal:3.1"]
    for name in later:
        script.change(name, card_id=900)
    removed = CardRemoved(**AT, area="seat3.cards", card_id=number, to_area="discard_rack")
    script.insert(removed, after="deal:3.1", wait_s=0.1, name="burn")
    script.insert(CardPlaced(**AT, area="seat3.cards", card_id=900, face=Face.DOWN), after="burn", name="again")


PEEKED = {"riu-test": "Ad", "caribbean_stud": "Jh", "let_it_ride": "9d"}


@pytest.mark.parametrize("game", ["raise_it_up", "caribbean_stud", "let_it_ride"])
def test_a_players_card_exposed_in_the_deal(game: str) -> None:
    """ALL-A5: without consequence, as a card found face up in the shoe, or the round is void.

    One that went to the rack, with another dealt for it, may have been found so (.13(a)); the deck is whole then (.8(h)).
    """
    prefix = {"raise_it_up": "RIU", "caribbean_stud": "CAR", "let_it_ride": "LIR"}[game]
    honest: dict[str, Callable[[], Script]] = {
        "raise_it_up": build,
        "caribbean_stud": car.built,
        "let_it_ride": lir.built,
    }
    script = honest[game]()
    exposed(script)

    def config(value: str) -> TableConfig:
        chosen = {"exposed_player_card": value}
        if game == "raise_it_up":
            return table(readings={"decision.inference": "signals", **chosen})
        return game_rounds.table(game, readings=chosen)

    down = f"{prefix}-MS-DOWN"
    assert [row for row, _ in wrong(script, config("ignore"))] == [down]
    assert dict(wrong(script, config("burn")))[f"{prefix}-IRR-FACEUP-1"] is Severity.WARNING
    assert f"{prefix}-IRR-EXPOSED" not in dict(wrong(script, config("burn")))
    void = dict(wrong(script, config("void")))
    assert void[f"{prefix}-IRR-EXPOSED"] is Severity.WARNING
    assert f"{prefix}-IRR-FACEUP-1" not in void
    (found,) = told(script, config("void"), f"{prefix}-IRR-EXPOSED")
    assert "a player's card was exposed in the deal" in found.expected
    assert "exposed_player_card=ignore (ALL-A5)" in found.text
    burn(script)
    left = {"RIU": 52 - 15, "CAR": 52 - 25, "LIR": 52 - 17}[prefix]
    script.insert(StubCounted(**AT, count=left - 1), after="stub", name="count", wait_s=0.5)
    assert wrong(script, config("ignore")) == []
    assert wrong(script, config("burn")) == []
    assert Verdict.UNDETERMINED in verdicts(script, config("ignore"), down)
    assert Verdict.COMPLIANT in verdicts(script, config("burn"), f"{prefix}-IRR-FACEUP-1")


@pytest.mark.parametrize(("game", "rounds"), [("caribbean_stud", car), ("let_it_ride", lir)])
def test_an_exposed_card_of_a_stack(game: str, rounds: Any) -> None:
    """ALL-A5, from an automated shoe: the sentence that has the stacks go round has them go face down (639a.10(b), 643a.10(b))."""
    prefix = {"caribbean_stud": "CAR", "let_it_ride": "LIR"}[game]
    script = game_rounds.build(rounds.plan(dealing="automated_shoe"))
    script.change("stack:3", exposed=True)
    config = {"dealing": "automated_shoe"}
    order = (f"{prefix}-AS-ORDER", Severity.WARNING)
    assert wrong(script, game_rounds.table(game, **config)) == [order]
    void = game_rounds.table(game, **config, readings={"exposed_player_card": "void"})
    assert wrong(script, void) == [order, (f"{prefix}-IRR-EXPOSED", Severity.WARNING)]


@pytest.mark.parametrize(("game", "rounds"), [("caribbean_stud", car), ("let_it_ride", lir)])
def test_a_stack_delivered_face_up(game: str, rounds: Any) -> None:
    """A camera tells its uppermost card, face up, where the others got stacks; after the last stack it may have been laid out."""
    prefix = {"caribbean_stud": "CAR", "let_it_ride": "LIR"}[game]
    config = game_rounds.table(game, dealing="automated_shoe")

    def accused(seat: int, *, since: str = "") -> bool:
        script = game_rounds.build(rounds.plan(dealing="automated_shoe"))
        stack = script.get(f"stack:{seat}")
        up = CardPlaced(**AT, area=f"seat{seat}.cards", card_id=950, face=Face.UP, card="2s")
        up = replace(up, t_s=stack.t_s, table_id=stack.table_id)
        script.items[script.index(f"stack:{seat}")] = ("up", up)
        if since:
            script.drop("up")
            script.insert(up, after=since, name="up")
            script.items.sort(key=lambda item: item[1].t_s)
        return (f"{prefix}-AS-ORDER", Severity.WARNING) in wrong(script, config)

    assert accused(3)
    assert not accused(3, since="examine:6")


# -- all games ------------------------------------------------------------------------------------------------------


def chosen(value: Mapping[str, str]) -> dict[str, str]:
    return {"decision.inference": "signals", **value}


@pytest.mark.parametrize("unseen", [False, True])
def test_the_hours_of_two_decks_run_while_they_are_in_play(unseen: bool) -> None:
    """ALL-A8: the red deck came 8.5 hours ago; rounds were played with it for seconds, unless some were not seen."""
    start = 3600.0 * 8.5
    decks: list[Event] = [DeckChanged(**AT, back=back, deck=deck) for back, deck in (("red", "A"), ("blue", "B"))]
    events = decks
    if unseen:
        events = [*events, CoverageGap(table_id=TABLE, t_s=9000.0, cause=GapCause.LOST, since_s=4000.0)]
    for t_s, number in ((3600.0, 100), (start, 900)):
        script = build(t_s=t_s, first_card_id=number)
        script.items = [(n, replace(e, back="red") if isinstance(e, CardPlaced) else e) for n, e in script.items]
        events = [*events, *script.events]
    events = [replace(event, table_id=TABLE) for event in events]
    device = {"decks": 2, "shuffler": {"automated": True, "counts_cards": False}}
    ends = {
        value: [f for f in judge(events, table(**device, readings=chosen({"deck.clock": value}))) if f.check_id == "RIU-DECK-CHG-SHOE"]
        for value in ("introduced", "in_play")
    }  # fmt: skip
    assert [one.verdict for one in ends["introduced"]] == [Verdict.COMPLIANT, Verdict.BREACH]
    assert "No breach under deck.clock=in_play (ALL-A8)" in ends["introduced"][1].text
    later = Verdict.UNDETERMINED if unseen else Verdict.COMPLIANT
    assert [one.verdict for one in ends["in_play"]] == [Verdict.COMPLIANT, later]


def test_a_deck_that_was_played_with_for_too_long_is_told_by_either_clock() -> None:
    """ALL-A8: a round of nine hours, and the next one with the same deck."""
    events: list[Event] = [replace(DeckChanged(**AT, back="red", deck="A"), table_id=TABLE)]
    for t_s, number in ((10.0, 100), (36_000.0, 900)):
        script = build(t_s=t_s, first_card_id=number)
        script.items = [(n, replace(e, back="red") if isinstance(e, CardPlaced) else e) for n, e in script.items]
        last = script.items[-1][1]
        if number == 100:
            script.items[-1] = (script.items[-1][0], replace(last, t_s=last.t_s + 9 * 3600.0))
        events += script.events
    device = {"decks": 2, "shuffler": {"automated": True, "counts_cards": False}}
    found = judge(events, table(**device, readings=chosen({"deck.clock": "in_play"})))
    assert [f.verdict for f in found if f.check_id == "RIU-DECK-CHG-SHOE"] == [Verdict.COMPLIANT, Verdict.BREACH]


@pytest.mark.parametrize(
    ("stands", "back", "kept"),
    [
        (500_000, Verdict.COMPLIANT, Verdict.BREACH),
        (500_028, Verdict.UNDETERMINED, Verdict.COMPLIANT),
        (500_100, Verdict.BREACH, Verdict.BREACH),
    ],
)
def test_the_meter_after_a_void_round(stands: int, back: Verdict, kept: Verdict) -> None:
    """ALL-A6: two wagers of 1.00 raised it by 0.28; a floorperson voids the round."""
    script = build()
    house.progressive(script, (1, 3))
    script.insert(FloorDecision(**AT, decision="void_round"), after="reveal:1", name="void")
    script.insert(MeterRead(**AT, meter="prog.meter", amount_cents=stands), after="void")
    for value, verdict in (("true", back), ("false", kept)):
        config = house.prog(readings=chosen({"void.meter_rollback": value}))
        assert verdicts(script, config, "RIU-METER-RATE") == [verdict], value


@pytest.mark.parametrize(("stands", "back", "kept"), [(0, "compliant", "breach"), (26, "undetermined", "compliant")])
def test_the_meter_of_the_five_card_hand_bonus_after_a_void_round(stands: int, back: str, kept: str) -> None:
    """ALL-A6, of an electronic wager: 13 cents of each."""
    file = cases_money.won("LIR", cases_money.FLUSH, 5_000, cases_money.ACCOUNT, void_it(stands))(Kit("LIR"))
    for value, verdict in (("true", back), ("false", kept)):
        config = replace(file.table, readings={**file.table.readings, "void.meter_rollback": value})
        (found,) = (f for f in judge(file.events, config) if f.check_id == "LIR-FCHB-METER")
        assert found.verdict.value == verdict, value


def void_it(raised: int) -> Edit:
    """A floorperson voids the round, the meter is read, nothing is paid."""

    def edit(script: Script, _: Kit) -> None:
        script.drop("paid:")
        script.insert(FloorDecision(**AT, decision="void_round"), after="reveal:1", name="void")
        read = MeterRead(**AT, meter="fchb.meter", amount_cents=cases_money.FCHB_METER + raised)
        script.insert(read, after="void", name="meter:void")

    return edit


LEFT = ConductReported(**AT, seat=3, what="left_table")


def test_the_wagers_of_a_player_who_left() -> None:
    """ALL-A13: seat 3 wins; collected, that is the house's to decide, or right where it treats them as losing."""
    paid, taken = build(), build()
    names = [n.partition(".")[2] for n in paid.names("pay:3.")]
    for name in names:
        taken.drop(f"take:3.{name}")
        taken.change(f"pay:3.{name}", amount_cents=0)
        gone = WagerRemoved(**AT, area=f"seat3.{name}", by=Side.DEALER)
        taken.items = [(n, e) if n != f"pay:3.{name}" else (n, replace(gone, t_s=e.t_s, table_id=TABLE)) for n, e in taken.items]  # fmt: skip
    assert "RIU-SET-ANTE" in dict(wrong(taken, table())), "nobody said that the player left"
    for script in (paid, taken):
        script.insert(replace(LEFT, table_id=TABLE), after="reveal:2", name="left")
    operator, losing = (table(readings=chosen({"abandoned": value})) for value in ("operator", "losing"))

    def ends(script: Script, config: TableConfig) -> set[Verdict]:
        found = [f for f in judge(script.events, config) if f.seat == 3 and f.check_id in ("RIU-SET-ANTE", "RIU-SET-PLAY", "RIU-SET-PP")]  # fmt: skip
        return {f.verdict for f in found} - {Verdict.NOT_APPLICABLE}

    assert ends(paid, operator) == {Verdict.COMPLIANT}
    assert ends(taken, operator) == {Verdict.UNDETERMINED}
    assert ends(taken, losing) == {Verdict.COMPLIANT}
    assert ends(paid, losing) == {Verdict.BREACH}


def test_the_progressive_of_a_player_who_left() -> None:
    """ALL-A13: a straight that nobody paid."""
    script = riu.straight()
    script.drop("award:1")
    assert verdicts(script, house.prog(), "RIU-SET-PROG-PAY") == [Verdict.BREACH]
    script.insert(replace(LEFT, seat=1, table_id=TABLE), after="reveal:2", name="left")
    for value, expected in (("operator", [Verdict.UNDETERMINED]), ("losing", [])):
        config = house.prog(readings=chosen({"abandoned": value}))
        assert verdicts(script, config, "RIU-SET-PROG-PAY") == expected
    config = house.prog(readings=chosen({"abandoned": "losing"}))
    won = riu.straight()
    won.insert(replace(LEFT, seat=1, table_id=TABLE), after="reveal:2", name="left")
    assert verdicts(won, config, "RIU-SET-PROG-VERIFY") == [Verdict.BREACH]


@pytest.mark.parametrize(
    ("paid", "exact", "chip", "cent"),
    [(750, "compliant", "breach", "compliant"), (700, "undetermined", "compliant", "breach"), (800, "undetermined", "breach", "breach")],
)  # fmt: skip
def test_a_part_of_a_chip(paid: int, exact: str, chip: str, cent: str) -> None:
    """ALL-A12: 3 to 2 on 5.00 with chips of 1.00."""
    script = build([seat(4, "Ks 2d 8h", 3, ante=500, blind=500)], ("Kd", "6c", "2s"))
    script.change("pay:4.play", amount_cents=paid)
    for value, verdict in (("exact", exact), ("chip", chip), ("cent", cent)):
        (found,) = told(script, table(readings=chosen({"rounding": value})), "RIU-SET-PLAY")
        assert found.verdict.value == verdict, value
        if verdict == "compliant":
            assert found.owed_cents == paid


@pytest.mark.parametrize(
    ("off", "exact", "chip", "cent"),
    [(0, "compliant", "breach", "compliant"), (1, "compliant", "breach", "breach"), (-1, "breach", "breach", "breach"), (None, "breach", "compliant", "breach")],
)  # fmt: skip
def test_a_part_of_a_cent_of_a_meter(off: int | None, exact: str, chip: str, cent: str) -> None:
    """ALL-A12: a tenth of the meter, of which a part of a cent is dropped or paid as one, or all below the lowest chip."""
    share = cases_money.SHARE
    assert (cases_money.METER + 42) % 10
    amount = share - share % 100 if off is None else share + off
    file = cases_money.car_round(change("award:6", amount_cents=amount))(Kit("CAR"))
    for value, verdict in (("exact", exact), ("chip", chip), ("cent", cent)):
        config = replace(file.table, readings={**file.table.readings, "rounding": value})
        found = [f for f in judge(file.events, config) if f.check_id == "CAR-METER-TURN" and f.seat == 6]
        assert [f.verdict.value for f in found] == [verdict], value


# -- one player, two boxes ------------------------------------------------------------------------------------------

SAME = ConductReported(**AT, seat=6, what="second_position", other_seat=3)


@pytest.mark.parametrize(
    ("cents", "reported", "one_player", "two_players"),
    [
        (30_000, True, "breach", "compliant"),
        (0, True, "not_applicable", "breach"),
        (30_000, False, "undetermined", "compliant"),
        (0, False, "undetermined", "breach"),
        (20_000, False, "breach", "breach"),
    ],
)
def test_the_envy_bonus_of_the_same_players_second_box(
    cents: int, reported: bool, one_player: str, two_players: str
) -> None:
    """ALL-A20: the straight flush of seat 6 is seat 3's own, where both are one player's, unless boxes are what counts."""

    def edit(script: Script, _: Kit) -> None:
        if reported:
            script.insert(SAME, after="nmb", name="same")
        if cents:
            script.change("envy:3", amount_cents=cents)
        else:
            script.drop("envy:3")

    file = cases_money.car_round(edit)(Kit("CAR"))
    for value, verdict in (("false", one_player), ("true", two_players)):
        config = replace(file.table, adjacent_boxes=4, readings={**file.table.readings, "envy.same_patron": value})
        ends = {f.check_id: f.verdict.value for f in judge(file.events, config) if f.seat == 3 and "ENVY" in f.check_id}
        worst = next((v for v in ("breach", "undetermined", "compliant") if v in ends.values()), "not_applicable")
        if verdict == "not_applicable":
            assert worst in ("compliant", "not_applicable")
        else:
            assert worst == verdict, value


@pytest.mark.parametrize(("reported", "boxes"), [(True, 3), (False, 1), (False, 3)])
def test_a_jackpot_of_the_dealers_hand_is_divided_by_player_or_by_wager(reported: bool, boxes: int) -> None:
    """CAR-A12: seats 1 and 3 are one player's two boxes, seat 6 another's: halves, or thirds."""
    whole = (cases_money.FCHB_METER + 39) // 10

    def ends(amounts: Mapping[int, int], value: str) -> set[str]:
        wagers = [(n, "fchb_dealer") for n in (1, 3, 6)]
        payments = [(n, "fchb_dealer", cents, cases_money.CAGE) for n, cents in amounts.items()]

        def edit(script: Script, _: Kit) -> None:
            if reported:
                script.insert(replace(SAME, seat=1), after="nmb", name="same")

        made = cases_money.hand_bonus(
            wagers, payments, cases_money.SPLIT, edit, plan={"dealer": cases_money.DEALER_STRAIGHT_FLUSH}
        )
        file = made(Kit("CAR"))
        config = replace(file.table, adjacent_boxes=boxes, readings={**file.table.readings, "car.split_by": value})
        return {f.verdict.value for f in judge(file.events, config) if f.check_id == "CAR-FCHB-SPLIT" and f.seat in (1, 3, 6)}  # fmt: skip

    halves = {1: whole // 2, 6: whole // 2}
    thirds = dict.fromkeys((1, 3, 6), whole // 3)
    if reported:
        assert ends(halves, "player") == {"compliant"}
        assert ends(thirds, "player") == {"breach"}
    elif boxes == 1:
        assert ends(thirds, "player") == {"compliant"}
    else:
        assert ends(thirds, "player") == {"undetermined"}
    assert ends(thirds, "wager") == {"compliant"}
    assert "breach" in ends(halves, "wager")


# -- single games ---------------------------------------------------------------------------------------------------


def fold_with_a_bonus(*, racked: bool) -> Script:
    """Seat 4 folds with a Five Card Hand Bonus Wager; its cards go to the rack, or are turned in settlement."""
    script = car.built()
    script.insert(ElectronicWagerAccepted(**AT, seat=4, wager="fchb_player", amount_cents=100), after=script.names("wager:")[-1])  # fmt: skip
    script.insert(DecisionAnnounced(**AT, seat=4, decision="fold"), after="fold:4", name="says", wait_s=0.2)
    if not racked:
        gone = [script.one(CardRemoved, name) for name in script.names("fold-rack:4")]
        script.drop("fold-rack:4")
        after = "turn-hand:6"
        for event, card in zip(gone, ["8c", "7d", "5h", "3h", "2d"], strict=True):
            up = CardTurned(**AT, area="seat4.cards", card_id=event.card_id, face=Face.UP, card=card)
            script.insert(up, after=after, name=f"up:{card}", wait_s=0.02)
            after = f"up:{card}"
        script.items += [(f"late:{i}", replace(event, t_s=script.t_s + 0.1)) for i, event in enumerate(gone)]
    return script


def test_the_cards_of_a_fold_with_a_five_card_hand_bonus() -> None:
    """CAR-A5: they stay until it is settled, or go to the rack with the wagers."""
    keep, rack = (
        game_rounds.table(
            "caribbean_stud",
            paytables={"bonus": "A", "five_card_hand_bonus": "A"},
            readings={"car.fold_fchb_cards": value},
        )
        for value in ("keep", "rack")
    )
    row = "CAR-FOLD-COLLECT"
    assert verdicts(fold_with_a_bonus(racked=True), keep, row) == [Verdict.BREACH]
    assert verdicts(fold_with_a_bonus(racked=True), rack, row) == [Verdict.COMPLIANT]
    assert verdicts(fold_with_a_bonus(racked=False), keep, row) == [Verdict.COMPLIANT]
    assert verdicts(fold_with_a_bonus(racked=False), rack, row) == [Verdict.BREACH]
    (found,) = told(fold_with_a_bonus(racked=True), keep, row)
    assert "No breach under car.fold_fchb_cards=rack (CAR-A5)" in found.text
    assert verdicts(car.built(), keep, row) == [Verdict.COMPLIANT], "no such wager"


def test_the_community_cards_in_the_order_in_which_they_were_dealt() -> None:
    """RIU-A11: any of them may be the first, or the one dealt first is."""
    crossed = build()
    crossed.change("deal:community.4th", area="community.5th").change("deal:community.5th", area="community.4th")
    first, second = crossed.card_id("reveal:1"), crossed.card_id("reveal:2")
    crossed.change("reveal:1", card_id=second).change("reveal:2", card_id=first)
    any_, dealt = (table(readings=chosen({"riu.community_order": value})) for value in ("any", "dealt"))
    rows = [f"RIU-C{n}-PLACE" for n in (1, 2, 3)]
    assert [verdicts(build(), config, row) for config in (any_, dealt) for row in rows] == [[Verdict.COMPLIANT]] * 6
    assert [verdicts(crossed, any_, row) for row in rows] == [[Verdict.COMPLIANT]] * 3
    assert [verdicts(crossed, dealt, row) for row in rows] == [[Verdict.BREACH], [Verdict.BREACH], [Verdict.COMPLIANT]]
    (found,) = told(crossed, dealt, rows[0])
    assert "No breach under riu.community_order=any (RIU-A11)" in found.text


def test_a_progressive_paid_to_1_brings_the_collected_stake_back() -> None:
    """DJW-A11: 9 to 1 on three 8s with 1.00 that was collected before the deal: 9.00 and the stake, or 9.00."""
    cases = ((1000, "compliant", "undetermined"), (900, "undetermined", "compliant"), (1100, "breach", "breach"))
    for cents, to, for_ in cases:
        file = cases_money.djw_round(change("award:1", amount_cents=cents))(Kit("DJW"))
        for value, verdict in (("to", to), ("for", for_)):
            config = replace(file.table, readings={**file.table.readings, "djw.prog_basis": value})
            found = [f for f in judge(file.events, config) if f.check_id == "DJW-SET-PROG-W" and f.seat == 1]
            assert [f.verdict.value for f in found] == [verdict], (cents, value)
            assert found[0].owed_cents == (1000 if value == "to" else 900)


@pytest.mark.parametrize(("game", "row", "own"), [("LIR", "LIR-5CP-ENVY", 100_000), ("DJW", "DJW-ENVY", 100_000)])
def test_an_envy_bonus_for_an_own_hand_where_one_row_judges_all(game: str, row: str, own: int) -> None:
    """ALL-A20: the royal flush of seat 6 is that player's own, and the second box beside it too."""
    made = {"LIR": lir_royal, "DJW": cases_money.djw_round}[game]

    def paid_own(script: Script, _: Kit) -> None:
        cases_money.envy(script, 6, own)

    file = made(paid_own)(Kit(game))
    found = [f for f in judge(file.events, file.table) if f.check_id == row and f.seat == 6]
    assert [f.verdict for f in found] == [Verdict.BREACH]


def lir_royal(*edits: Edit) -> Any:
    """Seat 6 takes the whole meter with a royal flush; seat 3 has the envy bonus."""
    return cases_money.progressive(
        "progressive5", {6: "Ks Qs As"}, (3, 6), 21, {6: (cases_money.METER + 42, cases_money.CAGE)}, {3: 100_000},
        *edits, plan={"community": ["Ts", "Js"]},
    )  # fmt: skip
