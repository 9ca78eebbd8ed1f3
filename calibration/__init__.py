"""Layouts of tables in millimetres, the camera over them, finding one in the picture of the other, and drift."""
