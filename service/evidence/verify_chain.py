"""Is the chain the one that was signed? Works on the bytes alone, and trusts nothing but the public key."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from service.evidence.chain import CHAIN, FIRST, HEADS, Head, Link, lines_of, read_head, read_link
from service.evidence.issues import Issue, Kind
from service.evidence.keys import Verifier


@dataclass(slots=True)
class ChainReport:
    """What was found of a chain.

    Attributes:
        links: links that a valid head vouches for, by number.
        heads: valid heads, in the order of the file.
    """

    links: dict[int, Link] = field(default_factory=dict)
    heads: list[Head] = field(default_factory=list)
    issues: list[Issue] = field(default_factory=list)

    def say(self, kind: Kind, where: str, text: str) -> None:
        """Notes an issue."""
        self.issues.append(Issue(kind, where, text))


def check_chain(chain: bytes | None, heads: bytes | None, verifier: Verifier, kept: Sequence[Head] = ()) -> ChainReport:
    """Checks links against heads, heads against the key, and both against heads that were kept elsewhere.

    Args:
        chain: content of `chain.jsonl`, None if it is gone.
        heads: content of `heads.jsonl`, None if it is gone.
        kept: heads that somebody else kept, signatures already checked.
    """
    report = ChainReport()
    vouched = _check_heads(report, heads, verifier)
    found = _read_links(report, chain)
    _check_links(report, found, vouched)
    last = max((link.number for link in found), default=0)
    most = max(vouched, default=0)
    if most > last:
        report.say(Kind.CUT_OFF, CHAIN, f"{_count(last)}, but a signed head counts {most}: {_cut(last, most)} cut off")
    _check_kept(report, last, most, kept)
    return report


def _check_heads(report: ChainReport, content: bytes | None, verifier: Verifier) -> dict[int, str]:
    """Hash of the last link for each count that a valid head signs."""
    if content is None:
        report.say(Kind.HEAD_REMOVED, HEADS, f"{HEADS} is missing: nothing signed is left")
        return {}
    lines, rest = lines_of(content)
    if rest:
        report.say(Kind.TORN, HEADS, f"{HEADS} ends in the middle of line {len(lines) + 1}")
    unread: set[int] = set()
    for at, line in enumerate(lines, start=1):
        head = read_head(line)
        if head is None:
            report.say(Kind.HEAD_CHANGED, f"{HEADS}:{at}", f"line {at} of {HEADS} is not what was written")
        elif not head.is_signed_by(verifier):
            whose = "another key signed it" if head.key != verifier.fingerprint else "its signature is wrong"
            report.say(Kind.HEAD_FORGED, f"{HEADS}:{at}", f"head {head.serial} (line {at}) is forged: {whose}")
        else:
            report.heads.append(head)
            continue
        unread.add(at)
    again, moved, gone = _sequence([head.serial for head in report.heads])
    for serial in again + moved:
        report.say(Kind.HEAD_REPLAYED, HEADS, f"head {serial} stands there again or in another place")
    for serial in sorted(gone - unread):
        report.say(Kind.HEAD_REMOVED, HEADS, f"head {serial} is missing from between others")
    vouched: dict[int, str] = {}
    for head in report.heads:
        if vouched.setdefault(head.count, head.hash) != head.hash:
            report.say(Kind.FORKED, HEADS, f"two different chains of {head.count} links were signed with this key")
    return vouched


def _read_links(report: ChainReport, content: bytes | None) -> list[Link]:
    if content is None:
        report.say(Kind.CUT_OFF, CHAIN, f"{CHAIN} is missing")
        return []
    lines, rest = lines_of(content)
    if rest:
        report.say(Kind.TORN, CHAIN, f"{CHAIN} ends in the middle of line {len(lines) + 1}")
    found: list[Link] = []
    unread: set[int] = set()
    for at, line in enumerate(lines, start=1):
        link = read_link(line)
        if link is None:
            report.say(Kind.LINK_CHANGED, f"{CHAIN}:{at}", f"line {at} of {CHAIN} is not what was written")
            unread.add(at)
        else:
            found.append(link)
    again, moved, gone = _sequence([link.number for link in found])
    for number in again:
        report.say(Kind.LINK_DUPLICATED, f"link {number}", f"link {number} stands in the chain twice")
    for number in moved:
        report.say(Kind.LINK_REORDERED, f"link {number}", f"link {number} stands in another place than it was written")
    for number in sorted(gone - unread):
        report.say(Kind.LINK_REMOVED, f"link {number}", f"link {number} was taken out of the chain")
    return found


def _check_links(report: ChainReport, found: Sequence[Link], vouched: dict[int, str]) -> None:
    """Walks back from the end: a link stands if a head signs its hash, or a link that stands names it."""
    wanted: dict[int, str] = dict(vouched)
    for link in sorted(found, key=lambda link: -link.number):
        hash_wanted = wanted.get(link.number)
        if link.number in report.links and report.links[link.number] == link:
            continue
        if hash_wanted is None:
            text = f"link {link.number} ({link.kind.value}) was added without the key: no signed head covers it"
            report.say(Kind.LINK_UNSIGNED, f"link {link.number}", text)
        elif link.hash != hash_wanted:
            text = f"link {link.number} ({link.kind.value}) was changed: its hash is not the one that was signed"
            report.say(Kind.LINK_CHANGED, f"link {link.number}", text)
        elif link.number == 1 and link.previous != FIRST:
            report.say(Kind.LINK_CHANGED, "link 1", "link 1 names a link before it")
        else:
            report.links[link.number] = link
            wanted.setdefault(link.number - 1, link.previous)


def _check_kept(report: ChainReport, last: int, most: int, kept: Sequence[Head]) -> None:
    newest = report.heads[-1].serial if report.heads else 0
    for head in kept:
        link = report.links.get(head.count)
        if head.count > max(last, most):
            text = f"{_count(last)}, but the head kept of {head.time_utc} counts {head.count}: {_cut(last, head.count)} cut off"
            report.say(Kind.CUT_OFF, CHAIN, text)
        elif link is not None and link.hash != head.hash:
            report.say(
                Kind.FORKED, f"link {head.count}", f"the chain differs from the one of the head kept of {head.time_utc}"
            )
        elif head.serial > newest:
            text = f"the heads end at {newest}, but the one kept of {head.time_utc} is number {head.serial}"
            report.say(Kind.HEAD_REMOVED, HEADS, text)


def _sequence(numbers: Sequence[int]) -> tuple[list[int], list[int], set[int]]:
    """Numbers that stand there twice, those out of order, and those missing up to the largest."""
    again = [number for number, times in Counter(numbers).items() if times > 1]
    moved, most, seen = [], 0, set[int]()
    for number in numbers:
        if number < most and number not in seen:
            moved.append(number)
        seen.add(number)
        most = max(most, number)
    return again, moved, set(range(1, min(most, len(numbers) * 2 + 1000) + 1)) - set(numbers)


def _count(links: int) -> str:
    return f"the chain has {links} link{'' if links == 1 else 's'}"


def _cut(last: int, most: int) -> str:
    return f"link {most} is" if most == last + 1 else f"links {last + 1} to {most} are"
