"""A round of the audit drawn for a person: the cards, every wager, the way to what was owed, and the evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from nicegui import ui
from nicegui.element import Element

from service.audit.exceptions import RoundDetail, Wager
from service.audit.facts import MISPAID, Verdict
from service.audit.routes import alarms_of
from service.audit.video import Alarm
from service.house import House
from service.law import sentence
from service.screens.audit_words import money, signed
from service.screens.parts import div, link, text

SUITS = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}
SHARED = {"community": "community", "dealer": "dealer", "six_cards": "six card", "replacement": "extra card"}


def fill_round(house: House, detail: RoundDetail) -> None:
    """Fills the place that is open with the round."""
    with div("round"):
        text("div", f"{detail.table_id} · round {detail.round_id}").classes("round-title")
        with div("facts"):
            for fact in (
                detail.game.replace("_", " "), f"gaming day {detail.day}, {detail.shift} shift" if detail.at_utc else "gaming day not known",
                f"{detail.at_utc[:16].replace('T', ' ')} UTC" if detail.at_utc else "time of the recording not known", f"dealer {detail.dealer or 'not known'}", detail.source,
            ):  # fmt: skip
                text("div", fact)
        seats, shared = _cards_of(detail.document)
        for name, cards in shared.items():
            _fill_cards(name, cards)
        for seat in sorted({wager.seat for wager in detail.wagers}, reverse=True):
            _fill_seat(
                seat,
                seats.get(seat, ([], "")),
                [wager for wager in detail.wagers if wager.seat == seat],
                detail.law_day(house.shifts),
            )
        _fill_evidence(house, alarms_of(house.questions, detail))


def _cards_of(
    document: Mapping[str, Any],
) -> tuple[dict[int, tuple[Sequence[str | None], str]], dict[str, Sequence[str | None]]]:
    """Cards and decision by seat, and the cards of no player, of a round from either source."""
    if document.get("kind") == "video":
        record = document["round"]
        seats = {int(s["seat"]): (s["cards"], "folded" if s.get("folded") else "") for s in record["seats"]}
        return seats, {name: record[name] for name in ("community", "dealer") if record.get(name)}
    seats = {int(s["seat"]): (s["cards"], _decision(s)) for s in document["seats"]}
    shared: dict[str, Sequence[str | None]] = {}
    for field, name in SHARED.items():
        value = document.get(field)
        if value:
            shared[name] = value["cards"] if isinstance(value, dict) else [value] if isinstance(value, str) else value
    return seats, shared


def _decision(seat: Mapping[str, Any]) -> str:
    decision = seat.get("decision") or seat.get("decisions") or {}
    if "action" in decision:
        rest = " ".join(str(decision[name]) for name in ("street", "multiple") if name in decision)
        return f"{decision['action']} {rest}".strip() + ("×" if "multiple" in decision else "")
    return ", ".join(f"{bet.replace('bet', 'bet ')} {said}" for bet, said in decision.items())


def _fill_seat(seat: int, held: tuple[Sequence[str | None], str], wagers: Sequence[Wager], day: date | None) -> None:
    wrong = any(wager.verdict in MISPAID for wager in wagers)
    with div("seat-block off" if wrong else "seat-block"):
        _fill_cards(f"seat {seat}", held[0], held[1])
        with Element("table").classes("wagers"):
            with Element("tr"):
                for head in ("wager", "staked", "owed", "paid", "difference"):
                    text("th", head)
            for wager in wagers:
                _fill_wager(wager, day)


def _fill_wager(wager: Wager, day: date | None) -> None:
    off = wager.difference_cents
    with Element("tr").classes("bad" if wager.verdict in MISPAID else ""):
        text("td", wager.wager.replace("_", " "))
        for cents in (wager.staked_cents, wager.owed_cents, wager.paid_cents):
            text("td", money(cents))
        said = wager.verdict.label if wager.verdict is Verdict.UNDETERMINED else "right" if off == 0 else signed(off)
        text("td", said).classes(wager.verdict.label)
    with (
        Element("tr").classes("bad" if wager.verdict in MISPAID else ""),
        Element("td").classes("way").props("colspan=5"),
    ):
        text("span", wager.way)
        if wager.citation:
            text("span", f"  {wager.citation}").classes("cite")
        if wager.verdict in MISPAID and (law := sentence(wager.citation, day)):
            text("div", law)
        if wager.readings:
            text("div", f"right if the text is read as {', '.join(wager.readings)}").classes("readings")


def _fill_cards(name: str, cards: Sequence[str | None], decision: str = "") -> None:
    with div("cards-of"):
        text("div", f"{name}{f', {decision}' if decision else ''}")
        with div("cards"):
            for card in cards:
                red = card is not None and card[-1] in "dh"
                shown = (
                    "?" if card is None else "Joker" if card == "Jo" else card[:-1].replace("T", "10") + SUITS[card[-1]]
                )
                text("div", shown).classes("playing-card" + (" blank" if card is None else " red" if red else ""))


def _fill_evidence(house: House, alarms: Sequence[Alarm]) -> None:
    for alarm in alarms:
        alert = house.store.alert(alarm.alert_id)
        with div("seat-block"):
            link(f"Alert {alarm.alert_id} · {alert.status}", f"/alerts/{alarm.alert_id}", "link")
            text("div", alarm.text)
            if house.evidence is not None and house.evidence.state_of(alert)["state"] == "stored":
                ui.video(f"/api/alerts/{alarm.alert_id}/clip.mp4").classes("shot wide")
            for name, caption in alert.evidence:
                address = f"/api/alerts/{alarm.alert_id}/evidence/{name}"
                if name.endswith("_marked.jpg"):
                    with div("shot wide"):
                        picture = Element("img").props('loading="lazy"')
                        picture.props["src"], picture.props["alt"] = address, caption
                        text("div", caption).classes("caption")
