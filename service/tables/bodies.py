"""What the HTTP interface of tables takes and gives."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from service.tables.files import verify_plain
from service.web.fields import Text

Coordinate = Annotated[float, Field(ge=-20_000, le=20_000, allow_inf_nan=False)]


def _plain(value: dict[str, Any]) -> dict[str, Any]:
    """JSON values as a file can hold them."""
    verify_plain(value)
    return value


Mapping = Annotated[dict[str, Any], AfterValidator(_plain)]


class CalibrationHealth(BaseModel):
    """How the table was found in the picture."""

    state: Literal["not yet", "by prints", "by points", "lost"] = Field(
        description="`by prints`: measured against the drawing; `by points`: four points alone, its error is not known; `lost`: being found anew"
    )
    method: str | None
    error_px: float | None = Field(description="root mean square over the prints, pixels of the camera")
    error_mm: float | None = Field(description="the same on the felt")


class HealthPublic(BaseModel):
    """How well a table is watched."""

    fps: float = Field(description="frames a second, over the last ten seconds")
    frames: int
    dropped: int = Field(description="frames that did not come or were left out")
    reconnects: int
    faults: int = Field(description="how often a mistake of the program ended watching")
    rejected: int = Field(description="records that the store refused for good; kept in a file ending in .rejected")
    coverage: float | None = Field(description="share of the last hour that can be judged, 0 to 1")
    gaps: list[str] = Field(description="causes of the coverage gaps that last now")
    rounds: int
    last_round_utc: str | None
    calibration: CalibrationHealth


class TablePublic(BaseModel):
    """A live table, what it is doing, and how well it is watched."""

    table_id: str
    game: str
    source: str
    state: str
    detail: str
    t_s: float
    rounds: int
    alerts: dict[str, int] = Field(description="alerts of this table by status")
    health: HealthPublic


class TableFile(BaseModel):
    """A table's configuration, as values or as the text of a YAML file."""

    model_config = ConfigDict(extra="forbid")

    config: Mapping | None = Field(None, description="what the file holds")
    yaml: Text | None = Field(None, max_length=200_000, description="the same as YAML, instead of `config`")


class TableChange(TableFile):
    """A new configuration of a table."""

    sha256: str | None = Field(
        None,
        max_length=64,
        description="of the configuration that was changed; refused where someone else changed it since",
    )


class TableCheck(TableFile):
    """A configuration to be checked, not applied."""

    table_id: Text | None = Field(None, max_length=64, description="the table it would replace; none for a new one")


class ProblemPublic(BaseModel):
    """One thing that is wrong with a configuration."""

    where: str = Field(description="the key, e.g. rules_submission.seats")
    what: str
    section: str = Field(
        description="the section of the chapter that sets the limit, empty where it is no matter of law"
    )
    law: str = Field(description="what that section demands")


class CheckPublic(BaseModel):
    """Whether a configuration could be applied; nothing was."""

    ok: bool
    problems: list[ProblemPublic]
    config: dict[str, Any] = Field(description="what was read")
    yaml: str = Field(description="the same as the text of a file; comments of the table it would replace stay")


class ConfigPublic(BaseModel):
    """A table's configuration as it is applied; the password of its camera is masked and may be sent back so."""

    table_id: str
    sha256: str
    file: str
    config: dict[str, Any]
    yaml: str
    changed: list[str] = Field([], description="keys that the last change changed")


class PauseCreate(BaseModel):
    """Why a table is paused; it stands in the log, on the screens and with the coverage gap."""

    model_config = ConfigDict(extra="forbid")

    reason: Text = Field(min_length=1, max_length=500)


class StandingPublic(BaseModel):
    """A file that is not what runs."""

    file: str
    table_id: str | None
    state: Literal["bad", "changed", "new", "gone"]
    message: str


class AppliedPublic(BaseModel):
    """What reading the files again changed, by table ids."""

    added: list[str]
    changed: list[str]
    removed: list[str]


class PictureCreate(BaseModel):
    """A picture to set a table up by: of a camera or file, or of a table that is watched already."""

    model_config = ConfigDict(extra="forbid")

    source: Text | None = Field(None, min_length=1, max_length=2000)
    table_id: Text | None = Field(None, min_length=1, max_length=64)
    recognise: bool = Field(False, description="also say which felt it shows; takes some seconds")


class PicturePublic(BaseModel):
    """A picture that was taken; its bytes are at `url` for a while."""

    picture_id: str
    url: str
    width: int
    height: int
    layout: str | None = Field(None, description="the felt it shows, where that was asked and recognised")
    game: str | None = None


class CalibrationCreate(BaseModel):
    """Where to look for a layout."""

    model_config = ConfigDict(extra="forbid")

    layout: Text = Field(min_length=1, max_length=80)
    corners_px: list[tuple[Coordinate, Coordinate]] | None = Field(
        None,
        min_length=4,
        max_length=4,
        description="the layout's reference points in pixels; without them it is found by its prints",
    )
