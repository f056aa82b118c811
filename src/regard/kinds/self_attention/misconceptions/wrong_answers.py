"""What somebody with a mistake would answer: the right matrices with one thing wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from regard.kinds.self_attention.spec import SelfAttentionProblem


def _fields(right: Mapping[str, Any]) -> dict[str, str]:
    """Return the names of the matrices in an answer, by what they are for."""
    roles = {role: [name for name in (role, f"W_{role}") if name in right] for role in "KQV"}
    return {role: names[0] for role, names in roles.items() if names}


def keys_for_queries(
    problem: SelfAttentionProblem, right: Mapping[str, Any]
) -> Iterator[Mapping[str, Any]]:
    """Return the right answer with the matrices of keys and queries exchanged."""
    names = _fields(right)
    if {"K", "Q"} <= set(names):
        yield {**right, names["K"]: right[names["Q"]], names["Q"]: right[names["K"]]}


def undivided_values(
    problem: SelfAttentionProblem, right: Mapping[str, Any]
) -> Iterator[Mapping[str, Any]]:
    """Return the right answer with values that are not divided by the squared length."""
    for name, formula, length in _over_square(problem, right, "V"):
        yield {**right, name: formula or f"{length}^2 ({right[name]})"}


def close_scores(
    problem: SelfAttentionProblem, right: Mapping[str, Any]
) -> Iterator[Mapping[str, Any]]:
    """Return the right answer with queries divided by the squared length once more, then I."""
    for name, formula, length in _over_square(problem, right, "Q"):
        divided = f"{formula} / {length}^4" if formula else f"({right[name]}) / {length}^2"
        yield {**right, name: divided}
    yield plain_matrices(problem)


def _over_square(
    problem: SelfAttentionProblem, right: Mapping[str, Any], role: str
) -> Iterator[tuple[str, str, str]]:
    """Yield a matrix that is a formula, what stands over the squared length in it, and the length.

    Nothing where vectors have length 1.
    """
    norm, name = problem.given.basis.norm, _fields(right).get(role, "")
    if norm != 1 and isinstance(right.get(name), str):
        over, square, rest = right[name].rpartition(f" / {norm}^2")
        yield name, over if square and not rest else "", str(norm)


def plain_matrices(problem: SelfAttentionProblem) -> Mapping[str, Any]:
    """Return tokens as their own keys, queries and values."""
    return {"K": "I", "Q": "I", **({"V": "I"} if problem.goal.outputs else {})}
