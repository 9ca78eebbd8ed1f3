"""What is true of one frame: every card, chip and hand with its place in the picture and on the table."""

from __future__ import annotations

from typing import Any

import numpy as np

from datasets.play.room import Room
from datasets.play.stage import Moment
from datasets.render.truth import ItemTruth, scene_truth
from datasets.scene import CardItem, ChipItem, HandItem


def frame_truth(moment: Moment, room: Room, frame: int, t_s: float) -> dict[str, Any]:
    """Return the truth of a frame as plain JSON values; a card's corners are those of the side that is seen."""
    truth = scene_truth(room.camera, room.look, moment.scene(), scale=0.5)
    resting = {item.item_id for item in moment.resting}
    out: dict[str, Any] = {"type": "frame", "frame": frame, "t_s": round(t_s, 4), "cards": [], "chips": [], "hands": []}
    for entry in truth.items:
        if isinstance(entry.item, CardItem):
            out["cards"].append(_card(entry, entry.item, entry.item.item_id in resting))
        elif isinstance(entry.item, ChipItem):
            out["chips"].append(_chip(entry, entry.item, room))
        elif np.isfinite(entry.corners_px).all():
            out["hands"].append(_hand(entry, entry.item))
    return out


def _card(entry: ItemTruth, item: CardItem, rests: bool) -> dict[str, Any]:
    return {
        "id": item.item_id,
        "card": item.card,
        "face": "up" if entry.face_up else "down",
        "corners_px": np.round(entry.corners_px, 2).tolist(),
        "center_mm": [round(v, 2) for v in item.center_mm],
        "angle_deg": round(item.angle_deg % 360.0, 2),
        "visible_fraction": round(entry.visible_fraction, 3),
        "area": item.area,
        "at_rest": rests,
    }


def _chip(entry: ItemTruth, item: ChipItem, room: Room) -> dict[str, Any]:
    top = (*item.center_mm, item.z_mm + 3.3)
    return {
        "id": item.item_id,
        "color": item.color,
        "center_mm": [round(v, 2) for v in item.center_mm],
        "center_px": np.round(room.camera.image_from_table(np.array([top]))[0], 2).tolist(),
        "z_mm": round(item.z_mm, 2),
        "area": item.area,
        "visible_fraction": round(entry.visible_fraction, 3),
    }


def _hand(entry: ItemTruth, item: HandItem) -> dict[str, Any]:
    low, high = entry.corners_px.min(axis=0), entry.corners_px.max(axis=0)
    return {"side": item.side.split("-")[0], "box_px": [round(float(v), 1) for v in (*low, *high)]}
