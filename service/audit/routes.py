"""The audit over HTTP: payout accuracy, trend, mispayments down to the round, reconciliation, samples, exports."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response, StreamingResponse
from pydantic import BaseModel, ConfigDict, Field

from service.access.needs import needs, principal_of
from service.access.roles import Permission
from service.audit.exceptions import Exceptional, Exceptions, RoundDetail
from service.audit.questions import By, Questions, Scope, limited, read_by, read_days
from service.audit.reconciling import Reconciliation, reconcile, recount
from service.audit.report import blocks, gather
from service.audit.rows import (
    MISPAYMENT_COLUMNS,
    TREND_COLUMNS,
    accuracy_columns,
    accuracy_row,
    mispayment_rows,
    trend_rows,
)
from service.audit.sampling import Drawn, Plan, Result, Sample, Samples
from service.audit.video import Alarm, VideoRounds
from service.errors import NotFoundError
from service.export.columns import Column
from service.export.formats import export_rows, parse_format
from service.export.pdf import write_pdf
from service.web.api import house_of
from service.web.bodies import StrictRoute
from service.web.fields import Text
from service.web.paging import LongPageSize, PageSize, page_of

router = APIRouter(prefix="/api/audit", tags=["audit"], route_class=StrictRoute)

Listed = Annotated[list[str] | None, Query()]
ByNames = Annotated[list[str] | None, Query(description="game, table, wager, line, shift, dealer, day; several count by all together")]  # fmt: skip


class SampleCreate(BaseModel):
    """A sampling plan to draw."""

    model_config = ConfigDict(extra="forbid")

    confidence: float = Field(0.95, ge=0.5, le=0.9999)
    tolerable: float = Field(0.01, ge=0.0001, le=0.5, description="rate of differing rounds that is still borne")
    allowed: int = Field(0, ge=0, le=50, description="differing rounds the sample may hold and still pass")
    strata: list[str] = Field(default_factory=lambda: ["table", "shift"], max_length=5)
    seed: int = Field(1, ge=0, le=2**53)


class ResultCreate(BaseModel):
    """What was seen when a round was checked by eye."""

    model_config = ConfigDict(extra="forbid")

    result: Result
    note: Text = Field("", max_length=2000)


def wanted_scope(
    request: Request,
    first: Annotated[str, Query(alias="from", description="first gaming day")] = "",
    last: Annotated[str, Query(alias="to", description="last gaming day, included")] = "",
    table: Listed = None,
    game: Listed = None,
    wager: Listed = None,
    line: Listed = None,
    shift: Listed = None,
    dealer: Listed = None,
) -> Scope:
    """The payouts asked for, of tables that the one who asks may audit."""
    many = (tuple(given or ()) for given in (table, game, wager, line, shift, dealer))
    scope = Scope(*read_days(first, last), *many)
    return limited(scope, principal_of(request).tables_for(Permission.AUDIT_READ))


Wanted = Annotated[Scope, Depends(wanted_scope)]


def questions_of(request: Request) -> Questions:
    """The books, brought up to date with what was seen on video."""
    house = house_of(request)
    house.seen.refresh(house.now())
    return house.questions


Books = Annotated[Questions, Depends(questions_of)]


@router.get("/accuracy")
@needs(Permission.AUDIT_READ, what="audit.read", about="payout accuracy", seldom=True)
def get_accuracy(wanted: Wanted, books: Books, by: ByNames = None) -> dict[str, Any]:
    """Payouts checked, right, over and under by any properties, with their 95% intervals, and all of them together."""
    groups = read_by(by or ["game"])
    whole = books.whole(wanted)
    rows = [accuracy_row(row, groups) for row in books.table(wanted, groups)]
    return {"scope": wanted.as_json(), "rounds": whole.rounds, "whole": accuracy_row(whole, ()), "rows": rows}


@router.get("/trend")
@needs(Permission.AUDIT_READ)
def get_trend(wanted: Wanted, books: Books) -> dict[str, Any]:
    """Mispayments day by day with control limits (exact binomial quantiles around the rate of the whole period)."""
    return {"days": list(trend_rows(books.trend(wanted)))}


@router.get("/mispayments")
@needs(Permission.AUDIT_READ)
def list_mispayments(
    wanted: Wanted,
    books: Books,
    undetermined: Annotated[bool, Query(description="those not determined, instead")] = False,
    before: Annotated[str, Query(max_length=80, description="next_before of the page before")] = "",
    limit: PageSize = 50,
) -> dict[str, Any]:
    """Wagers paid over or under, newest first."""
    found = Exceptions(books).page(wanted, undetermined=undetermined, before=before, limit=limit + 1)
    page, last = page_of(found, limit, lambda one: one.key)
    return {"mispayments": [shown(one) for one in page], "next_before": last}


@router.get("/rounds/{round_seq}")
@needs(Permission.AUDIT_READ, what="audit.read", about="round {round_seq}")
def get_round(request: Request, books: Books, round_seq: int) -> dict[str, Any]:
    """A round: every wager with the way to what was owed and its section, the round as it came, its alerts and pictures."""
    detail = Exceptions(books).round(round_seq)
    if not principal_of(request).may(Permission.AUDIT_READ, detail.table_id):
        raise NotFoundError(
            f"there is no round {round_seq} in the audit", do="Follow a link of the list of mispayments"
        )
    return shown_round(detail, alarms_of(books, detail))


@router.get("/reconciliation")
@needs(Permission.AUDIT_READ)
def get_reconciliation(wanted: Wanted, books: Books) -> dict[str, Any]:
    """The totals from sums that are kept apart from each other, and whether they agree."""
    return shown_books(reconcile(books, wanted))


@router.post("/recount")
@needs(Permission.AUDIT_READ, what="audit.recount", about="every payout added up again")
def post_recount(request: Request, wanted: Wanted, books: Books) -> dict[str, Any]:
    """Adds up every single payout and round again and holds them against the sums kept; the outcome is recorded."""
    by = principal_of(request).signature
    return shown_books(recount(books, wanted, now=house_of(request).now(), by=by))


@router.get("/choices")
@needs(Permission.AUDIT_READ)
def get_choices(request: Request, books: Books) -> dict[str, list[str]]:
    """Every game, table, wager, line, shift, dealer and day that occurs."""
    found = books.choices(principal_of(request).tables_for(Permission.AUDIT_READ))
    return {str(name): values for name, values in found.items()}


@router.get("/export/{what}.{form}", response_class=StreamingResponse)
@needs(Permission.AUDIT_EXPORT, what="audit.export", about="{what}.{form}")
def get_export(request: Request, wanted: Wanted, books: Books, what: str, form: str, by: ByNames = None) -> Response:
    """Accuracy, trend, mispayments or undetermined payouts as csv, parquet or jsonl; the whole report as pdf."""
    groups = read_by(by or ["game"])
    name = f'attachment; filename="pitwatch-{what}.{form}"'
    if (what, form) == ("report", "pdf"):
        file = io.BytesIO()
        found = gather(books, wanted, [groups] if by else [(one,) for one in (By.GAME, By.TABLE, By.WAGER, By.SHIFT)])
        footer = f"Payout accuracy, {wanted.words()}"
        write_pdf(
            file, blocks(Exceptions(books), found), title="Payout accuracy", made=house_of(request).now(), footer=footer
        )
        return Response(file.getvalue(), media_type="application/pdf", headers={"Content-Disposition": name})
    columns, rows = _rows(books, wanted, what, groups)
    kind = parse_format(form)
    return StreamingResponse(
        export_rows(kind, columns, rows), media_type=kind.media_type, headers={"Content-Disposition": name}
    )


def _rows(
    books: Questions, wanted: Scope, what: str, by: tuple[By, ...]
) -> tuple[tuple[Column, ...], Iterator[dict[str, Any]]]:
    exceptions = Exceptions(books)
    if what == "accuracy":
        return accuracy_columns(by), (accuracy_row(row, by) for row in books.table(wanted, by))
    if what == "trend":
        return TREND_COLUMNS, trend_rows(books.trend(wanted))
    if what in ("mispayments", "undetermined"):
        found = exceptions.all(wanted, undetermined=what == "undetermined")
        return MISPAYMENT_COLUMNS, mispayment_rows(exceptions, found)
    raise NotFoundError(
        f"there is no export {what!r}", do="Use accuracy, trend, mispayments, undetermined or report.pdf"
    )


@router.get("/samples")
@needs(Permission.AUDIT_READ)
def list_samples(request: Request, books: Books) -> list[dict[str, Any]]:
    """Sampling plans with what their results say so far, newest first."""
    return [shown_sample(one) for one in samples_of(request, books, Permission.AUDIT_READ).samples()]


@router.post("/samples")
@needs(Permission.AUDIT_IMPORT, what="audit.sample", about="a sample drawn")
def post_sample(request: Request, wanted: Wanted, books: Books, given: SampleCreate) -> dict[str, Any]:
    """Draws rounds to check by eye: as many as the plan asks for, from every stratum in proportion, by a seeded draw."""
    samples = samples_of(request, books, Permission.AUDIT_IMPORT)
    scope = limited(wanted, samples.tables)
    plan = Plan(scope, given.confidence, given.tolerable, given.allowed, read_by(given.strata), given.seed)
    return shown_sample(samples.draw(plan, by=principal_of(request).signature, now=house_of(request).now()))


@router.get("/samples/{sample_id}")
@needs(Permission.AUDIT_READ)
def get_sample(
    request: Request,
    books: Books,
    sample_id: int,
    after: Annotated[int, Query(ge=0, description="next_after of the page before")] = 0,
    limit: LongPageSize = 100,
) -> dict[str, Any]:
    """A sample and its rounds in the order drawn."""
    samples = samples_of(request, books, Permission.AUDIT_READ)
    found = samples.drawn(sample_id, after=after, limit=limit + 1)
    rounds, last = page_of(found, limit, lambda one: one.number)
    shown_rounds = [_shown_drawn(one) for one in rounds]
    return shown_sample(samples.sample(sample_id)) | {"rounds": shown_rounds, "next_after": last}


@router.post("/samples/{sample_id}/rounds/{number}")
@needs(Permission.AUDIT_IMPORT, what="audit.result", about="sample {sample_id}, round {number}")
def post_result(request: Request, books: Books, sample_id: int, number: int, given: ResultCreate) -> dict[str, Any]:
    """Records what was seen; a later entry stands instead of the earlier one, which is kept."""
    by, now = principal_of(request).signature, house_of(request).now()
    samples = samples_of(request, books, Permission.AUDIT_IMPORT)
    return shown_sample(samples.enter(sample_id, number, given.result, note=given.note, by=by, now=now))


def samples_of(request: Request, books: Questions, permission: Permission) -> Samples:
    """The samples of the tables for which the one who asks holds a permission."""
    return Samples(books, principal_of(request).tables_for(permission))


def shown(one: Exceptional) -> dict[str, Any]:
    """A mispayment as the interface shows it."""
    return asdict(one) | {"verdict": one.verdict.label, "difference_cents": one.difference_cents, "key": one.key}


def alarms_of(books: Questions, detail: RoundDetail) -> list[Alarm]:
    """The alerts of a round seen on video; none for a round that came without."""
    if not detail.run_id:
        return []
    return VideoRounds(books.database).alarms(detail.run_id, detail.document["round"])


def shown_round(detail: RoundDetail, alarms: list[Alarm]) -> dict[str, Any]:
    """A round as the interface shows it."""
    wagers = [asdict(w) | {"verdict": w.verdict.label, "difference_cents": w.difference_cents} for w in detail.wagers]
    plain = {name: value for name, value in asdict(replace(detail, wagers=())).items() if name != "wagers"}
    return plain | {"wagers": wagers, "alerts": [asdict(alarm) for alarm in alarms]}


def shown_books(found: Reconciliation) -> dict[str, Any]:
    """A reconciliation as the interface shows it."""
    accounts = [{"name": one.name, "rounds": one.rounds, **asdict(one.tally)} for one in found.accounts]
    return {"agrees": found.agrees, "disagreements": found.disagreements, "accounts": accounts}


def shown_sample(sample: Sample) -> dict[str, Any]:
    """A sample as the interface shows it."""
    plan = sample.plan
    return {
        "sample_id": sample.sample_id, "made_utc": sample.made_utc, "by": sample.by, "population": sample.population,
        "size": sample.size, "scope": plan.scope.as_json(), "confidence": plan.confidence, "tolerable": plan.tolerable,
        "allowed": plan.allowed, "strata": list(plan.by), "seed": plan.seed, "estimate": asdict(sample.estimate),
    }  # fmt: skip


def _shown_drawn(one: Drawn) -> dict[str, Any]:
    return asdict(one)
