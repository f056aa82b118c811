"""Queries whose scores can be chosen one by one: formula, error, and the smallest factor."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from regard.certify.objects import told_apart
from regard.design import query as design_query
from regard.errors import RegardError
from regard.kinds.query.solve.claims import close_claims, smallest_claim
from regard.kinds.query.solve.examples import exact_details, exact_mistakes
from regard.kinds.query.solve.formula import Mix, rounded_up, spelled
from regard.kinds.query.spec import QueryProblem
from regard.problems.instances import KeyInstance
from regard.solving.finding import Status
from regard.solving.key_tables import known_values, symbol, tex
from regard.solving.solution import Solution, solved

Float64 = NDArray[np.float64]

MOST_DESIGNED = 128  # keys for which a query is designed too


@dataclass(frozen=True, eq=False)
class Exact:
    """One problem with its instance, and the numbers that its solution is made of.

    Attributes:
        mix: what is wanted, and the formula.
        instance: keys and values.
        tolerance: as the goal says.
        on_output: whether the tolerance is of the output; else of each weight.
        wanted: the output that is wanted.
        distance: from it to the mean of the other values, the D of the error r D.
        allowed: the largest leak within the tolerance.
        least: the smallest factor.
        factor: the one of the answer: the smallest, rounded up.
    """

    mix: Mix
    instance: KeyInstance
    tolerance: float
    on_output: bool
    wanted: Float64
    distance: float
    allowed: float
    least: float
    factor: float

    @property
    def query(self) -> Float64:
        """The query of the answer."""
        return self.mix.query(self.factor, self.instance.symbols)

    @property
    def leak(self) -> float:
        """The weight that all other keys get together."""
        return self.mix.leak(self.factor)


def read_exact(problem: QueryProblem, mix: Mix, instance: KeyInstance) -> Exact:
    """Work out the numbers."""
    given, goal = problem.given, problem.goal
    others = [i for i in range(mix.n) if i not in mix.rows]
    wanted = mix.wanted() @ instance.values
    rest = np.mean(instance.values[others], axis=0) if others else wanted
    distance = float(np.linalg.norm(rest - wanted))
    on_output = known_values(given)
    per_leak = distance if on_output else mix.worst
    allowed = goal.tolerance / per_leak if per_leak > goal.tolerance * 1e-9 else math.inf
    least = mix.factor_for(allowed)
    factor = rounded_up(max(least, 0.0) * (1 + 1e-12))
    return Exact(mix, instance, goal.tolerance, on_output, wanted, distance, allowed, least, factor)


def solve_exact(problem: QueryProblem, mix: Mix, instance: KeyInstance) -> Solution:
    """Return the solution as a formula with the smallest factor."""
    found = read_exact(problem, mix, instance)
    arrays = {"keys": instance.keys, "values": instance.values}
    claims = close_claims(found)
    claims += smallest_claim(found)
    designed = None
    if mix.n <= MOST_DESIGNED:
        try:
            designed = design_query(
                instance.keys,
                mix.target,
                tolerance=found.tolerance,
                values=instance.values if found.on_output else None,
                scale=mix.scale,
            )
            claims += designed.certificate.claims
        except RegardError:  # finer than float64 queries can be: the formula stands alone
            designed = None
    short = spelled(mix)
    answer = {"q": mix.text(), mix.factor: found.factor} if short else {"q": found.query.tolist()}
    return solved(
        problem,
        Status.PROVED,
        headline(found) if short else _long_headline(found),
        answer,
        told_apart(arrays, claims, mix.scale),
        steps(found),
        exact_details(problem, found, designed),
        exact_mistakes(found),
        reaches=(0,),
        assumes=_assumes(problem, mix),
    )


def _assumes(problem: QueryProblem, mix: Mix) -> tuple[str, ...]:
    """What is taken for granted about keys that are not given."""
    if mix.structure == "independent":
        return ("the keys are linearly independent: then any scores can be had.",)
    if problem.given.keys.law in ("orthonormal", "orthogonal"):
        return (
            "nothing about the keys but their law: of keys at right angles only the lengths enter "
            "the scores, so what is verified for one choice holds for all.",
        )
    return ()


def headline(found: Exact) -> str:
    """The query and its smallest factor."""
    mix = found.mix
    formula = f"q = {mix.latex()}"
    if not mix.rest or math.isinf(found.least):
        return rf"{formula},\quad \text{{any }} {mix.factor}"
    known = r" \quad \text{for independent keys}" if mix.structure == "independent" else ""
    return rf"{formula},\quad {mix.factor} \ge {smallest(found)}{known}"


def _long_headline(found: Exact) -> str:
    mix = found.mix
    dual = {"orthonormal": "k_i", "orthogonal": r"\frac{k_i}{\lVert k_i \rVert^2}"}
    term = f"{mix.factor}" if mix.even else rf"({mix.factor} + \ln p_i)"
    return rf"q = \sum_{{i \in S}} {term} {dual.get(mix.structure, 'k_i^+')}"


def smallest(found: Exact) -> str:
    """The smallest factor as LaTeX, with n, ε and (of an output) D."""
    mix, m = found.mix, found.mix.m
    others = f"(n-{m})"
    if found.on_output:
        over, under = rf"{others}(D-\varepsilon)", r"\varepsilon"
        if mix.even and m > 1:
            under = rf"{m} \varepsilon"
    elif not mix.even and max(mix.weights) >= 1 / mix.rest:
        most = tex(max(mix.weights))
        over, under = rf"{others}({most}-\varepsilon)", r"\varepsilon"
    elif mix.even and mix.rest >= m:
        times = "" if m == 1 else str(m)
        over = rf"{others}(1-{times}\varepsilon)"
        under = r"\varepsilon" if m == 1 else rf"{m * m}\varepsilon"
    else:  # one of few others gets more of the leak than a wanted key loses
        over = rf"1-{others}\varepsilon"
        under = rf"{m}\varepsilon" if mix.even and m > 1 else r"\varepsilon"
    times = "" if mix.scale == 1 or not mix.even else rf"\frac{{1}}{{{tex(mix.scale)}}} "
    return rf"{times}\ln\frac{{{over}}}{{{under}}}"


def steps(found: Exact) -> tuple[tuple[str, str], ...]:
    """Why the formula works, and where its smallest factor comes from."""
    mix = found.mix
    m, c = mix.m, mix.factor
    power = c if mix.scale == 1 or not mix.even else f"{tex(mix.scale)} {c}"
    rest, top = f"n-{m}", f"e^{{{power}}}" if m == 1 or not mix.even else f"{m} e^{{{power}}}"
    value = wanted_value(mix)
    score = "s_i = " + ("" if mix.scale == 1 else f"{tex(mix.scale)} ") + r"k_i^\top q"
    if mix.prefix == "mu":
        score = score.replace("k_i", r"\mu_i")
    level = power if mix.even else rf"{c} + \ln p_i"
    result = [
        (
            _reason(mix),
            rf"{score} = {level} \;\text{{ if wanted}},\qquad s_i = 0 \;\text{{ otherwise}}",
        ),
        (
            "The softmax turns the scores into weights; $r$, the leak, is what all other keys get "
            "together.",
            (
                rf"\alpha_i = \frac{{e^{{{power}}}}}{{{top} + {rest}}}"
                if mix.even
                else rf"\alpha_i = \frac{{p_i e^{{{c}}}}}{{e^{{{c}}} + {rest}}}"
            )
            + rf",\qquad r = \frac{{{rest}}}{{{top} + {rest}}}",
        ),
        (
            r"The others share the leak evenly, so the output is a mix of what is wanted, $c^*$, "
            r"and "
            r"of the plain mean $\bar v$ of the other values. The error is not only bounded: it is "
            r"equal to $r D$.",
            rf"c^* = {value},\qquad c = (1-r)\, c^* + r\, \bar v,\qquad "
            r"\lVert c - c^* \rVert = r D,\quad D = \lVert \bar v - c^* \rVert",
        ),
    ]
    if not mix.rest:
        result[2:] = [
            (
                f"There are no other keys, so nothing leaks: the weights are exact for every ${c}$"
                + (f", also for ${c} = 0$." if mix.even else "."),
                r"r = 0,\qquad c = c^*",
            )
        ]
        return tuple(result)
    limit = rf"r \le {tex(found.allowed)}"
    if found.on_output:
        why = (
            rf"The output must be within $\varepsilon = {tex(found.tolerance)}$, so "
            r"$r D \le \varepsilon$."
        )
        limit = rf"r \le \frac{{\varepsilon}}{{D}} = {tex(found.allowed)}"
    else:
        why = (
            r"The values are arbitrary, so the weights themselves must be within "
            rf"$\varepsilon = {tex(found.tolerance)}$; the worst of them is off by "
            rf"${'' if mix.worst == 1 else tex(mix.worst)}\, r$."
        )
    if math.isinf(found.least):
        result.append((why + " Every leak is small enough here.", rf"{c} = {tex(found.factor)}"))
    else:
        result += [
            (why, limit),
            (
                f"Solving for ${c}$ gives the smallest factor; any larger one does too.",
                rf"{c} \ge {smallest(found)} = {tex(found.least, 10)}",
            ),
        ]
    result.append(_equality(found))
    if mix.structure == "orthonormal" and mix.even:
        result.append(
            (
                r"Scores may all be shifted alike, so the mean of the keys can be taken off: the "
                "shortest query with these weights.",
                rf"q = {c} \left( \sum_{{i \in S}} k_i - \frac{{{m}}}{{n}} \sum_i k_i "
                rf"\right),\qquad "
                rf"\lVert q \rVert = {c} \sqrt{{\frac{{{m} (n-{m})}}{{n}}}} = "
                rf"{tex(found.factor * math.sqrt(m * mix.rest / mix.n))}",
            )
        )
    return tuple(result)


def wanted_value(mix: Mix) -> str:
    """The wanted output as LaTeX."""
    values = [symbol(f"v_{name}") for name in mix.names]
    if mix.m > 4:
        return r"\sum_i p_i v_i"
    if mix.m == 1:
        return values[0]
    if mix.even:
        return rf"\tfrac{{1}}{{{mix.m}}} ({' + '.join(values)})"
    return " + ".join(f"{tex(w)} {v}" for w, v in zip(mix.weights, values, strict=True))


def _reason(mix: Mix) -> str:
    reasons = {
        "orthonormal": "The keys have length 1 and are at right angles, so each score is one "
        "coefficient of $q$.",
        "orthogonal": r"The keys are at right angles; dividing by $\lVert k_i \rVert^2$ makes each "
        "score one coefficient of $q$.",
        "independent": "Independent keys allow any scores: the pseudo-inverse of the matrix $K$ of "
        "keys finds the shortest query that has them. (Dependent keys do not: a key that is the "
        "average of two wanted ones scores as much as they do.)",
    }
    more = "" if mix.even else r" The logarithms of the weights $p_i$ set their proportions."
    return reasons[mix.structure] + more


def _equality(found: Exact) -> tuple[str, str]:
    c, mix = found.mix.factor, found.mix
    if found.distance == 0:
        return (
            r"Here the mean of the other values is $c^*$ itself, so the output is exact for every "
            f"${c}$.",
            r"D = 0",
        )
    return (
        rf"No finite ${c}$ gives equality: a softmax never gives a key the weight 0, and the error "
        r"$r D$ is above 0 unless the mean of the other values happens to be $c^*$. It falls as "
        r"fast "
        rf"as $e^{{-{c}}}$.",
        rf"\lVert c - c^* \rVert = r D = {tex(found.leak)} \cdot {tex(found.distance)} = "
        rf"{tex(found.leak * found.distance)} \quad\text{{at }} {c} = {tex(found.factor)},\; "
        rf"n = {mix.n}",
    )
