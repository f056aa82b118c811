"""When a query along a key wins: k_j·k_j > k_i·k_j for every other key."""

from __future__ import annotations

import numpy as np

from regard.design import QueryDesign
from regard.errors import InfeasibleDesign
from regard.kinds.condition.explain.convex_hull import (
    MOST_SHOWN,
    POINTS,
    ceiling_of,
    here,
    named,
    weight_curves,
)
from regard.kinds.condition.explain.letters import renamed, renamed_steps
from regard.kinds.condition.instance import level_of
from regard.kinds.condition.solve import AlongKey
from regard.kinds.condition.spec import ConditionProblem
from regard.report import Block, Plot, Table, number
from regard.report.headline import marked
from regard.report.numbers import short
from regard.solving.closed_forms import SUFFICIENT_GAP
from regard.solving.finding import Explanation, Steps
from regard.solving.key_tables import key_name, softmax, symbol, tex_vector
from regard.solving.latex_numbers import equal, tex, tex_upper_bound

CONDITION = r"k_j^\top k_j > k_i^\top k_j \quad\text{for every other } i"


def explain_along_key(problem: ConditionProblem, found: AlongKey) -> Explanation:
    """Tell of scores that grow with the query, and of longer keys."""
    return Explanation(
        renamed(problem, CONDITION),
        (*renamed_steps(problem, _theorem(problem.given.scale)), *_here(problem, found)),
        _details(problem, found),
        _beliefs(problem, found),
        result="A query along a key picks it when the key scores "
        f"{marked('more with itself', 'target')} than any other does.",
    )


def _theorem(scale: float) -> Steps:
    times = "" if scale == 1 else f"{tex(scale)} "
    return (
        (
            "**Scores.** With $q = C k_j$ all scores grow in proportion to $C$, and so do their "
            "differences.",
            rf"s_j - s_i = {times}C\, (k_j^\top k_j - k_i^\top k_j)",
        ),
        (
            "**Limit.** If every difference in brackets is above 0, the weight goes to 1. If one "
            "is 0, that "
            "key keeps as much as key $j$; if one is below 0, the weight goes to 0. So the "
            "condition is necessary and sufficient.",
            CONDITION,
        ),
        (
            "**Lengths.** For keys of equal length it holds as soon as they are different "
            "(Cauchy and "
            "Schwarz). A longer key may break it.",
            r"\lVert k_i \rVert \le \lVert k_j \rVert,\; k_i \ne k_j \;\implies\; "
            r"k_i^\top k_j < k_j^\top k_j",
        ),
    )


def _here(problem: ConditionProblem, found: AlongKey) -> Steps:
    """Say whether it holds for the keys, and what then."""
    keys, row, ahead = found.keys, found.row, found.ahead * problem.given.scale
    if found.design is None:
        needed = level_of(problem).enough(len(keys)) / found.ahead / problem.given.scale
        return (
            (
                f"**Factor.** {here(problem)} it holds. A factor that is enough for a weight of "
                r"$1 - \varepsilon$:",
                rf"C \ge \frac{{1}}{{{tex(ahead)}}} {SUFFICIENT_GAP.latex} {equal(needed)}",
            ),
        )
    rival = max((at for at in range(len(keys)) if at != row), key=lambda at: keys[at] @ keys[row])
    own, other = (symbol(key_name(problem.given, at)) for at in (row, rival))
    fails = (
        f"**Here.** {here(problem)} it does not hold:",
        rf"{own}^\top {own} {equal(float(keys[row] @ keys[row]))} \le "
        rf"{other}^\top {own} {equal(float(keys[rival] @ keys[row]))}",
    )
    return fails, _instead(found)


def _instead(found: AlongKey) -> tuple[str, str]:
    """Say whether another query does it."""
    design = found.design
    if isinstance(design, InfeasibleDesign):
        return (
            "**Other queries.** No other query does better: the key is inside the hull of the "
            "others.",
            rf"\alpha \le {tex_upper_bound(ceiling_of(design)[0])}",
        )
    if isinstance(design, QueryDesign):
        return (
            "**Other queries.** Another query does it: one that points away from the hull of the "
            "other keys.",
            rf"q = {tex_vector(design.query)},\qquad \alpha "
            rf"{equal(float(design.weights[found.row]))}",
        )
    return (
        "**Other queries.** Whether another query would do is at the edge of what can be decided.",
        "",
    )


def _details(problem: ConditionProblem, found: AlongKey) -> tuple[Block, ...]:
    keys, row = found.keys, found.row
    products = keys @ keys[row]
    shown = sorted(range(len(keys)), key=lambda at: (at != row, -products[at]))[:MOST_SHOWN]
    factors = (1.0, 5.0, 50.0)
    weights = softmax(problem.given.scale * np.multiply.outer(np.array(factors), products))
    rows = tuple(
        (
            named(problem, at),
            number(float(np.linalg.norm(keys[at]))),
            number(float(products[at])),
            *(number(float(weight)) for weight in weights[:, at]),
        )
        for at in shown
    )
    columns = ("key", "length", "product", *(f"weight, $C {equal(f)}$" for f in factors))
    series = weight_curves(problem, shown, np.linspace(0, 5, POINTS), products)
    return (
        Table(columns, rows, "a query along the first of these keys"),
        Plot("lines", "The weights as the query grows along the key", "C", "weight", series),
    )


def _beliefs(problem: ConditionProblem, found: AlongKey) -> tuple[str, ...]:
    scores = problem.given.scale * (found.keys @ found.keys[found.row])
    grows = "grows to 1 as the query does" if found.design is None else "falls as the query grows"
    return (
        f"Alignment without length. With $C = 1$ the weight of the key is only "
        f"{short(float(softmax(scores)[found.row]))} here, and {grows}.",
    )
