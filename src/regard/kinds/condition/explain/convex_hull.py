"""Which keys can win: those outside the hull of the others."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from regard.design import QueryDesign
from regard.design import query as design_query
from regard.errors import InfeasibleDesign, UndecidedDesign
from regard.kinds.condition.explain.letters import renamed, renamed_steps
from regard.kinds.condition.instance import Float64, level_of
from regard.kinds.condition.solve import LOOSEST, OfKeys
from regard.kinds.condition.spec import ConditionProblem
from regard.language.bounds import upper_bound
from regard.report import Block, Facts, Plot, Series, Table, number, vector
from regard.report.headline import marked
from regard.report.numbers import short
from regard.solving.finding import Explanation, Steps
from regard.solving.general_remarks import GENERAL_REMARKS
from regard.solving.key_tables import averaged, key_name, softmax, symbol, tex_vector
from regard.solving.latex_numbers import equal, tex, tex_enough, tex_lower_bound, tex_upper_bound
from regard.solving.refusals import in_words

MOST_SHOWN = 8
POINTS = 41
# Three ways not to win, and one to: what the key is among the others, and all keys, it first.
EXAMPLES: tuple[tuple[str, list[list[float]]], ...] = (
    ("outside the hull", [[2, 0], [0, 0], [0, 1], [1, 3]]),
    ("inside a triangle", [[1, 2], [2, 2], [0, 3], [0, 0]]),
    ("the centre of a square", [[0, 0], [1, 1], [1, -1], [-1, 1], [-1, -1]]),
    ("equal to another key", [[1, 0], [1, 0], [0, 1]]),
)
THEOREM = (
    (
        "**Scores.** A weight close to 1 needs a score above every other; and a query with such "
        "scores, made "
        "longer, brings the weight to 1. So the question is whether there is such a query.",
        r"k_j^\top q > k_i^\top q \quad\text{for some } q \text{ and every other } i",
    ),
    (
        "**Inside.** If the key is an average of the others, its score is the average of theirs "
        "and cannot be "
        "above all of them.",
        r"k_j = \sum_{i \ne j} \lambda_i k_i \;\implies\; k_j^\top q = "
        r"\sum_{i \ne j} \lambda_i\, k_i^\top q \le \max_{i \ne j} k_i^\top q",
    ),
    (
        "**Outside.** If it is none, the direction from the nearest point $h$ of the hull of the "
        "others to the "
        "key lifts it above all of them, by the distance. Hence the condition: the key is outside "
        "that hull. It is both necessary and sufficient.",
        r"q = k_j - h,\qquad (k_j - k_i)^\top q \ge \lVert k_j - h \rVert^2 > 0",
    ),
)


def explain_hull(problem: ConditionProblem, found: OfKeys) -> Explanation:
    """Tell of averages and of the nearest point of the hull."""
    design = found.design
    if isinstance(design, InfeasibleDesign):
        steps, details = _inside(problem, found, design)
    elif isinstance(design, QueryDesign):
        steps, details = _outside(problem, found, design)
    else:
        assert isinstance(design, UndecidedDesign)
        steps, details = ((in_words(design), ""),), ()
    return Explanation(
        renamed(problem, r"k_j \notin \operatorname{conv}\{k_i : i \ne j\}"),
        (*renamed_steps(problem, THEOREM), *steps),
        (*details, *GENERAL_REMARKS, _examples()),
        _beliefs(problem, found),
        result=f"Some query picks a key exactly if the key is {marked('no average', 'target')} of "
        "the others.",
    )


def here(problem: ConditionProblem) -> str:
    """Say which keys the numbers are about."""
    if problem.given.keys.law == "fixed":
        return "For the keys given"
    return "For one example of such keys, whose numbers are below,"


def ceiling_of(refusal: InfeasibleDesign) -> tuple[float, object, bool]:
    """Return the largest weight of a key, the average that it is, and whether that is exact."""
    claim = next(c for c in refusal.certificate.claims if c.kind == "ceiling")
    return claim.fields["bound"], claim.witness["combination"], claim.fields["radius"] is None


def weight_curves(
    problem: ConditionProblem, rows: Iterable[int], x: Float64, scores: Float64
) -> tuple[Series, ...]:
    """Return the weights of some keys as a query grows: scores (n,) for a query of size 1."""
    weights = softmax(problem.given.scale * np.multiply.outer(x, scores))
    places = tuple(x.tolist())
    return tuple(
        Series(named(problem, row), places, tuple(weights[:, row].tolist())) for row in rows
    )


def named(problem: ConditionProblem, row: int) -> str:
    """Return what the key in a row is called."""
    return f"${symbol(key_name(problem.given, row))}$"


def _outside(
    problem: ConditionProblem, found: OfKeys, design: QueryDesign
) -> tuple[Steps, tuple[Block, ...]]:
    keys, row, scale = found.keys, found.row, problem.given.scale
    if math.isinf(design.margin):  # a single key has no others
        return (), (Facts((("margin", "no other keys"),)),)
    above = next(c for c in design.certificate.claims if c.kind == "margin_at_most")
    shares = np.asarray(above.witness["outside"], float)
    shares = shares / np.sum(shares)
    nearest = shares @ keys
    unit = (keys[row] - nearest) / np.linalg.norm(keys[row] - nearest)
    level = level_of(problem, min(problem.goal.epsilon, LOOSEST))
    length = float(np.linalg.norm(design.query))
    which = "shortest" if design.longer < 1e-6 else "found"
    key = symbol(key_name(problem.given, row))
    point = averaged(problem.given, np.where(shares > 1e-9, shares, 0.0))
    steps = (
        (
            f"**Margin.** {here(problem)} it is outside, and this is the nearest point of the "
            f"hull. The "
            "distance is the best margin per unit of length of a query.",
            rf"h = {point} = {tex_vector(nearest)},\qquad \delta = \lVert {key} - h \rVert "
            rf"{equal(design.margin)}",
        ),
        (
            rf"**Length.** For a weight of $1 - \varepsilon {equal(1 - level.epsilon)}$ the "
            rf"query must be this "
            "long.",
            rf"{tex_lower_bound(level.above / design.margin / scale)} \le \lVert q \rVert \le "
            rf"{tex_enough(level.enough(len(keys)) / design.margin / scale)},\qquad "
            rf"\text{{{which}: }} {tex(length)}",
        ),
    )
    facts = Facts(
        (
            ("margin", number(design.margin, 10)),
            ("nearest point of the hull", vector(nearest)),
            ("its weights", vector(shares)),
            ("direction", vector(unit)),
            ("query", vector(design.query)),
            ("its length", number(length)),
            ("weight of the key", number(float(design.weights[row]), 8)),
        )
    )
    shown, x = range(min(len(keys), MOST_SHOWN)), np.linspace(0, 1.5 * length, POINTS)
    series = weight_curves(problem, shown, x, keys @ unit)
    caption = "The weights as the query grows along the best direction"
    return steps, (facts, Plot("lines", caption, "length of the query", "weight", series))


def _inside(
    problem: ConditionProblem, found: OfKeys, refusal: InfeasibleDesign
) -> tuple[Steps, tuple[Block, ...]]:
    bound, combination, exact = ceiling_of(refusal)
    key = symbol(key_name(problem.given, found.row))
    best: QueryDesign = refusal.best
    steps = (
        (
            f"**Inside.** {here(problem)} it is inside" + (":" if exact else ", to rounding:"),
            rf"{key} = {averaged(problem.given, combination)}",
        ),
        (
            r"**Ceiling.** Then its weight has a ceiling. With $\lambda$ the weights of that "
            r"average, of "
            r"entropy $H$, $\ln \alpha_j = \sum_i \lambda_i \ln \alpha_i$ for every query.",
            r"\alpha_j \le \frac{1}{1 + e^{H(\lambda)}} \le " + tex_upper_bound(bound),
        ),
        (
            "**Best query.** The average with the largest entropy gives the exact ceiling; this "
            "query reaches it.",
            rf"q = {tex_vector(best.query)},\qquad \alpha_j "
            rf"{equal(float(best.weights[found.row]))}",
        ),
    )
    facts = Facts(
        (
            ("ceiling", upper_bound(bound, 4)),
            ("best query", vector(best.query)),
            ("its weights", vector(best.weights)),
        )
    )
    shown = range(min(len(found.keys), MOST_SHOWN))
    labels = tuple(named(problem, i) for i in shown)
    bars = Series("weights", labels, tuple(float(best.weights[i]) for i in shown))
    plot = Plot("bars", "The largest weight that the key can get", "key", "weight", (bars,))
    return renamed_steps(problem, steps), (facts, plot)


def _examples() -> Table:
    rows = []
    for name, listed in EXAMPLES:
        try:
            design = design_query(listed, 0, tolerance=0.01)
            rows.append((name, "yes", number(design.margin, 10), "1", "none"))
        except InfeasibleDesign as refusal:
            bound, best = ceiling_of(refusal)[0], vector(refusal.best.query)
            rows.append((name, "no", "0", upper_bound(bound, 4), best))
    columns = ("the key is", "can win", "margin", "largest weight", "reached by")
    return Table(columns, tuple(rows), "four keys among others in the plane")


def _beliefs(problem: ConditionProblem, found: OfKeys) -> tuple[str, ...]:
    scores = problem.given.scale * 10 * (found.keys @ found.keys[found.row])
    own = float(softmax(scores)[found.row])
    long = np.array([[1.0, 0], [2.0, 0], [0, 1.0]])
    aligned = softmax(5 * long @ long[0])
    works = f"ten times the key gives it {short(own)} in the example above, but " * (own > 0.5)
    fails = f", and ten times the key of the example only {short(own)}" * (own <= 0.5)
    return (
        f"Taking the key itself as the query: {works}with the keys (1, 0), (2, 0), (0, 1) five "
        f"times the first gives it {short(float(aligned[0]))}, because the second is longer"
        f"{fails}.",
    )
