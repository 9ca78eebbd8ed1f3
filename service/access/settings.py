"""The settings file of the service: who may come in, how long, how fast, and what may be reached. Checked as a whole."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from service.access.addresses import CAMERAS, PRIVATE_NETWORKS, WEBHOOKS, AddressPolicy
from service.access.roles import Role
from service.errors import ServiceError

MIB = 1 << 20
Name = Annotated[str, Field(min_length=1, max_length=200)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class SessionSettings(_Part):
    """How long a browser stays signed in."""

    idle_minutes: float = Field(
        default=30, gt=0, le=24 * 60, description="signed out when unused for so long; an open screen is in use"
    )
    absolute_hours: float = Field(default=12, gt=0, le=24 * 7, description="signed out after so long in any case")
    ticket_minutes: float = Field(default=15, gt=0, le=24 * 60, description="how long a sign-in link works")

    @property
    def idle(self) -> timedelta:
        """As a span of time."""
        return timedelta(minutes=self.idle_minutes)

    @property
    def absolute(self) -> timedelta:
        """As a span of time."""
        return timedelta(hours=self.absolute_hours)

    @property
    def ticket(self) -> timedelta:
        """As a span of time."""
        return timedelta(minutes=self.ticket_minutes)


class LimitSettings(_Part):
    """How much anyone may ask."""

    requests_per_s: float = Field(default=60, gt=0, le=10_000, description="requests a second of one person or key")
    burst: int = Field(default=600, ge=1, le=100_000, description="requests at once of one person or key")
    stranger_requests_per_s: float = Field(
        default=10, gt=0, le=10_000, description="of an address that is not signed in"
    )
    stranger_burst: int = Field(
        default=100, ge=1, le=100_000, description="of an address that is not signed in, at once"
    )
    body_bytes: int = Field(
        default=MIB, ge=1024, le=64 * MIB, description="a request's body, where no file is expected"
    )
    upload_bytes: int = Field(
        default=16 * 1024 * MIB, ge=MIB, le=64 * 1024 * MIB, description="a request's body, where a file is expected"
    )


class CameraSettings(_Part):
    """Which cameras and recordings may be named in the screens and the interface."""

    hosts: tuple[Name, ...] = Field(
        default=PRIVATE_NETWORKS, description="names, *.suffix, addresses, networks; best only the cameras' own network"
    )
    folders: tuple[Path, ...] = Field(default=(), description="recordings may lie in these")
    devices: bool = Field(default=False, description="camera numbers of this machine may be named")

    @property
    def policy(self) -> AddressPolicy:
        """As the address check takes it."""
        return AddressPolicy(
            CAMERAS.schemes, CAMERAS.named_schemes, self.hosts, public=False, credentials=True, setting="cameras.hosts"
        )


class WebhookSettings(_Part):
    """Which receivers may be named."""

    hosts: tuple[Name, ...] = Field(default=(), description="receivers that are not public, or reached over plain http")

    @property
    def policy(self) -> AddressPolicy:
        """As the address check takes it."""
        return AddressPolicy(WEBHOOKS.schemes, WEBHOOKS.named_schemes, self.hosts, setting="webhooks.hosts")


class OpenIdRole(_Part):
    """A role for those in whose claim a value stands."""

    value: Name
    role: Role
    tables: Name = "*"


class OpenIdSettings(_Part):
    """An identity provider (OpenID Connect, authorization code with PKCE)."""

    issuer: str = Field(pattern=r"^https?://\S+$", description="as it names itself; plain http only for this machine")
    client_id: Name
    client_secret_env: Name | None = Field(
        default=None, description="environment variable that holds the client secret"
    )
    client_secret_file: Path | None = Field(default=None, description="file that holds the client secret")
    label: Name = "single sign-on"
    scopes: tuple[Name, ...] = ("openid", "profile", "email")
    name_claim: Name = Field(default="preferred_username", description="claim that becomes the account's name")
    roles_claim: Name = Field(default="groups", description="claim that says what someone may do")
    roles: tuple[OpenIdRole, ...] = Field(
        default=(), description="which value of it gives which role; set anew at every sign-in"
    )

    @model_validator(mode="after")
    def _checked(self) -> OpenIdSettings:
        host = self.issuer.split("://", 1)[1].split("/", 1)[0].rsplit(":", 1)[0]
        if self.issuer.startswith("http://") and host not in ("localhost", "127.0.0.1", "[::1]"):
            raise ValueError("an issuer on another machine is reached over https")
        return self

    def client_secret(self) -> str | None:
        """The secret, read when it is needed; None for a public client.

        Raises:
            ServiceError: it is not where the settings say.
        """
        if self.client_secret_env is not None:
            secret = os.environ.get(self.client_secret_env)
            if not secret:
                raise ServiceError("this environment variable is not set", where=self.client_secret_env, do="Set it")
            return secret
        if self.client_secret_file is not None:
            try:
                return self.client_secret_file.read_text(encoding="utf-8").strip()
            except OSError as error:
                raise ServiceError(
                    f"the client secret cannot be read ({error.strerror})", where=self.client_secret_file,
                    do="See openid.client_secret_file in the settings",
                ) from error  # fmt: skip
        return None


class Settings(_Part):
    """Everything that is not about one table."""

    public_url: str | None = Field(
        default=None,
        pattern=r"^https?://[^/\s]+$",
        description="where people reach the service, e.g. https://pitwatch.casino.example",
    )
    proxies: tuple[Name, ...] = Field(
        default=(), description="addresses of proxies whose X-Forwarded-For and -Proto are believed"
    )
    session: SessionSettings = SessionSettings()
    limits: LimitSettings = LimitSettings()
    cameras: CameraSettings = CameraSettings()
    webhooks: WebhookSettings = WebhookSettings()
    openid: OpenIdSettings | None = None


def load_settings(path: Path) -> Settings:
    """Reads a settings file.

    Raises:
        ServiceError: no such file, not YAML, or a key that is unknown or wrong, each with its place.
    """
    from service.textfiles import parse_yaml, read_text

    raw = parse_yaml(read_text(path, what="settings file", do="Give it with --settings"), where=path)
    try:
        return Settings.model_validate({} if raw is None else raw)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "the whole file"
        raise ServiceError(f"{place}: {first['msg']}", where=path, do="See docs/access.md") from error
