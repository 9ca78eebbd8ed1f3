"""What the cases of every rule are made of: honest rounds of each game and dealing method, and changes of them.

A case is a round, or several, in which one rule is broken and no other, or in which it is kept. The rounds are those of the
tests of the single games; here they are dealt by hand and from an automated shoe too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import game_rounds
import house
import rounds
import test_caribbean_stud_checks as car
import test_dj_wild_checks as djw
import test_let_it_ride_checks as lir
from rounds import AT, Script, altered, breaches, judge

from rules.catalogue import METHODS
from rules.event_base import Agent
from rules.events import CardPlaced, CardTurned, Event, Face, StackPlaced
from rules.findings import Verdict
from rules.house_events import WagersBanked, WagersCollected, WagersLocked
from rules.law import game_law
from rules.table import TableConfig

GAMES = {"RIU": "raise_it_up", "CAR": "caribbean_stud", "LIR": "let_it_ride", "DJW": "dj_wild"}
PLANS: Mapping[str, Callable[..., game_rounds.Plan]] = {"CAR": car.plan, "LIR": lir.plan, "DJW": djw.plan}
DEALING = {letters: method for method, letters in METHODS.items()}
DEVICE = {"automated": True, "counts_cards": False}
UNITS = ("progressive", "progressive3", "progressive5")
TOLD = [*house.TOLD, "decision_announced"]
"""What the sources of these tables are sure to tell."""
Edit = Callable[[Script, "Kit"], object]


@dataclass
class Kit:
    """One game dealt in one way: its honest rounds and its table."""

    prefix: str
    method: str = "MS"
    more: dict[str, Any] = field(default_factory=dict)

    @property
    def game(self) -> str:
        return GAMES[self.prefix]

    @property
    def base(self) -> str:
        return game_law(self.game).base[0]

    @property
    def side(self) -> str:
        """A side wager of the game that the standard round's seat 3 has not made."""
        return {"RIU": "six_card_bonus", "CAR": "bonus", "LIR": "five_card_bonus", "DJW": "trips"}[self.prefix]

    @property
    def reveal(self) -> str:
        """The first card of the table that is turned after the deal."""
        return {"RIU": "reveal:1", "CAR": "reveal:dealer.1", "LIR": "reveal:1", "DJW": "reveal:dealer.0"}[self.prefix]

    @property
    def order(self) -> str:
        return f"{self.prefix}-{self.method}"

    def first_deal(self, s: Script) -> str:
        return next(name for name in [n for n, _ in s.items] if name.startswith(("deal:", "stack:")))

    def last_deal(self, s: Script) -> str:
        return [n for n, _ in s.items if n.startswith(("deal:", "stack:"))][-1]

    def script(self, t_s: float = 10.0, first_card_id: int = 100, **plan: Any) -> Script:
        """An honest round of the standard seats."""
        if self.prefix == "RIU":
            script = rounds.build(plan.pop("seats", rounds.SEATS), **plan, t_s=t_s, first_card_id=first_card_id)
            return stacked(script) if self.method == "AS" else script
        kind = "automated_shoe" if self.method == "AS" else "manual_shoe"
        made = PLANS[self.prefix](t_s=t_s, first_card_id=first_card_id, dealing=kind, **plan)
        return game_rounds.build(made)

    def table(self, **changes: Any) -> TableConfig:
        """A table whose sources tell of everything; keys of the file's top or of the Rules Submission may be changed."""
        paytables = {"pair_plus": "A", "six_card_bonus": "B"} if self.prefix == "RIU" else {}
        paytables = {**(paytables or game_rounds.PAYTABLES[self.game]), **changes.pop("paytables", {})}
        given: dict[str, Any] = {"reports": TOLD, "dealing": DEALING[self.method], "paytables": paytables, **changes}
        if any(name in paytables for name in UNITS):
            given.setdefault("progressive_unit_cents", 100)
        if self.method != "MS":
            given.setdefault("shuffler", DEVICE)
        return rounds.table(**given) if self.prefix == "RIU" else game_rounds.table(self.game, **given)


def stacked(script: Script) -> Script:
    """A round of Raise It Up from an automated shoe: a stack to each seat, then the community's, laid out."""
    items: list[tuple[str, Event]] = []
    seen: set[str] = set()
    for name, event in script.items:
        kind, _, key = name.partition(":")
        group = key.partition(".")[0]
        if kind == "deal":
            area = f"seat{group}.cards" if group.isdigit() else "community.cards"
            if group not in seen:
                seen.add(group)
                items.append((f"stack:{group}", StackPlaced(table_id="", t_s=event.t_s, area=area, count=3)))
            if group.isdigit():
                continue
        if kind == "turn" and isinstance(event, CardTurned):
            up = CardPlaced(table_id="", t_s=event.t_s, area=event.area, card_id=event.card_id + 500, face=Face.UP, card=event.card)  # fmt: skip
            items.append((name, up))
            continue
        if kind in ("rack", "fold-rack") and group.isdigit():
            if kind == "fold-rack" and f"turn:{key}" not in dict(script.items):
                continue
            event = altered(event, card_id=script.card_id(name) + 500)
        items.append((name, event))
    script.items = [(name, replace(event, table_id=script.table_id)) for name, event in items]
    return script


# -- whole files ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class File:
    """The events of a case and its table."""

    events: list[Event]
    table: TableConfig

    @staticmethod
    def of(events: Sequence[Event], table: TableConfig) -> File:
        return File([replace(event, table_id=table.table_id) for event in events], table)


Make = Callable[[Kit], File]


def edited(script: Script, kit: Kit, edits: Sequence[Edit]) -> Script:
    for edit in edits:
        edit(script, kit)
    return script


def played(*edits: Edit, plan: Mapping[str, Any] | None = None, **table: Any) -> Make:
    """An honest round, changed."""

    def make(kit: Kit) -> File:
        script = edited(kit.script(**(plan or {})), kit, edits)
        return File.of(script.events, kit.table(**table))

    return make


def opening(script: Script, kit: Kit) -> None:
    """The way of a new deck to the deal, before the round."""
    house.opening(script)
    if kit.prefix == "DJW":
        script.change("spread", cards=(*house.FULL, "Jo"), count=53)


def opened(*edits: Edit, t_s: float = 1000.0, **table: Any) -> Make:
    """A new deck and its first round, changed."""

    def make(kit: Kit) -> File:
        script = kit.script(t_s=t_s)
        opening(script, kit)
        return File.of(edited(script, kit, edits).events, kit.table(**table))

    return make


def second(*edits: Edit, by: Agent = Agent.DEALER, **table: Any) -> Make:
    """A new deck, a round, the shuffle and a second round, changed."""

    def make(kit: Kit) -> File:
        first = kit.script(t_s=1000.0)
        opening(first, kit)
        script = kit.script(t_s=2000.0, first_card_id=3000)
        house.between(script, by)
        return File.of([*first.events, *edited(script, kit, edits).events], kit.table(**table))

    return make


def many(count: int, *, counted: int, **table: Any) -> Make:
    """So many rounds in a row, the stub counted in one of them (numbered from 1)."""

    def make(kit: Kit) -> File:
        events: list[Event] = []
        for n in range(count):
            script = kit.script(t_s=10.0 + 400.0 * n, first_card_id=100 + 2000 * n)
            if n + 1 == counted:
                count_stub()(script, kit)
            events += script.events
        return File.of(events, kit.table(**{"reports": [], **table}))

    return make


def before(*events: Event, then: Make | None = None) -> Make:
    """These events before an honest round, or before another case."""

    def make(kit: Kit) -> File:
        file = (then or played())(kit)
        return File.of([*events, *file.events], file.table)

    return make


# -- changes of a round -------------------------------------------------------------------------------------------------------


def change(name: str, **fields: object) -> Edit:
    return lambda s, _: s.change(name, **fields)


def drop(*prefixes: str) -> Edit:
    return lambda s, _: s.drop(*prefixes)


def swap(a: str, b: str) -> Edit:
    return lambda s, _: s.swap(a, b)


def insert(event: Event, after: str, wait_s: float = 0.1, name: str = "new") -> Edit:
    return lambda s, _: s.insert(event, after=after, wait_s=wait_s, name=name)


def at_start(event: Event) -> Edit:
    """An event that came once the wagers stood."""
    return lambda s, _: s.insert(event, after="nmb", wait_s=0.1)


def at_reveal(event: Event) -> Edit:
    """An event that came as the first card of the table was turned."""
    return lambda s, k: s.insert(event, after=k.reveal, wait_s=0.02)


def count_stub(off: int = 0, **fields: Any) -> Edit:
    """The stub counted after the deal, right or off by so many cards."""
    from rules.events import StubCounted

    def edit(s: Script, k: Kit) -> None:
        left = stub_cards(k)
        s.insert(StubCounted(**AT, count=left + off, **fields), after=k.last_deal(s), wait_s=0.3)

    return edit


def stub_cards(k: Kit) -> int:
    """Cards left after the deal of the standard round."""
    community = {"RIU": 52 - 4 * 3 - 3, "CAR": 52 - 5 * 5, "LIR": 52 - 4 * 3 - 2 - 3, "DJW": 53 - 6 * 5}[k.prefix]
    return community - (1 if k.prefix == "LIR" and k.method == "AS" else 0)


def electronic(wager: str, row: str = "", seats: tuple[int, ...] = (1, 3), cents: int = 100) -> Edit:
    """Wagers that a system accepted, locked, collected, counted and put away before the deal."""
    from rules.events import ElectronicWagerAccepted

    def edit(s: Script, k: Kit) -> None:
        last = s.names("wager:")[-1]
        for seat in seats:
            name = f"accept:{seat}"
            s.insert(ElectronicWagerAccepted(**AT, seat=seat, wager=row or wager, amount_cents=cents), after=last, name=name)  # fmt: skip
            last = name
        s.insert(WagersLocked(**AT, wager=wager), after="nmb", name="lock")
        s.insert(WagersCollected(**AT, wager=wager, count=len(seats)), after="lock", name="collect-chips")
        s.insert(WagersBanked(**AT, wager=wager), after="collect-chips", name="bank")

    return edit


def broken(make: Make, prefix: str, method: str = "MS") -> list[str]:
    """Rows broken in a case, without the game."""
    file = make(Kit(prefix, method))
    return [check_id.partition("-")[2] for check_id, _ in breaches(judge(file.events, file.table))]


def ends(make: Make, prefix: str, row: str) -> set[Verdict]:
    """How the check of a row ended."""
    file = make(Kit(prefix))
    return {f.verdict for f in judge(file.events, file.table) if f.check_id == f"{prefix}-{row}"}
