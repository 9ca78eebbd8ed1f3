"""Live tables away from the screens: the same in this process and over a cluster; a lost one is started again."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import fake_worker
import pytest
import yaml
from service_fakes import mapping
from test_review_cluster import HAS_RAY
from test_review_cluster import ray as ray  # the fixture

from service.cluster import tables as cluster
from service.cluster.tables import Away, Kept, Watched, keep, placed
from service.errors import ServiceError
from service.reviews.rounds import find_rounds
from service.store import Store

NAMES = ("riu-01", "riu-02")


def watched(folder: Path) -> Watched:
    """Two tables whose cameras are recordings of the script."""
    folder.mkdir()
    files = []
    for name in NAMES:
        (folder / f"{name}.mp4").write_bytes(name.encode())
        files.append(folder / f"{name}.yaml")
        files[-1].write_text(yaml.safe_dump(mapping(table_id=name, camera={"source": f"{name}.mp4"})))
    return Watched(files, f"sqlite:///{folder}/s.db", folder / "spool", opened=fake_worker.opened_of, now=fake_worker.fixed_now)  # fmt: skip


def outcome(choices: Watched) -> list[Any]:
    """Alerts, events and rounds by table, without what tells one run from another."""
    store = Store(choices.database)
    alerts = sorted((a.table_id, a.check_id, a.finding["t_s"]) for a in store.alerts())
    rounds = sorted((r.table_id, r.players, r.community, r.checks, r.paid_cents) for r in find_rounds(store, "breach undetermined"))  # fmt: skip
    store.close()
    return [alerts, rounds]


def test_tables_in_this_process_are_watched_to_their_end(tmp_path: Path) -> None:
    choices = watched(tmp_path / "here")
    kept = keep(placed(choices, cluster=False), threading.Event(), look_every_s=0.05)
    assert {name: (last["state"], last["rounds"], last["waiting"]) for name, last in kept.last.items()} == dict.fromkeys(NAMES, ("stopped", 1, 0))  # fmt: skip
    alerts, rounds = outcome(choices)
    assert [(table, check) for table, check, _ in alerts] == [(name, check) for name in NAMES for check in ("RIU-C1-WHEN", "RIU-SET-ANTE")]  # fmt: skip
    assert len(rounds) == 2


def test_a_table_without_a_camera_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(yaml.safe_dump(mapping()))
    with pytest.raises(ServiceError, match="names no camera"):
        placed(Watched([tmp_path / "a.yaml"], f"sqlite:///{tmp_path}/s.db", tmp_path), cluster=False)


@pytest.mark.slow
@pytest.mark.skipif(not HAS_RAY, reason="Ray is not installed (pip install 'pitwatch[cluster]')")
def test_tables_over_a_cluster_give_the_same_and_a_lost_one_is_started_again(tmp_path: Path, ray: Any) -> None:
    here = watched(tmp_path / "here")
    keep(placed(here, cluster=False), threading.Event(), look_every_s=0.05)
    away = watched(tmp_path / "away")
    posts, done = placed(away, cluster=True), []
    runner = threading.Thread(target=lambda: done.append(keep(posts, threading.Event(), look_every_s=0.1)))
    runner.start()
    spool, until_s = away.spool / f"{NAMES[0]}.spool", time.monotonic() + 120.0
    while not (pid := holder_of(spool)):
        assert time.monotonic() < until_s, "the table never began"
        time.sleep(0.05)
    time.sleep(1.0)
    os.kill(pid, signal.SIGKILL)
    runner.join(300)
    (kept,) = done
    assert isinstance(kept, Kept)
    assert kept.lost == 1
    assert outcome(away) == outcome(here)


def holder_of(path: Path) -> int:
    """The process that has a file open, 0 if none has."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if any(os.readlink(link) == str(path) for link in (folder / "fd").iterdir()):
                return int(folder.name)
        except OSError:
            continue
    return 0


class Gone(Exception):
    """An actor that is lost."""


def test_a_table_that_is_always_lost_is_given_up() -> None:
    def lost(_ref: object) -> None:
        raise Gone

    fake = SimpleNamespace(wait=lambda refs, timeout: (refs, []), get=lost, exceptions=SimpleNamespace(RayActorError=Gone))  # fmt: skip
    post = Away(fake, lambda: SimpleNamespace(about=SimpleNamespace(remote=object)))
    for _ in range(cluster.MOST_SILENT - 1):
        assert post.look() is None
    with pytest.raises(ServiceError, match="cannot be started on the cluster"):
        post.look()
