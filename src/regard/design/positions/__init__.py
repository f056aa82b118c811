"""Heads that see positions only: one offset, or a band of them."""
