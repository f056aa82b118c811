"""Weights of scores that are linear in what is sought: what queries and heads have in common."""
