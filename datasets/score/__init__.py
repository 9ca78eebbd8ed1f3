"""Scores of the sight and of the whole, with sample sizes and intervals."""
