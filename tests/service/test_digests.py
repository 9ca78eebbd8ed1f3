"""SHA-256 of files and texts: one way for all."""

from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path

import pytest

from service.config import load_table
from service.digests import sha256_of_file, sha256_of_files, sha256_of_stream, sha256_of_text

ROOT = Path(__file__).resolve().parents[2]
CONTENT = b"\x00Pitwatch\r\n" * 300_000


def test_a_file_a_stream_and_a_member_of_an_archive_have_the_same(tmp_path: Path) -> None:
    expected = hashlib.sha256(CONTENT).hexdigest()
    (tmp_path / "a").write_bytes(CONTENT)
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.write(tmp_path / "a", "a")
    assert sha256_of_file(tmp_path / "a") == expected
    assert sha256_of_files([tmp_path / "a", tmp_path / "b", tmp_path]) == {"a": expected}
    with zipfile.ZipFile(tmp_path / "a.zip") as archive, archive.open("a") as member:
        assert sha256_of_stream(member) == expected
    with pytest.raises(FileNotFoundError):
        sha256_of_file(tmp_path / "b")


def test_a_table_is_known_by_its_text(tmp_path: Path) -> None:
    text = (ROOT / "datasets/clips/raise_it_up/table.yaml").read_text(encoding="utf-8").replace("external_events", "# ")
    (tmp_path / "table.yaml").write_text(text, encoding="utf-8", newline="\r\n")
    assert load_table(tmp_path / "table.yaml").sha256 == sha256_of_text(text)


def test_no_other_module_reads_files_into_a_digest() -> None:
    loops = ("file_digest(", "digest.update(block)")
    found = [
        path
        for path in (ROOT / "service").rglob("*.py")
        if any(one in path.read_text(encoding="utf-8") for one in loops)
    ]
    assert [str(path.relative_to(ROOT)) for path in found] == ["service/digests.py"]
