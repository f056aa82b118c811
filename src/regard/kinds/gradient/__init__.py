"""The backward pass: gradients as formulas and in numbers, and how fast they vanish."""
