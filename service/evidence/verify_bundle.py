"""Is a bundle the one that its link of the chain names?"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from service.evidence.bundle import EXPIRY, MANIFEST, NAME, SEAL, UNLISTED, seal
from service.evidence.canonical import pretty, sha256_hex
from service.evidence.chain import Head, Link, LinkKind, head_from_dict, link_from_dict
from service.evidence.issues import Issue, Kind
from service.evidence.keys import Verifier
from service.evidence.tree import Tree, read, sha256_in

Say = Callable[[Kind, str, str], None]


@dataclass(slots=True)
class BundleReport:
    """What was found of a bundle: its files that are as they were, and what is not."""

    files: int = 0
    size: int = 0
    issues: list[Issue] = field(default_factory=list)


def check_bundle(
    tree: Tree, prefix: str, link: Link, verifier: Verifier, *, gone: frozenset[str] = frozenset(),
    known: Mapping[str, int] | None = None,
) -> BundleReport:  # fmt: skip
    """Checks the files of a bundle against its manifest, and that and its seal against its link.

    Args:
        tree: where it lies.
        prefix: its folder in the tree with "/" at the end, "" if the tree is the bundle.
        link: by which it was stored, known to be genuine.
        gone: files that retention deleted.
        known: number of the link by the hash of its manifest, to tell whose manifest lies here.
    """
    report = BundleReport()
    where = str(link.body["name"])

    def say(kind: Kind, name: str, text: str) -> None:
        report.issues.append(
            Issue(kind, f"{where}/{name}" if name else where, f"bundle {link.number} ({where}): {text}")
        )

    manifest = read(tree, prefix + MANIFEST)
    listed = _listed(manifest)
    if manifest is None:
        say(Kind.FILE_MISSING, MANIFEST, f"{MANIFEST} is missing")
    elif sha256_hex(manifest) != link.body["manifest"]:
        whose = (known or {}).get(sha256_hex(manifest))
        if whose is not None:
            say(Kind.BUNDLE_SWAPPED, "", f"it holds the bundle of link {whose}")
        else:
            say(Kind.MANIFEST_CHANGED, MANIFEST, f"{MANIFEST} is not the one that was sealed")
    _check_files(tree, prefix, listed, gone | _expired(tree, prefix, link, verifier, say), say, report)
    content = read(tree, prefix + SEAL)
    head = _head_of(content)
    if content is None:
        say(Kind.FILE_MISSING, SEAL, f"{SEAL} is missing")
    elif head is None or not _fits(head, link, verifier) or content != seal(link, head, verifier):
        say(Kind.SEAL_CHANGED, SEAL, f"{SEAL} is not the one that was written")
    return report


def sealed_link(content: bytes | None, verifier: Verifier) -> Link | None:
    """The link in a seal, if the key vouches for it; None otherwise."""
    try:
        raw = json.loads(content or b"")
        link, head = link_from_dict(raw["link"]), head_from_dict(raw["head"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return link if link is not None and head is not None and _fits(head, link, verifier) else None


def _expired(tree: Tree, prefix: str, link: Link, verifier: Verifier, say: Say) -> frozenset[str]:
    """Files that retention deleted, by the signed link that lies in the bundle since."""
    content = read(tree, prefix + EXPIRY)
    if content is None:
        return frozenset()
    act, head = sealed_link(content, verifier), _head_of(content)
    if act is None or head is None or act.kind is not LinkKind.EXPIRED or act.body["bundle"] != link.number:
        say(Kind.SEAL_CHANGED, EXPIRY, f"{EXPIRY} holds no signed deletion of this bundle")
    elif content != seal(act, head, verifier):
        say(Kind.SEAL_CHANGED, EXPIRY, f"{EXPIRY} is not the one that was written")
    else:
        return frozenset(act.body["files"])
    return frozenset()


def _fits(head: Head, link: Link, verifier: Verifier) -> bool:
    return head.count == link.number and head.hash == link.hash and head.is_signed_by(verifier)


def _head_of(content: bytes | None) -> Head | None:
    try:
        return head_from_dict(json.loads(content or b"")["head"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def _listed(manifest: bytes | None) -> dict[str, tuple[int, str]]:
    """Size and hash of every file a manifest names; empty where it is none."""
    try:
        raw: Any = json.loads(manifest or b"{}")
        rows = {str(row["name"]): (int(row["size"]), str(row["sha256"])) for row in raw["files"]}
        return rows if pretty(raw) == manifest else {}
    except (ValueError, KeyError, TypeError, RecursionError):
        return {}


def _check_files(
    tree: Tree, prefix: str, listed: Mapping[str, tuple[int, str]], gone: frozenset[str], say: Say, report: BundleReport
) -> None:
    there = {name.removeprefix(prefix): size for name, size in tree.files.items() if name.startswith(prefix)}
    hashes = {name: sha256_in(tree, prefix + name) for name in there if name not in UNLISTED}
    added = {name for name in hashes if name not in listed}
    for name, (size, expected) in sorted(listed.items()):
        if not NAME.fullmatch(name):
            say(Kind.BAD_NAME, ascii(name)[1:-1], f"the manifest names {name!a}")
        elif name not in there:
            if name in gone:
                continue
            twin = next((other for other in sorted(added) if hashes[other] == expected), None)
            if twin is not None:
                added.discard(twin)
                say(Kind.FILE_RENAMED, name, f"{name} is called {twin} now")
            else:
                say(Kind.FILE_MISSING, name, f"{name} is missing")
        elif hashes.get(name) != expected:
            was = f", {size:,} bytes then, {there[name]:,} now" if there[name] != size else ""
            say(
                Kind.FILE_CHANGED,
                name,
                f"{name} was changed (SHA-256 {expected[:12]}… then, {hashes.get(name, '')[:12]}… now{was})",
            )
        else:
            report.files += 1
            report.size += size
    for name in sorted(added):
        say(Kind.FILE_ADDED, name, f"{name} does not belong to it")
    for name in sorted(name for name in tree.folders if name.startswith(prefix) and name != prefix.rstrip("/")):
        say(Kind.FILE_ADDED, name.removeprefix(prefix), f"the folder {name.removeprefix(prefix)} does not belong to it")
