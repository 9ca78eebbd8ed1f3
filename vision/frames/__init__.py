"""Frames with their times, from a file, a stream, a camera or a folder, and the pieces cut out of them."""
