"""Measures calibration: is every layout found to a pixel under half cover, and is a nudge of 3 px noticed and mended?

`python -m datasets.score.calibration` draws pictures of 1920 x 1080 from random cameras, felts, lights and faults
(`datasets.felt_views`), with seeds that no test and no threshold ever saw. It prints shares with 95% intervals. With `--log FILE`
every try is written down and not made again.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.table import Table

from calibration.camera import CalibrationError, Camera
from calibration.keeper import CameraKeeper, Standing
from calibration.layout import load_layout
from calibration.locate import apart_px, locate_layout
from datasets.felt_views import corner_error_px, draw_view, random_camera, random_look
from datasets.score.intervals import Share

Bytes = npt.NDArray[np.uint8]

LAYOUTS = ("raise_it_up_6", "caribbean_stud_7", "let_it_ride_6", "dj_wild_6")
COVER = 0.5
GOOD_PX = 1.5
NUDGE_PX = 3.0
NOTICED_S = 10.0
FIRST_SEED = 700_000
"""Far from every seed in tests."""
LOOK_S = 0.1
PLAYED_S = 5.0


def find(number: int) -> dict[str, Any]:
    """One try: a picture of the felt half covered; how far off the areas' corners are, None where it was refused."""
    rng = np.random.default_rng([FIRST_SEED, 1, number])
    name = LAYOUTS[number % len(LAYOUTS)]
    camera, look = random_camera(rng), random_look(rng)
    layout = load_layout(name)
    picture = draw_view(camera, name, look, seed=int(rng.integers(2**31)), cover=COVER)
    try:
        found = locate_layout(picture, layout)
    except CalibrationError as error:
        return {"find": number, "layout": name, "error_px": None, "why": str(error)}
    return {
        "find": number,
        "layout": name,
        "error_px": round(corner_error_px(found.camera, camera, layout), 4),
        "says_px": round(found.error_px, 4),
    }


def nudge(number: int) -> dict[str, Any]:
    """One try: a table watched, nudged by 3 px at a random moment, other hands and cards on it in every picture."""
    rng = np.random.default_rng([FIRST_SEED, 2, number])
    name = LAYOUTS[number % len(LAYOUTS)]
    camera, look = random_camera(rng), random_look(rng)
    layout, cover = load_layout(name), float(rng.uniform(0.1, COVER))
    after = nudged(camera, NUDGE_PX, layout_name=name, rng=rng)
    nudged_s = 2.0 + float(rng.uniform(0, 2))

    def shown(t_s: float) -> Bytes:
        seen_by = camera if t_s < nudged_s else after
        picture = draw_view(seen_by, name, look, seed=int(rng.integers(2**31)), cover=cover)
        return np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), np.uint8)

    out: dict[str, Any] = {"nudge": number, "layout": name, "early": False, "noticed_s": None, "error_px": None}
    keeper = CameraKeeper(layout, camera)
    for t_s in np.arange(0.0, nudged_s + NOTICED_S + PLAYED_S, LOOK_S):
        if not keeper.wants_look(float(t_s)):
            continue
        changed = keeper.look(float(t_s), shown(float(t_s)))
        if keeper.standing is not Standing.STEADY and out["noticed_s"] is None:
            out["early"] = bool(t_s < nudged_s)
            out["noticed_s"] = round(float(t_s) - nudged_s, 2)
        if changed:
            out["mended_s"] = round(float(t_s) - nudged_s, 2)
            out["error_px"] = round(corner_error_px(keeper.camera, after, layout), 4)
            break
    return out


def nudged(camera: Camera, by_px: float, *, layout_name: str, rng: np.random.Generator) -> Camera:
    """The camera turned about its mount so that the areas' corners move by so many pixels (root mean square)."""
    turn = rng.normal(0, 1, 3) * np.array([1.0, 1.0, 0.7])
    layout, share = load_layout(layout_name), 1e-3
    for _ in range(4):
        rotation = np.asarray(cv2.Rodrigues(turn * share)[0], np.float64) @ camera.rotation
        out = Camera(camera.matrix, camera.distortion, rotation, -rotation @ camera.position_mm, camera.size_px)
        share *= by_px / apart_px(camera, out, layout)
    return out


def done(log: Path | None, kind: str) -> dict[int, dict[str, Any]]:
    """The tries of a kind that were written down before."""
    if log is None or not log.exists():
        return {}
    lines = (json.loads(line) for line in log.read_text(encoding="utf-8").splitlines())
    return {line[kind]: line for line in lines if kind in line}


def tried(
    kind: str, one: Callable[[int], dict[str, Any]], count: int, log: Path | None, jobs: int
) -> list[dict[str, Any]]:
    """All tries of a kind; those not written down yet are made now."""
    known = done(log, kind)
    with ThreadPoolExecutor(jobs) as pool:
        for result in pool.map(one, [number for number in range(count) if number not in known]):
            known[result[kind]] = result
            if log is not None:
                with log.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(result) + "\n")
    return [known[number] for number in range(count)]


def report(finds: Sequence[dict[str, Any]], nudges: Sequence[dict[str, Any]], console: Console) -> None:
    """Print the shares."""
    errors = np.array([one["error_px"] for one in finds if one["error_px"] is not None])
    table = Table(
        "layout", f"found to {GOOD_PX} px (95% interval)", title=f"{100 * COVER:.0f}% of the felt covered, 1920 x 1080"
    )
    for name in (*LAYOUTS, None):
        mine = [one for one in finds if name in (None, one["layout"])]
        good = sum(one["error_px"] is not None and one["error_px"] <= GOOD_PX for one in mine)
        table.add_row(name or "all", str(Share(good, len(mine))))
    console.print(table)
    refused = sum(one["error_px"] is None for one in finds)
    wrong = int((errors > GOOD_PX).sum())
    console.print(f"refused {refused} of {len(finds)}, taken for another place {wrong}")
    if len(errors):
        shares = ", ".join(f"{share}%: {np.percentile(errors, share):.3f} px" for share in (50, 95, 99, 100))
        console.print(f"corner error of those found: {shares}")
    if not nudges:
        return
    times = np.array([one["noticed_s"] for one in nudges if one["noticed_s"] is not None and not one["early"]])
    console.print(
        f"nudges of {NUDGE_PX:g} px noticed within {NOTICED_S:g} s: {Share(int((times <= NOTICED_S).sum()), len(nudges))}"
    )
    console.print(f"said to have moved before it did: {Share(sum(one['early'] for one in nudges), len(nudges))}")
    mended = [one for one in nudges if one["error_px"] is not None and one["error_px"] <= GOOD_PX]
    console.print(f"found anew to {GOOD_PX} px within {NOTICED_S + PLAYED_S:g} s: {Share(len(mended), len(nudges))}")
    if len(times) and mended:
        console.print(
            f"noticed after {np.median(times):.1f} s (median), {times.max():.1f} s (longest); mended after "
            f"{np.median([one['mended_s'] for one in mended]):.1f} s (median), {max(one['mended_s'] for one in mended):.1f} s (longest)"
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tries", type=int, default=400, help="pictures of felts half covered")
    parser.add_argument("--nudges", type=int, default=100, help="tables that are nudged")
    parser.add_argument("--jobs", type=int, default=1, help="tries at a time")
    parser.add_argument("--log", type=Path, help="write every try here, and make none twice")
    given = parser.parse_args(arguments)
    finds = tried("find", find, given.tries, given.log, given.jobs)
    nudges = tried("nudge", nudge, given.nudges, given.log, given.jobs)
    report(finds, nudges, Console(width=110))
    return 0


if __name__ == "__main__":
    sys.exit(main())
