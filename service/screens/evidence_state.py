"""How an alert's evidence stands: stored or not and why, its class and how long it is kept, and holds."""

from __future__ import annotations

from collections.abc import Callable

from service.access.roles import Permission
from service.evidence.erasing import Deletions
from service.evidence.retention import CLASSES, Policy
from service.screens.frame import Visitor
from service.screens.parts import ask, button, div, reasoned, text
from service.store import Alert

SAID = {
    "stored": "stored", "pending": "still to come", "clips_expired": "stored, its films deleted by retention",
    "expired": "gone", "not_stored": "not stored",
}  # fmt: skip


def class_of(alert: Alert) -> str:
    """The class of retention an alert's bundle belongs to now."""
    return alert.status.value if alert.status.value in CLASSES else alert.severity


def kept(policy: Policy, klass: str) -> str:
    """How long what of a class is kept, in words."""
    days, clips = policy.bundles_days.get(klass), policy.clips_days.get(klass)
    said = "kept for ever" if days is None else f"kept {max(days, policy.legal_minimum_days)} days"
    return said if clips is None else f"{said}, films {max(clips, policy.legal_minimum_days)} days"


def fill_bundle(who: Visitor, alert: Alert) -> None:
    """Fills the place that is open with how the evidence of an alert stands."""
    with div("bundle") as box:
        _fill(who, alert, lambda: again())

    def again() -> None:
        box.clear()
        with box:
            _fill(who, who.house.store.alert(alert.seq), again)


def _fill(who: Visitor, alert: Alert, again: Callable[[], object]) -> None:
    room = who.house.evidence
    assert room is not None
    state = room.state_of(alert)
    klass = class_of(alert)
    text("div", f"{SAID[state['state']]}" + (f": {state['detail']}" if state["detail"] else ""))
    if "number" not in state:
        return
    text(
        "div",
        f"Link {state['number']} of the chain, {state['bytes'] / 1_000_000:.1f} MB, {state['stored_utc'][:19].replace('T', ' ')} UTC",
        "small quiet number",
    )
    text("div", f"manifest sha256 {state['manifest_sha256']}", "small quiet hash")
    text("div", f"Class {klass}: {kept(room.policy, klass)}", "small quiet")
    held = state["held"]
    if held is not None:
        text("div", f"Held by {held['by']} since {held['since_utc'][:10]}: {held['why']}", "held small")
    if state["state"] != "expired" and who.may(Permission.EVIDENCE_KEEP, alert.table_id):
        with div("act noprint"):
            name = "Release the hold" if held is not None else "Hold"
            button(name, lambda: _ask(who, alert, state["number"], held is not None, again)).classes("small")
            button("Erase", lambda: _ask_erase(who, alert, again), danger=True).classes("small")


def _ask(who: Visitor, alert: Alert, number: int, release: bool, again: Callable[[], object]) -> None:
    def order(why: str) -> None:
        room = who.house.evidence
        assert room is not None
        by = who.now(Permission.EVIDENCE_KEEP, alert.table_id).signature
        act = room.vault.release if release else room.vault.hold
        act(number, by=by, why=why, now=room.now())
        who.note("evidence.release" if release else "evidence.hold", f"bundle of alert {alert.seq}", alert.table_id)

    title = ("Release the hold" if release else "Hold the evidence") + f" · alert {alert.seq}"
    about = "The reason goes into the chain of evidence for ever, with your name."
    ask(title, about, "Reason", "Release" if release else "Hold", order, again, wrong=reasoned)


def _ask_erase(who: Visitor, alert: Alert, again: Callable[[], object]) -> None:
    def order(why: str) -> None:
        assert who.house.evidence is not None
        by = who.now(Permission.EVIDENCE_KEEP, alert.table_id).signature
        Deletions(who.house.evidence, who.house.store).erase(who.house.store.alert(alert.seq), by=by, why=why)
        who.note("evidence.erase", f"evidence of alert {alert.seq}", alert.table_id)

    about = "For somebody who asks that pictures of him be erased. Films, pictures and papers of the bundle are deleted for ever, also the pictures beside the alert; the alert, its history and a link of the chain with your name and the reason stay. It is refused while it is evidence: undecided, held, or before the legal minimum is over."  # fmt: skip
    label = "Reason, without the name of whoever asks"
    ask(
        f"Erase the evidence · alert {alert.seq}",
        about,
        label,
        "Erase for ever",
        order,
        again,
        wrong=reasoned,
        danger=True,
    )
