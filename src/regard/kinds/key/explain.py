"""Tell of a new key: what stays, which weight it needs, which score that is, and the key."""

from __future__ import annotations

import numpy as np

from regard.kinds.key.instance import Replacement
from regard.kinds.key.solve import KeyFound
from regard.kinds.key.spec import KeyProblem
from regard.report import Facts, Plot, Series, Table, number
from regard.report.headline import marked
from regard.report.numbers import short
from regard.solving.finding import Explanation, Status, Steps
from regard.solving.key_tables import formula_tex, tex_vector
from regard.solving.latex_numbers import equal, tex, tex_enough, tex_lower_bound

MOST = 12  # rows of a table


def explain(problem: KeyProblem, found: KeyFound) -> Explanation:
    """Return the key in words, or why there is none, or the least error."""
    steps = (
        *_what_stays(problem, found.case),
        *_which_weight(problem, found),
        *_which_key(problem, found),
    )
    return Explanation(
        _headline(problem, found),
        steps,
        _details(problem, found),
        _beliefs(problem, found),
        result=_result(problem, found),
    )


def _result(problem: KeyProblem, found: KeyFound) -> str:
    """Say what the new key does, or what none does."""
    least, within = number(found.case.least, 4), number(problem.goal.tolerance)
    if found.status is Status.IMPOSSIBLE:
        nothing = marked("No new key", "bad")
        return f"{nothing} comes within {within}: the error is at least {least}."
    if "key" not in problem.goal.find:
        return f"The least error of all new keys is {marked(least, 'target')}."
    key = f"$k_{{{problem.given.replace}}}$"
    score = marked(number(found.score, 4), "target")
    return f"A new key {key} with the score {score} does it, to within {within}."


def _headline(problem: KeyProblem, found: KeyFound) -> str:
    parts = []
    if "error" in problem.goal.find:
        parts.append(rf"\min_k \text{{error}} {equal(found.answer['error'])}")
    if found.status is Status.IMPOSSIBLE:
        parts.append(
            rf"\text{{no key: the error is at least }} {tex_lower_bound(found.case.least)}"
        )
    elif "k" in found.answer:
        parts.append(f"k = {formula_tex(found.answer['k'])}")
    return r",\quad ".join(parts)


def _what_stays(problem: KeyProblem, case: Replacement) -> Steps:
    return (
        (
            f"**Scores.** The query stays, so the other keys keep their scores. The new key in "
            f"place of "
            f"$k_{{{problem.given.replace}}}$ "
            "brings one number in, its score $t$.",
            rf"s = {tex_vector(case.others)},\qquad t = {_scaled(case)}k^\top q",
        ),
        (
            "**Weights.** Only its own weight $u$ can be chosen. The others share $1 - u$ as "
            "they did before: "
            "their ratios stay.",
            rf"u = \frac{{e^t}}{{e^t + \sum_i e^{{s_i}}}},\qquad \alpha = (1 - u)\, "
            rf"{tex_vector(case.ratios)}",
        ),
    )


def _scaled(case: Replacement) -> str:
    return "" if case.scale == 1 else rf"{tex(case.scale)}\, "


def _which_weight(problem: KeyProblem, found: KeyFound) -> Steps:
    case, goal = found.case, problem.goal
    low, high = case.span
    steps: list[tuple[str, str]] = []
    if goal.radius is not None:
        which = "of length" if goal.norm is not None else "up to length"
        steps.append(
            (
                f"**Limit.** A key {which} {short(goal.radius)} has a score of at most its "
                f"length times that "
                f"of the query.",
                rf"|t| \le {tex(case.highest)} \quad\Rightarrow\quad {tex(low)} \le u \le "
                rf"{tex(high)}",
            )
        )
    what = r"\max_i |\alpha_i - p_i|" if goal.weights is not None else r"\lVert c - c^* \rVert"
    steps.append(
        (
            "**Least error.** The error is a convex function of $u$, so it has one lowest value.",
            rf"\min_u {what} {equal(case.least)} \quad \text{{at}} \quad u "
            rf"{equal(case.best)}",
        )
    )
    return tuple(steps)


def _which_key(problem: KeyProblem, found: KeyFound) -> Steps:
    case, goal = found.case, problem.goal
    if found.status is Status.IMPOSSIBLE:
        return (
            (
                f"That is more than {short(goal.tolerance)}, so no key does it.",
                rf"{tex_lower_bound(case.least)} > {tex(goal.tolerance)}",
            ),
        )
    if "key" not in goal.find:
        return ()
    allowed = case.within(goal.tolerance)
    assert allowed is not None
    least, most = (case.score(u) for u in allowed)
    if most > case.highest:
        most = case.highest
    ends = [tex_enough(least), tex_lower_bound(most)]
    return (
        (
            f"**Window.** Every score between these serves, to within {short(goal.tolerance)}; "
            f"this one is "
            f"chosen.",
            rf"{ends[0]} \le t \le {ends[1]},\qquad t {equal(found.score)}",
        ),
        (
            "**Key.** Along the query a key is shortest; what is added at right angles to it "
            "changes no "
            "score.",
            rf"k = {formula_tex(str(found.answer['k']))} = {tex_vector(found.key)}",
        ),
    )


def _details(problem: KeyProblem, found: KeyFound) -> tuple[Facts | Plot | Table, ...]:
    case = found.case
    scores = np.insert(case.others, case.row, found.score)
    weights = case.weights(found.weight)
    wanted = case.wanted if problem.goal.weights is not None else None
    rows = tuple(
        (
            f"$k_{{{problem.given.label(i)}}}$" + (" (new)" if i == case.row else ""),
            number(float(scores[i]), 6),
            number(float(weights[i]), 6),
            *(() if wanted is None else (number(float(wanted[i]), 6),)),
        )
        for i in range(min(len(scores), MOST))
    )
    heads = ("key", "score", "weight", *(() if wanted is None else ("wanted",)))
    facts = Facts(
        (
            ("score of the new key", number(found.score, 8)),
            ("its length", number(float(np.linalg.norm(found.key)), 6)),
            ("error", number(case.error(found.weight), 6)),
            ("least error of all keys", number(case.least, 8)),
        )
    )
    names = tuple(problem.given.label(i) for i in range(min(len(scores), MOST)))
    labels = tuple(f"$k_{{{name}}}$" for name in names)
    series = [Series("weight", labels, tuple(map(float, weights[: len(labels)])))]
    if wanted is not None:
        series.append(Series("wanted", labels, tuple(map(float, wanted[: len(labels)]))))
    plot = Plot("bars", "The weights with the new key", "key", "weight", tuple(series))
    return facts, plot, Table(heads, rows, "with the new key")


def _beliefs(problem: KeyProblem, found: KeyFound) -> tuple[str, ...]:
    if "key" not in problem.goal.find or found.status is Status.IMPOSSIBLE:
        return ()
    return (
        "There is not one right key but a whole slab of them: only the part along the query "
        "counts.",
    )
