"""Sampling plans on the auditor's page: draw rounds to check by eye, enter what was seen, read what it says."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from nicegui import run, ui

from service.access.roles import Permission, Principal
from service.audit.questions import By, limited
from service.audit.sampling import Drawn, Plan, Result, Sample, Samples
from service.errors import NotFoundError, ServiceError
from service.screens.parts import div, opens, text

if TYPE_CHECKING:
    from service.screens.audit import AuditPage

STRATA = {"table,shift": "table and shift", "table": "table", "game,shift": "game and shift", "dealer": "dealer"}
PAGE = 40


class SamplesPane:
    """The list of samples, or one of them."""

    def __init__(self, page: AuditPage) -> None:
        self.page = page
        self.opened: int | None = None

    def _samples(self) -> Samples:
        """The samples that this person may see."""
        return Samples(self.page.questions, self.page.who.principal.tables_for(Permission.AUDIT_READ))

    def _mine(self) -> tuple[Principal, Samples]:
        """This person as they stand now, and the samples that they may draw and enter results into.

        Raises:
            ServiceError: they may not (any more), or are not signed in any more.
        """
        who = self.page.who.now(Permission.AUDIT_IMPORT)
        return who, Samples(self.page.questions, who.tables_for(Permission.AUDIT_IMPORT))

    async def build(self) -> None:
        """Fills the side of the page."""
        if self.opened is not None:
            try:
                await self._build_one(self.opened)
            except NotFoundError:  # it was theirs when they opened it
                self.opened = None
            else:
                return
        if self.page.who.may(Permission.AUDIT_IMPORT):
            self._build_form()
        for sample in await run.io_bound(self._samples().samples):
            self._fill_sample(sample)

    def _build_form(self) -> None:
        with div("sample-form"):
            text("div", "Draw rounds of the days and tables chosen above, to be checked by eye").classes(
                "audit-note wide"
            )
            confidence = ui.number("confidence, %", value=95, min=50, max=99.99, step=1).props("dense outlined")
            tolerable = ui.number("tolerable rate, %", value=1, min=0.01, max=50, step=0.1).props("dense outlined")
            allowed = ui.number("differing allowed", value=0, min=0, max=50, step=1).props("dense outlined")
            strata = ui.select(STRATA, value="table,shift", label="drawn from each").props(
                "dense outlined options-dense"
            )
            seed = ui.number("seed", value=1, min=0, step=1).props("dense outlined")

            async def draw() -> None:
                by = tuple(By(name) for name in str(strata.value).split(","))
                await self._draw(
                    Plan(
                        self.page.allowed, float(confidence.value or 0) / 100, float(tolerable.value or 0) / 100,
                        int(allowed.value or 0), by, int(seed.value or 0),
                    )
                )  # fmt: skip

            text("button", "draw").classes("plain small").on("click", draw)

    async def _draw(self, plan: Plan) -> None:
        page = self.page
        try:
            who, samples = self._mine()
            plan = replace(plan, scope=limited(plan.scope, samples.tables))
            drawn = await run.io_bound(lambda: samples.draw(plan, by=who.signature, now=page.house.now()))
        except ServiceError as error:
            ui.notify(str(error), type="warning", position="bottom-right")
            return
        page.who.note("audit.sample", f"sample {drawn.sample_id} drawn")
        await self._open(drawn.sample_id)

    async def _open(self, sample_id: int | None) -> None:
        self.opened = sample_id
        await self.page.fill_side()

    def _fill_sample(self, sample: Sample) -> None:
        with div("sample") as row:
            with div("row-top"):
                text("div", f"sample {sample.sample_id} · {sample.made_utc[:10]} · {sample.by}")
                text("div", f"{sample.estimate.checked} of {sample.size} checked")
            text("b", _said(sample))
            text("div", _estimate(sample)).classes("audit-note")
        opens(row, partial(self._open, sample.sample_id))

    async def _build_one(self, sample_id: int) -> None:
        samples = self._samples()
        sample = await run.io_bound(samples.sample, sample_id)
        text("button", "all samples").classes("plain small back").on("click", lambda _: self._open(None))
        self._fill_sample(sample)
        drawn = await run.io_bound(lambda: samples.drawn(sample_id, limit=sample.size))
        waiting = [one for one in drawn if one.result is None]
        done = [one for one in drawn if one.result is not None]
        for one in waiting[:PAGE] + done[:PAGE]:
            self._fill_drawn(sample_id, one)
        if len(waiting) > PAGE:
            ui.label(f"{len(waiting) - PAGE} more wait after these").classes("empty")

    def _fill_drawn(self, sample_id: int, one: Drawn) -> None:
        with div("sample-row"):
            with div("row-top"):
                text("div", f"{one.number} · {one.table_id} · {one.day} · round {one.round_id}")
                text("div", one.result.value if one.result else one.stratum)
            if one.note:
                text("div", f"{one.note} ({one.by})").classes("audit-note")
            with div("sample-acts"):
                look = text("button", "look").classes("plain small")
                look.on("click", lambda _: self.page.open_round(one.round_seq, self.page.fill_side))
                if self.page.who.may(Permission.AUDIT_IMPORT, one.table_id):
                    note = ui.input(placeholder="note").props("dense borderless")
                    for result in Result:

                        async def enter(_: Any, chosen: Result = result) -> None:
                            await self._enter(sample_id, one.number, chosen, str(note.value or ""))

                        text("button", result.value).classes("plain small").on("click", enter)

    async def _enter(self, sample_id: int, number: int, result: Result, note: str) -> None:
        page = self.page
        try:
            who, samples = self._mine()
            await run.io_bound(
                lambda: samples.enter(sample_id, number, result, note=note, by=who.signature, now=page.house.now())
            )
        except ServiceError as error:
            ui.notify(str(error), type="warning", position="bottom-right")
            return
        page.who.note("audit.result", f"sample {sample_id}, round {number}")
        await page.fill_side()


def _said(sample: Sample) -> str:
    """What the sample is for; that the bound holds is said only once it is found."""
    plan = sample.plan
    bound = f"at most {100 * plan.tolerable:g}% differ, with {100 * plan.confidence:g}% confidence"
    head = f"{sample.size} of {sample.population:,} rounds"
    if sample.estimate.passes is None:
        few = "none of them" if plan.allowed == 0 else f"at most {plan.allowed} of them"
        return f"{head} to check: if {few} differ or cannot be told, {bound}"
    return f"{head}: {bound}{'' if sample.estimate.passes else ' does not hold'}"


def _estimate(sample: Sample) -> str:
    found = sample.estimate
    if not found.checked:
        return "nothing checked yet"
    low, high = found.interval
    rate = "" if found.rate is None else f"{100 * found.rate:.2f}% differ ({100 * low:.2f} to {100 * high:.2f}); "
    return f"{rate}{found.agrees} agree, {found.differs} differ, {found.unreadable} cannot be told; at most {100 * found.upper:.2f}%"
