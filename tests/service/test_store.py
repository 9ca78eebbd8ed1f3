"""The store, on SQLite and on PostgreSQL alike: one incident one alert, append-only, what can and cannot be decided."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from service_fakes import NOW, TABLE, closed_round, events, finding

from rules.events import event_to_dict
from rules.findings import finding_to_dict
from service.errors import ConflictError, NotFoundError, ServiceError
from service.store import Alert, AlertFilter, Picture, Status, Store


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    store = Store(database_url)
    store.open_run("run-1", table_id=TABLE, origin="live", opened_utc=NOW, about={})
    yield store
    store.close()


def ring(store: Store, number: int = 1, run_id: str = "run-1", **changes: Any) -> Alert:
    return store.add_alert(run_id, finding_to_dict(finding(number, **changes)), raised_utc=NOW)[0]


def test_the_same_finding_of_the_same_run_is_one_alert(store: Store) -> None:
    first, new = store.add_alert("run-1", finding_to_dict(finding()), raised_utc=NOW, pictures=[Picture("a.jpg", b"1")])
    again, second_new = store.add_alert(
        "run-1", finding_to_dict(finding()), raised_utc=NOW, pictures=[Picture("a.jpg", b"2")]
    )
    assert (new, second_new) == (True, False)
    assert again == first
    assert store.evidence(first.seq, "a.jpg").content == b"1"
    assert len(store.alerts()) == 1


def test_the_same_finding_of_another_run_is_another_alert(store: Store) -> None:
    store.open_run("run-2", table_id=TABLE, origin="review", opened_utc=NOW, about={})
    assert ring(store).seq < ring(store, run_id="run-2").seq
    assert [alert.origin for alert in store.alerts()] == ["review", "live"]


def test_numbers_rise_and_pages_join_without_gap(store: Store) -> None:
    for number in range(1, 8):
        ring(store, number)
    newest = store.alerts(limit=3)
    older = store.alerts(limit=10, before_seq=newest[-1].seq)
    assert [alert.seq for alert in newest + older] == [7, 6, 5, 4, 3, 2, 1]
    assert [alert.seq for alert in store.alerts(AlertFilter(after_seq=5), oldest_first=True)] == [6, 7]


def test_filters(store: Store) -> None:
    ring(store, 1)
    ring(store, 2, severity="warning")
    store.dispose(1, Status.CONFIRMED, reason="seen", by="ann", at_utc=NOW)
    assert [a.seq for a in store.alerts(AlertFilter(severity="warning"))] == [2]
    assert [a.seq for a in store.alerts(AlertFilter(status=Status.CONFIRMED))] == [1]
    assert [a.seq for a in store.alerts(AlertFilter(status=Status.OPEN))] == [2]
    assert store.alerts(AlertFilter(table_id="another")) == []
    assert store.count() == {"open": 1, "acknowledged": 0, "confirmed": 1, "dismissed": 0}


def test_closing_needs_a_reason_and_stays(store: Store) -> None:
    seq = ring(store).seq
    with pytest.raises(ServiceError, match="reason"):
        store.dispose(seq, Status.DISMISSED, reason="  ", by="ann", at_utc=NOW)
    store.dispose(seq, Status.ACKNOWLEDGED, reason="", by="ann", at_utc=NOW)
    closed = store.dispose(seq, Status.DISMISSED, reason="glare", by="ann", at_utc=NOW)
    assert [d.status for d in closed.history] == [Status.ACKNOWLEDGED, Status.DISMISSED]
    assert store.dispose(seq, Status.DISMISSED, reason="again", by="bob", at_utc=NOW) == closed
    with pytest.raises(ConflictError, match="already dismissed"):
        store.dispose(seq, Status.CONFIRMED, reason="no", by="bob", at_utc=NOW)


def test_what_is_not_there(store: Store) -> None:
    seq = ring(store).seq
    with pytest.raises(NotFoundError):
        store.alert(99)
    with pytest.raises(NotFoundError):
        store.evidence(seq, "../../etc/passwd")


def test_events_and_rounds_are_recorded_once(store: Store) -> None:
    lines = [event_to_dict(event) for event in events()]
    store.add_events("run-1", enumerate(lines))
    store.add_events("run-1", enumerate(lines))
    store.add_rounds("run-1", [closed_round("r1")])
    store.add_rounds("run-1", [closed_round("r1", community=["Td"])])
    assert store.events("run-1") == lines
    assert [e["t_s"] for e in store.events("run-1", from_s=0.9, to_s=1.5)] == [1.0]
    assert store.rounds("run-1") == [closed_round("r1")]


def test_a_store_reopened_remembers(database_url: str) -> None:
    store = Store(database_url)
    store.open_run("run-1", table_id=TABLE, origin="live", opened_utc=NOW, about={})
    ring(store)
    store.close()
    assert [alert.finding["check_id"] for alert in Store(database_url).alerts()] == ["RIU-C1-WHEN"]


@pytest.mark.parametrize("url", ["sqlite:////no/such/folder/a.db", "oracle+nothing://x", "not a url"])
def test_a_database_that_cannot_be_opened_says_so(url: str) -> None:
    with pytest.raises(ServiceError, match="database cannot be opened"):
        Store(url)
