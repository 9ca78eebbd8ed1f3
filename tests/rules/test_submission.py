"""The rest of a Rules Submission, game by game: what each chapter refuses, with its section, and what it takes."""

from __future__ import annotations

from typing import Any

import pytest

from rules.law import GAMES, game_law
from rules.submission import missing_areas
from rules.table import TableConfig, TableConfigError

PAYTABLES: dict[str, dict[str, str]] = {
    "raise_it_up": {"pair_plus": "A"},
    "caribbean_stud": {"bonus": "A"},
    "let_it_ride": {"main": "A"},
    "dj_wild": {"trips": "04"},
}


def made(
    game: str, paytables: dict[str, str] | None = None, readings: dict[str, str] | None = None, **rules: Any
) -> TableConfig:
    chosen = {**PAYTABLES[game], **(paytables or {})}
    doc = {
        "version": 1, "table_id": "t", "game": game, "readings": readings or {},
        "rules_submission": {"dealing": "manual_shoe", "seats": 6, "paytables": chosen, **rules},
    }  # fmt: skip
    return TableConfig.from_mapping(doc, where="t.yaml")


DEVICE = {"automated": True, "counts_cards": True, "reshuffles": True}
REFUSED: list[tuple[str, dict[str, Any], list[str]]] = [
    ("raise_it_up", {"adjacent_boxes": 2}, ["adjacent_boxes", "§ 669a.7(e)", "2"]),
    ("caribbean_stud", {"adjacent_boxes": 0}, ["adjacent_boxes", "§ 639a.7(e)"]),
    ("let_it_ride", {"adjacent_boxes": 8}, ["adjacent_boxes", "§ 643a.7(l)"]),
    ("dj_wild", {"adjacent_boxes": 7}, ["adjacent_boxes", "§ 687a.7(e)"]),
    ("raise_it_up", {"payout_limit_cents": 10_000_000}, ["payout_limit_cents", "no section of Chapter 669a"]),
    ("caribbean_stud", {"payout_limit_cents": 10_000_000}, ["no section of Chapter 639a"]),
    ("dj_wild", {"payout_limit_cents": 10_000_000}, ["no section of Chapter 687a"]),
    ("let_it_ride", {"payout_limit_cents": 4_999_999}, ["payout_limit_cents", "§ 643a.12(h)", "5000000", "4999999"]),
    ("let_it_ride", {"payout_limit_cents": 7_499_999, "minimum_wager_cents": 2500}, ["7500000", "§ 643a.12(h)"]),
    ("let_it_ride", {"paytables": {"progressive3": "A", "progressive5": "A"}, "progressive_unit_cents": 100}, ["progressive3 and progressive5", "§ 643a.2(b)(7), (d)", "lir.progressive: both"]),
    ("raise_it_up", {"paytables": {"progressive": "A"}, "progressive_unit_cents": 200}, ["progressive_unit_cents", "100 or 500"]),
    ("dj_wild", {"paytables": {"progressive": "1"}, "progressive_unit_cents": 500}, ["§ 687a.12(c)", "100 cents", "500"]),
    ("dj_wild", {"paytables": {"progressive": "2"}, "progressive_unit_cents": 100}, ["§ 687a.12(c)", "500 cents"]),
    ("raise_it_up", {"paytables": {"progressive": "A"}, "progressive_unit_cents": 100, "progressive_system": False}, ["progressive_system", "§ 669a.2(c)"]),
    ("caribbean_stud", {"paytables": {"five_card_hand_bonus": "A"}, "electronic_wagering": False}, ["electronic_wagering", "§ 639a.2(d)"]),
    ("let_it_ride", {"paytables": {"five_card_hand_bonus": "A"}, "electronic_wagering": False}, ["§ 643a.2(e)"]),
    ("raise_it_up", {"electronic_wagering": False}, ["Chapter 669a knows no such system"]),
    ("raise_it_up", {"progressive_linked": True}, ["progressive_linked", "no Progressive"]),
    ("caribbean_stud", {"paytables": {"five_card_hand_bonus": "A"}, "progressive_linked": True}, ["no Progressive", "five_card_hand_bonus_linked"]),
    ("caribbean_stud", {"five_card_hand_bonus_linked": True}, ["five_card_hand_bonus_linked", "no five_card_hand_bonus"]),
    ("raise_it_up", {"shuffler": DEVICE}, ["shuffler.approval", "§ 669a.5(g)"]),
    ("dj_wild", {"shuffler": {"reshuffles": True, "approval": "GL-1"}}, ["shuffler.reshuffles", "§ 687a.5(g)"]),
    ("raise_it_up", {"shuffler": {**DEVICE, "approval": 7}}, ["shuffler.approval", "must be text"]),
    ("raise_it_up", {"minimum_wager_cents": 0}, ["minimum_wager_cents"]),
    *(("caribbean_stud", {"paytables": {"progressive": name}, "progressive_unit_cents": 100, "progressive_linked": True}, [f"paytable {name}", "§ 639a.12(d)(3)", "D, F, G, H"]) for name in "ABCE"),
]  # fmt: skip


@pytest.mark.parametrize(("game", "rules", "parts"), REFUSED)
def test_refused_with_key_and_section(game: str, rules: dict[str, Any], parts: list[str]) -> None:
    with pytest.raises(TableConfigError) as refused:
        made(game, **rules)
    assert str(refused.value).startswith("t.yaml: rules_submission.")
    for part in parts:
        assert part in str(refused.value)


def test_taken() -> None:
    for name in "DFGH":
        linked = made("caribbean_stud", {"progressive": name}, progressive_unit_cents=100, progressive_linked=True)
        assert linked.progressive_linked
    own = made("caribbean_stud", {"progressive": "A", "five_card_hand_bonus": "A"}, progressive_unit_cents=100, five_card_hand_bonus_linked=True)  # fmt: skip
    assert (own.progressive_linked, own.hand_bonus_linked) == (False, True)
    assert made("let_it_ride", payout_limit_cents=5_000_000).payout_limit_cents == 5_000_000
    assert made("let_it_ride", payout_limit_cents=7_500_000, minimum_wager_cents=2500).payout_limit_cents == 7_500_000
    assert (
        made("let_it_ride", {"main": "B"}, payout_limit_cents=5_000_000, minimum_wager_cents=2500).minimum_wager_cents
        == 2500
    )
    both = {"progressive3": "A", "progressive5": "A"}
    assert made("let_it_ride", both, {"lir.progressive": "both"}, progressive_unit_cents=100).offers("progressive5")
    assert made("raise_it_up", shuffler={**DEVICE, "approval": "GL-1"}).reshuffler
    assert made("caribbean_stud", adjacent_boxes=3).adjacent_boxes == 3
    assert made("caribbean_stud", {"five_card_hand_bonus": "fixed"}).paytables["five_card_hand_bonus"] == "A"


def test_payout_limit_with_the_stake_counted() -> None:
    """LIR-A10: royal 1,000 to 1 on three bets of 25.00 is 75,000.00, with the stakes 75,075.00."""
    readings = {"lir.limit_basis": "with_stake"}
    with pytest.raises(TableConfigError, match="7507500"):
        made("let_it_ride", None, readings, payout_limit_cents=7_500_000, minimum_wager_cents=2500)


@pytest.mark.parametrize("game", GAMES)
def test_every_wager_with_chips_has_its_area_and_section(game: str) -> None:
    law = game_law(game)
    found = missing_areas(law, 2, [w for w in law.wagers], set())
    assert all(f"§ {law.chapter}." in section for _, section in found)
    named = {area.split(".")[1] for area, _ in found if area.startswith("seat")}
    assert named <= {*law.wagers, "cards", "progressive"}
    assert {w.name for w in law.wagers.values() if w.kind in ("base", "decision", "optional")} <= named
    everything = {area for area, _ in found}
    assert missing_areas(law, 2, list(law.wagers), everything) == []
    without = missing_areas(law, 2, [], everything - {f"seat1.{law.base[0]}"})
    assert [area for area, _ in without] == [f"seat1.{law.base[0]}"]
