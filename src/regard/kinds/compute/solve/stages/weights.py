"""Weights: the softmax of scores over the keys that may be attended to, or shares of their sum."""

from __future__ import annotations

from regard.kinds.compute.solve.stages.recipe import Recipe


def add(recipe: Recipe) -> None:
    """Add E, S, LSE, A and H, for each head."""
    given = recipe.given
    if given.n is not None:
        return
    mask = ("M",) if recipe.has("M") else ()
    for _, behind in recipe.heads():
        if given.weights is not None:
            recipe.written("A", given.weights)
        elif given.divides:
            recipe.do(f"S{behind}", "row_sums", f"Z{behind}", *mask)
            recipe.do(f"A{behind}", "shares", f"Z{behind}", *mask)
        else:
            scores = f"Z{behind}"
            if str(given.temperature) != "1":
                by = f"1/({given.temperature})"
                scores = recipe.do(f"Z{behind} over the temperature", "scaled", scores, by=by)
            recipe.do(f"E{behind}", "powers", scores, *mask)
            recipe.do(f"S{behind}", "row_sums", f"E{behind}", *mask)
            recipe.do(f"LSE{behind}", "log_sums", scores, *mask)
            recipe.do(f"A{behind}", "softmax", scores, *mask)
            if given.tiles is not None:
                _add_tiles(recipe, scores, mask)
        recipe.do(f"H{behind}", "entropies", f"A{behind}", unit=given.entropy)


def _add_tiles(recipe: Recipe, scores: str, mask: tuple[str, ...]) -> None:
    """Add the state of an online softmax after each tile: maximum, sum and weighted sum."""
    given = recipe.given
    assert given.tiles is not None
    recipe.do("RM", "running_maxima", scores, *mask, size=given.tiles)
    recipe.do("RS", "running", scores, *mask, size=given.tiles, part=1)
    if given.d_v is not None:
        for tile in range(-(-given.n_k // given.tiles)):
            name = f"RU_t{tile + 1}"
            recipe.do(name, "running", scores, "V", *mask, size=given.tiles, tile=tile)
