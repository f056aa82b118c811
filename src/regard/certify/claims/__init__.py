"""One subject per file: what is claimed, and how it is decided."""
