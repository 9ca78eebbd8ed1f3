"""Events of a review against the truth: what is right, open, contradicted, missed or made up."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from datasets.score.events import EventScore, main, matched

TURN = {"kind": "card_turned", "area": "seat1.cards", "t_s": 10.0}
BET = {"kind": "wager_placed", "area": "seat1.ante", "t_s": 3.0, "amount_cents": 500}


def test_cards_turned_together_are_paired_by_their_names_not_their_order() -> None:
    true = [TURN | {"card": "Qd"}, TURN | {"card": "5c", "t_s": 10.2}]
    pairs, contradicted = matched(true, [TURN | {"card": "5c", "t_s": 10.1}, TURN | {"card": "Qd", "t_s": 10.3}])
    assert sorted((t["card"], s["card"]) for t, s in pairs) == [("5c", "5c"), ("Qd", "Qd")]
    assert contradicted == 0


@pytest.mark.parametrize(
    ("seen", "right", "open_", "wrong"),
    [
        ([BET], 1, 0, 0),
        ([BET | {"amount_cents": None}], 1, 1, 0),
        ([BET | {"amount_cents": 1000}], 0, 0, 1),
        ([BET | {"t_s": 3.6}], 0, 0, 0),
        ([BET | {"area": "seat2.ante"}], 0, 0, 0),
        ([BET, BET | {"t_s": 3.1}], 1, 0, 0),
        ([], 0, 0, 0),
    ],
)
def test_a_wager_is_right_open_wrong_missed_or_made_up(
    seen: list[dict[str, Any]], right: int, open_: int, wrong: int
) -> None:
    score = EventScore()
    score.add([BET], seen)
    assert (score.true["wagers"], score.seen["wagers"], score.right["wagers"]) == (1, len(seen), right)
    assert (score.amounts.total - score.amounts.hits, score.amounts_wrong) == (open_, wrong)
    assert score.f1("wagers") == pytest.approx(2 * right / (1 + len(seen)))


def test_a_stack_that_left_and_was_never_laid_out_is_not_counted() -> None:
    placed = {"kind": "card_placed", "area": "seat1.cards", "t_s": 2.0, "card_id": 1}
    gone = [{"kind": "card_removed", "area": "seat1.cards", "t_s": 9.0, "card_id": i} for i in (1, 2)]
    score = EventScore()
    score.add([placed, gone[0]], [placed, *gone])
    assert (score.true["cards"], score.seen["cards"], score.right["cards"]) == (2, 2, 2)


def test_the_command_prints_films_and_their_reviews(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "truth.jsonl").write_text(
        json.dumps(BET | {"type": "event"}) + "\n" + json.dumps({"type": "frame"}) + "\n"
    )
    (tmp_path / "events.jsonl").write_text(json.dumps(BET) + "\n")
    assert main([str(tmp_path), str(tmp_path)]) == 0
    assert "amounts told: 100.0% (1/1" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main([str(tmp_path)])
