"""The HTTP interface: alerts, what is done with them, their evidence, the event stream, the live tables."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from datetime import timedelta
from http import HTTPStatus
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Header, Query, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response, StreamingResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException

from service.access.needs import needs, principal_of
from service.access.roles import Permission
from service.errors import NotFoundError, ServiceError
from service.house import House
from service.law import sentence
from service.screens import words
from service.stamps import moment_of, stamp
from service.store import Action, Alert, AlertFilter, AlertKind, Counts, Disposition, Order, Status
from service.web.bodies import StrictRoute
from service.web.fields import LARGEST_ID, Id, Moment, Text
from service.web.paging import PageSize, page_of

router = APIRouter(prefix="/api", route_class=StrictRoute)
behind = APIRouter(prefix="/api")
"""Comes behind every other router below /api."""

LONGEST_SHIFT = timedelta(days=7)


class DispositionPublic(BaseModel):
    """A step someone took with an alert, and how it stood after it."""

    action: Action
    status: Status
    reason: str
    by: str
    at_utc: str
    assignee: str | None = None


class EvidencePublic(BaseModel):
    """A picture of an alert."""

    name: str
    caption: str
    url: str


class AlertPublic(BaseModel):
    """An alert: what was expected, what was seen, the law, the pictures, and how it stands."""

    id: int = Field(description="rises with every alert; the id in the event stream")
    status: Status
    assignee: str | None
    sightings: int = Field(
        description="in how many runs the incident was seen: one, and each restart or replay after it"
    )
    kind: AlertKind = Field(description="a check of the law, or a camera that no longer shows its table")
    table_id: str
    game: str
    origin: Literal["live", "review"]
    run_id: str
    raised_utc: str
    finding_id: str
    check_id: str
    severity: str
    citation: str
    law: str = Field(description="what the cited paragraph demands")
    round_id: str
    seat: int | None = Field(description="seat 1 is farthest to the dealer's left")
    area: str | None
    t_s: float = Field(description="capture time in seconds")
    since_s: float
    title: str = Field(description="where and what was seen, in a line")
    text: str
    expected: str
    seen: str
    consequence: str
    owed_cents: int | None
    paid_cents: int | None
    confidence: float
    readings: list[str]
    events: list[int]
    frames: list[int]
    evidence: list[EvidencePublic]
    history: list[DispositionPublic]


class CountsPublic(BaseModel):
    """How many alerts a filter finds."""

    by_status: dict[str, int]
    by_severity: dict[str, int]
    exact: bool = Field(description="false where only the newest 20,000 were counted")


class AlertPage(BaseModel):
    """Alerts in the order asked for, and how to get the next ones."""

    alerts: list[AlertPublic]
    counts: CountsPublic
    last_id: int = Field(description="newest change of all; start the event stream here")
    next_before_id: int | None = Field(description="pass as before_id for the next page, null on the last")


class DispositionCreate(BaseModel):
    """A decision about an alert; closing one needs a reason. Who decided is who is signed in."""

    model_config = ConfigDict(extra="forbid")

    status: Literal[Status.ACKNOWLEDGED, Status.CONFIRMED, Status.DISMISSED]
    reason: Text = Field("", max_length=2000)


class StepCreate(BaseModel):
    """A step to take with an alert; confirm, dismiss, reopen and comment need a reason, assign an assignee or null."""

    model_config = ConfigDict(extra="forbid")

    action: Literal[Action.ACKNOWLEDGE, Action.COMMENT, Action.CONFIRM, Action.DISMISS, Action.REOPEN, Action.ASSIGN]
    reason: Text = Field("", max_length=2000)
    assignee: Text | None = Field(None, min_length=1, max_length=80)


class DecidedPublic(BaseModel):
    """A decision of the shift."""

    alert: AlertPublic
    step: DispositionPublic


class HandoverPublic(BaseModel):
    """What one shift hands to the next, as it stood at the shift's end."""

    from_utc: str
    to_utc: str
    raised: int = Field(description="alerts raised in the shift")
    open: list[AlertPublic] = Field(description="open and acknowledged, most severe first, newest among these")
    left_out: int = Field(description="open alerts the list had no room for")
    decided: list[DecidedPublic] = Field(description="confirmed, dismissed and reopened in the shift, in order")


def house_of(request: Request) -> House:
    """The running service."""
    house = request.app.state.house
    assert isinstance(house, House)
    return house


def table_of_alert(house: House, parameters: Mapping[str, str]) -> str | None:
    """The table an alert is about, for the door; None where that is no number of an alert."""
    number = parameters["alert_id"]
    is_one = number.isascii() and number.isdigit() and int(number) <= LARGEST_ID
    return house.store.alert(int(number)).table_id if is_one else None


def seen_by(request: Request) -> frozenset[str] | None:
    """The tables whose alerts the one who asks may see, None for all."""
    return principal_of(request).tables_for(Permission.ALERTS_READ)


def shown(alert: Alert) -> dict[str, Any]:
    """An alert as the interface shows it."""
    finding = alert.finding
    kept = (
        "citation",
        "round_id",
        "seat",
        "area",
        "t_s",
        "since_s",
        "text",
        "expected",
        "seen",
        "owed_cents",
        "paid_cents",
    )
    return {
        "id": alert.seq, "status": alert.status.value, "assignee": alert.assignee, "sightings": alert.sightings, "kind": alert.kind.value,
        "table_id": alert.table_id, "game": alert.game, "origin": alert.origin,
        "run_id": alert.run_id, "raised_utc": alert.raised_utc, "finding_id": alert.finding_id,
        "check_id": alert.check_id, "severity": alert.severity, "law": sentence(finding["citation"], alert.law_day or moment_of(alert.raised_utc).date()),
        "title": words.title(finding),
        **{name: finding[name] for name in kept},
        "consequence": finding.get("consequence", ""), "confidence": finding.get("confidence", 1.0),
        **{name: list(finding.get(name, ())) for name in ("readings", "events", "frames")},
        "evidence": [{"name": n, "caption": caption, "url": f"/api/alerts/{alert.seq}/evidence/{n}"} for n, caption in alert.evidence],
        "history": [shown_step(step) for step in alert.history],
    }  # fmt: skip


def shown_step(step: Disposition) -> dict[str, Any]:
    """A step as the interface shows it."""
    return {
        "action": step.action.value, "status": step.status.value, "reason": step.reason, "by": step.by,
        "at_utc": step.at_utc, "assignee": step.assignee,
    }  # fmt: skip


def public(alert: Alert) -> AlertPublic:
    """An alert, checked against what the interface promises."""
    return AlertPublic.model_validate(shown(alert))


SeverityName = Literal["critical", "warning", "info"]


def wanted_alerts(
    request: Request,
    table_id: Annotated[Text | None, Query(description="only this table")] = None,
    game: Annotated[Text | None, Query(description="only tables of this game")] = None,
    severity: Annotated[SeverityName | None, Query(description="only this severity")] = None,
    check_id: Annotated[Text | None, Query(description="only this check")] = None,
    origin: Annotated[
        Literal["live", "review"] | None, Query(description="only alerts of live tables, or of reviews")
    ] = None,
    kind: Annotated[AlertKind | None, Query(description="only checks of the law, or only cameras")] = None,
    assignee: Annotated[Text | None, Query(description="only alerts assigned to this person")] = None,
    section: Annotated[
        Text | None, Query(max_length=200, description="part of the citation, or of the sentence of law it names")
    ] = None,
) -> AlertFilter:
    """Which alerts lists and streams are asked for."""
    return AlertFilter(
        table_id=table_id, game=game, severity=severity, check_id=check_id, origin=origin, kind=kind, assignee=assignee,
        text=section, tables=seen_by(request),
    )  # fmt: skip


Wanted = Annotated[AlertFilter, Depends(wanted_alerts)]


@router.get("/alerts")
@needs(Permission.ALERTS_READ)
def list_alerts(
    request: Request,
    wanted: Wanted,
    status: Annotated[Status | None, Query(description="only alerts that stand so")] = None,
    standing: Annotated[bool, Query(description="only alerts that nobody has closed yet")] = False,
    from_utc: Annotated[Moment | None, Query(description="raised at or after this moment")] = None,
    to_utc: Annotated[Moment | None, Query(description="raised before this moment")] = None,
    order: Annotated[Order, Query(description="newest first, or most severe first")] = Order.NEWEST,
    before_id: Annotated[
        int | None, Query(ge=1, le=2**31 - 1, description="last alert of the page before; gives the next page")
    ] = None,
    limit: PageSize = 50,
) -> AlertPage:
    """A page of alerts with how many there are; the counts are of all statuses, whichever is listed."""
    store = house_of(request).store
    if before_id is not None:
        store.alert(before_id)  # behind none there is no page, and its first one would be given again without end
    last = store.last_position()
    wanted = replace(wanted, from_utc=from_utc, to_utc=to_utc)
    counted = store.counts(wanted)
    listed = replace(wanted, status=status, standing=standing)
    found = store.alerts(listed, limit=limit + 1, before_seq=before_id, order=order)
    page, next_before = page_of(found, limit, lambda alert: alert.seq)
    return AlertPage(
        alerts=[public(alert) for alert in page],
        counts=counts_shown(counted),
        last_id=last,
        next_before_id=next_before,
    )


def counts_shown(counts: Counts) -> CountsPublic:
    """Counts as the interface shows them."""
    return CountsPublic(by_status=dict(counts.by_status), by_severity=dict(counts.by_severity), exact=counts.exact)


@router.get("/alerts/stream", response_class=StreamingResponse, responses={200: {"content": {"text/event-stream": {}}}})
@needs(Permission.ALERTS_READ)
async def stream_alerts(
    request: Request,
    wanted: Wanted,
    since_id: Annotated[
        int | None, Query(ge=0, le=2**63 - 1, description="begin after this change; without it, with the next new one")
    ] = None,
    last_event_id: Annotated[
        str | None, Header(description="sent by browsers that reconnect; wins over since_id")
    ] = None,
) -> StreamingResponse:
    """What happens to alerts as Server-Sent Events, resuming after `Last-Event-ID`.

    `event: alert` for a new alert, `event: change` for a step someone took with one; `id:` is the change's position.
    """
    house = house_of(request)
    newest = await run_in_threadpool(house.store.last_position)
    after = newest if since_id is None else since_id
    if last_event_id is not None:
        if not last_event_id.isascii() or not last_event_id.isdigit() or len(last_event_id) > 18:
            raise ServiceError(
                f"Last-Event-ID must be the id of an event, got {last_event_id[:40]!r}", do="Send the last id received"
            )
        after = int(last_event_id)
    if after > newest:
        after = 0
    lines: AsyncIterator[str] = house.feed.stream(
        house.store, wanted, after=after, shown=shown, gone=request.is_disconnected
    )
    return StreamingResponse(
        lines, media_type="text/event-stream", headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    )


@router.get("/alerts/{alert_id}")
@needs(Permission.ALERTS_READ, what="alerts.read", about="alert {alert_id}", table_of=table_of_alert)
def get_alert(request: Request, alert_id: Id) -> AlertPublic:
    """One alert."""
    return public(house_of(request).store.alert(alert_id))


@router.get("/alerts/{alert_id}/events")
@needs(Permission.ALERTS_READ, what="alerts.read", about="events around alert {alert_id}", table_of=table_of_alert)
def get_alert_events(request: Request, alert_id: Id) -> list[dict[str, Any]]:
    """The events around an alert: from ten seconds before it began to two seconds after it was decided."""
    store = house_of(request).store
    alert = store.alert(alert_id)
    return store.events(alert.run_id, from_s=alert.finding["since_s"] - 10.0, to_s=alert.finding["t_s"] + 2.0)


@router.post("/alerts/{alert_id}/disposition")
@needs(Permission.ALERTS_HANDLE, what="alerts.handle", about="alert {alert_id}", table_of=table_of_alert)
def post_disposition(request: Request, alert_id: Id, given: DispositionCreate) -> AlertPublic:
    """Acknowledges, confirms or dismisses an alert; repeating the same changes nothing."""
    house = house_of(request)
    alert = house.store.dispose(
        alert_id, given.status, reason=given.reason, by=principal_of(request).signature, at_utc=house.now()
    )
    house.feed.notify()
    return public(alert)


@router.post("/alerts/{alert_id}/steps")
@needs(Permission.ALERTS_HANDLE, what="alerts.handle", about="alert {alert_id}", table_of=table_of_alert)
def post_step(request: Request, alert_id: Id, given: StepCreate) -> AlertPublic:
    """Takes a step with an alert: acknowledge, comment, confirm, dismiss, assign; reopening needs a permission of its own."""
    house = house_of(request)
    if given.action is Action.REOPEN:
        principal_of(request).verify(Permission.ALERTS_REOPEN, house.store.alert(alert_id).table_id)
    alert = house.store.take_step(
        alert_id,
        given.action,
        by=principal_of(request).signature,
        at_utc=house.now(),
        reason=given.reason,
        assignee=given.assignee,
    )
    house.feed.notify()
    return public(alert)


@router.get("/handover")
@needs(Permission.ALERTS_READ, what="alerts.handover", about="shift hand-over")
def get_handover(
    request: Request,
    from_utc: Annotated[Moment, Query(description="when the shift began")],
    to_utc: Annotated[Moment | None, Query(description="when it ended; now if not given")] = None,
    table_id: Annotated[Text | None, Query(description="only this table")] = None,
) -> HandoverPublic:
    """What one shift hands to the next: open and acknowledged alerts, and what was decided, as it stood at its end."""
    house = house_of(request)
    until = to_utc or house.now()
    if not timedelta(0) < until - from_utc <= LONGEST_SHIFT:
        raise ServiceError("a shift begins before it ends and lasts a week at most", where="from_utc", do="Correct it")
    shift = house.store.handover(from_utc, until, AlertFilter(table_id=table_id, tables=seen_by(request)))
    return HandoverPublic(
        from_utc=stamp(from_utc),
        to_utc=stamp(until),
        raised=shift.raised,
        open=[public(alert) for alert in shift.open],
        left_out=shift.left_out,
        decided=[
            DecidedPublic(alert=public(alert), step=DispositionPublic.model_validate(shown_step(step)))
            for alert, step in shift.decided
        ],
    )


@router.get(
    "/alerts/{alert_id}/evidence/{name}", response_class=Response, responses={200: {"content": {"image/jpeg": {}}}}
)
@needs(Permission.EVIDENCE_READ, what="evidence.read", about="alert {alert_id}, {name}", table_of=table_of_alert)
def get_evidence(request: Request, alert_id: Id, name: str) -> Response:
    """A picture of an alert; names are only looked up in the store, never on disk."""
    picture = house_of(request).store.evidence(alert_id, name)
    return Response(picture.content, media_type=picture.media_type)


ALL_METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]


@behind.api_route("/{path:path}", methods=ALL_METHODS, include_in_schema=False)
@needs(None)
def nothing_here(request: Request, path: str) -> Response:
    """Every other address below /api, so that its answer has the one shape of error too."""
    if request.app.book.methods(request.url.path):
        raise HTTPException(HTTPStatus.METHOD_NOT_ALLOWED)
    raise NotFoundError(f"there is nothing at /api/{path}", do="See /docs for what there is")
