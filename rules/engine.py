"""The engine: events in, findings out, one round after the other.

Pure: the same events give the same findings, byte for byte, in whatever portions they are fed. It never raises on
well-formed events, in whatever order they come.
"""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from rules.arrivals import BROUGHT_S
from rules.books import holds_cards
from rules.catalogue import Rule, catalogue
from rules.checks.base import Check, Context, Outcome, not_applicable
from rules.checks.deck import bad_stub
from rules.checks.memory import Memory
from rules.dated import law_of
from rules.events import (
    CardPlaced,
    Event,
    Face,
    HandOver,
    NoMoreBets,
    Side,
    StackPlaced,
    StubCounted,
    TableClosed,
    TableOpened,
    seat_of,
    wager_of,
)
from rules.findings import Finding, Severity, Verdict, finding_id
from rules.games import game_module
from rules.law import ambiguities_of, readings
from rules.records import CARD_EVENTS, VERDICT_CONFIDENCE, WAGER_EVENTS, RoundRecord, Step
from rules.round_end import record, standing
from rules.rounds import Round
from rules.stretches import breach_hangs_on, breach_holds, breach_refuted_by, compliance_hangs_on, hidden_in_words
from rules.table import TableConfig
from rules.unread import sole_unread, supposed

PENDING_LIMIT = 5000
"""Events kept between two rounds; more are only wagers moved back and forth at an idle table."""

OPEN = (Verdict.UNDETERMINED, Verdict.NOT_APPLICABLE)
"""How a check may end only when the round is over: until then it is asked again."""
NOTHING = not_applicable("nothing to judge")
Key = tuple[str, int, str | None]
"""Check, seat (0 = the table) and the check's scope: one row of the catalogue may be judged in several ways."""
STATE_VERSION = 4
"""Of what is stored of an engine, its open round and their events; raised with every field that these gain, lose or change."""
_GIVEN = ("_checks", "_rules", "_module", "_asked")
"""What an engine has of its configuration."""


class UnsupportedGameError(NotImplementedError):
    """The table's game is known to the configuration but is not judged yet."""


class StateError(ValueError):
    """What was stored of an engine is of another version; the text says of which."""


class Engine:
    """Judges one table.

    Args:
        table: its configuration.
        day: whose law its rounds are judged by until a `table_opened` event or `turn_to` names another; None for the newest
            text held, though it be of a day to come.

    Raises:
        UnsupportedGameError: the game is not judged yet.
    """

    def __init__(self, table: TableConfig, *, day: datetime.date | None = None) -> None:
        try:
            self._module = game_module(table.game)
        except KeyError as error:
            raise UnsupportedGameError(f"table {table.table_id}: no game {table.game!r} is judged") from error
        self.table = table
        self._day = self._next_day = self._turned_to = day
        self._take_law()
        self._count = 0
        self._number = 0
        self._memory = Memory()
        self._pending: list[Step] = []
        self._reached: list[Step] = []
        self._bringing: list[Step] = []
        self._standing: Round | None = None
        self._context: Context | None = None
        self._ended: set[Key] = set()
        self._rounds: list[RoundRecord] = []
        self._dropped = 0

    def __getstate__(self) -> dict[str, object]:
        """The state without what the configuration gives anyway, so that it can be stored in the middle of a round."""
        kept = {name: value for name, value in self.__dict__.items() if name not in _GIVEN}
        return {"version": STATE_VERSION, **kept}

    def __setstate__(self, state: dict[str, object]) -> None:
        version = state.pop("version", None)
        if version != STATE_VERSION:
            raise StateError(f"an engine was stored in version {version}, this program reads version {STATE_VERSION}")
        self.__dict__.update(state)
        self._module = game_module(self.table.game)
        self._take_law()

    def _take_law(self) -> None:
        """The checks and the catalogue of the day."""
        with law_of(self._day):
            self._checks = self._module.checks(self.table)
            self._rules = catalogue(self.table.game)
        self._asked: tuple[tuple[tuple[int, ...], int, bool], list[tuple[Check, int, Key]]] | None = None

    @property
    def day(self) -> datetime.date | None:
        """Whose law judges the round now played, or the last one; None for the newest text held."""
        return self._day

    @property
    def rounds(self) -> tuple[RoundRecord, ...]:
        """Finished rounds, oldest first."""
        return tuple(self._rounds)

    @property
    def dropped_events(self) -> int:
        """How many events between two rounds were let go of, because there were more than `PENDING_LIMIT`."""
        return self._dropped

    def forget_rounds(self) -> None:
        """Lets go of the finished rounds, for whoever keeps them elsewhere; nothing is judged by them any more."""
        self._rounds = []

    @property
    def round_id(self) -> str | None:
        """The round now played, None between rounds."""
        return self._context.round.round_id if self._context else None

    def feed(self, event: Event) -> tuple[Finding, ...]:
        """Take in one event.

        Returns:
            The findings that it decided, in a fixed order. Events of other tables are counted and ignored.
        """
        step = Step(self._count, event)
        self._count += 1
        if event.table_id != self.table.table_id:
            return ()
        found: list[Finding] = []
        with law_of(self._day):
            if self._context is not None and self._next_round(self._context.round, step):
                found += self._finish(complete=self._context.round.cards_gone)
        if self._context is None and self._next_day != self._day:
            self._judge_by(self._next_day)
        with law_of(self._day):
            found += self._taken(step)
        if isinstance(event, TableOpened):
            self._opened(event)
        return tuple(found)

    def turn_to(self, day: datetime.date | None) -> None:
        """Another day begins where the table stands: its law judges the rounds that are dealt from now on.

        The round now played keeps the law of the day it began on; to say the same day again changes nothing.
        """
        if day != self._turned_to:
            self._turned_to = self._next_day = day

    def _opened(self, event: TableOpened) -> None:
        try:
            day = datetime.date.fromisoformat(event.day) if event.day is not None else self._day
        except ValueError:
            return
        self._next_day = day
        if day != self._day:
            self._judge_by(day)

    def _judge_by(self, day: datetime.date | None) -> None:
        self._day = day
        self._take_law()

    def _taken(self, step: Step) -> list[Finding]:
        event, found = step.event, list[Finding]()
        self._memory.note(step, self.table.law.deck_cards)
        if self._context is None:
            if not _deals(event, self.table.law.areas):
                self._wait(step)
                return found
            self._open(step)
        assert self._context is not None
        r = self._context.round
        r.add(step)
        if r.cards_gone and self._stray(r):
            self._drop(r)
            return found
        if not self._stray(r):
            found += self._ask(closing=False)
        if r.cards_gone:
            found += self._finish(complete=True)
        return found

    def feed_all(self, events: Iterable[Event]) -> tuple[Finding, ...]:
        """Take in many events; the findings are those of feeding them one by one."""
        return tuple(finding for event in events for finding in self.feed(event))

    def close(self) -> tuple[Finding, ...]:
        """The events are over: end the round now played. Checks still open end as undetermined or not applicable."""
        if self._context is None:
            return ()
        with law_of(self._day):
            return tuple(self._finish(complete=self._context.round.cards_gone))

    # -- rounds ---------------------------------------------------------------------------------------------------

    def _wait(self, step: Step) -> None:
        event = step.event
        if isinstance(event, (TableOpened, TableClosed)):
            self._pending = [s for s in self._pending if isinstance(s.event, WAGER_EVENTS)]
        if isinstance(event, HandOver):
            self._reached += reaching([step])
            self._bound(self._reached)
            self._bringing = self._brought_lately([*self._bringing, step], event.t_s)
            return
        self._pending.append(step)
        self._bound(self._pending)

    def _bound(self, steps: list[Step]) -> None:
        """Lets go of the older half of what waits between two rounds where it is more than `PENDING_LIMIT`."""
        if len(steps) > PENDING_LIMIT:
            del steps[: PENDING_LIMIT // 2]
            self._dropped += PENDING_LIMIT // 2

    def _brought_lately(self, steps: Iterable[Step], t_s: float) -> list[Step]:
        """The dealer's hands that may have brought a card that came to rest at a time."""
        return [
            step
            for step in steps
            if isinstance(step.event, HandOver)
            and step.event.side is Side.DEALER
            and holds_cards(step.event.area, self.table.law.areas)
            and step.t_s >= t_s - BROUGHT_S
        ]

    def _open(self, first: Step) -> None:
        self._number += 1
        self._bringing = self._brought_lately(self._bringing, first.since_s)
        r = self._new_round()
        for step in self._pending:
            r.add(step)
        self._pending = []
        self._ended = set()
        self._asked = None
        self._context = Context(round=r, memory=self._memory, voiding=self._module.voiding)

    def _new_round(self) -> Round:
        """The round of this number before its first event, with the chips that still lay there and the hands that came before it."""
        r = Round(self.table, self._number)
        if self._standing is not None:
            r.wagers = standing(self._standing)
        for step in (*self._reached, *self._bringing):
            r.hands.setdefault(step.event.area, []).append(step)  # type: ignore[attr-defined]
        return r

    def _stray(self, r: Round) -> bool:
        """A card or two so far, that may go again as they came: no round yet, so nothing is judged on them."""
        return len(r.cards) <= 2 and not r.reveals and not r.stack_units

    def _drop(self, r: Round) -> None:
        self._pending = [step for step in r.steps if not isinstance(step.event, (*CARD_EVENTS, HandOver))]
        self._number -= 1
        self._context = None

    def _next_round(self, r: Round, step: Step) -> bool:
        """Whether an event belongs to the round after the one now played."""
        event = step.event
        if isinstance(event, (TableOpened, TableClosed)):
            return True
        if isinstance(event, NoMoreBets):
            return r.settled_from is not None or (r.deal_over is not None and event.t_s > r.deal_over.t_s + 1.0)
        if isinstance(event, CardPlaced) and event.face is Face.DOWN and seat_of(event.area) is not None:
            since = r.settled_from
            if since is None or event.t_s <= since or event.card_id in r.cards:
                return False
            left = sum(1 for card in r.cards.values() if card.area is None)
            staked = any(
                lives
                and lives[-1].removed is None
                and lives[-1].placed.t_s > since
                and area.endswith(f".{self.table.law.base[0]}")
                for area, lives in r.wagers.items()
            )
            return staked and 2 * left >= len(r.cards)
        return False

    def _finish(self, *, complete: bool) -> list[Finding]:
        context = self._context
        assert context is not None
        r = context.round
        found = self._ask(closing=True)
        context.closing = True
        self._rounds.append(record(r, r.now_s, complete=complete, payouts=self._module.payout_records(context)))
        counted = any(isinstance(step.event, StubCounted) for step in r.external)
        self._memory.round_over(r, void=context.void_due, bad_stub=bad_stub(r))
        self._memory.rounds_since_stub = 0 if counted else self._memory.rounds_since_stub + 1
        self._memory.void_since_stub = 0 if counted else self._memory.void_since_stub + int(context.void_due)
        self._standing = r
        self._reached = reaching(r.hands_since_settled())
        self._bringing = self._brought_lately((step for steps in r.hands.values() for step in steps), r.now_s)
        # What was hidden until this moment hid the beginning of the next round too.
        self._pending += [step for step in r.gaps if step.t_s >= r.now_s]
        self._context = None
        return found

    # -- checks ---------------------------------------------------------------------------------------------------

    def _ask(self, *, closing: bool) -> list[Finding]:
        context = self._context
        assert context is not None
        context.closing = closing
        r = context.round
        found: list[Finding] = []
        for check, seat, key in self._open_checks(r.dealt_seats, closing=closing):
            if key in self._ended:
                continue
            told = check.judge(context, seat)
            if not closing and (told is None or told.verdict in OPEN):
                continue
            outcome, final = (NOTHING, False) if told is None else self._weighed(check, seat, told)
            if not (closing or final) and outcome.verdict in OPEN:
                continue
            if closing and check.by_names and outcome.verdict is Verdict.UNDETERMINED:
                outcome = self._whatever_it_is(check, seat, outcome)
            self._ended.add(key)
            if outcome.verdict is Verdict.BREACH:
                context.breaches.setdefault(check.check_id, r.now_s)
                self._memory.told.update(outcome.told)
                if outcome.voids:
                    context.voided.setdefault(check.check_id, r.now_s)
            if outcome.verdict is not Verdict.NOT_APPLICABLE or not check.per_seat:
                found.append(self._finding(check, seat, outcome, r))
        return found

    def _open_checks(self, seats: tuple[int, ...], *, closing: bool) -> list[tuple[Check, int, Key]]:
        """The checks to be asked that have not ended, in their order, each with its seat (0 = the table)."""
        if self._asked is None or self._asked[0] != (seats, len(self._ended), closing):
            table = range(1, self.table.seats + 1)
            every = (
                (c, seat, (c.check_id, seat, c.scope))
                for c in self._checks
                if closing or not c.at_close
                for seat in ((table if c.skipped else seats) if c.per_seat else (0,))
            )
            self._asked = (seats, len(self._ended), closing), [one for one in every if one[2] not in self._ended]
        return self._asked[1]

    def _weighed(self, check: Check, seat: int, told: Outcome) -> tuple[Outcome, bool]:
        """How a check ends that judged so, and whether nothing that comes later changes that."""
        context = self._context
        assert context is not None
        outcome = _witnessed(_sure(self._of_its_day(check, told)), context.round)
        if outcome.verdict is Verdict.BREACH and not outcome.orderless:
            hidden = breach_hangs_on(outcome)
            if hidden is None or (check.by_names and self._holds(check, seat, told)):
                hidden = breach_refuted_by(told, context.round, self._new_round, self._judge_of(check, seat))
            if hidden is not None:
                outcome = _left_open(outcome, hidden_in_words(hidden))
        if outcome.verdict is Verdict.BREACH:
            outcome = self._contested(check, seat, outcome)
        hidden = self._hangs_on(check, seat, outcome)
        return (outcome, False) if hidden is None else (_left_open(outcome, hidden_in_words(hidden)), True)

    def _whatever_it_is(self, check: Check, seat: int, undetermined: Outcome) -> Outcome:
        """How a check ends that one card which was not read leaves open, if it ends so whichever card that is."""
        context = self._context
        assert context is not None
        card = sole_unread(context.round, seat)
        if card is None:
            return undetermined
        ends: list[Outcome] = []
        with contextlib.closing(supposed(context.round, card)) as faces:
            for _ in faces:
                told = check.judge(context, seat)
                outcome = None if told is None else self._weighed(check, seat, told)[0]
                if outcome is None or outcome.verdict not in (Verdict.BREACH, Verdict.COMPLIANT):
                    return undetermined
                ends.append(outcome)
                if _end(outcome) != _end(ends[0]):
                    return undetermined
        expected = Counter(outcome.expected for outcome in ends).most_common(1)[0][0]
        return dataclasses.replace(
            ends[0],
            expected=f"{expected} (one card was not read; whichever it is, the end is the same)",
            beside=card.steps,
        )

    def _hangs_on(self, check: Check, seat: int, outcome: Outcome) -> Step | None:
        """The event, hidden by hands for long, on whose moment it hangs that the law was kept; nothing that comes later tells it."""
        context = self._context
        assert context is not None
        if outcome.verdict is not Verdict.COMPLIANT or all(step.event.earliest_s is None for step in outcome.steps):
            return None

        return compliance_hangs_on(outcome, context.round, self._new_round, self._judge_of(check, seat))

    def _holds(self, check: Check, seat: int, told: Outcome) -> bool:
        """Whether a breach is one whenever the cards came that hands hid for long."""
        context = self._context
        assert context is not None
        return breach_holds(told, context.round, self._new_round, self._judge_of(check, seat))

    def _judge_of(self, check: Check, seat: int) -> Callable[[Round], Outcome | None]:
        """What a check says of another course of the round."""
        context = self._context
        assert context is not None
        return lambda r: check.judge(dataclasses.replace(context, round=r), seat)

    def _of_its_day(self, check: Check, outcome: Outcome) -> Outcome:
        """Undetermined where the section read otherwise on the day of the round, or was not in force."""
        date = self._rules[check.check_id].date
        held = self._day is None or date is None or date.effective <= self._day
        if held or outcome.verdict is Verdict.NOT_APPLICABLE:
            return outcome
        assert date is not None
        chapter = f"§ {self.table.law.chapter}{date.section}"
        missing = (
            f"the law of {self._day}; the text held of {chapter} is in force since {date.effective} ({date.source})"
        )
        return _left_open(outcome, missing)

    def _contested(self, check: Check, seat: int, outcome: Outcome) -> Outcome:
        """A breach with the other readings of the law under which it would be none."""
        context = self._context
        assert context is not None
        r, table = context.round, self.table
        found = list(outcome.alternatives)
        taken = list(outcome.readings)
        for name, value in _other_readings(table):
            r.table = dataclasses.replace(table, readings={**table.readings, name: value})
            try:
                other = check.judge(context, seat)
            finally:
                r.table = table
            if (other is None or other.verdict is not Verdict.BREACH) and f"{name}={value}" not in found:
                found.append(f"{name}={value}")
                taken.append(f"{name}={table.reading(name)}")
        if not found:
            return outcome
        kept = tuple(dict.fromkeys(taken))
        return dataclasses.replace(outcome, alternatives=tuple(found), readings=kept)

    def _finding(self, check: Check, seat: int, outcome: Outcome, r: Round) -> Finding:
        rule: Rule = self._rules[check.check_id]
        about = outcome.seat if outcome.seat is not None else (seat or None)
        shown = {step.index: step for step in (*outcome.steps, *outcome.beside)}
        steps = [shown[index] for index in sorted(shown)]
        last = max((step.t_s for step in steps), default=r.now_s)
        frames = tuple(sorted({frame for step in steps for frame in step.event.frames}))
        place = outcome.area if not check.per_seat else None
        return Finding(
            finding_id=finding_id(self.table.table_id, r.round_id, check.check_id, about, _scope(check, place)),
            check_id=check.check_id,
            verdict=outcome.verdict,
            severity=_severity(outcome, rule),
            citation=rule.cited(self.table.dealing),
            table_id=self.table.table_id,
            round_id=r.round_id,
            seat=about,
            area=outcome.area,
            t_s=last,
            since_s=min((step.t_s for step in steps), default=last),
            expected=outcome.expected,
            seen=outcome.seen,
            text=_text(outcome, rule, about),
            missing=outcome.missing,
            events=tuple(step.index for step in steps),
            frames=frames,
            owed_cents=outcome.owed_cents,
            paid_cents=outcome.paid_cents,
            consequence=rule.consequence if outcome.verdict is Verdict.BREACH else "",
            readings=outcome.readings,
            confidence=min((step.event.confidence for step in outcome.steps), default=1.0),
        )


def _end(outcome: Outcome) -> Outcome:
    """What two ends of a check must share to be one: all but the words of what was expected and the events."""
    return dataclasses.replace(outcome, expected="", steps=(), beside=())


def _witnessed(outcome: Outcome, r: Round) -> Outcome:
    """Undetermined where a breach rests on something that happened, or was first noticed, while nothing was seen there."""
    if outcome.verdict is not Verdict.BREACH or not r.gaps:
        return outcome
    for step in outcome.steps:
        area = step.area
        if area is None:
            continue
        gap = r.gap((area,), step.t_s, step.t_s)
        if gap is not None and gap is not step:
            missing = f"when and how {area} changed; nothing was seen there at {step.t_s:.1f} s"
            return _left_open(outcome, missing)
    return outcome


def _left_open(outcome: Outcome, missing: str) -> Outcome:
    """The outcome as undetermined, for want of something."""
    return dataclasses.replace(
        outcome, verdict=Verdict.UNDETERMINED, seen="", missing=missing, alternatives=(), voids=False
    )


def reaching(steps: Iterable[Step]) -> list[Step]:
    """The hands that may have laid a wager: over a betting area, and not the dealer's."""
    return [
        step
        for step in steps
        if isinstance(step.event, HandOver)
        and wager_of(step.event.area) is not None
        and step.event.side is not Side.DEALER
    ]


def _scope(check: Check, place: str | None) -> str | None:
    """What tells apart two findings of one check for the whole table: that of the community cards."""
    return "community" if (place or "").startswith("community.") else check.scope


def _deals(event: Event, groups: Sequence[str]) -> bool:
    """Whether an event can be the first of a deal; `groups` are the game's areas with cards of no player."""
    if not isinstance(event, (CardPlaced, StackPlaced)):
        return False
    if seat_of(event.area) is None and not isinstance(event, CardPlaced):
        return False
    return holds_cards(event.area, groups)


def _sure(outcome: Outcome) -> Outcome:
    """A verdict, either way, that rests on an event below confidence is undetermined."""
    if outcome.verdict not in (Verdict.BREACH, Verdict.COMPLIANT):
        return outcome
    weakest = min((step.event.confidence for step in outcome.steps), default=1.0)
    if weakest >= VERDICT_CONFIDENCE:
        return outcome
    return _left_open(
        outcome, f"surer evidence ({weakest:.2f}, at least {VERDICT_CONFIDENCE} needed) that {outcome.seen}"
    )


def _other_readings(table: TableConfig) -> Iterator[tuple[str, str]]:
    """Every switch of the table's game that is a reading of the law, with each value that it does not have."""
    for name, item in readings().items():
        if table.game in item.games and not item.house:
            for value in item.allowed:
                if value != table.reading(name):
                    yield name, value


def _severity(outcome: Outcome, rule: Rule) -> Severity:
    """A breach that another admissible reading would not find weighs a warning at most."""
    weighs = outcome.severity or rule.severity
    contested = outcome.verdict is Verdict.BREACH and bool(outcome.alternatives)
    return Severity.WARNING if contested and weighs is Severity.CRITICAL else weighs


def _reading(alternative: str, prefix: str) -> str:
    """A reading with the ambiguity of the game that it is about, e.g. "lock.at=first_card (RIU-A13)"."""
    names = [n for n in ambiguities_of(alternative.partition("=")[0]) if n.startswith(("ALL-", f"{prefix}-"))]
    return f"{alternative} ({', '.join(names)})" if names else alternative


def _text(outcome: Outcome, rule: Rule, seat: int | None) -> str:
    """One sentence for the floor."""
    where = f"Seat {seat}: " if seat is not None else ""
    if outcome.verdict is Verdict.BREACH:
        then = f" The law: {rule.consequence}." if rule.consequence else ""
        prefix = rule.check_id.partition("-")[0]
        others = " or ".join(_reading(alternative, prefix) for alternative in outcome.alternatives)
        other = f" No breach under {others}." if others else ""
        return f"{where}{outcome.seen}; expected: {outcome.expected}.{then}{other}"
    if outcome.verdict is Verdict.UNDETERMINED:
        return f"{where}cannot be judged: {outcome.missing}."
    return f"{where}{rule.check} {outcome.seen[:1].upper()}{outcome.seen[1:]}." if outcome.seen else where + rule.check
