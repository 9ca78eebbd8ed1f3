"""Paints piles of chips over a ground on an accelerator, many little pictures at once: a Triton kernel, run by `paint`.

What is painted is what `datasets.render.compositor` paints of chips: upper faces, sides with their spots and grooves, the tight
shadow under each chip and the pile's shadow on the felt. Each pixel is the mean of 16 rays. Needs torch and Triton (the `train` extra
on a machine with a GPU; `TRITON_INTERPRET=1` runs it slowly without one).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
import triton
import triton.language as tl

from datasets.scene import CHIP_MM

CHIP_VALUES = 6
"""Of each chip: x, y, z (mm), cosine and sine of its turn, number of its picture."""
WINDOW_VALUES = 32
"""Of each window, see `Windows.values`."""
_PIXELS, _RAYS = 64, 16


@dataclass(frozen=True, slots=True)
class Art:
    """Pictures on the device.

    Attributes:
        tops: (n, t, t, 3) uint8 BGR of chips' upper faces.
        edges: (n, e, 3) uint8, colours around their sides as `ChipDesign.edge_colors` counts.
        grounds: (m, g, g, 3) uint8 BGR.
    """

    tops: Any
    edges: Any
    grounds: Any


@dataclass(frozen=True, slots=True)
class Windows:
    """What is to be painted: n square pictures.

    Attributes:
        size_px: their side.
        values: (n, 32) float32: ground (number, x, y of its part), table point of a pixel (3 x 3, row by row, felt level), eye (x, y, z),
            lamp (x, y, z), shadow, softness in mm per mm, ambient, groove, px per mm, ring (x, y, radius, width, B, G, R; width 0: none),
            share of the light that reaches sides.
        chips: (n, k, 6) float32, see `CHIP_VALUES`, lowest first.
        counts: (n,) int32, how many of them there are.
    """

    size_px: int
    values: Any
    chips: Any
    counts: Any


@triton.jit  # type: ignore[untyped-decorator,unused-ignore]
def _smooth(x):  # type: ignore[no-untyped-def,unused-ignore]
    x = tl.minimum(tl.maximum(x, 0.0), 1.0)
    return x * x * (3.0 - 2.0 * x)


@triton.jit  # type: ignore[untyped-decorator,unused-ignore]
def _paint(  # type: ignore[no-untyped-def,unused-ignore]
    out, values, chips, counts, tops, edges, grounds, most_chips,
    SIZE: tl.constexpr, PIXELS: tl.constexpr, RAYS: tl.constexpr, ACROSS: tl.constexpr,
    VALUES: tl.constexpr, CHIP_VALUES: tl.constexpr, TOP: tl.constexpr, EDGE: tl.constexpr, GROUND: tl.constexpr,
    RADIUS: tl.constexpr, THICK: tl.constexpr,
):  # fmt: skip
    window = tl.program_id(0).to(tl.int64)
    pixel = tl.program_id(1) * PIXELS + tl.arange(0, PIXELS)
    inside = pixel < SIZE * SIZE
    x, y = pixel % SIZE, pixel // SIZE
    ray = tl.arange(0, RAYS)
    u = x[:, None].to(tl.float32) + ((ray % ACROSS).to(tl.float32)[None, :] + 0.5) / ACROSS - 0.5
    v = y[:, None].to(tl.float32) + ((ray // ACROSS).to(tl.float32)[None, :] + 0.5) / ACROSS - 0.5
    of = values + window * VALUES
    w = tl.load(of + 9) * u + tl.load(of + 10) * v + tl.load(of + 11)
    px = (tl.load(of + 3) * u + tl.load(of + 4) * v + tl.load(of + 5)) / w
    py = (tl.load(of + 6) * u + tl.load(of + 7) * v + tl.load(of + 8)) / w
    ex, ey, ez = tl.load(of + 12), tl.load(of + 13), tl.load(of + 14)
    lx, ly, lz = tl.load(of + 15), tl.load(of + 16), tl.load(of + 17)
    shadow, softness, ambient, groove = tl.load(of + 18), tl.load(of + 19), tl.load(of + 20), tl.load(of + 21)
    scale, upright = tl.load(of + 22), tl.load(of + 30)
    dark = tl.full([PIXELS, RAYS], 1.0, tl.float32)
    fallen = tl.zeros([PIXELS, RAYS], tl.float32)
    ink = tl.full([PIXELS, RAYS], -1, tl.int32)
    contact_mm = 0.8 * (2.0 * tl.maximum(1.0, tl.floor(0.7 * scale + 0.5)) + 1.0) / scale
    for k in range(tl.load(counts + window)):
        chip = chips + (window * most_chips + k) * CHIP_VALUES
        cx, cy, cz = tl.load(chip), tl.load(chip + 1), tl.load(chip + 2)
        cos, sin, picture = tl.load(chip + 3), tl.load(chip + 4), tl.load(chip + 5).to(tl.int32)
        low, high = cz / ez, (cz + THICK) / ez
        ax, ay = px + (ex - px) * low - cx, py + (ey - py) * low - cy
        bx, by = px + (ex - px) * high - cx, py + (ey - py) * high - cy
        under = tl.sqrt(ax * ax + ay * ay) - RADIUS - 0.4
        dark = dark * (1.0 - 0.35 * shadow * _smooth(0.5 - under / (2.0 * contact_mm)))
        rise = (cz + 0.5 * THICK) / (lz - cz - 0.5 * THICK)
        sx, sy = px - cx - (cx - lx) * rise, py - cy - (cy - ly) * rise
        soft_mm = 0.8 * (2.0 * tl.maximum(1.0, softness * (cz + 4.0) * scale) + 1.0) / scale
        fallen = tl.maximum(fallen, _smooth(0.5 - (tl.sqrt(sx * sx + sy * sy) - RADIUS) / (2.0 * soft_mm)))
        away2 = bx * bx + by * by - RADIUS * RADIUS
        on_top = away2 <= 0.0
        dx, dy = ax - bx, ay - by
        a, b = dx * dx + dy * dy + 1e-9, dx * bx + dy * by
        root = b * b - a * away2
        t = (-b - tl.sqrt(tl.maximum(root, 0.0))) / a
        on_side = (away2 > 0.0) & (root > 0.0) & (t >= 0.0) & (t <= 1.0)
        tx = ((-cos * bx - sin * by) / RADIUS + 1.0) * (0.5 * TOP)
        ty = ((-sin * bx + cos * by) / RADIUS + 1.0) * (0.5 * TOP)
        tx, ty = tl.minimum(tl.maximum(tx, 0.0), TOP - 1.0), tl.minimum(tl.maximum(ty, 0.0), TOP - 1.0)
        top_at = (picture * TOP + ty.to(tl.int32)) * TOP + tx.to(tl.int32)
        nx, ny = (bx + t * dx) / RADIUS, (by + t * dy) / RADIUS
        # The side's normal in the chip's own frame, and its angle as a share of a turn.
        rx, ry = nx * cos + ny * sin, ny * cos - nx * sin
        least = tl.minimum(tl.abs(rx), tl.abs(ry)) / tl.maximum(tl.maximum(tl.abs(rx), tl.abs(ry)), 1e-6)
        # Arc tangent on 0..1: Abramowitz and Stegun (1964), 4.4.49, to 1e-5.
        square = least * least
        turn = 0.1801410 + square * (-0.0851330 + square * 0.0208351)
        turn = least * (0.9998660 + square * (-0.3302995 + square * turn))
        turn = tl.where(tl.abs(ry) > tl.abs(rx), 1.5707963 - turn, turn)
        turn = tl.where(rx < 0.0, 3.1415927 - turn, turn)
        turn = tl.where(ry < 0.0, -turn, turn) * 0.15915494
        share = 0.5 - turn
        share = share - tl.floor(share)
        edge_at = picture * EDGE + tl.minimum((share * EDGE).to(tl.int32), EDGE - 1)
        gx, gy = lx - cx, ly - cy
        lit = (nx * gx + ny * gy) / (tl.sqrt(gx * gx + gy * gy) + 1e-6)
        shade = 0.95 * upright * (ambient + (1.0 - ambient) * (0.5 + 0.5 * lit))
        height = 1.0 - t
        line = tl.where(height < 0.14, 1.0, tl.where(height > 0.9, 0.5, 0.0))
        side = shade * (1.0 - line * groove)
        dark = tl.where(on_top, 1.0, tl.where(on_side, side, dark))
        ink = tl.where(on_top, 2 * top_at, tl.where(on_side, 2 * edge_at + 1, ink))
    ground = tl.load(of).to(tl.int64) * (GROUND * GROUND)
    ground_at = ground + (y + tl.load(of + 2).to(tl.int32)) * GROUND + x + tl.load(of + 1).to(tl.int32)
    hx, hy = px - tl.load(of + 23), py - tl.load(of + 24)
    ring = tl.abs(tl.sqrt(hx * hx + hy * hy) - tl.load(of + 25)) < 0.5 * tl.load(of + 26)
    on_felt = ink < 0
    at_top, at_edge = (ink >= 0) & (ink % 2 == 0), (ink >= 0) & (ink % 2 == 1)
    for channel in tl.static_range(3):
        felt = tl.load(grounds + ground_at * 3 + channel, mask=inside, other=0).to(tl.float32)
        color = tl.where(ring, tl.load(of + 27 + channel), felt[:, None] + 0.0 * dark)
        color = color * (1.0 - shadow * fallen)
        top = tl.load(tops + (ink // 2).to(tl.int64) * 3 + channel, mask=at_top, other=0).to(tl.float32)
        edge = tl.load(edges + (ink // 2) * 3 + channel, mask=at_edge, other=0).to(tl.float32)
        color = tl.where(on_felt, color, tl.where(at_top, top, edge)) * dark
        mean = tl.sum(color, axis=1) / RAYS
        at = (window * 3 + channel) * (SIZE * SIZE) + pixel
        tl.store(out + at, tl.minimum(mean + 0.5, 255.0).to(tl.uint8), mask=inside)


def paint(windows: Windows, art: Art) -> Any:
    """Return (n, 3, size, size) uint8 BGR pictures of what `windows` says."""
    n, size = len(windows.values), windows.size_px
    out = torch.empty((n, 3, size, size), dtype=torch.uint8, device=windows.values.device)
    _paint[(n, triton.cdiv(size * size, _PIXELS))](
        out, windows.values, windows.chips, windows.counts, art.tops, art.edges, art.grounds, windows.chips.shape[1],
        SIZE=size, PIXELS=_PIXELS, RAYS=_RAYS, ACROSS=4, VALUES=WINDOW_VALUES, CHIP_VALUES=CHIP_VALUES,
        TOP=art.tops.shape[1], EDGE=art.edges.shape[1], GROUND=art.grounds.shape[1], RADIUS=CHIP_MM[0] / 2, THICK=CHIP_MM[1],
    )  # fmt: skip
    return out
