"""The catalogue of checks: every row of a chapter with its citation, severity and whether it is judged yet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from typing import Any

from rules.dated import SectionDate, file_of_day, law_day, load_file, section_date
from rules.findings import Severity
from rules.law import GAMES, game_law

METHODS: Mapping[str, str] = {"manual_shoe": "MS", "hand": "HD", "automated_shoe": "AS"}
"""The letters that stand for a dealing method in the name of a check."""


class Status(StrEnum):
    """Whether a check is judged, and if not, why not."""

    IMPLEMENTED = "implemented"
    EXTERNAL = "external"
    NOT_OBSERVABLE = "not_observable"
    LATER = "later"


@dataclass(frozen=True, slots=True)
class Rule:
    """One row of the catalogue.

    Attributes:
        check_id: e.g. "RIU-MS-ORDER".
        paragraph: without the chapter, e.g. ".8(d)".
        citation: e.g. "58 Pa. Code § 669a.8(d)".
        severity: what a breach weighs.
        status: whether it is judged.
        check: what is judged, in one sentence.
        consequence: what the chapter prescribes, "" for nothing.
        through: other checks whose findings cover it.
        at: "round", or "table" for what is refused when a table file is read.
        why: the reason of the status, "" where implemented.
        date: since when its section reads so, and when that was last checked.
        citations: by dealing method, where its section has the sentence too, e.g. {"hand": "58 Pa. Code § 639a.9(b)(2)"}.
    """

    check_id: str
    paragraph: str
    citation: str
    severity: Severity
    status: Status
    check: str
    consequence: str = ""
    through: tuple[str, ...] = ()
    at: str = "round"
    why: str = ""
    date: SectionDate | None = None
    citations: Mapping[str, str] = field(default_factory=dict)

    def cited(self, dealing: str) -> str:
        """The citation for a table dealt in this way."""
        return self.citations.get(dealing, self.citation)


def catalogue(game: str = GAMES[0]) -> Mapping[str, Rule]:
    """Every rule of a game by its check id, in the order of the chapter, as on the day set by `rules.dated.law_of`.

    Raises:
        KeyError: the game has no catalogue yet.
    """
    return _catalogue(game, file_of_day(f"catalogue_{game}", law_day()))


@cache
def _catalogue(game: str, name: str) -> Mapping[str, Rule]:
    try:
        raw = load_file(name)
    except FileNotFoundError as error:
        raise KeyError(f"no catalogue for the game {game!r}") from error
    chapter = game_law(raw["game"])
    rules: dict[str, Rule] = {}
    for item in raw["rules"]:
        for check_id, paragraph in _expanded(item):
            if check_id in rules:
                raise ValueError(f"catalogue_{game}.yaml: {check_id} stands there twice")
            through = tuple(name for other in item.get("through", ()) for name in _names(other))
            rules[check_id] = Rule(
                check_id=check_id,
                paragraph=paragraph,
                citation=chapter.cite(paragraph),
                severity=Severity(item["severity"]),
                status=Status(item["status"]),
                check=item["check"],
                consequence=item.get("consequence", ""),
                through=through,
                at=item.get("at", "round"),
                why=item.get("why", ""),
                date=section_date(raw["game"], paragraph),
                citations={
                    method: chapter.cite(item["also"][letters])
                    for method, letters in METHODS.items()
                    if letters in item.get("also", {})
                },
            )
    return rules


def _names(name: str) -> list[str]:
    return [name.replace("{M}", method) for method in METHODS.values()] if "{M}" in name else [name]


def _expanded(item: Mapping[str, Any]) -> list[tuple[str, str]]:
    if isinstance(item["cite"], Mapping):
        return [(item["id"].replace("{M}", method), paragraph) for method, paragraph in item["cite"].items()]
    return [(item["id"], item["cite"])]


def rules_of_section(section: str, game: str = GAMES[0]) -> tuple[Rule, ...]:
    """Rules whose paragraph starts with a section, e.g. ".11" or "669a.11(f)"; "" gives all."""
    if game not in GAMES:
        raise KeyError(f"no catalogue for the game {game!r}")
    chapter = game_law(game).chapter
    wanted = section.removeprefix("58 Pa. Code").strip().removeprefix("§").strip().removeprefix(chapter)
    return tuple(
        rule
        for rule in catalogue(game).values()
        if rule.paragraph == wanted or rule.paragraph.startswith((f"{wanted}(", f"{wanted}.")) or not wanted
    )


def render_markdown(game: str = GAMES[0], rules: Iterable[Rule] | None = None) -> str:
    """The catalogue as a page of documentation."""
    chapter = game_law(game)
    chosen = list(catalogue(game).values()) if rules is None else list(rules)
    chosen.sort(key=lambda rule: int(rule.paragraph.split("(")[0].removeprefix(".")))
    counts = Counter(rule.status for rule in chosen)
    lines = [
        f"# Checks of {chapter.title}",
        "",
        f"58 Pa. Code Chapter {chapter.chapter}; {len(chosen)} checks: "
        + ", ".join(f"{counts[status]} {status.value.replace('_', ' ')}" for status in Status if counts[status])
        + ".",
        "",
        "Generated from `rules/data/catalogue_" + game + ".yaml`. MS manual shoe, HD hand, AS automated shoe.",
    ]
    section = None
    for rule in chosen:
        head = rule.paragraph.split("(")[0]
        if head != section:
            section = head
            lines += ["", f"## § {chapter.chapter}{head}", ""]
            if rule.date is not None:
                lines += [
                    f"In force since {rule.date.effective} ({rule.date.source}), checked {rule.date.checked}.",
                    "",
                ]
            lines += [
                "| check | citation | severity | what is judged | the law prescribes | status |",
                "|---|---|---|---|---|---|",
            ]
        status = rule.status.value.replace("_", " ")
        if rule.at == "table":
            status += " (when the table file is read)"
        if rule.through:
            status += f" through {', '.join(rule.through)}"
        if rule.why:
            status += f": {rule.why}"
        lines.append(
            f"| `{rule.check_id}` | § {chapter.chapter}{rule.paragraph} | {rule.severity} | {rule.check} "
            f"| {rule.consequence or 'nothing'} | {status} |"
        )
    return "\n".join(lines) + "\n"
