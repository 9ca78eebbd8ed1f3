"""The cards on the table that are followed, and the names they bear: with one deck no name is given twice."""

from __future__ import annotations

from vision.tracking.tracks import CardTrack


class OnTable:
    """The cards that lie open to sight, by their numbers.

    Args:
        decks: how many lie on the table; with one deck no two cards bear the same name.
    """

    def __init__(self, decks: int) -> None:
        self._decks = decks
        self._tracks: dict[int, CardTrack] = {}

    def add(self, track: CardTrack) -> None:
        """A card is followed from now on."""
        self._tracks[track.card_id] = track

    def drop(self, card_id: int) -> None:
        """A card is gone, or lies under others."""
        self._tracks.pop(card_id, None)

    def clear(self) -> None:
        """No card is known any more."""
        self._tracks.clear()

    def identify(self, track: CardTrack) -> str | None:
        """Give a track its identity where its readings are sure and the deck allows it."""
        found = track.identity()
        if found is None or self.is_given(found[0], besides=track):
            return None
        track.card, track.card_confidence = found
        return track.card

    def is_given(self, card: str, *, besides: CardTrack | None = None) -> bool:
        """Whether with one deck another card on the table bears this name."""
        return self._decks == 1 and any(other.card == card and other is not besides for other in self._tracks.values())

    def seen_elsewhere(self, track: CardTrack) -> CardTrack | None:
        """With one deck, the card of another area that has this identity already."""
        found = track.identity()
        if found is None or self._decks != 1:
            return None
        others = (other for other in self._tracks.values() if other.card == found[0] and other is not track)
        return next((other for other in others if other.area != track.area), None)
