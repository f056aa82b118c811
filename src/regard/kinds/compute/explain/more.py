"""Steps of their own for what is computed in one stroke: masks, rows of positions, entropies."""

from __future__ import annotations

import math

from regard.kinds.compute.explain.writing import MOST, cut, written
from regard.kinds.compute.solve import Numbers
from regard.kinds.compute.spec import ComputeGiven, ComputeProblem, Quantity
from regard.kinds.compute.spec.numbers import value


def more_steps(problem: ComputeProblem, found: Numbers) -> list[tuple[str, str]]:
    """Return the steps that lead to a mask, to rows of positions, or to entropies."""
    result: list[tuple[str, str]] = []
    for name in found.names:
        symbol = Quantity(name).symbol
        if symbol == "M":
            result += _mask(problem.given)
        elif symbol == "P" and problem.given.positions is not None:
            result += _positions(problem.given, found.places[0][1])
        elif symbol == "H" and problem.given.weights is not None:
            result.append(_entropy(problem, found, name))
    return result


def _mask(given: ComputeGiven) -> list[tuple[str, str]]:
    result = []
    after = f" + {given.offset}" if given.offset else ""
    if given.is_causal:
        result.append(
            ("**Causal mask.** A query sees its own position and earlier ones.", rf"j \le i{after}")
        )
    if given.window is not None:
        left, right = given.window
        latex = rf"i{after} - {left} \le j \le i{after} + {right}"
        result.append(("**Window.** A window limits how far it sees.", latex))
    if given.key_length is not None:
        result.append(
            ("**Padding.** Keys after the last real one are padding.", rf"j \le {given.key_length}")
        )
    counts = [str(sum(row)) for row in given.allowed()]
    said = "**Counts.** So many keys are seen by each query, from the first on."
    return [*result, (said, f"({', '.join(cut(counts, chr(92) + 'dots'))})")]


def _positions(given: ComputeGiven, row: int) -> list[tuple[str, str]]:
    p = given.positions
    assert p is not None
    if p.kind != "sinusoidal":
        return []
    width = len(given.tokens[0]) if given.tokens is not None else given.d_model or 2
    speeds = [value(p.base) ** (-2 * i / width) for i in range(width // 2)]
    t = p.start + row - 1

    def listed(numbers: list[float]) -> str:
        return f"({', '.join(cut([f'{x:.4f}' for x in numbers], chr(92) + 'dots'))})"

    return [
        (
            "**Frequencies.** Pair $i$, counted from 0, has its own frequency.",
            rf"b^{{-2i/d}} \approx {listed(speeds)}",
        ),
        (
            f"**Angles.** Position {t} times each frequency is an angle, whose sine and cosine "
            f"stand side by "
            "side.",
            rf"{t} \cdot b^{{-2i/d}} \approx {listed([t * s for s in speeds])}",
        ),
    ]


def _entropy(problem: ComputeProblem, found: Numbers, name: str) -> tuple[str, str]:
    row = found.places[0][1]
    weights = found.row(Quantity(name).other("A"), row)
    base = 2.0 if problem.given.entropy == "bits" else math.e
    log = r"\log_2" if problem.given.entropy == "bits" else r"\ln"
    terms = [
        rf"{written(a, 4)} \cdot {-math.log(float(a), base):.4g}" for a in weights if float(a) > 0
    ]
    shown = " + ".join(cut(terms, r"\dots")[:MOST])
    return f"**Terms.** Each weight $a$ of query {row} adds $-a {log} a$.", shown
