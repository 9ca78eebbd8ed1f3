"""Where a table lies in a camera's picture, told on the command line: `pitwatch calibrate` and `pitwatch layout`."""
