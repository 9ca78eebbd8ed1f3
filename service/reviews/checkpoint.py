"""The state of a review in the middle of a recording, so that it goes on exactly as if it had never stopped.

What watches and judges a table is plain Python and numpy, so its state is pickled. The networks are not in it: they are
named, and put back from the parts just made. Only classes of this project and plain containers are ever made from a
checkpoint, so a file put in its place by someone else runs nothing.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from service.evidence.pictures import Recent
from service.evidence.recorder import Memory
from service.watching import Judge, Watcher

VERSION = 20
OURS = ("rules", "calibration", "vision", "service")
PLAIN = frozenset(
    {
        "builtins.set", "builtins.frozenset", "builtins.slice", "builtins.complex", "builtins.range", "builtins.bytearray",
        "builtins.object", "collections.deque", "collections.OrderedDict", "collections.Counter", "collections.defaultdict",
        "builtins.list", "builtins.dict", "builtins.int", "copyreg._reconstructor", "datetime.date", "datetime.datetime",
        "datetime.timedelta", "datetime.timezone", "fractions.Fraction", "decimal.Decimal", "types.SimpleNamespace",
        "types.MappingProxyType", "pathlib.PosixPath", "pathlib.Path", "numpy.ndarray", "numpy.dtype",
        "numpy._core.multiarray._reconstruct", "numpy._core.multiarray.scalar", "numpy._core.numeric._frombuffer",
        "numpy.core.multiarray._reconstruct", "numpy.core.multiarray.scalar", "numpy.core.numeric._frombuffer",
    }
)  # fmt: skip
"""What else a state is made of."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Everything a review needs to go on after a frame.

    Attributes:
        frame: index of the last frame worked through.
        t_s: its capture time.
        picture_sha256: of its picture, to prove that the recording is opened again at the right place.
        external: how many events from outside were judged.
        events, findings, rounds: how many were written.
        sizes: bytes of each file of results that belong to this state.
        evidence: findings whose pictures were written.
        watcher, judge, recent, memory: the parts with all they know.
    """

    frame: int
    t_s: float
    picture_sha256: str
    external: int
    events: int
    findings: int
    rounds: int
    sizes: Mapping[str, int]
    evidence: Sequence[str]
    watcher: Watcher
    judge: Judge
    recent: Recent
    memory: Memory
    window: Mapping[int, dict[str, Any]]
    verdicts: Mapping[str, int]
    version: int = VERSION


def networks_of(watcher: Watcher) -> dict[str, object]:
    """The networks a watcher looks through, by the names they are replaced with in a checkpoint."""
    looker = getattr(watcher, "looker", None)
    return {name: part for name, part in vars(looker).items() if _is_network(part)} if looker is not None else {}


def _is_network(part: object) -> bool:
    return type(part).__module__.split(".")[0] in ("models", "onnxruntime")


class _Pickler(pickle.Pickler):
    def __init__(self, file: Any, names: Mapping[int, str]) -> None:
        super().__init__(file, protocol=5)
        self.names = names

    def persistent_id(self, part: Any) -> str | None:
        """The network's name instead of the network."""
        return self.names.get(id(part))


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: Any, networks: Mapping[str, object], ours: Sequence[str]) -> None:
        super().__init__(file)
        self.networks, self.ours = networks, ours

    def persistent_load(self, name: Any) -> object:
        """The network of this name."""
        if name not in self.networks:
            raise pickle.UnpicklingError(f"no network {name!r}")
        return self.networks[name]

    def find_class(self, module: str, name: str) -> Any:
        """A class a state may be made of."""
        if module.split(".")[0] not in self.ours and f"{module}.{name}" not in PLAIN:
            raise pickle.UnpicklingError(f"{module}.{name} has no place in a checkpoint")
        return super().find_class(module, name)


def checkpoint_bytes(checkpoint: Checkpoint) -> bytes:
    """The checkpoint as it is written."""
    names = {id(part): name for name, part in networks_of(checkpoint.watcher).items()}
    file = io.BytesIO()
    _Pickler(file, names).dump(checkpoint)
    return file.getvalue()


def plain_state(content: bytes, *, ours: Sequence[str] = OURS) -> object:
    """What was pickled without networks, made of nothing but our classes and plain containers.

    Raises:
        pickle.UnpicklingError: it holds anything else, or is no such state.
    """
    try:
        return _Unpickler(io.BytesIO(content), {}, ours).load()
    except (EOFError, AttributeError, ImportError, TypeError, ValueError, IndexError, KeyError) as error:
        raise pickle.UnpicklingError(str(error)) from error


def read_checkpoint(path: Path, networks: Mapping[str, object], *, ours: Sequence[str] = OURS) -> Checkpoint | None:
    """The checkpoint in a file, None if there is none that this version can go on from.

    Args:
        path: where it was written.
        networks: of the watcher just made, by their names.
        ours: packages whose classes may be made.
    """
    try:
        with path.open("rb") as file:
            found = _Unpickler(file, networks, ours).load()
    except (OSError, EOFError, pickle.UnpicklingError, AttributeError, ImportError, TypeError, ValueError, IndexError):
        return None
    return found if isinstance(found, Checkpoint) and found.version == VERSION else None
