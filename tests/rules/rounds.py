"""Builds the events of a round of Raise It Up, honest by default; a test changes single steps of it.

The order and the timing are those of a dealer who follows 58 Pa. Code § 669a.11: wagers, the announcement, three passes of
cards, the community cards, the stub, the examination, three decisions, settlement from the highest seat down, the rack.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypedDict, TypeVar

from rules.cards import parse_cards
from rules.events import (
    CardPlaced,
    CardRemoved,
    CardTurned,
    Event,
    Face,
    HandOver,
    NoMoreBets,
    PayoutPlaced,
    Side,
    StackPlaced,
    WagerPlaced,
    WagerRemoved,
)
from rules.findings import Finding, Verdict
from rules.settlement.raise_it_up import settle_seat
from rules.submission import KEYS
from rules.table import TableConfig

BOXES = ("4th", "5th", "6th")
TABLE = "riu-test"


class At(TypedDict):
    """Where and when an event was."""

    table_id: str
    t_s: float


AT: At = {"table_id": "", "t_s": 0.0}
"""Of an event that is given its table and time by the script it is put into."""
E = TypeVar("E", bound=Event)


def altered(event: E, **fields: Any) -> E:
    """The event with these fields replaced, whatever its kind: it is an error where its kind has no such field."""
    return replace(event, **fields)


def table_mapping(**changes: object) -> dict[str, object]:
    """A table file's content; keyword arguments replace keys of the top or of `rules_submission`."""
    rules: dict[str, object] = {
        "dealing": "manual_shoe",
        "seats": 6,
        "shuffler": {"automated": False, "counts_cards": False},
        "decks": 1,
        "paytables": {"pair_plus": "A", "six_card_bonus": "B"},
    }
    doc: dict[str, object] = {
        "version": 1,
        "table_id": TABLE,
        "game": "raise_it_up",
        "rules_submission": rules,
        "readings": {"decision.inference": "signals"},
        "layout": "raise_it_up_6",
    }
    for key, value in changes.items():
        (rules if key in (*rules, "progressive_unit_cents", *KEYS) else doc)[key] = value
    return doc


def table(**changes: object) -> TableConfig:
    """The table of `table_mapping`."""
    return TableConfig.from_mapping(table_mapping(**changes))


@dataclass(frozen=True, slots=True)
class Seat:
    """One player: cards, wagers in cents, and the decision at which Play is made (0: fold at the third)."""

    number: int
    cards: tuple[str, str, str]
    wagers: Mapping[str, int | None]
    street: int
    multiple: float = 1.0

    @property
    def play(self) -> int:
        return int((self.wagers["ante"] or 0) * self.multiple)


def seat(number: int, cards: str, street: int, multiple: float = 1.0, **wagers: int | None) -> Seat:
    """A seat with Ante and Blind of 10.00 unless given otherwise."""
    a, b, c = cards.split()
    return Seat(number, (a, b, c), {"ante": 1000, "blind": 1000, **wagers}, street, multiple)


COMMUNITY = ("Td", "4s", "9c")
SEATS = (
    seat(1, "Th 8c 2d", 1, 3, pair_plus=500),  # pair of tens: wins
    seat(3, "Ac Ad 6h", 2, 2, six_card_bonus=500, pair_plus=500),  # pair of aces: wins, pair plus wins
    seat(4, "Jc 7d 3h", 0),  # folds
    seat(6, "Kh 5c 7s", 3, 1, six_card_bonus=500),  # nothing: loses
)


@dataclass
class Script:
    """Timed events under a name each, so that tests find and change them. Every change returns the script, for the next one.

    Names: `wager:3.ante`, `nmb`, `deal:3.0`, `deal:community.4th`, `stub`, `examine:3`, `check:3.1`, `play:3`, `fold:4`,
    `fold-collect:4.ante`, `fold-rack:4.0`, `reveal:1`, `turn:3.0`, `pay:3.ante`, `collect:6.ante`, `take:3.ante`,
    `rack:3.0`, `rack:community.4th`.
    """

    items: list[tuple[str, Event]] = field(default_factory=list)
    t_s: float = 0.0
    table_id: str = TABLE

    def add(self, name: str, event: Event, wait_s: float = 0.5) -> None:
        self.t_s += wait_s
        self.items.append((name, replace(event, t_s=round(self.t_s, 3), table_id=self.table_id)))

    @property
    def events(self) -> list[Event]:
        return [event for _, event in self.items]

    def names(self, prefix: str) -> list[str]:
        return [name for name, _ in self.items if name.startswith(prefix)]

    def index(self, name: str) -> int:
        return [key for key, _ in self.items].index(name)

    def get(self, name: str) -> Event:
        return self.items[self.index(name)][1]

    def one(self, kind: type[E], name: str) -> E:
        """The event of this name, which is of this kind."""
        event = self.get(name)
        assert isinstance(event, kind), f"{name} is {event.kind}, not {kind.kind}"
        return event

    def card_id(self, name: str) -> int:
        """The card that the event of this name tells of."""
        event = self.get(name)
        assert isinstance(event, CardPlaced | CardTurned | CardRemoved), f"{name} is {event.kind}"
        return event.card_id

    def area(self, name: str) -> str:
        """The area that the event of this name is about."""
        area = getattr(self.get(name), "area", None)
        assert isinstance(area, str), f"{name} has no area"
        return area

    def change(self, *names: str, **fields: object) -> Script:
        """Replace these fields of each event named."""
        for name in names:
            i = self.index(name)
            self.items[i] = (name, altered(self.items[i][1], **fields))
        return self

    def drop(self, *prefixes: str) -> Script:
        """Take out every event whose name begins so."""
        self.items = [item for item in self.items if not item[0].startswith(prefixes)]
        return self

    def swap(self, a: str, b: str) -> Script:
        """Exchange two events and their times."""
        i, j = self.index(a), self.index(b)
        (name_a, first), (name_b, second) = self.items[i], self.items[j]
        self.items[i] = (name_b, replace(second, t_s=first.t_s))
        self.items[j] = (name_a, replace(first, t_s=second.t_s))
        return self

    def move(self, name: str, *, before: str, lead_s: float = 0.2) -> Script:
        """Put an event before another, a little earlier than it."""
        item = self.items.pop(self.index(name))
        i = self.index(before)
        self.items.insert(i, (item[0], replace(item[1], t_s=round(self.items[i][1].t_s - lead_s, 3))))
        return self

    def insert(self, event: Event, *, after: str, name: str = "new", wait_s: float = 0.1) -> Script:
        """Put a new event after another."""
        i = self.index(after)
        t = round(self.items[i][1].t_s + wait_s, 3)
        self.items.insert(i + 1, (name, replace(event, t_s=t, table_id=self.table_id)))
        return self


Edit = Callable[[Script], object]
"""What a test does to an honest round."""


def hands_told(script: Script) -> Script:
    """Over the place of every wager made before the deal its player's hand is told, as a camera tells it."""
    for name in script.names("wager:"):
        made = script.get(name)
        if isinstance(made, WagerPlaced):
            hand = _hand(round(made.t_s - 0.2, 3), made.area, Side.PLAYER)
            script.insert(hand, after=name, name=name.replace("wager", "laid", 1))
    return script


def last_act(script: Script, seat: int) -> str:
    """The last wager of a seat that the dealer paid or collected at settlement; its hand turned, where none was."""
    acts = [*script.names(f"pay:{seat}."), *script.names(f"collect:{seat}.")]
    return max(acts, key=lambda name: script.get(name).t_s, default=f"turn-hand:{seat}")


def nobody_at(script: Script, seat: int) -> Script:
    """A seat where nobody plays, but for the cards that it is dealt: no wagers, no payouts, no hand over the cards."""
    played = (
        "wager", "laid", "examine", "check", "play", "decide", "pay", "collect", "take", "fold-collect", "move", "withdraw", "ride",
    )  # fmt: skip
    return script.drop(
        *(
            name
            for kind in played
            for name in script.names(f"{kind}:")
            if name.partition(":")[2].partition(".")[0] == str(seat)
        )
    )


def build(
    seats: Sequence[Seat] = SEATS,
    community: Sequence[str] = COMMUNITY,
    *,
    t_s: float = 10.0,
    first_card_id: int = 100,
    paytables: Mapping[str, str] | None = None,
) -> Script:
    """A round in which everyone keeps the law."""
    s = Script(t_s=t_s)
    chosen = {"pair_plus": "A", "six_card_bonus": "B"} if paytables is None else paytables
    ids: dict[str, int] = {}
    for p in seats:
        for wager, cents in p.wagers.items():
            area = f"seat{p.number}.{wager}"
            s.add(
                f"wager:{p.number}.{wager}",
                WagerPlaced(**AT, area=area, amount_cents=cents, by=Side.PLAYER),
            )
    s.add("nmb", NoMoreBets(**AT), 2.0)
    s.t_s += 1.0
    for card in range(3):
        for p in seats:
            ids[f"{p.number}.{card}"] = first_card_id + len(ids)
            area, key = f"seat{p.number}.cards", f"{p.number}.{card}"
            s.add(f"deal:{key}", CardPlaced(**AT, area=area, card_id=ids[key], face=Face.DOWN))
    for box in BOXES:
        ids[box] = first_card_id + len(ids)
        area = f"community.{box}"
        s.add(f"deal:{area}", CardPlaced(**AT, area=area, card_id=ids[box], face=Face.DOWN))
    s.add("stub", StackPlaced(**AT, area="discard_rack"), 1.0)
    for p in seats:
        s.add(f"examine:{p.number}", _hand(s.t_s, f"seat{p.number}.cards", Side.PLAYER), 1.5)
    for street, box in enumerate(BOXES, start=1):
        for p in seats:
            _decide(s, p, street, ids)
        area = f"community.{box}"
        s.add(
            f"reveal:{street}",
            CardTurned(**AT, area=area, card_id=ids[box], face=Face.UP, card=community[street - 1]),
            2.0,
        )
    for p in sorted(seats, key=lambda p: -p.number):
        if p.street or "six_card_bonus" in p.wagers:
            _settle(s, p, community, chosen, ids)
    s.t_s += 2.0
    for p in sorted(seats, key=lambda p: -p.number):
        if p.street or "six_card_bonus" in p.wagers:
            for card in range(3):
                s.add(f"rack:{p.number}.{card}", _removed(f"seat{p.number}.cards", ids[f"{p.number}.{card}"]), 0.1)
    for box in BOXES:
        s.add(f"rack:community.{box}", _removed(f"community.{box}", ids[box]), 0.1)
    return s


def _hand(since_s: float, area: str, side: Side) -> HandOver:
    return HandOver(**AT, area=area, since_s=since_s, side=side)


def _removed(area: str, card_id: int) -> CardRemoved:
    return CardRemoved(**AT, area=area, card_id=card_id, to_area="discard_rack")


def _decide(s: Script, p: Seat, street: int, ids: Mapping[str, int]) -> None:
    n = p.number
    if p.street and p.street < street:
        return
    if p.street == street:
        s.add(f"play:{n}", WagerPlaced(**AT, area=f"seat{n}.play", amount_cents=p.play, by=Side.PLAYER), 1.5)
    elif street < 3:
        s.add(f"check:{n}.{street}", _hand(s.t_s + 1.0, f"seat{n}.cards", Side.PLAYER), 1.5)
    else:
        s.add(f"fold:{n}", _hand(s.t_s + 1.0, f"seat{n}.cards", Side.PLAYER), 1.5)
        for wager in ("ante", "blind"):
            s.add(
                f"fold-collect:{n}.{wager}",
                WagerRemoved(**AT, area=f"seat{n}.{wager}", by=Side.DEALER),
                0.5,
            )
        if "six_card_bonus" not in p.wagers:
            for card in range(3):
                s.add(f"fold-rack:{n}.{card}", _removed(f"seat{n}.cards", ids[f"{n}.{card}"]), 0.2)


def _settle(s: Script, p: Seat, community: Sequence[str], paytables: Mapping[str, str], ids: Mapping[str, int]) -> None:
    n = p.number
    s.t_s += 0.5
    for card, face in enumerate(p.cards):
        turned = CardTurned(**AT, area=f"seat{n}.cards", card_id=ids[f"{n}.{card}"], face=Face.UP, card=face)
        s.add(f"turn:{n}.{card}", turned, 0.05)
    s.add(f"turn-hand:{n}", _hand(s.t_s - 0.6, f"seat{n}.cards", Side.DEALER), 0.3)
    stakes = {wager: cents or 500 for wager, cents in p.wagers.items()}
    folded = p.street == 0
    if folded:
        stakes = {wager: cents for wager, cents in stakes.items() if wager not in ("ante", "blind")}
    else:
        stakes["play"] = p.play
    results = settle_seat(parse_cards(p.cards), parse_cards(community), stakes, folded=folded, paytables=paytables)
    for wager, result in results.items():
        area = f"seat{n}.{wager}"
        if result.outcome == "lose":
            s.add(f"collect:{n}.{wager}", WagerRemoved(**AT, area=area, by=Side.DEALER), 0.6)
        elif result.outcome == "win":
            s.add(f"pay:{n}.{wager}", PayoutPlaced(**AT, area=area, amount_cents=result.owed_cents), 0.8)
    for wager, result in results.items():
        if result.outcome != "lose":
            s.add(f"take:{n}.{wager}", WagerRemoved(**AT, area=f"seat{n}.{wager}", by=Side.PLAYER), 0.3)


def judge(events: Iterable[Event], config: TableConfig | None = None) -> list[Finding]:
    """All findings of these events, the round ended at their end."""
    from rules.engine import Engine

    engine = Engine(config or table())
    found = list(engine.feed_all(events))
    return found + list(engine.close())


def breaches(findings: Iterable[Finding]) -> list[tuple[str, int | None]]:
    """Check and seat of every breach, in order of check."""
    return sorted(((f.check_id, f.seat) for f in findings if f.verdict is Verdict.BREACH), key=str)


def verdicts(findings: Iterable[Finding], check_id: str) -> dict[int | None, Verdict]:
    """Verdict of one check by seat."""
    return {f.seat: f.verdict for f in findings if f.check_id == check_id}
