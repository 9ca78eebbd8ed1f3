"""The law of the table: events in, findings out. Pure Python, no numpy, no OpenCV, no I/O but its own data files."""
