"""The one shape of every error."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus

from fastapi.responses import JSONResponse
from pydantic import BaseModel

from service.access.masking import masked


class ErrorBody(BaseModel):
    """What went wrong: a short code, a sentence, and what to do."""

    code: str
    message: str
    where: str | None = None
    do: str | None = None


class ErrorAnswer(BaseModel):
    """The one shape of every error."""

    error: ErrorBody


def error_answer(
    status: int, message: str, *, where: object = None, do: str | None = None, headers: Mapping[str, str] | None = None
) -> JSONResponse:  # fmt: skip
    """An error in the one shape, without secrets that may stand in what went wrong."""
    code = "invalid" if status == HTTPStatus.UNPROCESSABLE_ENTITY else HTTPStatus(status).name.lower()
    place = None if where is None else masked(str(where))
    body = ErrorAnswer(error=ErrorBody(code=code, message=masked(message), where=place, do=do))
    return JSONResponse(body.model_dump(), status, headers)
