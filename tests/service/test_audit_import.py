"""Files taken into the audit: whole rounds or none, once, and on after an interruption; on SQLite and PostgreSQL."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest
import sqlalchemy as sa
from audit_fakes import NOW, ROUND, changed, importer, paid, table, write_lines

from service.audit import importing
from service.audit.calendar import read_plan
from service.audit.facts import AuditError
from service.audit.importing import Imported, Importer, rejects
from service.audit.judge import Judge
from service.audit.mapping import read_mapping
from service.audit.questions import By, Questions, Scope
from service.audit.tables import AuditRoundRow, FactRow
from service.errors import ServiceError
from service.store.base import Database


def take(taker: Importer, path: Path) -> Imported:
    return taker.take(path, now=lambda: NOW)


def books(database: Database) -> tuple[Any, ...]:
    """Everything that counts, to see whether it changed."""
    whole = Questions(database).whole(Scope())
    with database.read() as session:
        facts = session.scalar(sa.select(sa.func.count()).select_from(FactRow))
    return whole.tally, whole.rounds, facts


def test_the_same_file_again_changes_nothing(database_url: str, tmp_path: Path) -> None:
    taker = importer(database_url)
    file = write_lines(tmp_path / "a.jsonl", [ROUND, changed(id="r2", paid=paid(play=7400))])
    first = take(taker, file)
    assert (first.status, first.rounds, first.wagers, first.rejected) == ("taken in", 2, 8, 0)
    before = books(taker.database)
    assert (before[1], before[2], before[0].under, before[0].under_cents) == (2, 8, 1, 100)
    assert take(taker, file).status == "known"
    renamed = write_lines(
        tmp_path / "b.jsonl", ["", json.dumps(ROUND), json.dumps(changed(id="r2", paid=paid(play=7400)))]
    )
    again = take(taker, renamed)
    assert (again.status, again.rounds, again.known) == ("taken in", 0, 2)
    assert books(taker.database) == before


def test_a_round_told_otherwise_later_is_refused_and_the_first_stands(database_url: str, tmp_path: Path) -> None:
    taker = importer(database_url)
    take(taker, write_lines(tmp_path / "a.jsonl", [ROUND]))
    before = books(taker.database)
    second = take(taker, write_lines(tmp_path / "b.jsonl", [changed(paid=paid(play=0))]))
    assert (second.rounds, second.rejected) == (0, 1)
    (reject,) = rejects(taker.database, second.import_id)
    assert reject["reason"] == "round r1 of riu-01 on 2026-10-01 is there already with other content; it stays as it is"
    assert json.loads(reject["text"])["paid"]["1"]["play"] == 0
    assert books(taker.database) == before


def test_bad_lines_are_listed_with_line_and_field_and_the_others_taken_in(database_url: str, tmp_path: Path) -> None:
    twice = json.dumps(changed(id="r3")).replace('"play": 7500', '"play": 7500, "play": 1')
    lines: list[Mapping[str, Any] | str] = [
        ROUND,
        "{",
        changed(id="r2", community=["3c"]),
        twice,
        changed(id="r3", at="noon"),
        changed(id="r4"),
    ]
    path = write_lines(tmp_path / "a.jsonl", lines)
    path.write_bytes(path.read_bytes() + b'\xff{"id": 1}\n' + b"x" * (1 << 20) + b"yy\n")
    taker = importer(database_url)
    done = take(taker, path)
    assert (done.rounds, done.rejected) == (2, 6)
    found = {one["line"]: one["reason"] for one in rejects(taker.database, done.import_id)}
    assert set(found) == {2, 3, 4, 5, 7, 8}
    assert found[2].startswith("no JSON object")
    assert found[3] == 'community: expected 3 cards, got ["3c"]'
    assert (
        found[5]
        == 'at: expected a day and a time of day as 2026-10-01T06:00:30-04:00, in the years 1971 to 9000, got "noon"'
    )
    assert found[4] == "no JSON object: field 'play' stands there twice"
    assert found[7].startswith("not UTF-8")
    assert found[8] == "longer than 1048576 bytes"


def test_rejected_rounds_are_tried_again_with_their_table_file(database_url: str, tmp_path: Path) -> None:
    file = write_lines(tmp_path / "a.jsonl", [ROUND, changed(id="r2", table="riu-02")])
    assert take(importer(database_url), file).rejected == 1
    taker = importer(database_url, tables={"riu-01": table(), "riu-02": table("riu-02")})
    done = take(taker, file)
    assert (done.status, done.rounds, done.known, done.rejected) == ("continued", 2, 0, 0)
    assert list(rejects(taker.database, done.import_id)) == []
    assert books(taker.database)[1:] == (2, 8)


@pytest.mark.parametrize("lost", [0, 3, 7])
def test_an_interrupted_import_goes_on_where_it_stopped(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lost: int
) -> None:
    monkeypatch.setattr(importing, "BATCH", 2)
    whole = [changed(id=f"r{n}", paid=paid(play=7500 + 100 * (n % 3))) for n in range(17)]
    file = write_lines(tmp_path / "a.jsonl", whole)
    taker = importer(database_url)
    batches = 0

    def killed(_read: int) -> None:
        nonlocal batches
        batches += 1
        if batches > lost:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        taker.take(file, now=lambda: NOW, progress=killed)
    part = books(taker.database)
    assert part[1] == 2 * (lost + 1)
    seen: list[int] = []
    done = taker.take(file, now=lambda: NOW, progress=seen.append)
    assert (done.status, done.rounds, done.known) == ("continued", 17, 0)
    assert seen[-1] == 17 - part[1]
    straight = importer(f"sqlite:///{tmp_path}/straight.db")
    take(straight, file)
    assert books(taker.database) == books(straight.database)


@pytest.mark.parametrize(
    "at",
    ["0001-01-01T00:00:00Z", "0001-01-01T00:00:00", "9999-12-31T23:59:59-12:00", "1970-12-31T23:59:59Z", "9001-01-01T00:00:00Z"],
)  # fmt: skip
def test_a_time_out_of_the_calendar_rejects_its_round_and_no_other(tmp_path: Path, at: str) -> None:
    taker = importer(f"sqlite:///{tmp_path}/a.db", plan=read_plan("", "America/New_York"))
    done = take(taker, write_lines(tmp_path / "a.jsonl", [ROUND, changed(id="r2", at=at), changed(id="r3")]))
    (reject,) = rejects(taker.database, done.import_id)
    assert (done.rounds, done.rejected, reject["line"]) == (2, 1, 2)
    assert reject["reason"].startswith(
        "at: expected a day and a time of day as 2026-10-01T06:00:30-04:00, in the years 1971 to 9000"
    )


def test_whatever_overflows_rejects_its_round_and_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def overflowing(_judge: Judge, _document: Any) -> Any:
        raise OverflowError("date value out of range")

    monkeypatch.setattr(Judge, "judge", overflowing)
    taker = importer(f"sqlite:///{tmp_path}/a.db")
    done = take(taker, write_lines(tmp_path / "a.jsonl", [ROUND]))
    (reject,) = rejects(taker.database, done.import_id)
    assert reject["reason"] == "a number or a time in it is out of range: date value out of range"


def test_amounts_that_cannot_be_added_up_are_rejected_and_the_sums_stay(database_url: str, tmp_path: Path) -> None:
    taker = importer(database_url)
    for name in ("a", "b"):
        lines = [changed(id=f"{name}1", paid=paid(play=5 * 10**18)), changed(id=f"{name}2", paid=paid(play=10**11))]
        done = take(taker, write_lines(tmp_path / f"{name}.jsonl", lines))
        assert (done.rounds, done.rejected) == (1, 1)
    assert books(taker.database)[0].over_cents == 2 * (10**11 - 7500)


def test_a_transaction_that_fails_leaves_nothing(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taker = importer(database_url)
    file = write_lines(tmp_path / "a.jsonl", [ROUND])

    def broken(*_: Any, **__: Any) -> None:
        raise RuntimeError("disk full")

    from service.audit.keeping import Sums

    with monkeypatch.context() as only:
        only.setattr(Sums, "write", broken)
        with pytest.raises(RuntimeError, match="disk full"):
            take(taker, file)
    with taker.database.read() as session:
        assert session.scalar(sa.select(sa.func.count()).select_from(AuditRoundRow)) == 0
        assert session.scalar(sa.select(sa.func.count()).select_from(FactRow)) == 0
    assert take(taker, file).rounds == 1


def test_several_processes_give_the_same_books(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importing, "BATCH", 5)
    file = tmp_path / "a.jsonl.gz"
    lines = "".join(json.dumps(changed(id=f"r{n}", paid=paid(play=100 * n))) + "\n" for n in range(23))
    file.write_bytes(gzip.compress(lines.encode()))
    alone, many = (importer(f"sqlite:///{tmp_path}/{jobs}.db", jobs=jobs) for jobs in (1, 2))
    assert take(alone, file) == take(many, file)
    assert books(alone.database) == books(many.database)


def test_a_compressed_file_cut_off_keeps_what_came_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importing, "BATCH", 2)
    noise = Random(7)
    whole = "".join(json.dumps(changed(id=f"r{n}", note=noise.randbytes(2000).hex())) + "\n" for n in range(400))
    packed = gzip.compress(whole.encode())
    file = tmp_path / "a.jsonl.gz"
    file.write_bytes(packed[: len(packed) // 2])
    taker = importer(f"sqlite:///{tmp_path}/a.db")
    with pytest.raises(AuditError, match="damaged or cut off"):
        take(taker, file)
    assert 0 < books(taker.database)[1] < 400
    file.write_bytes(packed)
    done = take(taker, file)
    assert done.rounds + done.known == 400
    assert books(taker.database)[1] == 400


def spoilt(text: str) -> bytes:
    """The text packed, with bytes in the middle that are none of a packed text."""
    packed = bytearray(gzip.compress(text.encode()))
    packed[25:28] = b"\xff\xff\xff"
    return bytes(packed)


def test_a_compressed_file_with_a_damaged_body_is_one_message(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl.gz"
    file.write_bytes(spoilt((json.dumps(ROUND) + "\n") * 50))
    with pytest.raises(AuditError, match="damaged or cut off"):
        take(importer(f"sqlite:///{tmp_path}/a.db"), file)


MAPPING = """
version: 1
delimiter: ";"
money: dollars
at_format: "%m/%d/%Y %H:%M:%S"
game: "669a"
round: {id: Game, table: Table, at: Settled, dealer_number: Dealer}
seat: {number: Spot, cards: Hand, decision: Action}
wager: {name: Bet, stake: Amount, paid: Won, paid_is: net}
wagers: {ANTE: ante, BLND: blind, PLAY: play, PP: pair_plus}
decisions:
  "3X": {action: play, street: third, multiple: 3}
  FOLD: {action: fold}
shared: {community: Board}
"""
ROWS = """Game;Table;Settled;Dealer;Spot;Hand;Action;Board;Bet;Amount;Won
r1;riu-01;10/01/2026 06:00:30;117;1;3h 2s Kd;3X;3c 2d 9s;ANTE;10.00;$10.00
r1;riu-01;10/01/2026 06:00:30;117;1;3h 2s Kd;3X;3c 2d 9s;BLND;10.00;0
r1;riu-01;10/01/2026 06:00:30;117;1;3h 2s Kd;3X;3c 2d 9s;PLAY;30.00;44.00
r1;riu-01;10/01/2026 06:00:30;117;1;3h 2s Kd;3X;3c 2d 9s;PP;5.00;-5.00
r2;riu-01;10/01/2026 06:02:00;117;1;10h 2s Kd;FOLD;3c 2d 9s;ANTE;10.00;-10.00
r2;riu-01;10/01/2026 06:02:00;117;1;10h 2s Kd;FOLD;3c 2d 9s;BLND;10.00;-10.00
"""


def csv_import(url: str, folder: Path, rows: str, mapping: str = MAPPING) -> tuple[Importer, Imported]:
    (folder / "mapping.yaml").write_text(mapping, encoding="utf-8")
    (folder / "rows.csv").write_text(rows, encoding="utf-8")
    columns, digest = read_mapping(folder / "mapping.yaml")
    taker = importer(url, mapping=columns, mapping_sha256=digest)
    return taker, take(taker, folder / "rows.csv")


def test_csv_of_another_system_by_its_mapping(tmp_path: Path) -> None:
    taker, done = csv_import(f"sqlite:///{tmp_path}/a.db", tmp_path, ROWS)
    assert (done.rounds, done.wagers, done.rejected) == (2, 6, 0)
    rows = {row.key[0]: row.tally for row in Questions(taker.database).table(Scope(), (By.WAGER,))}
    assert (rows["play"].under, rows["play"].under_cents, rows["play"].staked_cents) == (1, 100, 3000)
    assert sum(tally.right for tally in rows.values()) == 5


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("PLAY;30.00", "PLAY;20.00", "stakes.1.play: expected 3000 cents, which the wagers and the decision make it, got 2000"),
        ("PLAY;30.00", "PLAI;30.00", "line 4, column Bet: 'PLAI' is none of ANTE, BLND, PLAY, PP"),
        ("PLAY;30.00", "PLAY;30.005", "line 4, column Amount: '30.005' is no amount in dollars"),
        ("PLAY;30.00", "PLAY;1e999999", "line 4, column Amount: '1e999999' is no amount in dollars"),
        ("PLAY;30.00", "PLAY;1000000000.01", "line 4, column Amount: '1000000000.01' is no amount in dollars"),
        ("PLAY;30.00;44.00", "PLAY;30.00", "line 4: not as many fields as there are columns"),
        ("3X;3c 2d 9s;PP", "3X;3c 2d 8s;PP", "line 5, column Board: '3c 2d 8s', but '3c 2d 9s' before in this round"),
        ("1;3h 2s Kd;3X;3c 2d 9s;PP", "1;3h 2s Kh;3X;3c 2d 9s;PP", "line 5: cards or decision of seat 1 are not those of its line before"),
    ],
    ids=["a stake that is not the decision's", "an unknown wager", "half a cent", "an amount without end", "more than a billion dollars", "a field short", "two boards", "two hands"],
)  # fmt: skip
def test_a_bad_row_rejects_its_round_and_no_other(tmp_path: Path, old: str, new: str, said: str) -> None:
    taker, done = csv_import(f"sqlite:///{tmp_path}/a.db", tmp_path, ROWS.replace(old, new, 1))
    (reject,) = rejects(taker.database, done.import_id)
    assert (done.rounds, done.rejected, reject["line"]) == (1, 1, 2)
    assert said in reject["reason"]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("money: dollars", "money: euros", "money: "), ("version: 1", "version: 2", "version: "),
        ("%Y %H:%M:%S", "%Y", "at_format: .*must tell the time of day"),
        ("shared:", "shard:", "shard: Extra inputs"), ("Board}", "Felt}", "no column 'Felt'; there are Game, Table"),
        ("round:", "round: [", "not YAML"), ("wagers: {", "wagers: {ANTE: blind, ", "line 10.*key 'ANTE' stands there twice"),
    ],
)  # fmt: skip
def test_a_mapping_that_cannot_be_used_is_refused_by_key(tmp_path: Path, old: str, new: str, said: str) -> None:
    with pytest.raises(ServiceError, match=said):
        csv_import(f"sqlite:///{tmp_path}/a.db", tmp_path, ROWS, MAPPING.replace(old, new))
