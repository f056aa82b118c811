"""Numbers of answers: how many digits count, and which numbers a statement tells."""
