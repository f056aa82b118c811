"""A course with a kind of problem of its own."""
