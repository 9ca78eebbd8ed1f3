"""Recorded video into rounds, findings and payouts: reviews, their queue and workers, and the search through rounds."""
