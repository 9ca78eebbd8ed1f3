from pathlib import Path

import pytest
import yaml

from calibration.layout import AreaKind, Layout, LayoutError, load_layout
from calibration.layout_file import LAYOUTS_DIR, layout_names, parse_layout

TEXT = (LAYOUTS_DIR / "raise_it_up_6.yaml").read_text(encoding="utf-8")


def test_the_areas_the_chapter_demands_are_there(layout: Layout) -> None:
    assert layout.seats == 6
    assert "669a.2" in layout.citation
    for seat in range(1, 7):
        wagers = {area.wager for area in layout.areas_of(seat, AreaKind.WAGER)}
        assert wagers == {"ante", "blind", "play", "pair_plus", "six_card_bonus", "progressive"}
        assert len(layout.areas_of(seat, AreaKind.CARDS)) == 1
    printed = {getattr(item, "text", None) for item in layout.prints}
    assert {"4th Street", "5th Street", "6th Street", "ANTE", "BLIND", "PLAY"} <= printed
    tray = layout.area("tray")
    for area in layout.areas_of(kind=AreaKind.COMMUNITY):
        low, high = min(x for x, _ in tray.polygon_mm), max(x for x, _ in tray.polygon_mm)
        assert all(low < x < high and y > tray.center_mm[1] for x, y in area.polygon_mm)


def test_seat_one_is_farthest_to_the_dealers_left_and_shoe_and_rack_lie_aside(layout: Layout) -> None:
    xs = [layout.area(f"seat{seat}.cards").center_mm[0] for seat in range(1, 7)]
    assert xs == sorted(xs)
    assert layout.area("shoe").center_mm[0] < 0 < layout.area("discard_rack").center_mm[0]


def test_every_area_is_found_from_its_middle_and_no_other(layout: Layout) -> None:
    for area in layout.areas:
        assert layout.area_at(*area.center_mm) is area
        assert layout.on_felt(*area.center_mm)
    assert layout.area_at(0, 450) is None
    assert layout.area_at(5000, 0) is None


def test_the_four_points_for_calibration_by_hand_lie_on_the_felt(layout: Layout) -> None:
    assert len(layout.corners_mm) == len(layout.corner_names) == 4
    assert all(layout.on_felt(*corner) for corner in layout.corners_mm)


def test_all_layouts_that_come_along_load() -> None:
    assert "raise_it_up_6" in layout_names()
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
def test_a_wrong_file_is_named_with_key_and_what_is_allowed(change, said: str) -> None:  # type: ignore[no-untyped-def]
    data = yaml.safe_load(TEXT)
    change(data)
    with pytest.raises(LayoutError, match=said):
        parse_layout(yaml.safe_dump(data), "t")


def test_text_that_is_no_yaml() -> None:
    with pytest.raises(LayoutError, match="not YAML"):
        parse_layout("a: [", "t")
    with pytest.raises(LayoutError, match="expected a mapping"):
        parse_layout("just words", "t")
