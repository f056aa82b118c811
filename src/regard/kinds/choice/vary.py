"""The same statements in another order, under other labels."""

from __future__ import annotations

from typing import Any

import numpy as np

from regard.kinds.choice.spec import ChoiceProblem
from regard.problems import to_dict


def vary(problem: ChoiceProblem, rng: np.random.Generator) -> dict[str, Any]:
    """Return the statements in another order; the labels stay in theirs.

    Where the text of the problem holds the words of every statement, these change places too.
    """
    data = to_dict(problem)
    statements = data["goal"]["statements"]
    labels = [statement["label"] for statement in statements]
    order = rng.permutation(len(statements)).tolist()
    moved = [{**statements[old], "label": labels[new]} for new, old in enumerate(order)]
    renamed = {labels[old]: labels[new] for new, old in enumerate(order)}
    reasons = [renamed[label] for label in problem.goal.reasons]
    goal = {**data["goal"], "statements": moved} | ({"reasons": reasons} if reasons else {})
    text = _moved(problem, order)
    return {"given": data["given"], "goal": goal} | ({} if text is None else {"statement": text})


def _moved(problem: ChoiceProblem, order: list[int]) -> str | None:
    """Return the text with the words of statements in another order; None where it has not all."""
    words = [statement.words for statement in problem.goal.statements]
    text = problem.statement
    if len(set(words)) < len(words) or any(not one or text.count(one) != 1 for one in words):
        return None
    pieces: list[str] = []
    places = sorted((text.index(one), new) for new, one in enumerate(words))
    end = 0
    for begin, new in places:
        pieces += [text[end:begin], words[order[new]]]
        end = begin + len(words[new])
    return "".join([*pieces, text[end:]])
