"""Formulas in rationals, balls and symbols: what identities are proved with."""
