"""A head that looks exactly T steps back."""
