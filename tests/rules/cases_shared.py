"""Cases of the rules that several games share: the deck, the table, people, the deal, electronic wagers, irregularities.

`BREAKS` and `KEEPS` map the end of a check's id ("CUT-DEPTH", "{M}-NMB") to how it is broken, and how it is kept at the edge.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import house
import rounds
import test_caribbean_stud_checks as car
import test_dj_wild_checks as djw
import test_let_it_ride_checks as lir
from case_kit import (
    Edit,
    File,
    Kit,
    Make,
    at_reveal,
    at_start,
    before,
    change,
    count_stub,
    drop,
    electronic,
    insert,
    many,
    opened,
    opening,
    played,
    second,
    swap,
)
from rounds import AT, Script, altered, hands_told, nobody_at

from rules.event_base import Agent, Hand, Reach, Side
from rules.events import (
    CardPlaced,
    DecisionAnnounced,
    DeckChanged,
    DeviceJammed,
    ElectronicWagerAccepted,
    Event,
    Face,
    FloorDecision,
    ShufflerCounted,
    StackPlaced,
    WagerIncreased,
    WagerPlaced,
    WagerRemoved,
)
from rules.house_events import (
    CardDrawn,
    CardFoundFaceUp,
    CardsIdle,
    CardsShuffled,
    CardsSpread,
    CardsWashed,
    ConductReported,
    CoverCardInserted,
    DeckHeld,
    DeviceState,
    EquipmentSeen,
    ObjectSeen,
    ProcedureReported,
    RackSeen,
    WagersCollected,
)
from rules.law import game_law

MACHINE = {"automated": True, "counts_cards": False}
COUNTING = {"automated": True, "counts_cards": True}


# -- the deck ---------------------------------------------------------------------------------------------------------------


def coloured(back: str) -> Edit:
    def edit(s: Script, _: Kit) -> None:
        s.items = [(n, replace(e, back=back) if isinstance(e, CardPlaced) else e) for n, e in s.items]

    return edit


def two_decks(first: str, then: str, *edits: Edit, back: str = "blue", design: str = "bee") -> Make:
    """Two rounds with two decks in turns."""

    def make(kit: Kit) -> File:
        events: list[Event] = [
            DeckChanged(table_id="", t_s=1.0, deck="A", back="red", design="bee", preinspected=True),
            DeckChanged(table_id="", t_s=2.0, deck="B", back=back, design=design, preinspected=True),
        ]
        for n, colour in enumerate((first, then)):
            script = kit.script(t_s=1000.0 * (n + 1), first_card_id=100 + 3000 * n)
            coloured(colour)(script, kit)
            house.between(script, Agent.DEVICE, colour)
            if n == 1:
                for edit in edits:
                    edit(script, kit)
            events += script.events
        return File.of(events, kit.table(decks=2, shuffler=MACHINE))

    return make


def aged(hours: float) -> Make:
    """A preinspected deck dealt so many hours after it came."""

    def make(kit: Kit) -> File:
        script = kit.script(t_s=3600 * hours)
        shift = 3600 * hours - script.get(kit.first_deal(script)).t_s
        script.items = [(n, replace(e, t_s=round(e.t_s + shift, 3))) for n, e in script.items]
        house.between(script, Agent.DEVICE)
        came = DeckChanged(table_id="", t_s=0.0, preinspected=True)
        return File.of([came, *script.events], kit.table(shuffler=MACHINE))

    return make


def spread_of(off: int) -> Edit:
    """The spread with so many cards counted more than the deck has, none of them read."""

    def edit(s: Script, k: Kit) -> None:
        s.change("spread", cards=None, count=(53 if k.prefix == "DJW" else 52) + off)

    return edit


def two_cards_swapped(s: Script, _: Kit) -> None:
    cards = s.one(CardsSpread, "spread").cards
    assert cards is not None
    s.change("spread", cards=(cards[1], cards[0], *cards[2:]))


def reversed_spread(s: Script, _: Kit) -> None:
    cards = s.one(CardsSpread, "spread").cards
    assert cards is not None
    s.change("spread", cards=cards[::-1])


def joined_spread(off: int) -> Make:
    def make(kit: Kit) -> File:
        script = kit.script(t_s=1000.0)
        coloured("red")(script, kit)
        opening(script, kit)
        script.change("new", back="red", deck="A")
        script.change("shuffle", by=Agent.DEVICE)
        script.drop("cover", "cut")
        count = (53 if kit.prefix == "DJW" else 52) * (2 if off else 1)
        script.insert(CardsSpread(**AT, face=Face.UP, count=count, back="blue"), after="spread")
        return File.of(script.events, kit.table(decks=2, shuffler=MACHINE))

    return make


def idle_where_emptied(s: Script, k: Kit) -> None:
    """Cards left where the chapter has them taken out of: in the shoe, or in the rack."""
    emptied = game_law(k.game).idle_emptied
    (idle(emptied[0], 5.0) if emptied else idle("spread", 5.0, Face.UP))(s, k)


def idle(place: str, minutes: float, face: Face = Face.DOWN, *, washed: bool = True) -> Edit:
    def edit(s: Script, _: Kit) -> None:
        t = s.items[0][1].t_s - 20.0
        own: list[tuple[str, Event]] = [
            ("idle", CardsIdle(table_id="", t_s=t, place=place, since_s=t - 60 * minutes, face=face))
        ]
        if place == "spread" and washed:
            own.append(("wash", CardsWashed(table_id="", t_s=t + 1.0)))
        s.items = [*own, *s.items]

    return edit


def recut(after: str) -> Edit:
    def edit(s: Script, k: Kit) -> None:
        name = k.last_deal(s) if after == "deal" else after
        s.insert(FloorDecision(**AT, decision="recut"), after=name)
        if after != "deal":
            s.insert(CoverCardInserted(**AT, by=Side.DEALER, cards_above=12), after="cut", wait_s=0.5)

    return edit


def cover_after_device(s: Script, _: Kit) -> None:
    s.insert(CoverCardInserted(**AT, by=Side.DEALER, cards_above=20), after="stack")


def counted(off: int) -> Make:
    def make(kit: Kit) -> File:
        count = ShufflerCounted(table_id="", t_s=1.0, count=(53 if kit.prefix == "DJW" else 52) + off)
        return File.of([count, *kit.script().events], kit.table(shuffler=COUNTING))

    return make


def by_hand(by: Agent) -> Make:
    """A deck dealt by hand, shuffled by these hands."""

    def make(kit: Kit) -> File:
        script = kit.script(t_s=2000.0)
        house.between(script, by)
        script.change("load", into="hand")
        return File.of(script.events, kit.table())

    return make


BREAKS: dict[str, Make] = {
    "DECK-TWO-COLOR": two_decks("red", "blue", design="rider"),
    "DECK-TWO-STORED": two_decks("red", "blue", change("deal:1.1", back="red")),
    "DECK-ALT": two_decks("red", "red"),
    "DECK-RACK-ONE": two_decks("red", "blue", insert(RackSeen(**AT, backs=("red", "blue")), "stub")),
    "DECK-CHG-HAND": aged(4.01),
    "DECK-CHG-SHOE": aged(8.01),
    "OPEN-INSPECT": opened(swap("inspect", "spread")),
    "OPEN-FLOOR": opened(drop("verify")),
    "OPEN-SPREAD": opened(spread_of(-1)),
    "OPEN-FAN": opened(two_cards_swapped),
    "OPEN-FIRSTPLAYER": opened(change("spread", player_present=False)),
    "OPEN-WASH": opened(swap("wash", "shuffle")),
    "OPEN-SHUFFLE": opened(drop("shuffle", "cover", "cut", "stack")),
    "OPEN-TWODECKS": joined_spread(1),
    "SHUF-WHEN": second(drop("shuffle", "stack", "cover", "cut")),
    "SHUF-METHOD": opened(change("shuffle", by=Agent.PLAYER)),
    "SHUF-STACK": opened(change("stack", left_out=1)),
    "SHUF-COUNT": counted(-1),
    "SHUF-ASM-DEAL": second(cover_after_device, by=Agent.DEVICE, shuffler=MACHINE),
    "CUT-REQ": second(drop("cover", "cut")),
    "CUT-BYDEALER": opened(change("cover", by=Side.PLAYER)),
    "CUT-DEPTH": opened(change("cover", cards_above=9)),
    "CUT-BOTTOM": opened(change("cut", to_bottom=False)),
    "CUT-SHOE": opened(change("load", into="tray")),
    "CUT-RECUT": opened(recut("deal")),
    "IDLE-SPREAD": second(idle_where_emptied),
    "IDLE-REOPEN": second(idle("spread", 9.0, washed=False)),
    "MS-LOAD": opened(change("load", by=Agent.PLAYER)),
    "AS-LOAD": opened(change("load", by=Agent.PLAYER), shuffler=MACHINE),
    "HD-ASM": by_hand(Agent.DEALER),
}
KEEPS: dict[str, Make] = {
    "DECK-TWO-COLOR": two_decks("red", "blue"),
    "DECK-TWO-STORED": two_decks("red", "blue"),
    "DECK-ALT": two_decks("blue", "red"),
    "DECK-RACK-ONE": two_decks("red", "blue", insert(RackSeen(**AT, backs=("blue", "blue")), "stub")),
    "DECK-CHG-HAND": aged(4.0),
    "DECK-CHG-SHOE": aged(8.0),
    "OPEN-INSPECT": opened(),
    "OPEN-FLOOR": opened(),
    "OPEN-SPREAD": opened(),
    "OPEN-FAN": opened(reversed_spread),
    "OPEN-FIRSTPLAYER": opened(),
    "OPEN-WASH": opened(),
    "OPEN-SHUFFLE": opened(),
    "OPEN-TWODECKS": joined_spread(0),
    "SHUF-WHEN": second(),
    "SHUF-METHOD": opened(),
    "SHUF-STACK": opened(),
    "SHUF-COUNT": counted(0),
    "SHUF-ASM-DEAL": second(by=Agent.DEVICE, shuffler=MACHINE),
    "CUT-REQ": second(),
    "CUT-BYDEALER": opened(),
    "CUT-DEPTH": opened(change("cover", cards_above=10)),
    "CUT-BOTTOM": opened(),
    "CUT-SHOE": opened(),
    "CUT-RECUT": opened(recut("cut")),
    "IDLE-SPREAD": second(idle("spread", 9.0)),
    "IDLE-REOPEN": second(idle("spread", 9.0)),
    "MS-LOAD": opened(),
    "AS-LOAD": opened(shuffler=MACHINE),
    "HD-ASM": by_hand(Agent.DEVICE),
}

# -- the table and people ----------------------------------------------------------------------------------------------------

SEEN: Mapping[str, str] = {
    "LAY-LOGO": "logo", "LAY-ODDS": "odds", "PROGSYS": "progressive_system", "PROGSYS-DEV": "progressive_device",
    "TBL-DROPTIP": "drop_and_tip_box", "TBL-RACK": "discard_rack", "MS-SHOELOC": "shoe", "LAY-EWS": "wagering_device",
    "LAY-AKNOTICE": "bet_notice", "LAY-LIMIT": "limit_notice",
}  # fmt: skip
NEEDS: Mapping[str, dict[str, Any]] = {
    "LAY-EWS": {"paytables": {"five_card_hand_bonus": "A"}, "reports": []},
    "LAY-LIMIT": {"payout_limit_cents": 5_000_000},
}


def looked(row: str, in_place: bool) -> Make:
    seen = EquipmentSeen(table_id="", t_s=0.5, item=SEEN[row], in_place=in_place, seat=2 if "D" in row[-3:-1] else None)

    def make(kit: Kit) -> File:
        offered = {"paytables": {"progressive3" if kit.prefix == "LIR" else "progressive": "A"}, "reports": []}
        return before(seen, then=played(**(offered if row.startswith("PROGSYS") else NEEDS.get(row, {}))))(kit)

    return make


BREAKS |= {row: looked(row, False) for row in SEEN}
KEEPS |= {row: looked(row, True) for row in SEEN}


def report(what: str, seat: int = 3, other: int | None = None) -> ConductReported:
    return ConductReported(**AT, seat=seat, what=what, other_seat=other)


def cash(area_of: str, what: str) -> Edit:
    def edit(s: Script, k: Kit) -> None:
        s.insert(ObjectSeen(**AT, area=f"seat3.{k.base}", what=what), after=f"wager:3.{k.base}")

    return edit


def late_wager(by: Side | None = Side.PLAYER) -> Edit:
    """The base wager of seat 3 doubled once the cards came."""

    def edit(s: Script, k: Kit) -> None:
        more = WagerIncreased(**AT, area=f"seat3.{k.base}", amount_cents=2000, by=by)
        s.insert(more, after=k.first_deal(s), wait_s=0.05)

    return edit


def told_order(*seats: int) -> Edit:
    """Answers of the players entered in this order."""

    def edit(s: Script, _: Kit) -> None:
        after = s.names("examine:")[-1]
        for seat in seats:
            s.insert(
                DecisionAnnounced(**AT, seat=seat, decision="check"), after=after, name=f"told:{seat}", wait_s=0.05
            )
            after = f"told:{seat}"

    return edit


def drawn(**fields: Any) -> Edit:
    return at_start(CardDrawn(**AT, card_id=100, **fields))


def held(*hands: tuple[Hand, bool]) -> Edit:
    def edit(s: Script, k: Kit) -> None:
        for i, (hand, over) in enumerate(hands):
            s.insert(DeckHeld(**AT, hand=hand, over_inventory=over), after=k.first_deal(s), wait_s=0.05 * (i + 1))

    return edit


def done(what: str, kept: bool) -> Make:
    return played(at_reveal(ProcedureReported(**AT, what=what, kept=kept)))


PROCEDURES = {
    "REVEAL-FORM": "dealer_hand_formed", "REVEAL-ANN": "dealer_hand_announced", "AUTO-SPREAD": "stack_spread",
    "HD-REMOVE": "top_card_taken",
}  # fmt: skip
OVER = {"dealing": "hand", "reports": []}
BREAKS |= {
    "WAG-CHIPS": played(cash("", "cash")),
    "WAG-NOVERBAL": played(at_start(report("verbal_wager"))),
    "WAG-SEATED": played(at_reveal(report("left_table"))),
    "WAG-LOCK": played(late_wager()),
    "ONE-POS": played(at_start(report("second_position", other=4))),
    "BOXES": played(at_start(report("second_position", other=5)), adjacent_boxes=2),
    "PLR-TOUCH": played(at_reveal(report("touched_cards", seat=4, other=3))),
    "PLR-VIEW": played(at_reveal(report("cards_out_of_view"))),
    "PLR-NOTALK": played(at_reveal(report("showed_cards", other=4))),
    "D1-ORDER": played(told_order(4, 3)),
    "MS-HANDS": played(drawn(taken_by=Reach.FAR, placed_by=Reach.FAR)),
    "HD-ONEHAND": played(held((Hand.LEFT, True), (Hand.RIGHT, True))),
    "HD-OVERTIC": played(held((Hand.LEFT, False))),
    "AS-REMAIN": played(held((Hand.LEFT, False))),
    **{row: done(what, kept=False) for row, what in PROCEDURES.items()},
}
KEEPS |= {
    "WAG-CHIPS": played(cash("", "plaque")),
    "WAG-LOCK": played(late_wager(by=None), reports=[]),
    "BOXES": played(at_start(report("second_position", other=4)), adjacent_boxes=2),
    "PLR-TOUCH": played(at_reveal(report("touched_cards", seat=3, other=3))),
    "D1-ORDER": played(told_order(3, 4)),
    "MS-HANDS": played(drawn(taken_by=Reach.NEAR, placed_by=Reach.FAR)),
    "HD-ONEHAND": played(held((Hand.LEFT, True), (Hand.LEFT, True))),
    "HD-OVERTIC": played(held((Hand.LEFT, True))),
    "AS-REMAIN": played(held((Hand.LEFT, True))),
    **{row: done(what, kept=True) for row, what in PROCEDURES.items()},
}
KEEPS |= dict.fromkeys(("WAG-NOVERBAL", "WAG-SEATED", "ONE-POS", "PLR-VIEW", "PLR-NOTALK"), played())

# -- the deal ---------------------------------------------------------------------------------------------------------------


def announced_late(s: Script, k: Kit) -> None:
    s.move(k.first_deal(s), before="nmb")


def no_wagers(s: Script, _: Kit) -> None:
    """Seat 3 has cards and no wager, and nobody plays there."""
    nobody_at(s, 3)
    hands_told(s)


def seat_swapped(s: Script, k: Kit) -> None:
    """Seat 3 is served after seat 4."""
    if k.method == "AS":
        s.swap("stack:3", "stack:4")
    else:
        s.swap("deal:3.1", "deal:4.1")


def face_up(s: Script, k: Kit) -> None:
    if k.method == "AS":
        s.change("stack:3", exposed=True)
    else:
        s.change("deal:3.1", face=Face.UP)


def stub_at(area: str, **fields: Any) -> Edit:
    def edit(s: Script, k: Kit) -> None:
        count_stub()(s, k)
        s.change("stub", area=area, **fields)

    return edit


def stack_of_seat_3(s: Script) -> int:
    count = s.one(StackPlaced, "stack:3").count
    assert count is not None
    return count


def one_card_less(s: Script, k: Kit) -> None:
    """A seat has one card too few, and the stub one too many; play goes on."""
    count_stub(1)(s, k)
    if k.method == "AS":
        s.change("stack:3", count=stack_of_seat_3(s) - 1)
    else:
        last = [n for n in s.names("deal:3.")][-1]
        s.drop(last, f"turn:{last[5:]}", f"rack:{last[5:]}")


BREAKS |= {
    "{M}-NMB": played(announced_late),
    "{M}-ELIGIBLE": played(no_wagers),
    "{M}-ORDER": played(seat_swapped),
    "{M}-DOWN": played(face_up),
    "{M}-STUB-RACK": played(change("stub", area="tray")),
    "{M}-STUB-5RND": many(7, counted=2),
    "{M}-STUB-DOWN": played(count_stub(face=Face.UP)),
    "{M}-STUB-OK": played(stub_at("discard_rack", exposed=True)),
    "{M}-STUB-MISDEAL": played(one_card_less),
    "{M}-STUB-BADDECK": played(count_stub(-1)),
}
KEEPS |= {
    "{M}-NMB": played(),
    "{M}-ELIGIBLE": played(),
    "{M}-ORDER": played(),
    "{M}-DOWN": played(),
    "{M}-STUB-RACK": played(),
    "{M}-STUB-5RND": many(6, counted=2),
    "{M}-STUB-DOWN": played(count_stub()),
    "{M}-STUB-OK": played(count_stub()),
    "{M}-STUB-MISDEAL": played(count_stub()),
    "{M}-STUB-BADDECK": played(count_stub()),
}

# -- electronic wagers ---------------------------------------------------------------------------------------------------------

SYSTEMS = {"PROG": "progressive", "FCB": "five_card_bonus", "FCHB": "five_card_hand_bonus"}


def system(row: str, *edits: Edit, offered: bool = True) -> Make:
    """The standard round with wagers of a system, changed."""

    def make(kit: Kit) -> File:
        wager = "progressive3" if (kit.prefix, row) == ("LIR", "PROG") else SYSTEMS[row]
        accepted = {"FCHB": "fchb_player"}.get(row, "")
        script = kit.script(**({"extra": True} if kit.prefix == "DJW" else {}))
        electronic(wager, accepted, seats=(1, 3) if row != "FCB" else (1,))(script, kit)
        for edit in edits:
            edit(script, kit)
        name = {"DJW": "1"}.get(kit.prefix, "A")
        # what the hands win is judged by other cases: no source tells of payouts here
        told = [kind for kind in house.TOLD if kind != "bonus_paid"]
        return File.of(script.events, kit.table(paytables={wager: name} if offered else {}, reports=told))

    return make


def after_first_card(name: str) -> Edit:
    return lambda s, k: s.change(name, t_s=s.get(k.first_deal(s)).t_s + 0.1)


def one_chip_less(s: Script, _: Kit) -> None:
    """One chip fewer is collected than wagers were accepted."""
    count = s.one(WagersCollected, "collect-chips").count
    assert count is not None
    s.change("collect-chips", count=count - 1)


for _row in SYSTEMS:
    BREAKS[f"{{M}}-{_row}-LOCK"] = system(_row, after_first_card("lock"))
    BREAKS[f"{{M}}-{_row}-COLLECT"] = system(_row, change("collect-chips", place="inventory"))
    BREAKS[f"{{M}}-{_row}-VERIFY"] = system(_row, one_chip_less)
    BREAKS[f"{{M}}-{_row}-INVENTORY"] = system(_row, change("bank", to="tip_box"))
    KEEPS |= {f"{{M}}-{_row}-{end}": system(_row) for end in ("LOCK", "COLLECT", "VERIFY", "INVENTORY")}


def accepted_before_base(s: Script, k: Kit) -> None:
    s.change("accept:1", t_s=s.get(f"wager:1.{k.base}").t_s - 2.0)


def accepted_late(row: str, wager: str, *, after_card: bool) -> Make:
    """One wager accepted after the announcement, or after the first card; the other games' rows stay untouched."""

    def edit(s: Script, k: Kit) -> None:
        name = "progressive3" if (k.prefix, wager) == ("LIR", "progressive") else wager
        event = ElectronicWagerAccepted(**AT, seat=3, wager=name, amount_cents=100)
        after = k.first_deal(s) if after_card else "nmb"
        s.drop("accept:3")
        s.change("collect-chips", count=1)
        s.insert(event, after=after, wait_s=0.02)

    def count_right(s: Script, k: Kit) -> None:
        if not after_card:
            s.change("collect-chips", count=len(s.names("accept:")) + 1)

    return system(row, edit, count_right)


def not_offered(row: str, wager: str) -> Make:
    def make(kit: Kit) -> File:
        script = kit.script()
        event = ElectronicWagerAccepted(**AT, seat=3, wager=wager, amount_cents=100)
        script.insert(event, after=script.names("wager:3.")[-1])
        return File.of(script.events, kit.table(reports=[]))

    return make


def side_not_offered(wager: str) -> Make:
    """Chips on a side wager's area that the house does not offer, taken back before settlement is no part of it."""

    def make(kit: Kit) -> File:
        script = kit.script(**without(kit, wager))
        chips = WagerPlaced(**AT, area=f"seat3.{wager}", amount_cents=500, by=Side.PLAYER)
        script.insert(chips, after=script.names("wager:3.")[-1])
        config = kit.table()
        left = {name: table for name, table in config.paytables.items() if name != wager}
        return File.of(script.events, replace(config, paytables=left))

    return make


def without(kit: Kit, wager: str) -> dict[str, Any]:
    """The standard players without a side wager."""
    if kit.prefix == "RIU":
        players: Any = rounds.SEATS
    else:
        players = {"CAR": car, "LIR": lir, "DJW": djw}[kit.prefix].PLAYERS
    kept = [replace(p, wagers={n: c for n, c in p.wagers.items() if n != wager}) for p in players]
    return {"seats" if kit.prefix == "RIU" else "players": kept}


OFFERS = {
    "PP-OPT": "pair_plus", "SCB-OFFER": "six_card_bonus", "CSB-OFFER": "bonus", "FCB-OFFER": "five_card_bonus",
    "TCB-OFFER": "three_card_bonus", "TRIPS-OFFER": "trips", "BB-OFFER": "bad_beat",
}  # fmt: skip
BREAKS |= {row: side_not_offered(wager) for row, wager in OFFERS.items()}
KEEPS |= dict.fromkeys(OFFERS, played())
BREAKS |= {
    "PROG-AFTER": system("PROG", accepted_before_base),
    "PROGSYS-LOCK": accepted_late("PROG", "progressive", after_card=False),
    "EWS-LOCK": accepted_late("FCHB", "fchb_player", after_card=True),
    "FCBSYS": accepted_late("FCB", "five_card_bonus", after_card=False),
    "PROG-OFFER": not_offered("PROG", "progressive"),
    "FCHB-OFFER": not_offered("FCHB", "fchb_player"),
    "3CP-OFFER": not_offered("PROG", "progressive3"),
    "5CP-OFFER": not_offered("PROG", "progressive5"),
}


def five_card(s: Script, _: Kit) -> None:
    s.items = [
        (n, altered(e, wager="progressive5") if getattr(e, "wager", "") == "progressive3" else e) for n, e in s.items
    ]


def five_card_progressive(*edits: Edit) -> Make:
    def make(kit: Kit) -> File:
        file = system("PROG", five_card, *edits)(kit)
        paytables = {**{n: t for n, t in file.table.paytables.items() if n != "progressive3"}, "progressive5": "A"}
        return File(file.events, replace(file.table, paytables=paytables))

    return make


KEEPS |= {
    "PROG-AFTER": system("PROG"),
    "PROGSYS-LOCK": system("PROG"),
    "EWS-LOCK": system("FCHB"),
    "FCBSYS": system("FCB"),
    "PROG-OFFER": system("PROG"),
    "FCHB-OFFER": system("FCHB"),
    "3CP-OFFER": system("PROG"),
    "5CP-OFFER": five_card_progressive(),
}

# -- irregularities ---------------------------------------------------------------------------------------------------------


def found_up(card_id: int, area: str, name: str) -> Edit:
    def edit(s: Script, k: Kit) -> None:
        deals = [n for n, _ in s.items if n.startswith(("deal:", "stack:"))]
        after = deals[-2] if name == "second" else deals[3]
        s.insert(CardFoundFaceUp(**AT, card_id=card_id), after=after, name=f"found:{card_id}", wait_s=0.05)
        s.insert(CardPlaced(**AT, area=area, card_id=card_id, face=Face.UP), after=f"found:{card_id}", wait_s=0.05)

    return edit


def drawn_wrong(area: str) -> Edit:
    def edit(s: Script, k: Kit) -> None:
        s.insert(CardDrawn(**AT, card_id=9000, in_error=True), after=k.first_deal(s), name="drawn", wait_s=0.05)
        s.insert(CardPlaced(**AT, area=area, card_id=9000, face=Face.DOWN), after="drawn", wait_s=0.05)

    return edit


def drawn_next(s: Script, k: Kit) -> None:
    """The card drawn in error is the one dealt next."""
    deals = s.names("deal:")
    card = CardDrawn(**AT, card_id=s.card_id(deals[1]), in_error=True)
    s.insert(card, after=deals[0], name="drawn", wait_s=0.02)


def one_more(s: Script, k: Kit) -> None:
    """A seat has a card too many."""
    if k.method == "AS":
        s.change("stack:3", count=stack_of_seat_3(s) + 1)
    else:
        last = s.names("deal:3.")[-1]
        s.insert(CardPlaced(**AT, area="seat3.cards", card_id=9000, face=Face.DOWN), after=last, wait_s=0.2)


def jam(again: bool) -> Edit:
    def edit(s: Script, _: Kit) -> None:
        s.insert(DeviceJammed(**AT, device="shuffler"), after="shuffle", name="jam", wait_s=0.5)
        if again:
            s.insert(CardsShuffled(**AT, by=Agent.DEVICE), after="jam", wait_s=0.5)

    return edit


def shoe_jam(s: Script, k: Kit) -> None:
    s.insert(DeviceJammed(**AT, device="shoe"), after="stack:3", wait_s=0.1)


def stopped(s: Script, k: Kit) -> None:
    """The round ends with the last irregularity: every wager goes back to its player, every card to the rack."""
    stop = max(i for i, (n, e) in enumerate(s.items) if n.startswith("found:") or isinstance(e, DeviceJammed)) + 2
    dealt = list(s.items[:stop])
    s.items, s.t_s = dealt, dealt[-1][1].t_s
    for name in s.names("wager:"):
        s.add(f"back:{name}", WagerRemoved(**AT, area=s.area(name), by=Side.PLAYER))
    for name, event in dealt:
        if isinstance(event, CardPlaced) and event.area != "discard_rack":
            s.add(f"gone:{name}", _gone(event), 0.1)


def _gone(event: CardPlaced) -> Event:
    from rules.events import CardRemoved

    return CardRemoved(**AT, area=event.area, card_id=event.card_id, to_area="discard_rack")


def out_of_use(marked: bool) -> Make:
    return before(DeviceState(table_id="", t_s=0.5, device="shuffler", usable=False, marked=marked))


BREAKS |= {
    "IRR-FACEUP-1": played(found_up(9000, "shoe", "first")),
    "IRR-FACEUP-2": played(found_up(9000, "discard_rack", "first"), found_up(9001, "discard_rack", "second")),
    "IRR-DRAWN": played(drawn_wrong("discard_rack")),
    "IRR-COUNT": played(one_more),
    "IRR-SHUFJAM": second(jam(again=False), by=Agent.DEVICE, shuffler=MACHINE),
    "IRR-SHOEJAM": played(shoe_jam),
    "IRR-OOS": out_of_use(marked=False),
}
KEEPS |= {
    "IRR-FACEUP-1": played(found_up(9000, "discard_rack", "first")),
    "IRR-FACEUP-2": played(found_up(9000, "discard_rack", "first"), found_up(9001, "discard_rack", "first"), stopped),
    "IRR-DRAWN": played(drawn_next),
    "IRR-COUNT": played(),
    "IRR-SHUFJAM": second(jam(again=True), by=Agent.DEVICE, shuffler=MACHINE),
    "IRR-SHOEJAM": played(shoe_jam, stopped),
    "IRR-OOS": out_of_use(marked=True),
}
