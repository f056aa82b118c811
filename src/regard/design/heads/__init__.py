"""Heads of self-attention, from tokens and what each row should do."""
