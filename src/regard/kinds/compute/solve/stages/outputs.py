"""Outputs: the weighted averages of the values."""

from __future__ import annotations

from regard.kinds.compute.solve.stages.recipe import Recipe


def add(recipe: Recipe) -> None:
    """Add C, of several heads side by side."""
    given = recipe.given
    if given.d_v is None or given.n is not None:
        return
    if given.heads == 1:
        recipe.do("C", "times", "A", "V")
        return
    parts = []
    for head, behind in recipe.heads():
        values = recipe.columns_of("V", head, grouped=True)
        parts.append(recipe.do(f"C of head {head + 1}", "times", f"A{behind}", values))
    recipe.do("C", "beside", *parts)
