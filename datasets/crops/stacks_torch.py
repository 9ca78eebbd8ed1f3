"""Training strips of the stack reader, drawn by thousands a second on an accelerator.

What `datasets.crops.stacks` draws scene by scene on the processor: piles of the same kinds under the same cameras, painted
(`datasets.render.pile_kernel`), worn (`datasets.render.sensor_torch`), each unrolled as `vision.looks.stacks.cut_strip` would, the foot a
little off. Chips' pictures and grounds come from `datasets.crops.stacks_art`, drawn by processes meanwhile. Needs torch and Triton.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch.nn import functional as fn

from datasets.crops import stacks as recipe
from datasets.crops.detector import PRINT_INKS
from datasets.crops.stacks_art import EDGE_SAMPLES, GROUND_PX, TOP_PX
from datasets.render.draws import Draws
from datasets.render.pile_kernel import CHIP_VALUES, WINDOW_VALUES, Art, Windows, paint
from datasets.render.sensor_torch import worn
from datasets.scene import CHIP_MM
from models.chip_reader import COLOR_NAMES
from models.stack_reader import BELOW_ROWS, CHIP_ROWS, MOST_CHIPS, STRIP_SHAPE
from vision.looks.stacks import LEAST_SHIFT_MM, LEAST_SIDE_PX, REACH

U8 = npt.NDArray[np.uint8]
Scenes = dict[str, Any]
SIZES = ((recipe.SCALES[0], 1.38, 112), (1.38, 1.85, 144), (1.85, recipe.SCALES[1], 176))
"""Scales, px per mm, and the side of a picture that holds a pile of ten chips and what is unrolled of it."""
MIDDLE_MM = 16.5
"""Height that lies in the middle of a picture."""
MOST = recipe.TALL_CHIPS[1] - 1
"""Chips of the pile that is looked at; beside it stand up to two of `MOST_CHIPS`."""
_RADIUS, _THICK = CHIP_MM[0] / 2, CHIP_MM[1]


class ArtBank:
    """The latest pictures on the device, for the painter."""

    def __init__(self, sets: int, device: str) -> None:
        self.sets, self.filled, self._next = sets, 0, 0
        n = len(COLOR_NAMES)
        self.art = Art(
            torch.zeros(sets * n, TOP_PX, TOP_PX, 3, dtype=torch.uint8, device=device),
            torch.zeros(sets * n, EDGE_SAMPLES, 3, dtype=torch.uint8, device=device),
            torch.zeros(sets, GROUND_PX, GROUND_PX, 3, dtype=torch.uint8, device=device),
        )

    def add(self, drawn: dict[str, U8]) -> None:
        """Put pictures in, over the oldest."""
        n = len(COLOR_NAMES)
        count = min(len(drawn["grounds"]), self.sets - self._next)
        for mine, theirs, each in (
            (self.art.tops, drawn["tops"], n),
            (self.art.edges, drawn["edges"], n),
            (self.art.grounds, drawn["grounds"], 1),
        ):
            mine[self._next * each : (self._next + count) * each] = torch.from_numpy(theirs[: count * each]).to(
                mine.device
            )
        self.filled = max(self.filled, self._next + count)
        self._next = (self._next + count) % self.sets


def cameras(draws: Draws, n: int, low: float, high: float, size_px: int) -> Scenes:
    """Return n cameras about the table's origin as `datasets.crops.stacks.camera_at` sets them up, the pile in the picture's middle."""
    u = draws.uniform
    first = u((n,)) < recipe.FIRST_TILTS
    tilt = torch.where(first, *(u((n,), *ends) for ends in recipe.TILTS_DEG)) * math.pi / 180
    scale = u((n,), math.log(low), math.log(high)).exp()
    azimuth, distance, roll = u((n,), 0, 2 * math.pi), u((n,), *recipe.DISTANCES_MM), u((n,), 0, 2 * math.pi)
    away = distance * tilt.sin()
    eye = torch.stack([away * azimuth.cos(), away * azimuth.sin(), distance * tilt.cos()], 1)
    aim = torch.cat([u((n, 2), -recipe.AIM_MM, recipe.AIM_MM), torch.zeros(n, 1, device=draws.device)], 1)
    forward = fn.normalize(aim - eye, dim=1)
    y = torch.tensor([0.0, 1.0, 0.0], device=draws.device)
    down = fn.normalize(y - forward[:, 1:2] * forward, dim=1)
    right = torch.linalg.cross(down, forward)
    cos, sin = roll.cos()[:, None], roll.sin()[:, None]
    rotation = torch.stack([cos * right + sin * down, cos * down - sin * right, forward], 1)
    camera = {"eye": eye, "rotation": rotation, "focal": torch.ones(n, device=draws.device)}
    camera["middle"] = torch.zeros(n, 2, device=draws.device)
    cross = torch.tensor([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, MIDDLE_MM]], device=draws.device).expand(n, 4, 3)
    seen = projected(camera, cross)
    a, b = seen[:, 1] - seen[:, 0], seen[:, 2] - seen[:, 0]
    camera["focal"] = scale / (a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).abs().sqrt()
    camera["middle"] = (size_px - 1) / 2 + u((n, 2), -4, 4) - projected(camera, cross)[:, 3]
    return camera | {"scale": scale}


def projected(camera: Scenes, points: Any) -> Any:
    """Pixels (n, m, 2) of table points (n, m, 3)."""
    local = (points - camera["eye"][:, None]) @ camera["rotation"].transpose(1, 2)
    return local[..., :2] / local[..., 2:] * camera["focal"][:, None, None] + camera["middle"][:, None]


def _table_from_pixel(camera: Scenes) -> Any:
    """(n, 3, 3) homographies from pixels to the felt."""
    f, m, r, e = camera["focal"], camera["middle"], camera["rotation"], camera["eye"]
    zero, one = torch.zeros_like(f), torch.ones_like(f)
    rays = torch.stack(
        [
            torch.stack([one / f, zero, -m[:, 0] / f], 1),
            torch.stack([zero, one / f, -m[:, 1] / f], 1),
            torch.stack([zero, zero, one], 1),
        ],
        1,
    )
    way = r.transpose(1, 2) @ rays
    return torch.cat([e[:, :2, None] * way[:, 2:] - e[:, 2:, None] * way[:, :2], way[:, 2:]], 1)


def _pile(draws: Draws, n: int, at: Any, count: Any, most: int) -> Scenes:
    """Chips on one another at `at` (n, 2), `count` (n,) of them: places (n, most, 3), which are there, and colours (n, most)."""
    kind = draws.uniform((n, 1))
    kinds = torch.where(kind < recipe.ONE_COLOR, 1, 2 + draws.whole((n, 1), 2))
    palette = draws.uniform((n, len(COLOR_NAMES))).argsort(1)
    drawn = (draws.uniform((n, most)) * kinds).long()
    there = torch.arange(most, device=draws.device)[None] < count[:, None]
    ordered = torch.where(there, drawn, 99).sort(1).values
    named = palette.gather(1, torch.where(kind > recipe.SORTED, drawn, ordered).clamp(max=len(COLOR_NAMES) - 1))
    loose = torch.tensor(recipe.LOOSE_MM, device=draws.device)[draws.choice((n,), recipe.LOOSE_SHARES)]
    off = draws.normal((n, most, 2), loose[:, None, None]).clamp(-recipe.MOST_OFF_MM, recipe.MOST_OFF_MM)
    level = torch.arange(most, device=draws.device, dtype=torch.float32)
    flat = at[:, None] + off + draws.normal((n, 1, 2), recipe.LEAN_MM) * level[:, None]
    z = (level * _THICK).expand(n, most)
    return {"at": torch.cat([flat, z[..., None]], 2), "there": there, "color": named}


def piles(draws: Draws, n: int, crowded: float) -> Scenes:
    """Return what stands about the origin and beside it: `datasets.crops.stacks.random_pile` at each place."""
    u, device = draws.uniform, draws.device
    zero = torch.zeros(n, 2, device=device)
    kind = u((n,))
    neat = draws.choice((n,), recipe.COUNT_WEIGHTS.tolist())
    lowest, end = recipe.TALL_CHIPS
    tall, few = lowest + draws.whole((n,), end - lowest), 1 + draws.whole((n,), 2)
    count = torch.where(
        kind < recipe.NEAT, neat, torch.where(kind < recipe.TALL, tall, torch.where(kind < recipe.BARE, 0, few))
    )
    angle, step = u((n, 1), 0, 2 * math.pi), u((n, 1), *recipe.SPREAD_STEP_MM)
    way = torch.cat([angle.cos(), angle.sin()], 1)
    spread = (kind >= recipe.BARE)[:, None]
    first = torch.where(spread, -way * step * u((n, 1)), zero)
    main = _pile(draws, n, first, count, MOST)
    beside = _pile(draws, n, main["at"][:, 0, :2] + way * step, spread[:, 0].long(), 1)
    beside["at"][..., 2] += recipe.SPREAD_Z_MM
    apart = torch.where(u((n, 1)) < recipe.CROWDED, *(u((n, 1), *ends) for ends in recipe.APART_MM))
    turn = u((n, 1), 0, 2 * math.pi)
    parts = [main, beside]
    for quarter in (0.0, 1.0):
        diagonal = (u((n, 1)) < 0.5).float()
        angle = turn + (quarter + 2 * (u((n, 1)) < 0.5).float() + 0.5 * diagonal) * math.pi / 2
        at = torch.cat([angle.cos(), angle.sin()], 1) * apart * (1 + 0.414 * diagonal) + u((n, 2), -3, 3)
        stands = (u((n,)) < crowded).long()
        parts.append(_pile(draws, n, at, stands * draws.choice((n,), recipe.COUNT_WEIGHTS.tolist()), MOST_CHIPS))
    whole = {key: torch.cat([part[key] for part in parts], 1) for key in main}
    known = kind < recipe.NEAT
    counts = torch.where(known, count, 0)
    colors = torch.where(main["there"][:, :MOST_CHIPS] & known[:, None], main["color"][:, :MOST_CHIPS], -1)
    return whole | {"counts": counts, "colors": colors}


def windows(draws: Draws, bank: ArtBank, camera: Scenes, scene: Scenes, size_px: int) -> Windows:
    """What the painter needs to know of the scenes: light, ground and print are drawn here."""
    n, u, device = len(camera["scale"]), draws.uniform, draws.device
    angle, far = u((n,), 0, 2 * math.pi), u((n,), 0, 1500)
    lamp = torch.stack([far * angle.cos(), 500 + far * angle.sin(), u((n,), 1200, 2800)], 1)
    light = torch.stack([u((n,), 0.15, 0.65), u((n,), 0.1, 0.45), u((n,), 0.35, 0.8), u((n,), *recipe.GROOVES)], 1)
    spare = GROUND_PX - size_px
    ground_of = torch.stack([draws.whole((n,), bank.filled), draws.whole((n,), spare), draws.whole((n,), spare)], 1)
    printed = (u((n, 1)) < 0.25).float()
    inks = torch.tensor(PRINT_INKS, dtype=torch.float32, device=device)[draws.whole((n,), len(PRINT_INKS))]
    ring = torch.cat([draws.normal((n, 2), 6.0), u((n, 1), 26, 46), printed * u((n, 1), 1, 4), inks], 1)
    dark = (u((n, 1)) < recipe.DARK_SIDES).float() * u((n, 1), *(math.log(end) for end in recipe.SIDE))
    values = torch.zeros(n, WINDOW_VALUES, device=device)
    parts = [
        ground_of.float(),
        _table_from_pixel(camera).flatten(1),
        camera["eye"],
        lamp,
        light,
        camera["scale"][:, None],
        ring,
        dark.exp(),
    ]
    told = torch.cat(parts, 1)
    values[:, : told.shape[1]] = told
    turn = u(tuple(scene["there"].shape), 0, 2 * math.pi)
    picture = draws.whole((n, 1), bank.filled) * len(COLOR_NAMES) + scene["color"]
    chips = torch.cat([scene["at"], turn.cos()[..., None], turn.sin()[..., None], picture[..., None].float()], 2)
    order = torch.where(scene["there"], scene["at"][..., 2], 1e9).argsort(dim=1, stable=True)
    chips = chips.gather(1, order[..., None].expand(-1, -1, CHIP_VALUES)).contiguous()
    return Windows(size_px, values.contiguous(), chips, scene["there"].sum(1).to(torch.int32))


def unrolled(draws: Draws, pictures: Any, camera: Scenes, scene: Scenes, fine: int) -> Scenes:
    """Cut a strip of each picture (n, 3, s, s) as `cut_strip` does with a foot and heights that are a little off; truth as `batch` of `datasets.crops.stacks`."""
    n, size = len(pictures), pictures.shape[-1]
    eye = camera["eye"]
    away = fn.normalize(-eye[:, :2], dim=1)
    per_mm = eye[:, :2].norm(dim=1) / eye[:, 2]
    along = _scattered(draws, n, recipe.ALONG_MM)
    counts = scene["counts"]
    low = (counts >= 2) & (counts <= 4) & (draws.uniform((n,)) < recipe.ON_TOP)
    along = along + torch.where(low, (counts - 1) * _THICK * per_mm, 0.0)
    across = torch.stack([-away[:, 1], away[:, 0]], 1)
    foot = away * along[:, None] + across * _scattered(draws, n, recipe.BESIDE_MM)[:, None]
    factor = draws.normal((n,), recipe.HEIGHTS_OFF).exp()
    believed = (foot - eye[:, :2]).norm(dim=1) / (eye[:, 2] / factor)
    away = fn.normalize(foot - eye[:, :2], dim=1)
    beside = torch.stack([-away[:, 1], away[:, 0]], 1)
    rows, columns = STRIP_SHAPE
    heights = (((torch.arange(rows * fine, device=draws.device) + 0.5) / fine - BELOW_ROWS) / CHIP_ROWS) * _THICK
    wide = ((torch.arange(columns * fine, device=draws.device) + 0.5) / (columns * fine) * 2 - 1) * REACH * _RADIUS
    depth = (_RADIUS**2 - wide**2).sqrt()
    sides = []
    for sign in (-1.0, 1.0):
        rim = foot[:, None] + wide[:, None] * beside[:, None] + sign * depth[:, None] * away[:, None]
        points = torch.cat(
            [
                rim[:, None].expand(-1, rows * fine, -1, -1),
                (heights[None, :, None] * factor[:, None, None])[..., None].expand(-1, -1, columns * fine, 1),
            ],
            3,
        )
        at = projected(camera, points.flatten(1, 2)).reshape(n, rows * fine, columns * fine, 2)
        grid = (at + 0.5) * (2 / size) - 1
        side = fn.grid_sample(pictures.float(), grid, padding_mode="border", align_corners=False)
        sides.append(fn.avg_pool2d(side, fine) if fine > 1 else side)
    ends = torch.zeros(n, 2, 3, device=draws.device)
    ends[:, :, :2] = foot[:, None]
    ends[:, 1, 2] = _THICK * factor
    seen = projected(camera, ends)
    side_px = (seen[:, 1] - seen[:, 0]).norm(dim=1)
    felt = -(foot * fn.normalize(-eye[:, :2], dim=1)).sum(1) / (per_mm * _THICK)
    keep = (side_px >= LEAST_SIDE_PX) & (believed * _THICK >= LEAST_SHIFT_MM)
    told = {
        "images": torch.cat(sides, 1).round().clamp(0, 255).to(torch.uint8), "side_px": side_px, "felt": felt,
        "counts": counts, "colors": scene["colors"],
    }  # fmt: skip
    return {key: value[keep] for key, value in told.items()}


def _scattered(draws: Draws, n: int, off_mm: tuple[float, float]) -> Any:
    deviation, most = off_mm
    return draws.normal((n,), deviation).clamp(-most, most)


def strips(draws: Draws, bank: ArtBank, n: int) -> Scenes:
    """Return about 3 n strips of n piles on the device, images (m, 6, 72, 24), all at scales of one of `SIZES`."""
    shares = [math.log(high / low) for low, high, _ in SIZES]
    low, high, size = SIZES[int(draws.choice((1,), shares))]
    camera = cameras(draws, n, low, high, size)
    scene = piles(draws, n, 0.6 if high < 1.5 else 0.25)
    pictures = worn(paint(windows(draws, bank, camera, scene, size), bank.art), draws)
    cut = [unrolled(draws, pictures, camera, scene, 1 if high < 1.5 else 2) for _ in range(recipe.STRIPS)]
    return {key: torch.cat([part[key] for part in cut]) for key in cut[0]}
