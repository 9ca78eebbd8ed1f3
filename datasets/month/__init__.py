"""A month of settled rounds of a whole pit, without video, with mistakes in paying planted and booked."""
