"""What lists and pages say of when and where an alert happened."""

from __future__ import annotations

from datetime import date, datetime

import pytest
from service_fakes import NOW, TABLE, finding

from rules.findings import finding_to_dict
from service.screens.alert_parts import facts_of, when
from service.screens.handover import _open_row
from service.store import Alert, Store


def alert(origin: str) -> Alert:
    """An alert of 21:14:05 on 1 March 2026, two seconds into its camera's time or recording."""
    store = Store("sqlite://")
    store.open_run("run", table_id=TABLE, origin=origin, opened_utc=NOW, about={})
    return store.add_alert("run", finding_to_dict(finding(1)), raised_utc=NOW)[0]


@pytest.mark.parametrize(
    ("origin", "today", "said"),
    [
        ("live", date(2026, 3, 1), "21:14:05 UTC"),
        ("live", date(2026, 3, 2), "2026-03-01 21:14:05 UTC"),
        ("review", date(2026, 3, 2), "recording 0:02"),
    ],
    ids=["today", "another day", "in a recording"],
)
def test_a_list_says_the_day_of_an_alert_that_is_not_of_today(origin: str, today: date, said: str) -> None:
    assert when(alert(origin), today) == said


def test_a_hand_over_says_days_and_tells_raised_from_the_place_in_a_recording() -> None:
    assert _open_row(alert("live"))[1] == "2026-03-01 21:14:05 UTC"
    assert _open_row(alert("review"))[1] == "2026-03-01 21:14:05 UTC, recording 0:02"


def test_an_alert_of_a_recording_says_when_it_was_played_and_not_only_when_it_was_reviewed() -> None:
    began = datetime.fromisoformat("2026-02-27T22:00:00-05:00")
    said = " · ".join(facts_of(alert("review"), began))
    assert "at 0:02 of the recording · played 2026-02-28 03:00:02 UTC · reviewed 2026-03-01 21:14:05 UTC" in said
    assert "at 0:02 of the recording · when it was played is not known · reviewed" in " · ".join(
        facts_of(alert("review"))
    )
    assert "at 0:02 · 2026-03-01 21:14:05 UTC · live" in " · ".join(facts_of(alert("live")))
