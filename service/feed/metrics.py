"""Measurements for Prometheus: what this process counts as it goes, and what the store knows when it is asked.

Counters and histograms are of this process; alerts, precision and webhooks come from the store and are the same in every
process on one database.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

import sqlalchemy as sa
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from service.feed.tables import DeadLetterRow, WebhookRow
from service.stamps import moment_of
from service.store import Store
from service.store.tables import CellRow, ChangeRow

if TYPE_CHECKING:
    from service.house import House

CONTENT_TYPE = CONTENT_TYPE_LATEST
LATENCY_BUCKETS_S = (0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0, 30.0)


@dataclass(slots=True)
class Meters:
    """What one process counts; handed to its tables and its feed."""

    registry: CollectorRegistry = field(default_factory=CollectorRegistry)
    latency: Histogram = field(init=False)
    frames: Counter = field(init=False)
    dropped: Counter = field(init=False)
    gaps: Counter = field(init=False)
    reconnects: Counter = field(init=False)
    faults: Counter = field(init=False)
    rejected: Counter = field(init=False)
    queue_age: Gauge = field(init=False)
    queued: Gauge = field(init=False)

    def __post_init__(self) -> None:
        table, here = ["table"], self.registry
        self.latency = Histogram(
            "pitwatch_frame_to_alert_seconds", "From the arrival of the frame that decided to the alert committed",
            table, buckets=LATENCY_BUCKETS_S, registry=here,
        )  # fmt: skip
        self.frames = Counter("pitwatch_frames", "Frames looked at", table, registry=here)
        self.dropped = Counter(
            "pitwatch_frames_dropped", "Frames that the times of their neighbours say are missing", table, registry=here
        )
        self.gaps = Counter(
            "pitwatch_coverage_gaps", "Times nothing could be concluded of a table", ["table", "cause"], registry=here
        )
        self.reconnects = Counter("pitwatch_reconnects", "Times a source was opened again", table, registry=here)
        self.faults = Counter(
            "pitwatch_faults", "Times a mistake of the program ended watching", ["table", "error"], registry=here
        )
        self.rejected = Counter(
            "pitwatch_records_rejected", "Records that the store refused for good, kept on disk", table, registry=here
        )
        self.queue_age = Gauge(
            "pitwatch_queue_age_seconds", "Age of the oldest record not yet in the database", table, registry=here
        )
        self.queued = Gauge("pitwatch_queue_records", "Records not yet in the database", table, registry=here)

    def forget(self, table_id: str) -> None:
        """Takes away what says how a table is now: it is not watched any more. What was counted of it stays."""
        for gauge in (self.queue_age, self.queued):
            with suppress(KeyError):
                gauge.remove(table_id)


def exposition(house: House) -> bytes:
    """Everything measured, in Prometheus's text format."""
    for table in house.tables.values():
        table.measure()
    asked = CollectorRegistry()
    asked.register(FromStore(house.store, house.now()))
    return generate_latest(house.meters.registry) + generate_latest(asked)


class FromStore(Collector):
    """What the store knows at one moment."""

    def __init__(self, store: Store, now: datetime) -> None:
        self.store, self.now = store, now

    def describe(self) -> list[Metric]:
        """Nothing, so that registering does not ask the store."""
        return []

    def collect(self) -> Iterator[Metric]:
        """Alerts by rule and severity, precision by rule, webhooks behind, dead letters."""
        alerts = CounterMetricFamily("pitwatch_alerts", "Alerts raised", labels=["rule", "severity", "kind"])
        precision = GaugeMetricFamily(
            "pitwatch_rule_precision", "Share of the decided alerts of a rule that were confirmed", labels=["rule"]
        )
        decided = GaugeMetricFamily("pitwatch_rule_decided", "Decided alerts of a rule", labels=["rule"])
        standing = GaugeMetricFamily("pitwatch_alerts_standing", "Alerts by how they stand", labels=["status"])
        raised, outcomes, statuses = _tallies(self.store)
        for key, number in sorted(raised.items()):
            alerts.add_metric(list(key), number)
        for rule, (confirmed, dismissed) in sorted(outcomes.items()):
            if confirmed + dismissed:
                precision.add_metric([rule], confirmed / (confirmed + dismissed))
                decided.add_metric([rule], confirmed + dismissed)
        for status, number in sorted(statuses.items()):
            standing.add_metric([status], number)
        yield from (alerts, precision, decided, standing)
        yield from self._webhooks()

    def _webhooks(self) -> Iterator[Metric]:
        behind = GaugeMetricFamily("pitwatch_outbox_changes", "Changes a webhook has not come to", labels=["webhook"])
        lag = GaugeMetricFamily("pitwatch_outbox_lag_seconds", "Age of the oldest of them", labels=["webhook"])
        dead = GaugeMetricFamily("pitwatch_dead_letters", "Messages given up and not yet sent again")
        last = self.store.last_position()
        with self.store.read() as session:
            for row in session.scalars(sa.select(WebhookRow).where(WebhookRow.active)):
                behind.add_metric([row.webhook_id], max(0, last - row.position))
                at = session.scalar(sa.select(ChangeRow.at_utc).where(ChangeRow.position == row.position + 1))
                lag.add_metric([row.webhook_id], max(0.0, (self.now - moment_of(at)).total_seconds()) if at else 0.0)
            count = sa.select(sa.func.count()).select_from(DeadLetterRow).where(DeadLetterRow.sent_utc.is_(None))
            dead.add_metric([], session.scalar(count) or 0)
        yield from (behind, lag, dead)


Tallies = tuple[dict[tuple[str, str, str], int], dict[str, tuple[int, int]], dict[str, int]]


def _tallies(store: Store) -> Tallies:
    """Alerts by rule, severity and kind; confirmed and dismissed by rule; by status."""
    raised: dict[tuple[str, str, str], int] = {}
    outcomes: dict[str, tuple[int, int]] = {}
    statuses: dict[str, int] = {}
    columns = (CellRow.check_id, CellRow.severity, CellRow.kind, CellRow.status)
    with store.read() as session:
        for rule, severity, kind, status, number in session.execute(
            sa.select(*columns, sa.func.sum(CellRow.alerts)).group_by(*columns)
        ):
            count = int(number)
            raised[rule, severity, kind] = raised.get((rule, severity, kind), 0) + count
            confirmed, dismissed = outcomes.get(rule, (0, 0))
            outcomes[rule] = (confirmed + count * (status == "confirmed"), dismissed + count * (status == "dismissed"))
            statuses[status] = statuses.get(status, 0) + count
    return raised, outcomes, statuses
