"""Scores of random vectors: closed forms of their moments, and numbers to try formulas on."""
