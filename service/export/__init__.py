"""Writers of files people take away: JSON lines, CSV, Parquet and PDF. They know nothing of tables, rounds or law."""
