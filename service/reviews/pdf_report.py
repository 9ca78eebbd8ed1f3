"""The report of a review as a PDF: the same findings, rounds and pictures as the page, for paper and for files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from service.config import TableSetup
from service.evidence.pictures import decode, encode, shrunk
from service.export.blocks import Block, Facts, Figures, Gap, Grid, Heading, Pictures, TableColumn, Text
from service.law import sentence
from service.reviews.report import CLOSE_PX, WHOLE_PX, Undetermined, cards_said, sums_said, totals_of
from service.screens import words
from service.store import Picture

WRONG = "#b3261e"


def report_blocks(
    setup: TableSetup, *, about: Mapping[str, Any], breaches: Sequence[Mapping[str, Any]], undetermined: Undetermined,
    rounds: Sequence[Mapping[str, Any]], pictures: Callable[[str], Sequence[Picture]],
) -> Iterator[Block]:  # fmt: skip
    """The report from top to bottom; see `service.reviews.report.render_report` for what it is given."""
    yield from _head(setup, about, breaches, rounds)
    yield Heading("Breaches")
    if breaches:
        columns = [TableColumn(n, s, r) for n, s, r in (("at", 0.7, True), ("round", 1.6, False), ("severity", 1, False), ("section", 1.7, False), ("what", 6, False))]  # fmt: skip
        rows = [(words.clock(f["t_s"]), f["round_id"], f["severity"], words.section(f["citation"]), words.title(f)) for f in breaches]  # fmt: skip
        yield Grid(columns, rows)
    else:
        yield Text("None was found in this recording.")
    for finding in breaches:
        yield from _breach(finding, pictures(finding["finding_id"]), setup.day, words.played(about, finding["t_s"]))
    yield from _undetermined(undetermined)
    yield Heading("Rounds")
    if not rounds:
        yield Text("No round was closed in this recording.")
    rung = Counter(f["round_id"] for f in breaches)
    for record in rounds:
        yield from _round(record, rung[record["round_id"]])
    yield from _basis(setup, about)


def _head(setup: TableSetup, about: Mapping[str, Any], breaches: Sequence[Any], rounds: Sequence[Mapping[str, Any]]) -> Iterator[Block]:  # fmt: skip
    law, totals = setup.table.law, totals_of(rounds)
    yield Heading(f"Review of table {about['table_id']}", 1)
    yield Text(f"{law.title}, 58 Pa. Code chapter {law.chapter} · {about.get('name') or about['video']}, {words.recorded(about)} · {words.clock(about['seconds'])} of recording", quiet=True)  # fmt: skip
    yield Figures(
        [
            (str(len(rounds)), "rounds closed"),
            (str(len(breaches)), "breaches"),
            (str(about["verdicts"]["compliant"]), "checks compliant"),
            (str(about["verdicts"]["undetermined"]), "checks undetermined"),
            (words.dollars(totals["over"]), "paid too much"),
            (words.dollars(totals["under"]), "paid too little"),
        ]
    )
    yield Text(sums_said(totals), quiet=True)


def _breach(f: Mapping[str, Any], pictures: Sequence[Picture], day: date | None, played: str) -> Iterator[Block]:
    yield Heading(words.title(f), 3)
    place = words.area(f["area"]) if f["area"] else f"seat {f['seat']}" if f["seat"] else ""
    facts = [
        ("Severity, check", f"{f['severity']}, {f['check_id']}"),
        ("When, where", f"{words.clock(f['t_s'])} (began {words.clock(f['since_s'])}), " + (f"played {played}, " if played else "") + f"round {f['round_id']}" + (f", {place}" if place else "")),
        ("Expected", f["expected"]),
        ("Seen", f["seen"]),
    ]  # fmt: skip
    if f.get("owed_cents") is not None:
        paid = f.get("paid_cents")
        difference = f", difference {words.dollars(paid - f['owed_cents'])}" if paid is not None else ""
        facts.append(("Amounts", f"owed {words.dollars(f['owed_cents'])}, paid {words.dollars(paid)}{difference}"))
    law = sentence(f["citation"], day)
    facts.append(("Law", f["citation"] + (f": {law}" if law else "")))
    if f.get("consequence"):
        facts.append(("Consequence", f["consequence"]))
    rests = ", ".join(map(str, f["events"])) or "none"
    facts.append(("Rests on", f"certainty {100 * f['confidence']:.1f}%, events {rests}" + (f"; readings: {', '.join(f['readings'])}" if f.get("readings") else "")))  # fmt: skip
    yield Facts(facts)
    close = [p for p in pictures if p.name.endswith("_close.jpg")]
    whole = [p for p in pictures if p.name.endswith("_marked.jpg")][-1:]
    if close:
        yield Pictures([_small(p, CLOSE_PX) for p in close], across=max(2, min(3, len(close))))
    if whole:
        yield Pictures([_small(p, WHOLE_PX) for p in whole], across=1 if not close else 2)


def _small(picture: Picture, width_px: int) -> tuple[bytes, str]:
    return encode(shrunk(decode(picture.content), width_px), 78), picture.caption


def _undetermined(undetermined: Undetermined) -> Iterator[Block]:
    yield Heading("Undetermined checks")
    if not undetermined:
        yield Text("Every check could be decided.")
        return
    yield Text("What could not be seen is not held against anyone. These checks were neither met nor broken, for the reason given.", quiet=True)  # fmt: skip
    columns = (TableColumn("count", 0.6, True), TableColumn("check", 2.4), TableColumn("section", 1.8), TableColumn("what was missing", 5))  # fmt: skip
    yield Grid(columns, [(str(count), check, words.section(citation), missing) for (check, citation, missing), count in undetermined])  # fmt: skip


PAYOUTS = (
    TableColumn("seat", 0.5, True), TableColumn("wager", 1.4), TableColumn("stake", 0.8, True), TableColumn("outcome", 0.9),
    TableColumn("owed", 0.9, True), TableColumn("paid", 0.9, True), TableColumn("verdict", 1.6), TableColumn("how it was worked out", 4),
)  # fmt: skip


def _round(r: Mapping[str, Any], breaches: int) -> Iterator[Block]:
    rung = f" · {breaches} breach{'es' if breaches > 1 else ''}" if breaches else ""
    yield Heading(f"{r['round_id']}, {words.clock(r['opened_s'])} to {words.clock(r['closed_s'])}{rung}", 3)
    yield Text(cards_said(r), quiet=True)
    if not r["payouts"]:
        return
    rows = [
        (
            str(p["seat"]), p["wager"].replace("_", " "), words.dollars(p["stake_cents"]), p["outcome"] or "unknown",
            words.dollars(p["owed_cents"]), words.dollars(p["paid_cents"]), p["verdict"].replace("_", " "), p["way"],
        )
        for p in r["payouts"]
    ]  # fmt: skip
    yield Grid(PAYOUTS, rows, marked=lambda row: row[6] == "breach")


def _basis(setup: TableSetup, about: Mapping[str, Any]) -> Iterator[Block]:
    table, size = setup.table, about["size_px"]
    paytables = "".join(f", {name.replace('_', ' ')} paytable {paytable}" for name, paytable in table.paytables.items())
    yield Heading("What this rests on")
    yield Facts(
        [
            ("Recording", f"{size[0]} × {size[1]} pixels" + (f", {about['fps']:.2f} frames/s" if about["fps"] else "")),
            ("SHA-256", about["sha256"]["video"] or "not a single file"),
            ("Table file", f"{table.dealing.replace('_', ' ')}, {table.seats} seats{paytables}"),
            ("SHA-256", about["sha256"]["table"]),
            ("Calibration", f"{about['calibration']['method']}, error {about['calibration']['error_px']} px, {about['calibration']['error_mm']} mm"),
            *((name, f"SHA-256 {value}") for name, value in about["sha256"].items() if name.endswith(".onnx")),
            ("Versions", ", ".join(f"{name} {version}" for name, version in about["versions"].items())),
        ]
    )  # fmt: skip
    yield Gap(2)
    yield Text("Beside this file: report.html (the same as a page), events.jsonl, findings.jsonl, rounds.jsonl, payouts.csv and evidence/ (pictures in full size).", quiet=True)  # fmt: skip
