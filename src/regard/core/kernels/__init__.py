"""How attention is computed fast."""
