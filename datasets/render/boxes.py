"""Boxes of whole pixels."""

from __future__ import annotations

Box = tuple[int, int, int, int]
"""x0, y0, x1, y1, half-open."""


def joined(boxes: list[Box]) -> list[Box]:
    """Boxes joined until none overlaps another, so that no pixel is worked on twice."""
    done: list[Box] = []
    for box in boxes:
        current = box
        again = True
        while again:
            again = False
            for other in done:
                if current[0] < other[2] and other[0] < current[2] and current[1] < other[3] and other[1] < current[3]:
                    done.remove(other)
                    current = (
                        min(current[0], other[0]), min(current[1], other[1]),
                        max(current[2], other[2]), max(current[3], other[3]),
                    )  # fmt: skip
                    again = True
                    break
        done.append(current)
    return done
