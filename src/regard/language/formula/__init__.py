"""Formulas: read, infer shapes, evaluate, print."""
