"""The audit over HTTP and on the command line: who may read, what comes out, rounds seen on video beside imported ones."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from audit_fakes import NOW, ROUND, changed, importer, paid, write_lines
from fastapi.testclient import TestClient
from service_fakes import finding, signed_in

from rules.findings import finding_to_dict
from service.access.door import COOKIE
from service.access.roles import Role
from service.audit.exceptions import Exceptions
from service.audit.questions import Scope
from service.audit.report import blocks, gather
from service.audit.video import VideoRounds
from service.cli import main
from service.export.blocks import Facts
from service.house import House
from service.store import Picture, Store
from service.web.app import create_app

LOCAL = "http://127.0.0.1:8080"
SHORT = changed(id="r2", at="2026-10-01T15:00:00-04:00", dealer_number="118", paid=paid(play=7400))
PAYOUT = {
    "seat": 2, "wager": "play", "stake_cents": 1000, "outcome": "win", "owed_cents": 1500, "paid_cents": 1000,
    "verdict": "breach", "way": "two pair 3 to 2 on 10.00: 15.00 and the stake", "due_cents": 2500, "returned_cents": 2000,
    "hand": "two pair", "odds": "3 to 2", "why": "", "citation": "58 Pa. Code § 669a.12(c)",
}  # fmt: skip


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    """Two rounds imported, the second with a Play Wager paid a dollar short."""
    url = f"sqlite:///{tmp_path}/audit.db"
    taker = importer(url)
    taker.take(write_lines(tmp_path / "a.jsonl", [ROUND, SHORT]), now=lambda: NOW)
    taker.database.close()
    house = House(Store(url), now=lambda: NOW)
    yield house
    house.stop()


@pytest.fixture
def client(house: House) -> TestClient:
    return signed_in(TestClient(create_app(house, screens=False), base_url=LOCAL), house, Role.AUDITOR, name="ann")


def record(number: int, *payouts: dict[str, Any]) -> dict[str, Any]:
    """A closed round as a run records it."""
    return {
        "round_id": f"riu-66-r{number:04d}", "number": number, "opened_s": 10.0, "closed_s": 60.0 * number, "complete": True,
        "seats": [{"seat": 2, "cards": ["3h", "2s", None], "wagers": [["play", 1000]], "folded": False}],
        "community": ["3c", "2d", "9s"], "dealer": [], "payouts": list(payouts),
    }  # fmt: skip


def watch(house: House, picture: bytes = b"\xff\xd8") -> None:
    """A live run of two rounds: one payout short, one right, one not seen."""
    store = house.store
    store.open_run("live-1", table_id="riu-66", origin="live", opened_utc=NOW, about={"game": "raise_it_up"})
    events = [{"kind": "no_more_bets", "t_s": 5.0}, {"kind": "dealer_changed", "t_s": 50.0, "dealer": "311"}]
    store.add_events("live-1", enumerate(events))
    right = PAYOUT | {"verdict": "compliant", "returned_cents": 2500, "paid_cents": 1500}
    unseen = PAYOUT | {"verdict": "undetermined", "returned_cents": None, "paid_cents": None, "wager": "ante"}
    store.add_rounds("live-1", [record(1, PAYOUT, unseen), record(2, right)])
    breach = finding_to_dict(finding(7, round_id="riu-66-r0001"))
    pictures = [Picture("one_marked.jpg", picture, caption="paid")]
    store.add_alert("live-1", breach, raised_utc=NOW, pictures=pictures)


def review(house: House) -> None:
    """A reviewed recording of one round of which nobody knows when it was played: a payout short."""
    house.store.open_run("review-1", table_id="riu-70", origin="review", opened_utc=NOW, about={}, game="raise_it_up")
    house.store.add_rounds("review-1", [record(1, PAYOUT)])


def test_rounds_of_no_known_day_are_left_out_of_no_sum_without_a_word(house: House) -> None:
    review(house)
    VideoRounds(house.store).take()
    asked, days = house.questions, Scope(first="2026-10-01", last="2026-10-31")
    assert [(asked.whole(one).rounds, asked.undated(one)) for one in (Scope(), days, Scope(tables=("riu-01",)))] == [
        (3, "1 of no known day"), (2, "1 more of no known day, left out"), (2, ""),
    ]  # fmt: skip
    head = next(one for one in blocks(Exceptions(asked), gather(asked, days, [])) if isinstance(one, Facts))
    assert ("Rounds", "2, 1 more of no known day, left out") in head.pairs


def test_accuracy_by_any_property_with_intervals(client: TestClient) -> None:
    answer = client.get("/api/audit/accuracy", params={"by": ["wager"]}).json()
    rows = {row["wager"]: row for row in answer["rows"]}
    assert (answer["rounds"], answer["whole"]["checked"], answer["whole"]["under_cents"]) == (2, 8, 100)
    assert (rows["play"]["right"], rows["play"]["under"], rows["play"]["under_amount"]) == (1, 1, 1.0)
    assert rows["play"]["accuracy_low"] < 0.5 < rows["play"]["accuracy_high"]
    assert client.get("/api/audit/accuracy", params={"shift": "swing"}).json()["whole"]["checked"] == 4
    (day,) = client.get("/api/audit/trend").json()["days"]
    assert (day["day"], day["checked"], day["mispaid"]) == ("2026-10-01", 8, 1)
    assert client.get("/api/audit/reconciliation").json()["agrees"] is True
    assert client.post("/api/audit/recount").json()["agrees"] is True
    assert client.get("/api/audit/choices").json()["dealer"] == ["117", "118"]


def test_a_mispayment_down_to_its_round(client: TestClient) -> None:
    (one,) = client.get("/api/audit/mispayments").json()["mispayments"]
    assert (one["wager"], one["difference_cents"], one["verdict"], one["dealer"]) == ("play", -100, "under", "118")
    detail = client.get(f"/api/audit/rounds/{one['round_seq']}").json()
    wager = next(w for w in detail["wagers"] if w["wager"] == "play")
    assert (wager["way"], wager["citation"]) == (
        "two pair 3 to 2 on 30.00: 45.00 and the stake",
        "58 Pa. Code § 669a.12(c)",
    )
    assert (detail["source"], detail["alerts"]) == ("a.jsonl, line 2", [])
    assert client.get("/api/audit/rounds/999").status_code == 404


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("accuracy?by=colour", 400), ("accuracy?from=1.10.2026", 400), ("mispayments?before=x", 400), ("export/wishes.csv", 404),
        ("export/accuracy.doc", 400), ("samples/9", 404), ("rounds/x", 422),
    ],
)  # fmt: skip
def test_a_wrong_question_has_the_one_shape_of_error(client: TestClient, path: str, status: int) -> None:
    answer = client.get(f"/api/audit/{path}")
    assert answer.status_code == status
    assert set(answer.json()["error"]) == {"code", "message", "where", "do"}


def test_exports_open_and_are_logged(client: TestClient, house: House) -> None:
    text = client.get("/api/audit/export/mispayments.csv").content
    assert text.startswith(b"\xef\xbb\xbf")
    (row,) = csv.DictReader(io.StringIO(text.decode("utf-8-sig")))
    assert (row["difference"], row["difference_cents"], row["way"][:8]) == ("-1.0", "-100", "two pair")
    table = pq.read_table(io.BytesIO(client.get("/api/audit/export/accuracy.parquet", params={"by": "dealer"}).content))
    assert table.column("dealer").to_pylist() == ["117", "118"]
    assert sum(table.column("checked").to_pylist()) == 8
    assert client.get("/api/audit/export/report.pdf").content.startswith(b"%PDF")
    logged = [entry.about for entry in house.access.journal.rows() if entry.what == "audit.export"]
    assert logged == ["mispayments.csv", "accuracy.parquet", "report.pdf"]


def test_who_may_read_and_of_which_tables(house: House) -> None:
    app = create_app(house, screens=False)
    viewer = signed_in(TestClient(app, base_url=LOCAL), house, Role.VIEWER)
    assert viewer.get("/api/audit/accuracy").status_code == 403
    assert TestClient(app, base_url=LOCAL).get("/api/audit/accuracy").status_code == 401
    house.access.people.set_group("east", ["riu-09"])
    east = signed_in(TestClient(app, base_url=LOCAL), house, Role.AUDITOR, tables="east")
    assert east.get("/api/audit/accuracy").json()["whole"]["checked"] == 0
    assert east.get("/api/audit/accuracy", params={"table": "riu-01"}).json()["whole"]["checked"] == 0
    assert east.get("/api/audit/mispayments").json()["mispayments"] == []
    assert east.get("/api/audit/rounds/2").status_code == 404
    assert east.get("/api/audit/choices").json()["table"] == []


def test_samples_over_http(client: TestClient) -> None:
    drawn = client.post("/api/audit/samples", json={"tolerable": 0.4, "strata": ["table"]}).json()
    assert (drawn["population"], drawn["size"]) == (2, 2)
    page = client.get(f"/api/audit/samples/{drawn['sample_id']}", params={"limit": 1}).json()
    assert (len(page["rounds"]), page["next_after"]) == (1, 1)
    path = f"/api/audit/samples/{drawn['sample_id']}/rounds"
    assert client.post(f"{path}/1", json={"result": "differs"}).status_code == 400
    assert client.post(f"{path}/1", json={"result": "agrees"}).json()["estimate"]["agrees"] == 1
    assert client.post(f"{path}/7", json={"result": "agrees"}).status_code == 404
    assert [one["sample_id"] for one in client.get("/api/audit/samples").json()] == [drawn["sample_id"]]


def test_samples_and_choices_are_those_of_ones_own_tables(client: TestClient, house: House) -> None:
    """One sample of riu-66, one of all tables; whoever audits riu-66 sees the first, others none."""
    watch(house)
    plan = {"tolerable": 0.4, "strata": ["table"]}
    assert client.post("/api/audit/samples", json=plan, params={"table": "riu-66"}).json()["size"] == 2
    assert client.post("/api/audit/samples", json=plan).json()["size"] == 3
    for name, table_id in (("east", "riu-66"), ("west", "riu-09")):
        house.access.people.set_group(name, [table_id])
    app = create_app(house, screens=False)
    east = signed_in(TestClient(app, base_url=LOCAL), house, Role.AUDITOR, tables="east")
    west = signed_in(TestClient(app, base_url=LOCAL), house, Role.AUDITOR, tables="west")
    enter = {"result": "differs", "note": "short"}
    for other, numbers in ((west, (1, 2)), (east, (2,))):
        for number in numbers:
            assert other.get(f"/api/audit/samples/{number}").status_code == 404
            assert other.post(f"/api/audit/samples/{number}/rounds/1", json=enter).status_code == 404
    assert [one["sample_id"] for one in east.get("/api/audit/samples").json()] == [1]
    assert west.get("/api/audit/samples").json() == []
    assert east.post("/api/audit/samples/1/rounds/1", json=enter).json()["estimate"]["differs"] == 1
    assert east.post("/api/audit/samples", json=plan).json()["scope"]["tables"] == ["riu-66"]
    assert east.get("/api/audit/choices").json() == {
        "game": ["raise_it_up"], "table": ["riu-66"], "wager": ["ante", "play"], "line": ["two pair 3 to 2"],
        "shift": ["day"], "dealer": ["311"], "day": ["2026-11-21"],
    }  # fmt: skip
    assert not any(west.get("/api/audit/choices").json().values())


def test_results_are_taken_only_for_tables_one_may_import_for(house: House) -> None:
    """A supervisor of all tables who is an auditor of other ones reads the sample and enters nothing."""
    boss = signed_in(TestClient(create_app(house, screens=False), base_url=LOCAL), house, Role.AUDITOR)
    boss.post("/api/audit/samples", json={"tolerable": 0.4})
    house.access.people.set_group("west", ["riu-09"])
    person = house.access.people.add("mixed", [(Role.SUPERVISOR, "*"), (Role.AUDITOR, "west")], now=NOW)
    token = house.access.sessions.open(person.user_id, how="test", address="127.0.0.1", now=NOW)
    boss.cookies.set(COOKIE, token.text)
    assert boss.get("/api/audit/samples/1").status_code == 200
    assert boss.post("/api/audit/samples/1/rounds/1", json={"result": "agrees"}).status_code == 404
    assert boss.post("/api/audit/samples", json={}).status_code == 400, "no round of the tables they import for"


def test_rounds_seen_on_video_are_audited_beside_the_others(client: TestClient, house: House) -> None:
    watch(house)
    whole = client.get("/api/audit/accuracy", params={"by": "table"}).json()
    rows = {row["table_id"]: row for row in whole["rows"]}
    assert (
        rows["riu-66"]["payouts"],
        rows["riu-66"]["undetermined"],
        rows["riu-66"]["right"],
        rows["riu-66"]["under"],
    ) == (3, 1, 1, 1)
    (seen, other) = client.get("/api/audit/mispayments").json()["mispayments"]
    assert (seen["table_id"], seen["line"], seen["difference_cents"], seen["dealer"]) == (
        "riu-66",
        "two pair 3 to 2",
        -500,
        "311",
    )
    assert seen["at_utc"] == (NOW + timedelta(seconds=60)).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    assert other["table_id"] == "riu-01"
    detail = client.get(f"/api/audit/rounds/{seen['round_seq']}").json()
    assert [alarm["alert_id"] for alarm in detail["alerts"]] == [1]
    assert detail["wagers"][0]["way"] == PAYOUT["way"]
    assert VideoRounds(house.store).take() == 0
    house.store.add_rounds("live-1", [record(3, PAYOUT | {"wager": "blind"})])
    assert VideoRounds(house.store).take() == 1
    assert client.post("/api/audit/recount").json()["agrees"] is True


def run(*arguments: str) -> int:
    try:
        main(arguments)
    except SystemExit as ended:
        return int(ended.code or 0)
    return 0


def test_the_command_line_from_a_file_to_a_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = tmp_path / "in"
    files.mkdir()
    table = {"version": 1, "table_id": "riu-01", "game": "raise_it_up", "chips": {"white": 50, "red": 500},
             "rules_submission": {"dealing": "manual_shoe", "seats": 6, "paytables": {"pair_plus": "A"}}}  # fmt: skip
    (files / "riu-01.yaml").write_text(json.dumps(table), encoding="utf-8")
    write_lines(files / "rounds.jsonl", [ROUND, SHORT, {"id": "=1+1", "table": "riu-01"}])
    database = ["--database", f"sqlite:///{tmp_path}/books.db"]
    assert run("import", str(files / "rounds.jsonl"), "--tables", str(files), "--jobs", "1", *database) == 1
    (reject,) = (files / "rounds.jsonl.rejected.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(reject)["line"] == 3
    asked = [
        "audit",
        "--from",
        "2026-10-01",
        "--to",
        "2026-10-31",
        "--table",
        "riu-01",
        "--by",
        "wager",
        "--by",
        "shift,dealer",
        "--recount",
    ]
    for out in ("one", "two"):
        assert run(*asked, "--out", str(tmp_path / out), *database) == 0
    said = capsys.readouterr().out
    assert "Recounted, payout by payout: all agrees" in said
    assert "ways: all agree" in said
    names = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert names[:3] == ["audit.pdf", "by_shift_dealer.csv", "by_shift_dealer.parquet"]
    for name in names:
        if name != "audit.pdf":
            assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    assert run("audit", "--by", "colour", *database) == 2
    assert run("audit", "--from", "2026-13-01", *database) == 2
    assert run("import", str(tmp_path / "none.jsonl"), *database) == 2
    assert "payouts cannot be counted by 'colour'" in capsys.readouterr().err
