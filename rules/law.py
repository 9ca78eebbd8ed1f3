"""What each chapter allows a table to be, and its sentences: read from `rules/data/law_*.yaml`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from rules.dated import file_of_day, law_day, load_data, load_file

GAMES: tuple[str, ...] = tuple(load_data("games.yaml")["games"])
"""The games a table may be configured for."""


@dataclass(frozen=True, slots=True)
class WagerLaw:
    """One wager of a game: `kind` is base, decision, optional, progressive or paytable_only."""

    name: str
    kind: str
    section: str
    paytables: tuple[str, ...] = ()
    units_cents: tuple[int, ...] = ()
    required: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """A switch for an ambiguous text: the values it may take, the default first, and the games it concerns.

    `house` marks a fact of the house that is no reading of the law. `refused` are values that no table file may set, each with
    the reason.
    """

    name: str
    values: tuple[str, ...]
    games: tuple[str, ...]
    text: str
    house: bool = False
    refused: Mapping[str, str] = field(default_factory=dict)

    @property
    def allowed(self) -> tuple[str, ...]:
        """The values that a table file may set."""
        return tuple(value for value in self.values if value not in self.refused)


@dataclass(frozen=True, slots=True)
class Ambiguity:
    """A text that can be read in more than one way: the question, the reading taken, and the switch, "" without one."""

    ambiguity_id: str
    paragraphs: str
    question: str
    default: str
    switch: str


@dataclass(frozen=True, slots=True)
class GameLaw:
    """The limits of one chapter, each with its section.

    Attributes:
        idle_emptied: where cards may not be left at an idle table (.5(f)).
        submission: what else a Rules Submission may and may not say; see `rules/submission.py`.
        other_cards: cards of no hand by the name of their area, e.g. {"six_cards": 3}.
        deal: by dealing method the destinations of the cards in their order: "seats" (one card to each seat in turn),
            "seats*5" (five to a seat before the next), "dealer", "community*3"; empty where the checks name it.
    """

    game: str
    chapter: str
    title: str
    max_seats: int
    seats_section: str
    max_decks_section: str
    two_decks_section: str
    dealing: Mapping[str, str]
    player_cards: int
    dealer_cards: int
    community_cards: int
    deck_cards: int
    wagers: Mapping[str, WagerLaw]
    wagers_section: str
    idle_emptied: tuple[str, ...]
    sentences: Mapping[str, str]
    submission: Mapping[str, Any]
    other_cards: Mapping[str, int] = field(default_factory=dict)
    deal: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def areas(self) -> tuple[str, ...]:
        """First words of the areas with cards of no player, e.g. ("community",) or ("dealer", "extra")."""
        counts = {"community": self.community_cards, "dealer": self.dealer_cards}
        return (*(name for name, count in counts.items() if count), *self.other_cards)

    @property
    def base(self) -> tuple[str, ...]:
        """The wagers a seat needs to be dealt in, e.g. ("ante", "blind")."""
        return tuple(wager.name for wager in self.wagers.values() if wager.kind == "base")

    @property
    def decision(self) -> str | None:
        """The wager made after the cards were seen ("play", "bet", "raise"), None in a game without one."""
        return next((wager.name for wager in self.wagers.values() if wager.kind == "decision"), None)

    def destinations(self, dealing: str) -> list[tuple[str, int]]:
        """The destinations of `deal` with a dealing method in their order, each with the cards that it gets at once."""
        items = (item.partition("*") for item in self.deal.get(dealing, ()))
        return [(group, int(count or 1)) for group, _, count in items]

    def discards(self, dealing: str) -> int:
        """Cards that come to the community's places with a dealing method and are racked again before play goes on, e.g. 1 (643a.10(b))."""
        dealt = sum(cards for group, cards in self.destinations(dealing) if group == "community")
        return max(0, dealt - self.community_cards)

    def cite(self, paragraph: str) -> str:
        """The full citation of a paragraph, e.g. ".11(e)" -> "58 Pa. Code § 669a.11(e)"."""
        return f"58 Pa. Code § {self.chapter}{paragraph}"


def game_law(game: str) -> GameLaw:
    """The limits of a game of `GAMES`, as they stand on the day set by `rules.dated.law_of`."""
    return _game_law(file_of_day(f"law_{game}", law_day()))


@cache
def _game_law(name: str) -> GameLaw:
    raw = load_file(name)
    wagers = {
        name: WagerLaw(
            name,
            item["kind"],
            item["section"],
            tuple(item.get("paytables", ())),
            tuple(item.get("units_cents", ())),
            bool(item.get("required", False)),
        )
        for name, item in raw["wagers"].items()
    }
    cards = raw["cards"]
    return GameLaw(
        game=raw["game"],
        chapter=raw["chapter"],
        title=raw["title"],
        max_seats=raw["max_seats"]["value"],
        seats_section=raw["max_seats"]["section"],
        max_decks_section=raw["decks"]["section"],
        two_decks_section=raw["decks"]["two_with_shuffler"],
        dealing=raw["dealing"],
        player_cards=cards["player"],
        dealer_cards=cards["dealer"],
        community_cards=cards["community"],
        deck_cards=cards["deck"],
        wagers=wagers,
        wagers_section=raw["wagers_section"],
        idle_emptied=tuple(raw["idle_emptied"]),
        sentences=raw["sentences"],
        submission=raw["submission"],
        other_cards=cards.get("other", {}),
        deal={method: tuple(order) for method, order in raw.get("deal", {}).items()},
    )


@cache
def readings() -> Mapping[str, Reading]:
    """Every switch by its dotted name."""
    return {
        name: Reading(
            name=name,
            values=tuple(item["values"]),
            games=tuple(item.get("games", GAMES)),
            text=item["text"],
            house=bool(item.get("house", False)),
            refused=item.get("refused", {}),
        )
        for name, item in load_data("law_readings.yaml").items()
    }


@cache
def ambiguities() -> Mapping[str, Ambiguity]:
    """Every ambiguity by its name."""
    return {
        item["id"]: Ambiguity(item["id"], item["cite"], item["question"], item["default"], item.get("switch", ""))
        for item in load_data("ambiguities.yaml")
    }


def ambiguities_of(switch: str) -> tuple[str, ...]:
    """Names of the ambiguities that a switch decides."""
    return tuple(name for name, item in ambiguities().items() if item.switch == switch)


def render_readings() -> str:
    """The ambiguities and their switches as a page of documentation."""
    lines = [
        "# Readings",
        "",
        "Generated by `make docs` from `rules/data/ambiguities.yaml` and `rules/data/law_readings.yaml`. The first value of a",
        "switch is the reading taken unless `readings` in the table's file says otherwise. A breach that another reading of the",
        "text would not find names it and is a warning, never critical; switches marked *house* are facts of the house. A value marked",
        "*refused* would change nothing that can be judged: a table's file that sets it is refused with the reason.",
        "",
        "| name | paragraphs | question | reading taken | switch |",
        "|---|---|---|---|---|",
    ]
    for item in ambiguities().values():
        switch = readings().get(item.switch)
        values = _in_a_cell(switch) if switch else "none"
        lines.append(f"| {item.ambiguity_id} | {item.paragraphs} | {item.question} | {item.default} | {values} |")
    return "\n".join(lines) + "\n"


def _in_a_cell(switch: Reading) -> str:
    """A switch with its values, and why some are refused."""
    reasons = dict.fromkeys(switch.refused.values())
    refused = [
        f"*refused*: {', '.join(value for value in switch.refused if switch.refused[value] == why)}, for {why}"
        for why in reasons
    ]
    values = f"`{switch.name}`: {', '.join(switch.allowed)}{' (*house*)' if switch.house else ''}"
    return "; ".join([values, *refused])
