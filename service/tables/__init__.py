"""Tables: added, changed, calibrated, paused and seen to be healthy while the service runs."""
