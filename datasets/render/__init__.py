"""From a scene on the table to pixels of the camera."""
