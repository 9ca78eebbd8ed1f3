"""One look at an area: the cards and chips that the networks find in one frame, read, named and counted."""
