"""Clips drawn by our own renderer that come with the project."""

from pathlib import Path

BUNDLED = Path(__file__).parent / "raise_it_up"
"""Folder of the film that `pitwatch run` reviews: `video.mp4`, its truth and `table.yaml`."""
