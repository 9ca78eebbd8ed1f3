"""What a Rules Submission may say beside dealing, seats, decks and paytables, and the areas its layout must have.

The limits are data under `submission` in `law_<game>.yaml`, each with its section.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Protocol

from rules.law import GameLaw
from rules.money import MOST_CENTS, Cents, Odds
from rules.paytables import game_paytables

KEYS = (
    "adjacent_boxes", "progressive_linked", "progressive_system", "electronic_wagering", "payout_limit_cents",
    "minimum_wager_cents", "folded_hands_qualify_progressive", "five_card_hand_bonus_linked",
)  # fmt: skip
"""Keys of `rules_submission` that are read here."""
HAND_BONUS = "five_card_hand_bonus"
SHUFFLER_KEYS = ("automated", "counts_cards", "reshuffles", "approval")


class Reader(Protocol):
    """What the reader of a table file offers."""

    def fail(self, key: str, text: str) -> Exception:
        """The error to raise."""

    def whole(self, raw: object, key: str, low: int, high: int, section: str = "") -> int:
        """A whole number within limits."""

    def flag(self, raw: object, key: str) -> bool:
        """True or false."""

    def text(self, raw: object, key: str) -> str:
        """A text that is not empty."""


def read_shuffler(reader: Reader, raw: Mapping[str, Any], at: str, law: GameLaw, *, automated: bool) -> bool:
    """Whether an approved device reshuffles by itself (.5(g)).

    Raises:
        TableConfigError: it does without an approval, or without a shuffler.
    """
    reshuffles = reader.flag(raw.get("reshuffles", False), f"{at}.reshuffles")
    approval = raw.get("approval")
    if approval is not None:
        reader.text(approval, f"{at}.approval")
    section = law.submission["reshuffler"]
    if reshuffles and not automated:
        raise reader.fail(f"{at}.reshuffles", f"only an automated device reshuffles ({section}); set automated: true")
    if reshuffles and approval is None:
        raise reader.fail(f"{at}.approval", f"is missing; a device that reshuffles must be approved ({section})")
    return reshuffles


def read_rest(
    reader: Reader,
    doc: Mapping[str, Any],
    at: str,
    law: GameLaw,
    paytables: Mapping[str, str],
    readings: Mapping[str, str],
) -> dict[str, Any]:
    """The keys of `KEYS`, checked against the chapter.

    Args:
        reader: reads single values and makes the errors.
        doc: the Rules Submission as parsed.
        at: its key, which stands in front of every error.
        law: the chapter.
        paytables: wagers offered and their paytables, checked.
        readings: every switch with its value.

    Returns:
        Fields of `rules.table.TableConfig`.

    Raises:
        TableConfigError: something the chapter forbids, with its section.
    """
    limits = law.submission
    boxes = limits["boxes"]
    most = boxes.get("most") or law.max_seats
    adjacent = reader.whole(doc.get("adjacent_boxes", 1), f"{at}.adjacent_boxes", 1, most, boxes["section"])
    linked = _linked(reader, doc, at, law, paytables)
    for key, system in limits.get("systems", {}).items():
        needed = [name for name in system["for"] if name in paytables]
        if not reader.flag(doc.get(key, True), f"{at}.{key}") and needed:
            text = f"{needed[0]} needs it ({system['section']}); got false"
            raise reader.fail(f"{at}.{key}", text)
    for key in ("progressive_system", "electronic_wagering"):
        if key in doc and key not in limits.get("systems", {}):
            raise reader.fail(f"{at}.{key}", f"Chapter {law.chapter} knows no such system; leave it out")
    _one_of(reader, at, limits.get("one_of"), paytables, readings)
    _unit(reader, doc, at, limits.get("units"), paytables)
    minimum = doc.get("minimum_wager_cents")
    if minimum is not None:
        minimum = reader.whole(minimum, f"{at}.minimum_wager_cents", 1, MOST_CENTS)
    return {
        "adjacent_boxes": adjacent,
        "folded_qualify": _folded_qualify(reader, doc, at, law),
        "progressive_linked": linked,
        "hand_bonus_linked": _hand_bonus_linked(reader, doc, at, paytables),
        "minimum_wager_cents": minimum,
        "payout_limit_cents": _payout_limit(reader, doc, at, law, paytables, readings, minimum),
    }


def _linked(reader: Reader, doc: Mapping[str, Any], at: str, law: GameLaw, paytables: Mapping[str, str]) -> bool:
    """Whether other tables feed the Progressive's meters."""
    key = f"{at}.progressive_linked"
    if not reader.flag(doc.get("progressive_linked", False), key):
        return False
    if not any(w.kind == "progressive" and name != HAND_BONUS and name in paytables for name, w in law.wagers.items()):
        text = f"given, but no Progressive stands in rules_submission.paytables; a linked Five Card Hand Bonus is {HAND_BONUS}_linked"
        raise reader.fail(key, text)
    rule: Mapping[str, Any] = law.submission.get("linked", {"forbidden": {}})
    for wager, names in rule["forbidden"].items():
        if paytables.get(wager) in names:
            text = (
                f"paytable {paytables[wager]} of {wager} may not be selected for linked games ({rule['section']}); "
                f"choose one of {', '.join(n for n in law.wagers[wager].paytables if n not in names)}"
            )
            raise reader.fail(key, text)
    return True


def _hand_bonus_linked(reader: Reader, doc: Mapping[str, Any], at: str, paytables: Mapping[str, str]) -> bool:
    """Whether other tables feed the meter of the Five Card Hand Bonus, which is a system of its own (639a.2(d), 643a.2(e))."""
    key = f"{HAND_BONUS}_linked"
    linked = reader.flag(doc.get(key, False), f"{at}.{key}")
    if linked and HAND_BONUS not in paytables:
        raise reader.fail(f"{at}.{key}", f"given, but no {HAND_BONUS} stands in rules_submission.paytables")
    return linked


def _folded_qualify(reader: Reader, doc: Mapping[str, Any], at: str, law: GameLaw) -> bool | None:
    """The house's choice whether folded hands qualify for the Progressive, where the chapter leaves it to the house."""
    key = "folded_hands_qualify_progressive"
    if doc.get(key) is None:
        return None
    if key not in law.submission:
        raise reader.fail(f"{at}.{key}", f"Chapter {law.chapter} leaves no such choice; leave it out")
    return reader.flag(doc[key], f"{at}.{key}")


def _one_of(
    reader: Reader, at: str, rule: Mapping[str, Any] | None, paytables: Mapping[str, str], readings: Mapping[str, str]
) -> None:
    """Wagers of which at most one may be offered, unless the reading takes the text otherwise; or one only, as the house chose."""
    if rule is None or readings[rule["reading"]] == "both":
        return
    offered = [name for name in rule["wagers"] if name in paytables]
    chosen = readings[rule["reading"]]
    only = rule.get("only", {}).get(chosen)
    for name in offered if only is not None else ():
        if name != only:
            text = f"readings.{rule['reading']} is {chosen}, so that {only} alone may be offered ({rule['section']})"
            raise reader.fail(f"{at}.paytables.{name}", text)
    if len(offered) > 1:
        text = (
            f"{' and '.join(offered)} together; the layout and the system are for either of them ({rule['section']}); "
            f"offer one, or set readings.{rule['reading']}: both"
        )
        raise reader.fail(f"{at}.paytables", text)


def _unit(
    reader: Reader, doc: Mapping[str, Any], at: str, rule: Mapping[str, Any] | None, paytables: Mapping[str, str]
) -> None:
    """A paytable printed for one amount of the wager goes with that amount."""
    if rule is None or rule["wager"] not in paytables:
        return
    name = paytables[rule["wager"]]
    due, given = rule["cents"].get(name), doc.get("progressive_unit_cents")
    if due is not None and given is not None and given != due:
        text = f"paytable {name} is for a wager of {due} cents ({rule['section']}), got {given}"
        raise reader.fail(f"{at}.progressive_unit_cents", text)


def _payout_limit(
    reader: Reader,
    doc: Mapping[str, Any],
    at: str,
    law: GameLaw,
    paytables: Mapping[str, str],
    readings: Mapping[str, str],
    minimum: int | None,
) -> int | None:
    raw = doc.get("payout_limit_cents")
    if raw is None:
        return None
    key = f"{at}.payout_limit_cents"
    allowed, rule = game_paytables(law.game).payout_limit, law.submission.get("payout_limit")
    if allowed is None or rule is None:
        raise reader.fail(key, f"no section of Chapter {law.chapter} allows a payout limit; leave it out")
    least = int(allowed.least)
    if minimum is not None:
        best = 0
        for wager in allowed.wagers:
            for line in game_paytables(law.game).table(wager, paytables[wager]).lines:
                if isinstance(line.pay, Odds):
                    best = max(best, line.pay.winnings(Cents(minimum * rule["bets"])))
        stakes = minimum * rule["bets"] if readings[rule["reading"]] == "with_stake" else 0
        least = max(least, best + stakes)
    value = reader.whole(raw, key, 1, MOST_CENTS)
    if value < least:
        raise reader.fail(key, f"must be at least {least} (cents; {allowed.citation}), got {value}")
    return value


def missing_areas(
    law: GameLaw, seats: int, paytables: Collection[str], areas: Collection[str]
) -> list[tuple[str, str]]:
    """Areas that the chapter asks for and a layout does not have, with the section of each.

    Args:
        law: the chapter.
        seats: betting positions of the table.
        paytables: optional wagers offered.
        areas: names of the layout's areas, e.g. "seat1.ante".
    """
    missing = []
    for name, section in law.submission["areas"].items():
        wager = law.wagers[name]
        if wager.kind in ("base", "decision") or name in paytables:
            missing += [(f"seat{n}.{name}", section) for n in range(1, seats + 1) if f"seat{n}.{name}" not in areas]
    for section, names in law.submission["table_areas"].items():
        missing += [(name, section) for name in names if name not in areas]
    groups = {name.partition(".")[0] for name in areas}
    for item in law.submission.get("card_areas", ()):
        if "for" in item and item["for"] not in paytables:
            continue
        if "seat" in item:
            names = [f"seat{n}.{item['seat']}" for n in range(1, seats + 1) if f"seat{n}.{item['seat']}" not in areas]
        else:
            names = [name for name in item["areas"] if name not in groups]
        missing += [(name, item["section"]) for name in names]
    return missing
