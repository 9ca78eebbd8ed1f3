"""A review stopped, killed or out of disk: a clear state, and results as if it had never happened, to the byte."""

from __future__ import annotations

import errno
import itertools
import os
import pickle
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from service_fakes import NOW, no_more_bets, setup, sight

from rules.events import Event
from service.config import TableSetup
from service.errors import ServiceError
from service.reviews import checkpoint as checkpoints
from service.reviews.checkpoint import OURS, read_checkpoint
from service.reviews.errors import DiskFullError, ReviewError, StoppedError
from service.reviews.review import Options, review_video, work_folder
from service.reviews.work import CHECKPOINT, EVENTS, FINDINGS, WorkFolder
from service.sight import Sight
from vision.frames.frame import Frame

EXTERNAL = (no_more_bets(0.9), no_more_bets(2.5), no_more_bets(9.0))


def options(**changes: Any) -> Options:
    standard = Options(
        now=lambda: NOW, opened=lambda source, _: sight(source), ours=(*OURS, "service_fakes"), checkpoint_every_s=0.0
    )
    return replace(standard, **changes)


def review(folder: Path, changed: Options | None = None) -> None:
    review_video(Path("clip.mp4"), setup(EXTERNAL), folder, changed or options())


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("whole") / "out"
    review(folder, options(checkpoint_every_s=1e9))
    return tree(folder)


def asked_at(number: int) -> Callable[[], bool]:
    asked = itertools.count(1)
    return lambda: next(asked) == number


@pytest.mark.parametrize("look", [1, 2, 3])
def test_a_stopped_review_goes_on_to_the_same_bytes(tmp_path: Path, whole: dict[str, bytes], look: int) -> None:
    with pytest.raises(StoppedError, match=r"stopped.*to go on"):
        review(tmp_path / "out", options(stop=asked_at(look), checkpoint_every_s=1e9))
    assert [path.name for path in tmp_path.iterdir()] == [".out.review"]
    taken: list[int] = []

    def counted(source: str, table: TableSetup) -> Sight:
        whole_sight = sight(source)
        inner = whole_sight.watcher.frame

        def frame(frame: Frame) -> Sequence[Event]:
            taken.append(frame.index)
            return inner(frame)

        whole_sight.watcher.frame = frame  # type: ignore[method-assign]
        return whole_sight

    review(tmp_path / "out", options(opened=counted))
    assert taken == [], "what watches on is the watcher of the checkpoint"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert tree(tmp_path / "out") == whole


def breaking(after: int, error: Exception) -> Callable[[str, TableSetup], Sight]:
    """A source that fails after some frames."""

    def opened(source: str, _table: TableSetup) -> Sight:
        one = sight(source)

        def frames() -> Iterator[Frame]:
            for frame in one.frames:
                if frame.index == after:
                    raise error
                yield frame

        return replace(one, frames=frames())

    return opened


@pytest.mark.parametrize("after", [16, 25, 31, 39])
def test_a_review_killed_anywhere_goes_on_to_the_same_bytes(
    tmp_path: Path, whole: dict[str, bytes], after: int
) -> None:
    with pytest.raises(KeyboardInterrupt):
        review(tmp_path / "out", options(opened=breaking(after, KeyboardInterrupt())))  # type: ignore[arg-type]
    review(tmp_path / "out")
    assert tree(tmp_path / "out") == whole


def test_work_on_another_table_file_is_not_gone_on_with(tmp_path: Path, whole: dict[str, bytes]) -> None:
    with pytest.raises(StoppedError):
        review(tmp_path / "out", options(stop=asked_at(2)))
    other = replace(setup(EXTERNAL), sha256="1" * 64)
    assert (work_folder(tmp_path / "out") / CHECKPOINT).exists()
    review_video(Path("clip.mp4"), other, tmp_path / "out", options())
    assert b"1" * 64 in (tmp_path / "out" / "run.json").read_bytes()
    assert {name: data for name, data in tree(tmp_path / "out").items() if name.endswith("jsonl")} == {
        name: data for name, data in whole.items() if name.endswith("jsonl")
    }


def test_a_recording_that_shows_something_else_is_not_gone_on_with(tmp_path: Path, whole: dict[str, bytes]) -> None:
    with pytest.raises(StoppedError):
        review(tmp_path / "out", options(stop=asked_at(2)))

    def other(source: str, _table: TableSetup) -> Sight:
        one = sight(source)
        return replace(one, frames=(Frame(f.index, f.t_s, 255 - f.image) for f in one.frames))

    with pytest.raises(ReviewError, match="not the one seen before the stop"):
        review(tmp_path / "out", options(opened=other))
    review(tmp_path / "out")
    assert tree(tmp_path / "out") == whole


def full_after(writes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the nth write on there is no room."""
    count = itertools.count(1)
    add, mark = WorkFolder.add, WorkFolder.mark

    def failing(method: Callable[..., None]) -> Callable[..., None]:
        def call(self: WorkFolder, *given: Any) -> None:
            if next(count) >= writes:
                raise DiskFullError("the disk is full (No space left on device)", where=self.path, do="Free some space")
            method(self, *given)

        return call

    monkeypatch.setattr(WorkFolder, "add", failing(add))
    monkeypatch.setattr(WorkFolder, "mark", failing(mark))


@pytest.mark.parametrize("writes", [1, 4, 40])
def test_out_of_disk_is_said_and_nothing_half_is_left(
    tmp_path: Path, whole: dict[str, bytes], writes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        full_after(writes, patch)
        with pytest.raises(DiskFullError, match="disk is full"):
            review(tmp_path / "out")
    assert not (tmp_path / "out").exists()
    review(tmp_path / "out")
    assert tree(tmp_path / "out") == whole


FILLING = """
import resource, signal, sys
sys.path.insert(0, {tests!r})
from pathlib import Path
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (400, 1 << 30))
from test_review_resume import review
from service.reviews.errors import DiskFullError
try:
    review(Path({out!r}))
except DiskFullError as error:
    print(error)
    sys.exit(7)
"""


def test_a_file_system_that_takes_no_more_bytes(tmp_path: Path, whole: dict[str, bytes]) -> None:
    """A real write that fails in the middle of a file, in a process of its own (RLIMIT_FSIZE)."""
    code = FILLING.format(tests=str(Path(__file__).parent), out=str(tmp_path / "out"))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, "the disk is full" in done.stdout) == (7, True), done.stderr
    review(tmp_path / "out")
    assert tree(tmp_path / "out") == whole


KILLED = """
import sys, time
sys.path.insert(0, {tests!r})
from pathlib import Path
from test_review_resume import options, review, slowly
review(Path({out!r}), options(opened=slowly))
"""


def slowly(source: str, _table: TableSetup) -> Sight:
    """The table at a pace at which it can be killed in the middle."""
    one = sight(source)

    def frames() -> Iterator[Frame]:
        for frame in one.frames:
            time.sleep(0.05)
            yield frame

    return replace(one, frames=frames())


def test_a_killed_process_leaves_work_that_is_gone_on_with(tmp_path: Path, whole: dict[str, bytes]) -> None:
    code = KILLED.format(tests=str(Path(__file__).parent), out=str(tmp_path / "out"))
    process = subprocess.Popen([sys.executable, "-c", code])
    mark = work_folder(tmp_path / "out") / CHECKPOINT
    until = time.monotonic() + 60
    while not mark.exists() and process.poll() is None and time.monotonic() < until:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    assert mark.exists()
    review(tmp_path / "out")
    assert tree(tmp_path / "out") == whole


class Bomb:
    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, ("echo run by a checkpoint",)


def test_a_checkpoint_put_there_by_someone_else_runs_nothing(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / CHECKPOINT
    for content in (pickle.dumps(Bomb()), pickle.dumps(shutil.rmtree), b"", b"no pickle", pickle.dumps({"version": 1})):
        path.write_bytes(content)
        assert read_checkpoint(path, {}) is None
    assert "run by a checkpoint" not in capfd.readouterr().out


def test_networks_are_named_not_stored() -> None:
    class Looker:
        def __init__(self) -> None:
            self.detector, self.camera = network, object()

    class Watcher:
        looker: Any = None

    network = type("Network", (), {"__module__": "models.detector"})()
    watcher = Watcher()
    watcher.looker = Looker()
    assert checkpoints.networks_of(watcher) == {"detector": network}  # type: ignore[arg-type]
    assert checkpoints.networks_of(Watcher()) == {}  # type: ignore[arg-type]


def test_two_reviews_into_one_folder_do_not_mix(tmp_path: Path, whole: dict[str, bytes]) -> None:
    """Each would write its events and findings among the other's: such a result accused an honest dealer twice."""
    out, refused = tmp_path / "out", []

    def other() -> bool:
        try:
            review(out)
        except ReviewError as error:
            refused.append(error.what)
        return False

    review(out, options(stop=other))
    assert set(refused) == {"another review is writing its results there"}
    assert tree(out) == whole
    assert list(tmp_path.iterdir()) == [out]


def test_a_folder_is_let_go_of_with_its_files(tmp_path: Path) -> None:
    first = WorkFolder(tmp_path / "work", {"video": "a"})
    with pytest.raises(ReviewError, match="another review"):
        WorkFolder(tmp_path / "work", {"video": "b"})
    first.begin({}, ())
    first.add(EVENTS, ["{}"])
    with pytest.raises(ReviewError, match="another review"):
        WorkFolder(tmp_path / "work", {"video": "a"})
    first.sizes()
    first.close()
    WorkFolder(tmp_path / "work", {"video": "a"}).close()
    assert (tmp_path / "work" / "results" / EVENTS).read_text() == "{}\n"
    WorkFolder(tmp_path / "work", {"video": "b"}).close()
    assert not (tmp_path / "work" / "results" / EVENTS).exists()


def test_a_folder_that_could_not_be_prepared_is_let_go_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as disk:
        disk.setattr(Path, "write_text", full)
        with pytest.raises(DiskFullError) as held:
            WorkFolder(tmp_path / "work", {"video": "a"})
    WorkFolder(tmp_path / "work", {"video": "a"}).close()
    assert "goes on where it stopped" in (held.value.do or "")


def test_lines_after_the_checkpoint_are_dropped(tmp_path: Path) -> None:
    work = WorkFolder(tmp_path / "work", {"video": "a"})
    work.begin({}, ())
    work.add(EVENTS, ["one"])
    sizes = work.sizes()
    work.add(EVENTS, ["two"])
    work.add(FINDINGS, ["three"])
    work.save_pictures("kept", [])
    work.save_pictures("dropped", [])
    work.close()
    again = WorkFolder(tmp_path / "work", {"video": "a"})
    again.begin(sizes, ["kept"])
    again.add(EVENTS, ["2"])
    again.close()
    assert (tmp_path / "work" / "results" / EVENTS).read_text() == "one\n2\n"
    assert (tmp_path / "work" / "results" / FINDINGS).read_text() == ""
    assert [path.name for path in (tmp_path / "work" / "results" / "evidence").iterdir()] == ["kept"]


def test_other_errors_of_the_disk_are_not_called_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: Any, **__: Any) -> None:
        raise OSError(errno.EIO, "Input/output error")

    work = WorkFolder(tmp_path / "work", {})
    work.begin({}, ())
    monkeypatch.setattr(os, "replace", refused)
    with pytest.raises(OSError, match="Input/output"):
        work.mark(b"state")
    assert not isinstance(OSError(), ServiceError)
