"""Who may do what, who did what, and what may be reached from here."""
