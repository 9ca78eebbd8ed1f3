"""Files as answers, in parts where a Range is asked for."""

from __future__ import annotations

from fastapi.responses import FileResponse
from starlette.datastructures import Headers
from starlette.types import Message, Receive, Scope, Send

from service.web.answers import error_answer


class RangedFile(FileResponse):
    """A file; a range of it that cannot be given is refused in the one shape of every error."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers."""
        refused: list[Message] = []

        async def pass_on(message: Message) -> None:
            if refused or (message["type"] == "http.response.start" and message["status"] >= 400):
                refused.append(message)
            else:
                await send(message)

        await super().__call__(scope, receive, pass_on)
        if refused:
            size = Headers(raw=refused[0]["headers"]).get("content-range")
            answer = error_answer(
                refused[0]["status"], "this range of the file cannot be given", where="Range", do="Ask for bytes=FIRST-LAST within the file",
                headers=None if size is None else {"Content-Range": size},
            )  # fmt: skip
            await answer(scope, receive, send)
