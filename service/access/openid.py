"""Single sign-on by OpenID Connect: authorization code with PKCE, as OpenID Connect Core 1.0 section 3.1 and RFC 7636 say.

What belongs to a sign-in under way (nonce, code verifier, where to go) stays in the database; the browser holds a ticket
for it in a cookie, and the provider is told only the ticket's hash (`state`), so that nobody can finish a sign-in that
another browser began.
"""

from __future__ import annotations

import logging
import re
import secrets
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import httpx
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from service.access.access import Access
from service.access.journal import Deed
from service.access.people import Person, account_name
from service.access.roles import Role
from service.access.settings import OpenIdSettings
from service.access.tokens import Token, sha256
from service.errors import ConflictError, ServiceError

logger = logging.getLogger(__name__)

KIND = "openid"
WITHIN = timedelta(minutes=10)
ALGORITHMS = ("RS256", "PS256", "ES256", "EdDSA")
"""Signatures of ID tokens that are believed; never `none`, never one with the client secret as key."""
LEEWAY_S = 60
TIMEOUT_S = 10.0
MOST_NAMES = 50


class OpenIdError(ServiceError):
    """A sign-in with an identity provider that did not work out.

    Attributes:
        said: what the sign-in page says, one of `service.screens.login.SAID`.
    """

    def __init__(self, what: str, *, said: str = "provider") -> None:
        super().__init__(what, do="Try again, or ask an administrator")
        self.said = said


@dataclass(frozen=True, slots=True)
class Begun:
    """A sign-in that has begun: where the browser is sent, and the ticket it keeps."""

    url: str
    ticket: Token


@dataclass(slots=True)
class OpenId:
    """Signs people in whom an identity provider knows.

    Args:
        access: who may come in.
        settings: of the provider.
        http: makes the client that asks the provider.
    """

    access: Access
    settings: OpenIdSettings
    http: Callable[[], httpx.BaseTransport | None] = lambda: None

    def begin(self, *, redirect_uri: str, next_path: str) -> Begun:
        """Begins a sign-in.

        Raises:
            OpenIdError: the provider cannot be asked.
        """
        provider = self._provider()
        about = {
            "nonce": secrets.token_urlsafe(24),
            "verifier": secrets.token_urlsafe(48),
            "next": next_path,
            "redirect_uri": redirect_uri,
        }
        now = self.access.now()
        ticket = self.access.tickets.issue(KIND, ends=now + WITHIN, now=now, about=about)
        with self._client(redirect_uri) as client:
            url, _ = client.create_authorization_url(
                provider["authorization_endpoint"], state=sha256(ticket.text), code_verifier=about["verifier"], nonce=about["nonce"]
            )  # fmt: skip
        return Begun(str(url), ticket)

    def finish(self, *, ticket: str, state: str, code: str, address: str) -> tuple[Token, str]:
        """Signs in whom the provider vouches for.

        Returns:
            The session's token and where to go.

        Raises:
            OpenIdError: it does not belong together, is over, or the one is not known here; noted in the log.
        """
        try:
            claims, next_path = self._vouched(ticket, state, code)
            person = self._account(claims)
            return self.access.open_session(person, how="openid", address=address), next_path
        except (OpenIdError, _authlib().OAuthError, JoseError, httpx.HTTPError, KeyError, ValueError) as error:
            logger.warning("single sign-on: %s: %s", type(error).__name__, error)
            said = f"by openid: {type(error).__name__}: {error}"[:300]
            self.access.note_refused(Deed("sign-in", said, address=address, outcome="refused"))
            raise error if isinstance(error, OpenIdError) else OpenIdError("the sign-in was not completed") from error

    def _vouched(self, ticket: str, state: str, code: str) -> tuple[Mapping[str, Any], str]:
        """What the provider says about the one who signs in, and where they wanted to go."""
        if not ticket or not secrets.compare_digest(sha256(ticket), state):
            raise OpenIdError("this browser did not begin that sign-in")
        used = self.access.tickets.redeem(KIND, ticket, now=self.access.now())
        if used is None:
            raise OpenIdError("this sign-in is over")
        about = used[1]
        provider = self._provider()
        with self._client(about["redirect_uri"]) as client:
            token = client.fetch_token(
                provider["token_endpoint"], grant_type="authorization_code", code=code, code_verifier=about["verifier"]
            )
        keys = KeySet.import_key_set(self._json(provider["jwks_uri"]))  # type: ignore[arg-type]
        return self._claims(str(token["id_token"]), keys, about["nonce"]), str(about["next"])

    def _claims(self, id_token: str, keys: KeySet, nonce: str) -> Mapping[str, Any]:
        """The claims of an ID token, checked as OpenID Connect Core 1.0 section 3.1.3.7 demands."""
        decoded = jwt.decode(id_token, keys, algorithms=list(ALGORITHMS))
        registry = jwt.JWTClaimsRegistry(
            now=int(self.access.now().timestamp()), leeway=LEEWAY_S,
            iss={"essential": True, "value": self.settings.issuer}, aud={"essential": True, "value": self.settings.client_id},
            nonce={"essential": True, "value": nonce}, sub={"essential": True}, exp={"essential": True}, iat={"essential": True},
        )  # fmt: skip
        registry.validate(decoded.claims)
        party = decoded.claims.get("azp")
        if party is not None and party != self.settings.client_id:
            raise OpenIdError("the token was made for someone else")
        return decoded.claims

    def _account(self, claims: Mapping[str, Any]) -> Person:
        """The account of someone, with the roles the provider gives today; made if they have any."""
        people, now = self.access.people, self.access.now()
        subject = str(claims["sub"])[:300]
        roles = self._roles(claims)
        person = people.of_subject(self.settings.issuer, subject)
        if person is not None and person.disabled:
            raise OpenIdError(f"{person.name} is shut out here", said="stranger")
        if not roles:
            raise OpenIdError(f"nothing in {self.settings.roles_claim} gives a role here", said="stranger")
        if person is None:
            person = self._new(claims, subject, roles)
            self.access.journal.write(
                Deed("people.add", f"{person.name}, from {self.settings.issuer}", person.name), at=now
            )
        elif set(person.roles) != set(roles):
            person = people.set_roles(person.user_id, roles)
            self.access.journal.write(
                Deed("people.roles", f"{person.name}, from {self.settings.issuer}", person.name), at=now
            )
        return person

    def _roles(self, claims: Mapping[str, Any]) -> list[tuple[Role, str]]:
        held = claims.get(self.settings.roles_claim)
        values = {str(one) for one in held} if isinstance(held, list) else {str(held)} if held is not None else set()
        return [(one.role, one.tables) for one in self.settings.roles if one.value in values]

    def _new(self, claims: Mapping[str, Any], subject: str, roles: list[tuple[Role, str]]) -> Person:
        """A new account; a name that is taken gets a number, an account that is there is never taken over."""
        wanted = account_name(str(claims.get(self.settings.name_claim) or claims.get("email") or subject))
        name = re.sub(r"[^\w.@+-]+", "-", wanted, flags=re.ASCII).strip("-")[:70] or "person"
        for number in range(1, MOST_NAMES):
            try:
                chosen = name if number == 1 else f"{name}-{number}"
                return self.access.people.add(
                    chosen, roles, now=self.access.now(), issuer=self.settings.issuer, subject=subject
                )
            except ConflictError:
                continue
        raise OpenIdError(f"there are too many accounts called {name}")

    def _provider(self) -> Mapping[str, Any]:
        """What the provider says about itself (OpenID Connect Discovery 1.0)."""
        url = self.settings.issuer.rstrip("/") + "/.well-known/openid-configuration"
        try:
            found = self._json(url)
        except (httpx.HTTPError, ValueError) as error:
            raise OpenIdError(f"the identity provider cannot be asked ({type(error).__name__})") from error
        if found.get("issuer") != self.settings.issuer:
            raise OpenIdError(f"the identity provider calls itself {str(found.get('issuer'))[:200]!r}")
        return found

    def _client(self, redirect_uri: str) -> Any:
        secret = self.settings.client_secret()
        return _authlib().OAuth2Client(
            self.settings.client_id, secret, scope=" ".join(self.settings.scopes), redirect_uri=redirect_uri,
            token_endpoint_auth_method="client_secret_basic" if secret else "none", code_challenge_method="S256",
            timeout=TIMEOUT_S, transport=self.http(), follow_redirects=False,
        )  # fmt: skip

    def _json(self, url: str) -> dict[str, Any]:
        with httpx.Client(timeout=TIMEOUT_S, transport=self.http(), follow_redirects=False) as client:
            answer = client.get(url)
        answer.raise_for_status()
        found = answer.json()
        if not isinstance(found, dict):
            raise ValueError(f"{url} answers with something else than an object")
        return found


def _authlib() -> Any:
    """The library, loaded only where single sign-on is used; it would rather have httpx2, which NiceGUI does not bring yet."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import authlib.integrations.httpx_client as client
    return client
