"""The command line: every mistake of a user is one message and exit status 2, with nothing half written."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import json
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np
import pytest
import sqlalchemy as sa
import yaml
from audit_fakes import ROUND, write_lines
from service_fakes import events, mapping

from rules.events import DealerChanged, NoMoreBets, event_to_json
from rules.odds import OddsError, WagerOdds, side_wager_odds
from rules.paytables import Paytable
from service import odds
from service.cli import main
from service.reviews.work import FINDINGS, ROUNDS

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)

    def call(*arguments: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        said = capsys.readouterr()
        return int(ended.value.code or 0), said.out, said.err

    return call


def refused(result: tuple[int, str, str], *parts: str) -> None:
    """The end every mistake has: status 2, one message, nothing on standard output."""
    status, out, err = result
    assert status == 2, err
    assert out == ""
    assert err.startswith("pitwatch: ")
    assert err.count("\n") == 1, err
    assert "Traceback" not in err
    for part in parts:
        assert part in err, err


def table_file(folder: Path, **changes: Any) -> Path:
    path = folder / "table.yaml"
    path.write_text(yaml.safe_dump(mapping(**changes)))
    return path


def video_file(path: Path, picture: np.ndarray[Any, Any], count: int = 45) -> Path:
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=15)
        stream.width, stream.height, stream.pix_fmt = picture.shape[1], picture.shape[0], "yuv420p"
        for index in range(count):
            shown = np.roll(picture, index, axis=1)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(shown, format="bgr24")))
        container.mux(stream.encode(None))
    return path


NOISE = np.random.default_rng(5).integers(0, 255, (270, 480, 3), np.uint8)


@pytest.fixture
def blank_video(tmp_path: Path) -> Path:
    return video_file(tmp_path / "blank.mp4", cv2.GaussianBlur(NOISE, (0, 0), 12))


# -- table files ----------------------------------------------------------------------------------------------------

SUBMISSION = mapping()["rules_submission"]


@pytest.mark.parametrize(
    ("changes", "parts"),
    [
        ({"game": "roulette"}, ("game", "roulette", "raise_it_up")),
        ({"rules_submission": SUBMISSION | {"paytables": {"pair_plus": "C"}}}, ("pair_plus", "'C'", "§ 669a.12(a)")),
        ({"rules_submission": SUBMISSION | {"seats": "six"}}, ("seats", "'six'")),
        ({"rules_submission": SUBMISSION | {"seats": 7}}, ("seats", "7", "§ 669a.2(a)")),
        ({"rules_submission": SUBMISSION | {"decks": 2}}, ("decks",)),
        ({"chips": {"red": "five"}}, ("chips", "five")),
        ({"layout": "no_such_layout"}, ("no_such_layout",)),
        ({"table_id": None}, ("table_id",)),
        ({"surprise": 1}, ("surprise",)),
        ({"layout": "a\0b"}, ("layout", "must be text")),
        ({"layout": "a" * 1000}, ("layout", "no such layout")),
        ({"external_events": "a" * 1000}, ("cannot be read", "File name too long")),
        ({"external_events": "gone.jsonl"}, ("gone.jsonl", "no such event file")),
        (
            {"game": "dj_wild", "rules_submission": {"dealing": "manual_shoe", "seats": 6, "paytables": {}}},
            ("DJ Wild",),
        ),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_a_table_file_with_a_fault(
    run: Run, tmp_path: Path, blank_video: Path, changes: dict[str, Any], parts: tuple[str, ...]
) -> None:
    table = table_file(tmp_path, **changes)
    (tmp_path / "events.jsonl").write_text("")
    refused(run("check", "events.jsonl", "--table", table), *parts)
    refused(run("review", blank_video, "--table", table, "--out", "out"), *parts)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        (b"game: [raise", ("line 1", "not YAML")),
        (b"version: 1\ngame: a: b\n", ("line 2", "not YAML")),
        (b"version: 1\nchips:\n  red: 500\n  'red': 5000\n", ("line 4, column 3", "key 'red' stands there twice")),
        (b"- a\n- b\n", ("mapping",)),
        (b"version: 2026-99-99\n", ("line 1, column 10", "no timestamp: '2026-99-99'")),
        (b"version: 1\nx: " + b"9" * 5000, ("line 2", "no int: '999")),
        (b"x: !!bool maybe\n", ("line 1", "no bool: 'maybe'")),
        (b"x: " + b"[" * 5000, ("nested too deeply",)),
        (b"version: 1\x07\n", ("not YAML", "special characters are not allowed")),
        (b"", ("mapping",)),
        (b"\xff\xfe\x00binary", ("not text",)),
    ],
)
def test_a_table_file_that_is_none(run: Run, tmp_path: Path, content: bytes, parts: tuple[str, ...]) -> None:
    (tmp_path / "bad.yaml").write_bytes(content)
    (tmp_path / "events.jsonl").write_text("")
    refused(run("check", "events.jsonl", "--table", "bad.yaml"), "bad.yaml", *parts)


def test_a_table_file_that_is_not_there(run: Run) -> None:
    refused(run("check", "events.jsonl", "--table", "nowhere.yaml"), "nowhere.yaml", "no such table file", "--table")


# -- videos ---------------------------------------------------------------------------------------------------------


def test_a_video_that_is_not_there(run: Run, tmp_path: Path) -> None:
    refused(run("review", "gone.mp4", "--table", table_file(tmp_path), "--out", "out"), "gone.mp4", "no such file")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["table.yaml"]


@pytest.mark.parametrize("content", [b"", b"dear diary\n" * 50, bytes(range(256)) * 40])
def test_a_file_that_is_no_video(run: Run, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "letter.mp4").write_bytes(content)
    refused(run("review", "letter.mp4", "--table", table_file(tmp_path), "--out", "out"), "letter.mp4")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["letter.mp4", "table.yaml"]


def test_a_truncated_video(run: Run, tmp_path: Path, blank_video: Path) -> None:
    whole = blank_video.read_bytes()
    blank_video.write_bytes(whole[: len(whole) // 2])
    refused(run("review", "blank.mp4", "--table", table_file(tmp_path), "--out", "out"), "blank.mp4")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["blank.mp4", "table.yaml"]


def test_a_video_of_no_table(run: Run, tmp_path: Path, blank_video: Path) -> None:
    refused(
        run("review", "blank.mp4", "--table", table_file(tmp_path), "--out", "out"),
        "blank.mp4",
        "raise_it_up_6",
        "corners_px",
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["blank.mp4", "table.yaml"]


def test_a_folder_that_is_taken_is_left_alone(run: Run, tmp_path: Path, blank_video: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "letter.txt").write_text("dear")
    refused(run("review", "blank.mp4", "--table", table_file(tmp_path), "--out", "out"), "out", "already there")
    assert (tmp_path / "out" / "letter.txt").read_text() == "dear"


# -- pictures -------------------------------------------------------------------------------------------------------


def test_a_picture_that_is_not_there_or_none(run: Run, tmp_path: Path) -> None:
    (tmp_path / "letter.png").write_text("dear")
    refused(run("see", "gone.png"), "gone.png", "no such file")
    refused(run("see", "letter.png"), "letter.png", "no picture")


def test_a_picture_without_cards(run: Run, tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "grey.png"), np.full((300, 400, 3), 90, np.uint8))
    refused(run("see", "grey.png", "--px-per-mm", "1.5"), "grey.png", "no card")


def test_a_scale_at_which_a_picture_would_show_more_than_a_table(run: Run, tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "grey.png"), np.full((300, 400, 3), 90, np.uint8))
    refused(run("see", "grey.png", "--px-per-mm", "0.05"), "grey.png", "would show 8.0 m", "estimated")


@pytest.mark.parametrize(
    ("content", "part"),
    [
        ("red: five\n", "whole number"),
        ("pink: 5\n", "no chip colour"),
        ("- red\n", "no chip set"),
        ("red: [", "not YAML"),
        ("red: 5\nred: 50\n", "key 'red' stands there twice"),
    ],
)
def test_a_chip_set_that_is_none(run: Run, tmp_path: Path, content: str, part: str) -> None:
    (tmp_path / "chips.yaml").write_text(content)
    cv2.imwrite(str(tmp_path / "grey.png"), np.full((300, 400, 3), 90, np.uint8))
    refused(run("see", "grey.png", "--chips", "chips.yaml"), "chips.yaml", part)


# -- events and rounds ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("{", ("line 2", "not a JSON object")),
        ('{"v": 1, "kind": "earthquake"}', ("line 2", "kind")),
        ('{"v": 1, "kind": "no_more_bets", "table_id": "a"}', ("line 2", "t_s")),
        ('{"v": 1, "kind": "no_more_bets", "table_id": "a", "t_s": "noon"}', ("line 2", "t_s")),
        ("[]", ("line 2", "JSON object")),
    ],
)
def test_an_event_file_with_a_fault(run: Run, tmp_path: Path, line: str, parts: tuple[str, ...]) -> None:
    (tmp_path / "events.jsonl").write_text(event_to_json(events()[0]) + "\n" + line + "\n")
    refused(run("check", "events.jsonl", "--table", table_file(tmp_path)), "events.jsonl", *parts)


def test_a_wager_at_an_area_that_the_layout_lacks(run: Run, tmp_path: Path) -> None:
    lines = [event_to_json(event) for event in events()]
    number = next(n for n, line in enumerate(lines) if ".ante" in line and "wager_placed" in line)
    lines[number] = lines[number].replace(".ante", ".anta")
    (tmp_path / "events.jsonl").write_text("\n".join(lines))
    refused(
        run("check", "events.jsonl", "--table", table_file(tmp_path)), f"line {number + 1}", "'area'", ".anta", ".ante"
    )


@pytest.mark.parametrize("sign", ["\u2028", "\u0085", "\x1c"], ids=["U+2028", "U+0085", "U+001C escaped"])
def test_a_line_ends_where_it_ends_and_not_within_a_text(run: Run, tmp_path: Path, sign: str) -> None:
    dealer = event_to_json(DealerChanged(table_id=events()[0].table_id, t_s=0.0, dealer=f"1{sign}7"))
    round_ = {**SETTLED, "id": f"r{sign}1"}
    (tmp_path / "events.jsonl").write_bytes("\r\n".join([dealer, *map(event_to_json, events())]).encode())
    (tmp_path / "rounds.jsonl").write_bytes((json.dumps(round_, ensure_ascii=False) + "\r\n").encode())
    (tmp_path / "rounds.jsonl.gz").write_bytes(gzip.compress((tmp_path / "rounds.jsonl").read_bytes()))
    assert run("check", "events.jsonl", "--table", table_file(tmp_path))[0] == 0
    for name in ("rounds.jsonl", "rounds.jsonl.gz"):
        status, out, err = run("settle", name)
        assert (status, json.loads(out)["id"]) == (0, f"r{sign}1"), err


@pytest.mark.parametrize(
    ("spoil", "part"),
    [
        (lambda lines: [line for line in lines for _ in range(2)], "repeats line 1"),
        (lambda lines: lines[::-1], "'t_s' goes back"),
        (lambda lines: [line.replace(events()[0].table_id, "riu-99") for line in lines], "no event of table"),
        (lambda lines: [], "no events"),
    ],
    ids=["twice", "reversed", "of another table", "none"],
)
def test_external_events_are_verified_as_check_does(
    run: Run, tmp_path: Path, blank_video: Path, spoil: Callable[[list[str]], list[str]], part: str
) -> None:
    lines = [event_to_json(event) for event in (*events(), NoMoreBets(table_id=events()[0].table_id, t_s=90.0))]
    (tmp_path / "outside.jsonl").write_text("\n".join(spoil(lines)))
    table = table_file(tmp_path, external_events="outside.jsonl")
    refused(run("review", blank_video, "--table", table, "--out", "out"), "outside.jsonl", part)
    assert not (tmp_path / "out").exists()


def test_events_are_judged_without_a_camera(run: Run, tmp_path: Path) -> None:
    from datasets.simulate import play_rounds

    played = play_rounds("raise_it_up", 3, 11, ["early_reveal"])
    (tmp_path / "events.jsonl").write_text("".join(event_to_json(event) + "\n" for event in played.events()))
    table = table_file(tmp_path, table_id="riu-11", readings={"decision.inference": "signals"})
    status, out, _ = run("check", "events.jsonl", "--table", table)
    assert status == 0
    breaches = [f for line in out.splitlines() if (f := json.loads(line))["verdict"] == "breach"]
    assert {f["check_id"] for f in breaches} >= {expected.check_id for _, expected, _ in played.findings}
    status, out, _ = run("check", "events.jsonl", "--table", table, "--text")
    assert status == 0
    assert "breaches in 3 rounds" in out


SETTLED = {
    "id": "a", "game": "669a",
    "config": {"dealing": "manual_shoe", "paytables": {"pair_plus": "A"}, "meters_before": {}},
    "community": ["Td", "4s", "9c"],
    "seats": [{
        "seat": 1, "wagers": {"ante": 1000, "blind": 1000}, "cards": ["Th", "8c", "2d"],
        "decision": {"action": "play", "street": "third", "multiple": 3},
    }],
}  # fmt: skip


def test_rounds_are_settled(run: Run, tmp_path: Path) -> None:
    line = json.dumps(SETTLED) + "\n"
    (tmp_path / "rounds.jsonl").write_text(line)
    (tmp_path / "rounds.jsonl.gz").write_bytes(gzip.compress(line.encode()))
    status, out, _ = run("settle", "rounds.jsonl")
    assert status == 0
    seat = json.loads(out)["seats"]["1"]
    assert {wager: (one["outcome"], one["return"]) for wager, one in seat.items()} == {
        "ante": ("win", 2000),
        "play": ("win", 6000),
        "blind": ("push", 1000),
    }
    assert run("settle", "rounds.jsonl.gz")[1] == out
    assert json.loads(run("settle", "rounds.jsonl", "--explain")[1])["seats"]["1"]["ante"]["way"]


@pytest.mark.parametrize(
    "bad",
    ["{", "[]", json.dumps(SETTLED | {"game": "roulette"}), json.dumps(SETTLED | {"community": ["Td", "Td", "9c"]})],
)
def test_a_round_with_a_fault(run: Run, tmp_path: Path, bad: str) -> None:
    (tmp_path / "rounds.jsonl").write_text(json.dumps(SETTLED) + "\n" + bad + "\n")
    refused(run("settle", "rounds.jsonl"), "rounds.jsonl", "line 2")
    refused(run("settle", "gone.jsonl"), "gone.jsonl", "no such file")
    (tmp_path / "broken.gz").write_bytes(b"\x1f\x8bbroken")
    refused(run("settle", "broken.gz"), "broken.gz", "unpacked")


# -- the rest -------------------------------------------------------------------------------------------------------


def test_a_compressed_file_of_rounds_that_is_damaged(run: Run, tmp_path: Path) -> None:
    packed = bytearray(gzip.compress(b'{"id": "r1", "game": "669a"}\n' * 50))
    packed[25:28] = b"\xff\xff\xff"
    (tmp_path / "rounds.jsonl.gz").write_bytes(packed)
    refused(run("settle", "rounds.jsonl.gz"), "rounds.jsonl.gz", "cannot be unpacked")


@pytest.fixture
def books(run: Run, tmp_path: Path) -> Path:
    """A database with one round and one account."""
    audited = mapping(table_id=ROUND["table"])
    (tmp_path / "table.yaml").write_text(yaml.safe_dump(audited))
    write_lines(tmp_path / "a.jsonl", [ROUND])
    arguments = ("--tables", "table.yaml", "--jobs", "1", "--database", "sqlite:///books.db")
    status, _, err = run("import", "a.jsonl", *arguments)
    assert status == 0, err
    status, _, err = run("people", "add", "ann", "--role", "viewer", "--database", "sqlite:///books.db")
    assert status == 0, err
    return tmp_path / "books.db"


@pytest.mark.parametrize("command", [("audit",), ("journal", "check")], ids=" ".join)
def test_a_mistyped_database_is_not_made(run: Run, tmp_path: Path, command: tuple[str, ...]) -> None:
    place = tmp_path / "nonexistent" / "x.db"
    refused(run(*command, "--database", f"sqlite:///{place}"), str(place), "there is no such database", "--database")
    assert not place.parent.exists()


@pytest.mark.parametrize(
    ("damaged", "arguments"),
    [
        ("audit_rounds", ("audit",)), ("audit_imports", ("import", "a.jsonl", "--tables", "table.yaml")),
        ("journal", ("journal", "check")), ("users", ("people", "link", "ann")),
    ],
    ids=["audit", "import", "journal check", "people link"],
)  # fmt: skip
def test_a_database_with_damaged_pages(run: Run, books: Path, damaged: str, arguments: tuple[str, ...]) -> None:
    with contextlib.closing(sqlite3.connect(books)) as opened:
        opened.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        pages = [
            row[0]
            for row in opened.execute("SELECT rootpage FROM sqlite_master WHERE tbl_name = ?", (damaged,))
            if row[0]
        ]
        size = opened.execute("PRAGMA page_size").fetchone()[0]
    with books.open("r+b") as file:
        for page in pages:
            file.seek((page - 1) * size)
            file.write(b"\xa5" * size)
    refused(run(*arguments, "--database", "sqlite:///books.db"), "the database failed", "malformed", "backup")


def test_an_import_into_a_full_disk(run: Run, books: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(connection: Any, _record: Any) -> None:
        connection.execute("PRAGMA max_page_count = 1")  # no more than there are

    lines = [dict(ROUND) | {"id": f"r{n}", "note": hashlib.sha256(bytes([n])).hexdigest() * 100} for n in range(200)]
    write_lines(books.with_name("b.jsonl"), lines)
    sa.event.listen(sa.Engine, "connect", full)
    try:
        arguments = ("--tables", "table.yaml", "--jobs", "1", "--database", "sqlite:///books.db")
        refused(run("import", "b.jsonl", *arguments), "the database failed", "full", "Make room")
    finally:
        sa.event.remove(sa.Engine, "connect", full)
    status, _, err = run("import", "b.jsonl", *arguments)
    assert status == 1, err  # the round that was there already is told otherwise


def test_the_catalogue_is_listed(run: Run) -> None:
    status, out, _ = run("rules", "669a.11(c)")
    assert status == 0
    assert "RIU-C1-WHEN" in out
    refused(run("rules", "1.1"), "1.1")


def test_simulations_that_cannot_be_made(run: Run, tmp_path: Path) -> None:
    refused(run("simulate", "--out", "clip", "--plant", "meteor"), "meteor")
    refused(run("simulate", "--out", "clip", "--game", "roulette"), "roulette")
    assert list(tmp_path.iterdir()) == []


def test_serving_is_for_this_machine_unless_asked_otherwise(run: Run, tmp_path: Path) -> None:
    refused(run("serve", "--host", "0.0.0.0"), "--allow-remote")
    refused(run("serve", "--review", "nothing"), "nothing", "no finished review")
    refused(run("serve", "--source", "video.mp4"), "--table")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        refused(run("serve", "--port", taken.getsockname()[1]), str(taken.getsockname()[1]), "--port")
    assert not (tmp_path / "var").exists()


def test_a_paytable_whose_odds_cannot_be_counted_is_named_and_hides_no_other(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = side_wager_odds

    def but_b(table: Paytable) -> WagerOdds:
        if (table.wager, table.name) == ("three_card_bonus", "B"):
            raise OddsError("let_it_ride three_card_bonus: a row that nobody can count")
        return counted(table)

    monkeypatch.setattr(odds, "side_wager_odds", but_b)
    said = "not counted by itself: paytable B: let_it_ride three_card_bonus: a row that nobody can count"
    status, out, err = run("odds", "--game", "let_it_ride", "--wager", "three_card_bonus", "--json")
    assert (status, [json.loads(line)["paytable"] for line in out.splitlines()]) == (0, ["A", "C", "D", "E", "F"])
    assert said in err
    status, out, _ = run("odds", "--game", "let_it_ride", "--wager", "three_card_bonus")
    assert status == 0
    assert said in " ".join(out.split())


def test_odds_of_one_wager(run: Run) -> None:
    status, out, _ = run("odds", "--game", "let_it_ride", "--wager", "three_card_bonus", "--json")
    assert status == 0
    edges = {line["paytable"]: float(line["house_edge_percent"]) for line in map(json.loads, out.splitlines())}
    published = {"A": 2.32, "B": 5.57, "C": 7.28, "D": 2.14, "E": 5.39, "F": 7.10}
    assert edges.keys() == published.keys()
    assert all(abs(edges[name] - value) <= 0.0051 for name, value in published.items())
    refused(run("odds", "--game", "faro"), "no game 'faro'", "dj_wild")
    refused(run("odds", "--wager", "luck"), "no odds of 'luck'", "pair_plus")


def test_rules_of_a_section_and_game(run: Run) -> None:
    status, out, _ = run("rules", "--section", "669a.11(e)")
    assert status == 0
    assert "RIU-C2-WHEN" in out
    assert "2016-08-27" in out
    assert "RIU-C1-WHEN" not in out
    status, out, _ = run("rules", "--game", "dj_wild", "--section", "687a.13")
    assert status == 0
    assert "DJW-" in out
    refused(run("rules", "--game", "faro"), "no game 'faro'")


def test_event_file_that_repeats_itself(run: Run, tmp_path: Path) -> None:
    lines = [event_to_json(event) for event in events()]
    (tmp_path / "events.jsonl").write_text("\n".join([*lines[:3], lines[2], *lines[3:]]))
    refused(run("check", tmp_path / "events.jsonl", "--table", table_file(tmp_path)), "line 4", "repeats line 3")


def test_a_disk_that_is_full_under_a_film_is_one_message_and_no_half_of_it(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device", "video.mp4")

    monkeypatch.setattr("datasets.simulate._film", full)
    refused(run("simulate", "--out", "film", "--rounds", "1"), "video.mp4", "No space left", "Make room")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("written", ["{}", "no JSON", "[]", '{"table_id": "t"}'])
def test_an_export_of_damaged_results_is_one_message(run: Run, tmp_path: Path, written: str) -> None:
    (tmp_path / "result").mkdir()
    (tmp_path / "result" / "run.json").write_text(written)
    refused(run("export", "result", "rounds", "--out", "a.csv"), f"result: its {ROUNDS} is missing", "anew")
    (tmp_path / "result" / ROUNDS).write_text('{"round_id"')
    (tmp_path / "result" / FINDINGS).write_text("")
    refused(run("export", "result", "rounds", "--out", "a.csv"), "result: its results are damaged", "anew")
    assert not (tmp_path / "a.csv").exists()


def test_work_on_a_database_that_is_not_there_makes_none(run: Run, tmp_path: Path) -> None:
    refused(run("work", "--database", "sqlite:///books.db"), "books.db: there is no such database", "--database")
    assert list(tmp_path.iterdir()) == []


HEAVY = ("numpy", "cv2", "av", "onnxruntime", "sqlalchemy", "alembic", "cryptography", "httpx", "fastapi", "nicegui")


@pytest.mark.parametrize(
    "arguments", [("--help",), ("settle", "rounds.jsonl"), ("rules", "--game", "dj_wild"), ("people", "--help")]
)
def test_a_command_of_the_law_loads_neither_pictures_nor_networks_nor_the_database(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    (tmp_path / "rounds.jsonl").write_text(json.dumps(SETTLED) + "\n")
    program = f"""
import atexit, sys
atexit.register(lambda: print([name for name in {HEAVY} if name in sys.modules], file=sys.stderr))
from service.cli import main
main({list(arguments)})
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout
    assert done.stderr == "[]\n"
