"""Builds the events of a round of Caribbean Stud, Let It Ride or DJ Wild, honest by default; a test changes single steps.

Names of the events in a `Script`: `wager:3.ante`, `nmb`, `deal:3.0`, `deal:dealer.0`, `deal:community.1`, `stub`,
`examine:3`, `decide:3` (chips for Bet or Raise), `move:3.bet1` and `withdraw:3.bet1`, `fold-collect:4.ante`,
`fold-rack:4.0`, `reveal:dealer.1`, `reveal:1`, `turn:3.0`, `turn-hand:3`, `pay:3.ante`, `collect:6.ante`, `take:3.ante`,
`rack:3.0`, `rack:dealer.0`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from rounds import AT, Script, breaches, judge

from rules.events import (
    CardMoved,
    CardPlaced,
    CardRemoved,
    CardTurned,
    Face,
    HandOver,
    NoMoreBets,
    PayoutPlaced,
    Side,
    StackPlaced,
    WagerPlaced,
    WagerRemoved,
)
from rules.settlement.rounds import settle_round
from rules.table import TableConfig

CHAPTERS = {"caribbean_stud": "639a", "let_it_ride": "643a", "dj_wild": "687a"}
PAYTABLES: Mapping[str, Mapping[str, str]] = {
    "caribbean_stud": {"bonus": "A"},
    "let_it_ride": {"main": "A", "five_card_bonus": "A", "three_card_bonus": "A", "six_card_bonus": "A"},
    "dj_wild": {"trips": "04", "bad_beat": "01"},
}
AUTOMATED = {"automated": True, "counts_cards": False}


def changed(players: Sequence[Player], number: int, **fields: Any) -> list[Player]:
    """The players with some fields of one replaced."""
    return [replace(p, **fields) if p.number == number else p for p in players]


def rewagered(players: Sequence[Player], number: int, **more: int | None) -> list[Player]:
    """The players with some wagers of one replaced."""
    return [replace(p, wagers={**p.wagers, **more}) if p.number == number else p for p in players]


def found(game: str, script: Script, **config: object) -> list[tuple[str, int | None]]:
    """The breaches in a script at a table of the game."""
    return breaches(judge(script.events, table(game, **config)))


def table(game: str, **changes: object) -> TableConfig:
    """A table of a game; keyword arguments replace keys of the file's top or of `rules_submission`."""
    dealing = changes.get("dealing", "manual_shoe")
    rules: dict[str, object] = {
        "dealing": dealing,
        "seats": 6,
        "shuffler": AUTOMATED if dealing != "manual_shoe" else {},
        "paytables": dict(PAYTABLES[game]),
    }
    doc: dict[str, object] = {"version": 1, "table_id": game, "game": game, "rules_submission": rules}
    for key, value in changes.items():
        (doc if key in ("readings", "chips", "reports") else rules)[key] = value
    return TableConfig.from_mapping(doc)


@dataclass(frozen=True, slots=True)
class Player:
    """One player: cards in words, wagers before the deal in cents, and what was decided.

    `decision` is "bet", "raise" or "fold"; in Let It Ride the bets withdrawn, e.g. "bet1", "bet1 bet2" or "".
    """

    number: int
    cards: str
    wagers: Mapping[str, int | None]
    decision: str
    times: float = 2.0

    @property
    def hand(self) -> list[str]:
        return self.cards.split()

    @property
    def folds(self) -> bool:
        return self.decision == "fold"

    @property
    def raised(self) -> int:
        return int((self.wagers["ante"] or 0) * self.times)


def player(number: int, cards: str, decision: str, times: float = 2.0, **wagers: int | None) -> Player:
    """A player; what is wagered beside the game's base wagers of 10.00 is given by name."""
    return Player(number, cards, wagers, decision, times)


@dataclass
class Plan:
    """A round to be built: the players, the other cards, and how they are dealt.

    Attributes:
        shared: cards by group: "dealer", "community", "six_cards", "extra".
        dealing: "manual_shoe" or "automated_shoe".
    """

    game: str
    players: Sequence[Player]
    shared: Mapping[str, Sequence[str]]
    dealing: str = "manual_shoe"
    t_s: float = 10.0
    first_card_id: int = 100
    paytables: Mapping[str, str] = field(default_factory=dict)

    @property
    def stands(self) -> list[Player]:
        """Players whose hands are settled, from the highest seat down."""
        kept = ("trips", "progressive") if self.game == "dj_wild" else ()
        return sorted((p for p in self.players if not p.folds or set(kept) & set(p.wagers)), key=lambda p: -p.number)


def results(plan: Plan) -> dict[str, dict[str, Any]]:
    """What every wager of the round is owed, from the settlement of the game."""
    seats = []
    for p in plan.players:
        decision: dict[str, Any] = {"decision": {"action": p.decision}}
        if plan.game == "let_it_ride":
            out = p.decision.split()
            decision = {"decisions": {bet: "withdraw" if bet in out else "ride" for bet in ("bet1", "bet2")}}
        wagers = {name: cents or 500 for name, cents in p.wagers.items()}
        seats.append({"seat": p.number, "wagers": wagers, "cards": p.hand, **decision})
    document: dict[str, Any] = {
        "id": "built",
        "game": CHAPTERS[plan.game],
        "config": {"dealing": plan.dealing, "paytables": dict(plan.paytables or PAYTABLES[plan.game])},
        "seats": seats,
    }
    if "dealer" in plan.shared:
        document["dealer"] = {"cards": list(plan.shared["dealer"])}
    if "community" in plan.shared:
        document["community"] = list(plan.shared["community"][:2])
    if "six_cards" in plan.shared:
        document["six_cards"] = list(plan.shared["six_cards"])
    if "extra" in plan.shared:
        document["replacement"] = plan.shared["extra"][0]
    seats_owed: dict[str, dict[str, Any]] = settle_round(document)["seats"]
    return seats_owed


class Builder:
    """Writes a plan's events into a script, in the order and at the pace of a dealer who follows the chapter."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.script = Script(t_s=plan.t_s, table_id=plan.game)
        self.ids: dict[str, int] = {}

    def build(self) -> Script:
        s, plan = self.script, self.plan
        for p in plan.players:
            for wager, cents in p.wagers.items():
                self.chips(f"wager:{p.number}.{wager}", p.number, wager, cents, 0.5)
        s.add("nmb", NoMoreBets(**AT), 2.0)
        s.t_s += 1.0
        if plan.dealing == "automated_shoe":
            self.deal_stacks()
        else:
            self.deal_cards()
        s.add("stub", StackPlaced(**AT, area="discard_rack"), 1.0)
        for p in plan.players:
            s.add(f"examine:{p.number}", hand(s.t_s, f"seat{p.number}.cards", Side.PLAYER), 1.5)
        if plan.game == "let_it_ride":
            self.ride()
        else:
            self.decide()
        owed = results(plan)
        for p in plan.stands:
            self.settle(p, owed[str(p.number)])
        s.t_s += 2.0
        for p in plan.stands:
            for card in range(len(p.hand)):
                self.rack(f"{p.number}.{card}", f"seat{p.number}.cards")
        for key, area in [(key, self.areas[key]) for key in self.ids if not key[0].isdigit()]:
            if key not in self.gone:
                self.rack(key, area)
        return s

    # -- acts -----------------------------------------------------------------------------------------------------

    def chips(self, name: str, seat: int, wager: str, cents: int | None, wait_s: float) -> None:
        placed = WagerPlaced(**AT, area=f"seat{seat}.{wager}", amount_cents=cents, by=Side.PLAYER)
        self.script.add(name, placed, wait_s)

    def card(self, key: str, area: str, face: Face = Face.DOWN, card: str | None = None, wait_s: float = 0.5) -> None:
        self.ids[key] = self.plan.first_card_id + len(self.ids)
        self.areas[key] = area
        placed = CardPlaced(**AT, area=area, card_id=self.ids[key], face=face, card=card)
        self.script.add(f"deal:{key}", placed, wait_s)

    areas: dict[str, str]
    gone: set[str]

    def turn(self, name: str, key: str, area: str, card: str, wait_s: float) -> None:
        turned = CardTurned(**AT, area=area, card_id=self.ids[key], face=Face.UP, card=card)
        self.script.add(name, turned, wait_s)

    def rack(self, key: str, area: str, name: str = "rack", wait_s: float = 0.1) -> None:
        removed = CardRemoved(**AT, area=area, card_id=self.ids[key], to_area="discard_rack")
        self.script.add(f"{name}:{key}", removed, wait_s)
        self.gone.add(key)

    # -- the deal -------------------------------------------------------------------------------------------------

    def deal_cards(self) -> None:
        self.areas, self.gone = {}, set()
        game, shared = self.plan.game, self.plan.shared
        numbers = [p.number for p in self.plan.players]
        if game == "caribbean_stud":
            for turn in range(5):
                for n in numbers:
                    self.card(f"{n}.{turn}", f"seat{n}.cards")
                up = turn == 0
                self.card(f"dealer.{turn}", "dealer.1" if up else "dealer.2", Face.UP if up else Face.DOWN,
                          shared["dealer"][0] if up else None)  # fmt: skip
        elif game == "let_it_ride":
            for place in range(3 if "six_cards" in shared else 0):
                self.card(f"six_cards.{place + 1}", f"six_cards.{place + 1}")
            for turn in range(3):
                for n in numbers:
                    self.card(f"{n}.{turn}", f"seat{n}.cards")
                if turn < 2:
                    self.card(f"community.{turn + 1}", f"community.{turn + 1}")
        else:
            for n in numbers:
                for turn in range(5):
                    self.card(f"{n}.{turn}", f"seat{n}.cards")
            for turn in range(5):
                self.card(f"dealer.{turn}", "dealer.cards")
            if "extra" in shared:
                self.card("extra.1", "extra.1")

    def deal_stacks(self) -> None:
        self.areas, self.gone = {}, set()
        s, shared = self.script, self.plan.shared
        cards = 3 if self.plan.game == "let_it_ride" else 5
        for p in self.plan.players:
            s.add(f"stack:{p.number}", StackPlaced(**AT, area=f"seat{p.number}.cards", count=cards), 1.0)
        if "dealer" in shared:
            s.add("stack:dealer", StackPlaced(**AT, area="dealer.cards", count=5), 1.0)
            for place in range(5):
                self.card(f"dealer.{place}", f"dealer.{place + 1}", wait_s=0.1)
            if self.plan.game == "caribbean_stud":
                self.turn("upcard", "dealer.0", "dealer.1", shared["dealer"][0], 0.5)
        if "community" in shared:
            s.add("stack:community", StackPlaced(**AT, area="community.cards", count=3), 1.0)
            for place in (0, 1, 2):
                self.card(f"community.{place}", f"community.{place}", wait_s=0.1)
            self.rack("community.0", "community.0", "third", 0.5)
        if "six_cards" in shared:
            s.add("stack:six_cards", StackPlaced(**AT, area="six_cards.cards", count=3), 1.0)
            for place in range(3):
                self.card(f"six_cards.{place + 1}", f"six_cards.{place + 1}", wait_s=0.1)
        if "extra" in shared:
            self.card("extra.1", "extra.1", wait_s=1.0)
        for p in self.plan.players:
            for card in range(cards):
                self.ids[f"{p.number}.{card}"] = self.plan.first_card_id + 500 + len(self.ids)
                self.areas[f"{p.number}.{card}"] = f"seat{p.number}.cards"

    # -- decisions ------------------------------------------------------------------------------------------------

    def decide(self) -> None:
        s, plan = self.script, self.plan
        wager = "bet" if plan.game == "caribbean_stud" else "raise"
        lost = ("ante", "bonus") if plan.game == "caribbean_stud" else ("ante", "blind", "bad_beat")
        for p in plan.players:
            if p.folds:
                s.add(f"fold:{p.number}", hand(s.t_s + 1.0, f"seat{p.number}.cards", Side.PLAYER), 1.5)
            else:
                self.chips(f"decide:{p.number}", p.number, wager, p.raised, 1.5)
        s.t_s += 1.5
        for p in plan.players:
            if p.folds:
                for name in lost:
                    if name in p.wagers:
                        taken = WagerRemoved(**AT, area=f"seat{p.number}.{name}", by=Side.DEALER)
                        s.add(f"fold-collect:{p.number}.{name}", taken, 0.5)
                if p not in plan.stands:
                    for card in range(5):
                        if plan.dealing != "automated_shoe":
                            self.rack(f"{p.number}.{card}", f"seat{p.number}.cards", "fold-rack", 0.2)
        s.t_s += 1.0
        first = 1 if plan.game == "caribbean_stud" else 0
        for place in range(first, 5):
            key = f"dealer.{place}"
            self.turn(f"reveal:{key}", key, self.areas[key], plan.shared["dealer"][place], 0.1)

    def ride(self) -> None:
        s, plan = self.script, self.plan
        for number, bet in enumerate(("bet1", "bet2"), start=1):
            for p in plan.players:
                n, area = p.number, f"seat{p.number}.{bet}"
                if bet in p.decision.split():
                    s.add(f"move:{n}.{bet}", hand(s.t_s + 1.0, area, Side.DEALER), 1.5)
                    s.add(f"withdraw:{n}.{bet}", WagerRemoved(**AT, area=area, by=Side.PLAYER), 0.7)
                else:
                    s.add(f"ride:{n}.{bet}", hand(s.t_s + 1.0, f"seat{n}.cards", Side.PLAYER), 1.5)
            key = f"community.{number}"
            self.turn(f"reveal:{number}", key, key, plan.shared["community"][number - 1], 2.0)
            if number == 1:
                moved = CardMoved(**AT, area="community.3", from_area=key, card_id=self.ids[key])
                s.add("placed:1", moved, 0.5)
                self.areas[key] = "community.3"

    # -- settlement -----------------------------------------------------------------------------------------------

    def settle(self, p: Player, owed: Mapping[str, Any]) -> None:
        s, n = self.script, p.number
        s.t_s += 0.8
        for card, face in enumerate(p.hand):
            key, area = f"{n}.{card}", f"seat{n}.cards"
            if self.plan.dealing == "automated_shoe":
                placed = CardPlaced(**AT, area=area, card_id=self.ids[key], face=Face.UP, card=face)
                s.add(f"turn:{key}", placed, 0.05)
            else:
                self.turn(f"turn:{key}", key, area, face, 0.05)
        s.add(f"turn-hand:{n}", hand(s.t_s - 0.6, f"seat{n}.cards", Side.DEALER), 0.3)
        if self.plan.game == "dj_wild" and p.folds:
            owed = {name: end for name, end in owed.items() if name == "trips"}
        out = p.decision.split() if self.plan.game == "let_it_ride" else []
        for wager, end in owed.items():
            if wager in out:
                continue
            if wager == "six_card_bonus" and "six_cards.1" in self.ids and not s.names("reveal:six"):
                for place, face in enumerate(self.plan.shared["six_cards"], start=1):
                    key = f"six_cards.{place}"
                    self.turn(f"reveal:six.{place}", key, key, face, 0.1)
            area = f"seat{n}.{wager}"
            if end["outcome"] == "lose":
                s.add(f"collect:{n}.{wager}", WagerRemoved(**AT, area=area, by=Side.DEALER), 0.6)
            elif end["outcome"] == "win":
                paid = end["return"] - end["wager"]
                s.add(f"pay:{n}.{wager}", PayoutPlaced(**AT, area=area, amount_cents=paid), 0.8)
        for wager, end in owed.items():
            if wager not in out and end["outcome"] != "lose":
                s.add(f"take:{n}.{wager}", WagerRemoved(**AT, area=f"seat{n}.{wager}", by=Side.PLAYER), 0.3)


def hand(since_s: float, area: str, side: Side | None) -> HandOver:
    return HandOver(**AT, area=area, since_s=since_s, side=side)


def build(plan: Plan) -> Script:
    """A round in which everyone keeps the law."""
    return Builder(plan).build()
