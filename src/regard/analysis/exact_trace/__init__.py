"""Attention on small matrices in exact numbers, every step written out."""
