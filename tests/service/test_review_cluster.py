"""Reviews over a cluster: one and two workers give the same, a lost worker costs nothing but time."""

from __future__ import annotations

import importlib.util
import os
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fake_worker
import pytest
from service_fakes import NOW, TABLE
from test_review_queue import bytes_of, office_of, recordings, wait_for

from service.errors import ServiceError
from service.reviews.checkpoint import OURS
from service.reviews.cluster import ClusterChoices, work_off
from service.reviews.office import RESULT, Office
from service.reviews.queue import State
from service.store import Store

HAS_RAY = importlib.util.find_spec("ray") is not None
BATCH = 3


@pytest.fixture
def ray(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    import ray

    here = str(Path(__file__).parent)
    paths = [here, str(Path(here).parents[1]), *(os.path.abspath(path) for path in sys.path if path)]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    ray.init(num_cpus=2, log_to_driver=False, include_dashboard=False, object_store_memory=80 << 20)
    yield ray
    ray.shutdown()


def batch(tmp_path: Path, name: str) -> tuple[Office, ClusterChoices]:
    folder = tmp_path / name
    folder.mkdir()
    url = f"sqlite:///{folder}/s.db"
    office = office_of(Store(url), folder)
    recordings(folder, "a.mp4", "b.mp4")
    office.order(str(folder / "recordings"), table_id=TABLE, by="ann", now=NOW)
    choices = ClusterChoices(
        url, 1, opened=fake_worker.opened, checkpoint_every_s=0.0, ours=(*OURS, "service_fakes"), now=fake_worker.fixed_now
    )  # fmt: skip
    return office, choices


def results(office: Office) -> dict[str, dict[str, bytes]]:
    done = office.queue.page()
    assert [one.state for one in done] == [State.DONE] * BATCH, [one.reason for one in done]
    return {one.name: {name: data for name, data in bytes_of(Path(one.folder) / RESULT).items() if name != "run.json"} for one in done}  # fmt: skip


@pytest.mark.slow
@pytest.mark.skipif(not HAS_RAY, reason="Ray is not installed (pip install 'pitwatch[cluster]')")
def test_one_worker_two_workers_and_a_lost_one_give_the_same(tmp_path: Path, ray: Any) -> None:
    from dataclasses import replace

    one, alone = batch(tmp_path, "one")
    assert work_off(alone).lost == 0
    two, both = batch(tmp_path, "two")
    done = work_off(replace(both, workers=2))
    assert sum(map(len, done.by_worker.values())) == BATCH
    torn, again = batch(tmp_path, "torn")
    lost: list[int] = []
    runner = threading.Thread(target=lambda: lost.append(work_off(replace(again, workers=2)).lost))
    runner.start()
    wait_for(lambda: any(r.state is State.RUNNING and r.t_s > 0.5 for r in torn.queue.page()))
    running = next(r for r in torn.queue.page() if r.state is State.RUNNING and r.t_s > 0.5)
    os.kill(int(running.worker.split(":")[1]), signal.SIGKILL)
    runner.join(300)
    assert lost == [1]
    assert torn.queue.get(running.review_id).attempt == 2
    assert results(one) == results(two) == results(torn)


def test_without_ray_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ServiceError, match=r"Ray is not installed.*pitwatch\[cluster\]"):
        work_off(ClusterChoices("sqlite://", 1))
