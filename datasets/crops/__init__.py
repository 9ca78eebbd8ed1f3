"""Writers of training pictures for the networks in `models`."""
