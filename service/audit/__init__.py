"""Payout accuracy: rounds of any source judged to the cent, kept as facts, counted, sampled and reported."""
