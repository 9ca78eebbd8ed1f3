"""The same card and the same chip from one look, and one rest, to the next."""
