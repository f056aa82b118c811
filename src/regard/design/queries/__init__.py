"""Queries, from keys and the weights or the output that are wanted."""
