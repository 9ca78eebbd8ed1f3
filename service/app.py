"""The application: interface, screens, one shape of error, and the door."""

from __future__ import annotations

import hmac
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus
from http.cookies import SimpleCookie
from urllib.parse import parse_qs, urlsplit

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, RedirectResponse
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Receive, Scope, Send

from service.api import ErrorAnswer, ErrorBody, behind, router
from service.errors import ConflictError, NotFoundError, ServiceError
from service.house import House

logger = logging.getLogger(__name__)

COOKIE = "pitwatch_token"
LOCAL_HOSTS = ("127.0.0.1", "localhost", "[::1]")


def create_app(house: House, *, screens: bool = True) -> FastAPI:
    """The service as an ASGI application; tables are watched while it runs.

    Args:
        house: what it holds.
        screens: also serve the screens, not only the interface.
    """

    @asynccontextmanager
    async def running(_app: FastAPI) -> AsyncIterator[None]:
        house.start()
        yield
        house.stop()

    app = FastAPI(
        title="Pitwatch",
        summary="Alerts of watched casino tables, with their law and their evidence",
        lifespan=running,
        responses={status: {"model": ErrorAnswer} for status in ("4XX", "5XX")},
    )
    app.state.house = house
    app.include_router(router)
    app.include_router(behind)

    @app.get("/health")
    def health() -> dict[str, str]:
        """Whether the service answers."""
        return {"status": "ok"}

    _add_error_handlers(app)
    if screens:
        from service.screens.room import add_screens

        add_screens(app, house)
    app.add_middleware(Door, token=house.token)
    return app


class Door:
    """Lets in who may come in: on localhost only requests to localhost by name, elsewhere only with the token.

    The token comes as `Authorization: Bearer ...`, as a cookie, or once as `?token=...`, which sets the cookie.
    A page of another site can neither read answers nor send anything.
    """

    def __init__(self, app: ASGIApp, *, token: str | None) -> None:
        self.app, self.token = app, token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Checks a request before anything else sees it."""
        if scope["type"] not in ("http", "websocket") or scope["path"] == "/health":
            return await self.app(scope, receive, send)
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        host = headers.get("host", "")
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        answer: JSONResponse | RedirectResponse | None = None
        if self.token is None and _name_of(host) not in LOCAL_HOSTS:
            answer = error_answer(
                HTTPStatus.FORBIDDEN, "this service answers on localhost only", do="Start it with --allow-remote"
            )
        elif _is_cross_site(scope, headers, host):
            answer = error_answer(HTTPStatus.FORBIDDEN, "requests from pages of other sites are refused")
        elif self.token is not None and not self._knows(headers, given):
            answer = error_answer(
                HTTPStatus.UNAUTHORIZED,
                "a token is needed",
                do="Send it as 'Authorization: Bearer TOKEN' or open /?token=TOKEN",
            )
        elif self.token is not None and given and scope["type"] == "http":
            answer = RedirectResponse(scope["path"], HTTPStatus.SEE_OTHER)
            answer.set_cookie(COOKIE, self.token, httponly=True, samesite="strict")
        if answer is None:
            return await self.app(scope, receive, send)
        if scope["type"] == "websocket":
            await receive()
            return await send({"type": "websocket.close", "code": 4403})
        return await answer(scope, receive, send)

    def _knows(self, headers: dict[str, str], given: str) -> bool:
        cookie = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
        tries = (headers.get("authorization", "").removeprefix("Bearer "), cookie.value if cookie else "", given)
        return any(hmac.compare_digest(one.encode(), (self.token or "").encode()) for one in tries)


def _name_of(host: str) -> str:
    """The host's name without its port; an IPv6 address keeps its brackets."""
    return host if ":" not in host.rpartition("]")[2] else host.rpartition(":")[0]


def _is_cross_site(scope: Scope, headers: dict[str, str], host: str) -> bool:
    origin = headers.get("origin")
    if origin is None or (scope["type"] == "http" and scope["method"] in ("GET", "HEAD", "OPTIONS")):
        return False
    return urlsplit(origin).netloc != host


def error_answer(status: int, message: str, *, where: object = None, do: str | None = None) -> JSONResponse:
    """An error in the one shape."""
    code = "invalid" if status == HTTPStatus.UNPROCESSABLE_ENTITY else HTTPStatus(status).name.lower()
    body = ErrorAnswer(error=ErrorBody(code=code, message=message, where=None if where is None else str(where), do=do))
    return JSONResponse(body.model_dump(), status)


def _add_error_handlers(app: FastAPI) -> None:
    @app.exception_handler(ServiceError)
    async def service_error(_request: Request, error: ServiceError) -> JSONResponse:
        status = HTTPStatus.BAD_REQUEST
        if isinstance(error, NotFoundError):
            status = HTTPStatus.NOT_FOUND
        elif isinstance(error, ConflictError):
            status = HTTPStatus.CONFLICT
        return error_answer(status, error.what, where=error.where, do=error.do)

    @app.exception_handler(RequestValidationError)
    async def invalid(_request: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        return error_answer(
            HTTPStatus.UNPROCESSABLE_ENTITY, first["msg"], where=where, do="See /docs for what is accepted"
        )

    @app.exception_handler(HTTPException)
    async def http_error(request: Request, error: HTTPException) -> JSONResponse:
        return error_answer(error.status_code, str(error.detail), where=request.url.path)

    @app.exception_handler(Exception)
    async def unexpected(request: Request, error: Exception) -> JSONResponse:
        logger.error("unexpected error at %s", request.url.path, exc_info=error)
        return error_answer(
            HTTPStatus.INTERNAL_SERVER_ERROR, "something went wrong here; it is in the log", where=request.url.path
        )
