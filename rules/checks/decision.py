"""The one decision of games against a dealer's hand: raise by twice the Ante or fold, then the dealer's cards are shown.

Asking and answering are speech; what is judged is the chips. A seat without chips for the raise has folded once the
dealer took its Ante or its cards, or the fold was announced; otherwise nothing is known of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from rules import arrivals
from rules.checks.base import Check, Context, Judge, Outcome, breach, compliant, hidden, undetermined
from rules.checks.deal_order import followed, why_not_followed
from rules.checks.progressive_deal import accepted
from rules.checks.settle_order import title
from rules.events import DecisionAnnounced, Face, Side
from rules.money import format_cents
from rules.records import CardSeen, Step, Wager
from rules.rounds import Round

TIMES = 2
"""The raise is twice the Ante (639a.11(b), 687a.11(b))."""
STILL_S = 1.0
"""Chips are judged once they lay for this long; chips and cards within this time have no sure order."""
NEAR_S = 0.3
"""A hand so near in time to a card's leaving was there then."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What a game says of the decision.

    Attributes:
        prefix: of its checks.
        wager: "bet" or "raise".
        forfeited: wagers a fold gives up beside the base wagers.
        stays: wagers for which the cards of a folded hand stay on the table.
        electronic: wagers of a system for which they stay, where the text is read so (CAR-A5).
        has_upcard: one of the dealer's cards is face up from the deal on.
        chips_at_lock: chips for it that lay there before the deal are judged here, not by the check of the Ante.
    """

    prefix: str
    wager: str
    forfeited: tuple[str, ...] = ()
    stays: tuple[str, ...] = ()
    electronic: tuple[str, ...] = ()
    has_upcard: bool = False
    chips_at_lock: bool = True

    def amount(self, ctx: Context, seat: int) -> Outcome | None:
        """The raise is exactly twice the Ante."""
        r = ctx.round
        made, ante = r.wager(seat, self.wager), r.wager(seat, "ante")
        if made is None or (not ctx.closing and r.now_s < made.placed.t_s + STILL_S):
            return None
        expected = f"a {title(self.wager)} Wager of two times the Ante"
        if ante is None or r.first_card is None:
            return undetermined(expected, "the Ante Wager", [made.placed])
        steps = [ante.placed, made.placed, made.totals[-1][0]]
        gap = hidden(ctx, expected, (ante.area, made.area), made.placed.t_s - STILL_S, made.placed.t_s + STILL_S)
        if gap is not None:
            return gap
        end = r.settling_since
        before = [cents for step, cents in made.totals if end is None or step.t_s <= end]
        placed = before[-1] if before else made.totals[0][1]
        stakes = {ante.amount_at(t) for t in (r.lock_s or 0.0, r.first_card.t_s, made.placed.t_s)}
        if placed is None or None in stakes:
            return undetermined(expected, f"the amount of the Ante or {title(self.wager)} Wager", steps)
        if any(placed == TIMES * (cents or 0) for cents in stakes):
            return compliant(expected, f"{title(self.wager)} {format_cents(placed)}", steps)
        if len(stakes) > 1:
            return undetermined(expected, "which Ante Wager counts; it changed after the announcement", steps)
        seen = f"{title(self.wager)} {format_cents(placed)} on an Ante of {format_cents(next(iter(stakes)) or 0)}"
        return breach(expected, seen, steps, area=made.area)

    def turn(self, ctx: Context, seat: int) -> Outcome | None:
        """The raise comes after the cards were dealt and examined."""
        r = ctx.round
        made = r.wager(seat, self.wager)
        early = self.before_the_cards(r, seat) if self.chips_at_lock else None
        if made is None and early is None:
            return None
        expected = f"the {title(self.wager)} Wager after the cards were dealt"
        if early is not None:
            return breach(expected, "chips lay there before the first card", [early.placed, r.first_card], area=early.area)  # fmt: skip
        assert made is not None
        counts = Counter(card.home for card in r.cards.values() if card.home.startswith("seat"))
        cards = [card for card in r.cards.values() if 0 < counts[card.home] <= ctx.table.law.player_cards]
        dealt = [
            *(card.placed for card in cards if card.face_placed is Face.DOWN),
            *arrivals.stacks_after(r, made.placed.t_s),
        ]
        later = [step for step in dealt if step.t_s > made.placed.t_s + STILL_S and step.index > made.placed.index]
        surely = followed(r, later)
        if surely and made.placed.by is Side.PLAYER:
            return breach(expected, f"placed before {len(surely)} more cards came", [made.placed, *surely], area=made.area)  # fmt: skip
        if later:
            missing = "whose hand placed the chips" if surely else why_not_followed(r, later)
            return undetermined(expected, missing, [made.placed, *later])
        return compliant(expected, "so placed", [made.placed]) if r.settling_since is not None or ctx.closing else None

    def before_the_cards(self, r: Round, seat: int, by: Side | None = Side.PLAYER) -> Wager | None:
        """Chips for the raise that lay there when the first card came, laid by a player, or (None) by nobody known."""
        if r.first_card is None:
            return None
        for life in r.wagers.get(f"seat{seat}.{self.wager}", ()):
            laid = life.placed.by is by and not life.carried
            if laid and life.placed.t_s < r.first_card.t_s < life.end_s:
                return life
        return None

    def disputed(self, r: Round, seat: int) -> str:
        """Why what the raise is owed cannot be said: chips of another amount than the law has; "" where it can."""
        made, ante = r.wager(seat, self.wager), r.wager(seat, "ante")
        stakes = (made.stake_cents if made else None, ante.stake_cents if ante else None)
        if stakes[0] is None or stakes[1] is None or stakes[0] == TIMES * stakes[1]:
            return ""
        return f"what a {title(self.wager)} Wager of another amount than two times the Ante is owed; the floor decides"

    # -- folds ----------------------------------------------------------------------------------------------------

    def base(self, ctx: Context, seat: int) -> list[Wager]:
        """The wagers that a fold of this seat gives up."""
        names = (*ctx.table.law.base, *self.forfeited)
        return [w for name in names if (w := ctx.round.wager(seat, name)) is not None]

    def announced(self, r: Round, seat: int) -> list[Step]:
        """Announcements that a seat folds."""
        return [
            s
            for s in r.decisions
            if isinstance(s.event, DecisionAnnounced) and s.event.seat == seat and s.event.decision == "fold"
        ]

    def racked(self, r: Round, seat: int) -> list[Step]:
        """When the cards of a seat went to the discard rack, or with the dealer's hand, after the deal and before the dealer's were shown; [] unless all did that ever lay there."""
        end, dealt = r.settling_since, r.deal_over
        cards = r.group_cards(f"seat{seat}")
        gone, hands = [], {}
        for card in cards:
            step = card.removed
            if step is None or dealt is None or step.t_s <= dealt.t_s or (end is not None and step.t_s >= end):
                continue
            took = _dealers_hands(r, f"seat{seat}.cards", step)
            if took or card.to_area == "discard_rack":
                gone.append(step)
                hands.update({hand.index: hand for hand in took})
        return [*gone, *hands.values()] if cards and len(gone) == len(cards) else []

    def _racked_late(self, r: Round, seat: int, end_s: float) -> list[Step]:
        """When the cards of a seat went to the discard rack, where each of them lay there when the dealer's had been shown; else []."""
        cards = r.group_cards(f"seat{seat}")
        gone = [card.removed for card in cards if card.removed is not None and card.to_area == "discard_rack"]
        late = [step for step in gone if step.t_s > end_s + STILL_S]
        return late if len(late) == len(cards) else []

    def folded(self, ctx: Context, seat: int) -> list[Step]:
        """What shows that a seat folded; [] where nothing does, or where it made the raise."""
        r = ctx.round
        if seat not in r.dealt_seats or r.wager(seat, self.wager) is not None:
            return []
        if r.unplaced.get(f"seat{seat}.{self.wager}"):
            return []
        return [*self.announced(r, seat), *self.racked(r, seat)]

    def forfeits(self, names: tuple[str, ...]) -> Judge:
        """Wagers of a fold are collected, not given back."""

        def judge(ctx: Context, seat: int) -> Outcome | None:
            return self._forfeit(ctx, seat, names)

        return judge

    def _forfeit(self, ctx: Context, seat: int, names: tuple[str, ...]) -> Outcome | None:
        r = ctx.round
        end = r.settling_since
        if end is None or seat not in r.dealt_seats or r.wager(seat, self.wager) is not None:
            return None
        lost = [w for name in names if (w := r.wager(seat, name)) is not None]
        if not lost:
            return None
        words = " and ".join(title(w.area.partition(".")[2]) for w in lost)
        expected = f"{words or 'the wagers'} of the folded hand collected by the dealer"
        gap = hidden(ctx, expected, r.seat_areas(seat), r.first_card.t_s if r.first_card else 0.0, end)
        if gap is not None:
            return gap
        taken = [w.removed for w in lost if w.removed is not None and w.taken_by is Side.DEALER]
        why = self.folded(ctx, seat)
        in_time = len(taken) == len(lost) and max(step.t_s for step in taken) <= end + STILL_S
        if in_time or (why and len(taken) == len(lost)):
            return compliant(expected, "collected", taken)
        paid = self._paid(ctx, seat, lost)
        if paid is not None:
            return replace(paid, expected=expected) if ctx.closing else None
        back = [w.removed for w in lost if w.removed is not None and w.taken_by is Side.PLAYER]
        if why and back and not ctx.void_due:
            took = " and ".join(title(w.area.partition(".")[2]) for w in lost if w.removed in back)
            return breach(expected, f"the player took {took} back", [*why, *back], area=lost[0].area)
        if not ctx.closing:
            return None
        return undetermined(expected, f"whether the seat folded; no {title(self.wager)} Wager was seen", why)

    def _paid(self, ctx: Context, seat: int, lost: Sequence[Wager]) -> Outcome | None:
        """The breach that wagers of a fold were paid, None where none was or the seat is not known to have folded."""
        r = ctx.round
        paid = [w for w in lost if w.payouts]
        gone = [w.removed for w in r.base_wagers(seat) if w is not None and w.removed is not None]
        why = self.folded(ctx, seat) or (
            gone if r.folded(seat) and not r.unplaced.get(f"seat{seat}.{self.wager}") else []
        )
        if not paid or not why or ctx.void_due:
            return None
        amounts = [w.paid_cents for w in paid]
        total = None if None in amounts else sum(cents or 0 for cents in amounts)
        seen = f"{' and '.join(title(w.area.partition('.')[2]) for w in paid)} paid"
        steps = [*why, *(step for w in paid for step in w.payouts)]
        return breach("", seen, steps, area=paid[0].area, owed_cents=0, paid_cents=total)

    def collect(self, ctx: Context, seat: int) -> Outcome | None:
        """Forfeited wagers and cards are collected once every seat has decided, and before the dealer's cards."""
        r = ctx.round
        end = r.settling_since
        if end is None or seat not in r.dealt_seats or r.wager(seat, self.wager) is not None:
            return None
        lost = self.base(ctx, seat)
        stays = self._stays_for(ctx, seat)
        taken_by_system = [step for name in self.electronic for step, _ in accepted(ctx, name, seat)]
        keep = bool(stays) or (bool(taken_by_system) and ctx.table.reading("car.fold_fchb_cards") == "keep")
        where = "left on the table" if keep else "in the discard rack"
        expected = f"wagers of the fold collected after every decision, before the dealer's cards; its cards {where}"
        why = self.folded(ctx, seat)
        gap = hidden(ctx, expected, r.seat_areas(seat), r.first_card.t_s if r.first_card else 0.0, end)
        if gap is not None:
            return gap
        standing = [w for w in lost if w.removed is None or w.removed.t_s > end + STILL_S]
        first = min((step.t_s for step, _ in r.dealer_reveals), default=end)
        if self.announced(r, seat) and standing and not ctx.void_due:
            which = (
                "they"
                if len(standing) == len(lost)
                else f"the {' and '.join(title(w.area.partition('.')[2]) for w in standing)}"
            )
            left = [step for w in standing for step in (w.placed, w.removed) if step is not None]
            return breach(expected, f"{which} still lay there when the dealer's cards were turned", [*why, *left], area=standing[0].area)  # fmt: skip
        early = self._taken_early(ctx, lost)
        if early is not None and not ctx.void_due:
            step, other = early
            return breach(expected, f"collected {other.t_s - step.t_s:.1f} s before a seat made its {title(self.wager)} Wager", [step, other], area=lost[0].area)  # fmt: skip
        cards = self._cards(ctx, seat, stays, first)
        if taken_by_system and not stays:
            cards = self._bonus_cards(ctx, seat, first, keep=keep)
        if isinstance(cards, str):
            steps = [*why, *(step for _, step, _ in stays), *taken_by_system]
            return breach(expected, cards, steps, area=f"seat{seat}.cards")
        late = [] if keep or taken_by_system or ctx.void_due else self._racked_late(r, seat, end)
        if late and self.announced(r, seat):
            return breach(expected, "its cards still lay there when the dealer's cards were turned", [*why, *late], area=f"seat{seat}.cards")  # fmt: skip
        taken = [w.removed for w in lost if w.removed is not None and w.taken_by is Side.DEALER]
        if lost and len(taken) == len(lost) and not standing and cards:
            return compliant(expected, "so collected", taken)
        if not ctx.closing:
            return None
        return undetermined(expected, "whether the seat folded, and where its cards went", why)

    def _taken_early(self, ctx: Context, lost: list[Wager]) -> tuple[Step, Step] | None:
        """A forfeited wager taken before another seat made its raise, with that raise."""
        r = ctx.round
        made = [w.placed for s in r.dealt_seats if (w := r.wager(s, self.wager)) is not None]
        made = [step for step in made if step.by is Side.PLAYER]
        for wager in lost:
            gone = wager.removed
            if gone is None or wager.taken_by is not Side.DEALER:
                continue
            later = [step for step in made if step.t_s > gone.t_s + STILL_S]
            if later:
                return gone, later[-1]
        return None

    def _stays_for(self, ctx: Context, seat: int) -> list[tuple[str, Step, bool]]:
        """The wagers for which a fold's cards stay: name, the event that made it, and whether it stands.

        Chips that a system took before the deal stand (687a.8(c)), where the house lets folded hands qualify or does not say.
        """
        found = []
        for name in self.stays:
            chips, told = ctx.round.wager(seat, name), accepted(ctx, name, seat)
            if chips is not None and ctx.round.locked(chips):
                found.append((name, chips.placed, chips.removed is None))
            elif told and ctx.table.folded_qualify is not False:
                found.append((name, told[-1][0], True))
        return found

    def _cards(self, ctx: Context, seat: int, stays: list[tuple[str, Step, bool]], first_s: float) -> bool | str:
        """Whether a fold's cards went where they belong: True so seen, False not known, a text for a breach."""
        r = ctx.round
        racked = self.racked(r, seat)
        if not stays:
            return bool(racked)
        name, _, stands = stays[0]
        if racked and max(step.t_s for step in racked) < first_s and stands:
            return f"racked although the {title(name)} Wager stands"
        return any(card.turned is not None for card in r.seat_cards(seat))

    def _bonus_cards(self, ctx: Context, seat: int, first_s: float, *, keep: bool) -> bool | str:
        """The same for a fold with a wager of a system: its cards stay for that, or go to the rack (CAR-A5)."""
        racked = bool(self.racked(ctx.round, seat))
        shown = any(card.turned is not None and card.turned.t_s > first_s for card in ctx.round.seat_cards(seat))
        if keep:
            return "racked although the Five Card Hand Bonus Wager stands" if racked else shown
        return (
            "turned with the hands that play on" if shown and not racked and self.announced(ctx.round, seat) else racked
        )

    # -- the dealer's cards ---------------------------------------------------------------------------------------

    def reveal_when(self, ctx: Context, _: int) -> Outcome | None:
        """The dealer's cards are shown once every seat made the raise or folded."""
        r = ctx.round
        shown = self.hole_cards(ctx)
        if not shown:
            return None
        turned, card = shown[0]
        expected = f"the dealer's cards shown once every seat had made its {title(self.wager)} Wager or folded"
        dealt = [c.placed for c in r.dealt if c.card_id != card.card_id and c.placed.t_s > turned.t_s + 0.3]
        dealt += arrivals.stacks_after(r, turned.t_s + STILL_S)
        surely = followed(r, dealt)
        if surely:
            return breach(expected, "shown before the cards were dealt", [turned, *surely], area=card.home)
        if dealt:
            return undetermined(expected, why_not_followed(r, dealt), [turned, *dealt])
        late: list[tuple[int, Step]] = []
        unsure: list[int] = []
        for seat in r.dealt_seats:
            made = r.wager(seat, self.wager)
            if made is None:
                if not self._out(ctx, seat, turned.t_s):
                    unsure.append(seat)
                said = [
                    s for s in r.decisions if getattr(s.event, "seat", None) == seat and s.t_s > turned.t_s + STILL_S
                ]
                late += [(seat, step) for step in said[:1]]
            elif made.placed.t_s > turned.t_s + STILL_S:
                if made.placed.by is Side.PLAYER:
                    late.append((seat, made.placed))
                else:
                    unsure.append(seat)
            elif made.placed.t_s > turned.t_s:
                unsure.append(seat)
        if late:
            seat, step = late[0]
            areas = [area for seat in r.dealt_seats for area in r.seat_areas(seat)]
            gap = hidden(ctx, expected, areas, turned.t_s - STILL_S, step.t_s)
            if gap is not None:
                return gap
            seen = f"shown at {turned.t_s:.1f} s, before seat {seat} decided at {step.t_s:.1f} s"
            return breach(expected, seen, [turned, step], area=card.home)
        if not ctx.closing:
            return None
        if unsure:
            return undetermined(expected, f"whether every seat had decided (seat {unsure[0]})", [turned])
        return compliant(expected, "so shown", [turned])

    def _out(self, ctx: Context, seat: int, until_s: float) -> bool:
        gone = [*self.announced(ctx.round, seat), *self.racked(ctx.round, seat)]
        gone += [w.removed for w in ctx.round.base_wagers(seat) if w and w.removed and w.taken_by is Side.DEALER]
        return any(step.t_s <= until_s + STILL_S for step in gone)

    def hole_cards(self, ctx: Context) -> list[tuple[Step, CardSeen]]:
        """The dealer's cards as they were shown, without one that the chapter turns while dealing."""
        r = ctx.round
        if not self.has_upcard:
            return list(r.dealer_reveals)
        up = [c for c in r.dealer_cards if c.turned is None and c.face.value == "up"]
        return list(r.dealer_reveals) if up else r.dealer_reveals[1:]

    def left_alone(self, ctx: Context, seat: int) -> Outcome | None:
        """After the decision a player's cards lie face down and are not touched again (639a.11(a)(3))."""
        r = ctx.round
        made, end = r.wager(seat, self.wager), r.settling_since
        if made is None or end is None:
            return None
        expected = "the player's cards face down, and not touched after the decision"
        area = f"seat{seat}.cards"
        gap = hidden(ctx, expected, [area], made.placed.t_s, end)
        if gap is not None:
            return gap
        up = [c.turned for c in r.seat_cards(seat) if c.turned is not None and made.placed.t_s < c.turned.t_s < end]
        if up and not ctx.void_due:
            hands = r.over(area, up[0].t_s - 0.3, up[0].t_s + STILL_S)
            if any(step.side is not Side.PLAYER for step in hands):
                return undetermined(expected, "whose hand turned the card", [*up, *hands])
            return breach(expected, f"a card was turned face up at {up[0].t_s:.1f} s", [made.placed, *up], area=area)
        hands = r.touched(area, made.placed.t_s + 5 * STILL_S, end, Side.PLAYER)
        if hands:
            return undetermined(expected, "whether the player's hand touched the cards", hands)
        return compliant(expected, "none was turned", [made.placed])

    def checks(self, amount: str, turn: str) -> tuple[Check, ...]:
        """The checks that every such game has, the first two by their names in the catalogue."""
        p = self.prefix
        return (
            Check(f"{p}-{amount}", self.amount, per_seat=True),
            Check(f"{p}-{turn}", self.turn, per_seat=True),
            Check(f"{p}-REVEAL-WHEN", self.reveal_when),
            Check(f"{p}-FOLD-COLLECT", self.collect, per_seat=True),
        )


def _dealers_hands(r: Round, area: str, gone: Step) -> tuple[Step, ...]:
    """The dealer's hands over an area when a card left it, none where another's were there too."""
    return r.dealers_alone(area, gone.since_s - NEAR_S, gone.t_s + NEAR_S)
