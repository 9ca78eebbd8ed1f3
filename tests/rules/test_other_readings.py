"""Every switch of an ambiguous text does what it says: each value judges the same events in its own way, or is refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import game_rounds
import house
import pytest
import test_caribbean_stud_checks as car
import test_let_it_ride_checks as lir
from game_rounds import AT
from rounds import Script, build, judge, table

from rules.events import CardPlaced, CardRemoved, ElectronicWagerAccepted, Face, MeterRead, PayoutPlaced
from rules.findings import Finding, Severity, Verdict
from rules.house_events import WagersBanked, WagersCollected, WagersLocked
from rules.law import ambiguities, readings, render_readings
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
    for seat, wager in ((1, "progressive3"), (3, "progressive3"), (3, "progressive5"), (6, "progressive5")):
        event = ElectronicWagerAccepted(**AT, seat=seat, wager=wager, amount_cents=100)
        script.insert(event, after=last, name=f"accept:{seat}.{wager}")
        last = f"accept:{seat}.{wager}"
    last = "nmb"
    for wager, count in (("progressive3", 2), ("progressive5", count5)):
        if wager == "progressive5" and not told5:
            continue
        for event in (
            WagersLocked(**AT, wager=wager), WagersCollected(**AT, wager=wager, count=count),
            WagersBanked(**AT, wager=wager),
        ):  # fmt: skip
            script.insert(event, after=last, name=f"{event.kind}:{wager}")
            last = f"{event.kind}:{wager}"
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
    for bet, winnings in (("bet1", 3_000_000), ("bet2", 2_000_000), ("bet3", 0)):
        script.change(f"pay:6.{bet}", amount_cents=winnings)
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
        "community": ["Ts", "4s"], "config": {"paytables": {"main": "A"}, "max_payout": 5_000_000},
    }  # fmt: skip

    def returned(config: dict[str, Any]) -> int:
        seat = settle_round({**document, "config": config})["seats"]["1"]
        return sum(one["return"] for one in seat.values())

    config: dict[str, Any] = dict(document["config"])  # type: ignore[call-overload]
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
    number = script.get("deal:3.1").card_id  # type: ignore[attr-defined]
    later = [name for name, event in script.items if getattr(event, "card_id", None) == number and name != "deal:3.1"]
    for name in later:
        script.change(name, card_id=900)
    removed = CardRemoved(**AT, area="seat3.cards", card_id=number, to_area="discard_rack")
    script.insert(removed, after="deal:3.1", wait_s=0.1, name="burn")
    script.insert(CardPlaced(**AT, area="seat3.cards", card_id=900, face=Face.DOWN), after="burn", name="again")


PEEKED = {"riu-test": "Ad", "caribbean_stud": "Jh", "let_it_ride": "9d"}


@pytest.mark.parametrize("game", ["raise_it_up", "caribbean_stud", "let_it_ride"])
def test_a_players_card_exposed_in_the_deal(game: str) -> None:
    """ALL-A5: without consequence, as a card found face up in the shoe, or the round is void."""
    prefix = {"raise_it_up": "RIU", "caribbean_stud": "CAR", "let_it_ride": "LIR"}[game]
    script = {"raise_it_up": build, "caribbean_stud": car.built, "let_it_ride": lir.built}[game]()
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
    assert f"{prefix}-IRR-FACEUP-1" not in dict(wrong(script, config("burn")))
    assert Verdict.COMPLIANT in verdicts(script, config("burn"), f"{prefix}-IRR-FACEUP-1")


def test_an_exposed_card_of_a_stack() -> None:
    """ALL-A5, from an automated shoe: there the deal face down is no rule of its own in 643a."""
    script = game_rounds.build(lir.plan(dealing="automated_shoe"))
    script.change("stack:3", exposed=True)
    config = {"dealing": "automated_shoe"}
    assert wrong(script, game_rounds.table("let_it_ride", **config)) == []
    void = game_rounds.table("let_it_ride", **config, readings={"exposed_player_card": "void"})
    assert wrong(script, void) == [("LIR-IRR-EXPOSED", Severity.WARNING)]
