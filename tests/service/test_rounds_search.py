"""Rounds found by card, hand, wager, amount and finding, on SQLite and PostgreSQL; every answer against a plain scan."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from service_fakes import NOW, TABLE

from rules.cards import RANKS, SUITS
from service.errors import ServiceError
from service.reviews.rounds import RARE, find_rounds
from service.reviews.search import cents_of, read_query
from service.store import Store
from service.store.round_facts import cards_of, hand_names, hands_of, wagers_of

DECK = [rank + suit for rank in RANKS for suit in SUITS]


def drawn_round(number: int, drawn: random.Random) -> dict[str, Any]:
    """A round of Raise It Up as a review leaves it, some cards not read."""
    deck = drawn.sample(DECK, 52)
    read = [card if drawn.random() < 0.9 else None for card in deck]
    seats, payouts = [], []
    for seat in range(1, drawn.randint(2, 7)):
        stake, paid = drawn.choice((500, 1500, 2500)), drawn.choice((0, 500, None, 3000))
        seats.append({"seat": seat, "cards": read[3 * seat : 3 * seat + 3], "wagers": [["ante", stake], ["pair_plus", 500]], "folded": False})  # fmt: skip
        owed = drawn.choice((0, 500, 3000, None))
        payouts.append({"seat": seat, "wager": "ante", "stake_cents": stake, "outcome": drawn.choice(("win", "")), "owed_cents": owed, "paid_cents": paid, "verdict": "compliant", "way": ""})  # fmt: skip
    return {
        "round_id": f"{TABLE}-r{number:04d}", "number": number, "opened_s": float(number), "closed_s": number + 0.5,
        "complete": True, "seats": seats, "community": deck[:3] if number % 7 else [deck[0], None, deck[1]], "payouts": payouts, "dealer": [],
    }  # fmt: skip


def found_in(round_id: str, number: int) -> Iterator[dict[str, Any]]:
    if number % 5 == 0:
        yield {"finding_id": f"f{number}", "check_id": "RIU-C1-WHEN", "verdict": "breach", "citation": "58 Pa. Code § 669a.11(c)", "round_id": round_id}  # fmt: skip
    yield {"finding_id": f"c{number}", "check_id": "RIU-BLIND-EQ", "verdict": "compliant", "citation": "58 Pa. Code § 669a.7(d)", "round_id": round_id}  # fmt: skip
    if number % 3 == 0:
        yield {"finding_id": f"u{number}", "check_id": "RIU-SET-ANTE", "verdict": "undetermined", "citation": "58 Pa. Code § 669a.12(b)", "round_id": round_id}  # fmt: skip


ROUNDS = [drawn_round(number, random.Random(number)) for number in range(1, 301)]


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    store = Store(database_url)
    store.open_run("run-1", table_id=TABLE, origin="review", opened_utc=NOW, about={"game": "raise_it_up"})
    store.open_run(
        "run-2", table_id="riu-08", origin="live", opened_utc=NOW, about={}, game="raise_it_up", epoch_utc=NOW
    )
    findings = [f for r in ROUNDS for f in found_in(r["round_id"], r["number"])]
    for run, part in (("run-1", ROUNDS[:200]), ("run-2", ROUNDS[200:])):
        assert [store.add_rounds(run, part, findings) for _ in range(2)] == [len(part), 0]
    yield store
    store.close()


PAIR = [card for card in ROUNDS[8]["seats"][0]["cards"] if card][:2]


def in_round(record: dict[str, Any], *cards: str) -> bool:
    return set(cards) <= {card for card, _ in cards_of(record)}


def one_hand(record: dict[str, Any], *cards: str) -> bool:
    places = {place for _, place in cards_of(record)}
    return any(set(cards) <= {card for card, at in cards_of(record) if at == place} for place in places)


def any_wager(record: dict[str, Any], holds: Callable[[dict[str, Any]], bool]) -> bool:
    return any(holds(wager) for wager in wagers_of(record))


CASES: list[tuple[str, Callable[[dict[str, Any]], bool]]] = [
    ("", lambda r: True),
    ("As", lambda r: in_round(r, "As")),
    ("as KD 10h", lambda r: in_round(r, "As", "Kd", "Th")),
    ("A♠", lambda r: in_round(r, "As")),
    ("card:7c", lambda r: in_round(r, "7c")),
    ("[As Kd]", lambda r: one_hand(r, "As", "Kd")),
    (f"[{PAIR[0]},{PAIR[1]}]", lambda r: one_hand(r, *PAIR)),
    ("seat2:Qh", lambda r: ("Qh", 2) in set(cards_of(r))),
    ("community:Qh", lambda r: ("Qh", 0) in set(cards_of(r))),
    ("dealer:Qh", lambda r: False),
    ("flush", lambda r: any(name == "flush" for name, _ in hands_of("raise_it_up", r))),
    ("hand:two-pair", lambda r: any(name == "two-pair" for name, _ in hands_of("raise_it_up", r))),
    ("three:flush", lambda r: any(name == "three:flush" for name, _ in hands_of("raise_it_up", r))),
    ("seat1:pair", lambda r: ("pair", 1) in set(hands_of("raise_it_up", r))),
    ("wager:pair_plus", lambda r: any_wager(r, lambda w: w["wager"] == "pair_plus")),
    ("stake:25", lambda r: any_wager(r, lambda w: w["stake_cents"] == 2500)),
    ("stake>=$15", lambda r: any_wager(r, lambda w: w["stake_cents"] >= 1500)),
    ("ante.paid=30", lambda r: any_wager(r, lambda w: w["wager"] == "ante" and w["paid_cents"] == 3000)),
    ("diff<0", lambda r: any_wager(r, lambda w: (w["difference_cents"] or 0) < 0)),
    ("diff=-25", lambda r: any_wager(r, lambda w: w["difference_cents"] == -2500)),
    ("diff!=0 As", lambda r: any_wager(r, lambda w: bool(w["difference_cents"])) and in_round(r, "As")),
    ("breach", lambda r: r["number"] % 5 == 0),
    ("undetermined breach", lambda r: r["number"] % 15 == 0),
    ("check:riu-c1-when", lambda r: r["number"] % 5 == 0),
    ("section:669a.12", lambda r: r["number"] % 3 == 0),
    ("section:§669a.1", lambda r: r["number"] % 3 == 0 or r["number"] % 5 == 0),
    ("table:riu-08", lambda r: r["number"] > 200),
    (f"round:{TABLE}-r0007", lambda r: r["number"] == 7),
    ("game:raise_it_up breach", lambda r: r["number"] % 5 == 0),
    ("game:dj_wild", lambda r: False),
    ("stake>1 paid>=0 owed>=0", lambda r: any_wager(r, lambda w: w["paid_cents"] is not None) and any_wager(r, lambda w: w["owed_cents"] is not None)),
]  # fmt: skip


@pytest.mark.parametrize("rare", [RARE, 3])
def test_a_search_finds_what_a_plain_scan_finds(store: Store, monkeypatch: pytest.MonkeyPatch, rare: int) -> None:
    monkeypatch.setattr("service.reviews.rounds.RARE", rare)
    found = 0
    for text, holds in CASES:
        expected = [record["round_id"] for record in reversed(ROUNDS) if holds(record)]
        pages, before = [], None
        while page := find_rounds(store, text, before=before, limit=40):
            pages += [found.round_id for found in page]
            before = page[-1].number
        assert pages == expected, text
        found += bool(expected)
    assert found >= len(CASES) - 3


def test_a_search_keeps_to_a_run_and_to_the_tables_one_may_see(store: Store) -> None:
    assert len(find_rounds(store, "", run_id="run-1", limit=200)) == 200
    assert {found.run_id for found in find_rounds(store, "As", run_id="run-1", limit=200)} == {"run-1"}
    assert {found.table_id for found in find_rounds(store, "As", tables=frozenset({"riu-08"}), limit=200)} == {"riu-08"}
    assert find_rounds(store, "", tables=frozenset()) == []


def test_a_round_is_listed_with_its_sums_and_breaches(store: Store) -> None:
    (found,) = find_rounds(store, f"round:{TABLE}-r0005")
    record = ROUNDS[4]
    known = [p for p in record["payouts"] if p["owed_cents"] is not None and p["paid_cents"] is not None]
    assert (found.owed_cents, found.paid_cents) == (
        sum(p["owed_cents"] for p in known),
        sum(p["paid_cents"] for p in known),
    )
    assert (found.breaches, found.checks, found.unknown) == (1, ("RIU-C1-WHEN",), len(record["payouts"]) - len(known))
    assert found.alerts == (None,), "nothing rang for it here"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Zz", "'Zz' is no search word"),
        ("[As Kx]", "'Kx' is no card"),
        ("[As Kd", "a bracket is not closed"),
        ("[]", "there is no card"),
        ("hand:nine", "neither a card nor a hand"),
        ("paid>much", "'much' is no amount"),
        ("paid>1.234", "no amount"),
        ("game:whist", "there is no game 'whist'"),
        ("colour:red", "is no search word"),
        ("check:", "is no search word"),
        ("seat3:", "neither a card nor a hand"),
    ],
)
def test_what_is_no_search_says_so(text: str, message: str) -> None:
    with pytest.raises(ServiceError, match=message.replace("[", r"\[")):
        read_query(text)


def test_amounts_are_exact_cents() -> None:
    assert [cents_of(text, "") for text in ("500", "$12.50", "-0.07", "−3.5", "0")] == [50000, 1250, -7, -350, 0]


@pytest.mark.parametrize(
    ("game", "hand", "board", "names"),
    [
        ("raise_it_up", "Ah Kh Qh", "Jh Th 2c", ["three:straight-flush", "royal-flush"]),
        ("raise_it_up", "Ah Ah Qh", "Jh Th 2c", []),
        ("raise_it_up", "Ah Kh Qh", "Jh Th ?", ["three:straight-flush"]),
        ("raise_it_up", "Ah Kh ?", "Jh Th 2c", []),
        ("let_it_ride", "2h 2c 2d", "2s Th", ["three:three-of-a-kind", "four-of-a-kind"]),
        ("caribbean_stud", "2h 2c 2d 3s 3c", "", ["full-house"]),
        ("dj_wild", "Jo 2c 5d 5s 5c", "", ["five-of-a-kind"]),
    ],
)
def test_hands_are_named_by_their_game(game: str, hand: str, board: str, names: list[str]) -> None:
    def cards(text: str) -> list[str | None]:
        return [None if card == "?" else card for card in text.split()]

    assert list(hand_names(game, cards(hand), cards(board))) == names
