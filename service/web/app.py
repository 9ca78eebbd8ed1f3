"""The application: interface, screens, one shape of error, and the door before all of it."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cached_property
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse
from sqlalchemy.exc import DataError
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp

from service.access.door import COOKIE, LOCAL_HOSTS, Door
from service.access.headers import Headers
from service.access.needs import Need, RouteBook, needs
from service.access.roles import ForbiddenError
from service.errors import ConflictError, NotFoundError, ServiceError
from service.house import House
from service.screens.interface import interface_page
from service.web.answers import error_answer
from service.web.routes import interface

logger = logging.getLogger(__name__)

STATUS = {
    NotFoundError: HTTPStatus.NOT_FOUND,
    ConflictError: HTTPStatus.CONFLICT,
    ForbiddenError: HTTPStatus.FORBIDDEN,
}


class Application(FastAPI):
    """FastAPI with the door outermost, so that also answers to unexpected errors pass it."""

    def __init__(self, house: House, **options: Any) -> None:
        self.house = house
        super().__init__(**options)

    @cached_property
    def book(self) -> RouteBook:
        """What its routes need, read once all are there."""
        return RouteBook(self.routes)

    def build_middleware_stack(self) -> ASGIApp:
        """Everything else behind the door."""
        inside = super().build_middleware_stack()
        return Headers(Door(inside, routes=self, access=self.house.access, house=self.house))

    def openapi(self) -> dict[str, Any]:
        """The description of the interface, with what every route needs."""
        if self.openapi_schema is None:
            described = super().openapi()
            described.setdefault("components", {})["securitySchemes"] = {
                "key": {"type": "http", "scheme": "bearer", "description": "a key made under /keys"},
                "session": {"type": "apiKey", "in": "cookie", "name": COOKIE},
            }
            described["security"] = [{"key": []}, {"session": []}]
            asked = {
                (method, route.path): route.need for route in RouteBook(self.routes).known for method in route.methods
            }
            for path, item in described["paths"].items():
                for method, operation in item.items():
                    _describe(operation, asked.get((method.upper(), path)))
            self.openapi_schema = described
        return self.openapi_schema


def create_app(house: House, *, screens: bool = True) -> FastAPI:
    """The service as an ASGI application; tables are watched while it runs.

    Args:
        house: what it holds.
        screens: also serve the screens, not only the interface.

    Raises:
        AssertionError: a route does not say what it needs (`service.access.needs`).
    """

    @asynccontextmanager
    async def running(_app: FastAPI) -> AsyncIterator[None]:
        house.start()
        yield
        house.stop()

    app = Application(
        house,
        title="Pitwatch",
        summary="Alerts of watched casino tables, with their law and their evidence",
        lifespan=running,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
    )
    app.state.house = house
    app.router.routes.extend(interface.routes)
    _add_description(app)
    _add_error_handlers(app)
    silent = RouteBook(app.routes).without_need()
    assert not silent, f"routes that do not say what they need (service/access/needs.py): {', '.join(silent)}"
    if screens:
        from service.screens.pages import add_screens

        add_screens(app, house)
    return app


def _describe(operation: dict[str, Any], need: Need | None) -> None:
    if need is not None and need.is_open:
        operation["security"] = []
        operation["x-permission"] = "open"
    elif need is not None:
        operation["x-permission"] = str(need.permission) if need.permission else "signed in"


def _add_description(app: FastAPI) -> None:
    @app.get("/openapi.json", include_in_schema=False)
    @needs(None)
    def openapi_json() -> JSONResponse:
        return JSONResponse(app.openapi())

    @app.get("/docs", include_in_schema=False)
    @needs(None)
    def docs(request: Request) -> HTMLResponse:
        return interface_page(app.openapi(), nonce=request.scope["state"]["nonce"])


def _add_error_handlers(app: FastAPI) -> None:
    @app.exception_handler(ServiceError)
    async def service_error(_request: Request, error: ServiceError) -> JSONResponse:
        status = next((status for kind, status in STATUS.items() if isinstance(error, kind)), HTTPStatus.BAD_REQUEST)
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
        if error.status_code != HTTPStatus.METHOD_NOT_ALLOWED:
            return error_answer(error.status_code, str(error.detail), where=request.url.path, headers=error.headers)
        there = ", ".join(request.app.book.methods(request.url.path))
        return error_answer(
            error.status_code, f"{request.method} is not taken here", where=request.url.path, do=f"Use {there}", headers={"Allow": there}
        )  # fmt: skip

    @app.exception_handler(OverflowError)
    @app.exception_handler(DataError)
    async def too_large(request: Request, error: Exception) -> JSONResponse:
        # SQLite's driver and PostgreSQL say so of numbers, and of days whose sort keys are numbers, beyond 64 bits.
        logger.warning("a value too large for the database at %s: %s", request.url.path, error)
        return error_answer(
            HTTPStatus.UNPROCESSABLE_ENTITY, "a number or day asked for is larger than anything that can be stored",
            where=request.url.path, do="Ask for a number that a list here gave, or for a day of this century",
        )  # fmt: skip

    @app.exception_handler(Exception)
    async def unexpected(request: Request, error: Exception) -> JSONResponse:
        logger.error("unexpected error at %s", request.url.path, exc_info=error)
        return error_answer(
            HTTPStatus.INTERNAL_SERVER_ERROR, "something went wrong here; it is in the log", where=request.url.path
        )


__all__ = ["LOCAL_HOSTS", "create_app", "error_answer"]
