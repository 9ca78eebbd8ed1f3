"""A file of events is taken whole or refused with line and field."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from game_rounds import table as game_table
from hypothesis import given, settings
from hypothesis import strategies as st
from rounds import altered, build, table

from rules.eventfile import read_stream
from rules.events import (
    ElectronicWagerAccepted,
    Event,
    EventError,
    Face,
    MeterRead,
    ShufflerCounted,
    StubCounted,
    event_to_dict,
    event_to_json,
)
from rules.house_events import AwardLit, BonusPaid, WagersBanked, WagersCollected, WagersLocked

CLIP = Path(__file__).resolve().parents[2] / "datasets" / "clips" / "raise_it_up" / "truth.jsonl"
LINES = [event_to_json(event) for event in build().events]
Lines = list[str]


def changed(number: int, **fields: object) -> Lines:
    """The lines of an honest round, one of them changed; line numbers count from 1."""
    raw = json.loads(LINES[number - 1])
    return [*LINES[: number - 1], json.dumps({**raw, **fields}), *LINES[number:]]


def test_an_honest_file() -> None:
    read = read_stream([*LINES, "", "  "], table())
    assert [event_to_json(event) for event in read] == LINES


def test_the_truth_of_the_bundled_clip() -> None:
    lines = []
    for line in CLIP.read_text().splitlines():
        raw = json.loads(line)
        if raw.pop("type") == "event":
            lines.append(json.dumps(raw))
    assert len(read_stream(lines, table(table_id="riu-66"))) == len(lines) > 200


REFUSED: list[tuple[str, Callable[[], Lines], list[str]]] = [
    ("empty", list, ["no events"]),
    ("not_json", lambda: [*LINES[:4], "{"], ["line 5", "not a JSON object"]),
    ("a_list", lambda: [*LINES[:4], "[]"], ["line 5", "expected a JSON object"]),
    ("cut_off", lambda: [*LINES[:6], LINES[6][:-9]], ["line 7"]),
    ("unknown_kind", lambda: changed(3, kind="card_flown"), ["line 3", "'kind'"]),
    ("unknown_field", lambda: changed(3, colour="red"), ["line 3", "'colour'"]),
    ("wrong_type", lambda: changed(3, amount_cents="ten"), ["line 3", "'amount_cents'"]),
    ("a_field_twice", lambda: [LINES[0][:-1] + ',"area":"seat2.ante"}', *LINES[1:]], ["line 1", "'area'", "twice"]),
    ("too_large_a_number", lambda: changed(3, amount_cents=10**16), ["line 3", "'amount_cents'", "out of range"]),
    ("more_than_a_billion_dollars", lambda: changed(3, amount_cents=10**11 + 1), ["line 3", "'amount_cents'", "at most 100000000000"]),
    ("a_time_of_400_digits", lambda: changed(3, t_s=10**400), ["line 3", "'t_s'", "must be float, got 1000", "..."]),
    ("a_frame_of_400_digits", lambda: changed(3, frames=[10**400]), ["line 3", "'frames'", "whole numbers"]),
    ("a_number_of_4000_digits", lambda: changed(3, amount_cents=10**4000), ["line 3", "'amount_cents'", "over 100 digits"]),
    ("no_card", lambda: [*LINES, '{"v":1,"kind":"card_read","table_id":"riu-test","t_s":900,"area":"seat1.cards","card_id":1,"card":"10h"}'], [f"line {len(LINES) + 1}", "'card'", "'10h' is no card", "as in 'Th'"]),
    ("too_long_a_text", lambda: changed(3, area="x" * 300), ["line 3", "'area'", "200"]),
    ("too_long_a_line", lambda: [*LINES, '{"v":1' + " " * 200_000 + "}"], [f"line {len(LINES) + 1}", "100000"]),
    ("deeply_nested", lambda: [*LINES, "[" * 50_000], [f"line {len(LINES) + 1}", "not a JSON object"]),
    ("reordered", lambda: [*LINES[20:], *LINES[:20]], ["'t_s'", "goes back"]),
    ("duplicated_line", lambda: [*LINES[:5], LINES[4], *LINES[5:]], ["line 6", "repeats line 5"]),
    ("duplicated_file", lambda: [*LINES, *LINES], ["goes back"]),
    ("another_table", lambda: [line.replace("riu-test", "riu-9") for line in LINES], ["'table_id'", "riu-test", "riu-9"]),
    ("no_such_seat", lambda: changed(3, area="seat7.ante"), ["line 3", "'area'", "seats 1 to 6"]),
    ("seat_zero", lambda: [*LINES, '{"v":1,"kind":"decision_announced","table_id":"riu-test","t_s":900,"seat":0,"decision":"fold"}'], ["'seat'", "got 0"]),
    ("began_after_it_ended", lambda: [*LINES, '{"v":1,"kind":"hand_over","table_id":"riu-test","t_s":900,"since_s":901,"area":"seat1.cards"}'], ["'since_s'", "901"]),
    ("no_such_day", lambda: ['{"v":1,"kind":"table_opened","table_id":"riu-test","t_s":0,"day":"2026-02-30"}', *LINES], ["line 1", "'day'"]),
    ("version", lambda: changed(2, v=2), ["line 2", "'v'"]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "lines", "parts"), REFUSED, ids=[row[0] for row in REFUSED])
def test_refused_with_line_and_field(name: str, lines: Callable[[], Lines], parts: list[str]) -> None:
    with pytest.raises(EventError) as refused:
        read_stream(lines(), table(), name="night.jsonl")
    assert str(refused.value).startswith("night.jsonl")
    for part in parts:
        assert part in str(refused.value)


def test_a_card_in_two_places_at_one_time() -> None:
    card = build().get("deal:1.0")
    other = event_to_json(altered(card, area="seat3.cards"))
    number = LINES.index(event_to_json(card)) + 1
    with pytest.raises(
        EventError, match=rf"line {number + 1}: field 'area': card 100 at seat3.cards and at seat1.cards"
    ):
        read_stream([*LINES[:number], other, *LINES[number:]], table())


def test_a_meter_with_two_amounts_at_one_time() -> None:
    lines = [event_to_json(MeterRead(table_id="riu-test", t_s=1.0, meter="prog.meter", amount_cents=c)) for c in (1, 2)]
    with pytest.raises(EventError, match=r"line 2: field 'amount_cents': meter prog\.meter shows 2 and 1"):
        read_stream(lines, table())


@pytest.mark.parametrize(
    ("events", "said"),
    [
        ([ShufflerCounted(table_id="riu-test", t_s=1.0, count=n) for n in (52, 51)], "shuffler_counted says 51 and 52"),
        ([StubCounted(table_id="riu-test", t_s=1.0, count=n) for n in (30, 31)], "stub_counted at layout says 31 and 30"),
        ([StubCounted(table_id="riu-test", t_s=1.0, count=n, face=f) for n, f in ((30, Face.UP), (31, Face.DOWN))], "31 and 30"),
    ],
)  # fmt: skip
def test_two_counts_of_the_cards_at_one_time(events: list[Event], said: str) -> None:
    lines = [event_to_json(event) for event in events]
    with pytest.raises(EventError, match=rf"line 2: field 'count': .*{said}.* \(line 1\) at one time"):
        read_stream(lines, table())
    apart = [lines[0], event_to_json(replace(events[1], t_s=1.5))]
    assert len(read_stream(apart, table())) == 2


def test_chips_wagered_where_the_layout_has_no_area() -> None:
    areas = {f"seat{n}.{wager}" for n in range(1, 7) for wager in table().law.wagers}
    assert len(read_stream(LINES, table(), areas=areas)) == len(LINES)
    first = next(n for n, line in enumerate(LINES, start=1) if json.loads(line)["kind"] == "wager_placed")
    for area in ("seat3.anta", "sea3t.ante", "seat³.ante"):
        assert read_stream(changed(first, area=area), table()), "where no layout is known nothing is held against it"
        with pytest.raises(
            EventError,
            match=rf"line {first}: field 'area': chips are wagered at '{area}', which the layout raise_it_up_6 lacks; it has seat",
        ):
            read_stream(changed(first, area=area), table(), areas=areas)


@pytest.mark.parametrize(
    ("game", "event", "known"),
    [
        ("raise_it_up", ElectronicWagerAccepted(table_id="", t_s=5.0, seat=3, wager="progressive", amount_cents=100), True),
        ("raise_it_up", ElectronicWagerAccepted(table_id="", t_s=5.0, seat=3, wager="progresive", amount_cents=100), False),
        ("raise_it_up", BonusPaid(table_id="", t_s=5.0, seat=3, wager="fchb", amount_cents=100), False),
        ("raise_it_up", BonusPaid(table_id="", t_s=5.0, seat=3, wager="envy", amount_cents=100), True),
        ("caribbean_stud", BonusPaid(table_id="", t_s=5.0, seat=3, wager="magic_dealer", amount_cents=100), True),
        ("caribbean_stud", BonusPaid(table_id="", t_s=5.0, seat=3, wager="fchb", amount_cents=100), False),  # on which hand?
        ("caribbean_stud", WagersLocked(table_id="", t_s=5.0, wager="fchb"), True),
        ("caribbean_stud", WagersLocked(table_id="", t_s=5.0, wager="progressive5"), False),
        ("let_it_ride", AwardLit(table_id="", t_s=5.0, seat=3, wager="progressive"), False),
        ("let_it_ride", AwardLit(table_id="", t_s=5.0, seat=3, wager="progressive5"), True),
        ("dj_wild", WagersCollected(table_id="", t_s=5.0, wager="main"), False),
        ("dj_wild", WagersBanked(table_id="", t_s=5.0, wager="progressive"), True),
    ],
)  # fmt: skip
def test_a_system_names_wagers_of_the_game(game: str, event: Event, known: bool) -> None:
    config = table() if game == "raise_it_up" else game_table(game)
    lines = [event_to_json(replace(event, table_id=config.table_id))]
    if known:
        assert len(read_stream(lines, config)) == 1
        return
    name = getattr(event, "wager", "")
    said = rf"line 1: field 'wager': {event.kind} names '{name}', which .* does not have; it has .*progressive"
    with pytest.raises(EventError, match=said):
        read_stream(lines, config)


def test_too_many_events() -> None:
    with pytest.raises(EventError, match="line 11: more than 10 events"):
        read_stream(LINES, table(), limit=10)


def test_a_little_late_is_no_disorder() -> None:
    raw = event_to_dict(build().events[10])
    assert len(read_stream(changed(11, t_s=raw["t_s"] - 5.0), table())) == len(LINES)


def test_other_tables_are_not_held_against_this_one() -> None:
    other = [line.replace("riu-test", "big-table").replace("seat6", "seat7") for line in LINES]
    assert len(read_stream([*LINES, *other], table())) == 2 * len(LINES)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.one_of(st.sampled_from(LINES), st.text(max_size=40), st.just("{}"), st.just('{"v":1,"kind":[]}')),
        max_size=12,
    )
)
def test_any_text_is_read_or_refused(lines: Lines) -> None:
    try:
        read = read_stream(lines, table())
    except EventError as error:
        said = str(error)
    else:
        said = f"events: {len(read)} of {sum(bool(line.strip()) for line in lines)}"
        assert len(read) == sum(bool(line.strip()) for line in lines)
    assert said.startswith("events")
