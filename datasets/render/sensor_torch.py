"""What light and camera do to many little pictures at once, on an accelerator: as `datasets.crops.detector.worn` does to one.

All pictures of a call are seen by a camera of the same resolution; light, glare, softness, noise, contrast, JPEG and sharpening are
drawn for each. Needs torch (the `train` extra).
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch.nn import functional as fn

from datasets.render.draws import Draws

FRAME_PX = 320
"""The pictures are parts of frames of this size: light falls off across a frame."""
_LUMA = (
    16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22, 29, 51, 87, 80, 62,
    18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92, 49, 64, 78, 87, 103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99,
)  # fmt: skip
_CHROMA = (
    17, 18, 24, 47, 99, 99, 99, 99, 18, 21, 26, 66, 99, 99, 99, 99, 24, 26, 56, 99, 99, 99, 99, 99, 47, 66, 99, 99, 99, 99, 99, 99,
    99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
)  # fmt: skip
"""Quantisation tables of ITU-T T.81 (1992), annex K, as libjpeg scales them by quality."""


def worn(pictures: Any, draws: Draws) -> Any:
    """Return (n, 3, s, s) uint8 BGR pictures, taken and given on the device, as a camera delivers them."""
    n, _, size, _ = pictures.shape
    each = (n, 1, 1, 1)
    images, share = pictures.float(), 1.0
    if float(draws.uniform(())) < 0.55:
        share = float(draws.uniform((), 0.5, 1.0))
        small = max(8, round(size * share))
        images = fn.interpolate(images, size=(small, small), mode="bilinear", antialias=True, align_corners=False)
    images = _sensed(images, draws, share)
    if share < 1.0:
        images = fn.interpolate(images, size=(size, size), mode="bilinear", align_corners=False).round()
    soft = _gauss(images, torch.full(each, 1.2, device=images.device))
    images = torch.where(draws.chance(each, 0.2), (1.6 * images - 0.6 * soft).clamp(0, 255), images)
    images = _moved(images, draws)
    grey = (images * images.new_tensor([0.114, 0.587, 0.299])[:, None, None]).sum(1, keepdim=True)
    return torch.where(draws.chance(each, 0.04), grey, images).clamp(0, 255).round().to(torch.uint8)


def _sensed(images: Any, draws: Draws, share: float) -> Any:
    """Light, glare, softness, contrast, noise and JPEG, as `datasets.render.sensor.SensorLook.random` draws them."""
    n, _, size, _ = images.shape
    each = (n, 1, 1, 1)

    def u(low: float = 0.0, high: float = 1.0) -> Any:
        return draws.uniform(each, low, high)

    hard = u(0.2, 1.0)
    frame = FRAME_PX * share
    at = torch.arange(size, device=images.device, dtype=torch.float32)
    x = (at[None, None, None, :] + u() * (frame - size)) / frame
    y = (at[None, None, :, None] + u() * (frame - size)) / frame
    gain = (u(-0.45, 0.3) * hard).exp()
    away = ((x - u()) ** 2 + (y - u()) ** 2).sqrt()
    gain = gain * (1 - u(0, 0.5) * hard * away.clamp(0, 1) ** 1.5)
    gain = gain * (1 - u(0, 0.25) * hard * ((x - 0.5) ** 2 + (y - 0.5) ** 2) / 0.5)
    warmth = u(-0.7, 0.9) * hard
    images = images * gain * torch.cat([1 - 0.18 * warmth, torch.ones_like(warmth), 1 + 0.10 * warmth], 1)
    spot = ((x - u()) ** 2 + (y - u()) ** 2) / u(0.05, 0.25) ** 2
    glare = draws.chance(each, 0.2) * 160 * u(0.1, 0.5) * hard
    images = (images + glare * (-spot).exp()).clamp(0, 255)
    blur = (u(-0.4, 1.1) * hard * share).clamp(min=0)
    images = torch.where(blur >= 0.25, _gauss(images, blur.clamp(min=0.25)), images)
    images = 255 * (images / 255).clamp(min=1e-6) ** (0.12 * hard * draws.normal(each)).exp()
    noise = draws.normal(each, 4.0).abs() * hard * share
    noise = torch.where(noise > 0.2, noise, 0.0)
    images = images + noise * (0.85 * draws.normal((n, 1, size, size)) + 0.5 * draws.normal((n, 3, size, size)))
    images = images.clamp(0, 255).round()
    return torch.where(draws.chance(each, 0.7), jpeg(images, u(45, 97).floor()), images)


def _gauss(images: Any, sigma: Any) -> Any:
    """Softened by a Gaussian of five pixels, three where sigma < 0.9; `sigma` (n, 1, 1, 1)."""
    size = images.shape[-1]
    offsets = torch.arange(-2, 3, device=images.device, dtype=torch.float32)
    weights = (-(offsets**2) / (2 * sigma[:, 0, 0] ** 2)).exp()
    weights = torch.where((sigma[:, 0, 0] < 0.9) & (offsets.abs() > 1), 0.0, weights)
    weights = (weights / weights.sum(1, keepdim=True))[:, :, None, None, None]
    wide = fn.pad(images, (2, 2, 2, 2), mode="reflect")
    rows = sum(weights[:, k] * wide[:, :, k : k + size] for k in range(5))
    return sum(weights[:, k] * rows[..., k : k + size] for k in range(5))


def _moved(images: Any, draws: Draws) -> Any:
    """Some pictures blurred along a line of 3 to 8 px, as by a movement."""
    each = (len(images), 1, 1, 1)
    length, angle = draws.uniform(each, 3, 9).floor(), draws.uniform(each, 0, math.pi)
    at = torch.arange(-4, 5, device=images.device, dtype=torch.float32)
    along = at[None, None, :, None] * angle.sin() + at[None, None, None, :] * angle.cos()
    across = at[None, None, None, :] * angle.sin() - at[None, None, :, None] * angle.cos()
    kernels = (0.5 + 0.5 * length - along.abs()).clamp(0, 1) * (1 - across.abs()).clamp(0, 1)
    kernels = kernels / kernels.sum((2, 3), keepdim=True)
    chosen = draws.chance(each, 0.06)[:, 0, 0, 0].nonzero()[:, 0]
    if len(chosen) == 0:
        return images
    some = fn.pad(images[chosen], (4, 4, 4, 4), mode="reflect").flatten(0, 1)[None]
    kernel = kernels[chosen].repeat_interleave(3, 0)
    blurred = fn.conv2d(some, kernel, groups=3 * len(chosen))[0].unflatten(0, (len(chosen), 3))
    return images.index_copy(0, chosen, blurred)


def jpeg(images: Any, quality: Any) -> Any:
    """Return pictures (n, 3, h, w) BGR, 0..255 floats, coded and decoded as baseline JPEG with halved colour; `quality` (n, 1, 1, 1)."""
    h, w = images.shape[2:]
    padded = fn.pad(images, (0, -w % 16, 0, -h % 16), mode="replicate")
    b, g, r = padded[:, 0], padded[:, 1], padded[:, 2]
    y = 0.114 * b + 0.587 * g + 0.299 * r
    colors = fn.avg_pool2d(torch.stack([128 + 0.564334 * (b - y), 128 + 0.713267 * (r - y)], 1), 2)
    scale = torch.where(quality < 50, 5000 / quality, 200 - 2 * quality)
    luma = _coded(y[:, None], _table(_LUMA, scale))
    colors = fn.interpolate(
        _coded(colors, _table(_CHROMA, scale)), scale_factor=2, mode="bilinear", align_corners=False
    )
    cb, cr = colors[:, 0] - 128, colors[:, 1] - 128
    y = luma[:, 0]
    decoded = torch.stack([y + 1.772 * cb, y - 0.344136 * cb - 0.714136 * cr, y + 1.402 * cr], 1)
    return decoded[:, :, :h, :w].clamp(0, 255).round()


def _table(values: tuple[int, ...], scale: Any) -> Any:
    table = torch.tensor(values, dtype=torch.float32, device=scale.device).reshape(8, 8)
    return ((table * scale + 50) / 100).floor().clamp(1, 255)


def _coded(planes: Any, table: Any) -> Any:
    """Planes (n, c, h, w) quantised block by block; `table` (n, 1, 8, 8)."""
    n, c, h, w = planes.shape
    k = torch.arange(8, device=planes.device, dtype=torch.float32)
    basis = torch.cos((2 * k[None, :] + 1) * k[:, None] * math.pi / 16) * 0.5
    basis[0] *= math.sqrt(0.5)
    blocks = (planes - 128).reshape(n, c, h // 8, 8, w // 8, 8).permute(0, 1, 2, 4, 3, 5)
    steps = table[:, :, None, None]
    kept = ((basis @ blocks @ basis.T) / steps).round() * steps
    return (basis.T @ kept @ basis).permute(0, 1, 2, 4, 3, 5).reshape(n, c, h, w) + 128
