"""Formulas that are to be found or shown."""
