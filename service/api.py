"""The HTTP interface: alerts, their evidence and dispositions, the event stream, the live tables."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Header, Query, Request
from fastapi.responses import Response, StreamingResponse
from pydantic import BaseModel, ConfigDict, Field

from service.errors import NotFoundError, ServiceError
from service.house import House
from service.law import sentence
from service.screens import words
from service.store import Alert, AlertFilter, Status

router = APIRouter(prefix="/api")


class ErrorBody(BaseModel):
    """What went wrong: a short code, a sentence, and what to do."""

    code: str
    message: str
    where: str | None = None
    do: str | None = None


class ErrorAnswer(BaseModel):
    """The one shape of every error."""

    error: ErrorBody


class DispositionPublic(BaseModel):
    """What someone decided about an alert."""

    status: Status
    reason: str
    by: str
    at_utc: str


class EvidencePublic(BaseModel):
    """A picture of an alert."""

    name: str
    caption: str
    url: str


class AlertPublic(BaseModel):
    """An alert: what was expected, what was seen, the law, the pictures, and how it stands."""

    id: int = Field(description="rises with every alert; the id in the event stream")
    status: Status
    table_id: str
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


class AlertPage(BaseModel):
    """Alerts, newest first, and how to get older ones."""

    alerts: list[AlertPublic]
    last_id: int = Field(description="newest alert of all; start the event stream here")
    next_before_id: int | None = Field(description="pass as before_id for the next page, null on the last")


class DispositionCreate(BaseModel):
    """A decision about an alert; closing one needs a reason."""

    model_config = ConfigDict(extra="forbid")

    status: Literal[Status.ACKNOWLEDGED, Status.CONFIRMED, Status.DISMISSED]
    reason: str = Field("", max_length=2000)
    by: str = Field("operator", min_length=1, max_length=80)


class TablePublic(BaseModel):
    """A live table and what it is doing."""

    table_id: str
    game: str
    source: str
    state: str
    detail: str
    t_s: float
    rounds: int
    alerts: dict[str, int] = Field(description="alerts of this table by status")


def house_of(request: Request) -> House:
    """The running service."""
    house = request.app.state.house
    assert isinstance(house, House)
    return house


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
        "id": alert.seq, "status": alert.status.value, "table_id": alert.table_id, "origin": alert.origin,
        "run_id": alert.run_id, "raised_utc": alert.raised_utc, "finding_id": alert.finding_id,
        "check_id": alert.check_id, "severity": alert.severity, "law": sentence(finding["citation"]),
        "title": words.title(finding),
        **{name: finding[name] for name in kept},
        "consequence": finding.get("consequence", ""), "confidence": finding.get("confidence", 1.0),
        **{name: list(finding.get(name, ())) for name in ("readings", "events", "frames")},
        "evidence": [{"name": n, "caption": caption, "url": f"/api/alerts/{alert.seq}/evidence/{n}"} for n, caption in alert.evidence],
        "history": [{"status": d.status.value, "reason": d.reason, "by": d.by, "at_utc": d.at_utc} for d in alert.history],
    }  # fmt: skip


TableId = Annotated[str | None, Query(description="only this table")]
SeverityName = Annotated[Literal["critical", "warning", "info"] | None, Query(description="only this severity")]
Origin = Annotated[Literal["live", "review"] | None, Query(description="only alerts of live tables, or of reviews")]


@router.get("/alerts")
def list_alerts(
    request: Request,
    table_id: TableId = None,
    severity: SeverityName = None,
    check_id: Annotated[str | None, Query(description="only this check")] = None,
    status: Annotated[Status | None, Query(description="only alerts that stand so")] = None,
    origin: Origin = None,
    before_id: Annotated[int | None, Query(ge=1, description="only older alerts than this one")] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> AlertPage:
    """Alerts, newest first."""
    store = house_of(request).store
    last = store.last_seq()
    wanted = AlertFilter(table_id=table_id, severity=severity, check_id=check_id, status=status, origin=origin)
    found = store.alerts(wanted, limit=limit + 1, before_seq=before_id)
    page = [AlertPublic.model_validate(shown(alert)) for alert in found[:limit]]
    return AlertPage(alerts=page, last_id=last, next_before_id=page[-1].id if len(found) > limit else None)


@router.get("/alerts/stream", response_class=StreamingResponse, responses={200: {"content": {"text/event-stream": {}}}})
async def stream_alerts(
    request: Request,
    table_id: TableId = None,
    severity: SeverityName = None,
    origin: Origin = None,
    since_id: Annotated[
        int | None, Query(ge=0, description="begin after this alert; without it, with the next new one")
    ] = None,
    last_event_id: Annotated[
        str | None, Header(description="sent by browsers that reconnect; wins over since_id")
    ] = None,
) -> StreamingResponse:
    """Alerts as Server-Sent Events (`event: alert`, the alert's id as `id:`), resuming after `Last-Event-ID`."""
    house = house_of(request)
    newest = house.store.last_seq()
    after = newest if since_id is None else since_id
    if last_event_id is not None:
        if not last_event_id.isascii() or not last_event_id.isdigit():
            raise ServiceError(
                f"Last-Event-ID must be the id of an alert, got {last_event_id[:40]!r}", do="Send the last id received"
            )
        after = int(last_event_id)
    if after > newest:
        after = 0
    wanted = AlertFilter(table_id=table_id, severity=severity, origin=origin, after_seq=after)
    lines: AsyncIterator[str] = house.feed.stream(house.store, wanted, shown=shown, gone=request.is_disconnected)
    return StreamingResponse(
        lines, media_type="text/event-stream", headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    )


@router.get("/alerts/{alert_id}")
def get_alert(request: Request, alert_id: int) -> AlertPublic:
    """One alert."""
    return AlertPublic.model_validate(shown(house_of(request).store.alert(alert_id)))


@router.get("/alerts/{alert_id}/events")
def get_alert_events(request: Request, alert_id: int) -> list[dict[str, Any]]:
    """The events around an alert: from ten seconds before it began to two seconds after it was decided."""
    store = house_of(request).store
    alert = store.alert(alert_id)
    return store.events(alert.run_id, from_s=alert.finding["since_s"] - 10.0, to_s=alert.finding["t_s"] + 2.0)


@router.post("/alerts/{alert_id}/disposition")
def post_disposition(request: Request, alert_id: int, given: DispositionCreate) -> AlertPublic:
    """Acknowledges, confirms or dismisses an alert; repeating the same changes nothing."""
    house = house_of(request)
    alert = house.store.dispose(alert_id, given.status, reason=given.reason, by=given.by, at_utc=house.now())
    return AlertPublic.model_validate(shown(alert))


@router.get(
    "/alerts/{alert_id}/evidence/{name}", response_class=Response, responses={200: {"content": {"image/jpeg": {}}}}
)
def get_evidence(request: Request, alert_id: int, name: str) -> Response:
    """A picture of an alert; names are only looked up in the store, never on disk."""
    picture = house_of(request).store.evidence(alert_id, name)
    return Response(
        picture.content, media_type=picture.media_type, headers={"Cache-Control": "private, max-age=86400, immutable"}
    )


@router.get("/tables")
def list_tables(request: Request) -> list[TablePublic]:
    """The live tables."""
    house = house_of(request)
    return [
        TablePublic.model_validate(table.about() | {"alerts": house.store.count(AlertFilter(table_id=table.table_id))})
        for table in house.tables.values()
    ]


@router.get("/tables/{table_id}/picture.jpg", response_class=Response, responses={200: {"content": {"image/jpeg": {}}}})
def get_picture(
    request: Request,
    table_id: str,
    marked: Annotated[bool, Query(description="draw what is seen on it")] = True,
    width: Annotated[int | None, Query(ge=160, le=3840, description="pixels, if smaller than the camera's own")] = None,
) -> Response:
    """The current picture of a table."""
    taken = house_of(request).table(table_id).picture(marked=marked, width=width)
    if taken is None:
        raise NotFoundError(f"table {table_id} has no picture yet", do="Try again in a moment")
    picture, frame_index = taken
    return Response(
        picture, media_type="image/jpeg", headers={"Cache-Control": "no-store", "X-Frame-Index": str(frame_index)}
    )


@router.api_route("/{path:path}", methods=["GET", "POST", "PUT", "PATCH", "DELETE"], include_in_schema=False)
def nothing_here(path: str) -> Response:
    """Every other address below /api, so that its answer has the one shape of error too."""
    raise NotFoundError(f"there is nothing at /api/{path}", do="See /docs for what there is")
