"""The screens of tables: what each does and how well it is watched, and setting one up. The browser draws them itself."""

from __future__ import annotations

import json
from collections.abc import Mapping
from html import escape
from typing import Any

from service.access.roles import Permission
from service.screens.frame import Visitor, add_script, div, link, markup, shell, text

STYLE = "tables"
HERE = "/tables"


def tables_screen(who: Visitor) -> None:
    """All tables someone may see, with their health."""
    with shell(who, HERE, STYLE), div("tables"):
        with div("tables-head"):
            with div(""):
                text("h1", "Tables")
                text("div", "How well each table is watched, and what is being done with it.").classes("quiet")
            if who.may(Permission.TABLES_CONFIGURE) and who.house.roster is not None:
                link("Add a table", "/tables/new", "plain main")
        _room("tables", "may", allowed(who))
    for script in ("dom.js", "picture.js", "tables.js"):
        add_script(script)


def setup_screen(who: Visitor, table_id: str | None = None) -> None:
    """Adding a table, or changing and calibrating one."""
    with shell(who, HERE, STYLE), div("setup"):
        with div("setup-head"):
            text("h1", f"Table {table_id}" if table_id else "Add a table")
            text("div", _about(who, table_id)).classes("quiet")
        if _may_set_up(who, table_id):
            _room("setup", "setup", choices(who, table_id))
    if _may_set_up(who, table_id):
        for script in ("dom.js", "table_picture.js", "table_setup.js"):
            add_script(script)


def new_table_screen(who: Visitor) -> None:
    """Adding a table."""
    setup_screen(who)


def allowed(who: Visitor) -> dict[str, Any]:
    """What someone may do on the overview; for each thing "*" or the tables it may be done with."""
    principal = who.principal

    def tables(permission: Permission) -> str | list[str]:
        found = principal.tables_for(permission)
        return "*" if found is None else sorted(found)

    fixed = who.house.roster is None
    return {
        "configure": tables(Permission.TABLES_CONFIGURE), "operate": [] if fixed else tables(Permission.TABLES_OPERATE),
        "watch": tables(Permission.EVIDENCE_READ), "fixed": fixed,
        "add": not fixed and principal.may(Permission.TABLES_CONFIGURE),
        "reload": not fixed and principal.tables_for(Permission.TABLES_CONFIGURE) is None,
    }  # fmt: skip


def choices(who: Visitor, table_id: str | None) -> dict[str, Any]:
    """What the page that sets a table up must know beforehand."""
    cameras = who.house.settings.cameras
    return {
        "table_id": table_id, "hosts": list(cameras.hosts), "folders": [str(folder) for folder in cameras.folders],
        "devices": cameras.devices,
    }  # fmt: skip


def _may_set_up(who: Visitor, table_id: str | None) -> bool:
    roster = who.house.roster
    known = roster is not None and (table_id is None or table_id in roster.texts)
    return known and who.may(Permission.TABLES_CONFIGURE, table_id)


def _about(who: Visitor, table_id: str | None) -> str:
    if who.house.roster is None:
        return "The tables of this service cannot be changed."
    if not who.may(Permission.TABLES_CONFIGURE, table_id):
        return "Tables are added and changed by administrators of them."
    if table_id is not None and table_id not in who.house.roster.texts:
        return "There is no such table."
    return "What the chapter forbids is refused with its section, as you type. Nothing is applied before you save."


def _room(name: str, key: str, told: Mapping[str, Any]) -> None:
    """An empty box with what a script needs to fill it."""
    markup(f'<div id="{name}" data-{key}="{escape(json.dumps(told), quote=True)}"></div>', "fill-room")
