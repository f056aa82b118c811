"""Keys whose coordinates are of very different size: each coordinate in a unit of its own.

Scores stay as they are if coordinate j of every key is divided by u_j and that of the query
multiplied by it. Powers of two change nothing else.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from regard.certify import Certificate, Claim
from regard.design import query as design_query
from regard.errors import RegardError
from regard.kinds.query.solve.formula import Mix
from regard.kinds.query.spec import QueryProblem
from regard.problems.instances import KeyInstance
from regard.report import Facts, number, vector
from regard.solving.finding import Status
from regard.solving.key_tables import softmax, tex, tex_vector, weights_plot, weights_table
from regard.solving.solution import Solution, solved

Float64 = NDArray[np.float64]

UNEQUAL = 1e6  # coordinates whose sizes differ by less are left alone


def in_other_units(
    problem: QueryProblem, mix: Mix, instance: KeyInstance, values: Float64 | None
) -> Solution | None:
    """Return a query that was designed in other units; None if that finds none."""
    sizes = np.max(np.abs(instance.keys), axis=0)
    used = sizes > 0
    if not np.any(used) or np.max(sizes[used]) < UNEQUAL * np.min(sizes[used]):
        return None
    units = np.ones_like(sizes)
    units[used] = 2.0 ** np.round(np.log2(sizes[used]))
    try:
        found = design_query(
            instance.keys / units,
            mix.target,
            tolerance=problem.goal.tolerance / 2,
            values=values,
            scale=mix.scale,
        )
    except RegardError:
        return None
    query = _plain(found.query) / units
    weights = softmax(mix.scale * (instance.keys @ query))
    missed = weights - mix.wanted()
    error = float(np.max(np.abs(missed)) if values is None else np.linalg.norm(missed @ values))
    if not error <= problem.goal.tolerance:
        return None
    target = {"indices": list(mix.rows), "weights": list(mix.weights)}
    kind = "weights_close" if values is None else "output_close"
    claim = Claim(kind, {"target": target, "bound": problem.goal.tolerance}, {"query": query})
    arrays = {"keys": instance.keys} | ({} if values is None else {"values": values})
    steps = (
        (
            "The coordinates of the keys are of very different size. Measured in units $u_j$ of "
            "their own, with the query measured in $1/u_j$, all scores stay the same.",
            rf"k_i^\top q = \sum_j \frac{{k_{{ij}}}}{{u_j}} \, (u_j q_j),\qquad "
            rf"u = {tex_vector(units)}",
        ),
        (
            "In these units the wanted keys are lifted above the others by a query of ordinary "
            "length, turned up until the others get little enough.",
            rf"q = {tex_vector(query)}",
        ),
        (
            "The scores of this query are these.",
            rf"s = {tex_vector(mix.scale * (instance.keys @ query))}",
        ),
        (
            "The error is measured for the query as it is rounded, and is proved below.",
            rf"{tex(error)} \le \varepsilon = {tex(problem.goal.tolerance)}",
        ),
    )
    return solved(
        problem,
        Status.PROVED,
        f"q = {tex_vector(query)}",
        {"q": query.tolist()},
        Certificate(arrays, (claim,), mix.scale),
        steps,
        (
            Facts((("query", vector(query)), ("error", number(error)))),
            weights_table(problem.given, mix.wanted(), weights),
            weights_plot(problem.given, mix.wanted(), weights, "Weights wanted and given"),
        ),
        (
            "Judging by the length of the query, which means little where coordinates are of such "
            f"different size: from {number(float(np.min(sizes[used])))} to "
            f"{number(float(np.max(sizes[used])))} here.",
        ),
        reaches=(0,),
    )


def _plain(query: Float64) -> Float64:
    """The query with what is rounding beside its largest coordinate taken as 0."""
    small = np.abs(query) <= 1e-14 * np.max(np.abs(query))
    return np.where(small, 0.0, query)
