"""`pitwatch run` removes what an earlier `pitwatch run` made, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from datasets.clips import BUNDLED
from service.commands import serving
from service.commands.demonstration import MARK, Demonstration
from service.digests import sha256_of_file
from service.errors import ServiceError

VIDEO = BUNDLED / "video.mp4"


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What would have been served, without a review and without a server."""
    found: list[dict[str, Any]] = []
    done = SimpleNamespace(breaches=(), verdicts={}, rounds=())
    monkeypatch.setattr(serving, "review_with_progress", lambda *_: done)
    monkeypatch.setattr(serving, "print_findings", lambda *_: None)
    monkeypatch.setattr(serving, "verify_free", lambda *_: None)
    monkeypatch.setattr(serving, "_serve", lambda tables, **given: found.append({"tables": tables, **given}))
    return found


def filled(folder: Path) -> None:
    """A service with the default folders, as `pitwatch serve` makes it."""
    for name in (
        "pitwatch.db",
        "pitwatch.db-wal",
        "pitwatch-evidence/a",
        "pitwatch-evidence-private/key",
        "pitwatch-tables/t.yaml",
    ):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("precious")


def kept(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


def test_the_database_of_a_service_beside_it_stays(served: list[dict[str, Any]], tmp_path: Path) -> None:
    filled(tmp_path)
    before = kept(tmp_path)
    for _ in range(2):
        serving.run(tmp_path / "pitwatch")
        assert before.items() <= kept(tmp_path).items()
    ours = tmp_path / "pitwatch-service"
    assert [(one["database"], one["evidence"]) for one in served] == [
        (f"sqlite:///{ours}/pitwatch.db", ours / "evidence")
    ] * 2
    assert [path.name for path in served[0]["tables"].folder.iterdir()] == ["riu-66.yaml"]


def test_what_it_made_before_is_made_anew(served: list[dict[str, Any]], tmp_path: Path) -> None:
    serving.run(tmp_path / "run")
    ours = Demonstration(tmp_path / "run")
    for name in ("pitwatch.db", "pitwatch.db-wal", "evidence", "tables/another.yaml"):
        (ours.folder / name).write_text("old")
    ours.reviews.mkdir()
    (ours.reviews / "dropped.mp4").write_text("of people")
    serving.run(tmp_path / "run")
    assert {path.name for path in ours.folder.iterdir()} == {MARK, "tables"}
    assert [path.name for path in ours.tables.iterdir()] == ["riu-66.yaml"]
    assert (ours.reviews / "dropped.mp4").read_text() == "of people"


@pytest.mark.parametrize("place", ["run-service", "run-service/deeper"])
def test_a_folder_that_it_did_not_make_is_refused(served: list[dict[str, Any]], tmp_path: Path, place: str) -> None:
    (tmp_path / place).mkdir(parents=True)
    (tmp_path / place / "pitwatch.db").write_text("precious")
    with pytest.raises(ServiceError, match="did not make"):
        serving.run(tmp_path / "run")
    assert (tmp_path / place / "pitwatch.db").read_text() == "precious"
    assert served == []


def test_the_review_of_another_recording_is_not_replaced(served: list[dict[str, Any]], tmp_path: Path) -> None:
    out = tmp_path / "night"
    out.mkdir()
    about = {"video": "night.mp4", "sha256": {"video": "0" * 64}}
    (out / "run.json").write_text(json.dumps(about))
    with pytest.raises(ServiceError, match="the review of another recording"):
        serving.run(out)
    (out / "run.json").write_text("[]")
    with pytest.raises(ServiceError, match="the review of another recording"):
        serving.run(out)
    (out / "run.json").write_text(json.dumps(about | {"sha256": {"video": sha256_of_file(VIDEO)}}))
    serving.run(out)
    assert len(served) == 1
