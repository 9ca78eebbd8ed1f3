"""Grounds for the detector's crops: felts with what is printed and what lies about on tables that is no card or chip."""

from __future__ import annotations

import math

import cv2
import numpy as np
import numpy.typing as npt

from datasets.draw.felt import felt_texture, plain_felt, tabletop, wood
from datasets.draw.shapes import pick, vary_within

U8 = npt.NDArray[np.uint8]
Bgr = tuple[int, int, int]
GROUND_SHARES = (0.2, 0.18, 0.2, 0.42)
"""How often felt of one colour, a pale table, wood and felt or cloth with a pattern are drawn."""
GROUND_SPREAD = 35.0
"""What differs from a ground's main colour by no more than this is the ground; by twice as much, something printed."""
_WORDS = (
    "ANTE",
    "BLIND",
    "PLAY",
    "BET",
    "RAISE",
    "PAIR",
    "4TH",
    "5TH",
    "DEALER",
    "1",
    "2",
    "5",
    "BONUS",
    "$",
    "PLUS",
    "21",
)
_INKS: tuple[Bgr, ...] = ((235, 235, 235), (90, 205, 240), (60, 190, 230), (50, 50, 200), (220, 210, 180), (20, 20, 20))
_FONTS = (cv2.FONT_HERSHEY_SIMPLEX, cv2.FONT_HERSHEY_DUPLEX, cv2.FONT_HERSHEY_TRIPLEX, cv2.FONT_HERSHEY_COMPLEX)


def ground(rng: np.random.Generator, size_px: int, px_per_mm: float) -> U8:
    """Return a (size, size, 3) BGR ground: felt, a pale table, wood or cloth, often printed, sometimes with a rail at its edge."""
    size = (size_px, size_px)
    draw = pick(rng, (plain_felt, tabletop, wood, felt_texture), GROUND_SHARES)
    image = np.ascontiguousarray(draw(rng, size))
    if rng.random() < 0.12:
        _beyond_an_edge(rng, image)
    if rng.random() < (0.15 if draw in (tabletop, wood) else 0.55):
        print_layout(rng, image, px_per_mm)
    if rng.random() < 0.08:
        _rail(rng, image)
    return image


def colored_like(image: U8, color_bgr: npt.ArrayLike, share: float) -> U8:
    """Return a ground whose main colour came so near (1 = all the way) to another; what is printed on it keeps its own.

    Args:
        image: (h, w, 3) BGR.
        color_bgr: the other colour.
        share: of the way, 0..1.
    """
    values = image.astype(np.float32)
    main = np.median(values.reshape(-1, 3), axis=0)
    away = np.abs(values - main).max(axis=2, keepdims=True)
    weight = np.clip(2.0 - away / GROUND_SPREAD, 0.0, 1.0)
    moved = values + weight * share * (np.asarray(color_bgr, np.float32) - main)
    return np.asarray(np.clip(np.round(moved), 0, 255), np.uint8)


def _beyond_an_edge(rng: np.random.Generator, image: U8) -> None:
    """A straight edge of the table and the floor, often wooden, behind it."""
    size = image.shape[0]
    floor = wood(rng, (size, size)) if rng.random() < 0.7 else felt_texture(rng, (size, size))
    angle, depth = float(rng.uniform(0, 2 * math.pi)), float(rng.uniform(-0.35, 0.35)) * size
    y, x = np.mgrid[0:size, 0:size] - size / 2
    away = x * math.cos(angle) + y * math.sin(angle) - depth
    image[away > 0] = floor[away > 0]
    shade = away[(away > 0) & (away < 12)] / 12
    image[(away > 0) & (away < 12)] = (image[(away > 0) & (away < 12)] * (0.45 + 0.55 * shade[:, None])).astype(
        np.uint8
    )


def print_layout(rng: np.random.Generator, image: U8, px_per_mm: float) -> None:
    """Print betting circles, card boxes, words and arcs as on a felt, in place."""
    size = image.shape[0]
    ink = _INKS[int(rng.integers(len(_INKS)))]
    spare = _INKS[int(rng.integers(len(_INKS)))]
    for _ in range(int(rng.integers(1, 7))):
        at = rng.uniform(0, size, 2)
        angle = float(rng.uniform(0, 360))
        width = max(1, round(rng.uniform(1.0, 4.5) * px_per_mm))
        kind = rng.random()
        if kind < 0.35:
            print_circle(rng, image, at, float(rng.uniform(22, 48)) * px_per_mm, ink, width)
        elif kind < 0.6:
            box = np.array([rng.uniform(60, 90), rng.uniform(88, 120)]) * px_per_mm
            print_box(image, at, box, angle, ink, width, float(rng.uniform(0, 10)) * px_per_mm)
            if rng.random() < 0.3:
                write(rng, image, at, angle, float(rng.uniform(8, 22)) * px_per_mm, ink)
        elif kind < 0.75:
            box = np.array([rng.uniform(150, 300), rng.uniform(95, 140)]) * px_per_mm
            print_box(image, at, box, angle, ink, width, float(rng.uniform(0, 20)) * px_per_mm)
        elif kind < 0.9:
            write(rng, image, at, angle, float(rng.uniform(10, 60)) * px_per_mm, spare)
        else:
            radius = float(rng.uniform(200, 900)) * px_per_mm
            center = at + radius * np.array([math.cos(math.radians(angle)), math.sin(math.radians(angle))])
            cv2.circle(image, _point(center), round(radius * 16), ink, width, cv2.LINE_AA, 4)


def print_circle(
    rng: np.random.Generator, image: U8, at: npt.NDArray[np.float64], radius_px: float, ink: Bgr, width: int
) -> None:
    """Print one betting circle, some filled, ringed or with a word in it."""
    squash = float(rng.uniform(0.75, 1.0)) if rng.random() < 0.4 else 1.0
    axes = (round(radius_px * 16), round(radius_px * squash * 16))
    turn = float(rng.uniform(0, 180))
    style = rng.random()
    if style < 0.12:
        cv2.ellipse(image, _point(at), axes, turn, 0, 360, ink, -1, cv2.LINE_AA, 4)
    else:
        cv2.ellipse(image, _point(at), axes, turn, 0, 360, ink, width, cv2.LINE_AA, 4)
    if style > 0.75:
        inner = (round(axes[0] * 0.8), round(axes[1] * 0.8))
        cv2.ellipse(image, _point(at), inner, turn, 0, 360, ink, 1, cv2.LINE_AA, 4)
    if rng.random() < 0.55:
        word_ink = _INKS[int(rng.integers(len(_INKS)))] if style < 0.12 else ink
        write(rng, image, at, float(rng.uniform(0, 360)), radius_px * float(rng.uniform(0.3, 0.9)), word_ink)


def print_box(
    image: U8,
    at: npt.NDArray[np.float64],
    size_px: npt.NDArray[np.float64],
    angle_deg: float,
    ink: Bgr,
    width: int,
    round_px: float = 0.0,
) -> None:
    """Print the outline of a rectangle turned by `angle_deg`, its corners rounded."""
    cv2.polylines(image, [_outline(at, size_px, angle_deg, round_px)], True, ink, width, cv2.LINE_AA, 4)


def write(
    rng: np.random.Generator,
    image: U8,
    at: npt.NDArray[np.float64],
    angle_deg: float,
    height_px: float,
    ink: Bgr,
) -> None:
    """Write a word of a felt, turned, centred at `at`."""
    word = _WORDS[int(rng.integers(len(_WORDS)))]
    font = _FONTS[int(rng.integers(len(_FONTS)))]
    scale, thick = height_px / 22.0, max(1, round(height_px / 9.0))
    (w, h), _ = cv2.getTextSize(word, font, scale, thick)
    pad = thick + 2
    mask = np.zeros((h + 2 * pad, w + 2 * pad), np.uint8)
    cv2.putText(mask, word, (pad, h + pad), font, scale, (255,), thick, cv2.LINE_AA)
    _stamp(image, mask, at, angle_deg, ink)


def distract(rng: np.random.Generator, image: U8, px_per_mm: float, at: npt.NDArray[np.float64]) -> None:
    """Lay one thing at `at` that is neither card nor chip nor hand: paper, cut card, coaster, button, glass, tray ..."""
    mm = px_per_mm
    angle = float(rng.uniform(0, 360))
    kind = rng.random()
    if kind < 0.2:
        size = np.array([rng.uniform(35, 140), rng.uniform(45, 200)]) * mm
        _plate(rng, image, at, size, angle, vary_within(rng, (235, 238, 240), 18), 0.0)
        for k in range(int(rng.integers(0, 8))):
            y = (k - 4) * size[1] * 0.1
            half = size[0] * rng.uniform(0.15, 0.42)
            _line(image, at, angle, (-half, y), (half, y), vary_within(rng, (110, 105, 100), 60))
    elif kind < 0.29:
        # A cut card or a credit card: a card's size, one strong colour.
        size = np.array([rng.uniform(54, 66), rng.uniform(82, 92)]) * mm
        hue = np.array([[[rng.integers(180), rng.integers(150, 255), rng.integers(110, 255)]]], np.uint8)
        b, g, r = (int(v) for v in cv2.cvtColor(hue, cv2.COLOR_HSV2BGR)[0, 0])
        _plate(rng, image, at, size, angle, (b, g, r), 3.5 * mm)
        if rng.random() < 0.3:
            write(rng, image, at, angle, float(rng.uniform(8, 20)) * mm, _INKS[int(rng.integers(len(_INKS)))])
    elif kind < 0.56:
        # Coasters, dealer's buttons, lammers: discs of other sizes than chips.
        radius = float(rng.choice([rng.uniform(9, 13), rng.uniform(30, 60)])) * mm
        base = vary_within(rng, (235, 235, 235) if rng.random() < 0.5 else (60, 60, 60), 60)
        _disc(image, at + np.array([1.5, 2.0]) * mm, radius, (25, 25, 25))
        _disc(image, at, radius, base)
        if rng.random() < 0.6:
            _disc(image, at, radius * 0.8, vary_within(rng, base, 40))
        write(rng, image, at, angle, radius * 0.5, vary_within(rng, (40, 40, 160), 60))
    elif kind < 0.68:
        # A glass from above: rings of light.
        radius = float(rng.uniform(28, 42)) * mm
        drink = vary_within(rng, (40, 70, 130), 40)
        for share, color in ((1.0, (205, 205, 205)), (0.93, drink), (0.75, vary_within(rng, drink, 25))):
            _disc(image, at, radius * share, color)
        glint = at + radius * rng.uniform(-0.5, 0.5, 2)
        _disc(image, glint, radius * 0.12, (245, 245, 245))
    elif kind < 0.82:
        _tray(rng, image, at, angle, mm)
    elif kind < 0.9:
        size = np.array([rng.uniform(65, 80), rng.uniform(135, 165)]) * mm
        _plate(rng, image, at, size, angle, vary_within(rng, (25, 25, 25), 15), 8 * mm)
        _plate(rng, image, at, size * 0.93, angle, vary_within(rng, (40, 38, 36), 25), 6 * mm, shadow=False)
    else:
        grey = int(rng.integers(40, 160))
        size = np.array([rng.uniform(90, 170), rng.uniform(90, 240)]) * mm
        _plate(rng, image, at, size, angle, (grey, grey, grey), 3 * mm)
        _plate(rng, image, at, size * rng.uniform(0.5, 0.85), angle, (grey // 2, grey // 2, grey // 2), 2 * mm, False)


def _tray(rng: np.random.Generator, image: U8, at: npt.NDArray[np.float64], angle: float, mm: float) -> None:
    """Rows of chips on edge in a tray."""
    lanes, length, pitch = int(rng.integers(2, 8)), float(rng.uniform(90, 190)) * mm, 43.0 * mm
    w, h = max(8, round(lanes * pitch)), max(8, round(length))
    box = np.full((h, w, 3), int(rng.integers(15, 110)), np.uint8)
    box[:] = vary_within(rng, (60, 60, 60), 45)
    across = np.linspace(-1, 1, max(4, round(39 * mm)))
    round_shade = (0.45 + 0.6 * np.sqrt(np.clip(1 - across**2, 0, 1)))[None, :, None]
    for lane in range(lanes):
        fill = int(h * rng.uniform(0.2, 1.0))
        body = np.array(vary_within(rng, (128, 128, 128), 127), np.float64)
        spot = np.array(vary_within(rng, (200, 200, 200), 55), np.float64)
        rows = np.floor(np.arange(fill) / max(1.0, 3.3 * mm)).astype(int)
        columns = np.floor((across + 1.0) / 2 * float(rng.integers(2, 6)) + rng.uniform(0, 1))
        phase = rng.integers(0, 3, rows.max() + 1 if fill else 1)
        is_spot = (columns[None, :] + phase[rows][:, None]) % 3 == 0
        strip = np.where(is_spot[..., None], spot, body) * round_shade
        strip *= np.where((np.arange(fill) % max(2, round(3.3 * mm))) == 0, 0.6, 1.0)[:, None, None]
        x0 = round(lane * pitch + 2 * mm)
        wide = min(strip.shape[1], w - x0)
        if wide > 0 and fill > 0:
            box[:fill, x0 : x0 + wide] = np.clip(strip[:, :wide], 0, 255).astype(np.uint8)
    mask = np.full((h, w), 255, np.uint8)
    _stamp(image, mask, at, angle, box)


def _rail(rng: np.random.Generator, image: U8) -> None:
    """The padded rail and the floor behind it at one side."""
    size = image.shape[0]
    radius = float(rng.uniform(400, 1600))
    depth = float(rng.uniform(20, size * 0.6))
    angle = float(rng.uniform(0, 2 * math.pi))
    way = np.array([math.cos(angle), math.sin(angle)])
    center = np.array([size / 2, size / 2]) - way * (size / 2 - depth) + way * radius
    y, x = np.mgrid[0:size, 0:size]
    away = np.hypot(x - center[0], y - center[1]) - radius
    width = float(rng.uniform(40, 120))
    leather = np.array(vary_within(rng, (30, 40, 60), 30), np.float64)
    shade = 0.5 + 0.7 * np.sin(np.clip(away / width, 0, 1) * math.pi)
    rail = np.clip(leather * shade[..., None], 0, 255)
    floor = np.array(vary_within(rng, (40, 30, 35), 28), np.float64)
    image[away > 0] = rail[away > 0].astype(np.uint8)
    image[away > width] = floor.astype(np.uint8)


def _plate(
    rng: np.random.Generator,
    image: U8,
    at: npt.NDArray[np.float64],
    size_px: npt.NDArray[np.float64],
    angle: float,
    color: Bgr,
    round_px: float,
    shadow: bool = True,
) -> None:
    if shadow:
        low = at + rng.uniform(0.5, 3.0, 2)
        dark = tuple(int(v) for v in np.median(image.reshape(-1, 3)[::97], axis=0) * 0.45)
        cv2.fillPoly(image, [_outline(low, size_px, angle, round_px)], dark, cv2.LINE_AA, 4)
    cv2.fillPoly(image, [_outline(at, size_px, angle, round_px)], color, cv2.LINE_AA, 4)


def _outline(
    at: npt.NDArray[np.float64], size_px: npt.NDArray[np.float64], angle_deg: float, round_px: float
) -> npt.NDArray[np.int32]:
    w, h = size_px / 2
    r = min(round_px, w * 0.9, h * 0.9)
    quarter = np.linspace(0, math.pi / 2, 6)
    points = []
    for sx, sy, start in ((1, 1, 0.0), (-1, 1, 0.5), (-1, -1, 1.0), (1, -1, 1.5)):
        turn = start * math.pi + quarter
        points.append(np.column_stack([sx * (w - r) + r * np.cos(turn), sy * (h - r) + r * np.sin(turn)]))
    flat = np.concatenate(points)
    c, s = math.cos(math.radians(angle_deg)), math.sin(math.radians(angle_deg))
    return np.asarray(np.round((flat @ np.array([[c, s], [-s, c]]) + at) * 16), np.int32)


def _line(
    image: U8,
    at: npt.NDArray[np.float64],
    angle_deg: float,
    a: tuple[float, float],
    b: tuple[float, float],
    ink: Bgr,
) -> None:
    c, s = math.cos(math.radians(angle_deg)), math.sin(math.radians(angle_deg))
    ends = np.array([a, b]) @ np.array([[c, s], [-s, c]]) + at
    cv2.line(image, _point(ends[0]), _point(ends[1]), ink, 1, cv2.LINE_AA, 4)


def _disc(image: U8, at: npt.NDArray[np.float64], radius_px: float, color: Bgr) -> None:
    cv2.circle(image, _point(at), max(1, round(radius_px * 16)), color, -1, cv2.LINE_AA, 4)


def _stamp(image: U8, mask: U8, at: npt.NDArray[np.float64], angle_deg: float, ink: Bgr | U8) -> None:
    """Blend a colour, or a picture as large as the mask, into the image where the turned mask is."""
    h, w = mask.shape
    matrix = cv2.getRotationMatrix2D((w / 2, h / 2), angle_deg, 1.0)
    matrix[:, 2] += at - (w / 2, h / 2)
    size = (image.shape[1], image.shape[0])
    turned = cv2.warpAffine(mask, matrix, size)
    x, y, bw, bh = cv2.boundingRect(turned)
    if bw == 0 or bh == 0:
        return
    alpha = turned[y : y + bh, x : x + bw, None].astype(np.float32) / 255
    part = image[y : y + bh, x : x + bw]
    if isinstance(ink, tuple):
        over = np.array(ink, np.float32)
    else:
        over = cv2.warpAffine(ink, matrix, size)[y : y + bh, x : x + bw].astype(np.float32)
    part[:] = (part * (1 - alpha) + over * alpha).astype(np.uint8)


def _point(at: npt.NDArray[np.float64]) -> tuple[int, int]:
    return round(float(at[0]) * 16), round(float(at[1]) * 16)
