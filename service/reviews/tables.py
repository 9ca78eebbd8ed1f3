"""The table of the queue of reviews."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from service.store.base import Base

STAMP = sa.String(40)


class ReviewRow(Base):
    """A review that was ordered, and how it stands."""

    __tablename__ = "reviews"
    __table_args__ = (sa.Index("reviews_by_state", "state", "review_id"), {"sqlite_autoincrement": True})
    review_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    name: Mapped[str] = mapped_column(sa.String(200))
    video: Mapped[str] = mapped_column(sa.Text)
    folder: Mapped[str] = mapped_column(sa.Text)
    table_id: Mapped[str] = mapped_column(sa.String(80), index=True)
    game: Mapped[str] = mapped_column(sa.String(40))
    ordered_by: Mapped[str] = mapped_column(sa.String(80))
    ordered_utc: Mapped[str] = mapped_column(STAMP)
    state: Mapped[str] = mapped_column(sa.String(20))
    reason: Mapped[str] = mapped_column(sa.Text, default="")
    cancel_wanted: Mapped[bool] = mapped_column(default=False)
    attempt: Mapped[int] = mapped_column(default=0)
    deaths: Mapped[int] = mapped_column(default=0)
    worker: Mapped[str] = mapped_column(sa.String(80), default="")
    started_utc: Mapped[str | None] = mapped_column(STAMP)
    beat_utc: Mapped[str | None] = mapped_column(STAMP)
    ended_utc: Mapped[str | None] = mapped_column(STAMP)
    t_s: Mapped[float] = mapped_column(sa.Double, default=0.0)
    of_s: Mapped[float | None] = mapped_column(sa.Double)
    speed: Mapped[float | None] = mapped_column(sa.Double)
    breaches: Mapped[int] = mapped_column(default=0)
    rounds: Mapped[int] = mapped_column(default=0)
    run_id: Mapped[str | None] = mapped_column(sa.String(80), index=True)
    recorded_at: Mapped[str] = mapped_column(STAMP, server_default="")
    recorded_by: Mapped[str] = mapped_column(sa.String(200), server_default="")
