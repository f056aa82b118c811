"""Sweeps: one function over many settings, a row of a table for each cell."""
