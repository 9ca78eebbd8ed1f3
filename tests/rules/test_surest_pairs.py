"""An order is proven by the cards surest to show it; a card that is only probable does not weaken what others prove."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st

from rules.checks.deal_order import SAME_MOMENT_S
from rules.checks.sequence import surest_pairs
from rules.events import CardPlaced, Face
from rules.records import Step

Timed = list[tuple[float, float]]
TIMED = st.lists(st.tuples(st.sampled_from([0.0, 1.0, 2.0, 3.0, 4.0]), st.sampled_from([0.3, 0.45, 0.9, 0.97])), min_size=1, max_size=5)  # fmt: skip


def steps(timed: Timed, first: int) -> list[Step]:
    return [
        Step(first + i, CardPlaced(table_id="t", t_s=t, area="dealer.1", card_id=first + i, face=Face.DOWN, confidence=sure))
        for i, (t, sure) in enumerate(timed)
    ]  # fmt: skip


def proof(early: list[Step], late: list[Step]) -> float:
    """The certainty of the surest pair that shows the order, 0 without any."""
    pairs = [(one, other) for one in early for other in late if one.t_s < other.t_s - SAME_MOMENT_S]
    return max((min(one.event.confidence, other.event.confidence) for one, other in pairs), default=0.0)


@given(TIMED, TIMED)
def test_what_is_kept_proves_the_order_as_surely_as_everything_does(before: Timed, after: Timed) -> None:
    early, late = steps(before, 0), steps(after, 100)
    sure = proof(early, late)
    assume(sure > 0)
    kept_early, kept_late = surest_pairs(early, late)
    assert min(step.event.confidence for step in (*kept_early, *kept_late)) == sure
    assert proof(kept_early, kept_late) == sure
    for step in kept_early:
        assert any(step.t_s < other.t_s - SAME_MOMENT_S for other in kept_late)
    for step in kept_late:
        assert any(other.t_s < step.t_s - SAME_MOMENT_S for other in kept_early)


def test_a_probable_card_before_does_not_weaken_the_proof() -> None:
    dealer, players = steps([(5.0, 0.96)], 0), steps([(1.0, 0.95), (2.0, 0.45), (6.0, 0.94), (7.0, 0.45)], 100)
    early, late = surest_pairs(dealer, players)
    assert [step.index for step in early] == [0]
    assert [step.index for step in late] == [102]
