"""Recording what a step of watching brought: run, events, rounds and alerts in one transaction, however often it is tried."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from service.stamps import moment_of, stamp
from service.store import changes
from service.store.alerts import Alerts, lasting, put_alert
from service.store.records import Action, AlertKind, Picture
from service.store.rounds import put_rounds
from service.store.rows import insert_new
from service.store.runs import Runs, event_rows, put_run, put_standing
from service.store.steps import record_step
from service.store.tables import AlertRow, EventRow

PROGRAM = "pitwatch"
"""Who takes the steps that no person takes."""


@dataclass(frozen=True, slots=True)
class NewAlert:
    """Something that rings.

    Attributes:
        finding: as JSON values.
        raised_utc: when it rang.
        pictures: what shows it.
        kind: a check of the law, or the camera.
        law_day: by whose law it was judged.
    """

    finding: Mapping[str, Any]
    raised_utc: datetime
    pictures: tuple[Picture, ...] = ()
    kind: AlertKind = AlertKind.FINDING
    law_day: date | None = None


@dataclass(frozen=True, slots=True)
class Ended:
    """What an alert tells of is over, e.g. the camera is back.

    Attributes:
        finding: as JSON values; its place says which incident is over, whichever run it was found in.
        at_utc: since when.
        text: what is to be said of it.
    """

    finding: Mapping[str, Any]
    at_utc: datetime
    text: str


@dataclass(frozen=True, slots=True)
class NewStanding:
    """How the table stands before event `number` of the run; see `service.live.standing`.

    Attributes:
        basis: what has to be the same for the state to be read.
        state: judge and table, stored.
    """

    number: int
    basis: str
    state: bytes


@dataclass(frozen=True, slots=True)
class RecordedStep:
    """What is recorded together.

    Attributes:
        run: arguments of `Store.open_run`, times as stamps; recorded if the run is not there yet.
        first_number: number of the first event in the run.
        findings: breaches and undetermined checks of closed rounds, which rounds are searched by.
    """

    run: Mapping[str, Any]
    first_number: int = 0
    events: tuple[Mapping[str, Any], ...] = ()
    rounds: tuple[Mapping[str, Any], ...] = ()
    alerts: tuple[NewAlert, ...] = ()
    ended: tuple[Ended, ...] = ()
    findings: tuple[Mapping[str, Any], ...] = ()
    standing: NewStanding | None = None


class Recording(Runs, Alerts):
    """Recording whole steps."""

    def record(self, step: RecordedStep) -> frozenset[str]:
        """Records a step, all of it or nothing; what is already recorded stays as it is.

        Returns:
            The ids of the findings that are new alerts.
        """
        run_id = step.run["run_id"]
        new = set()
        with self.write() as session:
            if step.alerts or step.ended:
                changes.lock(session)
            put_run(session, **step.run)
            insert_new(session, EventRow, event_rows(run_id, enumerate(step.events, start=step.first_number)))
            put_rounds(session, run_id, step.rounds, step.findings)
            if step.standing is not None:
                put_standing(session, step.run["table_id"], run_id, step.standing)
            for one in step.alerts:
                _, is_new = put_alert(
                    session, run_id, one.finding, raised_utc=one.raised_utc, pictures=one.pictures, kind=one.kind, law_day=one.law_day
                )  # fmt: skip
                if is_new:
                    new.add(str(one.finding["finding_id"]))
            for over in step.ended:
                seq = lasting(session, run_id, over.finding)
                row = session.get(AlertRow, seq) if seq is not None else None
                if row is not None:
                    record_step(session, row, Action.ENDED, by=PROGRAM, at_utc=stamp(over.at_utc), reason=over.text)
        return frozenset(new)


def step_to_bytes(step: RecordedStep) -> bytes:
    """A step as it waits on disk."""
    alerts = [
        {
            "finding": dict(one.finding), "raised_utc": stamp(one.raised_utc), "kind": one.kind.value,
            "pictures": [[p.name, p.media_type, p.caption, base64.b64encode(p.content).decode()] for p in one.pictures],
            "law_day": one.law_day.isoformat() if one.law_day is not None else None,
        }
        for one in step.alerts
    ]  # fmt: skip
    raw = {
        "run": dict(step.run), "first_number": step.first_number, "events": [dict(e) for e in step.events],
        "rounds": [dict(r) for r in step.rounds], "alerts": alerts,
        "ended": [[dict(one.finding), stamp(one.at_utc), one.text] for one in step.ended],
        "findings": [dict(one) for one in step.findings],
    }  # fmt: skip
    if (held := step.standing) is not None:
        raw["standing"] = [held.number, held.basis, base64.b64encode(held.state).decode()]
    return json.dumps(raw, separators=(",", ":")).encode()


def step_from_bytes(record: bytes) -> RecordedStep:
    """A step as it was."""
    raw = json.loads(record)
    alerts = tuple(
        NewAlert(
            one["finding"], moment_of(one["raised_utc"]),
            tuple(Picture(n, base64.b64decode(content), media_type, caption) for n, media_type, caption, content in one["pictures"]),
            AlertKind(one["kind"]), date.fromisoformat(one["law_day"]) if one.get("law_day") else None,
        )
        for one in raw["alerts"]
    )  # fmt: skip
    ended = tuple(Ended(finding, moment_of(at), text) for finding, at, text in raw["ended"])
    findings, held = tuple(raw.get("findings", ())), raw.get("standing")
    standing = NewStanding(held[0], held[1], base64.b64decode(held[2])) if held is not None else None
    events, rounds = tuple(raw["events"]), tuple(raw["rounds"])
    return RecordedStep(raw["run"], raw["first_number"], events, rounds, alerts, ended, findings, standing)
