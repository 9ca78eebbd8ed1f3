"""What a surveillance room does with alerts: steps, lists of every filter, shift hand-over; on both kinds of database."""

from __future__ import annotations

import random
import threading
from datetime import datetime, timedelta
from typing import Any

import pytest
from service_fakes import NOW, TABLE, finding

from rules.findings import finding_to_dict
from service.errors import ConflictError, NotFoundError, ServiceError
from service.store import SEVERITIES, Action, Alert, AlertFilter, AlertKind, Order, Status, Store
from service.store.cells import says

MINUTE = timedelta(minutes=1)
CITATIONS = ("58 Pa. Code § 669a.11(c)", "58 Pa. Code § 669a.12(b)", "58 Pa. Code § 643a.5(a)")


def ring(store: Store, number: int = 1, *, run_id: str = "run-1", at: datetime = NOW, **changes: Any) -> int:
    return store.add_alert(run_id, finding_to_dict(finding(number, **changes)), raised_utc=at)[0].seq


def test_every_step_says_who_and_when_and_stays(store: Store) -> None:
    seq = ring(store)
    for minute, (action, more) in enumerate(
        (
            (Action.ASSIGN, {"assignee": "ben"}), (Action.ACKNOWLEDGE, {}), (Action.COMMENT, {"reason": "asked the floor"}),
            (Action.DISMISS, {"reason": "glare"}), (Action.REOPEN, {"reason": "second camera shows it"}),
            (Action.CONFIRM, {"reason": "seen on tape"}),
        )
    ):  # fmt: skip
        store.take_step(seq, action, by="ann", at_utc=NOW + minute * MINUTE, **more)
    alert = store.alert(seq)
    assert (alert.status, alert.assignee) == (Status.CONFIRMED, "ben")
    assert [(step.action, step.status) for step in alert.history] == [
        ("assign", "open"), ("acknowledge", "acknowledged"), ("comment", "acknowledged"), ("dismiss", "dismissed"),
        ("reopen", "open"), ("confirm", "confirmed"),
    ]  # fmt: skip
    assert [step.at_utc[14:16] for step in alert.history] == ["14", "15", "16", "17", "18", "19"]
    assert {step.by for step in alert.history} == {"ann"}


@pytest.mark.parametrize("action", [Action.COMMENT, Action.CONFIRM, Action.DISMISS, Action.REOPEN])
def test_a_step_that_needs_words_is_refused_without(store: Store, action: Action) -> None:
    seq = ring(store)
    with pytest.raises(ServiceError, match=r"reason|text"):
        store.take_step(seq, action, by="ann", at_utc=NOW, reason="  ")
    assert store.alert(seq).history == ()


def test_steps_that_contradict_are_refused_and_those_that_repeat_change_nothing(store: Store) -> None:
    seq = ring(store)
    store.take_step(seq, Action.CONFIRM, by="ann", at_utc=NOW, reason="seen")
    for action in (Action.DISMISS, Action.ACKNOWLEDGE):
        with pytest.raises(ConflictError, match="already confirmed"):
            store.take_step(seq, action, by="ben", at_utc=NOW, reason="no")
    before = store.last_position()
    store.take_step(seq, Action.CONFIRM, by="ben", at_utc=NOW, reason="me too")
    store.take_step(seq, Action.ASSIGN, by="ben", at_utc=NOW, assignee=None)
    assert len(store.alert(seq).history) == 1
    assert store.last_position() == before
    with pytest.raises(NotFoundError):
        store.take_step(99, Action.COMMENT, by="ben", at_utc=NOW, reason="x")


def test_a_comment_that_is_sent_again_is_there_once(store: Store) -> None:
    seq = ring(store)
    for by, reason in (("ann", "asked"), ("ann", " asked "), ("ben", "asked"), ("ann", "asked"), ("ann", "answered")):
        store.take_step(seq, Action.COMMENT, by=by, at_utc=NOW, reason=reason)
    said = [("ann", "asked"), ("ben", "asked"), ("ann", "asked"), ("ann", "answered")]
    assert [(step.by, step.reason) for step in store.alert(seq).history] == said
    assert store.last_position() == 1 + len(said)


def test_of_two_who_decide_at_once_one_decides(store: Store) -> None:
    seqs = [ring(store, number) for number in range(1, 6)]
    refused: list[str] = []

    def decide(action: Action, by: str) -> None:
        for seq in seqs:
            try:
                store.take_step(seq, action, by=by, at_utc=NOW, reason="so")
            except ConflictError as error:
                refused.append(str(error))

    deciders = [
        threading.Thread(target=decide, args=args) for args in ((Action.CONFIRM, "ann"), (Action.DISMISS, "ben"))
    ]
    for one in deciders:
        one.start()
    for one in deciders:
        one.join(30)
    assert len(refused) == 5
    assert [len(store.alert(seq).history) for seq in seqs] == [1] * 5
    counted = store.count()
    assert counted["confirmed"] + counted["dismissed"] == 5
    assert counted["open"] == 0


def fill(store: Store, number: int, dice: random.Random) -> list[Alert]:
    """Alerts of all kinds, some of them dealt with."""
    for name, origin in (("run-2", "live"), ("run-3", "review")):
        store.open_run(name, table_id="lir-02", origin=origin, opened_utc=NOW, about={}, game="let_it_ride")
    for count in range(number):
        severity, cited = dice.choice(SEVERITIES), dice.choice(CITATIONS)
        seq = ring(
            store, count, run_id=dice.choice(("run-1", "run-2", "run-3")), at=NOW + dice.randrange(200) * MINUTE,
            severity=severity, citation=cited, check_id=dice.choice(("A", "B")), table_id=dice.choice((TABLE, "lir-02")),
        )  # fmt: skip
        for _ in range(dice.randrange(3)):
            action = dice.choice((Action.ACKNOWLEDGE, Action.CONFIRM, Action.DISMISS, Action.ASSIGN))
            if store.alert(seq).status in ("open", "acknowledged"):
                store.take_step(seq, action, by="ann", at_utc=NOW, reason="x", assignee=dice.choice(("ann", "ben")))
    return store.alerts(limit=1000)


def fits(alert: Alert, wanted: AlertFilter) -> bool:
    """The filter said in plain words, to compare with."""
    raised = datetime.fromisoformat(alert.raised_utc)
    for name in ("table_id", "severity", "check_id", "status", "origin", "run_id", "game", "kind", "assignee"):
        value = getattr(wanted, name)
        if value is not None and getattr(alert, name) != value:
            return False
    return (
        (wanted.tables is None or alert.table_id in wanted.tables)
        and (wanted.text is None or says(alert.finding["citation"], wanted.text))
        and (wanted.from_utc is None or raised >= wanted.from_utc)
        and (wanted.to_utc is None or raised < wanted.to_utc)
    )


CHOICES: dict[str, tuple[Any, ...]] = {
    "table_id": (TABLE, "lir-02", "x"), "severity": SEVERITIES, "check_id": ("A", "B"), "status": tuple(Status),
    "origin": ("live", "review"), "run_id": ("run-1", "run-3"), "game": ("raise_it_up", "let_it_ride"),
    "assignee": ("ann", "nobody"), "kind": tuple(AlertKind), "tables": (frozenset({TABLE}), frozenset()),
    "text": ("669a", "§ 643A.5", "winning ante wager", "no such words"), "from_utc": (NOW + 50 * MINUTE,), "to_utc": (NOW + 120 * MINUTE,),
}  # fmt: skip


def test_every_filter_finds_what_it_says_in_order_and_pages_join(store: Store) -> None:
    dice = random.Random(11)
    everything = fill(store, 40, dice)
    assert len(everything) == 40
    for _ in range(25):
        names = dice.sample(sorted(CHOICES), dice.randrange(4))
        wanted = AlertFilter(**{name: dice.choice(CHOICES[name]) for name in names})
        expected = sorted((a for a in everything if fits(a, wanted)), key=lambda a: (a.raised_utc, a.seq), reverse=True)
        assert store.counts(wanted).total == len(expected), wanted
        for order in Order:
            if order is Order.SEVERITY:
                expected.sort(key=lambda a: SEVERITIES.index(a.severity))
            found: list[Alert] = []
            while more := store.alerts(wanted, limit=7, before_seq=found[-1].seq if found else None, order=order):
                found += more
            assert [a.seq for a in found] == [a.seq for a in expected], (wanted, order)


def test_counts_are_by_status_and_severity(store: Store) -> None:
    ring(store, 1)
    ring(store, 2, severity="warning")
    store.take_step(2, Action.DISMISS, by="ann", at_utc=NOW, reason="x")
    counts = store.counts()
    assert (counts.by_status["open"], counts.by_status["dismissed"], counts.exact) == (1, 1, True)
    assert counts.by_severity == {"critical": 1, "warning": 1, "info": 0}
    store.take_step(2, Action.REOPEN, by="ann", at_utc=NOW, reason="x")
    assert store.counts(AlertFilter(status=Status.OPEN)).by_severity == {"critical": 1, "warning": 1, "info": 0}


def test_a_shift_is_handed_over_as_it_stood_at_its_end(store: Store) -> None:
    seqs = [ring(store, n, at=NOW + n * MINUTE, severity="warning" if n == 4 else "critical") for n in range(1, 6)]
    late = ring(store, 9, at=NOW + 90 * MINUTE)
    store.take_step(seqs[0], Action.DISMISS, by="ann", at_utc=NOW - MINUTE, reason="before the shift")
    store.take_step(seqs[1], Action.CONFIRM, by="ann", at_utc=NOW + 20 * MINUTE, reason="in the shift")
    store.take_step(seqs[2], Action.ACKNOWLEDGE, by="ann", at_utc=NOW + 21 * MINUTE)
    store.take_step(seqs[4], Action.CONFIRM, by="ben", at_utc=NOW + 70 * MINUTE, reason="after the shift")
    shift = store.handover(NOW, NOW + 60 * MINUTE)
    assert [(a.seq, a.status) for a in shift.open] == [(seqs[4], "open"), (seqs[2], "acknowledged"), (seqs[3], "open")]
    assert [(a.seq, step.by, step.reason) for a, step in shift.decided] == [(seqs[1], "ann", "in the shift")]
    assert (shift.raised, shift.left_out) == (5, 0)
    assert late not in [a.seq for a in shift.open]
    assert store.handover(NOW, NOW + 60 * MINUTE, AlertFilter(table_id="x")).open == ()


def test_a_position_is_never_seen_before_an_earlier_one_is_committed(store: Store) -> None:
    """Writers overlap; whoever follows must meet 1, 2, 3 ... although some transactions take longer than others."""
    done = threading.Event()
    met: list[int] = []

    def follow() -> None:
        while not done.is_set() or store.last_position() > len(met):
            met.extend(change.position for change in store.changes(met[-1] if met else 0))

    def write(first: int) -> None:
        for number in range(first, first + 8):
            ring(store, number)

    follower = threading.Thread(target=follow)
    follower.start()
    writers = [threading.Thread(target=write, args=(100 * n,)) for n in range(1, 5)]
    for one in writers:
        one.start()
    for one in writers:
        one.join(60)
    done.set()
    follower.join(60)
    assert met == list(range(1, 33))


def test_what_stands_and_what_there_is_to_choose_from(store: Store) -> None:
    store.open_run("run-2", table_id="lir-02", origin="live", opened_utc=NOW, about={}, game="let_it_ride")
    seqs = [ring(store, number) for number in range(1, 5)]
    ring(store, 9, run_id="run-2", table_id="lir-02", check_id="LIR-CAMERA", finding_id="c" * 16)
    store.take_step(seqs[0], Action.ACKNOWLEDGE, by="ann", at_utc=NOW)
    store.take_step(seqs[1], Action.CONFIRM, by="ann", at_utc=NOW, reason="seen")
    store.take_step(seqs[2], Action.DISMISS, by="ann", at_utc=NOW, reason="glare")
    assert [alert.seq for alert in store.alerts(AlertFilter(standing=True))] == [5, seqs[3], seqs[0]]
    assert store.by_table(AlertFilter(standing=True)) == {TABLE: 2, "lir-02": 1}
    choices = store.choices()
    assert (choices.tables, choices.games) == (("lir-02", TABLE), ("let_it_ride", "raise_it_up"))
    assert choices.checks == ("LIR-CAMERA", "RIU-C1-WHEN")
    mine = store.choices(AlertFilter(tables=frozenset({"lir-02"})))
    assert (mine.tables, mine.games, mine.checks) == (("lir-02",), ("let_it_ride",), ("LIR-CAMERA",))
    assert store.by_table(AlertFilter(tables=frozenset())) == {}
