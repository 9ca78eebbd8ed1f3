"""A table as its Rules Submission describes it, checked against the chapter of its game before anything is watched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rules import submission
from rules.documents import in_a_line
from rules.events import EVENT_TYPES
from rules.law import GAMES, GameLaw, game_law, readings

TABLE_VERSION = 1
CHIP_COLORS = ("white", "red", "green", "black", "purple", "orange", "blue")
"""Chip colours the chip reader tells apart."""
DEFAULT_CHIPS: Mapping[str, int] = {
    "white": 100,
    "red": 500,
    "green": 2500,
    "black": 10000,
    "purple": 50000,
    "orange": 100000,
}
"""Cents per colour where the table names no chip set."""
MOST_TEXT = 2000
"""Most letters of a path, an address or a name."""
FARTHEST_PX = 20_000
"""No corner of a layout lies farther from the picture's."""
MOST_FACE = 20_000
"""Most letters of the text that holds a chip's face."""


class TableConfigError(ValueError):
    """A table file that cannot be used; the text names the file, the key, what it holds and what is allowed.

    Attributes:
        key: what is wrong, e.g. "rules_submission.seats", "" where it is no single key.
        said: the text without file and key.
    """

    def __init__(self, text: str, *, key: str = "", said: str = "") -> None:
        super().__init__(text)
        self.key, self.said = key, said or text


@dataclass(frozen=True, slots=True, kw_only=True)
class TableConfig:
    """One table: its game, how it is dealt, what it offers, and how ambiguous texts are read.

    Attributes:
        table_id: short name, letters, digits, ".", "_" or "-".
        game: one of `rules.law.GAMES`.
        dealing: "manual_shoe", "hand" or "automated_shoe".
        seats: betting positions of the layout.
        shuffler_automated: an automated card shuffling device is used.
        shuffler_counts: that device counts the cards after each shuffle.
        decks: 1, or 2 with an automated shuffler.
        paytables: optional wagers offered and the paytable chosen for each.
        progressive_unit_cents: the one amount of the progressive wager, None where it is not offered.
        readings: every switch that concerns the game with its value; see `rules/data/law_readings.yaml`.
        chips: cents per chip colour.
        chip_faces: for each colour a picture of the house's own chip, as `pitwatch chips learn` writes it; empty = not learned.
        chips_spread: the house has wagers laid singly or spread, never stacked, so that a chip seen alone is one chip.
        layout: name of the layout drawing, or a path.
        camera_source: file, URL or device, None where the caller gives it.
        camera_corners_px: the layout's reference corners in the picture, given by hand, or None.
        external_events: file of events from outside the camera, relative to the table file, or None.
        reshuffler: an approved device reshuffles and counts the cards by itself (.5(g)).
        progressive_linked: the progressive meters are fed by other tables too.
        hand_bonus_linked: the same of the meter of the Five Card Hand Bonus.
        adjacent_boxes: boxes on which one player may wager in a round.
        folded_qualify: whether folded hands qualify for the Progressive, None where the house does not say (687a.11(b)(3)).
        minimum_wager_cents: the lowest base wager, None where not said.
        payout_limit_cents: the highest amount for one hand, None without (643a.12(h)).
        idle_after_s: after how many seconds without play a table is idle (.5(f)).
        reports: kinds of events that the table's sources are sure to tell, so that an event which did not come did not
            happen.
    """

    table_id: str
    game: str
    dealing: str
    seats: int
    shuffler_automated: bool = False
    shuffler_counts: bool = False
    decks: int = 1
    paytables: Mapping[str, str] = field(default_factory=dict)
    progressive_unit_cents: int | None = None
    readings: Mapping[str, str] = field(default_factory=dict)
    chips: Mapping[str, int] = field(default_factory=lambda: DEFAULT_CHIPS)
    chip_faces: Mapping[str, str] = field(default_factory=dict)
    chips_spread: bool = False
    layout: str = ""
    camera_source: str | None = None
    camera_corners_px: tuple[tuple[float, float], ...] | None = None
    external_events: str | None = None
    reports: tuple[str, ...] = ()
    reshuffler: bool = False
    progressive_linked: bool = False
    hand_bonus_linked: bool = False
    adjacent_boxes: int = 1
    folded_qualify: bool | None = None
    minimum_wager_cents: int | None = None
    payout_limit_cents: int | None = None
    idle_after_s: int = 300

    @property
    def law(self) -> GameLaw:
        """The limits of the table's game."""
        return game_law(self.game)

    def reading(self, name: str) -> str:
        """The value of a switch, the default where the table says nothing."""
        return self.readings.get(name, readings()[name].values[0])

    def offers(self, wager: str) -> bool:
        """Whether a wager can be placed at this table."""
        law = self.law.wagers.get(wager)
        return law is not None and (law.kind in ("base", "decision") or wager in self.paytables)

    @classmethod
    def from_mapping(cls, raw: object, *, where: str = "table.yaml") -> TableConfig:
        """A table from the parsed content of its file.

        Args:
            raw: the parsed YAML or JSON document.
            where: stands in front of every error, usually the file name.

        Raises:
            TableConfigError: unknown or missing key, wrong type, or something the chapter forbids, with its section.
        """
        return _Reader(where).table(raw)


class _Reader:
    def __init__(self, where: str) -> None:
        self.where = where

    def fail(self, key: str, text: str) -> TableConfigError:
        return TableConfigError(f"{self.where}: {key}: {text}", key=key, said=text)

    def mapping(self, raw: object, key: str, known: Sequence[str], *, needed: Sequence[str] = ()) -> Mapping[str, Any]:
        if not isinstance(raw, Mapping):
            raise self.fail(key, f"must be a mapping of keys to values, got {in_a_line(raw)}")
        prefix = "" if key == "table" else f"{key}."
        for name in raw:
            if name not in known:
                raise self.fail(f"{prefix}{name}", f"unknown key; allowed here: {', '.join(known)}")
        for name in needed:
            if raw.get(name) is None:
                raise self.fail(f"{prefix}{name}", "is missing; the table cannot be judged without it")
        return raw

    def text(self, raw: object, key: str, *, most: int = MOST_TEXT) -> str:
        if not isinstance(raw, str) or not raw.strip() or "\0" in raw:
            raise self.fail(key, f"must be text, got {in_a_line(raw)}")
        if len(raw) > most:
            raise self.fail(key, f"must be at most {most} letters, got {len(raw)}")
        return raw

    def one_of(self, raw: object, key: str, allowed: Sequence[str], section: str = "") -> str:
        if raw not in allowed:
            law = f" ({section})" if section else ""
            raise self.fail(key, f"must be one of {', '.join(allowed)}{law}, got {in_a_line(raw)}")
        return str(raw)

    def whole(self, raw: object, key: str, low: int, high: int, section: str = "") -> int:
        law = f" ({section})" if section else ""
        if type(raw) is not int:
            raise self.fail(key, f"must be a whole number from {low} to {high}{law}, got {in_a_line(raw)}")
        if not low <= raw <= high:
            raise self.fail(key, f"must be from {low} to {high}{law}, got {raw}")
        return raw

    def flag(self, raw: object, key: str) -> bool:
        if type(raw) is not bool:
            raise self.fail(key, f"must be true or false, got {in_a_line(raw)}")
        return raw

    def table(self, raw: object) -> TableConfig:
        keys = (
            "version", "table_id", "game", "rules_submission", "readings", "chips", "chip_faces", "chips_spread", "layout",
            "camera", "external_events", "reports", "idle_after_s",
        )  # fmt: skip
        doc = self.mapping(raw, "table", keys, needed=("version", "table_id", "game", "rules_submission"))
        if doc["version"] != TABLE_VERSION or type(doc["version"]) is not int:
            raise self.fail("version", f"must be {TABLE_VERSION}, got {in_a_line(doc['version'])}")
        table_id = self.text(doc["table_id"], "table_id")
        if len(table_id) > 64 or not all(ch.isalnum() or ch in "._-" for ch in table_id) or not table_id.isascii():
            raise self.fail(
                "table_id", f'must be at most 64 letters, digits, ".", "_" or "-", got {in_a_line(table_id)}'
            )
        if not table_id.strip("."):
            raise self.fail("table_id", f"must not be dots alone, which no address can name, got {in_a_line(table_id)}")
        law = game_law(self.one_of(doc["game"], "game", GAMES))
        readings = self._readings(doc.get("readings") or {}, law)
        rules = self._submission(doc["rules_submission"], law, readings)
        camera = self.mapping(doc.get("camera") or {}, "camera", ("source", "corners_px"))
        source = camera.get("source")
        external = doc.get("external_events")
        faces = self._faces(doc.get("chip_faces"))
        return TableConfig(
            table_id=table_id,
            game=law.game,
            readings=readings,
            chips=self._chips(doc.get("chips"), faces),
            chip_faces=faces,
            chips_spread=self.flag(doc.get("chips_spread", False), "chips_spread"),
            layout=self.text(doc["layout"], "layout")
            if doc.get("layout") is not None
            else f"{law.game}_{rules['seats']}",
            camera_source=None if source is None else self.text(source, "camera.source"),
            camera_corners_px=self._corners(camera.get("corners_px")),
            external_events=None if external is None else self.text(external, "external_events"),
            reports=self._reports(doc.get("reports") or []),
            idle_after_s=self.whole(doc.get("idle_after_s", 300), "idle_after_s", 1, 86_400),
            **rules,
        )

    def _submission(self, raw: object, law: GameLaw, readings: Mapping[str, str]) -> dict[str, Any]:
        at = "rules_submission"
        keys = ("dealing", "seats", "shuffler", "decks", "paytables", "progressive_unit_cents", *submission.KEYS)
        doc = self.mapping(raw, at, keys, needed=("dealing", "seats"))
        sections = ", ".join(law.dealing.values())
        dealing = self.one_of(doc["dealing"], f"{at}.dealing", tuple(law.dealing), sections)
        seats = self.whole(doc["seats"], f"{at}.seats", 1, law.max_seats, law.seats_section)
        shuffler = self.mapping(doc.get("shuffler") or {}, f"{at}.shuffler", submission.SHUFFLER_KEYS)
        automated = self.flag(shuffler.get("automated", False), f"{at}.shuffler.automated")
        counts = self.flag(shuffler.get("counts_cards", False), f"{at}.shuffler.counts_cards")
        reshuffler = submission.read_shuffler(self, shuffler, f"{at}.shuffler", law, automated=automated)
        if counts and not automated:
            raise self.fail(f"{at}.shuffler.counts_cards", "only an automated card shuffling device counts cards")
        if dealing == "hand" and not automated:
            section = f"{law.dealing['hand']}(a)(1)"
            text = f"dealing by hand needs an automated card shuffling device ({section}); set shuffler.automated: true"
            raise self.fail(f"{at}.dealing", text)
        decks = self.whole(doc.get("decks", 1), f"{at}.decks", 1, 2, law.max_decks_section)
        if decks == 2 and not automated:
            text = f"two decks need an automated card shuffling device ({law.two_decks_section}), got 2 without one"
            raise self.fail(f"{at}.decks", text)
        paytables = self._paytables(doc.get("paytables") or {}, f"{at}.paytables", law)
        unit = doc.get("progressive_unit_cents")
        units = sorted({cents for name in paytables for cents in law.wagers[name].units_cents})
        by = ", ".join(law.wagers[name].section for name in paytables if law.wagers[name].units_cents)
        if unit is not None:
            key = f"{at}.progressive_unit_cents"
            if not units:
                raise self.fail(key, "given, but no progressive wager stands in rules_submission.paytables")
            if type(unit) is not int or unit not in units:
                raise self.fail(key, f"must be {' or '.join(map(str, units))} (cents; {by}), got {in_a_line(unit)}")
        elif units:
            raise self.fail(
                f"{at}.progressive_unit_cents", f"is missing; must be {' or '.join(map(str, units))} (cents; {by})"
            )
        return {
            "dealing": dealing,
            "seats": seats,
            "shuffler_automated": automated,
            "shuffler_counts": counts,
            "decks": decks,
            "paytables": paytables,
            "progressive_unit_cents": unit,
            "reshuffler": reshuffler,
            **submission.read_rest(self, doc, at, law, paytables, readings),
        }

    def _paytables(self, raw: object, at: str, law: GameLaw) -> Mapping[str, str]:
        if not isinstance(raw, Mapping):
            raise self.fail(at, f"must map wagers to paytables, got {in_a_line(raw)}")
        choosable = [name for name, wager in law.wagers.items() if wager.paytables]
        out: dict[str, str] = {}
        for name, value in raw.items():
            wager = law.wagers.get(name) if isinstance(name, str) else None
            if wager is None:
                text = f"no such wager in {law.title} ({law.wagers_section}); allowed: {', '.join(choosable)}"
                raise self.fail(f"{at}.{name}", text)
            if not wager.paytables:
                text = f"this wager has no choice of paytable ({wager.section}); leave it out; allowed: {', '.join(choosable)}"
                raise self.fail(f"{at}.{name}", text)
            given = str(value) if type(value) is int else value
            chosen = self.one_of(given, f"{at}.{name}", wager.paytables, wager.section)
            out[name] = "A" if chosen == "fixed" else chosen
        for name, wager in law.wagers.items():
            if wager.required and name not in out:
                raise self.fail(f"{at}.{name}", f"is missing; one of {', '.join(wager.paytables)} ({wager.section})")
        return out

    def _readings(self, raw: object, law: GameLaw) -> Mapping[str, str]:
        if not isinstance(raw, Mapping):
            raise self.fail("readings", f"must map switches to values, got {in_a_line(raw)}")
        known = {name: item for name, item in readings().items() if law.game in item.games}
        out: dict[str, str] = {name: item.values[0] for name, item in known.items()}
        for name, value in raw.items():
            if name not in known:
                raise self.fail(f"readings.{name}", f"unknown switch; allowed: {', '.join(known)}")
            given = str(value).lower() if type(value) is bool else str(value) if type(value) is int else value
            out[name] = chosen = self.one_of(given, f"readings.{name}", known[name].values)
            if chosen in known[name].refused:
                text = f"{chosen} would change nothing: {known[name].refused[chosen]}; leave it out"
                raise self.fail(f"readings.{name}", text)
        return out

    def _faces(self, raw: object) -> Mapping[str, str]:
        if raw is None:
            return {}
        if not isinstance(raw, Mapping):
            raise self.fail("chip_faces", f"must map chip colours to pictures, got {in_a_line(raw)}")
        for color, picture in raw.items():
            if not isinstance(color, str) or not 0 < len(color) <= 24 or not color.replace(" ", "").isalpha():
                raise self.fail("chip_faces", f"a colour must be at most 24 letters, got {in_a_line(color)}")
            self.text(picture, f"chip_faces.{color}", most=MOST_FACE)
        return dict(raw)

    def _chips(self, raw: object, faces: Mapping[str, str]) -> Mapping[str, int]:
        if raw is None and not faces:
            return DEFAULT_CHIPS
        if not isinstance(raw, Mapping) or not raw:
            raise self.fail("chips", f"must map chip colours to cents, got {in_a_line(raw)}")
        out: dict[str, int] = {}
        for color, cents in raw.items():
            if faces and color not in faces:
                text = f"has no picture in chip_faces, which holds {', '.join(faces)}; learn all chips anew (pitwatch chips learn)"
                raise self.fail(f"chips.{color}", text)
            if not faces and color not in CHIP_COLORS:
                allowed = ", ".join(CHIP_COLORS)
                text = f"unknown chip colour; allowed: {allowed}; others are learned with pitwatch chips learn"
                raise self.fail(f"chips.{color}", text)
            out[color] = self.whole(cents, f"chips.{color}", 1, 100_000_000)
        return out

    def _reports(self, raw: object) -> tuple[str, ...]:
        if not isinstance(raw, Sequence) or isinstance(raw, str):
            raise self.fail("reports", f"must be a list of kinds of events, got {in_a_line(raw)}")
        return tuple(self.one_of(kind, f"reports[{i}]", sorted(EVENT_TYPES)) for i, kind in enumerate(raw))

    def _corners(self, raw: object) -> tuple[tuple[float, float], ...] | None:
        if raw is None:
            return None
        text = f"must be four points [x, y] in pixels, got {in_a_line(raw)}"
        if not isinstance(raw, Sequence) or isinstance(raw, str) or len(raw) != 4:
            raise self.fail("camera.corners_px", text)
        points: list[tuple[float, float]] = []
        for point in raw:
            if not isinstance(point, Sequence) or len(point) != 2 or any(type(v) not in (int, float) for v in point):
                raise self.fail("camera.corners_px", text)
            if not all(-FARTHEST_PX <= v <= FARTHEST_PX for v in point):
                raise self.fail("camera.corners_px", f"{text}; each from -{FARTHEST_PX} to {FARTHEST_PX}")
            points.append((float(point[0]), float(point[1])))
        return tuple(points)
