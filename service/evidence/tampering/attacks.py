"""The attacks: each changes a copy of a vault and says by which name it must be found.

All may write everything in the folder; none has the key. They know the format and keep everything consistent that can be
kept so without the key.
"""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from dataclasses import replace as altered
from pathlib import Path

from service.evidence.bundle import EXPIRY, MANIFEST, SEAL, UNLISTED, seal
from service.evidence.canonical import pretty, sha256_hex
from service.evidence.chain import CHAIN, HEADS, PUBLIC, README, Head, Link, LinkKind, signed_head
from service.evidence.issues import Kind
from service.evidence.tampering.grounds import Grounds, bundles_of, flipped, heads_of, links_of, replace

Attack = Callable[[Path, random.Random, Grounds], None]


@dataclass(frozen=True, slots=True)
class Named:
    """An attack, the names of which at least one must be given, and whether only a kept head can show it."""

    attack: Attack
    kinds: frozenset[Kind]
    needs_kept: bool = False


ATTACKS: dict[str, Named] = {}


def attack(*kinds: Kind, needs_kept: bool = False) -> Callable[[Attack], Attack]:
    """Enters an attack into the list."""

    def enter(function: Attack) -> Attack:
        ATTACKS[function.__name__.replace("_", " ")] = Named(function, frozenset(kinds), needs_kept)
        return function

    return enter


def _bundle(folder: Path, rng: random.Random) -> Path:
    return rng.choice(bundles_of(folder))


def _file(bundle: Path, rng: random.Random) -> Path:
    names = sorted(path.name for path in bundle.iterdir() if path.name not in UNLISTED)
    return bundle / rng.choice(names)


def _lines(path: Path) -> list[bytes]:
    return path.read_bytes().split(b"\n")[:-1]


def _write_lines(path: Path, lines: Sequence[bytes]) -> None:
    replace(path, b"".join(line + b"\n" for line in lines))


def _rechained(links: Sequence[Link]) -> list[Link]:
    """Links numbered and joined anew, so that the chain is right in itself."""
    out: list[Link] = []
    for number, link in enumerate(links, start=1):
        previous = out[-1].hash if out else links[0].previous
        out.append(altered(link, number=number, previous=previous))
    return out


def _remanifested(bundle: Path) -> bytes:
    """A manifest that is right for the files as they are now."""
    raw = json.loads((bundle / MANIFEST).read_bytes())
    rows = []
    for path in sorted(bundle.iterdir()):
        if path.name not in UNLISTED:
            rows.append({"name": path.name, "size": path.stat().st_size, "sha256": sha256_hex(path.read_bytes())})
    manifest = pretty(raw | {"files": rows})
    replace(bundle / MANIFEST, manifest)
    return manifest


@attack(Kind.FILE_CHANGED)
def flip_a_bit_of_a_file(folder: Path, rng: random.Random, grounds: Grounds) -> None:  # noqa: D103
    path = _file(_bundle(folder, rng), rng)
    replace(path, flipped(path.read_bytes(), rng))


@attack(Kind.FILE_CHANGED)
def cut_a_file_short(folder: Path, rng: random.Random, grounds: Grounds) -> None:  # noqa: D103
    path = _file(_bundle(folder, rng), rng)
    content = path.read_bytes()
    replace(path, content[: rng.randrange(len(content))])


@attack(Kind.FILE_CHANGED)
def add_bytes_to_a_file(folder: Path, rng: random.Random, grounds: Grounds) -> None:  # noqa: D103
    path = _file(_bundle(folder, rng), rng)
    replace(path, path.read_bytes() + rng.randbytes(rng.randint(1, 40)))


@attack(Kind.FILE_MISSING)
def delete_a_file(folder: Path, rng: random.Random, grounds: Grounds) -> None:  # noqa: D103
    bundle = _bundle(folder, rng)
    rng.choice([_file(bundle, rng), bundle / MANIFEST, bundle / SEAL]).unlink()


@attack(Kind.FILE_RENAMED)
def rename_a_file(folder: Path, rng: random.Random, grounds: Grounds) -> None:  # noqa: D103
    path = _file(_bundle(folder, rng), rng)
    path.rename(path.with_name(f"x{rng.randrange(999)}-{path.name}"))


@attack(Kind.FILE_CHANGED)
def exchange_two_files_of_two_bundles(folder: Path, rng: random.Random, grounds: Grounds) -> None:  # noqa: D103
    one, other = rng.sample(bundles_of(folder), 2)
    a, b = one / "1.jpg", other / "1.jpg"
    first, second = a.read_bytes(), b.read_bytes()
    replace(a, second)
    replace(b, first)


@attack(Kind.FILE_ADDED)
def add_a_file(folder: Path, rng: random.Random, grounds: Grounds) -> None:  # noqa: D103
    place = rng.choice([folder, _bundle(folder, rng)])
    (place / f"note{rng.randrange(99)}.txt").write_bytes(rng.randbytes(9))


@attack(Kind.FILE_ADDED)
def add_a_folder(folder: Path, rng: random.Random, grounds: Grounds) -> None:  # noqa: D103
    inner = rng.choice([folder, _bundle(folder, rng)]) / "more"
    inner.mkdir()
    if rng.random() < 0.5:
        (inner / "clip.mp4").write_bytes(rng.randbytes(9))


@attack(Kind.BAD_NAME)
def add_a_hidden_or_odd_name(folder: Path, rng: random.Random, grounds: Grounds) -> None:  # noqa: D103
    place = rng.choice([folder, _bundle(folder, rng)])
    (place / rng.choice([".hidden", "a b", "clip.mp4 ", "cl\u0456p.mp4", "-rf", "a\\..\\b"])).write_bytes(b"x")


@attack(Kind.LINKED)
def put_a_symbolic_link_in_place_of_a_file(folder: Path, rng: random.Random, grounds: Grounds) -> None:  # noqa: D103
    path = _file(_bundle(folder, rng), rng)
    same = grounds.vault / path.relative_to(folder)
    path.unlink()
    path.symlink_to(same)


@attack(Kind.LINKED)
def put_a_symbolic_link_in_place_of_a_bundle(folder: Path, rng: random.Random, grounds: Grounds) -> None:  # noqa: D103
    bundle = _bundle(folder, rng)
    shutil.rmtree(bundle)
    bundle.symlink_to(grounds.vault / bundle.relative_to(folder))


@attack(Kind.MANIFEST_CHANGED)
def change_a_file_and_the_manifest_with_it(folder: Path, rng: random.Random, grounds: Grounds) -> None:  # noqa: D103
    bundle = _bundle(folder, rng)
    path = _file(bundle, rng)
    replace(path, flipped(path.read_bytes(), rng))
    _remanifested(bundle)


@attack(Kind.MANIFEST_CHANGED)
def take_a_file_out_of_bundle_and_manifest(folder: Path, rng: random.Random, grounds: Grounds) -> None:  # noqa: D103
    bundle = _bundle(folder, rng)
    _file(bundle, rng).unlink()
    _remanifested(bundle)


@attack(Kind.MANIFEST_CHANGED)
def name_a_file_outside_in_the_manifest(folder: Path, rng: random.Random, grounds: Grounds) -> None:  # noqa: D103
    bundle = _bundle(folder, rng)
    raw = json.loads((bundle / MANIFEST).read_bytes())
    raw["files"][0]["name"] = rng.choice(["../../../etc/passwd", "/etc/passwd", "a/../../b"])
    replace(bundle / MANIFEST, pretty(raw))


@attack(Kind.LINK_CHANGED)
def change_a_file_and_everything_unsigned_above_it(folder: Path, rng: random.Random, grounds: Grounds) -> None:  # noqa: D103
    bundle = _bundle(folder, rng)
    path = _file(bundle, rng)
    replace(path, flipped(path.read_bytes(), rng))
    manifest = sha256_hex(_remanifested(bundle))
    links = [
        altered(link, body={**link.body, "manifest": manifest}) if link.body.get("name") == bundle.name else link
        for link in links_of(folder)
    ]
    _write_lines(folder / CHAIN, [link.line() for link in _rechained(links)])


@attack(Kind.KEY_CHANGED)
def sign_everything_anew_with_another_key(folder: Path, rng: random.Random, grounds: Grounds) -> None:  # noqa: D103
    signer = grounds.stranger
    bundle = _bundle(folder, rng)
    path = _file(bundle, rng)
    replace(path, flipped(path.read_bytes(), rng))
    manifest = sha256_hex(_remanifested(bundle))
    links = [
        altered(link, body={**link.body, "manifest": manifest}) if link.body.get("name") == bundle.name else link
        for link in links_of(folder)
    ]
    body = {**links[0].body, "key": signer.verifier.fingerprint, "public_key": signer.verifier.pem.decode()}
    links = _rechained([altered(links[0], body=body), *links[1:]])
    heads = [signed_head(signer, link, serial=n, time_utc=link.time_utc) for n, link in enumerate(links, start=1)]
    for link, head in zip(links, heads, strict=True):
        place = folder / "bundles" / str(link.body.get("name"))
        if link.kind is LinkKind.BUNDLE and place.is_dir():
            replace(place / SEAL, seal(link, head, signer.verifier))
    _write_lines(folder / CHAIN, [link.line() for link in links])
    _write_lines(folder / HEADS, [head.line() for head in heads])
    replace(folder / PUBLIC, signer.verifier.pem)


@attack(Kind.BUNDLE_MISSING)
def delete_a_bundle(folder: Path, rng: random.Random, grounds: Grounds) -> None:  # noqa: D103
    shutil.rmtree(_bundle(folder, rng))


@attack(Kind.BUNDLE_SWAPPED)
def exchange_two_bundles(folder: Path, rng: random.Random, grounds: Grounds) -> None:  # noqa: D103
    one, other = rng.sample(bundles_of(folder), 2)
    aside = folder / "bundles" / "aside"
    one.rename(aside)
    other.rename(one)
    aside.rename(other)


@attack(Kind.BUNDLE_ADDED)
def copy_a_bundle(folder: Path, rng: random.Random, grounds: Grounds) -> None:  # noqa: D103
    bundle = _bundle(folder, rng)
    shutil.copytree(bundle, bundle.with_name(f"000999-{bundle.name[7:]}"))


@attack(Kind.BUNDLE_ADDED)
def add_a_bundle_without_a_seal(folder: Path, rng: random.Random, grounds: Grounds) -> None:  # noqa: D103
    bundle = _bundle(folder, rng)
    forged = bundle.with_name(f"000998-{bundle.name[7:]}")
    shutil.copytree(bundle, forged, ignore=shutil.ignore_patterns(SEAL))


@attack(Kind.BUNDLE_MISSING)
def rename_a_bundle(folder: Path, rng: random.Random, grounds: Grounds) -> None:  # noqa: D103
    bundle = _bundle(folder, rng)
    bundle.rename(bundle.with_name(f"000997-{bundle.name[7:]}"))


@attack(Kind.BUNDLE_ADDED)
def put_an_expired_bundle_back(folder: Path, rng: random.Random, grounds: Grounds) -> None:  # noqa: D103
    name = next(link.body["name"] for link in links_of(grounds.vault) if link.number == _expired(grounds))
    shutil.copytree(grounds.expired, folder / "bundles" / str(name))
    if rng.random() < 0.5:
        path = _file(folder / "bundles" / str(name), rng)
        replace(path, flipped(path.read_bytes(), rng))


def _expired(grounds: Grounds) -> int:
    return next(
        int(link.body["bundle"])
        for link in links_of(grounds.vault)
        if link.kind is LinkKind.EXPIRED and link.body["scope"] == "bundle"
    )


@attack(Kind.SEAL_CHANGED)
def change_a_seal(folder: Path, rng: random.Random, grounds: Grounds) -> None:  # noqa: D103
    path = _bundle(folder, rng) / SEAL
    replace(path, flipped(path.read_bytes(), rng))


@attack(Kind.SEAL_CHANGED)
def give_a_bundle_the_seal_of_another(folder: Path, rng: random.Random, grounds: Grounds) -> None:  # noqa: D103
    one, other = rng.sample(bundles_of(folder), 2)
    replace(one / SEAL, (other / SEAL).read_bytes())


@attack(Kind.SEAL_CHANGED)
def move_a_signed_deletion_to_another_bundle(folder: Path, rng: random.Random, grounds: Grounds) -> None:
    """The films of one bundle expired; its proof is put into another to excuse the loss of that one's films."""
    bundles = bundles_of(folder)
    proof = next(bundle / EXPIRY for bundle in bundles if (bundle / EXPIRY).exists())
    victim = rng.choice([bundle for bundle in bundles if bundle != proof.parent])
    for path in victim.glob("*.mp4"):
        path.unlink()
    replace(victim / EXPIRY, proof.read_bytes())


@attack(Kind.LINK_CHANGED, Kind.TORN, Kind.LINK_DUPLICATED, Kind.LINK_REORDERED)
def flip_a_bit_of_the_chain(folder: Path, rng: random.Random, grounds: Grounds) -> None:  # noqa: D103
    replace(folder / CHAIN, flipped((folder / CHAIN).read_bytes(), rng))


@attack(Kind.LINK_CHANGED)
def write_a_line_of_the_chain_otherwise(folder: Path, rng: random.Random, grounds: Grounds) -> None:  # noqa: D103
    lines = _lines(folder / CHAIN)
    at = rng.randrange(len(lines))
    lines[at] = rng.choice([lines[at] + b" ", lines[at] + b"\r", json.dumps(json.loads(lines[at])).encode(), b""])
    _write_lines(folder / CHAIN, lines)


@attack(Kind.LINK_REMOVED)
def take_a_line_out_of_the_chain(folder: Path, rng: random.Random, grounds: Grounds) -> None:  # noqa: D103
    lines = _lines(folder / CHAIN)
    lines.pop(rng.randrange(len(lines) - 1))
    _write_lines(folder / CHAIN, lines)


@attack(Kind.LINK_CHANGED)
def take_a_link_out_and_join_the_rest(folder: Path, rng: random.Random, grounds: Grounds) -> None:  # noqa: D103
    links = links_of(folder)
    links.pop(rng.randrange(1, len(links) - 1))
    _write_lines(folder / CHAIN, [link.line() for link in _rechained(links)])


@attack(Kind.LINK_REORDERED)
def exchange_two_lines_of_the_chain(folder: Path, rng: random.Random, grounds: Grounds) -> None:  # noqa: D103
    lines = _lines(folder / CHAIN)
    a, b = rng.sample(range(len(lines)), 2)
    lines[a], lines[b] = lines[b], lines[a]
    _write_lines(folder / CHAIN, lines)


@attack(Kind.LINK_DUPLICATED)
def write_a_line_of_the_chain_twice(folder: Path, rng: random.Random, grounds: Grounds) -> None:  # noqa: D103
    lines = _lines(folder / CHAIN)
    lines.insert(rng.randrange(len(lines) + 1), rng.choice(lines))
    _write_lines(folder / CHAIN, lines)


@attack(Kind.LINK_UNSIGNED)
def say_that_a_deleted_bundle_expired(folder: Path, rng: random.Random, grounds: Grounds) -> None:  # noqa: D103
    links, bundle = links_of(folder), _bundle(folder, rng)
    number = next(link.number for link in links if link.body.get("name") == bundle.name)
    body = {"bundle": number, "scope": "bundle", "files": sorted(os.listdir(bundle)), "by": "retention", "why": "old"}
    forged = Link(links[-1].number + 1, LinkKind.EXPIRED, links[-1].time_utc, links[-1].hash, body)
    shutil.rmtree(bundle)
    _write_lines(folder / CHAIN, [link.line() for link in [*links, forged]])


@attack(Kind.HEAD_FORGED)
def add_a_link_with_a_head_of_another_key(folder: Path, rng: random.Random, grounds: Grounds) -> None:  # noqa: D103
    links, heads = links_of(folder), heads_of(folder)
    body = {"bundle": 2, "by": "ann", "why": "forged"}
    forged = Link(links[-1].number + 1, LinkKind.HELD, links[-1].time_utc, links[-1].hash, body)
    head = signed_head(grounds.stranger, forged, serial=heads[-1].serial + 1, time_utc=forged.time_utc)
    if rng.random() < 0.5:
        head = altered(head, key=grounds.key.fingerprint)
    _write_lines(folder / CHAIN, [link.line() for link in [*links, forged]])
    _write_lines(folder / HEADS, [head.line() for head in [*heads, head]])


@attack(Kind.LINK_CHANGED)
def change_what_a_link_says(folder: Path, rng: random.Random, grounds: Grounds) -> None:  # noqa: D103
    links = links_of(folder)
    at = rng.randrange(len(links))
    changed = rng.choice([
        altered(links[at], time_utc="2026-11-02T00:00:00.000Z"),
        altered(links[at], body={**links[at].body, "by": "carl"}),
        altered(links[at], body={**links[at].body, "run_id": "other"}),
        altered(links[at], kind=LinkKind.RELEASED if links[at].kind is not LinkKind.RELEASED else LinkKind.HELD),
    ])  # fmt: skip
    links[at] = changed
    _write_lines(folder / CHAIN, [link.line() for link in (_rechained(links) if rng.random() < 0.5 else links)])


@attack(Kind.CUT_OFF)
def cut_links_off_the_end(folder: Path, rng: random.Random, grounds: Grounds) -> None:  # noqa: D103
    lines = _lines(folder / CHAIN)
    _write_lines(folder / CHAIN, lines[: -rng.randint(1, len(lines) - 1)])


@attack(Kind.TORN, Kind.CUT_OFF)
def cut_the_chain_at_a_byte(folder: Path, rng: random.Random, grounds: Grounds) -> None:  # noqa: D103
    content = (folder / CHAIN).read_bytes()
    replace(folder / CHAIN, content[: rng.randrange(len(content))])


@attack(Kind.CUT_OFF)
def delete_the_chain(folder: Path, rng: random.Random, grounds: Grounds) -> None:  # noqa: D103
    (folder / CHAIN).unlink()


@attack(Kind.CUT_OFF, needs_kept=True)
def cut_links_and_heads_and_bundles_off(folder: Path, rng: random.Random, grounds: Grounds) -> None:  # noqa: D103
    links, heads = links_of(folder), heads_of(folder)
    expiries = [link.number for link in links if link.kind is LinkKind.EXPIRED]
    left = rng.randint(max(expiries), len(links) - 1)
    for link in links[left:]:
        shutil.rmtree(folder / "bundles" / str(link.body.get("name", "none")), ignore_errors=True)
    _write_lines(folder / CHAIN, [link.line() for link in links[:left]])
    _write_lines(folder / HEADS, [head.line() for head in heads if head.count <= left])


@attack(Kind.LINK_REMOVED, Kind.BUNDLE_ADDED)
def cut_links_and_heads_off_but_leave_the_bundles(folder: Path, rng: random.Random, grounds: Grounds) -> None:  # noqa: D103
    links, heads = links_of(folder), heads_of(folder)
    left = rng.randint(1, max(link.number for link in links if link.kind is LinkKind.BUNDLE) - 1)
    _write_lines(folder / CHAIN, [link.line() for link in links[:left]])
    _write_lines(folder / HEADS, [head.line() for head in heads if head.count <= left])


@attack(Kind.CUT_OFF, needs_kept=True)
def put_an_older_copy_of_everything_back(folder: Path, rng: random.Random, grounds: Grounds) -> None:  # noqa: D103
    shutil.rmtree(folder)
    shutil.copytree(grounds.older, folder, copy_function=os.link)


@attack(Kind.HEAD_CHANGED, Kind.HEAD_FORGED, Kind.TORN)
def flip_a_bit_of_a_head(folder: Path, rng: random.Random, grounds: Grounds) -> None:  # noqa: D103
    replace(folder / HEADS, flipped((folder / HEADS).read_bytes(), rng))


@attack(Kind.HEAD_FORGED)
def change_what_a_head_says(folder: Path, rng: random.Random, grounds: Grounds) -> None:  # noqa: D103
    heads = heads_of(folder)
    at = rng.randrange(len(heads))
    head = heads[at]
    forged: list[Head] = [
        altered(head, count=head.count + 1),
        altered(head, hash="0" * 64),
        altered(head, time_utc="2027-01-01T00:00:00.000Z"),
        altered(head, serial=head.serial + 1),
        altered(head, signature=heads[at - 1].signature),
        altered(head, signature=head.signature.rstrip("=")),
    ]
    heads[at] = rng.choice(forged)
    _write_lines(folder / HEADS, [head.line() for head in heads])


@attack(Kind.HEAD_REMOVED)
def take_a_head_out(folder: Path, rng: random.Random, grounds: Grounds) -> None:  # noqa: D103
    lines = _lines(folder / HEADS)
    lines.pop(rng.randrange(len(lines) - 1))
    _write_lines(folder / HEADS, lines)


@attack(Kind.HEAD_REMOVED, Kind.LINK_UNSIGNED)
def cut_heads_off_the_end(folder: Path, rng: random.Random, grounds: Grounds) -> None:  # noqa: D103
    lines = _lines(folder / HEADS)
    _write_lines(folder / HEADS, lines[: -rng.randint(1, len(lines))])


@attack(Kind.HEAD_REPLAYED)
def play_an_older_head_again(folder: Path, rng: random.Random, grounds: Grounds) -> None:  # noqa: D103
    lines = _lines(folder / HEADS)
    older = rng.choice(lines)
    _write_lines(
        folder / HEADS, [*lines[: len(lines) - rng.randint(0, 1)], older] if older != lines[-1] else [*lines, older]
    )


@attack(Kind.HEAD_REPLAYED)
def exchange_two_heads(folder: Path, rng: random.Random, grounds: Grounds) -> None:  # noqa: D103
    lines = _lines(folder / HEADS)
    a, b = rng.sample(range(len(lines)), 2)
    lines[a], lines[b] = lines[b], lines[a]
    _write_lines(folder / HEADS, lines)


@attack(Kind.HEAD_REMOVED)
def delete_the_heads(folder: Path, rng: random.Random, grounds: Grounds) -> None:  # noqa: D103
    (folder / HEADS).unlink()


@attack(Kind.KEY_CHANGED)
def change_the_public_key(folder: Path, rng: random.Random, grounds: Grounds) -> None:  # noqa: D103
    pem = (folder / PUBLIC).read_bytes()
    replace(folder / PUBLIC, rng.choice([grounds.stranger.verifier.pem, flipped(pem, rng), b""]))


@attack(Kind.FILE_CHANGED)
def change_the_readme(folder: Path, rng: random.Random, grounds: Grounds) -> None:  # noqa: D103
    replace(folder / README, flipped((folder / README).read_bytes(), rng))
