"""JSON bodies of the interface, read as strictly as files: a field that stands twice is refused, for only one of them could count."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from http import HTTPStatus
from typing import Any

from fastapi import Request
from fastapi.responses import Response
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException

from rules.documents import load_json


class StrictRequest(Request):
    """A request whose JSON is read strictly."""

    async def json(self) -> Any:
        """The value of the body.

        Raises:
            json.JSONDecodeError: it is no JSON.
            HTTPException: it is no text, nested without end, or has a field twice.
        """
        if not hasattr(self, "_json"):
            try:
                self._json = load_json(await self.body())
            except json.JSONDecodeError:
                raise
            except ValueError as error:
                raise HTTPException(HTTPStatus.UNPROCESSABLE_ENTITY, f"the body is no JSON: {error}") from error
        return self._json


class StrictRoute(APIRoute):
    """A route that reads its body strictly."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Answers a request whose JSON is read strictly."""
        answer = super().get_route_handler()

        async def strictly(request: Request) -> Response:
            return await answer(StrictRequest(request.scope, request.receive, request._send))

        return strictly
