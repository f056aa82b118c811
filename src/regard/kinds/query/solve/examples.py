"""Numbers beside the formula for a query: tables, a plot, and what other queries would give."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from regard.design import QueryDesign
from regard.kinds.query.solve.formula import Mix
from regard.kinds.query.spec import QueryProblem
from regard.report import Block, Facts, Plot, Series, Table, Text, number, vector
from regard.solving.beyond import BEYOND
from regard.solving.key_tables import (
    how_many,
    listing,
    nice,
    softmax,
    symbol,
    tex,
    the_others,
    weights_table,
)

if TYPE_CHECKING:
    from regard.kinds.query.solve.exact import Exact

Float64 = NDArray[np.float64]

POINTS = 61  # of a curve
MOST_INSIDE = 64  # values among which an exact average is looked for


def exact_details(
    problem: QueryProblem, found: Exact, designed: QueryDesign | None
) -> tuple[Block, ...]:
    """The numbers of the instance."""
    mix, c = found.mix, found.mix.factor
    weights = mix.all_weights(found.factor)
    missed = softmax(mix.scale * (found.instance.keys @ found.query)) - mix.wanted()
    facts = [
        ("keys", how_many(mix.n, mix.m)),
        ("tolerance", f"{number(found.tolerance)} of " + _of_what(found)),
        ("smallest factor", "any" if math.isinf(found.least) else number(found.least, 10)),
        (f"factor ${c}$ of the answer", number(found.factor)),
        ("query", vector(found.query)),
        ("its length", number(float(np.linalg.norm(found.query)))),
        ("leak $r$", number(found.leak)),
        ("distance $D$", number(found.distance)),
        ("error of the output, $r D$", number(found.leak * found.distance)),
        ("the same, measured", number(float(np.linalg.norm(missed @ found.instance.values)))),
    ]
    if designed is not None:
        facts += [
            (
                "shortest query" if designed.longer < 1 else "query of widest margin",
                vector(designed.query),
            ),
            ("its length", number(float(np.linalg.norm(designed.query)))),
        ]
    blocks: list[Block] = [
        Facts(tuple(facts)),
        weights_table(problem.given, mix.wanted(), weights, mix.prefix),
    ]
    if mix.rest:
        blocks += [_by_factor(found), _curve(found)]
    sentence = _exact_elsewhere(problem, found)
    if sentence:
        blocks.append(Text(sentence))
    if mix.structure == "orthonormal" and mix.even and mix.m > 1 and mix.rest:
        blocks += [*BEYOND, _subset_example(), Text(_lengths())]
    return tuple(blocks)


def _of_what(found: Exact) -> str:
    if found.on_output:
        return "the output, in length"
    return "every weight, because the values are arbitrary"


def _by_factor(found: Exact) -> Table:
    mix, s = found.mix, found.mix.scale if found.mix.even else 1.0
    tried = {0.0, 1 / s, 3 / s, 5 / s, 10 / s, found.factor}
    rows = []
    for factor in sorted(tried):
        leak = mix.leak(factor)
        rows.append(
            (
                number(factor),
                number((1 - leak) * max(mix.weights)),
                number(leak / mix.rest),
                number(leak),
                number(leak * found.distance),
            )
        )
    columns = (
        f"${mix.factor}$",
        "weight of each wanted" if mix.even else "weight of the most wanted",
        "weight of each other",
        "leak $r$",
        "error $r D$",
    )
    return Table(columns, tuple(rows), "what the factor does")


def _curve(found: Exact) -> Plot:
    mix = found.mix
    end = 2 * max(found.factor, 3 / (mix.scale if mix.even else 1.0))
    factors = np.linspace(0, end, POINTS)
    leaks = [mix.leak(float(f)) for f in factors]
    x = tuple(float(f) for f in factors)
    series = (
        Series("weight wanted, all together", x, tuple(1 - r for r in leaks)),
        Series("leak", x, tuple(leaks)),
    )
    return Plot("lines", "A large factor drives the leak to 0", mix.factor, "weight", series)


def _exact_elsewhere(problem: QueryProblem, found: Exact) -> str:
    """Whether other weights of the same values give the wanted output with no error at all."""
    values, mix = found.instance.values, found.mix
    if problem.given.values.law != "fixed" or not mix.rest > 0 or mix.n > MOST_INSIDE:
        return ""
    weights = inside(values, found.wanted)
    if weights is None:
        return (
            "No query whatever is exact for these values: the wanted output lies on the edge of "
            "their hull, and weights above 0 on all values keep away from an edge."
        )
    if mix.structure == "independent":
        return ""
    return (
        "For these values alone an exact query exists all the same, since the wanted output lies "
        r"inside their hull: $q = \sum_i \ln(\alpha_i)\, k_i"
        + (r"/\lVert k_i \rVert^2" if mix.structure == "orthogonal" else "")
        + rf"$ with the weights {vector(weights)} (over the scale). It does not average two "
        rf"values; "
        "it hits the same point by other means."
    )


def inside(values: Float64, point: Float64) -> Float64 | None:
    """Weights above 0 on all values whose average is the point; None if there are none."""
    from scipy.optimize import linprog

    n, width = values.shape
    # Largest least weight t: α_i − t ≥ 0.
    equal = np.zeros((width + 1, n + 1))
    equal[:width, :n], equal[width, :n] = values.T, 1.0
    above = np.hstack([-np.eye(n), np.ones((n, 1))])
    found = linprog(
        np.append(np.zeros(n), -1.0),
        A_ub=above,
        b_ub=np.zeros(n),
        A_eq=equal,
        b_eq=np.append(point, 1.0),
        bounds=[(None, None)] * (n + 1),
    )
    if found.status != 0 or found.x[-1] < 1e-9:
        return None
    return np.asarray(found.x[:n])


def _subset_example() -> Table:
    mix = Mix(5, 1.0, ("a", "c", "d"), (0, 2, 3), (0.5, 0.3, 0.2), "k", "orthonormal")
    weights, wanted = mix.all_weights(6.0), mix.wanted()
    query = 6.0 + np.log(mix.weights)
    coefficients = dict(zip(mix.rows, query, strict=True))
    rows = tuple(
        (
            f"$k_{'abcde'[i]}$",
            number(float(coefficients.get(i, 0.0))),
            number(float(wanted[i])),
            number(float(weights[i])),
        )
        for i in range(5)
    )
    caption = (
        r"any subset, any weights: $q = \sum_i (C + \ln p_i)\, k_i$, here with $C = 6$ and the "
        r"leak " + number(mix.leak(6.0))
    )
    return Table(("key", "coefficient", "wanted", "weight"), rows, caption)


def exact_mistakes(found: Exact) -> tuple[str, ...]:
    """What other queries give."""
    mix = found.mix
    named = listing([f"${symbol(f'{mix.prefix}_{name}')}$" for name in mix.names])
    result = []
    if mix.rest and found.factor > 1:
        one = mix.leak(1.0)
        result.append(
            f"A query without a large factor. With ${mix.factor} = 1$ "
            f"{the_others(mix.rest, 'keep')} {number(one)} of the weight, and the output is off by "
            f"{number(one * found.distance)}."
        )
    if mix.structure == "orthogonal" and mix.m > 1 and found.factor > 0:
        result += _undivided(found, named)
    if not mix.even:
        result.append(_linear(found, named))
    if mix.rest:
        many = mix.rest * 100
        leak = 1 / (1 + (1 - found.leak) / found.leak * mix.rest / many) if found.leak else 0.0
        result.append(
            f"A factor that does not grow with the number of keys. At ${mix.factor} = "
            f"{tex(found.factor)}$ the leak is {number(found.leak)}; with a hundred times as many "
            f"other keys it would be {number(leak)}. The factor must grow as $\\ln n$."
        )
        result.append(
            "Equality. However large the factor is, the error stays above 0: at "
            f"${mix.factor} = {tex(nice(2 * found.factor))}$ it still is "
            f"{number(mix.leak(nice(2 * found.factor)) * found.distance)}."
            if found.distance > 0
            else "That a softmax never averages exactly. Here it does: the mean of the other "
            f"values is the wanted output, and the error is {number(found.distance)}."
        )
    else:
        share = number(1 / mix.n) + (" each" if mix.n > 1 else "")
        result.append(
            "That a softmax never averages exactly. Without other keys it does: "
            + (
                f"the query 0 already gives {named} the weight {share}, as wanted."
                if mix.even
                else f"the leak is {number(mix.leak(found.factor))} for every factor."
            )
        )
    return tuple(result[:4])


def _lengths() -> str:
    weights = softmax(np.array([1.0, 4.0, 0.0]))
    right = softmax(np.array([4.0, 4.0, 0.0]))
    return (
        "Keys at right angles that are not of length 1. With lengths 1, 2 and 3 the query "
        rf"$k_a + k_b$ gives the weights {vector(weights)}: the ratio of the first two is "
        rf"{number(float(weights[0] / weights[1]))}, which is $e^{{-3}}$. Dividing each key by "
        rf"$\lVert k_i \rVert^2$ makes them alike; with $C = 4$: {vector(right)}."
    )


def _undivided(found: Exact, named: str) -> list[str]:
    """The sum of the keys themselves, where they are not of one length."""
    mix, rows = found.mix, list(found.mix.rows)
    keys = found.instance.keys
    lengths = np.linalg.norm(keys[rows], axis=1)
    if np.ptp(lengths) <= 1e-9 * np.max(lengths):
        return []
    given = softmax(mix.scale * found.factor * (keys @ np.sum(keys[rows], axis=0)))[rows]
    return [
        f"Keys that are not divided by the squares of their lengths, which are {vector(lengths)} "
        f"here. The sum of {named} times {number(found.factor)} gives them {vector(given)} instead "
        f"of {vector(mix.weights)}: a longer key scores higher with itself."
    ]


def _linear(found: Exact, named: str) -> str:
    mix = found.mix
    weights = np.array(mix.weights)
    scores = np.zeros(mix.n)
    scores[list(mix.rows)] = max(found.factor, 1.0) * weights
    given = softmax(scores)[list(mix.rows)]
    return (
        f"Weights as coefficients. With the factor {number(max(found.factor, 1.0))} times the "
        f"weights themselves as scores, {named} get {vector(given)} instead of {vector(weights)}: "
        "a softmax needs their logarithms."
    )
