"""One key that is replaced while the query stays."""
