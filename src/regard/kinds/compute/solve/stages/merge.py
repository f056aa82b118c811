"""What the heads put out, through W_O."""

from __future__ import annotations

from regard.kinds.compute.solve.stages.recipe import Recipe


def add(recipe: Recipe) -> None:
    """Add O."""
    matrix, bias = recipe.array("W_O"), recipe.array("b_O")
    if matrix is None or not recipe.has("C"):
        return
    if bias is None:
        recipe.do("O", "times", "C", matrix)
    else:
        product = recipe.do("O before the bias", "times", "C", matrix)
        recipe.do("O", "plus", product, bias)
