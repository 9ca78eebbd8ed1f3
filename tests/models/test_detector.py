from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from calibration.camera import Camera
from datasets.crops.detector import crop, label_text
from datasets.crops.detector_scenes import Stock
from datasets.draw.cards import CardDesign
from datasets.draw.chips import ChipDesign
from datasets.draw.felt import plain_felt
from datasets.render import Light, Look, Renderer, Sensor, SensorLook, corners_px
from datasets.scene import CardItem, ChipItem, Scene
from models.detections import BACK, CHIP, CLASS_NAMES, FACE, STACK, Detections
from models.detector import WEIGHTS, Detector, decode, rotated_iou, suppress
from models.errors import ModelError
from models.train.detector import read_labels, turned

U8 = npt.NDArray[np.uint8]


def square(x: float, y: float, w: float, h: float, angle_deg: float = 0.0) -> npt.NDArray[np.float32]:
    return np.asarray(cv2.boxPoints(((x, y), (w, h), angle_deg)), np.float32)


def network_rows(boxes: list[tuple[float, float, float, float, float, int, float]]) -> npt.NDArray[np.float32]:
    rows = np.zeros((4 + len(CLASS_NAMES) + 1, len(boxes)), np.float32)
    for k, (x, y, w, h, angle, class_id, confidence) in enumerate(boxes):
        rows[:4, k], rows[-1, k], rows[4 + class_id, k] = (x, y, w, h), angle, confidence
    return rows


def test_decoded_cards_begin_with_their_upper_short_edge() -> None:
    for angle_deg in range(-45, 135, 15):
        rows = network_rows([(100.5, 80.5, 89.0, 63.0, np.radians(angle_deg), FACE, 0.9)])
        found = decode(rows, 0.25)
        card = found.corners_px[0]
        assert card.mean(axis=0) == pytest.approx([100.0, 80.0], abs=1e-3)
        assert np.linalg.norm(card[1] - card[0]) == pytest.approx(63.0, abs=1e-2)
        assert np.linalg.norm(card[2] - card[1]) == pytest.approx(89.0, abs=1e-2)
        assert card[3][1] - card[0][1] >= -1e-3
        first, second = card[1] - card[0], card[2] - card[1]
        assert first[0] * second[1] - first[1] * second[0] > 0  # clockwise in the picture
        assert float(found.confidence[0]) == pytest.approx(0.9)
        assert int(found.class_id[0]) == FACE


def test_decode_swaps_sides_and_drops_the_unsure() -> None:
    rows = network_rows([(50, 50, 63, 89, 0.0, BACK, 0.8), (90, 90, 39, 39, 0.0, CHIP, 0.2)])
    found = decode(rows, 0.25)
    assert found.class_id.tolist() == [BACK]
    assert np.linalg.norm(found.corners_px[0][1] - found.corners_px[0][0]) == pytest.approx(63.0, abs=1e-2)
    assert len(decode(rows[:, :0], 0.25)) == 0


def test_suppress_keeps_fanned_cards_and_says_each_thing_once() -> None:
    boxes = np.stack(
        [
            square(50, 50, 63, 89),
            square(65, 50, 63, 89),
            square(51, 50, 63, 89),
            square(50, 51, 63, 89),
            square(50, 50, 39, 39),
        ]
    )
    confidence = np.array([0.9, 0.8, 0.7, 0.95, 0.5], np.float32)
    kept = suppress(Detections(boxes, confidence, np.array([FACE, FACE, FACE, BACK, CHIP])))
    assert np.array_equal(kept.corners_px, boxes[[3, 1, 4]])
    assert kept.class_id.tolist() == [BACK, FACE, CHIP]
    nothing = Detections(boxes[:0], confidence[:0], np.zeros(0, np.int64))
    assert len(suppress(Detections.joined([nothing, nothing]))) == 0


def test_rotated_iou() -> None:
    assert rotated_iou(square(0, 0, 10, 10), square(5, 0, 10, 10)) == pytest.approx(1 / 3, abs=1e-3)
    assert rotated_iou(square(0, 0, 10, 10), square(0, 0, 10, 10, 90.0)) == pytest.approx(1.0, abs=1e-3)
    assert rotated_iou(square(0, 0, 10, 10), square(30, 0, 10, 10)) == 0.0


def test_missing_or_broken_weights_say_which_file(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"nowhere\.onnx"):
        Detector(tmp_path / "nowhere.onnx")
    broken = tmp_path / "broken.onnx"
    broken.write_bytes(WEIGHTS.read_bytes()[:5000])
    with pytest.raises(ModelError, match=r"broken\.onnx"):
        Detector(broken)
    with pytest.raises(ModelError, match=r"reader\.onnx"):
        Detector(WEIGHTS.with_name("reader.onnx"))


def test_crops_and_labels_agree_and_repeat() -> None:
    def few() -> list[tuple[U8, str]]:
        rng = np.random.default_rng(5)
        stock = Stock(rng, "val", decks=1, faces=3, hands=1)
        return [(image, label_text(boxes)) for image, boxes in (crop(rng, stock) for _ in range(4))]

    first, again = few(), few()
    for (image, text), (same, other) in zip(first, again, strict=True):
        assert np.array_equal(image, same)
        assert text == other
        assert image.shape == (320, 320, 3)
        assert all(len(line.split()) == 9 for line in text.splitlines())
    assert any(text for _, text in first)


@pytest.mark.parametrize(("quarter", "mirror"), [(0, False), (1, False), (2, True), (3, True)])
def test_turned_crops_keep_their_labels_on_their_things(tmp_path: Path, quarter: int, mirror: bool) -> None:
    picture = np.zeros((320, 320, 3), np.uint8)
    box = square(120.0, 200.0, 63.0, 89.0, 25.0)
    cv2.fillPoly(picture, [np.round(box).astype(np.int32)], (255, 255, 255))
    file = tmp_path / "0.txt"
    file.write_text("0 " + " ".join(str(v) for v in ((box + 0.5) / 320).ravel()) + "\n")
    moved = np.rot90(picture, quarter)
    moved = moved[:, ::-1] if mirror else moved
    label = turned(read_labels(file), quarter, mirror)
    _, x, y, w, h, angle = (float(v) for v in label[0])
    assert -np.pi / 4 - 1e-6 <= angle < 3 * np.pi / 4
    drawn = np.zeros((320, 320), np.uint8)
    again = square(x * 320 - 0.5, y * 320 - 0.5, w * 320, h * 320, float(np.degrees(angle)))
    cv2.fillPoly(drawn, [np.round(again).astype(np.int32)], (255,))
    white = moved[..., 0] > 127
    assert (white & (drawn > 0)).sum() / (white | (drawn > 0)).sum() > 0.95


def test_a_batch_shows_crops_turned_every_way_with_their_labels_on_their_things(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="needs the train extra")
    from models.train.detector import Crops, batches, on_device

    for kind in ("images", "labels"):
        (tmp_path / kind / "train").mkdir(parents=True)
    for index in range(9):
        picture = np.zeros((320, 320, 3), np.uint8)
        box = square(110.0 + 5 * index, 200.0, 63.0, 89.0, 20.0 * index)
        cv2.fillPoly(picture, [np.round(box).astype(np.int32)], (255, 255, 255))
        cv2.imwrite(str(tmp_path / "images" / "train" / f"{index}.jpg"), picture)
        text = "0 " + " ".join(str(v) for v in ((box + 0.5) / 320).ravel()) + "\n"
        (tmp_path / "labels" / "train" / f"{index}.txt").write_text(text)
    crops = Crops(tmp_path, "train", on_device("cpu"))
    assert crops.refresh() == 9
    assert crops.refresh() == 9
    (images, labels), *more = batches(crops, 8, np.random.default_rng(1))
    assert more == []
    assert sorted(labels[:, 0]) == list(range(8))
    places = []
    for image, (_, _, x, y, w, h, angle) in zip(images.numpy(), labels.tolist(), strict=True):
        drawn = np.zeros((320, 320), np.uint8)
        again = square(x * 320 - 0.5, y * 320 - 0.5, w * 320, h * 320, float(np.degrees(angle)))
        cv2.fillPoly(drawn, [np.round(again).astype(np.int32)], (255,))
        white = image[0] > 100
        assert (white & (drawn > 0)).sum() / (white | (drawn > 0)).sum() > 0.95
        places.append((x > 0.5, y > 0.5))
    assert len(set(places)) == 4


@pytest.fixture(scope="module")
def detector() -> Detector:
    return Detector()


def table(seed: int, scene: Scene, size: tuple[int, int] = (960, 540)) -> tuple[U8, Renderer]:
    rng = np.random.default_rng(seed)
    camera = Camera.looking_at((0.0, 700.0, 2000.0), (0.0, 400.0), 0.0, 2050.0, size)
    look = Look(CardDesign.random(rng, split="val"), ChipDesign.random(rng), (), Light())
    renderer = Renderer(camera, look, plain_felt(rng, size, (60, 110, 30)))
    return Sensor(SensorLook(noise=2.0), size, seed)(renderer.draw(scene)), renderer


def test_finds_cards_and_chips_of_a_drawn_table_across_tiles(detector: Detector) -> None:
    hits, wanted, chips_hit = 0, 0, 0
    for seed in range(3):
        cards = tuple(
            CardItem(name, (-330.0 + 110 * k, 330.0 + 40 * (k % 2)), 12.0 * k, float(k % 2), 0.0, k)
            for k, name in enumerate(("As", "7d", "Kc", "2h", "Ts", "9c", "Qd"))
        )
        chips = (ChipItem("red", (-250.0, 520.0)), ChipItem("green", (20.0, 530.0)), ChipItem("black", (250.0, 520.0)))
        image, renderer = table(seed, Scene(cards, chips))
        found = detector(image, 0.25)
        for card in cards:
            quad = corners_px(renderer.camera, card)
            right_class = found.class_id == (FACE if card.turn == 1.0 else BACK)
            hits += any(rotated_iou(box, quad) >= 0.5 for box in found.corners_px[right_class])
            wanted += 1
        for chip in chips:
            quad = corners_px(renderer.camera, chip)
            either = np.isin(found.class_id, [CHIP, STACK])
            chips_hit += any(rotated_iou(box, quad) >= 0.4 for box in found.corners_px[either])
    assert hits >= 0.8 * wanted, f"{hits} of {wanted} cards"
    assert chips_hit >= 7, f"{chips_hit} of 9 chips"


def test_empty_felt_gives_nothing(detector: Detector) -> None:
    for seed in range(4):
        image, _ = table(seed, Scene())
        assert len(detector(image, 0.3)) == 0


def test_any_size_and_same_answer_twice(detector: Detector) -> None:
    image, _ = table(1, Scene((CardItem("As", (0.0, 400.0), 30.0, 1.0),)), (333, 207))
    one, two = detector(image), detector(image)
    assert np.array_equal(one.corners_px, two.corners_px)
    assert np.array_equal(one.confidence, two.confidence)
    with pytest.raises(ValueError, match="image_bgr"):
        detector(image[..., 0])
