"""Rounds that are played: decisions, timing, planted mistakes, and what they must lead to."""
