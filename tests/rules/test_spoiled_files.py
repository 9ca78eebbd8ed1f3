"""Files spoiled at random: a clear error that names line or key, and never anything else."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

from game_rounds import PAYTABLES
from house import opened, prog
from hypothesis import given, settings
from hypothesis import strategies as st
from rounds import table_mapping

from rules.eventfile import read_stream
from rules.events import EventError, event_to_json
from rules.law import GAMES
from rules.table import TableConfig, TableConfigError

LINES = [event_to_json(event) for event in opened().events]
TABLE = prog()
JUNK: list[Any] = [
    None, True, False, 0, -1, 7, 10**30, 1.5, float("nan"), "", "x", "manual_shoe", [], [1], [[]], {}, {"a": 1}, [None],
    "\u0000", "x" * 300,
]  # fmt: skip


def tables() -> list[dict[str, Any]]:
    """A table file of each game with most of what a file may hold."""
    made: list[dict[str, Any]] = [table_mapping()]
    for game, paytables in PAYTABLES.items():
        rules = {
            "dealing": "hand",
            "seats": 6,
            "shuffler": {"automated": True},
            "paytables": dict(paytables),
            "decks": 2,
        }
        made.append(
            {
                "version": 1, "table_id": game, "game": game, "rules_submission": rules, "chips": {"red": 500},
                "readings": {"stub.count_voided": "false"}, "reports": ["card_placed"], "idle_after_s": 10,
                "camera": {"corners_px": [[0, 0], [1, 0], [1, 1], [0, 1]]},
            }
        )  # fmt: skip
    return made


def junk(rng: random.Random) -> Any:
    """One of `JUNK`, a copy: what is spoiled again must not spoil the others' choice."""
    return copy.deepcopy(rng.choice(JUNK))


def spoil_document(doc: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """Values replaced, taken out or added somewhere."""
    spoiled = copy.deepcopy(doc)
    for _ in range(rng.randrange(1, 4)):
        node: Any = spoiled
        parent: Any = None
        key: Any = None
        while isinstance(node, (dict, list)) and node and (parent is None or rng.random() < 0.6):
            parent, key = node, rng.choice(list(node)) if isinstance(node, dict) else rng.randrange(len(node))
            node = node[key]
        if parent is None:
            continue
        choice = rng.randrange(4)
        if choice == 0 and isinstance(parent, dict):
            parent[rng.choice(["x", 1, None, "game", "seats"])] = junk(rng)
        elif choice == 1:
            del parent[key]
        else:
            parent[key] = junk(rng)
    return spoiled


def spoil_line(line: str, rng: random.Random) -> str:
    choice = rng.randrange(5)
    if choice == 0:
        return line[: rng.randrange(len(line))] if line else line
    if choice == 1:
        return json.dumps(junk(rng))
    if choice == 2:
        data = bytearray(line.encode())
        data[rng.randrange(len(data))] = rng.randrange(256)
        return data.decode("utf-8", "replace")
    raw = json.loads(line)
    name = rng.choice(list(raw))
    if choice == 3:
        raw[name] = junk(rng)
    else:
        del raw[name]
    return json.dumps(raw)


@settings(max_examples=150, deadline=None)
@given(st.randoms(use_true_random=False))
def test_a_spoiled_table_file_is_taken_or_refused_with_its_key(rng: random.Random) -> None:
    doc = spoil_document(rng.choice(tables()), rng)
    refused = "t.yaml: "
    try:
        assert TableConfig.from_mapping(doc, where="t.yaml").game in GAMES
    except TableConfigError as error:
        refused = str(error)
    assert refused.startswith("t.yaml: ")


@settings(max_examples=40, deadline=None)
@given(st.randoms(use_true_random=False))
def test_a_spoiled_event_file_is_taken_whole_or_refused_with_its_line(rng: random.Random) -> None:
    lines = list(LINES)
    for _ in range(rng.randrange(1, 3)):
        i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
        choice = rng.randrange(3)
        if choice == 0:
            lines.insert(i, lines[j])
        elif choice == 1:
            lines[i], lines[j] = lines[j], lines[i]
        elif lines[i] in LINES:
            lines[i] = spoil_line(lines[i], rng)
    refused = "f.jsonl: "
    try:
        assert len(read_stream(lines, TABLE, name="f.jsonl")) == sum(1 for line in lines if line.strip())
    except EventError as error:
        refused = str(error)
    assert refused.startswith(("f.jsonl, line ", "f.jsonl: "))
