"""The page of a bundle, for an investigator who has a browser and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from typing import Any

import jinja2
from markupsafe import Markup

from service.evidence.bundle import NOTICE
from service.screens import words


def render_page(
    *, finding: Mapping[str, Any], law: Mapping[str, Any], events: Mapping[int, Mapping[str, Any]],
    record: Mapping[str, Any] | None, about: Mapping[str, Any], captions: Mapping[str, str],
    marks: Mapping[str, Any] | None = None,
) -> str:  # fmt: skip
    """`index.html`: what happened, the film to step through, pictures, law, events, what judged it.

    Args:
        finding, law, record, about: as JSON values.
        events: by number.
        captions: of the pictures, by their names, in their order.
        marks: what is drawn on the film: `size_px`, `areas` and `frames` without repeats (`service.evidence.marks`); None without a film.
    """
    rests_on = set(finding["events"])
    rows = [
        {
            "number": number,
            "t_s": event["t_s"],
            "words": words.event(event),
            "rests": number in rests_on,
            "sure": event.get("confidence", 1.0),
        }
        for number, event in sorted(events.items())
    ]
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("service"), autoescape=True, trim_blocks=True, lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )  # fmt: skip
    environment.filters |= {
        "clock": words.clock, "dollars": words.dollars, "section": words.section, "area": words.area, "card": words.card,
    }  # fmt: skip
    return environment.get_template("bundle.html").render(
        finding=finding, title=words.title(finding), law=law, rows=rows, record=record, about=about, notice=NOTICE,
        marks=marks, marks_script=_asset("marks.js"), marks_style=_asset("marks.css"),
        close=[(name, text) for name, text in captions.items() if name.endswith("_close.jpg")],
        whole=[(name, text) for name, text in captions.items() if not name.endswith("_close.jpg")],
    )  # fmt: skip


def _asset(name: str) -> Markup:
    """What draws marks on the screens draws them here too."""
    return Markup((files("service") / "screens" / name).read_text(encoding="utf-8"))


def bundle_readme(finding: Mapping[str, Any]) -> str:
    """README.txt of a bundle."""
    return f"""EVIDENCE OF ONE ALERT
{words.title(finding)}
{finding["citation"]}

{NOTICE}

index.html        everything on one page: open it in a browser
clip.mp4          the seconds around it as recorded
seen.jsonl        what was seen in each of its pictures, which index.html draws on it
areas.json        where the areas of the table lay in them
*.jpg             the moments it rests on: as recorded, drawn on (_marked), close up (_close)
finding.json      what was expected, what was seen, what it rests on
events.jsonl      what happened in the round, one event a line (events.csv: the same as a table)
round.json        the round: cards, wagers, payouts
law.txt           the section (law.json: with its dates)
about.json        what judged it: hashes of networks, calibration, layout, table, law; versions; times
manifest.json     SHA-256 and size of every file
seal.json         its place in the signed chain, and the dates of the clock

Check it:  pitwatch verify FOLDER --key PUBLIC.pem
"""
