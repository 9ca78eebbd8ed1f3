"""Reviews, live tables, the alert feed, screens and the command line."""
