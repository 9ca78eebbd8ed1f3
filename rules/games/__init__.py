"""One module a game: what the generic engine needs to know of it."""
