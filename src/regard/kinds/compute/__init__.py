"""Worked examples: every number of one call of attention."""
