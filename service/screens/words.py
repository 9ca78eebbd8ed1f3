"""How numbers and names are written for people."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any


def recorded(about: Mapping[str, Any]) -> str:
    """When a recording was made and who says so, from `run.json`."""
    at, by = about.get("recorded_utc"), about.get("recorded_by") or "nobody said when it was recorded"
    return f"recorded {at[:19].replace('T', ' ')} UTC ({by})" if at else f"time of the recording not known ({by})"


def in_utc(at: str) -> str:
    """A time with its offset, as people write it and the queue keeps it, on the one clock of all screens.

    >>> in_utc("2026-11-20T22:00:00-05:00")
    '2026-11-21 03:00:00 UTC'
    """
    return f"{datetime.fromisoformat(at).astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def played(about: Mapping[str, Any], seconds: float) -> str:
    """When a moment of a recording was played, from `run.json`; "" where nobody knows when it was made.

    >>> played({"recorded_utc": "2026-11-21T03:00:00.000Z"}, 83.4), played({}, 83.4)
    ('2026-11-21 03:01:23 UTC', '')
    """
    at = about.get("recorded_utc")
    if not at:
        return ""
    return f"{datetime.fromisoformat(at).astimezone(UTC) + timedelta(seconds=seconds):%Y-%m-%d %H:%M:%S} UTC"


def clock(seconds: float) -> str:
    """Capture time as minutes and seconds, with hours where there are any.

    >>> clock(83.4), clock(3725)
    ('1:23', '1:02:05')
    """
    whole = int(seconds)
    hours, minutes = divmod(whole // 60, 60)
    return f"{hours}:{minutes:02d}:{whole % 60:02d}" if hours else f"{minutes}:{whole % 60:02d}"


def utc(stamp: str) -> str:
    """A moment of the store to the second, still in UTC.

    >>> utc("2026-11-26T09:13:55.040Z")
    '2026-11-26 09:13:55'
    """
    return stamp[:19].replace("T", " ")


def dollars(cents: int | None) -> str:
    """An amount in dollars, cents only where there are any.

    >>> dollars(1500), dollars(-750), dollars(None)
    ('$15', '−$7.50', 'unknown')
    """
    if cents is None:
        return "unknown"
    whole, rest = divmod(abs(cents), 100)
    return f"{'−' if cents < 0 else ''}${whole:,}" + (f".{rest:02d}" if rest else "")


def counted(count: int, word: str) -> str:
    """A number with its word.

    >>> counted(1, "round"), counted(3, "round")
    ('1 round', '3 rounds')
    """
    return f"{count} {word}" + ("" if count == 1 else "s")


def section(citation: str) -> str:
    """A citation without the code's name.

    >>> section("58 Pa. Code § 669a.11(e)")
    '§ 669a.11(e)'
    """
    return "§" + citation.partition("§")[2] if "§" in citation else citation


AREA_WORDS = {
    "cards": "cards", "ante": "Ante", "blind": "Blind", "play": "Play", "pair_plus": "Pair Plus",
    "six_card_bonus": "Six Card Bonus", "progressive": "Progressive", "4th": "4th Street", "5th": "5th Street",
    "6th": "6th Street", "tray": "table inventory container", "shoe": "shoe", "discard_rack": "discard rack",
}  # fmt: skip


def area(name: str) -> str:
    """A layout area in the trade's words.

    >>> area("seat3.ante"), area("community.4th"), area("discard_rack")
    ('seat 3, Ante', '4th Street', 'discard rack')
    """
    head, _, tail = name.rpartition(".")
    word = AREA_WORDS.get(tail, tail.replace("_", " "))
    return f"seat {head[4:]}, {word}" if head.startswith("seat") else word


CARD_SUITS = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}


def card(name: str | None) -> str:
    """A card with its suit's sign.

    >>> card("Td"), card("Jo"), card(None)
    ('T♦', 'joker', '?')
    """
    if name is None:
        return "?"
    return "joker" if name == "Jo" else name[0] + CARD_SUITS[name[1]]


def event(raw: Mapping[str, Any]) -> tuple[str, str]:
    """An event's kind and what it says, for a list.

    >>> event({"kind": "card_turned", "area": "community.4th", "face": "up", "card": "Td"})
    ('card turned', '4th Street · T♦')
    """
    said = [area(str(raw["area"]))] if raw.get("area") else []
    if raw.get("card"):
        said.append(card(raw["card"]))
    elif raw["kind"] in ("card_placed", "card_turned"):
        said.append(f"face {raw['face']}")
    if "amount_cents" in raw:
        said.append(dollars(raw["amount_cents"]))
    if raw["kind"] in ("hand_over", "wager_removed") and (raw.get("side") or raw.get("by")):
        said.append(str(raw.get("side") or raw.get("by")))
    return str(raw["kind"]).replace("_", " "), " · ".join(said)


def title(finding: Mapping[str, Any]) -> str:
    """A finding in a line: where, and what was seen.

    >>> title({"area": "seat3.ante", "seat": 3, "seen": "paid $10"})
    'Seat 3, Ante: paid $10'
    >>> title({"area": None, "seat": None, "seen": "wagers were settled"})
    'Wagers were settled'
    """
    place = area(finding["area"]) if finding["area"] else f"seat {finding['seat']}" if finding["seat"] else ""
    said = f"{place}: {finding['seen']}" if place else str(finding["seen"])
    return said[:1].upper() + said[1:]
