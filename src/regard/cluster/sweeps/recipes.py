"""What is built and written down where a function of regard is swept by its name.

A recipe says by which laws the arrays of a function are drawn from a cell's sizes, what the sizes
are where nobody says, and which columns there are beside the scalars of the result.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from regard.cluster.sweeps.columns import Row

__all__ = ["RECIPES", "Recipe"]

Law = Mapping[str, Any]
_TWO = [0, 1]  # the keys that are wanted, where several are


@dataclass(frozen=True)
class Recipe:
    """How a function is swept by its name.

    Attributes:
        draws: for each argument that is built, the law; later ones may use earlier ones.
        defaults: settings that a sweep need not give.
        more: columns out of a result and its arguments, beside the scalars of the result.
        without: scalars of the result that say nothing in a table.
    """

    draws: Mapping[str, Law] = field(default_factory=dict)
    defaults: Mapping[str, Any] = field(default_factory=dict)
    more: Callable[[Any, Mapping[str, Any]], Row] = lambda result, given: {}
    without: tuple[str, ...] = ()


def _rows(law: str, rows: str = "n", columns: str = "d", **more: Any) -> Law:
    return {"law": law, "shape": [rows, columns], **more}


def _of_law(result: Any, given: Mapping[str, Any]) -> Row:
    """variance, and leak where the values are unit vectors: the weight off the wanted keys."""
    found: Row = {"variance": float(result.variance)}
    values = np.asarray(given["values"])
    if values.shape == (len(values),) * 2 and np.array_equal(values, np.eye(len(values))):
        found["leak"] = 1.0 - float(np.sum(result.mean[_TWO]))
    return found


def _of_query(result: Any, given: Mapping[str, Any]) -> Row:
    """leak: the weight off the target; norm: the length of the query."""
    leak = 1.0 - float(np.sum(np.asarray(result.weights)[list(result.target)]))
    return {"leak": leak, "norm": float(np.linalg.norm(result.query))}


def _of_robust(result: Any, given: Mapping[str, Any]) -> Row:
    """Variance of the output, failure: the largest of the heads'."""
    return {"variance": float(result.law.variance), "failure": float(np.max(result.failure))}


def _of_positions(result: Any, given: Mapping[str, Any]) -> Row:
    """kept: how many pairs of a sine and a cosine the head reads."""
    return {"kept": len(result.kept)}


def _of_statistics(result: Any, given: Mapping[str, Any]) -> Row:
    """entropy, effective support and largest weight, each averaged over the queries."""
    return {
        "entropy": float(np.mean(result.entropy)),
        "effective_support": float(np.mean(np.exp(result.entropy))),
        "peak": float(np.mean(result.peak)),
    }


def _of_gradients(result: Any, given: Mapping[str, Any]) -> Row:
    """The lengths of the gradients, all entries together."""
    names = ("query", "key", "value", "scores")
    return {f"{name} norm": float(np.linalg.norm(getattr(result, name))) for name in names}


def _of_stability(result: Any, given: Mapping[str, Any]) -> Row:
    """variance, rmse and failure of each design."""
    return {
        f"{design.name} {what}": float(getattr(design, what))
        for design in result.designs
        for what in ("variance", "rmse", "failure")
    }


_KEYS = {"n": 8, "d": 16}
_NOISY = _KEYS | {"noise": 0.1, "heads": 1}
_MEANS = {
    "means": _rows("orthonormal"),
    "covariances": _rows("isotropic", variance="noise"),
}
_DOTS = {
    "mu_q": {"law": "constant", "shape": ["d"]},
    "Sigma_q": {"law": "isotropic", "shape": ["d"]},
    "mu_k": {"law": "constant", "shape": ["d"]},
    "Sigma_k": {"law": "isotropic", "shape": ["d"]},
}
_HEAD = {
    "W_Q": _rows("gaussian", "d_model", "d"),
    "W_K": _rows("gaussian", "d_model", "d"),
    "tokens": _rows("gaussian", "m", "d_model"),
}

RECIPES: dict[str, Recipe] = {
    "attention_statistics": Recipe(
        {"query": _rows("gaussian", "m"), "key": _rows("gaussian")},
        _KEYS | {"m": 16},
        _of_statistics,
    ),
    "analysis.key_noise": Recipe(
        _MEANS
        | {
            "values": _rows("identity", columns="n"),
            "queries": {"law": "toward", "keys": "means", "rows": _TWO, "heads": "heads"},
        },
        _NOISY,
        _of_law,
        ("reason",),
    ),
    "analysis.stability": Recipe(
        _MEANS
        | {
            "values": _rows("identity", columns="n"),
            "designs": {"law": "one_or_each", "keys": "means", "rows": _TWO},
        },
        _KEYS | {"noise": 0.1, "target": {"0": 0.5, "1": 0.5}},
        _of_stability,
    ),
    "analysis.dot_product_moments": Recipe(_DOTS, {"d": 16}),
    "analysis.simulate_dot_product": Recipe(_DOTS, {"d": 16}),
    "analysis.entropy": Recipe({"scores": {"law": "gaussian", "shape": ["n"]}}, {"n": 8}),
    "analysis.scale_for_support": Recipe({"scores": {"law": "gaussian", "shape": ["n"]}}, {"n": 8}),
    "analysis.sensitivity": Recipe(
        {
            "query": {"law": "gaussian", "shape": ["d"]},
            "keys": _rows("gaussian"),
            "values": _rows("gaussian"),
        },
        _KEYS,
    ),
    "analysis.gradients": Recipe(
        {
            "query": _rows("gaussian", "m"),
            "key": _rows("gaussian"),
            "value": _rows("gaussian"),
            "grad_output": _rows("gaussian", "m"),
        },
        _KEYS | {"m": 16},
        _of_gradients,
    ),
    "analysis.worst_case": Recipe(
        {
            "query": {"law": "gaussian", "shape": ["d"]},
            "keys": _rows("gaussian"),
            "values": {"law": "gaussian", "shape": ["n"]},
        },
        _KEYS,
    ),
    "analysis.content_split": Recipe(
        {"head": _rows("gaussian", "d"), "tokens": _rows("gaussian")}, _KEYS
    ),
    "analysis.positional_kernel": Recipe({"A": _rows("gaussian", "d_model", "d_model")}),
    "analysis.rotary_kernel": Recipe(_HEAD, {"m": 16, "d": 16, "d_model": 32}),
    "design.query": Recipe(
        {"keys": _rows("gaussian")}, _KEYS | {"target": 0}, _of_query, ("longer", "radius")
    ),
    "design.self_attention": Recipe(
        {"tokens": _rows("gaussian"), "attend": {"law": "permutation", "n": "n"}}, _KEYS
    ),
    "design.robust": Recipe(_MEANS, _NOISY | {"target": {"0": 0.5, "1": 0.5}}, _of_robust),
    "design.offset": Recipe(more=_of_positions),
    "design.band": Recipe(more=_of_positions),
    "design.separator": Recipe(
        {"S": _rows("gaussian", "d", "m"), "T": _rows("gaussian", "d", "m")}, {"d": 16, "m": 3}
    ),
}
