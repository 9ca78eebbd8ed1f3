"""The HTTP interface of evidence: bundles, clips and their frames, the chain, holds and retention."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field

from service.access.needs import needs, principal_of
from service.access.roles import ForbiddenError, Permission
from service.errors import NotFoundError
from service.evidence.bundle import AREAS, CLIP, SEEN
from service.evidence.chain import BUNDLES, CHAIN, Link, read_link
from service.evidence.erasing import Deletions
from service.evidence.index import Entry, Scope
from service.evidence.mp4 import frame_at
from service.evidence.pictures import encode
from service.evidence.retention import Due
from service.evidence.room import EvidenceRoom
from service.evidence.zips import zip_folder
from service.store import Alert
from service.web.api import house_of, table_of_alert
from service.web.bodies import StrictRoute
from service.web.fields import Id, Text
from service.web.files import RangedFile
from service.web.paging import LongPageSize, page_of

router = APIRouter(prefix="/api", route_class=StrictRoute)

PRIVATE = {"Cache-Control": "private, max-age=3600"}
Responses = dict[int | str, dict[str, Any]]
MP4: Responses = {200: {"content": {"video/mp4": {}}}, 206: {"content": {"video/mp4": {}}}}
JPEG: Responses = {200: {"content": {"image/jpeg": {}}}}
ZIP: Responses = {200: {"content": {"application/zip": {}}}}


class BundlePublic(BaseModel):
    """How an alert's bundle stands."""

    state: str = Field(description="pending, stored, clips_expired, expired or not_stored")
    detail: str = Field(description="why, where it is not stored or gone")
    number: int | None = Field(None, description="its link of the chain")
    name: str | None = None
    stored_utc: str | None = None
    bytes: int | None = None
    manifest_sha256: str | None = None
    files: list[str] = Field(default_factory=list)
    held: dict[str, str] | None = Field(None, description="by whom it is held, why, since when")


class FramePublic(BaseModel):
    """A frame of a clip and what was seen in it."""

    model_config = ConfigDict(extra="allow")

    n: int = Field(description="counted from 0; its picture is frames/{n}.jpg")
    t_s: float = Field(description="capture time in seconds")
    clip_s: float = Field(description="its time in clip.mp4")
    frame: int | None = Field(description="index of the frame after which this was known")
    gap: str | None = Field(None, description="why nothing was judged then")
    areas: int | None = Field(None, description="which of the clip's outlines of areas hold")


class FramesPublic(BaseModel):
    """The frames of a clip, `size_px` the size in which places are given."""

    alert_id: Id
    size_px: list[int]
    moment_s: float
    areas: list[dict[str, list[list[float]]]] = Field(
        description="corners of the areas in pixels by name, once for each way the camera stood"
    )
    frames: list[FramePublic]


class ChainPage(BaseModel):
    """Links of the chain, oldest first."""

    links: list[dict[str, Any]]
    head: dict[str, Any] = Field(description="the newest signed head; keep a copy elsewhere")
    next_after: int | None = Field(description="pass as after for the next page, null on the last")


class Reason(BaseModel):
    """Why something is ordered; it goes into the chain for ever, with who ordered it."""

    model_config = ConfigDict(extra="forbid")

    why: Text = Field(min_length=1, max_length=500)


class StoragePublic(BaseModel):
    """Room on the disk, and how writing goes."""

    free_bytes: int
    keep_free_bytes: int
    alarm: str | None
    waiting: int
    written: int
    refused: int
    bundles: int


class DuePublic(BaseModel):
    """What the retention allows to be deleted."""

    number: int
    name: str
    scope: Scope
    klass: str
    why: str

    @classmethod
    def of(cls, one: Due) -> DuePublic:
        """As the interface gives it."""
        return cls(number=one.number, name=one.name, scope=one.scope, klass=one.klass, why=one.why)


class ExpireCreate(BaseModel):
    """The order to delete what is due; `numbers` are those that were shown."""

    model_config = ConfigDict(extra="forbid")

    numbers: list[int] = Field(min_length=1, max_length=1000)


def _room(request: Request) -> EvidenceRoom:
    room = house_of(request).evidence
    if room is None:
        raise NotFoundError("this service keeps no evidence", do="Start it with --evidence FOLDER")
    return room


def _entry(request: Request, alert_id: Id) -> tuple[EvidenceRoom, Alert, Entry]:
    room, alert = _room(request), house_of(request).store.alert(alert_id)
    entry = room.vault.refresh().bundle_of(alert.run_id, alert.finding_id)
    if entry is None or Scope.BUNDLE in entry.expired:
        state = room.state_of(alert)
        raise NotFoundError(f"alert {alert_id} has no bundle here ({state['state']})", do=state["detail"] or None)
    return room, alert, entry


def _file(request: Request, alert_id: Id, name: str) -> Path:
    room, alert, entry = _entry(request, alert_id)
    path = room.vault.path_of(entry, name)
    if path is None:
        detail = room.state_of(alert)["detail"] or "see about.json in its bundle"
        raise NotFoundError(f"the bundle of alert {alert_id} has no {name}", do=detail)
    return path


@router.get("/alerts/{alert_id}/bundle")
@needs(Permission.EVIDENCE_READ, what="evidence.read", about="bundle of alert {alert_id}", table_of=table_of_alert)
def get_bundle(request: Request, alert_id: Id) -> BundlePublic:
    """How an alert's bundle stands: stored, still to come, expired, or not stored and why."""
    return BundlePublic.model_validate(_room(request).state_of(house_of(request).store.alert(alert_id)))


@router.get("/alerts/{alert_id}/bundle.zip", response_class=Response, responses=ZIP)
@needs(Permission.EVIDENCE_EXPORT, what="evidence.export", about="bundle of alert {alert_id}", table_of=table_of_alert)
def get_bundle_zip(request: Request, alert_id: Id) -> Response:
    """The bundle as an archive; the same bytes every time. `pitwatch verify` takes it as it is."""
    room, _, entry = _entry(request, alert_id)
    out = io.BytesIO()
    zip_folder(room.vault.folder / BUNDLES / entry.name, out)
    headers = {"Content-Disposition": f'attachment; filename="{entry.name}.zip"', "Cache-Control": "no-store"}
    return Response(out.getvalue(), media_type="application/zip", headers=headers)


@router.get("/alerts/{alert_id}/clip.mp4", response_class=RangedFile, responses=MP4)
@needs(
    Permission.EVIDENCE_READ,
    what="evidence.read",
    about="clip of alert {alert_id}",
    seldom=True,
    table_of=table_of_alert,
)
def get_clip(request: Request, alert_id: Id) -> RangedFile:
    """The seconds around an alert as recorded; answers to Range, so a player can jump."""
    return RangedFile(_file(request, alert_id, CLIP), media_type="video/mp4", headers=PRIVATE)


@router.get("/alerts/{alert_id}/frames")
@needs(Permission.EVIDENCE_READ, what="evidence.read", about="frames of alert {alert_id}", table_of=table_of_alert)
def list_frames(request: Request, alert_id: Id) -> FramesPublic:
    """The clip's frames and what was seen in each, for stepping and to be drawn on them."""
    rows = [json.loads(line) for line in _file(request, alert_id, SEEN).read_bytes().splitlines()]
    room, _, entry = _entry(request, alert_id)
    outlines = room.vault.path_of(entry, AREAS)  # bundles written before 2026-11-26 have none
    areas = json.loads(outlines.read_bytes()) if outlines is not None else []
    about = json.loads(_file(request, alert_id, "about.json").read_text(encoding="utf-8"))
    frames = [FramePublic.model_validate(row) for row in rows]
    size_px, moment_s = about["source"]["size_px"], about["times"]["moment_s"]
    return FramesPublic(alert_id=alert_id, size_px=size_px, moment_s=moment_s, areas=areas, frames=frames)


@router.get("/alerts/{alert_id}/frames/{number}.jpg", response_class=Response, responses=JPEG)
@needs(
    Permission.EVIDENCE_READ,
    what="evidence.read",
    about="frames of alert {alert_id}",
    seldom=True,
    table_of=table_of_alert,
)
def get_frame(request: Request, alert_id: Id, number: int) -> Response:
    """A frame of the clip as a picture."""
    lines = _file(request, alert_id, SEEN).read_bytes().splitlines()
    if not 0 <= number < len(lines):
        raise NotFoundError(f"the clip of alert {alert_id} has no frame {number}", do=f"It has 0 to {len(lines) - 1}")
    row = json.loads(lines[number])
    path = _file(request, alert_id, CLIP)
    image = frame_at(path, row["clip_s"])
    if image is None:
        raise NotFoundError(f"frame {number} cannot be decoded", where=path.name, do="Run pitwatch verify")
    return Response(encode(image), media_type="image/jpeg", headers=PRIVATE)


@router.post("/alerts/{alert_id}/hold")
@needs(Permission.EVIDENCE_KEEP, what="evidence.hold", about="bundle of alert {alert_id}", table_of=table_of_alert)
def post_hold(request: Request, alert_id: Id, given: Reason) -> BundlePublic:
    """Orders that a bundle be kept whatever its retention says."""
    room, alert, entry = _entry(request, alert_id)
    room.vault.hold(entry.link.number, by=principal_of(request).signature, why=given.why, now=room.now())
    return BundlePublic.model_validate(room.state_of(alert))


@router.post("/alerts/{alert_id}/release")
@needs(Permission.EVIDENCE_KEEP, what="evidence.release", about="bundle of alert {alert_id}", table_of=table_of_alert)
def post_release(request: Request, alert_id: Id, given: Reason) -> BundlePublic:
    """Ends an order to keep a bundle."""
    room, alert, entry = _entry(request, alert_id)
    room.vault.release(entry.link.number, by=principal_of(request).signature, why=given.why, now=room.now())
    return BundlePublic.model_validate(room.state_of(alert))


@router.get("/evidence/chain")
@needs(Permission.EVIDENCE_EXPORT, what="evidence.chain", about="the chain of evidence")
def get_chain(
    request: Request,
    after: Annotated[int, Query(ge=0, description="only links with a larger number")] = 0,
    limit: LongPageSize = 100,
) -> ChainPage:
    """The chain: every bundle stored, held, released, expired, and every one that could not be stored."""
    room = _room(request)
    if principal_of(request).tables_for(Permission.EVIDENCE_EXPORT) is not None:
        raise ForbiddenError("the chain is of all tables together", do="Ask someone with a role for all tables")
    head = room.vault.head()
    found: list[Link] = []
    with (room.vault.folder / CHAIN).open("rb") as file:
        for line in file:
            link = read_link(line.rstrip(b"\n"))
            if link is not None and link.number > after:
                found.append(link)
                if len(found) > limit:
                    break
    page, last = page_of(found, limit, lambda link: link.number)
    return ChainPage(links=[link.to_dict() for link in page], head=head.to_dict(), next_after=last)


@router.get("/evidence/head", response_class=Response, responses={200: {"content": {"application/json": {}}}})
@needs(None)
def get_head(request: Request) -> Response:
    """The newest signed head, as its line of heads.jsonl: keep it elsewhere, and give it to `pitwatch verify --head`."""
    room = _room(request)
    name = f"head-{room.vault.head().serial}.json"
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return Response(room.vault.head().line() + b"\n", media_type="application/json", headers=headers)


@router.get(
    "/evidence/public.pem", response_class=Response, responses={200: {"content": {"application/x-pem-file": {}}}}
)
@needs(None)
def get_key(request: Request) -> Response:
    """The public key; its fingerprint stands in the header `X-Key-Fingerprint`."""
    vault = _room(request).vault
    headers = {"X-Key-Fingerprint": vault.fingerprint, "Content-Disposition": 'attachment; filename="public.pem"'}
    return Response(vault.public_pem, media_type="application/x-pem-file", headers=headers)


@router.get("/evidence/storage")
@needs(None)
def get_storage(request: Request) -> StoragePublic:
    """Room on the disk, bundles waiting to be written, and the alarm if evidence cannot be stored."""
    return StoragePublic.model_validate(_room(request).storage())


@router.get("/evidence/due")
@needs(Permission.EVIDENCE_KEEP, what="evidence.due", about="what the retention lets go")
def list_due(request: Request) -> list[DuePublic]:
    """What may be deleted now by the retention; nothing is deleted by itself."""
    return [DuePublic.of(one) for one in _deletions(request).due(_keeps(request))]


@router.post("/evidence/expire")
@needs(Permission.EVIDENCE_KEEP, what="evidence.expire", about="bundles that are due")
def post_expire(request: Request, given: ExpireCreate) -> list[DuePublic]:
    """Deletes those of the given bundles that are due; the chain keeps a link for each. Returns what was deleted."""
    who = principal_of(request)
    done = _deletions(request).delete_due(set(given.numbers), by=who.signature, may=_keeps(request))
    for one in done:
        house_of(request).access.note(who, "evidence.deleted", one.said, table_id=one.table_id)
    return [DuePublic.of(one) for one in done]


@router.post("/alerts/{alert_id}/erase")
@needs(Permission.EVIDENCE_KEEP, what="evidence.erase", about="evidence of alert {alert_id}", table_of=table_of_alert)
def post_erase(request: Request, alert_id: Id, given: Reason) -> BundlePublic:
    """Erases an alert's bundle and pictures on request; refused while it is evidence (undecided, held, legal minimum)."""
    alert = house_of(request).store.alert(alert_id)
    _deletions(request).erase(alert, by=principal_of(request).signature, why=given.why)
    return BundlePublic.model_validate(_room(request).state_of(alert))


def _deletions(request: Request) -> Deletions:
    return Deletions(_room(request), house_of(request).store)


def _keeps(request: Request) -> Callable[[str], bool]:
    who = principal_of(request)
    return lambda table_id: who.may(Permission.EVIDENCE_KEEP, table_id)
