"""Which keys can win: those outside the hull of the others."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from regard.certify import Certificate
from regard.certify.claims import equivalences
from regard.design import QueryDesign
from regard.design import query as design_query
from regard.errors import InfeasibleDesign, UndecidedDesign
from regard.kinds.condition.solve.gaps import gaps, renamed
from regard.kinds.condition.spec import ConditionProblem
from regard.problems import key_instance
from regard.problems.laws import Orthogonal
from regard.report import Block, Facts, Plot, Series, Table, number, vector
from regard.solving.beyond import BEYOND
from regard.solving.finding import Status
from regard.solving.key_tables import averaged, key_name, softmax, symbol, tex, tex_vector
from regard.solving.refusals import in_words
from regard.solving.solution import Solution, solved

Float64 = NDArray[np.float64]

LOOSEST = 0.4  # a weight of 1 − this is beyond every ceiling, which is at most 1/2
MOST_SHOWN = 8
MOST_KEYS = 128  # of a law that are worked with; what is true of them is true of more
POINTS = 41

# Three ways not to win, and one to: what the key is among the others, and all keys, it first.
EXAMPLES: tuple[tuple[str, list[list[float]]], ...] = (
    ("outside the hull", [[2, 0], [0, 0], [0, 1], [1, 3]]),
    ("inside a triangle", [[1, 2], [2, 2], [0, 3], [0, 0]]),
    ("the centre of a square", [[0, 0], [1, 1], [1, -1], [-1, 1], [-1, -1]]),
    ("equal to another key", [[1, 0], [1, 0], [0, 1]]),
)


def solve_dominable(problem: ConditionProblem) -> Solution:
    """When some query gives a key a weight as close to 1 as one likes."""
    j, i = problem.goal.of, problem.goal.other
    keys, row = some_keys(problem)
    epsilon = min(problem.goal.epsilon, LOOSEST)
    status, design = Status.PROVED, None
    try:
        design = design_query(keys, row, tolerance=epsilon, scale=problem.given.scale)
        certificate = design.certificate
        steps, details = _wins(problem, keys, row, design, epsilon)
    except InfeasibleDesign as refusal:
        certificate = refusal.certificate
        steps, details = _cannot(problem, keys, row, refusal)
    except UndecidedDesign as refusal:
        status = Status.UNDECIDED
        certificate = refusal.certificate or Certificate({"keys": keys}, (), problem.given.scale)
        steps, details = ((in_words(refusal), ""),), ()
    text = f"k_{j}' q > k_{i}' q"
    goal = equivalences.claim("dominable", text, of=j, other=i, n=problem.given.n)
    return solved(
        problem,
        status,
        renamed(problem, r"k_j \notin \operatorname{conv}\{k_i : i \ne j\}"),
        {"condition": text},
        replace(certificate, claims=(goal, *certificate.claims)),
        (*_theorem(problem), *steps),
        (*details, *BEYOND, _examples()),
        _dominable_mistakes(keys, row, problem.given.scale),
        reaches=(0,),
    )


def some_keys(problem: ConditionProblem) -> tuple[Float64, int]:
    """Keys, and the row of the one asked about; of a law for very many keys only some."""
    given, of = problem.given, problem.goal.of
    if given.n <= MOST_KEYS or given.keys.law == "fixed":
        return key_instance(given).keys, given.names[of]
    law = given.keys
    if isinstance(law, Orthogonal) and law.norms is not None:
        row = given.names[of]
        norms = [law.norms[row], *law.norms[:row], *law.norms[row + 1 :]]
        law = law.model_copy(update={"norms": norms[:MOST_KEYS]})
    few = given.model_copy(update={"n": MOST_KEYS, "keys": law, "names": {of: 0}})
    return key_instance(few).keys, 0


def _theorem(problem: ConditionProblem) -> tuple[tuple[str, str], ...]:
    steps = (
        (
            "A weight close to 1 needs a score above every other; and a query with such scores, "
            "made "
            "longer, brings the weight to 1. So the question is whether there is such a query.",
            r"k_j^\top q > k_i^\top q \quad\text{for some } q \text{ and every other } i",
        ),
        (
            "If the key is an average of the others, its score is the average of theirs and "
            "cannot be "
            "above all of them.",
            r"k_j = \sum_{i \ne j} \lambda_i k_i \;\implies\; k_j^\top q = "
            r"\sum_{i \ne j} \lambda_i\, k_i^\top q \le \max_{i \ne j} k_i^\top q",
        ),
        (
            "If it is none, the direction from the nearest point $h$ of the hull of the others "
            "to the "
            "key lifts it above all of them, by the distance. Hence the condition: the key is "
            "outside "
            "that hull. It is both necessary and sufficient.",
            r"q = k_j - h,\qquad (k_j - k_i)^\top q \ge \lVert k_j - h \rVert^2 > 0",
        ),
    )
    return tuple(
        (
            text,
            renamed(problem, latex).replace(r"\text{ and every other } i", _every_other(problem)),
        )
        for text, latex in steps
    )


def here(problem: ConditionProblem) -> str:
    """Say which keys the numbers are about."""
    if problem.given.keys.law == "fixed":
        return "For the keys given"
    return "For one example of such keys, whose numbers are below,"


def _every_other(problem: ConditionProblem) -> str:
    return r"\text{ and every other } " + renamed(problem, "x_i")[2:]


def _wins(
    problem: ConditionProblem, keys: Float64, row: int, design: QueryDesign, epsilon: float
) -> tuple[tuple[tuple[str, str], ...], tuple[Block, ...]]:
    scale = problem.given.scale
    if math.isinf(design.margin):  # a single key has no others
        return (), (Facts((("margin", "no other keys"),)),)
    above = next(c for c in design.certificate.claims if c.kind == "margin_at_most")
    shares = np.asarray(above.witness["outside"], float)
    shares = shares / np.sum(shares)
    nearest = shares @ keys
    unit = (keys[row] - nearest) / np.linalg.norm(keys[row] - nearest)
    enough, needed = gaps(len(keys), epsilon)
    length = float(np.linalg.norm(design.query))
    which = "shortest" if design.longer < 1e-6 else "found"
    key = symbol(key_name(problem.given, row))
    point = averaged(problem.given, np.where(shares > 1e-9, shares, 0.0))
    steps = (
        (
            f"{here(problem)} it is outside, and this is the nearest point of the hull. The "
            "distance is the best margin per unit of length of a query.",
            rf"h = {point} = {tex_vector(nearest)},\qquad \delta = \lVert {key} - h \rVert = "
            rf"{tex(design.margin)}",
        ),
        (
            rf"For a weight of $1 - \varepsilon = {tex(1 - epsilon)}$ the query must be this long.",
            rf"{tex(needed / design.margin / scale)} \le \lVert q \rVert \le "
            rf"{tex(enough / design.margin / scale)},\qquad \text{{{which}: }} {tex(length)}",
        ),
    )
    facts = Facts(
        (
            ("margin", number(design.margin, 10)),
            ("nearest point of the hull", vector(nearest)),
            ("its weights", vector(shares)),
            ("direction", vector(unit, 10)),
            ("query", vector(design.query)),
            ("its length", number(length)),
            ("weight of the key", number(float(design.weights[row]), 8)),
        )
    )
    return steps, (facts, _growth(keys, unit, scale, length, problem))


def _growth(
    keys: Float64, unit: Float64, scale: float, length: float, problem: ConditionProblem
) -> Plot:
    x = np.linspace(0, 1.5 * length, POINTS)
    weights = softmax(scale * np.multiply.outer(x, keys @ unit))
    shown = range(min(len(keys), MOST_SHOWN))
    series = tuple(
        Series(
            f"${symbol(key_name(problem.given, i))}$",
            tuple(float(a) for a in x),
            tuple(float(w) for w in weights[:, i]),
        )
        for i in shown
    )
    caption = "The weights as the query grows along the best direction"
    return Plot("lines", caption, "length of the query", "weight", series)


def _cannot(
    problem: ConditionProblem, keys: Float64, row: int, refusal: InfeasibleDesign
) -> tuple[tuple[tuple[str, str], ...], tuple[Block, ...]]:
    ceiling = next(c for c in refusal.certificate.claims if c.kind == "ceiling")
    key = symbol(key_name(problem.given, row))
    best: QueryDesign = refusal.best
    exact = ceiling.fields["radius"] is None
    steps = (
        (
            f"{here(problem)} it is inside" + (":" if exact else ", to rounding:"),
            rf"{key} = {averaged(problem.given, ceiling.witness['combination'])}",
        ),
        (
            r"Then its weight has a ceiling. With $\lambda$ the weights of that average, of "
            r"entropy $H$,"
            r" $\ln \alpha_j = \sum_i \lambda_i \ln \alpha_i$ for every query.",
            r"\alpha_j \le \frac{1}{1 + e^{H(\lambda)}} = " + tex(ceiling.fields["bound"], 10),
        ),
        (
            "The average with the largest entropy gives the exact ceiling; this query reaches it.",
            rf"q = {tex_vector(best.query)},\qquad \alpha_j = {tex(float(best.weights[row]), 10)}",
        ),
    )
    facts = Facts(
        (
            ("ceiling", number(ceiling.fields["bound"], 10)),
            ("best query", vector(best.query, 6)),
            ("its weights", vector(best.weights)),
        )
    )
    shown = range(min(len(keys), MOST_SHOWN))
    labels = tuple(f"${symbol(key_name(problem.given, i))}$" for i in shown)
    bars = Series("weights", labels, tuple(float(best.weights[i]) for i in shown))
    plot = Plot("bars", "The largest weight that the key can get", "key", "weight", (bars,))
    shown_steps = tuple((renamed(problem, text), renamed(problem, latex)) for text, latex in steps)
    return shown_steps, (facts, plot)


def _examples() -> Table:
    rows = []
    for name, listed in EXAMPLES:
        try:
            design = design_query(listed, 0, tolerance=0.01)
            rows.append((name, "yes", number(design.margin, 10), "1", "none"))
        except InfeasibleDesign as refusal:
            ceiling = next(c for c in refusal.certificate.claims if c.kind == "ceiling")
            best = vector(refusal.best.query, 6)
            rows.append((name, "no", "0", number(ceiling.fields["bound"], 10), best))
    columns = ("the key is", "can win", "margin", "largest weight", "reached by")
    return Table(columns, tuple(rows), "four keys among others in the plane")


def _dominable_mistakes(keys: Float64, row: int, scale: float) -> tuple[str, ...]:
    own = float(softmax(scale * 10 * (keys @ keys[row]))[row])
    long = np.array([[1.0, 0], [2.0, 0], [0, 1.0]])
    aligned = softmax(5 * long @ long[0])
    works = f"ten times the key gives it {number(own)} in the example above, but " * (own > 0.5)
    fails = f", and ten times the key of the example only {number(own)}" * (own <= 0.5)
    return (
        f"Taking the key itself as the query: {works}with the keys (1, 0), (2, 0), (0, 1) five "
        f"times the first gives it {number(float(aligned[0]), 4)}, because the second is longer"
        f"{fails}.",
        "That different keys can always be told apart. The centre of a square never gets more than "
        f"{number(softmax(np.zeros(5))[0])}, and one of two equal keys never more than "
        f"{number(softmax(np.zeros(2))[0])}, whatever the query.",
    )
