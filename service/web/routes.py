"""Every route of the interface in one router, in the order in which they are asked.

They are the same whatever a house holds, and FastAPI works out anew what each of them takes and gives wherever a router is included: so they are put
together once, and the applications of a process share them.
"""

from __future__ import annotations

from fastapi import APIRouter

from service.access import journal_routes, key_routes, people_routes, sign_in_routes
from service.access.needs import LIVENESS, needing
from service.audit import routes as audit_routes
from service.evidence import routes as evidence_routes
from service.feed import routes as feed_routes
from service.reviews import routes as review_routes
from service.tables import routes as tables_routes
from service.web import api
from service.web.answers import ErrorAnswer

interface = APIRouter(responses={status: {"model": ErrorAnswer} for status in ("4XX", "5XX")})
for _router in (
    sign_in_routes.router,
    people_routes.router,
    key_routes.router,
    journal_routes.router,
    api.router,
    tables_routes.router,
    evidence_routes.router,
    review_routes.router,
    audit_routes.router,
    feed_routes.router,
    feed_routes.metrics_router,
    api.behind,
):
    interface.include_router(_router)


@interface.head("/health", include_in_schema=False)
@interface.get("/health")
@needing(LIVENESS)
def health() -> dict[str, str]:
    """Whether the service answers."""
    return {"status": "ok"}
