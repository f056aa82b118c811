"""Matrices that do the same thing for every sequence."""
