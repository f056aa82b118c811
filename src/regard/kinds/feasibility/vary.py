"""Other tokens that are their own queries, keys and values."""

from __future__ import annotations

from typing import Any

import numpy as np

from regard.kinds.feasibility.spec import FeasibilityProblem
from regard.language import parse
from regard.problems import to_dict
from regard.problems.tokens import read_label, token_label
from regard.solving.token_names import Shuffle, label_symbol, listed, tokens_sentence

__all__ = ["vary"]


def vary(problem: FeasibilityProblem, rng: np.random.Generator) -> dict[str, Any]:
    """Return the same tokens with other names, in another order, of another length."""
    data = to_dict(problem)
    shuffle = Shuffle(problem.given, rng)
    given = shuffle.given(data["given"])
    change = data["given"]["change"]
    given["change"] = {
        "token": shuffle.label(change["token"]),
        "add": [shuffle.formula(text) for text in change["add"]],
    }
    output = {shuffle.label(k): shuffle.formula(v) for k, v in data["goal"]["output"].items()}
    goal = {**data["goal"], "output": output}
    return {"given": given, "goal": goal, "statement": _statement(given, goal)}


def _statement(given: dict[str, Any], goal: dict[str, Any]) -> str:
    label, wanted = next(iter(goal["output"].items()))
    field = token_label(read_label(label)[1], "c")
    output = f"${label_symbol(field)}$"
    names = [f"${parse(text).to_latex()}$" for text in given["change"]["add"]]
    added = f"one of {listed(names)}" if len(names) > 1 else listed(names)
    changed = f"${label_symbol(given['change']['token'], 'x')}$"
    return (
        tokens_sentence(given)
        + "Each token is its own query, its own key and its own value, and scores are plain inner "
        "products.\n\n"
        f"Which vector is the output {output} close to? And could {output} be brought close to "
        f"${parse(wanted).to_latex()}$ by adding a multiple of {added} to {changed}?\n\n"
        f"Answer with `{field}`, a formula for what the output is close to as things are, "
        "and `possible`, true or false.\n"
    )
