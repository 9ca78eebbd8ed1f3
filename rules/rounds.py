"""A round as the events tell it: `Round` takes them in, one by one, and keeps the books (`rules.books`).

It says what was seen, never what the law says of it. What it leaves when it is over: `rules.round_end`.
"""

from __future__ import annotations

from rules.books import STREETS, Books, holds_cards
from rules.events import (
    CardMoved,
    CardPlaced,
    CardRead,
    CardRemoved,
    CardTurned,
    CoverageGap,
    DecisionAnnounced,
    Face,
    HandOver,
    NoMoreBets,
    PayoutPlaced,
    Side,
    StackPlaced,
    WagerDecreased,
    WagerIncreased,
    WagerPlaced,
    WagerRemoved,
    group_of,
    seat_of,
    wager_of,
)
from rules.records import CARD_EVENTS, WAGER_EVENTS, CardSeen, Step, Wager
from rules.shown import LAID_OUT_S, settled_by_showing

DEAL_PAUSE_S = 5.0
"""A deal goes on card by card, less than a second each; so long after the last card it is over, some cards missed or not."""


class Round(Books):
    """One round and its books; see the module."""

    def add(self, step: Step) -> None:
        """Take in one event."""
        self._memo = None
        self._add(step)
        self._memo = {}

    def suppose(self, card: CardSeen, face: str | None) -> None:
        """Name a card, or take its name away, without an event that says so."""
        card.card = face
        self._memo = {}

    def _add(self, step: Step) -> None:
        event = step.event
        self._settle_laid_out(event.t_s)
        self.steps.append(step)
        self.now_s = max(self.now_s, event.t_s)
        if isinstance(event, WAGER_EVENTS):
            self._wager(step, event)
        elif isinstance(event, CARD_EVENTS):
            self._card(step, event)
        elif isinstance(event, HandOver):
            self.hands.setdefault(event.area, []).append(step)
        elif isinstance(event, CoverageGap):
            self.gaps.append(step)
        elif isinstance(event, StackPlaced):
            self._stack(step, event)
        elif isinstance(event, NoMoreBets):
            if self.no_more_bets is None or self.first_card is None:
                self.no_more_bets = step
        elif isinstance(event, DecisionAnnounced):
            if self.first_card is not None:  # before its cards it is another round's that was not seen
                self.decisions.append(step)
            self._end_deal(step)
        else:
            self.external.append(step)

    def _end_deal(self, step: Step) -> None:
        if self.deal_over is None and self.first_card is not None:
            self.deal_over = step

    def _stack(self, step: Step, event: StackPlaced) -> None:
        self.stacks.append(step)
        if seat_of(event.area) is not None or group_of(event.area) in self.table.law.areas:
            self.stack_units.append(step)
            if self.first_card is None:
                self.first_card = step
        else:
            self._end_deal(step)

    def _card(self, step: Step, event: CardPlaced | CardTurned | CardRead | CardMoved | CardRemoved) -> None:
        known = self.cards.get(event.card_id)
        if isinstance(event, CardPlaced):
            if known is None:
                if not holds_cards(event.area, self.table.law.areas):
                    return
                self._pause(event)
                known = CardSeen(event.card_id, event.area, event.area, step, event.face, event.face)
                self.cards[event.card_id] = known
                if self.first_card is None:
                    self.first_card = step
            else:
                known.area, known.face, known.removed, known.to_area = event.area, event.face, None, None
                self._moved_on(known, event.area)
            known.back = known.back or event.back
            known.name(event.card, step)
            if event.face is Face.UP:
                self._up(step, known, placed=known.placed is step)
        elif known is None:
            return
        elif isinstance(event, CardTurned):
            known.face = event.face
            known.name(event.card, step)
            if event.face is Face.UP:
                self._up(step, known, placed=False)
            else:
                self._flashed(known)
        elif isinstance(event, CardRead):
            known.name(event.card, step)
        elif isinstance(event, CardMoved):
            stays = holds_cards(event.area, self.table.law.areas)
            known.area, known.removed, known.to_area = (event.area, None, None) if stays else (None, step, event.area)
            self._moved_on(known, event.area)
        else:
            known.area, known.removed, known.to_area = None, step, event.to_area
            if self._is_discard(known):
                self.reveals = [item for item in self.reveals if item[1] is not known]
        if known.face is Face.UP and not self.stack_units:
            group = group_of(known.home)
            self._laid_out_s[group] = max(event.t_s, self._laid_out_s.get(group, event.t_s))
            self._settle_by_showing(group, over=False)

    def _moved_on(self, card: CardSeen, area: str) -> None:
        """A card laid in a wrong place and moved on before another came was drawn in error and used as the next card there (.13(b))."""
        elsewhere = holds_cards(area, self.table.law.areas) and group_of(area) != group_of(card.home)
        last = all(other.placed.index <= card.placed.index for other in self.cards.values())
        if elsewhere and last and self.deal_over is None and card.face is Face.DOWN:
            card.home = area

    def _settle_laid_out(self, now_s: float) -> None:
        """Hands of which no other card is turned any more lie shown."""
        for group, last_s in list(self._laid_out_s.items()):
            if now_s >= last_s + LAID_OUT_S:
                del self._laid_out_s[group]
                self._settle_by_showing(group, over=True)

    def _settle_by_showing(self, group: str, *, over: bool) -> None:
        """Once a player's or the dealer's hand lies shown, its probable cards were dealt or were none."""
        law = self.table.law
        wanted = law.dealer_cards if group == "dealer" else law.player_cards if seat_of(group) else 0
        if not wanted or self.deal_over is None:
            return
        hand = self.group_cards(group)
        dealt = [card for card in hand if self.is_dealt(card)]
        for none in settled_by_showing(dealt, hand, wanted, over=over):
            del self.cards[none.card_id]

    def _is_discard(self, card: CardSeen) -> bool:
        """Whether a card is the one of an automated community stack that goes to the rack before play (643a.10(b))."""
        if group_of(card.home) != "community" or not self.table.law.discards(self.table.dealing):
            return False
        there = [c for c in self.community_cards if c.removed is None or c is card]
        played = any(other is not card for _, other in self.reveals)
        return len(there) > self.table.law.community_cards and not played

    def _pause(self, event: CardPlaced) -> None:
        """A face that is first seen long after the last card was dealt was turned, its arrival missed: the deal is over."""
        if event.face is Face.UP and self.deal_over is None:
            self.deal_over = self._last_card_long_before(event.t_s)

    def _last_card_long_before(self, t_s: float) -> Step | None:
        """The last card that came, if no deal goes on for so long without one."""
        last = max((card.placed for card in self.cards.values()), key=lambda step: (step.t_s, step.index), default=None)
        return last if last is not None and t_s - last.t_s > DEAL_PAUSE_S else None

    def _up(self, step: Step, card: CardSeen, *, placed: bool) -> None:
        if card.turned is not None:
            return
        if placed and self.deal_over is None and not self.dealt_out(besides=card):
            return
        card.turned = step
        if placed and self._shown_before(card):
            return
        if card.home.startswith("community"):
            self.reveals.append((step, card))
            self.reveals.sort(key=lambda item: (item[0].t_s, item[0].index))
            if self.dealt_out():
                dealt = [known.placed for known in self.cards.values() if known.placed is not step]
                self._end_deal(max(dealt, key=lambda last: (last.t_s, last.index), default=step))
        elif group_of(card.home) == "dealer":
            self.dealer_reveals.append((step, card))
            self.dealer_reveals.sort(key=lambda item: (item[0].t_s, item[0].index))

    def _flashed(self, card: CardSeen) -> None:
        """A community card turned down again that was turned up before its box was due was not revealed then, but exposed (669a.13(d))."""
        place = next((i for i, (_, other) in enumerate(self.reveals) if other is card), None)
        if place is None or card.home not in STREETS or STREETS.index(card.home) <= place:
            return
        self.flashed.append((self.reveals.pop(place)[0], card))
        card.turned = None

    def _shown_before(self, card: CardSeen) -> bool:
        """Whether a card that is first seen face up may be one that lay so in its place before, lost and found again."""
        return any(
            (other.turned is not None or other.face_placed is Face.UP)
            and (other.card is None or card.card is None or other.card == card.card)
            for other in self._left_unseen(card)
        )

    def _wager(
        self, step: Step, event: WagerPlaced | WagerIncreased | WagerDecreased | WagerRemoved | PayoutPlaced
    ) -> None:
        lives = self.wagers.setdefault(event.area, [])
        life = lives[-1] if lives and lives[-1].removed is None else None
        if life is None and (isinstance(event, (WagerRemoved, PayoutPlaced)) or self._of_unseen(event)):
            self.unplaced.setdefault(event.area, []).append(step)
        elif life is not None and isinstance(event, WagerRemoved):
            life.removed = step
            # The dealer collects a folded hand's wagers: decisions have begun.
            folded = self.table.law.decision is not None and wager_of(event.area) in self.table.law.base
            if folded and event.by is Side.DEALER and self._last_card_long_before(event.t_s) is not None:
                self._end_deal(step)
        elif life is not None and isinstance(event, PayoutPlaced):
            life.payouts.append(step)
        elif life is None or (isinstance(event, WagerPlaced) and life.placed.t_s < event.t_s):
            if life is not None:
                life.gone_unseen = step
            assert not isinstance(event, (WagerRemoved, PayoutPlaced))
            lives.append(Wager(event.area, step, [(step, event.amount_cents)]))
            if wager_of(event.area) == self.table.law.decision:
                self._end_deal(step)
        else:
            assert not isinstance(event, (WagerRemoved, PayoutPlaced))
            life.totals.append((step, event.amount_cents))

    def _of_unseen(self, event: WagerPlaced | WagerIncreased | WagerDecreased) -> bool:
        """Whether chips where no wager was seen belong to one that was not made out: when it was made, nobody saw.

        Some were taken, or added to a raise; or the dealer laid them, and only he lays any: they pay. Nobody plays on once his cards lie open or
        settling began.
        """
        if self.first_card is None or event.t_s <= self.first_card.t_s:
            return False
        if isinstance(event, WagerDecreased):
            return True
        law = self.table.law.wagers.get(wager_of(event.area) or "")
        is_decision = law is not None and law.kind == "decision"
        if isinstance(event, WagerIncreased) and is_decision:
            return True
        shown = any(card.turned is not None for card in self.group_cards(group_of(event.area)))
        settling = self.settling_since is not None and event.t_s > self.settling_since
        return event.by is Side.DEALER and law is not None and (not is_decision or shown or settling)
