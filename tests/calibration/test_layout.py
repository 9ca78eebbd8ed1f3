import itertools
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from calibration.layout import AreaKind, Layout, LayoutError, load_layout
from calibration.layout_file import LAYOUTS_DIR, layout_names, parse_layout
from rules.law import game_law
from rules.money import Odds
from rules.paytables import game_paytables

TEXT = (LAYOUTS_DIR / "raise_it_up_6.yaml").read_text(encoding="utf-8")


NAMES = ("caribbean_stud_7", "dj_wild_6", "let_it_ride_6", "raise_it_up_6")
DEALER = tuple(f"dealer.{place}" for place in range(1, 6))
DEMANDED: dict[str, dict[str, Any]] = {
    "raise_it_up": {
        "section": "669a.2(b)",
        "wagers": {"ante", "blind", "play", "pair_plus", "six_card_bonus", "progressive"},
        "shared": {"community.4th", "community.5th", "community.6th"},
        "words": {"4th Street", "5th Street", "6th Street", "ANTE", "BLIND", "PLAY", "PLAY PAYS", "BLIND PAYS"},
    },
    "caribbean_stud": {
        "section": "639a.2(b)",
        "wagers": {"ante", "bet", "bonus", "progressive"},
        "shared": set(DEALER),
        "words": {
            "ANTE", "BET", "DEALER", "BET PAYS", "STUD BONUS PAYS", "ANTE PAYS 1 TO 1",
            "BET IS RETURNED IF DEALER HAS LESS THAN ACE/KING",
        },
    },
    "let_it_ride": {
        "section": "643a.2(b)",
        "wagers": {
            "bet1", "bet2", "bet3", "three_card_bonus", "five_card_bonus", "six_card_bonus", "progressive",
        },
        "shared": {
            *(f"community.{place}" for place in (1, 2, 3, 4)), *(f"six_cards.{place}" for place in (1, 2, 3)),
        },
        "words": {
            "1", "2", "3", "COMMUNITY CARDS", "SIX CARD BONUS", "LET IT RIDE PAYS", "FIVE CARD BONUS PAYS",
            "THREE CARD BONUS PAYS", "SIX CARD BONUS PAYS", "SUBJECT TO THE POSTED PAYOUT LIMIT PER HAND",
        },
    },
    "dj_wild": {
        "section": "687a.2(b)",
        "wagers": {"ante", "blind", "raise", "trips", "bad_beat", "progressive"},
        "shared": {*DEALER, "extra"},
        "words": {"ANTE", "BLIND", "RAISE", "TRIPS", "EXTRA CARD", "BLIND PAYS", "BAD BEAT PAYS"},
    },
}  # fmt: skip
"""What .2(b) of each chapter wants to see on the felt: areas of a seat, areas of no seat, inscriptions."""


@pytest.fixture(scope="module", params=NAMES)
def each(request: pytest.FixtureRequest) -> Layout:
    """Every layout that comes along, one after the other."""
    return load_layout(request.param)


def test_the_areas_the_chapter_demands_are_there(each: Layout) -> None:
    demanded = DEMANDED[each.game]
    assert demanded["section"] in each.citation
    assert 1 <= each.seats <= game_law(each.game).max_seats
    assert each.name == f"{each.game}_{each.seats}"
    for seat in range(1, each.seats + 1):
        assert {area.wager for area in each.areas_of(seat, AreaKind.WAGER)} == demanded["wagers"]
        assert len(each.areas_of(seat, AreaKind.CARDS)) == 1
    shared = {area.name for area in each.areas if area.seat is None}
    assert shared == {*demanded["shared"], "tray", "shoe", "discard_rack"}
    assert demanded["words"] <= {getattr(item, "text", None) for item in each.prints}


@pytest.mark.parametrize(("name", "group"), [("raise_it_up_6", "community"), ("let_it_ride_6", "community")])
def test_community_cards_lie_directly_in_front_of_the_tray(name: str, group: str) -> None:
    layout = load_layout(name)
    tray = layout.area("tray")
    low, high = min(x for x, _ in tray.polygon_mm), max(x for x, _ in tray.polygon_mm)
    front = max(y for _, y in tray.polygon_mm)
    for area in [area for area in layout.areas if area.name.startswith(group)]:
        assert all(low < x < high for x, _ in area.polygon_mm)
        assert 0 < min(y for _, y in area.polygon_mm) - front < 40


@pytest.mark.parametrize("name", ["caribbean_stud_7", "dj_wild_6", "let_it_ride_6"])
def test_places_of_a_group_are_counted_from_the_dealers_left(name: str) -> None:
    layout = load_layout(name)
    for group in ("dealer", "community", "six_cards"):
        places = sorted(area.name for area in layout.areas if area.name.startswith(f"{group}."))
        xs = [layout.area(place).center_mm[0] for place in places]
        assert xs == sorted(xs)


def test_the_wagers_are_those_of_the_chapter(each: Layout) -> None:
    """An area's wager has the name under which it is settled; one device takes either progressive of Let It Ride."""
    law = game_law(each.game).wagers
    devices = {"progressive"} if each.game == "let_it_ride" else set()
    areas = {area.wager for area in each.areas if area.wager is not None}
    assert areas - set(law) == devices
    placed = {wager.name for wager in law.values() if wager.kind in ("base", "decision", "optional")}
    assert placed <= areas


PRINTED = {
    "raise_it_up": {"PLAY PAYS": ("play", "A"), "BLIND PAYS": ("blind", "A")},
    "caribbean_stud": {"BET PAYS": ("bet", "A"), "STUD BONUS PAYS": ("bonus", "A")},
    "let_it_ride": {
        "LET IT RIDE PAYS": ("main", "A"), "FIVE CARD BONUS PAYS": ("five_card_bonus", "A"),
        "THREE CARD BONUS PAYS": ("three_card_bonus", "A"), "SIX CARD BONUS PAYS": ("six_card_bonus", "B"),
    },
    "dj_wild": {"BLIND PAYS": ("blind", "A"), "BAD BEAT PAYS": ("bad_beat", "01")},
}  # fmt: skip
"""Headings of the printed odds, with wager and paytable."""


def test_odds_that_are_printed_are_those_of_the_law(each: Layout) -> None:
    pays = re.compile(r"^(.+) ([\d,]+) TO (\d)$")
    words = [getattr(item, "text", "") for item in each.prints]
    for heading, (wager, name) in PRINTED[each.game].items():
        lines = game_paytables(each.game).table(wager, name).lines
        law = {line.hand.replace("-", " ").lower(): line.pay for line in lines}
        block = itertools.takewhile(lambda text: not text.endswith("PAYS"), words[words.index(heading) + 1 :])
        printed = {match[1].lower(): (match[2].replace(",", ""), match[3]) for t in block if (match := pays.match(t))}
        odds = {hand: pay for hand, pay in law.items() if isinstance(pay, Odds)}
        assert len(printed) >= len(odds) >= 5
        for hand, pay in odds.items():
            got = printed[hand.lower()]
            assert Fraction(int(got[0]), int(got[1])) == Fraction(pay.numerator, pay.denominator), (heading, hand)


def test_seat_one_is_farthest_to_the_dealers_left_and_shoe_and_rack_lie_aside(each: Layout) -> None:
    xs = [each.area(f"seat{seat}.cards").center_mm[0] for seat in range(1, each.seats + 1)]
    assert xs == sorted(xs)
    assert each.area("shoe").center_mm[0] < 0 < each.area("discard_rack").center_mm[0]


def test_every_area_is_found_from_its_middle_and_no_other(each: Layout) -> None:
    for area in each.areas:
        assert each.area_at(*area.center_mm) is area
        assert each.on_felt(*area.center_mm)
    assert each.area_at(0, 480) is None
    assert each.area_at(5000, 0) is None


def test_a_hand_fits_into_its_area_with_room_to_spread(each: Layout) -> None:
    """Cards of 63.5 x 88.9 mm: side by side or fanned so that every index is seen (20 mm at least)."""
    cards = game_law(each.game).player_cards
    for seat in range(1, each.seats + 1):
        polygon = np.array(each.area(f"seat{seat}.cards").polygon_mm)
        width, depth = np.linalg.norm(polygon[1] - polygon[0]), np.linalg.norm(polygon[2] - polygon[1])
        assert depth >= 88.9 + 20
        assert width >= 63.5 + 20 * (cards - 1) + 20


def test_the_four_points_for_calibration_by_hand_lie_on_the_felt(each: Layout) -> None:
    assert len(each.corners_mm) == len(each.corner_names) == 4
    assert all(each.on_felt(*corner) for corner in each.corners_mm)


def test_all_layouts_that_come_along_load() -> None:
    assert layout_names() == NAMES
    for name in layout_names():
        assert load_layout(name).name == name


def test_unknown_names_list_what_there_is(layout: Layout, tmp_path: Path) -> None:
    with pytest.raises(LayoutError, match="raise_it_up_6"):
        load_layout("blackjack_7")
    with pytest.raises(LayoutError, match=r"seat1\.ante"):
        layout.area("seat7.ante")
    path = tmp_path / "mine.yaml"
    path.write_text(TEXT, encoding="utf-8")
    assert load_layout(str(path)).name == "mine"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda d: d.update(game="poker"), "layout t.game: expected one of raise_it_up"),
        (lambda d: d.update(version=2), "layout t.version: expected 1, got 2"),
        (lambda d: d.pop("seats"), "key 'seats' is missing"),
        (lambda d: d.update(colour="red"), "unknown key 'colour'"),
        (lambda d: d["seats"][2].update(turn_deg="left"), r"seats\[2\].turn_deg: expected a number"),
        (lambda d: d["areas"]["tray"].update(box_mm=[10, 0, -10, 5]), "areas.tray.box_mm: expected .*smallest x"),
        (lambda d: d["areas"]["tray"].update(kind="bin"), "areas.tray.kind: expected one of wager"),
        (lambda d: d["areas"]["shoe"].update(box_mm=[-1500, 10, -1400, 90]), "area shoe leaves the felt"),
        (lambda d: d["areas"]["shoe"].update(box_mm=[-300, 10, -200, 90]), "areas shoe and tray overlap by"),
        (lambda d: d["corners"].pop(), "corners: expected a list of 4 points"),
        (lambda d: d["prints"].append({"star": 1}), r"prints\[\d+\]: expected a mapping with one of the keys line"),
        (lambda d: d["seat_template"]["areas"]["ante"].pop("wager"), "key 'wager' is missing"),
    ],
)
def test_a_wrong_file_is_named_with_key_and_what_is_allowed(change: Callable[[Any], object], said: str) -> None:
    data = yaml.safe_load(TEXT)
    change(data)
    with pytest.raises(LayoutError, match=said):
        parse_layout(yaml.safe_dump(data), "t")


def test_text_that_is_no_yaml() -> None:
    with pytest.raises(LayoutError, match="not YAML"):
        parse_layout("a: [", "t")
    with pytest.raises(LayoutError, match="key 'a' stands there twice"):
        parse_layout("a: 1\na: 2", "t")
    with pytest.raises(LayoutError, match="expected a mapping"):
        parse_layout("just words", "t")
