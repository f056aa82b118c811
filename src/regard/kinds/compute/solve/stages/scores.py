"""Scores: products of queries and keys, times the scale, plus biases."""

from __future__ import annotations

from regard.kinds.compute.solve.stages.positions import biases
from regard.kinds.compute.solve.stages.recipe import Recipe
from regard.kinds.compute.spec.parts import BIASES


def add(recipe: Recipe) -> None:
    """Add G (raw), B (biases) and Z, for each head."""
    given = recipe.given
    for head, behind in recipe.heads():
        bias = _bias(recipe, head, behind) if given.biased else None
        if given.n is not None or given.weights is not None:
            continue
        raw = _raw(recipe, head, f"G{behind}")
        scale = str(given.scale).replace("d_k", f"({given.d_k})")
        if bias is None and given.softcap is None:
            recipe.do(f"Z{behind}", "scaled", raw, by=scale)
            continue
        product = recipe.do(f"scaled G{behind}", "scaled", raw, by=scale)
        if given.softcap is not None:
            share = recipe.do(f"capped G{behind}", "scaled", product, by=f"1/({given.softcap})")
            curve = recipe.do(f"tanh of G{behind}", "mapped", share, function="tanh")
            last = f"Z{behind}" if bias is None else f"softcap of G{behind}"
            product = recipe.do(last, "scaled", curve, by=str(given.softcap))
        if bias is not None:
            recipe.do(f"Z{behind}", "plus", product, bias)


def _raw(recipe: Recipe, head: int, name: str) -> str:
    given = recipe.given
    if given.scores is not None:
        return recipe.written(name, given.scores)
    Q = recipe.columns_of(recipe.first("QR", "QF", "Q"), head, grouped=False)
    K = recipe.columns_of(recipe.first("KR", "KF", "K"), head, grouped=True)
    if given.score == "cosine":
        return recipe.do(name, "cosines", Q, K)
    if given.score == "distance":
        return recipe.do(name, "distances", Q, K)
    if given.score == "additive":
        vector = recipe.array("w_score")
        assert vector is not None
        return recipe.do(name, "additive", Q, K, vector)
    if given.score == "bilinear":
        matrix = recipe.array("W_score")
        assert matrix is not None
        Q = recipe.do(f"{Q} times W_score", "times", Q, matrix)
    return recipe.do(name, "times", Q, K, transposed=True)


def _bias(recipe: Recipe, head: int, behind: str) -> str:
    given = recipe.given
    own = recipe.array("bias")
    name = f"B{behind}"
    if given.positions is None or given.positions.kind not in BIASES:
        assert own is not None
        return recipe.do(name, "same", own)
    if own is None:
        return recipe.written(name, biases(recipe, head))
    part = recipe.written(f"biases of positions{behind}", biases(recipe, head))
    return recipe.do(name, "plus", own, part)
