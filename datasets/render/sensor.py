"""What light and the camera's chip do to the picture: uneven light, flicker, glare, softness, noise, JPEG."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

U8 = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class SensorLook:
    """How strong each effect is; the defaults are a good camera under even light.

    Attributes:
        gain: overall brightness.
        warmth: -1 (blue) .. 1 (yellow) cast.
        falloff: darkening towards the picture's darkest corner from the brightest place, 0..1.
        center: brightest place, in widths and heights of the picture.
        vignette: darkening of the corners by the lens, 0..1.
        glare: brightness of a soft spot of reflected light, 0..1.
        glare_at: its place, in widths and heights.
        glare_size: its radius in widths.
        flicker: relative standard deviation of the brightness from frame to frame.
        blur_px: Gaussian blur.
        noise: standard deviation of the noise in grey levels.
        gamma: contrast curve, 1 = none.
        jpeg_quality: 1..100, or 0 for none.
    """

    gain: float = 1.0
    warmth: float = 0.0
    falloff: float = 0.1
    center: tuple[float, float] = (0.5, 0.5)
    vignette: float = 0.08
    glare: float = 0.0
    glare_at: tuple[float, float] = (0.5, 0.5)
    glare_size: float = 0.1
    flicker: float = 0.006
    blur_px: float = 0.0
    noise: float = 2.0
    gamma: float = 1.0
    jpeg_quality: int = 0

    @classmethod
    def random(cls, rng: np.random.Generator, hard: float = 1.0) -> SensorLook:
        """Return a camera and light of any quality; `hard` 0..1 scales how bad they can be."""
        u = rng.uniform
        return cls(
            gain=float(np.exp(u(-0.45, 0.3) * hard)),
            warmth=float(u(-0.7, 0.9) * hard),
            falloff=float(u(0, 0.5) * hard),
            center=(float(u(0, 1)), float(u(0, 1))),
            vignette=float(u(0, 0.25) * hard),
            glare=float(u(0.1, 0.5) * hard) if rng.random() < 0.2 else 0.0,
            glare_at=(float(u(0, 1)), float(u(0, 1))),
            glare_size=float(u(0.05, 0.25)),
            flicker=float(u(0, 0.012)),
            blur_px=float(max(0.0, u(-0.4, 1.1) * hard)),
            noise=float(abs(rng.normal(0, 4.0)) * hard),
            gamma=float(np.exp(rng.normal(0, 0.12 * hard))),
            jpeg_quality=int(rng.integers(45, 97)) if rng.random() < 0.7 else 0,
        )


class Sensor:
    """Applies one camera's effects to frame after frame; frame `n` of the same seed is always the same.

    Args:
        look: strengths.
        size_px: width and height of the frames.
        seed: for noise and flicker.
        bank: number of noise pictures kept; each frame takes one, mirrored in one of four ways.
    """

    def __init__(self, look: SensorLook, size_px: tuple[int, int], seed: int = 0, bank: int = 3) -> None:
        self.look = look
        self.size_px = size_px
        self._seed = seed
        self._gain = _gain_map(look, size_px)
        self._curve = _curve(look)
        rng = np.random.default_rng((seed, 11))
        self._noise = [_noise(rng, look.noise, size_px) for _ in range(bank)] if look.noise > 0.2 else []
        self._glare = _glare(look, size_px) if look.glare > 0 else None

    def __call__(self, image_bgr: U8, frame: int = 0) -> U8:
        """Return the picture as the camera delivers it; (h, w, 3) uint8 in and out."""
        width, height = self.size_px
        if image_bgr.shape != (height, width, 3):
            raise ValueError(f"image_bgr: expected shape {(height, width, 3)}, got {image_bgr.shape}")
        rng = np.random.default_rng((self._seed, 17, frame))
        flicker = 1.0 + float(rng.normal()) * self.look.flicker
        image = cv2.multiply(image_bgr, self._gain, scale=flicker / 128.0)
        if self._glare is not None:
            image = cv2.add(image, self._glare)
        if self.look.blur_px >= 0.25:
            kernel = 3 if self.look.blur_px < 0.9 else 5
            image = cv2.GaussianBlur(image, (kernel, kernel), self.look.blur_px)
        if self._curve is not None:
            image = cv2.LUT(image, self._curve)
        if self._noise:
            up, down = self._noise[int(rng.integers(len(self._noise)))]
            flips, shift = int(rng.integers(4)), int(rng.integers(_SPARE))
            y, x = shift, int(rng.integers(_SPARE))
            up, down = (m[y : y + height, x : x + width] for m in ((up, down) if flips % 2 else (down, up)))
            image = cv2.subtract(cv2.add(image, up), down)
        if self.look.jpeg_quality:
            ok, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, self.look.jpeg_quality])
            if not ok:
                raise ValueError(f"jpeg_quality: this picture cannot be coded at {self.look.jpeg_quality}")
            return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)
        return np.asarray(image, np.uint8)

    def developed(self, image_bgr: U8, box: tuple[int, int, int, int]) -> U8:
        """Return a part of a picture with what is the same in every frame: light, glare, softness and contrast.

        Args:
            image_bgr: (h, w, 3) whole picture.
            box: half-open (x0, y0, x1, y1) of the part, inside the picture.
        """
        x0, y0, x1, y1 = box
        width, height = self.size_px
        # The blur needs a few pixels around the part.
        ax0, ay0, ax1, ay1 = max(x0 - 4, 0), max(y0 - 4, 0), min(x1 + 4, width), min(y1 + 4, height)
        part = cv2.multiply(image_bgr[ay0:ay1, ax0:ax1], self._gain[ay0:ay1, ax0:ax1], scale=1 / 128.0)
        if self._glare is not None:
            part = cv2.add(part, self._glare[ay0:ay1, ax0:ax1])
        if self.look.blur_px >= 0.25:
            kernel = 3 if self.look.blur_px < 0.9 else 5
            part = cv2.GaussianBlur(part, (kernel, kernel), self.look.blur_px)
        if self._curve is not None:
            part = cv2.LUT(part, self._curve)
        return np.asarray(part[y0 - ay0 : y1 - ay0, x0 - ax0 : x1 - ax0], np.uint8)


_SPARE = 24


def _gain_map(look: SensorLook, size_px: tuple[int, int]) -> U8:
    width, height = size_px
    # Small and smooth: computed coarsely, then enlarged.
    y, x = np.mgrid[0:36, 0:64].astype(np.float32)
    u, v = x / 63, y / 35
    away = np.hypot(u - look.center[0], (v - look.center[1]) * height / width)
    radial = np.hypot(u - 0.5, (v - 0.5) * height / width) / np.hypot(0.5, 0.5 * height / width)
    gain = look.gain * (1 - look.falloff * np.clip(away / max(float(away.max()), 1e-6), 0, 1) ** 1.5)
    gain = gain * (1 - look.vignette * radial**2)
    cast = np.array([1 - 0.18 * look.warmth, 1.0, 1 + 0.10 * look.warmth], np.float32)
    coarse = gain[..., None] * cast
    full = cv2.resize(coarse.astype(np.float32), (width, height), interpolation=cv2.INTER_LINEAR)
    return np.asarray(np.clip(np.round(full * 128), 0, 255), np.uint8)


def _curve(look: SensorLook) -> U8 | None:
    if abs(look.gamma - 1.0) < 0.01:
        return None
    return np.asarray(np.round(255 * (np.arange(256) / 255.0) ** look.gamma), np.uint8)


def _glare(look: SensorLook, size_px: tuple[int, int]) -> U8:
    width, height = size_px
    y, x = np.mgrid[0 : height // 4 + 1, 0 : width // 4 + 1].astype(np.float32) * 4
    distance = np.hypot(x - look.glare_at[0] * width, y - look.glare_at[1] * height) / (look.glare_size * width)
    spot = np.clip(160 * look.glare * np.exp(-(distance**2)), 0, 255).astype(np.uint8)
    return np.asarray(cv2.merge([cv2.resize(spot, (width, height))] * 3), np.uint8)


def _noise(rng: np.random.Generator, sigma: float, size_px: tuple[int, int]) -> tuple[U8, U8]:
    """Positive and negative part of noise: mostly of brightness, a little of colour."""
    width, height = size_px[0] + _SPARE, size_px[1] + _SPARE
    grey = rng.standard_normal((height, width, 1), np.float32)
    color = rng.standard_normal((height, width, 3), np.float32)
    both = np.round(sigma * (0.85 * grey + 0.5 * color))
    return np.clip(both, 0, 255).astype(np.uint8), np.clip(-both, 0, 255).astype(np.uint8)
