"""Draws scenes of `datasets.scene` as a camera over the table sees them, with their truth."""

from datasets.render.compositor import Background, Renderer
from datasets.render.look import Light, Look
from datasets.render.sensor import Sensor, SensorLook
from datasets.render.truth import ItemTruth, SceneTruth, corners_px, scene_truth

__all__ = [
    "Background",
    "ItemTruth",
    "Light",
    "Look",
    "Renderer",
    "SceneTruth",
    "Sensor",
    "SensorLook",
    "corners_px",
    "scene_truth",
]
