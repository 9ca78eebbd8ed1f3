"""Ways to tamper with evidence without its key, to measure that every one is found."""
