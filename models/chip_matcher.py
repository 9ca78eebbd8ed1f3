"""Names a house's own chips by their likeness to the picture they were learned from.

    house = HouseChips({"red": face, "gold": other_face}, ChipReader(), ChipMatcher())
    for reading in house(crops):
        reading.color  # "gold", or None: not sure enough, no chip, or none of this house

A network turns crops into points that lie near one another where they show the same chip, in whatever light and turned anyhow; a chip
is the one whose face lies nearest, if that is sure enough (prototypical networks: J. Snell et al., Prototypical Networks for Few-shot
Learning, 2017). It was trained on drawn houses of all colours, so that a house may have any. That there is a chip at all is the
chip reader's to tell, and where that is sure of another chip of the house nothing is said.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

import cv2
import numpy as np
import numpy.typing as npt

from models.chip_reader import CHIP_CROP_PX, INPUT, MOST_NONE, ChipReader, ChipReading, in_views
from models.reader import softmax
from models.sessions import open_session, told_threshold

POINT_SIZE = 64
"""Dimensions of the space crops are turned into points of."""
STRANGER = "other"
"""The likeliest class where a chip is none of the house."""
WEIGHTS = Path(__file__).parent / "weights" / "chip_matcher.onnx"
"""The weights used when none are named."""

_LINE = 120

F32 = npt.NDArray[np.float32]
U8 = npt.NDArray[np.uint8]


def face_text(face: U8) -> str:
    """A face (32, 32, 3) BGR as text for a table's file: PNG in base64, in lines of 120 letters."""
    data = base64.b64encode(cv2.imencode(".png", face)[1].tobytes()).decode()
    return "\n".join(data[i : i + _LINE] for i in range(0, len(data), _LINE))


def face_of(text: str) -> U8:
    """The face (32, 32, 3) BGR that `face_text` wrote.

    Raises ValueError where it is none.
    """
    try:
        data = base64.b64decode("".join(text.split()), validate=True)
    except binascii.Error as error:
        raise ValueError("this is not base64") from error
    image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR) if data else None
    if image is None or image.shape != (CHIP_CROP_PX, CHIP_CROP_PX, 3):
        raise ValueError(f"this is no picture of {CHIP_CROP_PX} x {CHIP_CROP_PX} pixels")
    return np.asarray(image, np.uint8)


class ChipMatcher:
    """The matching network in ONNX Runtime on the CPU; one object may be shared by threads.

    Attributes:
        temperature: of the likenesses, from calibration.
        threshold: probability from which on a chip is named.
        stranger: likeness (cosine) that a chip of no known face has.
    """

    def __init__(self, path: str | Path | None = None, threads: int = 1) -> None:
        """Load weights (`path`, else the ones that come with the project), to run on so many threads.

        Raises ModelError if the file is missing, broken or made for something else.
        """
        self.path = Path(path) if path is not None else WEIGHTS
        self._session, self.temperature, self.threshold = open_session(
            self.path, "chip matcher", "models.train.chip_matcher", INPUT, POINT_SIZE, threads
        )
        self.stranger = told_threshold(self._session, "stranger", 0.5)

    def points(self, crops: U8) -> F32:
        """Crops (n, 32, 32, 3) uint8 BGR from `models.chip_reader.rectify_chip` as points (n, 64) of length 1.

        Raises ValueError for another shape or type.
        """
        return _unit(_unit(in_views(self._session, crops)).mean(axis=0))

    def shares(self, points: F32, faces: F32) -> F32:
        """How probably points (n, 64) are each of the faces (k, 64), and none of them: (n, k + 1), sums of 1."""
        return self.shares_of(points @ faces.T)

    def shares_of(self, likeness: F32) -> F32:
        """How probably points with such likenesses (cosines, (n, k)) are each of k faces, and none of them: (n, k + 1), sums of 1."""
        return softmax(np.asarray(self.with_stranger(likeness) / self.temperature, np.float32))

    def with_stranger(self, likeness: F32) -> F32:
        """Likenesses (n, k) with a stranger's in a last column."""
        return np.concatenate([likeness, np.full((len(likeness), 1), self.stranger, np.float32)], axis=1)


class HouseChips:
    """Names the chips of one house; a `vision.looks.chips.ChipReaderLike`.

    Args:
        faces: for each name (32, 32, 3) BGR, its upper face as `models.chip_reader.rectify_chip` cuts it; at least one.
        reader: tells where no chip is, and usual colours.
        matcher: compares with the faces.

    Attributes:
        names: of the faces, in their order.
        usual: the names that the chip reader calls these very faces, and no other of the house, by.
    """

    def __init__(self, faces: Mapping[str, U8], reader: ChipReader, matcher: ChipMatcher) -> None:
        self.reader, self.matcher = reader, matcher
        self.names = tuple(faces)
        crops = np.stack(list(faces.values()))
        self._faces = matcher.points(crops)
        called = [said.color for said in reader(crops)]
        self.usual = frozenset(
            name for name, color in zip(faces, called, strict=True) if color == name and called.count(name) == 1
        )
        self._unusual = [i for i, name in enumerate(self.names) if name not in self.usual]

    @property
    def is_usual(self) -> bool:
        """Whether every chip of the house is also called so by the chip reader."""
        return len(self.usual) == len(self.names)

    def __call__(self, chips_bgr: U8 | Sequence[U8]) -> list[ChipReading]:
        """Read crops (n, 32, 32, 3) uint8 BGR; one reading each, in order.

        Raises ValueError for another shape or type.
        """
        crops = np.asarray(chips_bgr)
        if len(crops) == 0:
            return []
        shares = self.matcher.shares(self.matcher.points(crops), self._faces)
        return [self._said(usual, of) for usual, of in zip(self.reader(crops), shares, strict=True)]

    def _said(self, usual: ChipReading, shares: F32) -> ChipReading:
        """The face that is surely alike, or likeliest and called so by the chip reader too; nothing where that calls it by another's name.

        The chip reader decides between usual chips only: of the house's others it knows nothing, and calls a cream chip in warm light orange.
        """
        best = int(np.argmax(shares))
        sure = float(shares[best])
        if best == len(self.names):
            return ChipReading(None, sure, usual.none_probability, STRANGER)
        name = self.names[best]
        if usual.color in self.usual:
            said = usual.color == name and sure >= self.matcher.threshold * (sure + float(shares[self._unusual].sum()))
            sure = max(sure, usual.confidence) if said else sure
        else:
            said = sure >= self.matcher.threshold and usual.none_probability <= MOST_NONE
        return ChipReading(name if said else None, sure, usual.none_probability, name)


def _unit(points: F32) -> F32:
    return cast(F32, points / np.maximum(np.linalg.norm(points, axis=-1, keepdims=True), 1e-9))
