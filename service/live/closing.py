"""Findings of a live table wait for their round to close: a round is recorded together with what was found in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from service.store.round_facts import FOUND

REMEMBERED = 200
"""So many closed rounds are known to be closed; no check takes longer than a few rounds to be decided."""


@dataclass(slots=True)
class Closing:
    """What was found in rounds that are still open."""

    _waiting: dict[str, list[Mapping[str, Any]]] = field(default_factory=dict)
    _closed: dict[str, None] = field(default_factory=dict)

    def ready(
        self, findings: Iterable[Mapping[str, Any]], rounds: Sequence[Mapping[str, Any]]
    ) -> tuple[Mapping[str, Any], ...]:
        """The findings that rounds are searched by and whose rounds are closed by now, each given once.

        Args:
            findings: new ones as JSON values.
            rounds: those that closed since the last call, as JSON values.
        """
        for finding in findings:
            if finding["verdict"] in FOUND:
                self._waiting.setdefault(finding["round_id"], []).append(finding)
        self._closed |= {record["round_id"]: None for record in rounds}
        found = tuple(
            one for round_id in tuple(self._waiting) if round_id in self._closed for one in self._waiting.pop(round_id)
        )
        for old in list(self._closed)[:-REMEMBERED]:
            del self._closed[old]
        return found
