"""Where something changed on the table, whose hand lay there, and when nothing can be concluded; without a network."""
