"""Queries over keys without structure: designed and proved, or proved to be impossible."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from regard.certify import Certificate
from regard.design import QueryDesign
from regard.design import query as design_query
from regard.errors import InfeasibleDesign, UndecidedDesign
from regard.kinds.query.solve.formula import Mix
from regard.kinds.query.solve.impossible import impossible
from regard.kinds.query.solve.units import in_other_units
from regard.kinds.query.spec import QueryProblem
from regard.problems.instances import KeyInstance
from regard.report import Block, Facts, number, vector
from regard.solving.finding import Status, within
from regard.solving.key_tables import (
    below,
    key_name,
    known_values,
    listing,
    softmax,
    symbol,
    tex,
    tex_vector,
    weights_plot,
    weights_table,
)
from regard.solving.refusals import in_words
from regard.solving.solution import Solution, solved

Float64 = NDArray[np.float64]

_EXAMPLE = (
    "the keys are those of the example, as there are too many for all scores to be had; the last "
    "step says for which other keys the same works.",
)


def solve_fixed(problem: QueryProblem, mix: Mix, instance: KeyInstance) -> Solution:
    """Return the designed query, the obstruction, or what is known where there is neither."""
    # With random keys and arbitrary values the weights stand for the output.
    known = known_values(problem.given) or mix.prefix == "mu"
    values = instance.values if known else None
    tolerance = problem.goal.tolerance
    try:
        found = design_query(
            instance.keys, mix.target, tolerance=tolerance, values=values, scale=mix.scale
        )
    except InfeasibleDesign as refusal:
        return impossible(problem, mix, instance, refusal)
    except UndecidedDesign as refusal:
        balanced = in_other_units(problem, mix, instance, values)
        return balanced or _undecided(problem, mix, instance, refusal)
    return _designed(problem, mix, instance, found)


def _designed(
    problem: QueryProblem, mix: Mix, instance: KeyInstance, found: QueryDesign
) -> Solution:
    kind = "output_close" if "values" in found.certificate.arrays else "weights_close"
    return solved(
        problem,
        # Keys of no law in particular: the query is for the ones that were taken as an example.
        Status.ARGUED if problem.given.keys.law == "arbitrary" else Status.PROVED,
        f"q = {tex_vector(found.query)}",
        {"q": found.query.tolist()},
        found.certificate,
        _why_it_works(problem, mix, instance, found),
        _details(problem, mix, instance, found),
        _mistakes(mix, instance, found),
        reaches=within(found.certificate, (kind,), problem.goal.tolerance),
        instances=1,
        assumes=_EXAMPLE if problem.given.keys.law == "arbitrary" else (),
    )


def _why_it_works(
    problem: QueryProblem, mix: Mix, instance: KeyInstance, found: QueryDesign
) -> tuple[tuple[str, str], ...]:
    keys = [f"${symbol(key_name(problem.given, row))}$" for row in mix.rows]
    on_output = known_values(problem.given)
    steps = [
        (
            f"Raise {listing(keys)} above all other keys: look for a direction $q_0$ in which they "
            "score alike and every other key scores less. There is one exactly if the flat through "
            "the wanted keys misses the hull of the others.",
            r"k_i^\top q_0 = t \;\text{ for } i \in S,\qquad k_j^\top q_0 < t \;\text{ for } j "
            r"\notin S",
        )
    ]
    if math.isinf(found.margin):
        steps = [
            ("All keys are wanted, so there are none to be kept down.", r"S = \{1, \dots, n\}")
        ]
    elif found.margin > 0:
        steps.append(
            (
                "The best direction has the widest margin: the distance between that flat and the "
                "hull. No direction does better.",
                rf"\delta = {tex(found.margin)}",
            )
        )
    else:
        steps = [
            (
                "The weights need no limit: they are close to those of one query of ordinary "
                "length.",
                r"\alpha = \mathrm{softmax}(K q)",
            )
        ]
    if not mix.even:
        steps.append(
            (
                "The wanted keys must differ in score as the logarithms of their weights do. That "
                "can be had if they are affinely independent, or if these numbers happen to fit.",
                r"k_i^\top q_1 = \ln p_i + \text{const}",
            )
        )
    leak = 1 - float(np.sum(found.weights[list(mix.rows)]))
    scores = mix.scale * (instance.keys @ found.query)
    if found.longer < 1 and np.any(found.query):
        scaled = "" if mix.scale == 1 else rf"{tex(mix.scale)}\,"
        steps.append(
            (
                "Of all queries that leave the others at most $\\varepsilon$ this is the shortest, "
                f"up to {number(found.longer)} of its length. With $\\pi$ the shares of the others "
                "in what leaks, of entropy $H$, every such query obeys this, and it is an "
                "equality for this one.",
                r"\lVert q \rVert \ge \frac{\ln\frac{1-\varepsilon}{\varepsilon} + H(\pi)}"
                rf"{{{scaled}\lVert k_j - \sum_i \pi_i k_i \rVert}},\qquad "
                rf"q = {tex_vector(found.query)},\qquad r = {tex(max(leak, 0.0))}",
            )
        )
    elif 0 < found.margin < math.inf:
        steps.append(
            (
                "Turn the direction up until the others get little enough. The leak falls like "
                r"$e^{-C\delta}$.",
                rf"q = q_1 + C q_0 = {tex_vector(found.query)},\qquad r = {tex(max(leak, 0.0))}",
            )
        )
    else:
        steps.append(
            (
                "Alike weights need alike scores, and the query 0 gives every key the score 0."
                if not np.any(found.query)
                else "This query has such scores.",
                rf"q = {tex_vector(found.query)}",
            )
        )
    steps += [
        ("The scores of this query are these.", rf"s = {tex_vector(scores)}"),
        (
            f"The error of {'the output' if on_output else 'the weight that is farthest off'} was "
            "measured for the query as it is rounded, and is proved.",
            rf"\text{{error}} \le {tex(found.error)} \le \varepsilon = {tex(found.tolerance)}",
        ),
    ]
    if problem.given.keys.law == "arbitrary":
        steps.append(
            (
                "For other keys the same steps work as long as there is such a direction: always "
                "if "
                "the keys are affinely independent, never if an average of the other keys lies in "
                "the flat through the wanted ones.",
                r"\operatorname{aff}(K_S) \cap \operatorname{conv}(K_{\text{others}}) = \emptyset",
            )
        )
    return tuple(steps)


def _details(
    problem: QueryProblem, mix: Mix, instance: KeyInstance, found: QueryDesign
) -> tuple[Block, ...]:
    wanted = mix.wanted()
    output = wanted @ instance.values
    missed = float(np.linalg.norm(found.weights @ instance.values - output))
    margin = "no other keys" if math.isinf(found.margin) else number(found.margin)
    facts = (
        ("query", vector(found.query)),
        ("its length", number(float(np.linalg.norm(found.query)))),
        ("margin", margin),
        ("error", f"at most {number(found.error)} (allowed {number(found.tolerance)})"),
        ("wanted output", vector(output)),
        ("off by, for these values", below(missed, 1e-12 * (1 + float(np.max(np.abs(output)))))),
    )
    return (
        Facts(facts),
        weights_table(problem.given, wanted, found.weights),
        weights_plot(problem.given, wanted, found.weights, "Weights wanted and given"),
    )


def _mistakes(mix: Mix, instance: KeyInstance, found: QueryDesign) -> tuple[str, ...]:
    keys, rows = instance.keys, list(mix.rows)
    naive = np.sum(keys[rows], axis=0)
    length = float(np.linalg.norm(naive))
    scaled = naive * (float(np.linalg.norm(found.query)) / length if length else 0.0)
    given = softmax(mix.scale * (keys @ scaled))
    half = softmax(mix.scale * (keys @ found.query) / 2)
    off, off_half = (float(np.max(np.abs(w - mix.wanted()))) for w in (given, half))
    said = []
    if length and off > 2 * found.tolerance:
        said.append(
            "The sum of the wanted keys, as if keys were at right angles. As long as the query "
            f"above it gives them {vector(given[rows])} instead of {vector(mix.weights)}."
        )
    if np.any(found.query) and off_half > 2 * found.tolerance:
        said.append(
            f"Half the length: the wanted keys get {vector(half[rows])} instead of "
            f"{vector(mix.weights)}."
        )
    if not said and math.isinf(found.margin):
        said.append(
            "That a softmax never gives exact weights. Without other keys it does, up to rounding: "
            f"{below(float(np.max(np.abs(found.weights - mix.wanted()))), 1e-12)} here."
        )
    return tuple(said)


def _undecided(
    problem: QueryProblem, mix: Mix, instance: KeyInstance, refusal: UndecidedDesign
) -> Solution:
    best = refusal.best
    certificate = refusal.certificate or (best.certificate if best is not None else None)
    query = np.zeros(instance.keys.shape[1]) if best is None else best.query
    if certificate is None:
        certificate = Certificate({"keys": instance.keys}, (), mix.scale)
    return solved(
        problem,
        Status.UNDECIDED,
        rf"q \approx {tex_vector(query)}",
        {"q": query.tolist()},
        certificate,
        ((in_words(refusal), ""),),
        (weights_table(problem.given, mix.wanted(), softmax(mix.scale * (instance.keys @ query))),),
    )
