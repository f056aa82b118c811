"""Other tokens and outputs to choose matrices for."""

from __future__ import annotations

from typing import Any

import numpy as np

from regard.kinds.self_attention.spec import SelfAttentionProblem
from regard.language import parse
from regard.problems import to_dict
from regard.problems.tokens import read_label
from regard.solving.token_names import Shuffle, label_symbol, listed, tokens_sentence

__all__ = ["vary"]


def vary(problem: SelfAttentionProblem, rng: np.random.Generator) -> dict[str, Any]:
    """Return the same tokens with other names, in another order, and other wishes for outputs."""
    data = to_dict(problem)
    shuffle = Shuffle(problem.given, rng)
    given = shuffle.given(data["given"])
    goal: dict[str, Any] = dict(data["goal"])
    if "outputs" in goal:
        names = list(problem.given.basis.names)
        goal["outputs"] = {
            shuffle.label(label): shuffle.formula(text)
            if rng.random() < 0.4
            else _drawn(names, rng)
            for label, text in goal["outputs"].items()
        }
        if len(set(goal["outputs"].values())) < len(goal["outputs"]):
            label, first = next(iter(goal["outputs"])), next(iter(goal["outputs"].values()))
            goal["outputs"][label] = f"2 ({first})"
    if "attend" in goal:
        goal["attend"] = {
            shuffle.label(label): shuffle.label(where)
            if isinstance(where, str)
            else {shuffle.label(one): weight for one, weight in where.items()}
            for label, where in goal["attend"].items()
        }
    return {"given": given, "goal": goal, "statement": _statement(given, goal)}


def _drawn(names: list[str], rng: np.random.Generator) -> str:
    """Return one basis vector, or a sum or difference of two."""
    first, second = (names[i] for i in rng.choice(len(names), 2, replace=False))
    return str(rng.choice([first, f"2 {first}", f"{first} + {second}", f"{first} - {second}"]))


def _statement(given: dict[str, Any], goal: dict[str, Any]) -> str:
    wishes = [
        f"${label_symbol(label)}$ is close to ${parse(text).to_latex()}$"
        for label, text in goal.get("outputs", {}).items()
    ]
    for label, where in goal.get("attend", {}).items():
        weights = {where: 1.0} if isinstance(where, str) else where
        parts = listed([f"{weight:g} to ${label_symbol(one)}$" for one, weight in weights.items()])
        wishes.append(f"token {read_label(label)[1] + 1} gives weights of about {parts}")
    return (
        tokens_sentence(given)
        + "A head has matrices: token $i$ has the key $k_i = K x_i$, the query $q_i = Q x_i$ and "
        r"the value $v_i = V x_i$, and $c_i = \sum_j \alpha_{ij} v_j$ with weights $\alpha_{ij}$ "
        r"proportional to $\exp(k_j^\top q_i)$."
        "\n\n"
        f"Find $K$, $Q$ and $V$ for which {listed(wishes)}.\n\n"
        "Answer with `K`, `Q` and `V`, formulas in the basis vectors and their length or matrices "
        "of numbers.\n"
    )
