"""The HTTP interface of tables: their health, their configuration, pausing, and setting one up by a picture."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from service.access.needs import address_of, needs, principal_of
from service.access.roles import Permission
from service.errors import NotFoundError, ServiceError
from service.house import House
from service.store import AlertFilter
from service.tables.bodies import (
    AppliedPublic,
    CalibrationCreate,
    CheckPublic,
    ConfigPublic,
    PauseCreate,
    PictureCreate,
    PicturePublic,
    ProblemPublic,
    StandingPublic,
    TableChange,
    TableCheck,
    TableFile,
    TablePublic,
)
from service.tables.changing import Changing
from service.tables.files import parsed, rendered
from service.tables.limits import form_of, games, layouts_of
from service.tables.problems import problems_of
from service.tables.roster import Roster
from service.tables.sightings import layout_shown
from service.web.answers import ErrorAnswer
from service.web.api import house_of
from service.web.bodies import StrictRoute

router = APIRouter(prefix="/api", tags=["tables"], responses={401: {"model": ErrorAnswer}, 403: {"model": ErrorAnswer}}, route_class=StrictRoute)  # fmt: skip


def roster_of(house: House) -> Roster:
    """The roster of tables of the application.

    Raises:
        NotFoundError: the tables of this service are fixed.
    """
    if house.roster is None:
        raise NotFoundError("the tables of this service cannot be changed", do="Start it with pitwatch serve")
    return house.roster


def changing(request: Request) -> Changing:
    """Tables as the one who asks may change them."""
    house = house_of(request)
    return Changing(house, roster_of(house), principal_of(request), address_of(request))


def content_of(given: TableFile) -> dict[str, Any]:
    """The configuration that was sent, in either form.

    Raises:
        ServiceError: both or none, or no YAML.
    """
    if (given.config is None) == (given.yaml is None):
        raise ServiceError("either config or yaml is needed", where="body", do="Give one of the two")
    return given.config if given.config is not None else parsed(given.yaml or "", where="yaml")


# -- what there is ----------------------------------------------------------------------------------------------------


@router.get("/tables")
@needs(Permission.TABLES_READ)
def list_tables(request: Request) -> list[TablePublic]:
    """The live tables with their health."""
    house = house_of(request)
    return [
        TablePublic.model_validate(table.about() | {"alerts": house.store.count(AlertFilter(table_id=table.table_id))})
        for table in house.tables.values()
        if principal_of(request).may(Permission.TABLES_READ, table.table_id)
    ]


@router.get("/tables/{table_id}/picture.jpg", response_class=Response, responses={200: {"content": {"image/jpeg": {}}}})
@needs(Permission.EVIDENCE_READ, what="tables.watch", about="live picture of {table_id}", seldom=True)
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


@router.get("/games")
@needs(Permission.TABLES_READ)
def list_games(request: Request) -> list[dict[str, str]]:
    """The games a table may be of, with their chapters."""
    return games()


@router.get("/games/{game}")
@needs(Permission.TABLES_READ)
def get_game(request: Request, game: str) -> dict[str, Any]:
    """What a Rules Submission of a game may say: every choice with the section that sets it."""
    return form_of(game)


@router.get("/games/{game}/layouts")
@needs(Permission.TABLES_READ)
def list_layouts(request: Request, game: str) -> list[dict[str, Any]]:
    """The layouts that come with Pitwatch for a game, as lines in table millimetres."""
    form_of(game)
    return [layout_shown(layout) for layout in layouts_of(game)]


# -- configuration ----------------------------------------------------------------------------------------------------


@router.post("/tables/check")
@needs(Permission.TABLES_CONFIGURE)
def check_table(request: Request, given: TableCheck) -> CheckPublic:
    """Says all that is wrong with a configuration, key by key with the section of the chapter; applies nothing."""
    raw, roster = content_of(given), roster_of(house_of(request))
    principal_of(request).verify(Permission.TABLES_CONFIGURE, given.table_id)
    _, problems = problems_of(raw)
    shown = [ProblemPublic(where=p.where, what=p.what, section=p.section, law=p.law) for p in problems]
    if not shown:
        try:
            roster.check(raw, table_id=given.table_id)
        except ServiceError as error:
            shown = [ProblemPublic(where=str(error.where or ""), what=error.what, section="", law="")]
    before = roster.shown_text(given.table_id) if given.table_id is not None else None
    return CheckPublic(ok=not shown, problems=shown, config=raw, yaml=rendered(raw, before=before))


@router.post("/tables", status_code=201)
@needs(Permission.TABLES_CONFIGURE)
def post_table(request: Request, given: TableFile) -> ConfigPublic:
    """Adds a table and begins to watch it."""
    return _shown(request, changing(request).add(content_of(given)))


@router.get("/tables/files")
@needs(Permission.TABLES_CONFIGURE)
def list_files(request: Request) -> list[StandingPublic]:
    """Files of tables that are not what runs: bad, edited by hand, new or gone."""
    return [
        StandingPublic(file=str(one.path), table_id=one.table_id, state=one.state, message=one.message)  # type: ignore[arg-type]
        for one in roster_of(house_of(request)).standing()
    ]


@router.post("/tables/reload")
@needs(Permission.TABLES_CONFIGURE)
def reload_tables(request: Request) -> AppliedPublic:
    """Reads all files of tables again and applies them, or none where one is bad; needs the permission for all tables."""
    done = changing(request).reload()
    return AppliedPublic(added=list(done.added), changed=list(done.changed), removed=list(done.removed))


@router.get("/tables/{table_id}/config")
@needs(Permission.TABLES_CONFIGURE)
def get_config(request: Request, table_id: str) -> ConfigPublic:
    """A table's configuration as values and as YAML."""
    return _shown(request, table_id)


@router.put("/tables/{table_id}/config")
@needs(Permission.TABLES_CONFIGURE)
def put_config(request: Request, table_id: str, given: TableChange) -> ConfigPublic:
    """Replaces a table's configuration as a whole, without a restart."""
    changed = changing(request).replace(table_id, content_of(given), sha256=given.sha256)
    return _shown(request, table_id, changed)


@router.delete("/tables/{table_id}", status_code=204, response_class=Response)
@needs(Permission.TABLES_CONFIGURE)
def delete_table(request: Request, table_id: str) -> None:
    """Ends watching a table. Its file is put away, and everything recorded of it stays."""
    changing(request).remove(table_id)


@router.post("/tables/{table_id}/pause")
@needs(Permission.TABLES_OPERATE)
def pause_table(request: Request, table_id: str, given: PauseCreate) -> TablePublic:
    """Stops watching a table until it is resumed, also across restarts: a declared coverage gap, no alert is raised."""
    changing(request).pause(table_id, given.reason)
    return _table(request, table_id)


@router.post("/tables/{table_id}/resume")
@needs(Permission.TABLES_OPERATE)
def resume_table(request: Request, table_id: str) -> TablePublic:
    """Watches a paused table again."""
    changing(request).resume(table_id)
    return _table(request, table_id)


# -- pictures to set a table up by ------------------------------------------------------------------------------------


@router.post("/camera-pictures", status_code=201)
@needs(Permission.TABLES_CONFIGURE)
def post_camera_picture(request: Request, given: PictureCreate) -> PicturePublic:
    """Takes a picture of a camera or file, or of a table that is watched, to set a table up by."""
    change = changing(request)
    taken = change.take_picture(given.source, given.table_id)
    layout = change.recognised(taken) if given.recognise else None
    return PicturePublic(
        picture_id=taken.picture_id, url=f"/api/camera-pictures/{taken.picture_id}", width=taken.size_px[0], height=taken.size_px[1],
        layout=layout.name if layout else None, game=layout.game if layout else None,
    )  # fmt: skip


@router.get("/camera-pictures/{picture_id}", response_class=Response, responses={200: {"content": {"image/jpeg": {}}}})
@needs(Permission.TABLES_CONFIGURE)
def get_camera_picture(request: Request, picture_id: str) -> Response:
    """A picture taken to set a table up by."""
    return Response(changing(request).picture(picture_id).jpeg(), media_type="image/jpeg")


@router.post("/camera-pictures/{picture_id}/calibration")
@needs(Permission.TABLES_CONFIGURE)
def post_calibration(request: Request, picture_id: str, given: CalibrationCreate) -> dict[str, Any]:
    """Finds a layout in a picture: error in pixels and millimetres, the camera, how each seat is seen. Saves nothing."""
    return changing(request).calibrate(picture_id, given.layout, given.corners_px)


def _shown(request: Request, table_id: str, changed: list[str] | None = None) -> ConfigPublic:
    roster = roster_of(house_of(request))
    setup = roster.table(table_id).setup
    return ConfigPublic(
        table_id=table_id, sha256=setup.sha256, file=str(setup.path), config=roster.shown(table_id),
        yaml=roster.shown_text(table_id), changed=changed or [],
    )  # fmt: skip


def _table(request: Request, table_id: str) -> TablePublic:
    house = house_of(request)
    about = house.table(table_id).about()
    return TablePublic.model_validate(about | {"alerts": house.store.count(AlertFilter(table_id=table_id))})
