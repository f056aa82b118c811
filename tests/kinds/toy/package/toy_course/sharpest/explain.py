"""Tell which key it is."""

from __future__ import annotations

from regard.report import Table, number
from regard.report.headline import marked
from regard.solving.finding import Explanation
from toy_course.sharpest.solve import Sharpest
from toy_course.sharpest.spec import SharpestProblem


def explain(problem: SharpestProblem, found: Sharpest) -> Explanation:
    """Return the key in words, and a table of all weights."""
    key, weight = found.answer["key"], number(found.answer["weight"])
    rows = tuple((str(i + 1), number(w)) for i, w in enumerate(found.weights))
    step = "The largest score has the largest weight, since softmax keeps the order."
    return Explanation(
        rf"\alpha_{{{key}}} = {weight}",
        ((step, r"s_i \le s_j \Rightarrow \alpha_i \le \alpha_j"),),
        (Table(("key", "weight"), rows),),
        result=f"Key {key} gets the most weight, {marked(weight, 'target')} of all.",
    )
