"""When a query along a key wins: k_j·k_j > k_i·k_j for every other key."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.certify import Certificate
from regard.certify.claims import equivalences
from regard.certify.claims.conditions import aligned_claim, condition_claim
from regard.design import query as design_query
from regard.errors import InfeasibleDesign, UndecidedDesign
from regard.kinds.condition.solve.dominable import here, some_keys
from regard.kinds.condition.solve.gaps import gaps, renamed
from regard.kinds.condition.spec import ConditionProblem
from regard.report import Block, Plot, Series, Table, number, vector
from regard.solving.finding import Status
from regard.solving.key_tables import key_name, softmax, symbol, tex, tex_vector
from regard.solving.solution import Solution, solved

Float64 = NDArray[np.float64]

LOOSEST = 0.4  # a weight of 1 − this is beyond every ceiling, which is at most 1/2
MOST_SHOWN = 8
POINTS = 41
MOST_EXACT = 20_000  # numbers that are multiplied out as fractions


def solve_aligned(problem: ConditionProblem) -> Solution:
    """When q = C k_j brings the weight of key j to 1 as C grows."""
    j, i = problem.goal.of, problem.goal.other
    keys, row = some_keys(problem)
    scale = problem.given.scale
    products = keys @ keys[row]
    ahead = _ahead(keys, row)
    wins = ahead > 0
    text = f"k_{j}' k_{j} > k_{i}' k_{j}"
    claims = (
        equivalences.claim("aligned", text, of=j, other=i, n=len(keys)),
        aligned_claim(row, wins),
        condition_claim("equivalent", text, "u' softmax(C K k) >= 99/100", _both_sides(j, i)),
    )
    return solved(
        problem,
        Status.PROVED,
        renamed(problem, r"k_j^\top k_j > k_i^\top k_j \quad\text{for every other } ")
        + renamed(problem, "x_i")[2:],
        {"condition": text},
        Certificate({"keys": keys}, claims, scale),
        _aligned_steps(problem, keys, row, ahead),
        _aligned_details(problem, keys, row, products),
        _aligned_mistakes(keys, row, scale, wins),
        reaches=(0,),
    )


def _ahead(keys: Float64, row: int) -> float:
    """How far k_j·k_j is above the largest k_i·k_j; its sign is exact where that can be had."""
    others = [at for at in range(len(keys)) if at != row]
    if keys.size > MOST_EXACT:
        products = keys @ keys[row]
        return float(products[row] - np.max(products[others]))
    direction = [Fraction(x) for x in keys[row].tolist()]
    exact = [
        sum((Fraction(x) * y for x, y in zip(key, direction, strict=True)), Fraction(0))
        for key in keys.tolist()
    ]
    return float(exact[row] - max(exact[at] for at in others))


def _both_sides(j: str, i: str) -> list[dict[str, Any]]:
    """Keys with the condition (of equal length) and without (one longer, one equal)."""
    instances = []
    for rival in ([0, 1], [2, 0], [1, 0], [0.8, 0.6]):
        keys = [[1, 0], rival, [-1, 0]]
        instances.append(
            {"K": keys, "k": keys[0], f"k_{j}": keys[0], f"k_{i}": rival, "u": [1, 0, 0], "C": 50}
        )
    return instances


def _aligned_steps(
    problem: ConditionProblem, keys: Float64, row: int, ahead: float
) -> tuple[tuple[str, str], ...]:
    scale = problem.given.scale
    times = "" if scale == 1 else f"{tex(scale)} "
    rival = max((at for at in range(len(keys)) if at != row), key=lambda at: keys[at] @ keys[row])
    named, other = (symbol(key_name(problem.given, at)) for at in (row, rival))
    steps = [
        (
            "With $q = C k_j$ all scores grow in proportion to $C$, and so do their differences.",
            rf"s_j - s_i = {times}C\, (k_j^\top k_j - k_i^\top k_j)",
        ),
        (
            "If every difference in brackets is above 0, the weight goes to 1. If one is 0, that "
            "key "
            "keeps as much as key $j$; if one is below 0, the weight goes to 0. So the condition "
            "is "
            "necessary and sufficient.",
            r"k_j^\top k_j > k_i^\top k_j \quad\text{for every other } i".replace(
                "other } i", "other } " + renamed(problem, "x_i")[2:]
            ),
        ),
        (
            "For keys of equal length it holds as soon as they are different (Cauchy and "
            "Schwarz). A "
            "longer key may break it.",
            r"\lVert k_i \rVert \le \lVert k_j \rVert,\; k_i \ne k_j \;\implies\; "
            r"k_i^\top k_j < k_j^\top k_j",
        ),
    ]
    if ahead > 0:
        needed = gaps(len(keys), problem.goal.epsilon)[0] / ahead / scale
        steps.append(
            (
                f"{here(problem)} it holds. "
                r"A factor that is enough for a weight of $1 - \varepsilon$:",
                rf"C \ge \frac{{1}}{{{tex(ahead * scale)}}} \ln\frac{{(n-1)(1-\varepsilon)}}"
                rf"{{\varepsilon}} = {tex(needed)}",
            )
        )
    else:
        steps.append(
            (
                f"{here(problem)} it does not hold:",
                rf"{named}^\top {named} = {tex(float(keys[row] @ keys[row]))} \le "
                rf"{other}^\top {named} = {tex(float(keys[rival] @ keys[row]))}",
            )
        )
        steps.append(_instead(problem, keys, row))
    result = [(renamed(problem, text), renamed(problem, latex)) for text, latex in steps[:3]]
    return tuple(
        (text.replace("key $j$", f"key ${renamed(problem, 'x_j')[2:]}$"), latex)
        for text, latex in [*result, *steps[3:]]
    )


def _instead(problem: ConditionProblem, keys: Float64, row: int) -> tuple[str, str]:
    try:
        design = design_query(
            keys, row, tolerance=min(problem.goal.epsilon, LOOSEST), scale=problem.given.scale
        )
    except InfeasibleDesign as refusal:
        ceiling = next(c for c in refusal.certificate.claims if c.kind == "ceiling")
        return (
            "No other query does better: the key is inside the hull of the others.",
            rf"\alpha \le {tex(ceiling.fields['bound'])}",
        )
    except UndecidedDesign:
        return ("Whether another query would do is at the edge of what can be decided.", "")
    return (
        "Another query does it: one that points away from the hull of the other keys.",
        rf"q = {tex_vector(design.query)},\qquad \alpha = {tex(float(design.weights[row]))}",
    )


def _aligned_details(
    problem: ConditionProblem, keys: Float64, row: int, products: Float64
) -> tuple[Block, ...]:
    scale, given = problem.given.scale, problem.given
    shown = sorted(range(len(keys)), key=lambda at: (at != row, -products[at]))[:MOST_SHOWN]
    factors = (1.0, 5.0, 50.0)
    weights = softmax(scale * np.multiply.outer(np.array(factors), products))
    rows = tuple(
        (
            f"${symbol(key_name(given, at))}$",
            number(float(np.linalg.norm(keys[at]))),
            number(float(products[at])),
            *(number(float(weights[f, at])) for f in range(len(factors))),
        )
        for at in shown
    )
    columns = ("key", "length", "product", *(f"weight, $C = {tex(f)}$" for f in factors))
    x = np.linspace(0, 5, POINTS)
    curves = softmax(scale * np.multiply.outer(x, products))
    series = tuple(
        Series(
            f"${symbol(key_name(given, at))}$",
            tuple(float(a) for a in x),
            tuple(float(w) for w in curves[:, at]),
        )
        for at in shown
    )
    return (
        Table(columns, rows, "a query along the first of these keys"),
        Plot("lines", "The weights as the query grows along the key", "C", "weight", series),
    )


def _aligned_mistakes(keys: Float64, row: int, scale: float, wins: bool) -> tuple[str, ...]:
    example = np.array([[1.0, 0], [2.0, 0], [0, 1.0]])
    at_five = softmax(5 * example @ example[0])
    one = softmax(scale * (keys @ keys[row]))
    rounded = vector(at_five, 5)
    return (
        "That the key which the query points along gets the weight. With the keys (1, 0), (2, 0), "
        f"(0, 1) the query $5 k_1$ gives the weights {rounded}: the longer key takes it all.",
        f"Alignment without length. With $C = 1$ the weight of the key is only "
        f"{number(float(one[row]))} here"
        + (", and grows to 1 as the query does." if wins else ", and falls as the query grows."),
    )
