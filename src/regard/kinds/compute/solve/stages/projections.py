"""Queries, keys and values: given as they are, or made of tokens by matrices and biases."""

from __future__ import annotations

from regard.kinds.compute.solve.stages.recipe import Recipe


def add(recipe: Recipe) -> None:
    """Add Q, K and V."""
    given = recipe.given
    direct = given.scores is not None or given.weights is not None
    if given.n is not None:
        return
    for letter in "V" if direct else "QKV":
        if letter == "V" and given.d_v is None:
            continue
        _add_one(recipe, letter)


def _add_one(recipe: Recipe, letter: str) -> None:
    given = recipe.given
    cached = recipe.array(f"cached_{letter}") if letter != "Q" else None
    name = letter if cached is None else f"new {letter}"
    own = getattr(given, letter)
    if own is not None:
        recipe.written(name, own)
    else:
        source = recipe.first("N", "XP", "given tokens")
        if letter != "Q" and given.context is not None:
            source = recipe.first("context with positions", "given context")
        matrix, bias = recipe.array(f"W_{letter}"), recipe.array(f"b_{letter}")
        if matrix is None:
            recipe.do(name, "same", source)
        elif bias is None:
            recipe.do(name, "times", source, matrix)
        else:
            product = recipe.do(f"{letter} before the bias", "times", source, matrix)
            recipe.do(name, "plus", product, bias)
    if cached is not None:
        recipe.do(letter, "below", cached, name)
