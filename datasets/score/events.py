"""Events observed in a clip against the events that happened: per kind, how many were found, missed and made up.

`python -m datasets.score.events TRUTH.jsonl EVENTS.jsonl` prints the table. Truth lines of other types than "event" are
passed over. An observed event belongs to a true one of the same kind and area nearest in time; what it says of
identity and amount is counted apart as right, left open (None) or wrong.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rules.events import (
    CardMoved,
    CardPlaced,
    CardRead,
    CardRemoved,
    CardTurned,
    Event,
    HandOver,
    PayoutPlaced,
    WagerDecreased,
    WagerIncreased,
    WagerPlaced,
    WagerRemoved,
    event_from_dict,
)

SCORED = (
    CardPlaced, CardTurned, CardRemoved, CardMoved, WagerPlaced, WagerIncreased, WagerDecreased, WagerRemoved, PayoutPlaced,
)  # fmt: skip
"""Kinds that are matched; hands and readings have their own measures."""
AREAS_UNSEEN = ("tray", "shoe", "discard_rack")
"""What happens there is not observed."""
LATE_S = 1.5
"""How far an observed event may lie from the true one: the rest is seen when the hand has left."""


@dataclass(slots=True)
class KindScore:
    """Counts of one kind of event; `unmatched` lists what is missing (-) and what was made up (+)."""

    true: int = 0
    found: int = 0
    extra: int = 0
    right: int = 0
    left_open: int = 0
    wrong: int = 0
    late_s: list[float] = field(default_factory=list)
    unmatched: list[str] = field(default_factory=list)

    @property
    def recall(self) -> float:
        """Share of the true events found."""
        return self.found / self.true if self.true else 1.0

    @property
    def precision(self) -> float:
        """Share of the observed events that happened."""
        return self.found / (self.found + self.extra) if self.found + self.extra else 1.0


def score_events(
    truth: Sequence[Event], observed: Sequence[Event], *, within_s: float = LATE_S
) -> dict[str, KindScore]:
    """Scores by kind.

    Args:
        truth: what happened.
        observed: what was said.
        within_s: farthest an observed event may lie from the true one.
    """
    names = _identities(observed)
    scores: dict[str, KindScore] = {}
    for cls in SCORED:
        mine = [event for event in truth if isinstance(event, cls) and _area(event) not in AREAS_UNSEEN]
        said = [event for event in observed if isinstance(event, cls)]
        score = scores.setdefault(cls.kind, KindScore(true=len(mine)))
        pairs = _pairs(mine, said, within_s, names)
        for a, b in pairs:
            score.found += 1
            score.late_s.append(b.t_s - a.t_s)
            _count_content(score, a, b, names)
        matched_true, matched_said = {id(a) for a, _ in pairs}, {id(b) for _, b in pairs}
        score.extra = sum(id(b) not in matched_said for b in said)
        score.unmatched += [f"- {a.t_s:8.2f} {_area(a)}" for a in mine if id(a) not in matched_true]
        score.unmatched += [f"+ {b.t_s:8.2f} {_area(b)}" for b in said if id(b) not in matched_said]
    scores[HandOver.kind] = _score_hands(truth, observed)
    return scores


def _score_hands(truth: Sequence[Event], observed: Sequence[Event]) -> KindScore:
    """Stays of hands over cards: a true one is found where an observed one overlaps it; its side is right, open or wrong.

    Arms that pass are observed too, so observed stays without a true one are not counted as made up.
    """
    said = [event for event in observed if isinstance(event, HandOver)]
    score = KindScore()
    for event in truth:
        if not isinstance(event, HandOver) or event.area in AREAS_UNSEEN:
            continue
        score.true += 1
        over = [
            s for s in said if s.area == event.area and s.since_s <= event.t_s + 0.3 and s.t_s >= event.since_s - 0.3
        ]
        if not over:
            score.unmatched.append(f"- {event.t_s:8.2f} {event.area} {event.side}")
            continue
        score.found += 1
        sides = {s.side for s in over}
        score.right += event.side in sides
        score.left_open += event.side not in sides and None in sides
        wrong = event.side not in sides and None not in sides
        score.wrong += wrong
        if wrong:
            score.unmatched.append(f"! {event.t_s:8.2f} {event.area} was {event.side}")
    return score


def _identities(events: Iterable[Event]) -> dict[int, str]:
    """The identity of each card by its id, wherever it was said."""
    names: dict[int, str] = {}
    for event in events:
        if isinstance(event, (CardPlaced, CardTurned, CardRead)) and event.card is not None:
            names[event.card_id] = event.card
    return names


def _pairs(
    mine: Sequence[Event], said: Sequence[Event], within_s: float, names: Mapping[int, str]
) -> list[tuple[Event, Event]]:
    """Nearest first, the same identity (told then or later) before none, none before another; each event once."""

    def other(a: Event, b: Event) -> float:
        told = getattr(b, "card", None) or names.get(getattr(b, "card_id", -1))
        return 0.0 if told == getattr(a, "card", None) else 1.0 if told is None else 2.0

    near = sorted(
        (abs(a.t_s - b.t_s) + other(a, b), i, j)
        for i, a in enumerate(mine)
        for j, b in enumerate(said)
        if _area(a) == _area(b) and abs(a.t_s - b.t_s) <= within_s
    )
    left, right = set(range(len(mine))), set(range(len(said)))
    pairs: list[tuple[Event, Event]] = []
    for _, i, j in near:
        if i in left and j in right:
            left.remove(i)
            right.remove(j)
            pairs.append((mine[i], said[j]))
    return pairs


def _count_content(score: KindScore, true: Event, said: Event, names: Mapping[int, str]) -> None:
    if isinstance(true, (WagerPlaced, WagerIncreased, WagerDecreased, PayoutPlaced)):
        expected: object = true.amount_cents
        got: object = getattr(said, "amount_cents", None)
    elif isinstance(true, (CardPlaced, CardTurned)) and true.card is not None:
        assert isinstance(said, (CardPlaced, CardTurned))
        expected, got = true.card, said.card or names.get(said.card_id)
    else:
        return
    if got is None:
        score.left_open += 1
    elif got == expected or expected is None:
        score.right += 1
    else:
        score.wrong += 1
        score.unmatched.append(f"! {said.t_s:8.2f} {_area(said)} said {got}, was {expected}")


def _area(event: Event) -> str:
    return str(getattr(event, "area", ""))


def read_events(path: str | Path) -> list[Event]:
    """Events of an events or truth file, in its order; lines of other types are passed over."""
    events: list[Event] = []
    for number, line in enumerate(Path(path).read_text(encoding="utf-8").splitlines(), start=1):
        raw = json.loads(line)
        if raw.get("type", "event") != "event":
            continue
        raw = raw.get("event", raw)
        events.append(
            event_from_dict({key: value for key, value in raw.items() if key != "type"}, where=f"{path}:{number}")
        )
    return events


def table_of(scores: Mapping[str, KindScore]) -> str:
    """The scores as text, one kind a line."""
    lines = [
        f"{'kind':16} {'true':>5} {'found':>5} {'extra':>5} {'recall':>7} {'precis.':>7} {'right':>6} {'open':>5} {'wrong':>5} {'late s':>7}"
    ]
    for kind, s in scores.items():
        late = sorted(s.late_s)[len(s.late_s) // 2] if s.late_s else 0.0
        lines.append(
            f"{kind:16} {s.true:5} {s.found:5} {s.extra:5} {s.recall:7.3f} {s.precision:7.3f} {s.right:6} {s.left_open:5} {s.wrong:5} {late:7.2f}"
        )
    return "\n".join(lines)


def main(arguments: Sequence[str]) -> int:
    """Print the scores of a truth file and an events file; `-v` lists what did not match."""
    files = [argument for argument in arguments if argument != "-v"]
    if len(files) != 2:
        sys.stderr.write("usage: python -m datasets.score.events [-v] TRUTH.jsonl EVENTS.jsonl\n")
        return 2
    scores = score_events(read_events(files[0]), read_events(files[1]))
    sys.stdout.write(table_of(scores) + "\n")
    if "-v" in arguments:
        sys.stdout.writelines(f"{kind} {line}\n" for kind, score in scores.items() for line in score.unmatched)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
