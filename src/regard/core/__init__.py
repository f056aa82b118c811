"""What attention is; `kernels` inside it is how it is computed fast."""
