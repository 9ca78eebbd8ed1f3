"""What a Rules Submission of a game may say, as a form needs it: every choice with the section that sets it."""

from __future__ import annotations

from typing import Any

from calibration.layout import Layout, load_layout
from calibration.layout_file import layout_names
from rules.law import GAMES, GameLaw, WagerLaw, readings
from rules.paytables import game_paytables
from rules.table import CHIP_COLORS, DEFAULT_CHIPS
from service.tables.problems import known_game


def layouts_of(game: str) -> list[Layout]:
    """The layouts that come with Pitwatch for a game."""
    return [layout for layout in map(load_layout, layout_names()) if layout.game == game]


def games() -> list[dict[str, str]]:
    """The games a table may be of."""
    return [
        {"game": law.game, "title": law.title, "chapter": f"58 Pa. Code Chapter {law.chapter}"}
        for law in map(known_game, GAMES)
    ]


def form_of(game: str) -> dict[str, Any]:
    """The limits of a game's chapter, as JSON values.

    Raises:
        ServiceError: there is no such game.
    """
    law = known_game(game)
    limits = law.submission
    boxes = limits["boxes"]
    payout = game_paytables(game).payout_limit
    return {
        "game": game,
        "title": law.title,
        "chapter": f"58 Pa. Code Chapter {law.chapter}",
        "dealing": [{"value": name, "section": section} for name, section in law.dealing.items()],
        "hand_needs_shuffler": f"{law.dealing['hand']}(a)(1)",
        "seats": {"most": law.max_seats, "section": law.seats_section},
        "decks": {"most": 2, "section": law.max_decks_section, "two_with_shuffler": law.two_decks_section},
        "wagers": [_wager(law, wager) for wager in law.wagers.values() if wager.paytables],
        "wagers_section": law.wagers_section,
        "boxes": {"most": boxes.get("most") or law.max_seats, "section": boxes["section"]},
        "reshuffler": limits["reshuffler"],
        "systems": {name: dict(rule) for name, rule in limits.get("systems", {}).items()},
        "linked": _linked(law),
        "hand_bonus_linked": limits.get("systems", {}).get("electronic_wagering", {}).get("section"),
        "one_of": dict(limits["one_of"]) if "one_of" in limits else None,
        "payout_limit": None if payout is None else {"least_cents": int(payout.least), "section": payout.citation.removeprefix("58 Pa. Code ")},
        "folded_hands_qualify": limits.get("folded_hands_qualify_progressive"),
        "layouts": [{"name": one.name, "seats": one.seats} for one in layouts_of(game)],
        "readings": [
            {"name": one.name, "values": list(one.allowed), "text": one.text, "house": one.house}
            for one in readings().values() if game in one.games and len(one.allowed) > 1
        ],
        "chips": {"colors": list(CHIP_COLORS), "default": dict(DEFAULT_CHIPS)},
    }  # fmt: skip


def _wager(law: GameLaw, wager: WagerLaw) -> dict[str, Any]:
    due = law.submission.get("units", {})
    return {
        "name": wager.name, "kind": wager.kind, "section": wager.section, "paytables": list(wager.paytables),
        "required": wager.required, "units_cents": list(wager.units_cents),
        "unit_of_paytable": {str(name): cents for name, cents in due.get("cents", {}).items()} if due.get("wager") == wager.name else {},
    }  # fmt: skip


def _linked(law: GameLaw) -> dict[str, Any] | None:
    if not any(wager.kind == "progressive" for wager in law.wagers.values()):
        return None
    rule = law.submission.get("linked", {})
    return {
        "section": rule.get("section", ""), "forbidden": {n: [str(t) for t in f] for n, f in rule.get("forbidden", {}).items()},
    }  # fmt: skip
