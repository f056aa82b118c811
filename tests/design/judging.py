"""Judge a design by running it: what it claims must hold in plain loops, and its proof must verify."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import regard
from regard.certify import verify
from regard.core import reference

__all__ = ["judge_head", "judge_query", "weights_of"]

Array = NDArray[np.float64]

ROUNDING = 1e-12  # of the loops themselves, where scores are sums of numbers of about 1


def judge_query(keys: Array, target: Any, **options: Any) -> str:
    """Design a query, check all that it says, and return what came out."""
    outcome, found = _tried(regard.design.query, keys, target, **options)
    design = found if outcome == "reached" else found.best
    _query_holds(design, keys, target, options)
    assert (design.error <= options.get("tolerance", 1e-3)) == (outcome == "reached")
    if outcome == "infeasible":
        _proved(found.certificate, keys=keys)
        _no_better_than_claimed(found)
    return outcome


def judge_head(tokens: Array, goal: dict[str, Any], **options: Any) -> str:
    """Design a head, check all that it says, and return what came out."""
    outcome, found = _tried(regard.design.self_attention, tokens, **goal, **options)
    design = found if outcome == "reached" else found.best
    _head_holds(design, tokens, goal)
    assert design.d_k_lower_bound <= design.d_k == design.W_Q.shape[1] == design.W_K.shape[1]
    if options.get("d_k") is None:
        assert (design.error <= options.get("tolerance", 1e-3)) == (outcome == "reached")
    elif outcome == "reached":
        assert design.error <= options.get("tolerance", 1e-3)
        assert design.d_k == options["d_k"]
    if outcome == "infeasible":
        _proved(found.certificate, tokens=tokens)
    return outcome


def _tried(call: Callable[..., Any], *arguments: Any, **options: Any) -> tuple[str, Any]:
    """Return what came out, and the design or the exception."""
    try:
        return "reached", call(*arguments, **options)
    except regard.InfeasibleDesign as problem:
        return "infeasible", problem
    except regard.UndecidedDesign as problem:
        return "undecided", problem


def weights_of(target: Any, n: int) -> Array:
    """Return a target as a vector of n weights."""
    table = np.zeros(n)
    if isinstance(target, dict):
        table[list(target)] = list(target.values())
    elif isinstance(target, int):
        table[target] = 1
    else:
        table[:] = target
    return table


def _proved(certificate: Any, **arrays: Array) -> None:
    result = verify(certificate, **arrays)
    assert result.holds, str(result)


def _query_holds(design: Any, keys: Array, target: Any, options: dict[str, Any]) -> None:
    """The certificate verifies, and plain loops find no larger error than it claims."""
    _proved(design.certificate, keys=keys)
    values = options.get("values")
    averaged = np.eye(len(keys)) if values is None else values
    found = reference.attention(design.query[None], keys, averaged, scale=design.scale)
    # A score that is a sum of numbers of 1e6 is itself rounded to 1e-9 or so, in any loop.
    summed = design.scale * np.max(np.abs(keys) @ np.abs(design.query))
    room = ROUNDING * max(1.0, float(summed) / 100)
    np.testing.assert_allclose(design.weights, found.weights[0], rtol=0, atol=room)
    missed = found.output[0] - weights_of(target, len(keys)) @ averaged
    error = np.max(np.abs(missed)) if values is None else np.linalg.norm(missed)
    assert error <= design.error + room * max(1.0, float(np.max(np.abs(averaged))))


def _head_holds(design: Any, tokens: Array, goal: dict[str, Any]) -> None:
    _proved(design.certificate, tokens=tokens)
    found = reference.attention(
        tokens @ design.W_Q, tokens @ design.W_K, tokens @ design.W_V, scale=design.scale
    )
    size = np.abs(tokens)
    summed = (size @ np.abs(design.W_Q)) @ (size @ np.abs(design.W_K)).T
    room = ROUNDING * max(1.0, design.scale * float(np.max(summed)) / 100)
    np.testing.assert_allclose(design.weights, found.weights, rtol=0, atol=room)
    for row, wanted in goal.get("attend", {}).items():
        missed = np.abs(found.weights[row] - weights_of(wanted, len(tokens)))
        assert np.max(missed) <= design.error + room
    for row, vector in goal.get("outputs", {}).items():
        missed = np.linalg.norm(found.output[row] - vector)
        assert missed <= design.error + room * max(1.0, float(np.max(np.abs(found.output))))


def _no_better_than_claimed(problem: Any) -> None:
    """The closest design is itself a query, so it cannot pass a ceiling that holds for all."""
    for claim in problem.certificate.claims:
        if claim.kind == "ceiling":
            radius = claim.fields["radius"]
            if radius is None or np.linalg.norm(problem.best.query) <= radius:
                weight = problem.best.weights[claim.fields["key"]]
                assert weight <= claim.fields["bound"] * (1 + 1e-9)
