"""Self-attention without matrices: which outputs a change of one token can reach."""
