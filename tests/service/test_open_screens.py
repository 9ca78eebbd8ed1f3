"""Screens that stay open: what is shown and done follows the roles of now, not those of when they were opened."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from audit_fakes import NOW, ROUND, importer, write_lines
from service_fakes import TABLE, session_of
from test_audit_routes import SHORT
from test_review_queue import office_of

from service.access.roles import Permission, Role
from service.access.tokens import sha256
from service.audit.questions import Scope
from service.audit.sampling import Plan, Result, Samples
from service.errors import ServiceError
from service.house import House
from service.screens import audit, audit_samples, reviews
from service.screens.frame import Visitor
from service.store import Store


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    url = f"sqlite:///{tmp_path}/open.db"
    taker = importer(url)
    taker.take(write_lines(tmp_path / "a.jsonl", [ROUND, SHORT]), now=lambda: NOW)
    taker.database.close()
    house = House(Store(url), now=lambda: NOW)
    house.office = office_of(house.store, tmp_path)
    house.access.people.set_group("others", ["riu-99"])
    session_of(house, Role.ADMINISTRATOR)
    yield house
    house.stop()


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the screens say in the corner."""
    out: list[str] = []
    for module in (audit, audit_samples, reviews):
        monkeypatch.setattr(module.ui, "notify", lambda text, **_: out.append(text))
    return out


def visitor(house: House, *roles: Role) -> Visitor:
    """Someone with a screen open."""
    token = session_of(house, *roles, name="ann")
    principal = house.access.sessions.principal(sha256(token), now=NOW)
    assert principal is not None
    return Visitor(house, principal, "127.0.0.1")


def narrow(house: House, who: Visitor, role: Role) -> None:
    """Their role is left for other tables only, and some seconds go by."""
    house.access.people.set_roles(who.opened.user_id, [(role, "others")])
    later_s = house.access.now_s() + 6.0
    house.access.now_s = lambda: later_s


def whats(house: House) -> list[str]:
    return [entry.what for entry in house.access.journal.page()]


def test_what_is_shown_follows_the_roles_of_now(house: House) -> None:
    who = visitor(house, Role.AUDITOR)
    assert who.principal.tables_for(Permission.AUDIT_READ) is None
    narrow(house, who, Role.AUDITOR)
    assert (who.may(Permission.AUDIT_READ, "riu-01"), who.may(Permission.AUDIT_READ, "riu-99")) == (False, True)
    house.access.people.end_sessions(who.opened.user_id, now=NOW)
    later_s = house.access.now_s() + 6.0
    house.access.now_s = lambda: later_s
    assert not who.may(Permission.AUDIT_READ)
    with pytest.raises(ServiceError, match="not signed in"):
        who.now(Permission.AUDIT_READ)


def test_reviews_are_ordered_and_cancelled_by_whom_may_now(house: House, said: list[str]) -> None:
    who = visitor(house, Role.SUPERVISOR)
    page = reviews.QueuePage(who)
    page.refresh = lambda: None  # type: ignore[method-assign]
    assert house.office is not None
    queue = house.office.queue
    page._order_folder(house.office, "night.mp4", None)
    (one,) = queue.page()
    page._do(one, "reviews.cancel", lambda: queue.cancel(one.review_id, now=NOW))
    assert whats(house)[:2] == ["reviews.cancel", "reviews.order"]
    narrow(house, who, Role.SUPERVISOR)
    page._order_folder(house.office, "night.mp4", None)
    page._do(one, "reviews.retry", lambda: queue.retry(one.review_id))
    assert [one.state for one in queue.page()] == ["cancelled"]
    assert [TABLE in text for text in said] == [False, True, True]


def test_samples_and_recounts_are_for_whom_may_now(house: House, said: list[str]) -> None:
    who = visitor(house, Role.AUDITOR)
    sample = Samples(house.questions).draw(Plan(Scope(), tolerable=0.4), by="boss", now=NOW)
    page: Any = SimpleNamespace(who=who, house=house, questions=house.questions, fill_side=lambda: asyncio.sleep(0))
    pane = audit_samples.SamplesPane(page)
    asyncio.run(pane._enter(sample.sample_id, 1, Result.AGREES, ""))
    asyncio.run(pane._draw(Plan(Scope(), tolerable=0.4)))
    assert (len(pane._samples().samples()), whats(house)[:2]) == (2, ["audit.sample", "audit.result"])
    desk = audit.AuditPage(who)
    desk.scope = Scope()
    asyncio.run(desk._recount())
    assert whats(house)[0] == "audit.recount"
    narrow(house, who, Role.VIEWER)
    del said[:]
    asyncio.run(pane._enter(sample.sample_id, 2, Result.AGREES, ""))
    asyncio.run(pane._draw(Plan(Scope(), tolerable=0.4)))
    asyncio.run(desk._recount())
    assert [text.startswith("you may not") for text in said] == [True] * 3
    assert pane._samples().samples() == []
    assert Samples(house.questions).sample(sample.sample_id).estimate.checked == 1
