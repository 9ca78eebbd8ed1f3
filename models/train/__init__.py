"""Training and export (needs the `train` extra)."""
