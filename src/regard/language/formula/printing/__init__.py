"""Formulas as text and as LaTeX, which can both be read back."""
