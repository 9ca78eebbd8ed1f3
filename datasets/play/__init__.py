"""Rounds of play: dealing, players who decide, planted mistakes and the motion of it all over time."""
