"""Queries whose scores can be chosen one by one: a formula, and the smallest factor for it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from regard.certify import Claim
from regard.certify.claim_subjects import told_apart
from regard.certify.claims.algebra.conditions import condition_claim
from regard.design import QueryDesign
from regard.design import query as design_query
from regard.errors import RegardError
from regard.kinds.heads.solve.averaged_heads import AveragedHeads, QueriesFound
from regard.kinds.heads.solve.pattern import rounded_up
from regard.kinds.query.spec import QueryProblem
from regard.language import parse
from regard.problems.instances import Float64
from regard.solving.finding import Status
from regard.solving.key_tables import softmax

MOST_DESIGNED = 128  # keys for which a query is designed too
ROUNDING = 1e-9  # by which a measured error is rounded up
STEP = 1e-6  # how far from the smallest factor the two sides are tried
MOST_TRIED = 64  # keys for which both sides are tried
MOST_INSIDE = 64  # values among which an exact average is looked for


@dataclass(frozen=True, eq=False)
class Leak:
    """How large the factor of a formula must be, and what leaks to the other keys.

    Attributes:
        heads: one head, with the formula and the tolerance.
        on_output: whether the tolerance is of the output; else of each weight.
    """

    heads: AveragedHeads
    on_output: bool

    @property
    def wanted(self) -> Float64:
        """The output that is wanted."""
        return self.heads.whole.wanted @ self.heads.instance.values

    @cached_property
    def distance(self) -> float:
        """From it to the mean of the other values."""
        return self.heads.whole.distance(self.heads.instance.values)

    @property
    def allowed(self) -> float:
        """The largest leak within the tolerance."""
        per_leak = self.distance if self.on_output else self.heads.whole.worst
        return (
            self.heads.tolerance / per_leak if per_leak > self.heads.tolerance * 1e-9 else math.inf
        )

    @property
    def closed_form(self) -> str:
        """The smallest factor in the formula language, with n, epsilon and (of an output) D."""
        pattern, m = self.heads.whole, self.heads.whole.m
        if self.on_output:
            return pattern.factor_formula("D")
        most = str(Fraction(1, m)) if pattern.even else repr(max(pattern.weights))
        if pattern.rest and max(pattern.weights) < 1 / pattern.rest:
            most = f"1/(n - {m})"  # one of few others gets more than a wanted key loses
        return pattern.factor_formula(most)

    @cached_property
    def least(self) -> float:
        """The smallest factor; −∞ where every leak is allowed."""
        if not self.heads.whole.rest or self.allowed >= 1:
            return -math.inf
        numbers = {"n": float(self.heads.whole.n), "epsilon": self.heads.tolerance}
        return float(parse(self.closed_form).evaluate({**numbers, "D": self.distance}))

    @property
    def factor(self) -> float:
        """The factor of the answer: the smallest, rounded up."""
        return rounded_up(max(self.least, 0.0) * (1 + 1e-12))


@dataclass(frozen=True, eq=False, kw_only=True)
class SmallestFactor(QueriesFound):
    """A formula with the smallest factor.

    Attributes:
        leak: what the factor does.
        designed: the shortest query, or that of widest margin, where one was designed.
        fixed_values: whether the values are numbers, so that an exact output can be looked for.
    """

    leak: Leak
    designed: QueryDesign | None
    fixed_values: bool

    @cached_property
    def leaked(self) -> float:
        """The weight that all other keys get together."""
        return self.pattern.leak(self.leak.factor)

    @cached_property
    def measured(self) -> float:
        """The error of the output, of the query as it is."""
        missed = (self.weights - self.pattern.wanted) @ self.heads.instance.values
        return float(np.linalg.norm(missed))

    @property
    def has_exact_weights(self) -> bool | None:
        """Whether other weights give the wanted output exactly; None: not looked at."""
        if not self.fixed_values or not self.pattern.rest > 0 or self.pattern.n > MOST_INSIDE:
            return None
        return self.exact_weights is not None

    @cached_property
    def exact_weights(self) -> Float64 | None:
        """Weights above 0 on all values whose average is the wanted output; None if none are."""
        return interior_weights(self.heads.instance.values, self.leak.wanted)


def solve_smallest_factor(problem: QueryProblem, heads: AveragedHeads) -> SmallestFactor:
    """Return the solution as a formula with the smallest factor."""
    pattern, instance, on_output = heads.whole, heads.instance, problem.given.values_known
    leak = Leak(heads, on_output)
    query = pattern.query(leak.factor, instance.symbols)
    claims = [*_close_claims(leak, query), *_smallest_claim(leak)]
    designed = None
    if pattern.n <= MOST_DESIGNED:
        try:
            designed = design_query(
                instance.keys,
                pattern.target,
                tolerance=heads.tolerance,
                values=instance.values if on_output else None,
                scale=pattern.scale,
            )
            claims += designed.certificate.claims
        except RegardError:  # finer than float64 queries can be: the formula stands alone
            pass
    formula = {"q": pattern.text(), pattern.factor: leak.factor}
    return SmallestFactor(
        Status.PROVED,
        formula if pattern.has_formula else {"q": query.tolist()},
        told_apart({"keys": instance.keys, "values": instance.values}, claims, pattern.scale),
        (0,),
        heads=heads,
        queries=query[None],
        leak=leak,
        designed=designed,
        fixed_values=problem.given.values.law == "fixed",
    )


def _close_claims(leak: Leak, query: Float64) -> list[Claim]:
    """The weights and the output of the query are as near as the goal says."""
    pattern, instance = leak.heads.whole, leak.heads.instance
    missed = softmax(pattern.scale * (instance.keys @ query)) - pattern.wanted
    measured = (float(np.max(np.abs(missed))), float(np.linalg.norm(missed @ instance.values)))
    bounds = [m * (1 + ROUNDING) + 1e-14 * max(1.0, leak.distance) for m in measured]
    bounds[leak.on_output] = leak.heads.tolerance
    claims = [
        Claim(kind, {"target": pattern.claimed, "bound": bound}, {"query": query})
        for kind, bound in zip(("weights_close", "output_close"), bounds, strict=True)
    ]
    return claims[::-1] if leak.on_output else claims


def _smallest_claim(leak: Leak) -> list[Claim]:
    """A factor is large enough if and only if it is the smallest one or above: on both sides."""
    pattern, instance = leak.heads.whole, leak.heads.instance
    if not math.isfinite(leak.least) or pattern.n > MOST_TRIED or not pattern.has_formula:
        return []
    c, scale = pattern.factor, "" if pattern.scale == 1 else f"{pattern.scale!r} "
    condition = f"{c} >= {leak.closed_form.replace('D', 'norm(rest - wanted)')}"
    shared: dict[str, Any] = {"n": pattern.n, "epsilon": leak.heads.tolerance}
    if pattern.structure == "independent":  # the scores are what the pseudo-inverse was given
        weights = f"softmax({scale if pattern.even else ''}{pattern.scores_text()})"
    else:
        weights = f"softmax({scale}{pattern.matrix} ({pattern.text()}))"
        shared[pattern.matrix] = instance.keys.tolist()
        for name, row in zip(pattern.names, pattern.rows, strict=True):
            shared[f"{pattern.prefix}_{name}"] = instance.keys[row].tolist()
    if leak.on_output:
        effect = f"norm(V' {weights} - wanted) <= epsilon"
        # With a column of 0 also where values are numbers: V' a is a vector then.
        padded = np.pad(instance.values, ((0, 0), (0, instance.values.shape[1] == 1)))
        columns = [[Fraction(x) for x in column] for column in padded.T.tolist()]
        shared["V"] = padded.tolist()
        shared["rest"] = [sum(x[i] for i in pattern.others) / pattern.rest for x in columns]
        shared["wanted"] = [
            sum(Fraction(w) * x[row] for row, w in pattern.target.items()) for x in columns
        ]
    else:
        effect = f"max(abs({weights} - p)) <= epsilon"
        shared["p"] = pattern.wanted.tolist()
    step = STEP * max(1.0, abs(leak.least))
    instances = [{**shared, c: leak.least + way * step} for way in (-1, 1)]
    return [condition_claim("equivalent", condition, effect, instances)]


def interior_weights(values: Float64, point: Float64) -> Float64 | None:
    """Return weights above 0 on values (n, d_v) whose average is the point; None if none are."""
    from scipy.optimize import linprog  # imported where used: it is slow to load

    n, width = values.shape
    # Largest least weight t: α_i − t ≥ 0.
    equal = np.zeros((width + 1, n + 1))
    equal[:width, :n], equal[width, :n] = values.T, 1.0
    found = linprog(
        np.append(np.zeros(n), -1.0),
        A_ub=np.hstack([-np.eye(n), np.ones((n, 1))]),
        b_ub=np.zeros(n),
        A_eq=equal,
        b_eq=np.append(point, 1.0),
        bounds=[(None, None)] * (n + 1),
    )
    return np.asarray(found.x[:n]) if found.status == 0 and found.x[-1] >= 1e-9 else None
