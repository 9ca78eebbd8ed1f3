"""Attacks on archives of evidence: a vault or a bundle as one zip."""

from __future__ import annotations

import io
import random
import stat
import warnings
import zipfile
from collections.abc import Callable

from service.evidence.issues import Kind
from service.evidence.tampering.grounds import flipped

Attack = Callable[[bytes, random.Random], bytes]
ATTACKS: dict[str, tuple[Attack, frozenset[Kind]]] = {}


def attack(*kinds: Kind) -> Callable[[Attack], Attack]:
    """Enters an attack into the list."""

    def enter(function: Attack) -> Attack:
        ATTACKS[f"zip: {function.__name__.replace('_', ' ')}"] = function, frozenset(kinds)
        return function

    return enter


def _top(archive: bytes) -> str:
    return zipfile.ZipFile(io.BytesIO(archive)).namelist()[0].split("/")[0]


def _added(archive: bytes, info: zipfile.ZipInfo, content: bytes) -> bytes:
    out = io.BytesIO(archive)
    with zipfile.ZipFile(out, "a") as zipped, warnings.catch_warnings(action="ignore"):
        zipped.writestr(info, content)
    return out.getvalue()


def _rewritten(archive: bytes, change: Callable[[list[tuple[zipfile.ZipInfo, bytes]]], None], **options: int) -> bytes:
    with zipfile.ZipFile(io.BytesIO(archive)) as zipped:
        entries = [(info, zipped.read(info)) for info in zipped.infolist()]
    change(entries)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as again:
        for info, content in entries:
            again.writestr(info, content, **options)
    return out.getvalue()


@attack(Kind.ZIP_CHANGED, Kind.FILE_CHANGED, Kind.BAD_NAME, Kind.LINKED, Kind.FILE_ADDED, Kind.FILE_MISSING)
def flip_a_bit(archive: bytes, rng: random.Random) -> bytes:  # noqa: D103
    return flipped(archive, rng)


@attack(Kind.ZIP_CHANGED)
def add_bytes_behind_the_end(archive: bytes, rng: random.Random) -> bytes:  # noqa: D103
    return archive + rng.randbytes(rng.randint(1, 60))


@attack(Kind.ZIP_CHANGED)
def add_bytes_before_the_start(archive: bytes, rng: random.Random) -> bytes:  # noqa: D103
    return rng.randbytes(rng.randint(1, 60)) + archive


@attack(Kind.ZIP_CHANGED)
def cut_the_end(archive: bytes, rng: random.Random) -> bytes:  # noqa: D103
    return archive[: -rng.randint(1, len(archive) - 1)]


@attack(Kind.ZIP_CHANGED)
def add_a_second_file_of_the_same_name(archive: bytes, rng: random.Random) -> bytes:  # noqa: D103
    names = zipfile.ZipFile(io.BytesIO(archive)).namelist()
    return _added(archive, zipfile.ZipInfo(rng.choice(names), (1980, 1, 1, 0, 0, 0)), rng.randbytes(20))


@attack(Kind.BAD_NAME)
def add_a_path_out_of_the_folder(archive: bytes, rng: random.Random) -> bytes:  # noqa: D103
    top = _top(archive)
    name = rng.choice(
        [f"{top}/../../evil.sh", "/etc/cron.d/evil", f"{top}/a\\..\\b", "../evil", f"{top}//evil", f"{top}/./evil"]
    )
    return _added(archive, zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), b"evil")


@attack(Kind.LINKED)
def add_a_symbolic_link(archive: bytes, rng: random.Random) -> bytes:  # noqa: D103
    info = zipfile.ZipInfo(f"{_top(archive)}/link", (1980, 1, 1, 0, 0, 0))
    info.create_system, info.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
    return _added(archive, info, b"/etc/passwd")


@attack(Kind.FILE_ADDED)
def add_a_file_beside_the_evidence(archive: bytes, rng: random.Random) -> bytes:  # noqa: D103
    return _added(archive, zipfile.ZipInfo("zz/README.txt", (1980, 1, 1, 0, 0, 0)), b"trust me")


@attack(Kind.ZIP_CHANGED)
def add_a_comment(archive: bytes, rng: random.Random) -> bytes:  # noqa: D103
    out = io.BytesIO(archive)
    with zipfile.ZipFile(out, "a") as zipped:
        zipped.comment = rng.randbytes(rng.randint(1, 30))
    return out.getvalue()


@attack(Kind.ZIP_CHANGED)
def give_an_entry_another_date_mode_or_note(archive: bytes, rng: random.Random) -> bytes:  # noqa: D103
    def change(entries: list[tuple[zipfile.ZipInfo, bytes]]) -> None:
        info = rng.choice(entries)[0]
        what = rng.randrange(3)
        if what == 0:
            info.date_time = (2026, 11, 21, 3, 4, 6)
        elif what == 1:
            info.external_attr = 0o100755 << 16
        else:
            info.comment = b"hidden"

    return _rewritten(archive, change)


@attack(Kind.ZIP_CHANGED)
def compress_an_archive(archive: bytes, rng: random.Random) -> bytes:  # noqa: D103
    return _rewritten(archive, lambda entries: None, compress_type=zipfile.ZIP_DEFLATED)


@attack(Kind.ZIP_CHANGED)
def order_entries_otherwise(archive: bytes, rng: random.Random) -> bytes:  # noqa: D103
    def change(entries: list[tuple[zipfile.ZipInfo, bytes]]) -> None:
        before = list(entries)
        while entries == before:
            rng.shuffle(entries)

    return _rewritten(archive, change)


@attack(
    Kind.FILE_CHANGED,
    Kind.MANIFEST_CHANGED,
    Kind.SEAL_CHANGED,
    Kind.LINK_CHANGED,
    Kind.HEAD_FORGED,
    Kind.KEY_CHANGED,
    Kind.TORN,
    Kind.HEAD_CHANGED,
)
def change_a_file_in_a_sound_archive(archive: bytes, rng: random.Random) -> bytes:  # noqa: D103
    def change(entries: list[tuple[zipfile.ZipInfo, bytes]]) -> None:
        at = rng.randrange(len(entries))
        info, content = entries[at]
        where = rng.randrange(len(content))
        entries[at] = info, content[:where] + bytes([content[where] ^ 1]) + content[where + 1 :]

    return _rewritten(archive, change)
