"""The vault: bundle, link and head appear together or not at all, whatever happens; nothing leaves it without a word."""

from __future__ import annotations

import errno
import os
import random
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import ParamSpec, TypeVar

import pytest

from service.errors import ConflictError, NotFoundError
from service.evidence import disk, journal
from service.evidence.errors import DiskFullError, EvidenceError
from service.evidence.index import Scope
from service.evidence.keys import read_public
from service.evidence.tampering.grounds import BEGAN, bundles_of, heads_of, links_of, store_random
from service.evidence.vault import Vault, private_of
from service.evidence.verify import verify

RUN = "run"
P = ParamSpec("P")
R = TypeVar("R")


@pytest.fixture(autouse=True)
def _quick_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test checks survives a killed process without reaching the platter; waiting for that takes half a minute."""
    monkeypatch.setattr(os, "fsync", lambda handle: None)


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return Vault(tmp_path / "evidence", BEGAN, keep_free_bytes=0)


def add(vault: Vault, number: int = 0) -> None:
    store_random(vault, random.Random(number), number, BEGAN + timedelta(minutes=number))


def numbers(vault: Vault) -> list[int]:
    return sorted(vault.index.entries)


def test_the_key_is_the_owners_alone_and_lies_outside_the_vault(vault: Vault, tmp_path: Path) -> None:
    key = private_of(vault.folder) / "key.pem"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert stat.S_IMODE(key.parent.stat().st_mode) == 0o700
    assert b"PRIVATE" not in b"".join(p.read_bytes() for p in vault.folder.rglob("*") if p.is_file())
    assert read_public((vault.folder / "public.pem").read_bytes(), where="x").fingerprint == vault.fingerprint


def test_opening_again_keeps_key_and_chain(vault: Vault) -> None:
    add(vault)
    again = Vault(vault.folder, BEGAN, keep_free_bytes=0)
    add(again, 1)
    assert again.fingerprint == vault.fingerprint
    assert [link.number for link in links_of(vault.folder)] == [1, 2, 3]
    assert numbers(vault) == [2]
    assert sorted(vault.refresh().entries) == [2, 3]
    assert verify(vault.folder).genuine


def test_a_key_that_others_may_read_is_refused(vault: Vault) -> None:
    (private_of(vault.folder) / "key.pem").chmod(0o640)
    with pytest.raises(EvidenceError, match=r"others may read the evidence key.*chmod 600"):
        Vault(vault.folder, BEGAN)


def test_a_lost_key_is_never_replaced_silently(vault: Vault, tmp_path: Path) -> None:
    (private_of(vault.folder) / "key.pem").unlink()
    with pytest.raises(EvidenceError, match="evidence key cannot be read"):
        Vault(vault.folder, BEGAN)
    other = Vault(tmp_path / "other", BEGAN)
    shutil.copy2(private_of(other.folder) / "key.pem", private_of(vault.folder) / "key.pem")
    with pytest.raises(EvidenceError, match="not the key of its chain"):
        Vault(vault.folder, BEGAN)


def test_one_alert_has_one_bundle(vault: Vault) -> None:
    add(vault)
    add(vault)
    assert len(bundles_of(vault.folder)) == 1
    assert not list((private_of(vault.folder) / "parts").iterdir())


def test_a_hold_keeps_a_bundle_until_it_is_released(vault: Vault) -> None:
    add(vault)
    number = numbers(vault)[0]
    vault.hold(number, by="ann", why="appeal", now=BEGAN)
    for scope in Scope:
        with pytest.raises(ConflictError, match="ann holds it"):
            vault.expire(number, scope, by="retention", why="old", now=BEGAN)
    with pytest.raises(ConflictError, match="ann holds it already"):
        vault.hold(number, by="bob", why="me too", now=BEGAN)
    vault.release(number, by="bob", why="over", now=BEGAN)
    with pytest.raises(ConflictError, match="nobody holds it"):
        vault.release(number, by="bob", why="over", now=BEGAN)
    vault.expire(number, Scope.BUNDLE, by="retention", why="old", now=BEGAN)
    with pytest.raises(ConflictError, match="expired already"):
        vault.hold(number, by="ann", why="too late", now=BEGAN)
    with pytest.raises(NotFoundError):
        vault.hold(77, by="ann", why="?", now=BEGAN)
    kinds = [link.kind.value for link in links_of(vault.folder)]
    assert kinds == ["opened", "bundle", "held", "released", "expired"]


def test_what_expired_is_gone_but_not_missing(vault: Vault) -> None:
    add(vault)
    add(vault, 1)
    first, second = numbers(vault)
    vault.expire(first, Scope.CLIPS, by="retention", why="films kept 30 days", now=BEGAN)
    vault.expire(second, Scope.BUNDLE, by="retention", why="kept 60 days", now=BEGAN)
    with pytest.raises(ConflictError):
        vault.expire(second, Scope.CLIPS, by="retention", why="again", now=BEGAN)
    (left,) = bundles_of(vault.folder)
    assert not list(left.glob("*.mp4"))
    report = verify(vault.folder)
    assert report.genuine, report.issues
    assert any("its films expired on 2026-11-01" in note and "not missing" in note for note in report.notes)
    assert any("all of it expired" in note for note in report.notes)
    assert verify(left).genuine


class CrashError(BaseException):
    """The power goes."""


@contextmanager
def power_cut(monkeypatch: pytest.MonkeyPatch, after: int) -> Iterator[list[int]]:
    """The power goes at the so-many-th step that reaches the disk; a line being appended is torn."""
    left = [after]

    def step() -> None:
        left[0] -= 1
        if left[0] == 0:
            raise CrashError

    def torn(path: Path, line: bytes) -> None:
        try:
            step()
        except CrashError:
            with path.open("ab") as file:
                file.write(line[: len(line) // 2])
            raise
        original_append(path, line)

    def after_a_step(original: Callable[P, R]) -> Callable[P, R]:
        def act(*args: P.args, **kwargs: P.kwargs) -> R:
            step()
            return original(*args, **kwargs)

        return act

    original_append = disk.append_line
    with monkeypatch.context() as patch:
        patch.setattr(journal, "append_line", torn)
        patch.setattr(os, "fsync", after_a_step(os.fsync))
        patch.setattr(os, "replace", after_a_step(os.replace))
        patch.setattr(Path, "unlink", after_a_step(Path.unlink))
        yield left


def test_a_power_cut_at_any_step_of_storing_leaves_all_or_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcomes = set()
    for after in range(1, 60):
        folder = tmp_path / f"v{after}" / "evidence"
        vault = Vault(folder, BEGAN, keep_free_bytes=0)
        add(vault)
        crashed = True
        try:
            with power_cut(monkeypatch, after):
                add(vault, 1)
                crashed = False
        except CrashError:
            pass
        if crashed:
            again = Vault(folder, BEGAN, keep_free_bytes=0)
            report = verify(folder)
            assert report.genuine, (after, report.issues)
            outcomes.add(len(bundles_of(folder)))
            add(again, 1)
        assert len(bundles_of(folder)) == 2
        assert verify(folder).genuine, after
        if not crashed:
            break
    assert outcomes == {1, 2}
    assert not crashed, "the test never reached the end of storing"


def test_a_power_cut_at_any_step_of_a_deletion_is_finished_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for after in range(1, 60):
        folder = tmp_path / f"v{after}" / "evidence"
        vault = Vault(folder, BEGAN, keep_free_bytes=0)
        add(vault)
        add(vault, 1)
        number, other = numbers(vault)
        crashed = True
        try:
            with power_cut(monkeypatch, after):
                vault.expire(number, Scope.CLIPS, by="retention", why="old", now=BEGAN)
                vault.expire(other, Scope.BUNDLE, by="retention", why="old", now=BEGAN)
                crashed = False
        except CrashError:
            pass
        again = Vault(folder, BEGAN, keep_free_bytes=0)
        assert verify(folder).genuine, (after, verify(folder).issues)
        said = {scope for entry in again.index.entries.values() for scope in entry.expired}
        assert (Scope.BUNDLE in said) == (len(bundles_of(folder)) == 1)
        if not crashed:
            break
    assert not crashed, "the test never reached the end of the deletion"


WRITER = """
import os, random, sys
os.fsync = lambda handle: None
from pathlib import Path
from service.evidence.tampering.grounds import BEGAN, store_random
from service.evidence.vault import Vault
vault = Vault(Path(sys.argv[1]), BEGAN, keep_free_bytes=0)
print("ready", flush=True)
for number in range(int(sys.argv[2]), 10**6):
    store_random(vault, random.Random(number), number, BEGAN)
"""


def test_kill_9_at_random_moments_tears_nothing(tmp_path: Path) -> None:
    rng, folder = random.Random(4), tmp_path / "evidence"
    for kill in range(5):
        with subprocess.Popen(
            [sys.executable, "-c", WRITER, str(folder), str(kill * 10_000)], stdout=subprocess.PIPE
        ) as writer:
            assert writer.stdout is not None
            assert writer.stdout.readline() == b"ready\n"
            time.sleep(rng.uniform(0.005, 0.1))
            writer.send_signal(signal.SIGKILL)
        vault = Vault(folder, BEGAN, keep_free_bytes=0)
        report = verify(folder)
        assert report.genuine, report.issues
        assert len(bundles_of(folder)) == len(vault.index.entries)
    assert len(vault.index.entries) > 5


def test_two_processes_share_a_vault(tmp_path: Path) -> None:
    folder = tmp_path / "evidence"
    Vault(folder, BEGAN, keep_free_bytes=0)
    code = WRITER.replace("10**6", "int(sys.argv[2]) + 25")
    writers = [
        subprocess.Popen([sys.executable, "-c", code, str(folder), str(n)], stdout=subprocess.DEVNULL)
        for n in (0, 1000)
    ]
    assert [writer.wait() for writer in writers] == [0, 0]
    report = verify(folder)
    assert report.genuine, report.issues
    assert (report.bundles, report.links) == (50, 51)
    assert [head.serial for head in heads_of(folder)] == list(range(1, 52))


def test_too_little_room_is_refused_before_anything_is_written(vault: Vault) -> None:
    vault.keep_free_bytes = 10**18
    before = links_of(vault.folder)
    with pytest.raises(DiskFullError, match=r"disk full .* nothing is ever deleted to make room"):
        vault.new_part()
    assert links_of(vault.folder) == before
    vault.refuse(run_id=RUN, finding_id="a" * 16, reason="disk full", now=BEGAN)
    assert vault.reason_not_stored(RUN, "a" * 16) == "disk full"
    assert [link.kind.value for link in links_of(vault.folder)] == ["opened", "not_stored"]
    assert verify(vault.folder).genuine


def test_a_disk_that_fills_up_while_writing_loses_nothing(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    add(vault)

    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(DiskFullError, match="disk full"):
            add(vault, 1)
        vault.refuse(run_id=RUN, finding_id="b" * 16, reason="disk full", now=BEGAN)
        assert vault.reason_not_stored(RUN, "b" * 16) == "disk full"
        assert len(links_of(vault.folder)) == 2
    add(vault, 2)
    assert [link.kind.value for link in links_of(vault.folder)] == ["opened", "bundle", "not_stored", "bundle"]
    report = verify(vault.folder)
    assert report.genuine, report.issues


def test_heads_are_signed_without_new_links_too(vault: Vault) -> None:
    add(vault)
    head = vault.sign_head(BEGAN + timedelta(hours=1))
    assert (head.count, head.serial) == (2, 3)
    assert vault.head() == head
    assert verify(vault.folder).genuine


def test_a_chain_changed_under_a_running_service_is_not_written_on(vault: Vault) -> None:
    add(vault)
    chain = vault.folder / "chain.jsonl"
    chain.write_bytes(chain.read_bytes().replace(b'"kind":"bundle"', b'"kind":"bungle"'))
    with pytest.raises(EvidenceError, match=r"line 2 is not what was written here.*pitwatch verify"):
        Vault(vault.folder, BEGAN)
