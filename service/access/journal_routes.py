"""The interface of the log: who saw, exported and changed what."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field

from service.access.journal import COLUMNS, JournalEntry, JournalFilter, head_from_text
from service.access.needs import access_of, needs, principal_of
from service.access.roles import Permission
from service.export.columns import Column, Kind
from service.export.csv_file import csv_lines
from service.stamps import stamp
from service.web.answers import ErrorAnswer
from service.web.bodies import StrictRoute
from service.web.fields import LARGEST_ID, Moment, Text
from service.web.paging import LongPageSize, page_of

CSV_COLUMNS = tuple(Column(name, Kind.WHOLE if name == "number" else Kind.TEXT) for name in COLUMNS)
router = APIRouter(prefix="/api", tags=["access"], responses={401: {"model": ErrorAnswer}, 403: {"model": ErrorAnswer}}, route_class=StrictRoute)  # fmt: skip


class JournalPage(BaseModel):
    """Rows of the log, newest first."""

    rows: list[dict[str, Any]]
    next_before: int | None


class JournalChecked(BaseModel):
    """What a verification of the log found."""

    rows: int
    head: str = Field(
        description="number and hash of the newest row; keep it elsewhere to prove later that nothing was cut off"
    )
    faults: list[str]


def journal_filter(
    request: Request,
    who: Annotated[Text | None, Query(max_length=180)] = None,
    what: Annotated[
        Text | None, Query(max_length=40, description="e.g. sign-in, or alerts. for all that begin so")
    ] = None,
    table_id: Annotated[Text | None, Query(max_length=80)] = None,
    outcome: Annotated[Text | None, Query(max_length=20, description="done, refused or failed")] = None,
    address: Annotated[Text | None, Query(max_length=80)] = None,
    since: Annotated[Moment | None, Query(description="from this moment on")] = None,
    until: Annotated[Moment | None, Query(description="before this moment")] = None,
) -> JournalFilter:
    """Which rows someone asks for, as far as they may see them."""
    tables = principal_of(request).tables_for(Permission.JOURNAL_READ)
    return JournalFilter(
        who, what, table_id, outcome, address, stamp(since) if since else None, stamp(until) if until else None, tables
    )


@router.get("/journal")
@needs(Permission.JOURNAL_READ, what="journal.read", about="the log")
def list_journal(
    request: Request,
    wanted: Annotated[JournalFilter, Depends(journal_filter)],
    before: Annotated[int | None, Query(ge=1, le=LARGEST_ID, description="only older rows than this one")] = None,
    limit: LongPageSize = 100,
) -> JournalPage:
    """Who saw, exported and changed what; reading it is logged too."""
    found = access_of(request).journal.page(wanted, limit=limit + 1, before=before)
    entries, last = page_of(found, limit, lambda entry: entry.number)
    return JournalPage(rows=[_row(entry) for entry in entries], next_before=last)


@router.get("/journal.csv", response_class=StreamingResponse, responses={200: {"content": {"text/csv": {}}}})
@needs(Permission.JOURNAL_EXPORT, what="journal.export", about="the log as CSV")
def export_journal(request: Request, wanted: Annotated[JournalFilter, Depends(journal_filter)]) -> StreamingResponse:
    """The log as CSV, oldest first, up to this moment; the head of the chain stands in the last line."""
    journal = access_of(request).journal
    number, sha = journal.head()
    lines = csv_of(journal.rows(wanted, up_to=number), head=f"{number}:{sha}")
    return StreamingResponse(
        lines, media_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": 'attachment; filename="pitwatch-journal.csv"', "X-Journal-Head": f"{number}:{sha}"},
    )  # fmt: skip


@router.get("/journal/check")
@needs(Permission.JOURNAL_READ, what="journal.check", about="the chain of the log")
def check_journal(
    request: Request,
    head: Annotated[str | None, Query(max_length=90, description="a head noted earlier, NUMBER:SHA256")] = None,
) -> JournalChecked:
    """Reads the whole chain and names every row that was changed, removed, put in or cut off."""
    check = access_of(request).journal.verify(known_head=head_from_text(head) if head else None)
    return JournalChecked(rows=check.rows, head=check.head, faults=list(check.faults))


def csv_of(rows: Iterator[JournalEntry], *, head: str) -> Iterator[bytes]:
    """Rows as CSV, the head of the chain in the last line."""
    yield from csv_lines(CSV_COLUMNS, (_row(entry) for entry in rows))
    yield f"# head,{head}\r\n".encode()


def _row(entry: JournalEntry) -> dict[str, Any]:
    return {name: getattr(entry, name) for name in COLUMNS}
