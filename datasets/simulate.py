"""Plays seeded rounds at a simulated table and films them: video, table file, outside events and the whole truth."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from calibration.layout import Layout, load_layout
from datasets.play.camera_truth import frame_truth
from datasets.play.chips import COLORS
from datasets.play.chips_still import CHIPS, chips_still, write_still
from datasets.play.choreography import Director, Tempo
from datasets.play.film import Film, exposures
from datasets.play.games import GAMES, game_of, plants_of
from datasets.play.games.base import DEALING, Game, plan_round
from datasets.play.places import Places
from datasets.play.room import make_room
from datasets.play.script import Expected
from datasets.play.stage import Stage
from datasets.video import VideoWriter
from rules.events import Event, ShufflerCounted, TableOpened, event_to_dict, event_to_json

TRUTH_EVERY = 10
"""Every how many frames the truth lists every card, chip and hand."""
MAX_ROUNDS = 200
FILES = ("video.mp4", "table.yaml", "external.jsonl", "truth.jsonl", CHIPS)
"""What a simulation writes."""

Progress = Callable[[int, int], None]


class SimulationError(ValueError):
    """A simulation that cannot be made; the text says what was asked for and what is possible."""


@dataclass(frozen=True, slots=True)
class Recording:
    """Everything that happens, before it is filmed.

    Attributes:
        game: what is played.
        layout: where.
        stage: motion, events and chip transfers.
        places: where hands come from.
        findings: expected findings: round (1, 2 ...), what, when it can be seen.
        length_s: length of the recording.
        seats: occupied seats.
        chips_spread: the house has wagers laid singly or spread, and everybody does.
    """

    game: Game
    layout: Layout
    stage: Stage
    places: Places
    findings: tuple[tuple[int, Expected, float], ...]
    length_s: float
    seats: tuple[int, ...]
    chips_spread: bool = False

    def events(self) -> list[Event]:
        """Camera and outside events in order of time."""
        return self.stage.all_events(self.length_s)


def play_rounds(
    game: str,
    rounds: int,
    seed: int,
    plants: Sequence[str] = (),
    *,
    seats: Sequence[int] | None = None,
    dealing: str = DEALING[0],
    chips_spread: bool = False,
) -> Recording:
    """Play rounds without filming them; the same arguments give the same recording.

    Args:
        game: one of `datasets.play.games.GAMES`.
        rounds: how many, 1 to 200.
        seed: decides everything.
        plants: names from `datasets.play.games.plants_of(game)`, each put into a round of its own.
        seats: occupied seats; by default two to six by seed.
        dealing: "manual_shoe", "hand" or "automated_shoe".
        chips_spread: nobody stacks chips, and the table's file says so; else one wager in thirty is a stack.

    Raises:
        SimulationError: unknown game, plant or method of dealing, a plant that it has no place for, wrong number of
            rounds, seats the layout has not.
    """
    played, layout = _verified(game, rounds, seed, plants, seats, dealing)
    rng = np.random.default_rng((seed, 1))
    if seats is None:
        count = int(rng.choice([2, 3, 4, 5, 6], p=[0.3, 0.35, 0.2, 0.1, 0.05]))
        seats = sorted(int(s) for s in rng.choice(np.arange(1, layout.seats + 1), count, replace=False))
    stage = Stage(layout, f"{played.prefix.lower()}-{seed:02d}", dealer_signals=played.dealer_signals)
    places = Places(layout, rng)
    tempo = Tempo(card_s=float(rng.uniform(0.55, 0.78)), pace=float(rng.uniform(0.75, 1.0)))
    director = Director(stage, places, seats=tuple(seats), tempo=tempo, game=played, rng=rng, chips_spread=chips_spread)
    stage.external(TableOpened, 0.1)
    where = sorted(int(r) for r in rng.choice(rounds, len(plants), replace=False))
    planted = dict(zip(where, plants, strict=True))
    found: list[tuple[int, Expected, float]] = []
    for k in range(rounds):
        plant = planted.get(k)
        try:
            kind = plants_of(game)[plant] if plant is not None else None
            _, script = plan_round(played, rng, seats, kind)
        except ValueError as error:
            raise SimulationError(f"round {k + 1}: {error}; try another seed or more seats") from error
        stage.external(ShufflerCounted, director.now_s, count=len(played.deck))
        found += [(k + 1, expected, t_s) for expected, t_s in director.play(script)]
    return Recording(played, layout, stage, places, tuple(found), director.now_s + 0.6, tuple(seats), chips_spread)


def simulate(
    game: str,
    rounds: int,
    seed: int,
    plants: Sequence[str],
    out_dir: Path | str,
    *,
    fps: int = 30,
    size: tuple[int, int] = (1920, 1080),
    seats: Sequence[int] | None = None,
    dealing: str = DEALING[0],
    chips_spread: bool = False,
    crf: float = 26.0,
    preset: str = "veryfast",
    progress: Progress | None = None,
) -> Recording:
    """Play and film rounds; write `FILES` into `out_dir`, which appears only when all of them are complete.

    Args:
        game, rounds, seed, plants, seats, dealing, chips_spread: see `play_rounds`.
        out_dir: new or empty folder.
        fps: frames a second.
        size: width and height of the video.
        crf: quality of the video, lower is better.
        preset: speed of the video coder, one of x264's.
        progress: called with frames done and frames in all.

    Raises:
        SimulationError: as `play_rounds`, or `out_dir` is not empty or cannot be written.
    """
    out = Path(out_dir)
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise SimulationError(f"{out}: exists and is not an empty folder; remove it or give another one")
    if not 5 <= fps <= 60 or size[0] % 2 or size[1] % 2 or min(size) < 96:
        raise SimulationError(f"video of {size} at {fps} frames/s: sizes must be even and >= 96, frames/s 5 to 60")
    recording = play_rounds(game, rounds, seed, plants, seats=seats, dealing=dealing, chips_spread=chips_spread)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(prefix=f".{out.name}-", dir=out.parent))
    except OSError as error:
        raise SimulationError(f"{out}: cannot write there ({error.strerror}); give another folder") from error
    try:
        _film(recording, seed, work, fps=fps, size=size, crf=crf, preset=preset, progress=progress)
        _write_table(recording, work)
        external = recording.stage.external_events
        _write_lines(work / "external.jsonl", [event_to_json(e) for e in sorted(external, key=lambda e: e.t_s)])
        work.chmod(0o755)
        if out.exists():
            out.rmdir()
        work.rename(out)
    except BaseException:
        shutil.rmtree(work, ignore_errors=True)
        raise
    return recording


def _verified(
    game: str, rounds: int, seed: int, plants: Sequence[str], seats: Sequence[int] | None, dealing: str
) -> tuple[Game, Layout]:
    if game not in GAMES:
        raise SimulationError(f"game {game!r}: cannot be simulated; choose one of {', '.join(GAMES)}")
    if dealing not in DEALING:
        raise SimulationError(f"dealing {dealing!r}: must be one of {', '.join(DEALING)}")
    if not 1 <= rounds <= MAX_ROUNDS:
        raise SimulationError(f"rounds {rounds}: must be 1 to {MAX_ROUNDS}")
    if seed < 0:
        raise SimulationError(f"seed {seed}: must be 0 or more")
    for plant in plants:
        if plant not in plants_of(game):
            raise SimulationError(f"plant {plant!r}: unknown; choose from {', '.join(plants_of(game))}")
        if dealing not in plants_of(game)[plant].dealing:
            possible = [name for name, kind in plants_of(game).items() if dealing in kind.dealing]
            raise SimulationError(f"plant {plant!r}: not with dealing {dealing}; choose from {', '.join(possible)}")
    if len(plants) > rounds:
        raise SimulationError(f"{len(plants)} plants need as many rounds, got {rounds}; each has a round of its own")
    layout = load_layout(game_of(game).layout)
    if seats is not None and (
        not seats or len(set(seats)) != len(seats) or not set(seats) <= set(range(1, layout.seats + 1))
    ):
        raise SimulationError(f"seats {list(seats)}: must be different numbers from 1 to {layout.seats}")
    return game_of(game).dealt(dealing), layout


def _film(
    recording: Recording, seed: int, folder: Path, *, fps: int, size: tuple[int, int], crf: float,
    preset: str, progress: Progress | None,
) -> None:  # fmt: skip
    room = make_room(recording.layout, seed, size, hands=1 + len(recording.seats))
    film = Film(room, seed)
    scale = room.camera.px_per_mm_at((0.0, 500.0, 0.0))
    total = int(recording.length_s * fps)
    frames: list[dict[str, Any]] = []
    with VideoWriter(folder / "video.mp4", size, fps, crf=crf, preset=preset) as writer:
        for k in range(total):
            moment, *later = exposures(recording.stage, recording.places, k / fps, scale)
            writer.write(film.frame(moment, k, later))
            if k % TRUTH_EVERY == 0:
                frames.append(frame_truth(moment, room, k, k / fps))
            if progress is not None:
                progress(k + 1, total)
    lines = truth_lines(recording)
    picture, faces = chips_still(room, seed, COLORS)
    write_still(folder / CHIPS, picture)
    for color, (x, y) in faces.items():
        chip = {"type": "chip", "color": color, "cents": COLORS[color], "center_px": [round(x, 1), round(y, 1)]}
        lines.append(json.dumps(chip, separators=(",", ":")))
    lines += [json.dumps(frame, separators=(",", ":")) for frame in frames]
    _write_lines(folder / "truth.jsonl", lines)


def truth_lines(recording: Recording) -> list[str]:
    """Lines of truth that need no picture: events and expected findings."""
    lines = [
        json.dumps({"type": "event", **event_to_dict(event)}, separators=(",", ":")) for event in recording.events()
    ]
    for number, expected, t_s in recording.findings:
        entry = {
            "type": "finding", "check_id": expected.check_id, "round": number, "seat": expected.seat,
            "t_s": round(t_s, 3), "required": expected.required,
        }  # fmt: skip
        lines.append(json.dumps(entry, separators=(",", ":")))
    return lines


def table_mapping(recording: Recording) -> dict[str, Any]:
    """Return the table file of a recording as plain values."""
    return {
        "version": 1,
        "table_id": recording.stage.table_id,
        "game": recording.game.name,
        "rules_submission": {
            "dealing": recording.game.dealing,
            "seats": recording.layout.seats,
            "shuffler": {"automated": True, "counts_cards": True},
            "decks": 1,
            "paytables": dict(recording.game.paytables),
            **recording.game.submission,
        },
        "readings": dict(recording.game.readings),
        "chips": dict(COLORS),
        "chips_spread": recording.chips_spread,
        "layout": recording.layout.name,
        "camera": {"source": "video.mp4", "corners_px": None},
        "external_events": "external.jsonl",
    }


def _write_table(recording: Recording, folder: Path) -> None:
    text = yaml.safe_dump(table_mapping(recording), sort_keys=False, allow_unicode=True)
    (folder / "table.yaml").write_text(text, encoding="utf-8")


def _write_lines(path: Path, lines: list[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
