"""The HTTP interface of reviews: order, follow, cancel; the recording, its timeline, reports and exports; rounds found."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi import Path as PathParameter
from fastapi.responses import Response, StreamingResponse
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from service.access.needs import needs, principal_of
from service.access.roles import Permission
from service.errors import NotFoundError
from service.export.formats import parse_format
from service.reviews.correcting import correct_recording
from service.reviews.office import Office
from service.reviews.queue import Ordered, State
from service.reviews.results import COLUMNS, PAGE, PDF, export_result
from service.reviews.rounds import FoundRound, find_rounds
from service.reviews.work import EVIDENCE, FINDINGS, ROUNDS, json_lines_of
from service.screens import words
from service.web.bodies import StrictRoute
from service.web.fields import LARGEST_ID, Text, in_digits
from service.web.files import RangedFile
from service.web.paging import PageSize, page_of

router = APIRouter(prefix="/api", route_class=StrictRoute)
Id = Annotated[int, BeforeValidator(in_digits), PathParameter(ge=0, le=LARGEST_ID)]
NO_SCRIPTS = {"Content-Security-Policy": "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'"}
"""A report is a page made from what a recording showed: it runs nothing and fetches nothing."""
PLAYED = {
    ".mp4": "video/mp4",
    ".m4v": "video/mp4",
    ".mov": "video/mp4",
    ".webm": "video/webm",
    ".mkv": "video/x-matroska",
}


RECORDED = "when the recording began, with its offset or on the house's clock; empty: as a file beside it, its name or itself says"


class ReviewPublic(BaseModel):
    """A review and how it stands."""

    id: int
    name: str
    table_id: str
    game: str
    ordered_by: str
    ordered_utc: str
    state: State
    reason: str = Field(description="why it failed, or stands as it does")
    started_utc: str | None
    ended_utc: str | None
    t_s: float = Field(description="seconds of the recording reviewed")
    of_s: float | None = Field(description="seconds of the recording in all, null where unknown")
    share: float | None = Field(description="0 to 1, null where unknown")
    speed: float | None = Field(description="seconds of recording reviewed a second")
    left_s: float | None = Field(description="seconds still to wait, null where unknown")
    breaches: int
    rounds: int
    attempt: int
    run_id: str | None
    recorded_at: str = Field(description="when the recording began, with its offset; empty where nobody knows")
    recorded_by: str = Field(description="who says so, or why it is not known")


class ReviewPage(BaseModel):
    """Reviews, newest first, and how to get older ones."""

    reviews: list[ReviewPublic]
    next_before_id: int | None = Field(description="pass as before_id for the next page, null on the last")


class ReviewCreate(BaseModel):
    """A recording, or a folder of them, below the folders of recordings."""

    model_config = ConfigDict(extra="forbid")

    path: Text = Field(min_length=1, max_length=1000)
    table_id: Text | None = Field(None, max_length=80, description="null takes table.yaml beside the recording")
    recorded: Text = Field("", max_length=60, description=RECORDED)


class RecordedCreate(BaseModel):
    """When the recording of a review began."""

    model_config = ConfigDict(extra="forbid")

    recorded: Text = Field(min_length=1, max_length=60, description=RECORDED)


class RoundPage(BaseModel):
    """Rounds, newest first."""

    rounds: list[FoundRound]
    next_before: int | None = Field(description="pass as before for the next page, null on the last")


def office_of(request: Request) -> Office:
    """Where reviews are ordered.

    Raises:
        NotFoundError: this service takes none.
    """
    office: Office | None = request.app.state.house.office
    if office is None:
        raise NotFoundError("this service takes no reviews", do="Start it with --review-folder FOLDER")
    return office


def asker(request: Request) -> str:
    """The name of the one who asks."""
    return principal_of(request).name


def seen_tables(request: Request) -> frozenset[str] | None:
    """The tables whose reviews the one who asks may see, None for all."""
    return principal_of(request).tables_for(Permission.REVIEWS_READ)


def ordering(request: Request) -> Callable[[str], None]:
    """Raises for tables whose reviews the one who asks may not order."""
    return lambda table_id: principal_of(request).verify(Permission.REVIEWS_RUN, table_id)


def table_of_review(house: Any, parameters: Mapping[str, str]) -> str | None:
    """The table a review is about, for the door; None where that is no number of a review."""
    number = parameters["review_id"]
    is_one = house.office is not None and number.isascii() and number.isdigit() and int(number) <= LARGEST_ID
    return str(house.office.queue.get(int(number)).table_id) if is_one else None


def shown(one: Ordered) -> ReviewPublic:
    """A review as the interface gives it."""
    kept = {name: getattr(one, name) for name in ReviewPublic.model_fields if name not in ("id",)}
    return ReviewPublic(id=one.review_id, **kept)


@router.get("/reviews")
@needs(Permission.REVIEWS_READ)
def list_reviews(
    request: Request, state: State | None = None, before_id: int | None = None, limit: PageSize = 50
) -> ReviewPage:  # fmt: skip
    """Reviews, newest first."""
    found = office_of(request).queue.page(before=before_id, limit=limit + 1, state=state, tables=seen_tables(request))
    page, last = page_of(found, limit, lambda one: one.review_id)
    return ReviewPage(reviews=[shown(one) for one in page], next_before_id=last)


@router.post("/reviews", status_code=201)
@needs(Permission.REVIEWS_RUN, what="reviews.order", about="recordings in a folder")
def order_reviews(request: Request, order: ReviewCreate) -> list[ReviewPublic]:
    """Orders the review of a recording, or of every recording in a folder."""
    office = office_of(request)
    ordered = office.order(
        order.path, table_id=order.table_id, by=asker(request), now=now_of(request), may=ordering(request),
        recorded=order.recorded,
    )  # fmt: skip
    return [shown(one) for one in ordered]


@router.post("/reviews/upload", status_code=201)
@needs(Permission.REVIEWS_RUN, what="reviews.order", about="a recording dropped in", upload=True)
async def upload_recording(
    request: Request,
    name: Annotated[str, Query(max_length=400)],
    table_id: Annotated[str, Query(max_length=80)],
    recorded: Annotated[str, Query(max_length=60, description=RECORDED)] = "",
) -> ReviewPublic:
    """Takes a recording as the body of the request, straight to the disk, and orders its review."""
    office = office_of(request)
    ordering(request)(table_id)
    ordered = await office.receive(
        name, request.stream(), table_id=table_id, by=asker(request), now=now_of(request), recorded=recorded
    )  # fmt: skip
    return shown(ordered)


@router.get("/reviews/tables")
@needs(Permission.REVIEWS_RUN)
def list_known_tables(request: Request) -> list[str]:
    """Tables that recordings may be reviewed for."""
    who = principal_of(request)
    return [name for name in sorted(office_of(request).settings.tables) if who.may(Permission.REVIEWS_RUN, name)]


@router.get("/reviews/{review_id}")
@needs(Permission.REVIEWS_READ, table_of=table_of_review)
def get_review(request: Request, review_id: Id) -> ReviewPublic:
    """One review."""
    return shown(_review(request, review_id))


@router.post("/reviews/{review_id}/cancel")
@needs(Permission.REVIEWS_RUN, what="reviews.cancel", about="review {review_id}", table_of=table_of_review)
def cancel_review(request: Request, review_id: Id) -> ReviewPublic:
    """Cancels a review; what it has done so far is kept, so that it can go on."""
    _review(request, review_id)
    return shown(office_of(request).queue.cancel(review_id, now=now_of(request)))


@router.post("/reviews/{review_id}/retry")
@needs(Permission.REVIEWS_RUN, what="reviews.retry", about="review {review_id}", table_of=table_of_review)
def retry_review(request: Request, review_id: Id) -> ReviewPublic:
    """Puts a cancelled or failed review back into the queue; it goes on where it stopped."""
    _review(request, review_id)
    return shown(office_of(request).queue.retry(review_id))


@router.post("/reviews/{review_id}/recorded")
@needs(Permission.REVIEWS_RUN, what="reviews.correct", about="time of the recording of review {review_id}", table_of=table_of_review)  # fmt: skip
def post_recorded(request: Request, review_id: Id, given: RecordedCreate) -> ReviewPublic:
    """Corrects when the recording was made; rounds, audit and reports follow, and the log says what it was before."""
    house, who, one = request.app.state.house, principal_of(request), _review(request, review_id)
    done = correct_recording(
        house.store, one, given.recorded, plan=house.shifts, by=who.signature, now=now_of(request)
    )  # fmt: skip
    house.access.note(who, "reviews.corrected", f"review {review_id}, {one.name}: {done.said}", table_id=one.table_id)
    return shown(_review(request, review_id))


@router.get("/reviews/{review_id}/video", response_class=RangedFile)
@needs(
    Permission.REVIEWS_READ,
    what="reviews.watch",
    about="recording of review {review_id}",
    seldom=True,
    table_of=table_of_review,
)
def get_video(request: Request, review_id: Id) -> RangedFile:
    """The recording; in parts where a Range is asked for."""
    path = Path(_review(request, review_id).video)
    if not path.is_file():
        raise NotFoundError(
            "the recording is no longer there", where=path.name, do="The results of its review are kept"
        )
    return RangedFile(path, media_type=PLAYED.get(path.suffix.lower(), "application/octet-stream"))


@router.get("/reviews/{review_id}/report.html", response_class=RangedFile)
@needs(Permission.REVIEWS_READ, what="reviews.read", about="report of review {review_id}", table_of=table_of_review)
def get_report_page(request: Request, review_id: Id) -> RangedFile:
    """The report as a page."""
    folder = office_of(request).result(_review(request, review_id))
    return RangedFile(folder / PAGE, media_type="text/html; charset=utf-8", headers=NO_SCRIPTS)


@router.get("/reviews/{review_id}/report.pdf", response_class=RangedFile)
@needs(
    Permission.REVIEWS_READ,
    what="reviews.export",
    about="report of review {review_id} as PDF",
    table_of=table_of_review,
)
def get_report_pdf(request: Request, review_id: Id) -> RangedFile:
    """The report as a PDF."""
    one = _review(request, review_id)
    name = f"review {one.review_id} {Path(one.name).stem}.pdf"
    return RangedFile(office_of(request).result(one) / PDF, media_type="application/pdf", filename=name, content_disposition_type="inline")  # fmt: skip


@router.get("/reviews/{review_id}/export/{what}.{ending}", response_class=StreamingResponse)
@needs(
    Permission.REVIEWS_READ,
    what="reviews.export",
    about="{what} of review {review_id} as {ending}",
    table_of=table_of_review,
)
def export_review(request: Request, review_id: Id, what: str, ending: str) -> StreamingResponse:
    """Events, rounds, payouts or findings as `jsonl`, `csv` or `parquet`, streamed."""
    if what not in COLUMNS:
        raise NotFoundError(f"there is no export of {what!r}", do=f"Use one of {', '.join(COLUMNS)}")
    one, form = _review(request, review_id), parse_format(ending)
    blocks = export_result(office_of(request).result(one), what, form)
    name = f"review-{one.review_id}-{what}.{form.value}"
    return StreamingResponse(
        blocks, media_type=form.media_type, headers={"Content-Disposition": f'attachment; filename="{name}"'}
    )  # fmt: skip


@router.get("/reviews/{review_id}/timeline")
@needs(Permission.REVIEWS_READ, what="reviews.read", about="timeline of review {review_id}", table_of=table_of_review)
def get_timeline(request: Request, review_id: Id) -> dict[str, Any]:
    """Rounds and breaches by capture time: what is drawn below the recording."""
    one = _review(request, review_id)
    folder = office_of(request).result(one)
    return {
        "seconds": json.loads((folder / "run.json").read_text(encoding="utf-8"))["seconds"],
        "rounds": list(timeline_rounds(folder)),
        "findings": list(timeline_findings(folder, review_id, office_of(request).queue.alerts_of(one))),
    }


def timeline_rounds(folder: Path) -> Iterator[dict[str, Any]]:
    """Each round with what people call its cards."""
    for record in json_lines_of(folder / ROUNDS):
        yield {
            "round_id": record["round_id"], "number": record["number"], "opened_s": record["opened_s"],
            "closed_s": record["closed_s"], "complete": record["complete"],
            "community": " ".join(map(words.card, record["community"])),
            "dealer": " ".join(map(words.card, record.get("dealer") or ())),
            "seats": [{"seat": s["seat"], "cards": " ".join(map(words.card, s["cards"])), "folded": s["folded"]} for s in record["seats"]],
        }  # fmt: skip


def timeline_findings(folder: Path, review_id: Id, alerts: Mapping[str, int]) -> Iterator[dict[str, Any]]:
    """Each breach with its pictures and the number of its alert, in order of time."""
    breaches = [f for f in json_lines_of(folder / FINDINGS) if f["verdict"] == "breach"]
    for finding in sorted(breaches, key=lambda f: float(f["t_s"])):
        pictures = folder / EVIDENCE / finding["finding_id"]
        kept = (
            "finding_id",
            "check_id",
            "severity",
            "citation",
            "round_id",
            "t_s",
            "since_s",
            "expected",
            "consequence",
        )
        shots = sorted(path.name for path in pictures.glob("*_close.jpg")) or sorted(path.name for path in pictures.glob("*_marked.jpg"))  # fmt: skip
        yield {name: finding.get(name) for name in kept} | {
            "title": words.title(finding),
            "alert_id": alerts.get(finding["finding_id"]),
            "pictures": [f"/api/reviews/{review_id}/evidence/{finding['finding_id']}/{name}" for name in shots],
        }


@router.get("/reviews/{review_id}/events")
@needs(Permission.REVIEWS_READ, table_of=table_of_review)
def get_events(
    request: Request, review_id: Id, from_s: float = 0.0, to_s: float = 1e12, limit: Annotated[int, Query(ge=1, le=2000)] = 500
) -> list[dict[str, Any]]:  # fmt: skip
    """Events between two capture times, each with what it says in words."""
    one = _review(request, review_id)
    if one.run_id is None:
        return []
    found = request.app.state.house.store.events(one.run_id, from_s=from_s, to_s=to_s, limit=limit)
    return [event | dict(zip(("title", "said"), words.event(event), strict=True)) for event in found]


@router.get("/reviews/{review_id}/evidence/{finding_id}/{name}", response_class=Response)
@needs(
    Permission.REVIEWS_READ,
    what="evidence.read",
    about="review {review_id}, {finding_id}, {name}",
    table_of=table_of_review,
)
def get_picture(request: Request, review_id: Id, finding_id: str, name: str) -> Response:
    """A picture of a breach."""
    folder = office_of(request).result(_review(request, review_id)) / EVIDENCE
    path = folder / finding_id / name
    if not (finding_id.isalnum() and path.suffix == ".jpg" and path.parent.parent == folder and path.is_file()):
        raise NotFoundError("there is no such picture", do="See the names in the timeline")
    return Response(path.read_bytes(), media_type="image/jpeg", headers={"Cache-Control": "private, max-age=3600"})


@router.get("/rounds")
@needs(Permission.REVIEWS_READ)
def search_rounds(
    request: Request, q: Annotated[str, Query(max_length=500, description="see docs/guides/investigator.md")] = "",
    review_id: int | None = None, before: int | None = None, limit: PageSize = 50,
) -> RoundPage:  # fmt: skip
    """Rounds found by card, hand, wager, amount and finding, newest first."""
    run_id = None if review_id is None else (_review(request, review_id).run_id or "")
    store = request.app.state.house.store
    found = find_rounds(store, q, run_id=run_id, tables=seen_tables(request), before=before, limit=limit + 1)
    rounds, last = page_of(found, limit, lambda one: one.number)
    return RoundPage(rounds=rounds, next_before=last)


def now_of(request: Request) -> datetime:
    """The wall clock."""
    now: datetime = request.app.state.house.now()
    return now


def _review(request: Request, review_id: int) -> Ordered:
    """The review; the door has already asked whether the one who asks may see its table."""
    return office_of(request).queue.get(review_id)
