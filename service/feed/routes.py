"""The HTTP interface of webhooks and metrics."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field

from service.access.needs import needs, principal_of
from service.access.roles import Permission
from service.feed.metrics import CONTENT_TYPE, exposition
from service.feed.targets import verify_target_url
from service.feed.webhooks import DeadLetter, Subscription, Webhooks
from service.store import AlertFilter, AlertKind
from service.web.api import SeverityName, house_of
from service.web.bodies import StrictRoute
from service.web.fields import Id, Text

router = APIRouter(prefix="/api", route_class=StrictRoute)
metrics_router = APIRouter()


class WantedPublic(BaseModel):
    """Of which alerts a receiver is told; null means any."""

    model_config = ConfigDict(extra="forbid")

    table_id: Text | None = None
    game: Text | None = None
    severity: SeverityName | None = None
    check_id: Text | None = None
    origin: Literal["live", "review"] | None = None
    kind: AlertKind | None = None
    text: Annotated[Text | None, Field(max_length=200, description="part of the citation or of the cited sentence")] = (
        None
    )


class WebhookCreate(BaseModel):
    """A receiver to tell of everything from now on."""

    model_config = ConfigDict(extra="forbid")

    url: Text = Field(
        max_length=2000, description="https; http and private hosts only where the configuration names them"
    )
    secret: Text | None = Field(
        None, max_length=120, description="whsec_ and 24 to 64 bytes in base64; made if not given"
    )
    wanted: WantedPublic = WantedPublic()


class WebhookPublic(BaseModel):
    """A subscription and where its delivery stands; its secret is not shown."""

    webhook_id: str
    url: str
    wanted: WantedPublic
    made_utc: str
    made_by: str
    active: bool
    position: int = Field(description="everything up to this change was delivered, given up or not wanted")
    behind: int = Field(description="changes it has not come to yet")
    failures: int = Field(description="failed tries of the next message, one after the other")
    last_error: str


class WebhookMade(WebhookPublic):
    """A new subscription with its secret, which is shown this once."""

    secret: str


class DeadLetterPublic(BaseModel):
    """A message that was given up."""

    number: int
    webhook_id: str
    position: int
    failures: int
    last_error: str
    given_up_utc: str
    asked_utc: str | None = Field(description="when someone asked to send it again, until it was tried")
    sent_utc: str | None = Field(description="when it arrived after all")


@router.get("/webhooks")
@needs(Permission.FEED_MANAGE)
def list_webhooks(request: Request) -> list[WebhookPublic]:
    """Who is told by webhook, and how far."""
    store = house_of(request).store
    last = store.last_position()
    return [WebhookPublic.model_validate(_shown(one, last)) for one in Webhooks(store).subscriptions()]


@router.post("/webhooks", status_code=201)
@needs(Permission.FEED_MANAGE, what="webhooks.add", about="a webhook")
def post_webhook(request: Request, given: WebhookCreate) -> WebhookMade:
    """Subscribes a receiver; the answer holds the secret, this once."""
    house = house_of(request)
    verify_target_url(given.url, house.settings.webhooks.policy)
    wanted = AlertFilter(**given.wanted.model_dump())
    by = principal_of(request).signature
    made = Webhooks(house.store).subscribe(given.url, wanted, by=by, now=house.now(), secret=given.secret)
    return WebhookMade.model_validate(_shown(made, made.position) | {"secret": made.secret})


@router.delete("/webhooks/{webhook_id}", status_code=204, response_class=Response)
@needs(Permission.FEED_MANAGE, what="webhooks.end", about="webhook {webhook_id}")
def delete_webhook(request: Request, webhook_id: Text) -> None:
    """Ends a subscription."""
    Webhooks(house_of(request).store).end(webhook_id)


@router.get("/dead-letters")
@needs(Permission.FEED_MANAGE)
def list_dead_letters(
    request: Request,
    webhook_id: Annotated[Text | None, Query(description="only of this subscription")] = None,
    before: Annotated[int | None, Query(ge=1, le=2**31 - 1, description="last number of the page before")] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 100,
) -> list[DeadLetterPublic]:
    """Messages that were given up after three days, newest first."""
    found = Webhooks(house_of(request).store).dead_letters(webhook_id, before=before, limit=limit)
    return [_letter(one) for one in found]


@router.post("/dead-letters/{number}/resend")
@needs(Permission.FEED_MANAGE, what="webhooks.resend", about="dead letter {number}")
def resend_dead_letter(request: Request, number: Id) -> DeadLetterPublic:
    """Sends a dead letter again, with the id it had."""
    house = house_of(request)
    return _letter(Webhooks(house.store).resend(number, now=house.now()))


@metrics_router.get("/metrics", response_class=Response, responses={200: {"content": {"text/plain": {}}}})
@needs(Permission.METRICS_READ)
def get_metrics(request: Request) -> Response:
    """Measurements in the form Prometheus reads."""
    return Response(exposition(house_of(request)), media_type=CONTENT_TYPE)


def _shown(one: Subscription, last: int) -> dict[str, Any]:
    names = [name for name in WebhookPublic.model_fields if name not in ("wanted", "behind")]
    wanted = {name: getattr(one.wanted, name) for name in WantedPublic.model_fields}
    return {name: getattr(one, name) for name in names} | {"wanted": wanted, "behind": max(0, last - one.position)}


def _letter(one: DeadLetter) -> DeadLetterPublic:
    return DeadLetterPublic(**{name: getattr(one, name) for name in DeadLetterPublic.model_fields})
