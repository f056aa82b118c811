"""Mean and variance of a score, and what to divide it by."""
