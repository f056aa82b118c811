"""Tables, curves and mistakes about the weight of one key."""

from __future__ import annotations

import math

import numpy as np

from regard.kinds.condition.solve.gaps import MOST_TRIED, gaps, sides
from regard.kinds.condition.spec import ConditionProblem
from regard.problems import key_instance
from regard.report import Block, Facts, Plot, Series, Table, Text, number
from regard.solving.beyond import BEYOND
from regard.solving.key_tables import softmax

POINTS = 49


def mass_details(problem: ConditionProblem) -> tuple[Block, ...]:
    """The gaps in numbers, both sides of the border, an example, and the bounds as curves."""
    n, epsilon = problem.given.n, problem.goal.epsilon
    enough, needed = gaps(n, epsilon)
    facts = Facts(
        (
            ("keys", str(n)),
            (r"$\varepsilon$", number(epsilon)),
            ("sufficient gap", number(enough, 10)),
            ("necessary gap", number(needed, 10)),
        )
    )
    rows = []
    for scores in sides(problem):
        weight = softmax(scores)[0]
        rival = float(np.max(scores[1:]))
        rows.append(
            (
                "all others score alike" if np.ptp(scores[1:]) == 0 else "one rival only",
                number(float(scores[0] - rival), 8),
                number(1 - float(weight), 8),
                "yes" if weight >= 1 - epsilon else "no",
            )
        )
    few = "" if n <= MOST_TRIED else f" ({min(n, MOST_TRIED)} keys)"
    both = Table(
        ("scores", "gap", r"$1 - \alpha$", r"at most $\varepsilon$"),
        tuple(rows),
        f"just on either side of the border{few}",
    )
    return facts, both, *_values(problem), _curves(n, epsilon), *BEYOND, _example()


def _values(problem: ConditionProblem) -> tuple[Block, ...]:
    """What the condition means for values that are given, though it does not depend on them."""
    if problem.goal.effect != "output" or problem.given.values.law != "fixed":
        return ()
    values = key_instance(problem.given).values
    away = np.linalg.norm(values - values[problem.given.names[problem.goal.of]], axis=1)
    widest, epsilon = float(np.max(away)), problem.goal.epsilon
    return (
        Text(
            "The condition is for all values, so those given do not enter into it. For them, the "
            f"farthest being {number(widest)} away, it means an error of at most "
            f"{number(epsilon * widest)}."
        ),
    )


def _example() -> Table:
    scores = np.array([5.0, 1.0, 0.0, -2.0])
    gap = scores[0] - scores[1]
    lost = float(np.sum(softmax(scores)[1:]))
    cells = (
        number(gap),
        number(math.exp(-gap) / (1 + math.exp(-gap)), 10),
        number(lost, 10),
        number(3 * math.exp(-gap) / (1 + 3 * math.exp(-gap)), 10),
    )
    columns = ("gap", "lower bound", r"$1 - \alpha$", "upper bound")
    return Table(columns, (cells,), "the bounds for the scores 5, 1, 0, -2")


def _curves(n: int, epsilon: float) -> Plot:
    end = 1.4 * gaps(n, epsilon)[0]
    x = np.linspace(0, max(end, 1.0), POINTS)
    places = tuple(float(g) for g in x)
    one, all_alike = 1 / (1 + np.exp(-x)), 1 / (1 + (n - 1) * np.exp(-x))
    series = (
        Series("one rival only", places, tuple(one.tolist())),
        Series("all others score alike", places, tuple(all_alike.tolist())),
        Series("wanted", (places[0], places[-1]), (1 - epsilon, 1 - epsilon)),
    )
    return Plot("lines", "The weight of the key against its gap", "gap", "weight", series)


def mass_mistakes(problem: ConditionProblem) -> tuple[str, ...]:
    """Ratios, the largest score alone, and pairs."""
    n, epsilon = problem.given.n, problem.goal.epsilon
    small = float(softmax([0.1, 0.001])[0])
    large = float(softmax([1000.0, 990.0])[0])
    one = 1 / (1 + (n - 1) * math.exp(-1.0))
    needed = gaps(n, epsilon)[1]
    pairs = 1 / (1 + (n - 1) * math.exp(-needed))
    result = [
        f'"Much larger" read as a ratio. The scores 0.1 and 0.001 have the ratio {number(100)} and '
        f"give the weight {number(small, 4)}; 1000 and 990 are nearly alike and give "
        f"{number(large, 5)}. Only differences count.",
    ]
    if one < 1 - epsilon:
        others = "another key" if n == 2 else f"{n - 1} other keys"
        result.append(
            f"Having the largest score is not enough: a gap of 1 to {others} gives {number(one)}."
        )
    if n > 2:
        result.append(
            f"The gap for a single rival, {number(needed)}, used with {n - 1} of them: the "
            f"weight may "
            f"be as small as {number(pairs, 10)}, which is below {number(1 - epsilon, 10)}."
        )
    return tuple(result)
