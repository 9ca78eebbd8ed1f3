"""A change as a webhook carries it: a CloudEvents 1.0 body, signed after the Standard Webhooks specification.

Source: cloudevents.io, "CloudEvents - Version 1.0.2" and its JSON format; standardwebhooks.com, specification 1.0.
"""

from __future__ import annotations

import base64
import binascii
import json
import secrets
from dataclasses import dataclass
from datetime import datetime

from standardwebhooks import Webhook

from service.errors import ServiceError
from service.feed.told import Shown, Told

PREFIX = "whsec_"
SECRET_BYTES = (24, 64)
"""How long the specification lets a secret be."""


@dataclass(frozen=True, slots=True)
class Message:
    """What is sent, the same each time it is sent: only time stamp and signature differ."""

    message_id: str
    body: str


def new_secret() -> str:
    """A secret nobody knows yet."""
    return PREFIX + base64.b64encode(secrets.token_bytes(32)).decode()


def check_secret(secret: str) -> str:
    """The secret, if it is one.

    Raises:
        ServiceError: it is none; its text is not repeated.
    """
    least, most = SECRET_BYTES
    try:
        raw = base64.b64decode(secret.removeprefix(PREFIX), validate=True)
    except (binascii.Error, ValueError):
        raw = b""
    if not secret.startswith(PREFIX) or not least <= len(raw) <= most:
        do = f"Give {PREFIX} and {least} to {most} bytes in base64, or leave it away to get one"
        raise ServiceError("this is no secret for webhooks", where="secret", do=do)
    return secret


def message_of(told: Told, webhook_id: str, shown: Shown) -> Message:
    """The message that tells a subscriber of a change; sending it again gives the same id and the same body."""
    message_id = f"{webhook_id}-{told.change.position}"
    event = {
        "specversion": "1.0",
        "id": message_id,
        "source": f"/pitwatch/tables/{told.alert.table_id}",
        "type": f"pitwatch.alert.{told.change.kind}",
        "subject": f"alerts/{told.alert.seq}",
        "time": told.change.at_utc,
        "datacontenttype": "application/json",
        "data": told.body(shown),
    }
    return Message(message_id, json.dumps(event, separators=(",", ":")))


def headers_of(message: Message, secret: str, now: datetime) -> dict[str, str]:
    """The headers that let a receiver check where a message comes from and when it was sent."""
    return {
        "content-type": "application/cloudevents+json; charset=utf-8",
        "user-agent": "Pitwatch",
        "webhook-id": message.message_id,
        "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": Webhook(secret).sign(message.message_id, now, message.body),
    }
