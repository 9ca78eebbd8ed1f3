"""Tables added, changed, paused and removed while the service runs: whole or not at all, and by who may."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from fastapi.testclient import TestClient
from service_fakes import TABLE, session_of, signed_in
from tables_kit import CAMERA_FILE, house_with_tables, open_roster, submission, table

from models.chip_matcher import face_text
from rules.law import GAMES
from service.access.door import COOKIE
from service.access.roles import Role
from service.config import faces_of
from service.errors import ConflictError, ServiceError
from service.feed.metrics import exposition
from service.house import House
from service.live.spool import Spool
from service.live.table import TableState, spool_name
from service.tables.files import TableFiles, parsed, rendered
from service.tables.limits import form_of, layouts_of
from service.tables.opening import say_what_waits
from service.tables.problems import problems_of
from service.tables.vitals import Vitals
from service.web.app import create_app

LOCAL = "http://127.0.0.1:8080"
ORIGIN = {"origin": LOCAL}


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    house = house_with_tables(tmp_path)
    yield house
    for one in house.tables.values():
        one.stop()
    house.store.close()


@pytest.fixture
def client(house: House) -> Iterator[Any]:
    with TestClient(create_app(house, screens=False), base_url=LOCAL, headers=ORIGIN) as client:
        yield signed_in(client, house, Role.ADMINISTRATOR, name="ada")


def until(true: Any, seconds: float = 20.0) -> None:
    for _ in range(int(seconds * 50)):
        if true():
            return
        time.sleep(0.02)
    raise AssertionError("it never came to be so")


# -- what the chapters allow ------------------------------------------------------------------------------------------


def minimal(game: str) -> dict[str, Any]:
    """The least a table of a game must say."""
    wagers = {one["name"]: one["paytables"][0] for one in form_of(game)["wagers"] if one["required"]}
    layout = layouts_of(game)[0]
    rules = {"dealing": "manual_shoe", "seats": min(6, layout.seats), "paytables": wagers}
    return {"version": 1, "table_id": "t", "game": game, "rules_submission": rules, "layout": layout.name}


@pytest.mark.parametrize("game", GAMES)
def test_what_the_form_offers_is_what_the_rules_take(game: str) -> None:
    form, raw = form_of(game), minimal(game)
    assert problems_of(raw)[1] == []
    most = form["seats"]["most"]
    over = raw | {"rules_submission": raw["rules_submission"] | {"seats": most + 1}}
    (found,) = problems_of(over)[1]
    assert (found.where, found.section) == ("rules_submission.seats", form["seats"]["section"])
    for wager in form["wagers"]:
        for paytable in wager["paytables"]:
            unit = wager["unit_of_paytable"].get(paytable, (wager["units_cents"] or [None])[0])
            rules = raw["rules_submission"] | {
                "paytables": raw["rules_submission"]["paytables"] | {wager["name"]: paytable}
            }
            rules |= {"progressive_unit_cents": unit} if unit else {}
            rest = [one for one in problems_of(raw | {"rules_submission": rules})[1] if one.where != "layout"]
            assert rest == [], (wager["name"], paytable)


def test_all_mistakes_are_told_at_once_each_with_its_section() -> None:
    raw = submission(
        seats=9, decks=2, dealing="hand", paytables={"pair_plus": "Z", "progressive": "A", "no_such": "A"},
        progressive_unit_cents=300, adjacent_boxes=2, payout_limit_cents=5,
    ) | {"typo": 1, "readings": {"lock.at": "never"}, "camera": {"corners_px": [1], "source": CAMERA_FILE}}  # fmt: skip
    found = {one.where: one.section for one in problems_of(raw)[1]}
    assert found == {
        "typo": "",
        "readings.lock.at": "",
        "rules_submission.seats": "§ 669a.2(a)",
        "rules_submission.dealing": "§ 669a.9(a)(1)",
        "rules_submission.decks": "§ 669a.3(b)",
        "rules_submission.paytables.pair_plus": "§ 669a.12(a)",
        "rules_submission.paytables.no_such": "§ 669a.7(d)",
        "rules_submission.progressive_unit_cents": "§ 669a.12(e)",
        "rules_submission.adjacent_boxes": "§ 669a.7(e)",
        "rules_submission.payout_limit_cents": "",
        "camera.corners_px": "",
    }


def test_a_layout_without_the_areas_of_the_game_is_named_with_the_section() -> None:
    (found,) = problems_of(table(layout="let_it_ride_6"))[1]
    assert (found.where, found.section) == ("layout", "§ 669a.2(b)(2)")
    assert "no area seat1.ante of Raise It Up" in found.what


@pytest.mark.parametrize(
    "raw", [None, [], "x", {}, {"version": 1, "table_id": "t", "game": "poker", "rules_submission": {}}]
)
def test_what_is_no_configuration_at_all_is_one_clear_message(raw: Any) -> None:
    config, found = problems_of(raw)
    assert config is None
    assert len(found) >= 1
    assert str(found[-1])


# -- files ------------------------------------------------------------------------------------------------------------


def test_comments_and_order_of_a_file_stay_when_values_change() -> None:
    before = "# pit one\nversion: 1\ntable_id: a   # by the door\nrules_submission:\n  seats: 6  # one is closed\n  decks: 1\nchips_spread: true\n"
    after = rendered(
        {"version": 1, "table_id": "a", "rules_submission": {"seats": 5, "decks": 1}, "layout": "x"}, before=before
    )
    assert yaml.safe_load(after) == {
        "version": 1,
        "table_id": "a",
        "rules_submission": {"seats": 5, "decks": 1},
        "layout": "x",
    }
    for kept in ("# pit one", "table_id: a   # by the door", "# one is closed"):
        assert kept in after
    assert after.index("version") < after.index("table_id") < after.index("seats")


def test_a_text_whose_comments_cannot_be_kept_is_written_anew() -> None:
    after = rendered({"version": 1, "table_id": "a"}, before="version: 1\nversion: 1\n# a comment\n")
    assert yaml.safe_load(after) == {"version": 1, "table_id": "a"}


def test_points_are_written_a_line_each() -> None:
    camera = {"source": "x.mp4", "corners_px": [[1875.7, 47.4], [39.9, 60.1], [176.4, 595.6], [1753.5, 580.5]]}
    for text in (
        rendered({"camera": camera}),
        rendered({"camera": camera}, before="camera:\n  source: x.mp4  # over the door\n"),
    ):
        assert yaml.safe_load(text) == {"camera": camera}
        assert "- [1875.7, 47.4]\n" in text


def test_a_text_that_refers_to_itself_is_refused() -> None:
    with pytest.raises(ServiceError, match="anchors"):
        parsed("a: &a [1]\nb: [*a, *a]\n", where="yaml")
    with pytest.raises(ServiceError, match="not YAML"):
        parsed("a: 1\nb: [\n", where="yaml")


def test_a_pause_mark_that_cannot_be_read_still_pauses(tmp_path: Path) -> None:
    (tmp_path / ".paused").mkdir()
    (tmp_path / ".paused" / "t.json").write_text("{")
    pause = TableFiles(tmp_path).pause_of("t")
    assert pause is not None
    assert "cannot be read" in pause.reason


# -- the interface ----------------------------------------------------------------------------------------------------


def test_a_table_is_added_changed_paused_resumed_and_removed(client: Any, house: House) -> None:
    made = client.post("/api/tables", json={"config": table()})
    assert made.status_code == 201, made.text
    file = Path(made.json()["file"])
    assert yaml.safe_load(file.read_text())["camera"]["source"].endswith(CAMERA_FILE)
    until(lambda: house.tables[TABLE].state is TableState.WATCHING)
    until(lambda: client.get("/api/tables").json()[0]["health"]["frames"] > 5)
    (about,) = client.get("/api/tables").json()
    assert about["health"]["calibration"] == {
        "state": "by points",
        "method": "by hand",
        "error_px": 0.41,
        "error_mm": 0.5,
    }
    assert about["health"]["gaps"] == []
    assert about["health"]["coverage"] > 0

    now = client.get(f"/api/tables/{TABLE}/config").json()
    now["config"]["rules_submission"]["seats"] = 5
    done = client.put(f"/api/tables/{TABLE}/config", json={"config": now["config"], "sha256": now["sha256"]})
    assert done.json()["changed"] == ["rules_submission.seats"]
    assert house.tables[TABLE].setup.table.seats == 5
    again = client.put(f"/api/tables/{TABLE}/config", json={"config": now["config"], "sha256": now["sha256"]})
    assert (again.status_code, "someone else changed" in again.text) == (409, True)

    paused = client.post(f"/api/tables/{TABLE}/pause", json={"reason": "the felt is changed"}).json()
    assert paused["state"] == "paused"
    assert "by ada: the felt is changed; a declared coverage gap" in paused["detail"]
    assert paused["health"]["gaps"] == ["paused"]
    resumed = client.post(f"/api/tables/{TABLE}/resume").json()
    assert resumed["state"] != "paused"
    until(lambda: house.tables[TABLE].state is TableState.WATCHING)

    assert client.delete(f"/api/tables/{TABLE}").status_code == 204
    assert (client.get("/api/tables").json(), file.exists()) == ([], False)
    assert [path.read_text() for path in (file.parent / ".removed").iterdir()] != []
    log = [(row["what"], row["about"]) for row in client.get("/api/journal?limit=50").json()["rows"]][::-1]
    deeds = [("tables.add", f"{TABLE}, raise_it_up"), ("tables.change", f"{TABLE}: rules_submission.seats"),
             ("tables.change", f"{TABLE}: nothing"), ("tables.pause", f"{TABLE}: the felt is changed"),
             ("tables.resume", TABLE), ("tables.remove", TABLE)]  # fmt: skip
    assert [row for row in log if row[0].startswith("tables.") and row[0] != "tables.configure"] == deeds


def test_what_waits_on_disk_of_a_table_that_is_not_here_any_more_is_said(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for name, number in ((TABLE, 1), ("gone-1", 2), ("empty-1", 0), ("elsewhere-1", 1)):
        spool = Spool(tmp_path / f"{spool_name(name)}.spool")
        for _ in range(number):
            spool.append(b"a step")
        if name != "elsewhere-1":
            spool.close()
    say_what_waits([TABLE], tmp_path)
    (said,) = caplog.messages
    assert said.startswith(f"{tmp_path / 'gone-1.spool'}: 2 steps of a table that is not watched here")
    assert len(Spool(tmp_path / "gone-1.spool")) == 2


def test_metrics_say_nothing_of_how_a_removed_table_is_now(house: House) -> None:
    assert house.roster is not None
    house.roster.add(table())
    queues = [f'pitwatch_queue_{name}{{table="{TABLE}"}}' for name in ("records", "age_seconds")]
    assert all(queue in exposition(house).decode() for queue in queues)
    house.roster.remove(TABLE)
    assert not any(queue in exposition(house).decode() for queue in queues)


def test_a_paused_table_is_a_gap_for_the_judge_and_raises_nothing(house: House, tmp_path: Path) -> None:
    assert house.roster is not None
    house.roster.start()
    house.roster.add(table())
    until(lambda: house.tables[TABLE].t_s > 0)
    house.roster.pause(TABLE, by="ada", reason="cleaning")
    frames = house.tables[TABLE].vitals.frames
    alerts = house.store.last_seq()
    house.tables = {}
    again = open_roster(house, tmp_path / "tables")
    again.start()
    house.tables[TABLE].start()
    assert house.tables[TABLE].state is TableState.PAUSED, "it is paused after a restart too"
    time.sleep(0.3)
    assert house.tables[TABLE].vitals.frames == 0
    assert house.store.last_seq() == alerts
    assert frames > 0
    again.resume(TABLE)
    until(lambda: house.tables[TABLE].state is TableState.WATCHING)
    run = house.tables[TABLE]._run
    assert run is not None
    until(lambda: bool(house.store.events(run["run_id"], from_s=0.0, to_s=1e9)))
    (gap,) = [one for one in house.store.events(run["run_id"], from_s=0.0, to_s=1e9) if one["kind"] == "coverage_gap"]
    assert gap["cause"] == "paused"


def test_a_refused_configuration_changes_nothing(client: Any, house: House) -> None:
    assert client.post("/api/tables", json={"config": table()}).status_code == 201
    running, file = house.tables[TABLE], house.tables[TABLE].setup.path
    before = file.read_text()
    for body, said in (
        ({"config": submission(seats=7)}, "§ 669a.2(a)"),
        ({"config": table(game="poker")}, "raise_it_up"),
        ({"config": table(layout="/etc/passwd")}, "no such layout"),
        ({"config": table(camera={})}, "no camera"),
        ({"config": table(external_events="/etc/passwd")}, "cameras.folders"),
        ({"config": table(table_id="other")}, "cannot become other"),
        ({"yaml": "version: ["}, "not YAML"),
        ({"yaml": "version: 1\nversion: 2"}, "key 'version' stands there twice"),
        ({"yaml": "version: 2026-99-99"}, "no timestamp: '2026-99-99'"),
        ({"yaml": "version: " + "9" * 5000}, "no int: '999"),
        ({"yaml": "version: " + "[" * 5000}, "nested too deeply"),
        ({"yaml": "version: 1\n5: 6"}, "key 5 is no text"),
        ({"yaml": "table_id: 2026-01-01"}, "2026-01-01 is neither text nor a number"),
        ({"yaml": "idle_after_s: .inf"}, "inf is neither text nor a number"),
        ({"yaml": "version: !!set {a}"}, "is neither text nor a number"),
        ({"yaml": 'layout: "a\\0b"'}, "without NUL"),
        ({"config": table(camera={"source": "a" * 5000})}, "must be at most 2000 letters, got 5000"),
        ({"config": table(camera={"source": "a" * 1999})}, "no such file in the folders"),
        ({"config": table(external_events="b" * 1999)}, "no such file in the folders"),
        ({"config": table(layout="c" * 1999)}, "no such layout"),
        (
            {"config": table(camera={"source": CAMERA_FILE, "corners_px": [[10**400, 1], [2, 3], [4, 5], [6, 7]]})},
            "four points",
        ),
        ({"yaml": "just words"}, "mapping"),
        ({}, "either config or yaml"),
        ({"config": table(), "yaml": "a: 1"}, "either config or yaml"),
    ):
        answer = client.put(f"/api/tables/{TABLE}/config", json=body)
        assert (answer.status_code, said in answer.text) == (400, True), (body, answer.text)
        assert client.post("/api/tables/check", json=body).status_code in (200, 400), body
    assert house.tables[TABLE] is running
    assert file.read_text() == before


@pytest.mark.parametrize(
    "value",
    ["NaN", "-Infinity", "1e999", "9" * 4000, "[" * 900 + "]" * 900, '"\\ud800"', '"\\u0000"', '{"": {"": {}}}'],
)
def test_whatever_stands_in_a_configuration_is_answered(client: Any, value: str) -> None:
    content = '{"config": {"version": VALUE}}'.replace("VALUE", value)
    answer = client.post("/api/tables/check", content=content, headers={"content-type": "application/json"})
    assert answer.status_code in (200, 400, 422), answer.text


@pytest.mark.parametrize(
    "source",
    ["rtsp://8.8.8.8/x", "http://127.0.0.1:8080/", "file:///etc/passwd", "/etc/passwd", "../tables.db", "0", "concat:a|b", "nothing.mp4"],
)  # fmt: skip
def test_a_camera_that_may_not_be_named_is_not_even_tried(client: Any, house: House, source: str) -> None:
    assert house.roster is not None
    house.roster.sightings.first = lambda source: pytest.fail(f"{source} was opened")
    assert client.post("/api/camera-pictures", json={"source": source}).status_code == 400
    assert client.post("/api/tables", json={"config": table(camera={"source": source})}).status_code == 400
    assert house.tables == {}


def test_a_camera_s_password_is_never_shown_and_may_be_sent_back_masked(client: Any, house: House) -> None:
    source = "rtsp://admin:s3cret@10.20.0.5/one"
    assert client.post("/api/tables", json={"config": table(camera={"source": source})}).status_code == 201
    shown = client.get(f"/api/tables/{TABLE}/config")
    assert "s3cret" not in shown.text
    assert shown.json()["config"]["camera"]["source"] == "rtsp://***@10.20.0.5/one"
    changed = shown.json()["config"] | {"idle_after_s": 60}
    assert client.put(f"/api/tables/{TABLE}/config", json={"config": changed}).status_code == 200
    assert house.tables[TABLE].setup.table.camera_source == source
    other = changed | {"camera": {"source": "rtsp://***@10.20.0.6/one"}}
    assert "is masked" in client.put(f"/api/tables/{TABLE}/config", json={"config": other}).text
    assert "s3cret" not in json.dumps(client.get("/api/journal").json())


def test_files_edited_by_hand_are_read_again_all_or_none(client: Any, house: House) -> None:
    client.post("/api/tables", json={"config": table()})
    file = house.tables[TABLE].setup.path
    good = file.read_text()
    file.write_text(good.replace("seats: 6", "seats: 4  # two are closed"))
    other = file.with_name("second.yaml")
    other.write_text(good.replace(TABLE, "second").replace("dealing: manual_shoe", "dealing: by_mail"))
    assert {one["state"] for one in client.get("/api/tables/files").json()} == {"changed", "new"}
    refused = client.post("/api/tables/reload")
    assert (refused.status_code, "669a.8" in refused.text, "Nothing was applied" in refused.text) == (400, True, True)
    assert house.tables[TABLE].setup.table.seats == 6, "the good file is not applied either"
    assert {one["state"] for one in client.get("/api/tables/files").json()} == {"changed", "bad"}
    by_hand = client.put(f"/api/tables/{TABLE}/config", json={"config": table(idle_after_s=9)})
    assert (by_hand.status_code, "edited by hand" in by_hand.text) == (409, True)
    other.write_text(good.replace(TABLE, "second"))
    assert client.post("/api/tables/reload").json() == {"added": ["second"], "changed": [TABLE], "removed": []}
    assert house.tables[TABLE].setup.table.seats == 4
    assert client.put(f"/api/tables/{TABLE}/config", json={"config": table(idle_after_s=9)}).status_code == 200
    assert "# two are closed" in file.read_text()
    other.unlink()
    assert client.post("/api/tables/reload").json()["removed"] == ["second"]


def test_a_key_twice_in_an_edited_file_is_refused_and_the_next_change_goes_on(client: Any, house: House) -> None:
    client.post("/api/tables", json={"config": table()})
    file = house.tables[TABLE].setup.path
    good = file.read_text()
    file.write_text(good + "idle_after_s: 5\nidle_after_s: 7\n")
    refused = client.post("/api/tables/reload")
    assert (refused.status_code, "'idle_after_s' stands there twice" in refused.text) == (400, True)
    file.write_text(good)
    assert client.post("/api/tables/reload").status_code == 200
    assert client.put(f"/api/tables/{TABLE}/config", json={"config": table(idle_after_s=9)}).status_code == 200


def test_a_file_that_became_bad_leaves_the_last_good_one_running_at_a_start(house: House, tmp_path: Path) -> None:
    assert house.roster is not None
    house.roster.add(table())
    file = house.tables[TABLE].setup.path
    file.write_text("version: [")
    house.tables = {}
    roster = open_roster(house, tmp_path / "tables")
    assert house.tables[TABLE].setup.table.seats == 6
    (standing,) = roster.standing()
    assert (standing.state, "the last good one runs on" in standing.message) == ("bad", True)


def test_a_table_named_on_the_command_line_is_changed_in_its_own_file_but_never_removed(tmp_path: Path) -> None:
    file = tmp_path / "own.yaml"
    file.write_text(yaml.safe_dump(table(camera={"source": "recordings/camera.png"})))
    house = house_with_tables(tmp_path, named=(file,))
    assert house.roster is not None
    house.roster.replace(TABLE, table(camera={"source": "recordings/camera.png"}, idle_after_s=60))
    assert yaml.safe_load(file.read_text())["idle_after_s"] == 60
    with pytest.raises(ConflictError, match="command line"):
        house.roster.remove(TABLE)
    assert file.exists()
    house.store.close()


# -- who may ----------------------------------------------------------------------------------------------------------


def test_only_who_configures_a_table_changes_it_and_who_operates_it_pauses_it(client: Any, house: House) -> None:
    client.post("/api/tables", json={"config": table()})
    client.cookies.set(COOKIE, session_of(house, Role.SUPERVISOR))
    assert client.post("/api/tables", json={"config": table(table_id="x")}).status_code == 403
    assert client.get(f"/api/tables/{TABLE}/config").status_code == 403
    assert client.post(f"/api/tables/{TABLE}/pause", json={"reason": "break"}).status_code == 200
    client.cookies.set(COOKIE, session_of(house, Role.OPERATOR))
    assert client.post(f"/api/tables/{TABLE}/resume").status_code == 403
    house.access.people.set_group("pit two", ["other-1"])
    client.cookies.set(COOKIE, session_of(house, Role.ADMINISTRATOR, tables="pit two"))
    assert client.get(f"/api/tables/{TABLE}/config").status_code == 403
    assert client.post("/api/tables", json={"config": table(table_id="mine-9")}).status_code == 403
    assert client.post("/api/camera-pictures", json={"table_id": TABLE}).status_code == 403
    assert client.post("/api/tables/reload").status_code == 409
    assert client.post("/api/tables", json={"config": table(table_id="other-1")}).status_code == 201


def test_a_page_of_another_site_changes_nothing(client: Any, house: House) -> None:
    client.post("/api/tables", json={"config": table()})
    answer = client.post(f"/api/tables/{TABLE}/pause", json={"reason": "x"}, headers={"origin": "http://evil.example"})
    assert answer.status_code == 403
    assert house.tables[TABLE].paused is None


# -- calibration ------------------------------------------------------------------------------------------------------


def test_a_table_is_found_in_a_picture_by_its_prints_and_by_points(client: Any) -> None:
    taken = client.post("/api/camera-pictures", json={"source": CAMERA_FILE}).json()
    assert (taken["width"], taken["height"]) == (960, 540)
    assert client.get(taken["url"]).content[:2] == b"\xff\xd8"
    by_prints = client.post(f"{taken['url']}/calibration", json={"layout": "raise_it_up_6"}).json()
    assert (by_prints["method"], by_prints["quality"]) == ("features", "good")
    assert by_prints["error_px"] < 0.6
    near = [[x + 4, y - 3] for x, y in by_prints["camera"]["corners_px"]]
    by_points = client.post(f"{taken['url']}/calibration", json={"layout": "raise_it_up_6", "corners_px": near}).json()
    assert by_points["method"] == "features", "points that are nearly right are refined on the prints"
    assert max(abs(a - b) for one, other in zip(by_points["camera"]["corners_px"], by_prints["camera"]["corners_px"], strict=True)
               for a, b in zip(one, other, strict=True)) < 1.0  # fmt: skip
    crossed = [near[0], near[2], near[1], near[3]]
    wrong = client.post(f"{taken['url']}/calibration", json={"layout": "raise_it_up_6", "corners_px": crossed})
    assert (wrong.status_code, "do not go round the table" in wrong.text) == (400, True)
    for layout in ("../../etc/passwd", "/etc/passwd", "nothing"):
        assert client.post(f"{taken['url']}/calibration", json={"layout": layout}).status_code == 404


def test_coverage_is_that_of_the_last_hour() -> None:
    vitals = Vitals()
    assert vitals.coverage(10.0) is None
    vitals.stands(100.0, covered=True)
    vitals.stands(400.0, covered=False, gaps=("camera_lost",))
    assert vitals.coverage(500.0) == pytest.approx(0.75)
    vitals.stands(500.0, covered=True)
    assert vitals.coverage(500.0 + 3600.0) == pytest.approx(1.0, abs=0.02)
    for k in range(21):
        vitals.came(8000.0 + k / 2)
    assert vitals.fps(8010.0) == pytest.approx(2.0)
    assert vitals.fps(9000.0) == 0.0


def test_pictures_of_chips_that_are_none_are_named_beside_what_else_is_wrong() -> None:
    good = face_text(np.full((32, 32, 3), (60, 120, 200), np.uint8))
    raw = minimal(GAMES[0]) | {"chips": {"gold": 500, "red": 100}, "chip_faces": {"gold": good, "red": good}}
    assert problems_of(raw)[1] == []
    (found,) = problems_of(raw | {"chip_faces": {"gold": good, "red": "no picture"}})[1]
    assert (found.where, found.section) == ("chip_faces.red", "")
    assert "base64" in found.what
    assert "pitwatch chips learn" in found.what
    both = problems_of(raw | {"chip_faces": {"gold": good, "red": 7}, "idle_after_s": 0})[1]
    assert [one.where for one in both] == ["chip_faces.red", "idle_after_s"]
    with pytest.raises(ServiceError, match=r"chip_faces\.red: this is not base64"):
        faces_of({"red": "no picture"}, where="t.yaml")
