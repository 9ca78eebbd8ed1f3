"""What can go wrong with the networks."""

from __future__ import annotations


class ModelError(RuntimeError):
    """A network's weights are missing, broken or not the ones this version expects; the text says which and what to do."""
