"""Hands seen from above, of our own drawing: palm, fingers and thumb at several grips, with forearm and sleeve."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from datasets.draw.shapes import Bgr, Image, ellipse, fill, hsv, line, mix, pick, vary

HAND_PX_PER_MM = 2.5
"""Scale of the drawn hands."""
_WIDTH_MM, _LENGTH_MM = 240.0, 760.0
_SKINS: tuple[Bgr, ...] = (
    (190, 210, 240),
    (165, 190, 230),
    (140, 170, 215),
    (105, 140, 190),
    (75, 105, 155),
    (50, 70, 110),
    (40, 52, 80),
)


@dataclass(frozen=True, slots=True)
class HandLook:
    """One person's hand: skin, sleeve and proportions (`size` 1 is a hand 185 mm long)."""

    seed: int
    skin: Bgr
    sleeve: Bgr
    cuff: Bgr | None
    sleeve_from_mm: float
    striped: bool
    size: float
    slim: float
    ring: bool

    @staticmethod
    def random(rng: np.random.Generator, dealer: bool = False) -> HandLook:
        """A random person; dealers wear black or white sleeves with cuffs, players anything or bare arms."""
        skin = vary(rng, mix(pick(rng, _SKINS), (0, 0, 0), rng.uniform(0, 0.15)), 3)
        cuff: Bgr | None
        if dealer:
            sleeve = vary(rng, pick(rng, ((240, 240, 240), (30, 28, 28), (40, 30, 70), (70, 35, 30)), (4, 4, 1, 1)), 6)
            cuff = pick(rng, ((245, 245, 245), sleeve, (25, 25, 25)), (4, 2, 1))
            start = rng.uniform(185, 225)
        else:
            sleeve = hsv(rng.uniform(0, 360), rng.uniform(0, 0.8), rng.uniform(0.1, 0.95))
            cuff = pick(rng, (None, mix(sleeve, (0, 0, 0), 0.4), mix(sleeve, (255, 255, 255), 0.5)))
            start = pick(rng, (rng.uniform(185, 240), rng.uniform(260, 450), 2000.0), (6, 2, 1.5))
        return HandLook(
            int(rng.integers(1 << 31)), skin, sleeve, cuff, float(start), bool(rng.random() < 0.15 and not dealer),
            rng.uniform(0.88, 1.1), rng.uniform(0.85, 1.15), bool(rng.random() < 0.25),
        )  # fmt: skip

    def sprite(self, grip: float) -> tuple[Image, tuple[float, float], float]:
        """A right hand pointing up with its arm going down, as BGRA, its fingertips (x, y) px and its px per mm.

        `grip` 0 is a flat open hand, 1 closed fingertips holding something. Mirror the picture for a left hand.
        """
        return _draw(self, min(1.0, max(0.0, grip)))


def _limb(mask: Image, a: np.ndarray, b: np.ndarray, ra: float, rb: float) -> None:
    d = (b - a) / max(1e-6, float(np.hypot(*(b - a))))
    n = np.array([-d[1], d[0]])
    fill(mask, np.array([a + n * ra, b + n * rb, b - n * rb, a - n * ra]), 255)
    fill(mask, ellipse(a, (ra, ra), 24), 255)
    fill(mask, ellipse(b, (rb, rb), 24), 255)


def _shade(img: np.ndarray, mask: Image, color: Bgr, round_px: float, alpha: Image) -> None:
    """Lay a rounded, shaded part over what is there."""
    x, y, w, h = cv2.boundingRect(mask)
    img, mask, alpha = img[y : y + h, x : x + w], mask[y : y + h, x : x + w], alpha[y : y + h, x : x + w]
    depth = cv2.distanceTransform(np.pad((mask > 127).astype(np.uint8), 1), cv2.DIST_L2, 3)[1:-1, 1:-1]
    light = 0.66 + 0.38 * np.sqrt(np.clip(depth / round_px, 0, 1))
    cover = mask[..., None].astype(np.float32) / 255
    img[:] = img * (1 - cover) + np.clip(np.asarray(color, np.float32) * light[..., None], 0, 255) * cover
    np.maximum(alpha, mask, out=alpha)


def _draw(look: HandLook, grip: float) -> tuple[Image, tuple[float, float], float]:
    s = HAND_PX_PER_MM
    w, h = round(_WIDTH_MM * s), round(_LENGTH_MM * s)
    rng = np.random.default_rng([look.seed, 11])
    k = look.size * s
    img = np.zeros((h, w, 3), np.float32)
    img[:] = look.skin
    alpha = np.zeros((h, w), np.uint8)
    cx = w / 2
    wrist = np.array([cx, 195 * k])
    arm = np.zeros((h, w), np.uint8)
    _limb(arm, wrist, np.array([cx, float(h + 50)]), 29 * k * look.slim, 46 * k * look.slim)
    _shade(img, arm, look.skin, 30 * k, alpha)
    palm = np.zeros((h, w), np.uint8)
    _limb(palm, np.array([cx - 2 * k, 112 * k]), np.array([cx, 178 * k]), 39 * k * look.slim, 30 * k * look.slim)
    _shade(img, palm, look.skin, 40 * k, alpha)
    lengths = np.array([72, 84, 78, 60]) * (1 - 0.38 * grip)
    spread = np.array([-0.16, -0.04, 0.08, 0.22]) * (1 - 0.75 * grip) * rng.uniform(0.6, 1.4)
    tips = []
    for i in (3, 2, 1, 0):
        root = np.array([cx + (i - 1.5) * 19.5 * k * look.slim, (92 + (4 if i in (1, 2) else 10)) * k])
        direction = np.array([np.sin(spread[i] - 0.1 * grip * (i - 1)), -np.cos(spread[i])])
        tip = root + direction * lengths[i] * k
        finger = np.zeros((h, w), np.uint8)
        radius = (9.8 if i < 3 else 8.4) * k * look.slim
        _limb(finger, root + np.array([0, 14 * k]), tip, radius * 1.08, radius * 0.82)
        _shade(img, finger, look.skin, radius * 0.9, alpha)
        nail = ellipse(
            tip + direction * 1.0 * k, (radius * 0.45, radius * 0.6), 20, float(np.arctan2(direction[0], -direction[1]))
        )
        fill_color = mix(look.skin, (225, 220, 250), 0.45)
        layer = img[: round(240 * k)].astype(np.uint8)
        fill(layer, nail, fill_color)
        for share in (0.38, 0.7):
            p = root + direction * lengths[i] * share * k
            line(
                layer,
                [np.subtract(p, (0.5 * radius, 0)), np.add(p, (0.5 * radius, 0))],
                mix(look.skin, (20, 20, 40), 0.3),
                0.7 * k,
            )
        if look.ring and i == 2:
            p = root + direction * 12 * k
            line(layer, [np.subtract(p, (radius, 0)), np.add(p, (radius, 0))], (80, 190, 230), 3 * k)
        img[: round(240 * k)] = layer
        tips.append(tip)
    thumb = np.zeros((h, w), np.uint8)
    base = np.array([cx - 32 * k * look.slim, 150 * k])
    bend = 0.75 - 0.6 * grip
    mid = base + np.array([-np.sin(bend), -np.cos(bend)]) * 42 * k
    end = mid + np.array([-np.sin(bend - 0.45), -np.cos(bend - 0.45)]) * 32 * k
    _limb(thumb, base, mid, 15 * k * look.slim, 11.5 * k * look.slim)
    _limb(thumb, mid, end, 11.5 * k * look.slim, 9 * k * look.slim)
    _shade(img, thumb, look.skin, 12 * k, alpha)
    _sleeve(look, img, alpha, cx, k, rng)
    tip = tips[2] * 0.5 + tips[3] * 0.5
    noise = cv2.resize(rng.normal(0, 3, (h // 8, w // 8)).astype(np.float32), (w, h))
    color = (img + noise[..., None]).clip(0, 255).astype(np.uint8)
    return np.dstack([color, alpha]), (float(tip[0]), float(tip[1])), s


def _sleeve(look: HandLook, img: np.ndarray, alpha: Image, cx: float, k: float, rng: np.random.Generator) -> None:
    h, w = alpha.shape
    start = look.sleeve_from_mm * k
    if start >= h:
        return
    slack = rng.uniform(36, 48) * k * look.slim
    sleeve = np.zeros((h, w), np.uint8)
    points = [(cx - slack, start), (cx + slack, start + 3 * k), (cx + slack * 1.45, h + 9), (cx - slack * 1.45, h + 9)]
    fill(sleeve, points, 255)
    _shade(img, sleeve, look.sleeve, 45 * k, alpha)
    layer = img.clip(0, 255).astype(np.uint8)
    dark = mix(look.sleeve, (0, 0, 0), 0.35)
    for _ in range(int(rng.integers(4, 10))):
        y = rng.uniform(start + 20 * k, h)
        x = cx + rng.uniform(-1, 1) * slack
        line(
            layer,
            [(x, y), (x + rng.uniform(-30, 30) * k * 0.6, y + rng.uniform(10, 40) * k)],
            dark,
            rng.uniform(1, 3) * k,
        )
    if look.striped:
        other = mix(look.sleeve, (255, 255, 255), 0.6)
        for y in np.arange(start + 12 * k, h, 18 * k):
            line(layer, [(cx - slack * 1.3, y), (cx + slack * 1.3, y)], other, 5 * k)
    if look.cuff is not None:
        fill(
            layer,
            [
                (cx - slack, start),
                (cx + slack, start + 3 * k),
                (cx + slack * 1.03, start + 22 * k),
                (cx - slack * 1.03, start + 19 * k),
            ],
            look.cuff,
        )
        line(layer, [(cx - slack * 1.03, start + 19 * k), (cx + slack * 1.03, start + 22 * k)], dark, 1.2 * k)
    inside = sleeve > 0
    img[inside] = layer[inside]
