"""`pitwatch verify`: what was changed, removed, reordered or cut off, offline, from the folder and the public key alone."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from service.evidence.bundle import MANIFEST, SEAL
from service.evidence.canonical import sha256_hex
from service.evidence.chain import BUNDLES, CHAIN, HEADS, PUBLIC, README, Head, Link, LinkKind, lines_of, read_head
from service.evidence.errors import EvidenceError
from service.evidence.index import Entry, Index, Scope
from service.evidence.issues import Issue, Kind
from service.evidence.keys import Verifier, read_public
from service.evidence.tree import FolderTree, Tree, ZipTree, read
from service.evidence.verify_bundle import check_bundle, sealed_link
from service.evidence.verify_chain import ChainReport, check_chain

TOP = (CHAIN, HEADS, PUBLIC, README)


@dataclass(slots=True)
class Report:
    """What a verification found.

    Attributes:
        what: "chain" for a whole vault, "bundle" for one bundle.
        key: fingerprint of the key that was used.
        key_given: whether it came from elsewhere; the folder's own key proves nothing against who could replace it.
        links, heads, bundles, files, size: how much was found to be as it was written.
        last_head: the newest genuine head.
        issues: what is not as it was written.
        notes: what a reader must know though nothing is wrong, such as what expired.
    """

    what: str
    key: str
    key_given: bool
    links: int = 0
    heads: int = 0
    bundles: int = 0
    files: int = 0
    size: int = 0
    last_head: Head | None = None
    issues: list[Issue] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def genuine(self) -> bool:
        """Whether everything is as it was written."""
        return not self.issues

    def text(self) -> str:
        """For people: the verdict first, then what is wrong, then what to know."""
        if self.genuine:
            verdict = (
                f"GENUINE: {self.bundles} bundles, {self.files} files, {self.links} links, {self.heads} signed heads"
            )
        else:
            verdict = f"NOT GENUINE: {len(self.issues)} {'thing is' if len(self.issues) == 1 else 'things are'} not as written"
        lines = [verdict, *(f"  {issue.kind.value}: {issue.text}" for issue in self.issues)]
        lines += [f"  note: {note}" for note in self.notes]
        if self.last_head is not None:
            head = self.last_head
            lines.append(f"  newest head: number {head.serial}, {head.count} links, signed {head.time_utc}")
        return "\n".join([*lines, f"  key: {self.key} ({'given' if self.key_given else 'not given'})"])

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "genuine": self.genuine, "what": self.what, "key": self.key, "key_given": self.key_given,
            "links": self.links, "heads": self.heads, "bundles": self.bundles, "files": self.files, "bytes": self.size,
            "last_head": self.last_head.to_dict() if self.last_head else None,
            "issues": [{"kind": i.kind.value, "where": i.where, "text": i.text} for i in self.issues],
            "notes": self.notes,
        }  # fmt: skip


def verify(path: Path, *, key: Verifier | None = None, kept: Sequence[Head] = ()) -> Report:
    """Verifies a vault or a bundle, as a folder or an archive.

    Args:
        path: what to verify.
        key: the public key, got from elsewhere; without it the one that lies there is used, and the report says so.
        kept: heads that were kept elsewhere: they show what was cut off together with its own heads.

    Raises:
        EvidenceError: there is nothing to verify, no key to verify it with, or a kept head is not genuine itself.
    """
    tree = open_tree(path)
    single = MANIFEST in tree.files or (SEAL in tree.files and CHAIN not in tree.files)
    if not single and not ({*TOP, BUNDLES} & ({*tree.files} | tree.folders)) and not (path.is_file() and tree.odd):
        raise EvidenceError("there is no evidence here", where=path, do="Give a folder with chain.jsonl, or a bundle")
    verifier = key or _own_key(tree, single)
    for head in kept:
        if not head.is_signed_by(verifier):
            raise EvidenceError(
                f"the kept head {head.serial} is not signed by this key",
                where=head.key,
                do="Give the key of that chain",
            )
    report = Report("bundle" if single else "chain", verifier.fingerprint, key is not None)
    report.issues += tree.odd
    if single:
        _verify_bundle(tree, verifier, report)
    else:
        _verify_vault(tree, verifier, kept, report)
    report.issues = sorted(set(report.issues))
    if key is None:
        report.notes.append("The key used is the folder's own. Give --key with one you got another way")
    return report


def open_tree(path: Path) -> Tree:
    """A folder or archive to be verified.

    Raises:
        EvidenceError: there is none.
    """
    if path.is_dir():
        return FolderTree(path)
    if path.is_file():
        return ZipTree(path)
    raise EvidenceError("there is no such folder or archive", where=path, do="Give the folder of the evidence")


def read_kept(path: Path) -> list[Head]:
    """Heads of a file that was kept elsewhere: one head, or a copy of `heads.jsonl`.

    Raises:
        EvidenceError: no such file, or no heads in it.
    """
    try:
        lines, rest = lines_of(path.read_bytes())
    except OSError as error:
        raise EvidenceError(f"the kept head cannot be read ({error.strerror})", where=path) from error
    heads = [read_head(line) for line in [*lines, rest] if line]
    good = [head for head in heads if head is not None]
    if not good or len(good) < len(heads):
        raise EvidenceError("this is no head of a chain", where=path, do="Give a line of heads.jsonl")
    return good


def _own_key(tree: Tree, single: bool) -> Verifier:
    pem = _pem_in_seal(tree) if single else read(tree, PUBLIC)
    if pem is None:
        raise EvidenceError("no public key lies here", where=tree.where, do="Give it with --key")
    return read_public(pem, where=tree.where)


def _pem_in_seal(tree: Tree) -> bytes | None:
    try:
        pem = json.loads(read(tree, SEAL) or b"")["public_key"]
        return pem.encode() if isinstance(pem, str) else None
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def _verify_bundle(tree: Tree, verifier: Verifier, report: Report) -> None:
    link = sealed_link(read(tree, SEAL), verifier)
    if link is None or link.kind is not LinkKind.BUNDLE:
        text = (
            f"{SEAL} is missing (a bundle of a review is sealed when a service takes it in)"
            if SEAL not in tree.files
            else f"{SEAL} holds no link that this key signed"
        )
        report.issues.append(Issue(Kind.SEAL_CHANGED, SEAL, text))
        return
    found = check_bundle(tree, "", link, verifier)
    report.issues += found.issues
    report.links, report.heads, report.bundles = 1, 1, int(not found.issues)
    report.files, report.size = found.files, found.size
    report.notes.append(
        f"Sealed as link {link.number} at {link.time_utc}. Whether it was held or expired later only the chain tells"
    )


def _verify_vault(tree: Tree, verifier: Verifier, kept: Sequence[Head], report: Report) -> None:
    chain = check_chain(read(tree, CHAIN), read(tree, HEADS), verifier, kept)
    report.issues += chain.issues
    report.links, report.heads = len(chain.links), len(chain.heads)
    report.last_head = max(chain.heads, key=lambda head: head.serial, default=None)
    _check_top(tree, verifier, chain, report)
    index = Index()
    index.take(chain.links[number] for number in sorted(chain.links))
    there = {name.split("/")[1] for name in {*tree.files, *tree.folders} if name.startswith(f"{BUNDLES}/")}
    manifests = {str(entry.link.body["manifest"]): number for number, entry in index.entries.items()}
    for entry in index.entries.values():
        _check_entry(tree, entry, entry.name in there, verifier, manifests, report)
    for name in sorted(there - {entry.name for entry in index.entries.values()}):
        _check_stranger(tree, name, verifier, chain, report)


def _check_entry(
    tree: Tree, entry: Entry, there: bool, verifier: Verifier, manifests: dict[str, int], report: Report
) -> None:
    number, expired = entry.link.number, entry.expired
    for scope, link in expired.items():
        what = "its films" if scope is Scope.CLIPS else "all of it"
        report.notes.append(
            f"bundle {number} ({entry.name}): {what} expired on {link.time_utc} by {link.body['by']} ({link.body['why']}), not missing"
        )
    if entry.held is not None:
        report.notes.append(
            f"bundle {number} ({entry.name}): held by {entry.held.body['by']} ({entry.held.body['why']})"
        )
    if not there:
        if Scope.BUNDLE not in expired:
            report.issues.append(Issue(Kind.BUNDLE_MISSING, entry.name, f"bundle {number} ({entry.name}) is missing"))
        return
    if Scope.BUNDLE in expired:
        report.issues.append(
            Issue(Kind.BUNDLE_ADDED, entry.name, f"bundle {number} ({entry.name}) had expired, but lies there again")
        )
        return
    found = check_bundle(tree, f"{BUNDLES}/{entry.name}/", entry.link, verifier, gone=entry.gone, known=manifests)
    report.issues += found.issues
    report.bundles += not found.issues
    report.files += found.files
    report.size += found.size


def _check_stranger(tree: Tree, name: str, verifier: Verifier, chain: ChainReport, report: Report) -> None:
    """A folder the chain does not name: a bundle that was slipped in, or one whose link was taken away."""
    link = sealed_link(read(tree, f"{BUNDLES}/{name}/{SEAL}"), verifier)
    if f"{BUNDLES}/{name}" in tree.files or link is None:
        text = f"{BUNDLES}/{name} does not belong here: no link of the chain names it"
    elif link.number in chain.links:
        text = f"{BUNDLES}/{name} is a copy of bundle {link.number} ({link.body['name']})"
    else:
        text = f"{BUNDLES}/{name} is genuine, but its link {link.number} was taken out of the chain or changed"
        report.issues.append(Issue(Kind.LINK_REMOVED, f"link {link.number}", text))
        return
    report.issues.append(Issue(Kind.BUNDLE_ADDED, name, text))


def _check_top(tree: Tree, verifier: Verifier, chain: ChainReport, report: Report) -> None:
    for name in sorted({*tree.files, *tree.folders}):
        if name not in TOP and name != BUNDLES and not name.startswith(f"{BUNDLES}/"):
            report.issues.append(Issue(Kind.FILE_ADDED, name, f"{name} does not belong here"))
    if read(tree, PUBLIC) != verifier.pem:
        report.issues.append(Issue(Kind.KEY_CHANGED, PUBLIC, f"{PUBLIC} is not the key of this chain"))
    opened: Link | None = chain.links.get(1)
    text = read(tree, README)
    if text is None:
        report.issues.append(Issue(Kind.FILE_MISSING, README, f"{README} is missing"))
    elif opened is not None and sha256_hex(text) != opened.body.get("readme"):
        report.issues.append(Issue(Kind.FILE_CHANGED, README, f"{README} was changed"))
