"""Settlement: what every wager of a round returns, exactly, with the way there and the section of law."""
