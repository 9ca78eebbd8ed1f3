"""Layouts in millimetres, the camera that sees them, and where the one lies in the picture of the other."""
