"""The HTTP interface: one application for a house, its routes, its answers."""
