"""Heads that survive noise in the keys."""
