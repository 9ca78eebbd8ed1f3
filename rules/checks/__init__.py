"""The checks, one module a group. Each looks at the books of a round and says how it ended, or that it is too early."""
