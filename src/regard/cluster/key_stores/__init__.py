"""Attention over keys and values in files and stores, block by block."""
