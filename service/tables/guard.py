"""What someone at a screen may name in a table's file: cameras and files of this machine that the settings allow.

Who writes a table's file on this machine is trusted with it; what already stands there may stay.
"""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

from calibration.layout_file import layout_names
from rules.table import TableConfig
from service.access.addresses import check_camera, inside
from service.access.masking import MASK, masked_address
from service.access.settings import CameraSettings
from service.errors import ServiceError


def guarded(raw: dict[str, Any], settings: CameraSettings, before: TableConfig | None = None) -> dict[str, Any]:
    """The same configuration with everything it names checked, and files named in full.

    Args:
        raw: a configuration that is in order (`service.tables.problems`).
        settings: what may be named.
        before: the table as it is now; what it names already may stay, a masked password stays what it was.

    Raises:
        AddressError: a camera or file that may not be named.
        ServiceError: no camera, or a layout that does not come with Pitwatch.
    """
    out = copy.deepcopy(raw)
    camera = dict(out.get("camera") or {})
    source = unmasked(camera.get("source"), before)
    if not source:
        raise ServiceError("the table has no camera", where="camera.source", do="Give a stream's address or a file")
    if before is None or source != before.camera_source:
        source = checked_source(source, settings)
    out["camera"] = camera | {"source": source}
    layout = out.get("layout")
    if layout is not None and layout not in layout_names() and (before is None or layout != before.layout):
        raise ServiceError(
            f"there is no layout {layout!r}", where="layout",
            do=f"Use one of {', '.join(layout_names())}; a layout of your own is named in the table's file on the server",
        )  # fmt: skip
    external = out.get("external_events")
    if external is not None and (before is None or external != before.external_events):
        out["external_events"] = str(inside(Path(external), settings.folders, setting="cameras.folders"))
    return out


def checked_source(source: str, settings: CameraSettings) -> str:
    """A camera's address or a file that someone typed, as it may be opened.

    Raises:
        AddressError: it may not be.
    """
    return check_camera(source.strip(), settings.policy, settings.folders, devices=settings.devices)


def unmasked(source: str | None, before: TableConfig | None) -> str | None:
    """The address with its password where it came back masked as it was shown.

    Raises:
        ServiceError: it is masked, but is not the one that was shown.
    """
    if source is None or f"{MASK}@" not in source:
        return source
    if before is not None and before.camera_source is not None and masked_address(before.camera_source) == source:
        return before.camera_source
    raise ServiceError(
        "the password in this address is masked", where="camera.source", do="Type name and password again with the address"
    )  # fmt: skip
