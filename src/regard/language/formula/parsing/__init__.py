"""From text to a formula, or to the place where it cannot be read."""
