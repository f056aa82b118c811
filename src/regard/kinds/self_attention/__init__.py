"""Matrices K, Q and V that do what is asked of tokens."""
