"""The log: only added to, by many at once, and any change to it is found; on both kinds of database."""

from __future__ import annotations

import csv
import io
import random
import threading
from collections.abc import Iterator
from datetime import timedelta

import pytest
import sqlalchemy as sa
from fastapi.testclient import TestClient
from service_fakes import NOW, signed_in

from service.access.journal import BATCH, Deed, Journal, JournalFilter, head_from_text
from service.access.roles import Role
from service.access.tables import JournalRow
from service.errors import ServiceError
from service.house import House
from service.store import Database, Store
from service.web.app import create_app

LOCAL = "http://127.0.0.1:8080"


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    database = Database(database_url)
    yield database
    database.close()


@pytest.fixture
def journal(database: Database) -> Journal:
    return Journal(database)


def fill(journal: Journal, count: int) -> None:
    for number in range(count):
        deed = Deed(
            "evidence.read",
            f"alert {number}, 1.jpg",
            f"ann-{number % 3}",
            "operator",
            f"riu-{number % 4:02d}",
            "10.0.0.7",
        )
        journal.write(deed, at=NOW + timedelta(seconds=number))


def unguarded(database: Database, statement: sa.Executable, **values: object) -> None:
    """What the owner of the database could do."""
    with database.write() as session:
        if database.is_sqlite:
            for name in ("journal_no_update", "journal_no_delete"):
                session.execute(sa.text(f"DROP TRIGGER IF EXISTS {name}"))
        else:
            session.execute(sa.text("DROP TRIGGER IF EXISTS journal_guard ON journal"))
        session.execute(statement, values or None)


def test_the_database_itself_refuses_changes(database: Database, journal: Journal) -> None:
    fill(journal, 2)
    for statement in (sa.update(JournalRow).values(who="x"), sa.delete(JournalRow)):
        with pytest.raises(sa.exc.DBAPIError, match="only added to"), database.write() as session:
            session.execute(statement)
    assert journal.verify().faults == ()
    assert [entry.number for entry in journal.page()] == [2, 1]


def test_many_write_at_once_and_the_chain_holds(journal: Journal) -> None:
    def write(name: str) -> None:
        for number in range(8):
            journal.write(Deed("sign-in", str(number), name), at=NOW)

    threads = [threading.Thread(target=write, args=(f"t{n}",)) for n in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    check = journal.verify()
    assert (check.rows, check.faults) == (32, ())


def test_two_processes_do_not_break_the_chain(database_url: str) -> None:
    first, second = Journal(Database(database_url)), Journal(Database(database_url))
    for number in range(6):
        (first, second)[number % 2].write(Deed("sign-in", str(number)), at=NOW)
    assert first.verify().faults == ()


def test_every_value_of_a_row_is_held(database: Database, journal: Journal) -> None:
    fill(journal, 5)
    third = next(entry for entry in journal.rows() if entry.number == 3)
    for column in (name for name in third.__slots__ if name != "number"):
        change = sa.update(JournalRow).where(JournalRow.number == 3)
        unguarded(database, change.values({column: "x"}))
        faults = journal.verify().faults
        assert faults, column
        assert all(fault.startswith(("row 3:", "row 4:")) for fault in faults), column
        unguarded(database, change.values({column: getattr(third, column)}))
    assert journal.verify().faults == ()


def test_rows_removed_moved_and_put_in_are_found(database: Database, journal: Journal) -> None:
    fill(journal, 6)
    head = journal.head()
    number = JournalRow.number
    unguarded(database, sa.delete(JournalRow).where(number == 3))
    assert journal.verify().faults[0] == "row 3 to 3: missing"
    unguarded(
        database, sa.update(JournalRow).where(number > 3).values(number=number - 1)
    ) if not database.is_sqlite else None
    assert journal.verify().faults
    assert journal.verify(known_head=head).faults


def test_an_end_cut_off_or_written_anew_shows_against_a_known_head(database: Database, journal: Journal) -> None:
    fill(journal, 6)
    head = journal.head()
    unguarded(database, sa.delete(JournalRow).where(JournalRow.number > 4))
    assert journal.verify().faults == ()
    assert journal.verify(known_head=head).faults == ("row 6: cut off",)
    fill(journal, 3)
    assert journal.verify().faults == ()
    assert journal.verify(known_head=head).faults == ("row 6: is not the one that was noted",)


def test_random_tamperings_are_all_found(tmp_path_factory: pytest.TempPathFactory) -> None:
    database = Database(f"sqlite:///{tmp_path_factory.mktemp('tamper')}/j.db")
    journal, luck = Journal(database), random.Random(7)
    fill(journal, 30)
    head = journal.head()
    kept = [{name: getattr(entry, name) for name in entry.__slots__} for entry in journal.rows()]
    columns = [name for name in kept[0] if name != "number"]
    for _ in range(60):
        rows = [dict(row) for row in kept]
        at = luck.randrange(len(rows))
        kind = luck.choice(["change", "remove", "swap", "cut", "double"])
        if kind == "change":
            name = luck.choice(columns)
            rows[at][name] = str(rows[at][name]) + "0"
        elif kind == "remove":
            del rows[at]
        elif kind == "cut":
            del rows[max(1, at) :]
        elif kind == "swap":
            other = (at + 1 + luck.randrange(len(rows) - 1)) % len(rows)
            rows[at]["number"], rows[other]["number"] = rows[other]["number"], rows[at]["number"]
        else:
            rows.append(dict(rows[at]) | {"number": len(rows) + 1})
        unguarded(database, sa.delete(JournalRow))
        with database.write() as session:
            session.execute(sa.insert(JournalRow), rows)
        assert journal.verify(known_head=head).faults, (kind, at)
    database.close()


def test_filters_and_pages(journal: Journal) -> None:
    fill(journal, 12)
    journal.write(Deed("sign-in", "by password", "ben", outcome="refused"), at=NOW)
    assert [e.number for e in journal.page(limit=3)] == [13, 12, 11]
    assert [e.number for e in journal.page(limit=3, before=11)] == [10, 9, 8]
    assert [e.who for e in journal.page(JournalFilter(outcome="refused"))] == ["ben"]
    assert len(journal.page(JournalFilter(what="evidence."))) == 12
    assert len(journal.page(JournalFilter(what="evidence"))) == 0
    assert [e.number for e in journal.page(JournalFilter(who="ann-0", table_id="riu-00"))] == [1]
    assert {e.table_id for e in journal.page(JournalFilter(tables=frozenset({"riu-01"})))} == {"riu-01"}
    assert journal.page(JournalFilter(tables=frozenset())) == []
    since = JournalFilter(from_utc="2026-03-01T21:14:10.000Z", to_utc="2026-03-01T21:14:12.000Z")
    assert [e.number for e in journal.page(since)] == [7, 6]


def test_rows_are_read_in_batches_and_none_is_left_out(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.access.journal.BATCH", 5)
    fill(journal, 13)
    assert BATCH > 5
    assert [entry.number for entry in journal.rows()] == [*range(1, 14)]
    assert [entry.number for entry in journal.rows(up_to=7)] == [*range(1, 8)]


def test_secrets_and_control_signs_do_not_reach_the_log(journal: Journal) -> None:
    entry = journal.write(Deed("tables.configure", "rtsp://a:s3cret@cam/1\nforged row", "x" * 500), at=NOW)
    assert entry.about == "rtsp://***@cam/1?forged row"
    assert len(entry.who) == 180
    assert journal.verify().faults == ()


def test_the_export_is_logged_and_ends_with_the_head(tmp_path_factory: pytest.TempPathFactory) -> None:
    house = House(Store(f"sqlite:///{tmp_path_factory.mktemp('csv')}/c.db"), now=lambda: NOW)
    client = signed_in(TestClient(create_app(house, screens=False), base_url=LOCAL), house, Role.AUDITOR, name="ann")
    house.access.journal.write(Deed("people.add", "=HYPERLINK(1)", "eve"), at=NOW)
    number, sha = house.access.journal.head()
    answer = client.get("/api/journal.csv")
    assert answer.headers["content-type"].startswith("text/csv")
    rows = list(csv.reader(io.StringIO(answer.text.removeprefix("\ufeff"))))
    assert rows[0][:3] == ["number", "at_utc", "who"]
    assert rows[1][5] == "'=HYPERLINK(1)"
    assert rows[-1] == ["# head", f"{number}:{sha}"]
    newest = house.access.journal.page()[0]
    assert (newest.what, newest.who) == ("journal.export", "ann")
    assert client.get("/api/journal/check", params={"head": f"{number}:{sha}"}).json()["faults"] == []
    assert client.get("/api/journal/check", params={"head": f"{number}:{'0' * 64}"}).json()["faults"]
    house.stop()


@pytest.mark.parametrize("text", ["", "7", "x:y", "7:abc", f"-1:{'0' * 64}", f"7:{'g' * 64}"])
def test_what_is_no_head(text: str) -> None:
    with pytest.raises(ServiceError, match="no head"):
        head_from_text(text)
