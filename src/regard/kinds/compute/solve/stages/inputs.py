"""Tokens, with positions added and normed before attention."""

from __future__ import annotations

from regard.kinds.compute.solve.stages.block import add_norm
from regard.kinds.compute.solve.stages.recipe import Recipe


def add(recipe: Recipe) -> None:
    """Add what queries, keys and values are made of."""
    given = recipe.given
    tokens = recipe.array("tokens")
    context = recipe.array("context")
    if given.adds:
        _add_positions(recipe, tokens, context)
    if given.norm is not None and given.norm.place == "pre" and tokens is not None:
        add_norm(recipe, "N", recipe.first("XP", "given tokens"), first=True)


def _add_positions(recipe: Recipe, tokens: str | None, context: str | None) -> None:
    given, p = recipe.given, recipe.given.positions
    assert p is not None
    rows = given.tokens
    width = given.d_model if rows is None else len(rows[0])
    start, count = given.first_added, given.added_rows
    if p.kind == "sinusoidal":
        recipe.do("P", "sinusoidal", count=count, width=width, start=start, base=p.base)
    else:
        assert p.table is not None
        recipe.written("P", p.table[start : start + count])
    for name, source, at, many in (
        ("XP", tokens, given.first_query, given.n_q),
        ("context with positions", context, given.first_key, len(given.context or ())),
    ):
        if source is not None:
            part, first = "P", at - start
            if many != count:
                part = recipe.do(f"P of {name}", "rows", "P", first=first, last=first + many)
            recipe.do(name, "plus", source, part)
