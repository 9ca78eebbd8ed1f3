"""Every tampering is found and called by its name; what is genuine is never accused."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path

import pytest

from service.cli import main
from service.evidence.canonical import read_compact
from service.evidence.chain import CHAIN, HEADS
from service.evidence.errors import EvidenceError
from service.evidence.issues import Kind
from service.evidence.keys import create_signer
from service.evidence.tampering import archives
from service.evidence.tampering.__main__ import UNREADABLE, Tally, _tamper_archive, said_of, untouched
from service.evidence.tampering.attacks import ATTACKS
from service.evidence.tampering.grounds import Grounds, bundles_of, prepare, replace
from service.evidence.verify import verify


@pytest.fixture(scope="module")
def grounds(tmp_path_factory: pytest.TempPathFactory) -> Grounds:
    return prepare(tmp_path_factory.mktemp("evidence"), 7)


def test_what_is_genuine_is_never_accused(grounds: Grounds) -> None:
    assert untouched(grounds) == 0
    report = verify(grounds.vault, key=grounds.key, kept=[grounds.kept])
    assert (report.links, report.heads, report.bundles) == (15, 16, 8)
    assert report.key_given


@pytest.mark.parametrize("name", ATTACKS)
def test_a_tampered_folder_is_found_out(grounds: Grounds, name: str) -> None:
    chosen = ATTACKS[name]
    for seed in range(4):
        folder = grounds.copy()
        chosen.attack(folder, random.Random(seed), grounds)
        said = said_of(folder, grounds)
        assert said & {kind.value for kind in chosen.kinds}, (seed, said)
        shutil.rmtree(folder)


@pytest.mark.parametrize("name", archives.ATTACKS)
def test_a_tampered_archive_is_found_out(grounds: Grounds, name: str) -> None:
    tally = Tally()
    for seed in range(4):
        _tamper_archive(grounds, name, random.Random(seed), tally, seed)
    assert tally.named[name] == 4, tally.kinds


def test_only_a_kept_head_shows_that_the_whole_end_is_gone(grounds: Grounds) -> None:
    folder = grounds.copy(grounds.older)
    assert said_of(folder, grounds, kept=False) == set()
    report = verify(folder, key=grounds.key, kept=[grounds.kept])
    (issue,) = report.issues
    assert issue.kind is Kind.CUT_OFF
    assert issue.text.startswith("the chain has 6 links, but the head kept of 2026-11-01")
    assert issue.text.endswith("links 7 to 15 are cut off")


def test_the_folders_own_key_is_used_only_with_a_warning(grounds: Grounds) -> None:
    report = verify(grounds.vault)
    assert not report.key_given
    assert any("--key" in note for note in report.notes)
    folder = grounds.copy()
    ATTACKS["sign everything anew with another key"].attack(folder, random.Random(1), grounds)
    assert verify(folder).key != grounds.key.fingerprint


def test_a_kept_head_of_another_chain_is_refused(grounds: Grounds, tmp_path: Path) -> None:
    stranger = create_signer(tmp_path / "key.pem").verifier
    with pytest.raises(EvidenceError, match="not signed by this key"):
        verify(grounds.vault, key=stranger, kept=[grounds.kept])


def test_the_command_says_it_in_words_in_json_and_by_its_exit_status(
    grounds: Grounds, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    key, head = tmp_path / "public.pem", tmp_path / "head.json"
    key.write_bytes(grounds.key.pem)
    head.write_bytes(grounds.kept.line())
    with pytest.raises(SystemExit) as ended:
        main(["verify", str(grounds.vault), "--key", str(key), "--head", str(head)])
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith("GENUINE: 8 bundles, 39 files, 15 links, 16 signed heads\n")
    folder = grounds.copy()
    victim = bundles_of(folder)[3] / "1.jpg"
    replace(victim, b"other")
    with pytest.raises(SystemExit) as ended:
        main(["verify", str(folder), "--key", str(key), "--json"])
    assert ended.value.code == 1
    said = json.loads(capsys.readouterr().out)
    assert said["genuine"] is False
    assert [issue["kind"] for issue in said["issues"]] == ["file_changed"]
    assert said["issues"][0]["where"] == f"{victim.parent.name}/1.jpg"
    (tmp_path / "empty").mkdir()
    for arguments in ([str(tmp_path / "empty")], [str(tmp_path / "nothing")], [str(folder), "--key", str(head)]):
        with pytest.raises(SystemExit) as ended:
            main(["verify", *arguments])
        assert ended.value.code == 2
    assert "Traceback" not in capsys.readouterr().err


def test_a_packed_vault_is_verified_as_it_is(
    grounds: Grounds, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("one.zip", "two.zip"):
        main_ok(["pack", str(grounds.vault), str(tmp_path / name)])
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()
    assert verify(tmp_path / "one.zip", key=grounds.key, kept=[grounds.kept]).genuine
    for arguments in ([str(tmp_path), str(tmp_path / "x.zip")], [str(grounds.vault), str(tmp_path / "one.zip")]):
        with pytest.raises(SystemExit) as ended:
            main(["pack", *arguments])
        assert ended.value.code == 2
    assert [path.name for path in tmp_path.iterdir() if "part" in path.name] == []


def main_ok(arguments: list[str]) -> None:
    """Runs a command that ends well."""
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 0


def test_lines_of_the_chain_have_one_form_only() -> None:
    assert read_compact(b'{"a":1}') == {"a": 1}
    for line in (b'{"a": 1}', b'{"a":1,"a":1}', b'{"b":1,"a":1}', b"[1]", b"", b'{"a":1}\r', b"[" * 100_000):
        assert read_compact(line) is None


def test_an_empty_chain_is_said_to_be_cut_off(grounds: Grounds) -> None:
    folder = grounds.copy()
    for name in (CHAIN, HEADS):
        replace(folder / name, b"")
    said = said_of(folder, grounds)
    assert {"cut_off", "link_removed"} <= said
    assert UNREADABLE not in said
