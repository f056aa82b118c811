"""Tell of a query whose scores can be chosen one by one: formula, leak and smallest factor."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from regard.kinds.heads.explain.proved_bounds import Step, level_tex, wanted_value
from regard.kinds.heads.solve.pattern import Pattern
from regard.kinds.query.explain.factor_curve import factor_curve, factor_result
from regard.kinds.query.solve.smallest_factor import SmallestFactor
from regard.kinds.query.spec import QueryProblem
from regard.report import Block, Facts, Heading, Table, Text, number, vector
from regard.report.numbers import rounded_up, short
from regard.solving.finding import Explanation
from regard.solving.general_remarks import GENERAL_REMARKS
from regard.solving.key_tables import (
    formula_tex,
    listing,
    nice,
    softmax,
    symbol,
    weights_table,
)
from regard.solving.latex_numbers import equal, tex

_REASONS = {
    "orthonormal": "**Scores.** The keys have length 1 and are at right angles, so each score is "
    "one "
    "coefficient of $q$.",
    "orthogonal": r"**Scores.** The keys are at right angles; dividing by $\lVert k_i \rVert^2$ "
    r"makes each "
    "score one coefficient of $q$.",
    "independent": "**Scores.** Independent keys allow any scores: the pseudo-inverse of the "
    "matrix $K$ of "
    "keys finds the shortest query that has them. (Dependent keys do not: a key that is the "
    "average of two wanted ones scores as much as they do.)",
}
_DUALS = {"orthonormal": "k_i", "orthogonal": r"\frac{k_i}{\lVert k_i \rVert^2}"}

_SAME = 1e-6  # of two factors that are the same in all digits shown


def explain(problem: QueryProblem, found: SmallestFactor) -> Explanation:
    """Return the formula in words, with where its smallest factor comes from."""
    return Explanation(
        _headline(found),
        tuple(_steps(found)),
        tuple(_details(problem, found)),
        tuple(_beliefs(found)),
        _assumes(problem, found.pattern),
        result=factor_result(found),
    )


def _assumes(problem: QueryProblem, pattern: Pattern) -> tuple[str, ...]:
    """Say what is taken for granted about keys that are not given."""
    if pattern.structure == "independent":
        return ("the keys are linearly independent: then any scores can be had.",)
    if problem.given.keys.law in ("orthonormal", "orthogonal"):
        return (
            "nothing about the keys but their law: of keys at right angles only the lengths enter "
            "the scores, so what is verified for one choice holds for all.",
        )
    return ()


def _headline(found: SmallestFactor) -> str:
    pattern = found.pattern
    if not pattern.has_formula:
        term = f"{pattern.factor}" if pattern.even else rf"({pattern.factor} + \ln p_i)"
        return rf"q = \sum_{{i \in S}} {term} {_DUALS.get(pattern.structure or '', 'k_i^+')}"
    formula = f"q = {pattern.latex()}"
    if not pattern.rest or math.isinf(found.leak.least):
        return rf"{formula},\quad \text{{any }} {pattern.factor}"
    known = r" \quad \text{for independent keys}" if pattern.structure == "independent" else ""
    smallest = formula_tex(found.leak.closed_form)
    return rf"{formula},\quad {pattern.factor} \ge {smallest}{known}"


def _steps(found: SmallestFactor) -> Iterator[Step]:
    pattern, leak = found.pattern, found.leak
    m, c = pattern.m, pattern.factor
    key = r"\mu_i" if pattern.prefix == "mu" else "k_i"
    score = f"s_i = {'' if pattern.scale == 1 else tex(pattern.scale) + ' '}{key}" + r"^\top q"
    yield (
        _REASONS[pattern.structure or ""]
        + ("" if pattern.even else r" The logarithms of the weights $p_i$ set their proportions."),
        rf"{score} = {level_tex(pattern)} \;\text{{ if wanted}},\qquad "
        r"s_i = 0 \;\text{ otherwise}",
    )
    yield (
        "**Weights.** The softmax turns the scores into weights; $r$, the leak, is what all "
        "other keys get "
        "together.",
        rf"\alpha_i = {formula_tex(pattern.weight_formula)},\qquad "
        rf"r = {formula_tex(pattern.leak_formula)}",
    )
    if not pattern.rest:
        yield (
            f"**No leak.** There are no other keys, so nothing leaks: the weights are exact for "
            f"every ${c}$" + (f", also for ${c} = 0$." if pattern.even else "."),
            r"r = 0,\qquad c = c^*",
        )
        return
    yield (
        r"**Output.** The others share the leak evenly, so the output is a mix of what is "
        r"wanted, $c^*$, and "
        r"of the plain mean $\bar v$ of the other values. The error is not only bounded: it is "
        r"equal to $r D$.",
        rf"c^* = {wanted_value(pattern)},\qquad c = (1-r)\, c^* + r\, \bar v,\qquad "
        r"\lVert c - c^* \rVert = r D,\quad D = \lVert \bar v - c^* \rVert",
    )
    yield from _factor_steps(found)
    yield _equality(found)
    if pattern.structure == "orthonormal" and pattern.even:
        length = leak.factor * math.sqrt(m * pattern.rest / pattern.n)
        yield (
            r"**Shortest.** Scores may all be shifted alike, so the mean of the keys can be "
            r"taken off: the "
            "shortest query with these weights.",
            rf"q = {c} \left( \sum_{{i \in S}} k_i - \frac{{{m}}}{{n}} \sum_i k_i \right),\qquad "
            rf"\lVert q \rVert = {c} \sqrt{{\frac{{{m} (n-{m})}}{{n}}}} {equal(length)}",
        )


def _factor_steps(found: SmallestFactor) -> Iterator[Step]:
    pattern, leak, c = found.pattern, found.leak, found.pattern.factor
    limit = rf"r \le {tex(leak.allowed)}"
    if leak.on_output:
        why = (
            rf"**Tolerance.** The output must be within "
            rf"$\varepsilon {equal(found.heads.tolerance)}$, so "
            r"$r D \le \varepsilon$."
        )
        limit = rf"r \le \frac{{\varepsilon}}{{D}} {equal(leak.allowed)}"
    else:
        why = (
            r"**Tolerance.** The values are arbitrary, so the weights themselves must be within "
            rf"$\varepsilon {equal(found.heads.tolerance)}$; the worst of them is off by "
            rf"${'' if pattern.worst == 1 else tex(pattern.worst)}\, r$."
        )
    if math.isinf(leak.least):
        yield why + " Every leak is small enough here.", rf"{c} {equal(leak.factor)}"
        return
    yield why, limit
    yield (
        f"**Factor.** Solving for ${c}$ gives the smallest factor; any larger one does too.",
        rf"{c} \ge {formula_tex(found.leak.closed_form)} {equal(leak.least)}",
    )


def _equality(found: SmallestFactor) -> Step:
    c, distance = found.pattern.factor, found.leak.distance
    if distance == 0:
        return (
            r"**Equality.** Here the mean of the other values is $c^*$ itself, so the output is "
            r"exact for every "
            f"${c}$.",
            r"D = 0",
        )
    return (
        rf"**Equality.** No finite ${c}$ gives equality: a softmax never gives a key the weight "
        rf"0, and the error "
        r"$r D$ is above 0 unless the mean of the other values happens to be $c^*$. It falls as "
        rf"fast as $e^{{-{c}}}$.",
        rf"\lVert c - c^* \rVert = r D {equal(found.leaked)} \cdot {tex(distance)} "
        rf"{equal(found.leaked * distance)} \quad\text{{at }} {c} {equal(found.leak.factor)},\; "
        rf"n = {found.pattern.n}",
    )


def _details(problem: QueryProblem, found: SmallestFactor) -> Iterator[Block]:
    pattern, leak = found.pattern, found.leak
    yield Facts(tuple(_facts(found)))
    if pattern.rest:
        yield _by_factor(found)
        yield factor_curve(problem.given, found)
    if found.has_exact_weights is not None:
        yield from _exact_elsewhere(found)
    if pattern.rest:  # the figure shows them at the answer
        yield Heading("The weights, key by key", role="folded")
    weights = pattern.all_weights(leak.factor)
    yield weights_table(problem.given, pattern.wanted, weights, pattern.prefix)
    if pattern.structure == "orthonormal" and pattern.even and pattern.m > 1 and pattern.rest:
        yield from (*GENERAL_REMARKS, _subset_example(), Text(_lengths()))


def _facts(found: SmallestFactor) -> Iterator[tuple[str, str]]:
    """Yield what the answer comes to, and the shortest query beside it."""
    pattern, leak, designed = found.pattern, found.leak, found.designed
    least = "any" if math.isinf(leak.least) else rounded_up(leak.least, 4)
    yield f"smallest factor ${pattern.factor}$ that is enough", least
    if math.isinf(leak.least) or not math.isclose(leak.least, leak.factor, rel_tol=_SAME):
        yield f"factor ${pattern.factor}$ of the answer", number(leak.factor)
    yield "query", vector(found.query)
    yield "its length", number(float(np.linalg.norm(found.query)))
    yield "leak $r$, the weight of the other keys", number(found.leaked)
    yield "distance $D$ of their mean value from what is wanted", number(leak.distance)
    yield "error of the output, $r D$", number(found.leaked * leak.distance)
    if designed is not None:
        name = "shortest query" if designed.longer < 1 else "query of widest margin"
        yield name, vector(designed.query)
        yield "its length", number(float(np.linalg.norm(designed.query)))


def _by_factor(found: SmallestFactor) -> Table:
    pattern, D = found.pattern, found.leak.distance
    tried = {0.0, *(times * pattern.unit for times in (1, 3, 5, 10)), found.leak.factor}
    leaks = [(factor, pattern.leak(factor)) for factor in sorted(tried)]
    rows = [
        (factor, (1 - r) * max(pattern.weights), r / pattern.rest, r, r * D) for factor, r in leaks
    ]
    columns = (
        f"${pattern.factor}$",
        "weight of each wanted" if pattern.even else "weight of the most wanted",
        "weight of each other",
        "leak $r$",
        "error $r D$",
    )
    cells = tuple(tuple(map(number, row)) for row in rows)
    return Table(columns, cells, "what the factor does")


def _exact_elsewhere(found: SmallestFactor) -> Iterator[Text]:
    """Say whether other weights of the same values give the wanted output with no error at all."""
    structure = found.pattern.structure
    if found.exact_weights is None:
        yield Text(
            "No query whatever is exact for these values: the wanted output lies on the edge of "
            "their hull, and weights above 0 on all values keep away from an edge."
        )
    elif structure != "independent":
        yield Text(
            "For these values alone an exact query exists all the same, since the wanted output "
            r"lies inside their hull: $q = \sum_i \ln(\alpha_i)\, k_i"
            + (r"/\lVert k_i \rVert^2" if structure == "orthogonal" else "")
            + rf"$ with the weights {vector(found.exact_weights)} (over the scale). It does not "
            "average two values; it hits the same point by other means."
        )


def _subset_example() -> Table:
    pattern = Pattern(5, 1.0, ("a", "c", "d"), (0, 2, 3), (0.5, 0.3, 0.2), "k", "orthonormal")
    coefficients = np.zeros(5)
    coefficients[list(pattern.rows)] = 6.0 + np.log(pattern.weights)
    columns = (coefficients, pattern.wanted, pattern.all_weights(6.0))
    rows = tuple(
        (f"$k_{'abcde'[i]}$", *(number(float(column[i])) for column in columns)) for i in range(5)
    )
    caption = (
        r"any subset, any weights: $q = \sum_i (C + \ln p_i)\, k_i$, here with $C = 6$ and the "
        r"leak " + number(pattern.leak(6.0))
    )
    return Table(("key", "coefficient", "wanted", "weight"), rows, caption)


def _lengths() -> str:
    weights = softmax(np.array([1.0, 4.0, 0.0]))
    right = softmax(np.array([4.0, 4.0, 0.0]))
    return (
        "Keys at right angles that are not of length 1. With lengths 1, 2 and 3 the query "
        rf"$k_a + k_b$ gives the weights {vector(weights)}: the ratio of the first two is "
        rf"{short(float(weights[0] / weights[1]))}, which is $e^{{-3}}$. Dividing each key by "
        rf"$\lVert k_i \rVert^2$ makes them alike; with $C = 4$: {vector(right)}."
    )


def _beliefs(found: SmallestFactor) -> Iterator[str]:
    pattern, leak, c = found.pattern, found.leak, found.pattern.factor
    if not pattern.rest:
        named = listing([f"${symbol(f'{pattern.prefix}_{name}')}$" for name in pattern.names])
        share = number(1 / pattern.n) + (" each" if pattern.n > 1 else "")
        yield "That a softmax never averages exactly. Without other keys it does: " + (
            f"the query 0 already gives {named} the weight {share}, as wanted."
            if pattern.even
            else f"the leak is {short(found.leaked)} for every factor."
        )
        return
    odds = (1 - found.leaked) / found.leaked / 100 if found.leaked else math.inf
    yield (
        f"A factor that does not grow with the number of keys. At ${c} {equal(leak.factor)}$ the "
        f"leak is {short(found.leaked)}; with a hundred times as many other keys it would be "
        f"{short(1 / (1 + odds))}. The factor must grow as $\\ln n$."
    )
    if leak.distance > 0:
        twice = nice(2 * leak.factor)
        yield (
            "Equality. However large the factor is, the error stays above 0: at "
            f"${c} {equal(twice)}$ it still is {short(pattern.leak(twice) * leak.distance)}."
        )
    else:
        yield (
            "That a softmax never averages exactly. Here it does: the mean of the other values is "
            f"the wanted output, and the error is {short(leak.distance)}."
        )
