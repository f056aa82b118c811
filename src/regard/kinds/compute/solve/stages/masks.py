"""Which keys each query may attend to: causal order, windows, lengths and masks together."""

from __future__ import annotations

from regard.kinds.compute.solve.stages.recipe import Recipe


def add(recipe: Recipe) -> None:
    """Add M, 1 where a query may attend to a key and 0 elsewhere."""
    if recipe.given.hides:
        recipe.written("M", [[int(may) for may in row] for row in recipe.given.allowed()])
