from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from datasets.crops.reader import CropMaker, Deck, drawn_deck
from datasets.draw.cards import FACES, CardDesign
from models.errors import ModelError
from models.reader import CLASS_NAMES, FACE_NAMES, JOKER, WEIGHTS, Reader, rectify_card, softmax


def seen(face: np.ndarray, px_per_mm: float = 1.3, half_turn: bool = False) -> np.ndarray:
    """A face on felt as a camera would have it, cut out by its true corners."""
    w, h = round(63.5 * px_per_mm), round(88.9 * px_per_mm)
    small = cv2.resize(face, (w, h), interpolation=cv2.INTER_AREA).astype(float)
    scene = np.full((h + 20, w + 20, 3), (60, 100, 40), np.uint8)
    alpha = small[..., 3:] / 255
    scene[10 : 10 + h, 10 : 10 + w] = small[..., :3] * alpha + scene[10 : 10 + h, 10 : 10 + w] * (1 - alpha)
    corners = np.array([[10, 10], [10 + w, 10], [10 + w, 10 + h], [10, 10 + h]], float)
    return rectify_card(scene, np.roll(corners, 2, axis=0) if half_turn else corners)


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader()


def test_classes_are_the_cards_the_drawings_make() -> None:
    assert set(FACE_NAMES) == set(FACES)
    assert len(CLASS_NAMES) == 55


@pytest.mark.parametrize("half_turn", [False, True])
def test_reads_clean_faces_of_unseen_designs(reader: Reader, half_turn: bool) -> None:
    right = wrong = total = 0
    for seed in (11, 12, 14):
        design = CardDesign.random(np.random.default_rng(seed), "val")
        crops = np.stack([seen(design.face(f), half_turn=half_turn) for f in FACES])
        for face, reading in zip(FACES, reader(crops), strict=True):
            total += 1
            right += reading.card == face
            wrong += reading.card not in (face, None)
    assert wrong == 0
    assert right >= 0.95 * total


def test_backs_and_felt_are_never_said_to_be_a_card(reader: Reader) -> None:
    rng = np.random.default_rng(3)
    backs = [seen(CardDesign.random(rng, "val").back()) for _ in range(8)]
    felts = [rng.integers(40, 90, (192, 128, 3)).astype(np.uint8), np.full((192, 128, 3), 230, np.uint8)]
    readings = reader(np.stack([*backs, *felts]))
    assert [r.card for r in readings] == [None] * 10
    assert sum(r.back_probability > 0.5 for r in readings[:8]) >= 7


def test_reading_is_a_distribution_and_order_and_batch_do_not_matter(reader: Reader) -> None:
    design = CardDesign.random(np.random.default_rng(1), "val")
    crops = np.stack([seen(design.face(f)) for f in FACES[:10]])
    together, alone = reader(crops), [reader(c[None])[0] for c in crops]
    for a, b in zip(together, alone, strict=True):
        assert a.probabilities.shape == (55,)
        assert a.probabilities.sum() == pytest.approx(1, abs=1e-4)
        assert np.allclose(a.probabilities, b.probabilities, atol=1e-4)
        assert a.confidence == pytest.approx(float(a.probabilities.max()))


def test_no_crops_no_readings_and_wrong_shapes_are_refused(reader: Reader) -> None:
    assert reader([]) == []
    with pytest.raises(ValueError, match="192, 128"):
        reader(np.zeros((1, 128, 192, 3), np.uint8))
    with pytest.raises(ValueError, match="uint8"):
        reader(np.zeros((1, 192, 128, 3), np.float32))


def test_missing_and_broken_weights_say_where_and_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"nowhere\.onnx.*train"):
        Reader(tmp_path / "nowhere.onnx")
    broken = tmp_path / "broken.onnx"
    broken.write_bytes(WEIGHTS.read_bytes()[:1000])
    with pytest.raises(ModelError, match=r"broken\.onnx.*restore"):
        Reader(broken)


def test_rectified_card_is_upright_wherever_its_corners_are() -> None:
    face = np.zeros((300, 300, 3), np.uint8)
    quad = np.array([[200, 60], [240, 180], [60, 240], [20, 120]], np.float32)
    cv2.fillPoly(face, [quad.astype(np.int32)], (255, 255, 255))
    cv2.circle(face, (197, 75), 9, (0, 0, 255), -1)
    crop = rectify_card(face, quad)
    assert crop.shape == (192, 128, 3)
    red = (crop[..., 2] > 150) & (crop[..., 0] < 100)
    ys, xs = np.nonzero(red)
    assert ys.mean() < 40
    assert xs.mean() < 40
    assert crop[..., 1].mean() > 200


def test_softmax_keeps_the_order_of_large_votes() -> None:
    p = softmax(np.array([[1000.0, 999.0, -1000.0]], np.float32))
    assert p[0, 0] > p[0, 1] > p[0, 2] >= 0


class Counted:
    """A session that counts the crops it is shown."""

    def __init__(self, session: Any) -> None:
        self._session, self.shown = session, 0

    def run(self, outputs: object, inputs: dict[str, npt.NDArray[np.float32]]) -> Any:
        self.shown += len(inputs["cards"])
        return self._session.run(outputs, inputs)


def test_what_surely_shows_no_face_is_looked_at_one_way_only() -> None:
    reader = Reader()
    counted = Counted(reader._session)
    reader._session = counted
    maker = CropMaker(5, [drawn_deck(np.random.default_rng(0), "train")], drawn=0, share_given=1.0)
    crops = [maker.crop() for _ in range(60)]
    images = np.stack([crop.image for crop in crops])
    backs = sum(crop.label == CLASS_NAMES.index("back") for crop in crops)
    read = reader.probabilities(images)
    assert 60 < counted.shown <= 120 - backs // 2
    both = softmax(reader.logits(images) / reader.temperature)
    shows = both[:, : JOKER + 1].sum(axis=1) > 0.1
    assert 10 < shows.sum() < 60
    assert np.array_equal(read[shows], both[shows])
    assert (read[~shows, : JOKER + 1].sum(axis=1) < 0.1).all()


def test_training_crops_follow_from_the_seed_and_cover_all_kinds() -> None:
    deck: list[Deck] = [drawn_deck(np.random.default_rng(0), "train")]

    def make(seed: int) -> list[tuple[int, bytes]]:
        maker = CropMaker(seed, deck, drawn=0, share_given=1.0)
        return [(c.label, c.image.tobytes()) for c in (maker.crop() for _ in range(120))]

    one, two, other = make(5), make(5), make(6)
    assert one == two
    assert one != other
    labels = {label for label, _ in one}
    assert {CLASS_NAMES.index("back"), CLASS_NAMES.index("unreadable")} < labels
    assert len(labels) > 30


def test_exported_network_gives_the_votes_of_the_trained_one(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("onnx")
    from models.train import reader as training

    rng = np.random.default_rng(0)
    images = rng.integers(0, 256, (6, 192, 128, 3)).astype(np.uint8)
    net = training.build()
    net.eval()
    path = training.write_onnx(net, tmp_path / "reader.onnx", 1.3, 0.9)
    loaded = Reader(path)
    assert (loaded.temperature, loaded.threshold) == (1.3, 0.9)
    assert np.allclose(loaded.logits(images), training.votes(net, images), atol=2e-3)
