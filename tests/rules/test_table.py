"""A table file is taken or refused with the key and the section that forbids it."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from rounds import table, table_mapping

from rules.law import GAMES, game_law, readings
from rules.table import TableConfig, TableConfigError


def test_the_usual_table() -> None:
    config = table()
    assert (config.table_id, config.game, config.dealing, config.seats) == ("riu-test", "raise_it_up", "manual_shoe", 6)
    assert config.offers("ante")
    assert config.offers("pair_plus")
    assert not config.offers("progressive")
    assert config.reading("decision.inference") == "signals"
    assert config.reading("riu.play_wagers") == "one"
    assert config.chips["green"] == 2500


def test_everything_left_out_that_may_be() -> None:
    config = TableConfig.from_mapping(
        {
            "version": 1,
            "table_id": "a",
            "game": "raise_it_up",
            "rules_submission": {"dealing": "manual_shoe", "seats": 4},
        }
    )
    assert (config.layout, config.camera_source, dict(config.paytables)) == ("raise_it_up_4", None, {})


@pytest.mark.parametrize(
    ("changes", "parts"),
    [
        ({"version": 2}, ["version", "must be 1", "2"]),
        ({"version": True}, ["version"]),
        ({"game": "baccarat"}, ["game", "raise_it_up", "dj_wild", "'baccarat'"]),
        ({"game": ["raise_it_up"]}, ["game"]),
        ({"table_id": "no spaces"}, ["table_id"]),
        ({"table_id": ".."}, ["table_id", "dots alone", "'..'"]),
        ({"table_id": "."}, ["table_id", "dots alone"]),
        ({"table_id": 7}, ["table_id", "7"]),
        ({"seats": 7}, ["rules_submission.seats", "§ 669a.2(a)", "7"]),
        ({"seats": "6"}, ["rules_submission.seats", "whole number"]),
        ({"seats": True}, ["rules_submission.seats"]),
        ({"dealing": "machine"}, ["rules_submission.dealing", "manual_shoe", "§ 669a.8", "'machine'"]),
        ({"dealing": "hand"}, ["rules_submission.dealing", "§ 669a.9(a)(1)"]),
        ({"decks": 2}, ["rules_submission.decks", "§ 669a.3(b)"]),
        ({"decks": 3}, ["rules_submission.decks", "§ 669a.3(a)"]),
        ({"shuffler": {"automated": False, "counts_cards": True}}, ["rules_submission.shuffler.counts_cards"]),
        ({"shuffler": {"automated": "yes"}}, ["rules_submission.shuffler.automated", "true or false"]),
        ({"paytables": {"pair_plus": "C"}}, ["rules_submission.paytables.pair_plus", "A, B", "§ 669a.12(a)", "'C'"]),
        ({"paytables": {"six_card_bonus": "E"}}, ["rules_submission.paytables.six_card_bonus", "§ 669a.12(f)", "'E'"]),
        ({"paytables": {"lucky_ladies": "A"}}, ["rules_submission.paytables.lucky_ladies", "§ 669a.7(d)"]),
        ({"paytables": {"ante": "A"}}, ["rules_submission.paytables.ante", "no choice of paytable"]),
        ({"paytables": ["A"]}, ["rules_submission.paytables"]),
        ({"paytables": {"progressive": "A"}}, ["rules_submission.progressive_unit_cents", "missing", "100 or 500"]),
        ({"progressive_unit_cents": 100}, ["rules_submission.progressive_unit_cents"]),
        ({"readings": {"decision.inference": "guess"}}, ["readings.decision.inference", "silence, signals"]),
        ({"readings": {"lir.fcb_basis": "to"}}, ["readings.lir.fcb_basis", "unknown switch"]),
        ({"chips": {"pink": 100}}, ["chips.pink", "white"]),
        ({"chips": {"red": -5}}, ["chips.red"]),
        ({"chips": {"red": 5.5}}, ["chips.red", "whole number"]),
        ({"chip_faces": ["red"]}, ["chip_faces", "must map"]),
        ({"chip_faces": {"r3d": "aa"}}, ["chip_faces", "letters"]),
        ({"chip_faces": {"red": 5}}, ["chip_faces.red", "text"]),
        ({"chip_faces": {"red": "a" * 20_001}}, ["chip_faces.red", "20000"]),
        ({"chip_faces": {"red": "aa"}, "chips": {"red": 5, "blue": 7}}, ["chips.blue", "chip_faces", "learn"]),
        ({"chip_faces": {"red": "aa"}}, ["chips", "must map"]),
        ({"chips_spread": "yes"}, ["chips_spread", "true or false"]),
        ({"camera": {"corners_px": [[1, 2]]}}, ["camera.corners_px", "four points"]),
        ({"camera": {"corners_px": [[10**400, 2], [2, 3], [4, 5], [6, 7]]}}, ["camera.corners_px", "-20000 to 20000"]),
        ({"camera": {"corners_px": [[float("nan"), 2], [2, 3], [4, 5], [6, 7]]}}, ["camera.corners_px", "four points"]),
        ({"camera": {"corners_px": [[1, 2], [2, 3], [4, float("inf")], [6, 7]]}}, ["camera.corners_px", "four points"]),
        ({"camera": {"source": "a\0b"}}, ["camera.source", "must be text"]),
        ({"layout": "a\0b"}, ["layout", "must be text"]),
        ({"external_events": "x" * 2001}, ["external_events", "at most 2000 letters, got 2001"]),
        ({"camera": {"url": "x"}}, ["camera.url", "unknown key"]),
        ({"colour": "green"}, ["colour", "unknown key", "rules_submission"]),
        ({"layout": 3}, ["layout"]),
        ({"external_events": {}}, ["external_events"]),
    ],
)
def test_refused_with_key_and_section(changes: dict[str, object], parts: list[str]) -> None:
    with pytest.raises(TableConfigError) as refused:
        TableConfig.from_mapping(table_mapping(**changes), where="riu.yaml")
    text = str(refused.value)
    assert text.startswith("riu.yaml: ")
    for part in parts:
        assert part in text


@pytest.mark.parametrize("raw", [None, [], "table", 5, {}])
def test_not_a_table_at_all(raw: object) -> None:
    with pytest.raises(TableConfigError, match=r"table\.yaml: "):
        TableConfig.from_mapping(raw)


def test_chips_may_be_stacked_unless_the_house_says_otherwise() -> None:
    assert not TableConfig.from_mapping(table_mapping()).chips_spread
    assert TableConfig.from_mapping(table_mapping(chips_spread=True)).chips_spread


def test_two_decks_with_a_shuffler_and_a_progressive() -> None:
    config = table(
        decks=2,
        shuffler={"automated": True, "counts_cards": True},
        paytables={"progressive": "A"},
        progressive_unit_cents=500,
        readings={"three_card.ace_low": False, "riu.progressive_cards": 6},
    )
    assert (config.decks, config.progressive_unit_cents) == (2, 500)
    assert (config.reading("three_card.ace_low"), config.reading("riu.progressive_cards")) == ("false", "6")


@pytest.mark.parametrize(("game", "seats"), [("caribbean_stud", 7), ("let_it_ride", 7), ("dj_wild", 6)])
def test_other_games_have_their_own_limits(game: str, seats: int) -> None:
    rules = {"dealing": "manual_shoe", "seats": seats, "paytables": {"main": "A"} if game == "let_it_ride" else {}}
    doc = {"version": 1, "table_id": "t", "game": game, "rules_submission": rules}
    assert TableConfig.from_mapping(doc).seats == seats
    with pytest.raises(TableConfigError, match=rf"§ {game_law(game).chapter}\.2\(a\)"):
        TableConfig.from_mapping({**doc, "rules_submission": {**rules, "seats": seats + 1}})


def test_let_it_ride_needs_its_main_paytable() -> None:
    doc = {
        "version": 1,
        "table_id": "t",
        "game": "let_it_ride",
        "rules_submission": {"dealing": "manual_shoe", "seats": 7},
    }
    with pytest.raises(TableConfigError, match=r"paytables\.main: is missing.*§ 643a\.12\(a\)"):
        TableConfig.from_mapping(doc)


def test_yaml_as_people_write_it(tmp_path: Path) -> None:
    text = """
version: 1
table_id: djw-1
game: dj_wild
rules_submission: {dealing: automated_shoe, seats: 6, paytables: {trips: "06", bad_beat: "01"}}
"""
    config = TableConfig.from_mapping(yaml.safe_load(text))
    assert config.paytables == {"trips": "06", "bad_beat": "01"}


def test_data_of_every_game_is_whole() -> None:
    for game in GAMES:
        law = game_law(game)
        assert law.game == game
        assert set(law.dealing) == {"manual_shoe", "hand", "automated_shoe"}
        assert all(f"§ {law.chapter}." in wager.section for wager in law.wagers.values())
    for reading in readings().values():
        assert len(set(reading.values)) == len(reading.values) > 1
        assert all(type(value) is str for value in reading.values)
        assert set(reading.games) <= set(GAMES)


def test_a_house_whose_chips_were_learned_may_call_them_anything() -> None:
    learned = {"chips": {"light blue": 100, "red": 500}, "chip_faces": {"light blue": "aa", "red": "bb", "gold": "cc"}}
    config = TableConfig.from_mapping(table_mapping(**learned))
    assert dict(config.chips) == learned["chips"]
    assert dict(config.chip_faces) == learned["chip_faces"]
    assert TableConfig.from_mapping(table_mapping()).chip_faces == {}
