"""All that is wrong with a table's configuration at once, key by key, each with the section of the chapter that says so."""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rules.dated import law_of
from rules.law import GAMES, GameLaw, game_law
from rules.table import TableConfig, TableConfigError
from service.config import faces_of, layout_of
from service.errors import ServiceError
from service.law import sentence, today

MOST = 50
MENDED_OTHERWISE = ("rules_submission.seats", "rules_submission.paytables")
"""Whether the layout has the areas can only be said once these are right."""
_SECTION = re.compile(r"§ \d{3}a\.\d+(?:\(\w+\))*")


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong.

    Attributes:
        where: the key, e.g. "rules_submission.seats", "" where it is no single one.
        what: what is wrong, what was given, what is allowed.
        section: the section of the chapter that sets the limit, "" where it is no matter of law.
        law: what that section demands, "" where the project holds no sentence for it.
    """

    where: str
    what: str
    section: str = ""
    law: str = ""

    def __str__(self) -> str:
        return f"{self.where}: {self.what}" if self.where else self.what


class TableRefusedError(ServiceError):
    """A configuration that cannot be used; nothing of it was applied.

    Attributes:
        problems: all that is wrong with it.
    """

    def __init__(self, problems: list[Problem], *, where: object = None) -> None:
        more = len(problems) - 1
        first = problems[0]
        place = ", ".join(str(part) for part in (where, first.where) if part)
        do = "Correct it" + (
            f"; {more} more {'is' if more == 1 else 'are'} listed by POST /api/tables/check" if more else ""
        )
        super().__init__(first.what, where=place or None, do=do)
        self.problems = problems


def problems_of(raw: object) -> tuple[TableConfig | None, list[Problem]]:
    """What is wrong with the parsed content of a table's file.

    The first mistake ends the reading of a file, so each one found is mended in a copy with something that is allowed, and
    the copy read again: no mistake hides another one.

    Args:
        raw: the parsed document.

    Returns:
        The table, None where anything is wrong; and what is.
    """
    with law_of(today()):
        return _problems_of(raw)


def _problems_of(raw: object) -> tuple[TableConfig | None, list[Problem]]:
    found: list[Problem] = []
    doc = copy.deepcopy(raw)
    config: TableConfig | None = None
    for _ in range(MOST):
        try:
            config = TableConfig.from_mapping(doc)
            break
        except TableConfigError as error:
            if any(one.where == error.key and one.what == error.said for one in found):
                break
            found.append(problem(error.key, error.said))
            if not isinstance(doc, dict) or not _mended(doc, error.key):
                break
    if config is not None and not any(one.where.startswith(MENDED_OTHERWISE) for one in found):
        try:
            layout_of(config, where="")
        except TableConfigError as error:
            found.append(problem(error.key, error.said))
        except ServiceError as error:
            found.append(problem("layout", error.what.removeprefix("layout: ")))
    if config is not None:
        try:
            faces_of(config.chip_faces, where="")
        except ServiceError as error:
            where, _, what = error.what.partition(": ")
            found.append(problem(where, f"{what}; {error.do}"))
    return (None if found else config), found


def problem(where: str, what: str) -> Problem:
    """A problem with the section its text cites."""
    cited = _SECTION.search(what)
    section = cited[0] if cited else ""
    return Problem(where, what, section, sentence(f"58 Pa. Code {section}", today()) if section else "")


def _mended(doc: dict[str, Any], key: str) -> bool:
    """Puts something allowed in the place of what was refused; False where reading on makes no sense."""
    if key in ("table", "game", "rules_submission"):
        return False
    if key in ("version", "table_id"):
        doc[key] = 1 if key == "version" else "table"
        return True
    if key.startswith("rules_submission."):
        return _mended_submission(doc["rules_submission"], key.removeprefix("rules_submission."), game_law(doc["game"]))
    if key.startswith("reports"):
        return doc.pop("reports", None) is not None
    if key.startswith("chip_faces"):
        doc.pop("chips", None)
        return doc.pop("chip_faces", None) is not None
    for part in ("readings", "chips", "camera"):
        if key.startswith(f"{part}."):
            done = _without(doc[part], key.removeprefix(f"{part}."))
            return done and (bool(doc[part]) or _without(doc, part))
    return _without(doc, key)


def _mended_submission(doc: dict[str, Any], key: str, law: GameLaw) -> bool:
    match key.split("."):
        case ["dealing"]:
            doc["dealing"] = next(method for method in law.dealing if method != "hand")
        case ["seats"]:
            doc["seats"] = law.max_seats
        case ["shuffler", "approval"]:
            doc["shuffler"] = {"automated": True}
        case ["shuffler", str(name)]:
            return _without(doc["shuffler"], name)
        case ["paytables"] if isinstance(doc["paytables"], dict):
            return doc["paytables"].pop(law.submission.get("one_of", {}).get("wagers", [""])[-1], None) is not None
        case ["paytables", *rest]:
            return _mended_paytable(doc, ".".join(rest), law)
        case ["progressive_unit_cents"]:
            return _mended_unit(doc, law)
        case _:
            return _without(doc, key)
    return True


def _mended_paytable(doc: dict[str, Any], name: str, law: GameLaw) -> bool:
    if name in law.wagers and law.wagers[name].paytables:
        doc["paytables"] = {**(doc.get("paytables") or {}), name: law.wagers[name].paytables[0]}
        return True
    return _without(doc["paytables"], name)


def _mended_unit(doc: dict[str, Any], law: GameLaw) -> bool:
    chosen: Mapping[Any, Any] = doc.get("paytables") or {}
    due = {str(name): cents for name, cents in law.submission.get("units", {}).get("cents", {}).items()}
    units = [law.wagers[name].units_cents[0] for name in chosen if name in law.wagers and law.wagers[name].units_cents]
    if not units:
        return _without(doc, "progressive_unit_cents")
    doc["progressive_unit_cents"] = next((due[str(name)] for name in chosen.values() if str(name) in due), units[0])
    return True


def _without(doc: dict[Any, Any], name: str) -> bool:
    for key in tuple(doc):
        if str(key) == name:
            del doc[key]
            return True
    return False


def known_game(name: str) -> GameLaw:
    """The chapter of a game.

    Raises:
        ServiceError: there is none of this name.
    """
    if name not in GAMES:
        raise ServiceError(f"there is no game {name!r}", where="game", do=f"Use one of {', '.join(GAMES)}")
    return game_law(name)
