"""A matrix that takes one of two values out of their sum."""
