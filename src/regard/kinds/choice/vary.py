"""The same statements in another order, under other labels."""

from __future__ import annotations

from typing import Any

import numpy as np

from regard.kinds.choice.spec import ChoiceProblem
from regard.problems import to_dict


def vary(problem: ChoiceProblem, rng: np.random.Generator) -> dict[str, Any]:
    """Return the statements in another order; the labels stay in theirs."""
    data = to_dict(problem)
    statements = data["goal"]["statements"]
    labels = [statement["label"] for statement in statements]
    order = rng.permutation(len(statements)).tolist()
    moved = [{**statements[old], "label": labels[new]} for new, old in enumerate(order)]
    renamed = {labels[old]: labels[new] for new, old in enumerate(order)}
    reasons = [renamed[label] for label in problem.goal.reasons]
    goal = {**data["goal"], "statements": moved}
    return {"given": data["given"], "goal": goal | ({"reasons": reasons} if reasons else {})}
