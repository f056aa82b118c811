"""Find W_Q, W_K and W_V with which each token looks where it should, or prove that there are none.

Beside it: what the tokens do as their own queries, keys and values, and the score that keeps them
from it.
"""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from regard.errors import InfeasibleDesign, UndecidedDesign
from regard.lab.arguments import Arguments, Matrix, Whole
from regard.lab.table import Answer

Goal = Annotated[int, Field(ge=-1, le=63), Whole]


class Asked(Arguments):
    """Tokens, one per row, times `length`; for each which one it shall look at, or -1: free."""

    tokens: Matrix
    goals: Annotated[list[Goal], Field(min_length=1, max_length=64)]
    length: Annotated[float, Field(gt=0.0, le=1e3)] = 1.0
    tolerance: Annotated[float, Field(ge=1e-9, le=0.5)] = 1e-3


def answer(asked: Asked) -> Answer:
    """Design the head, verify its certificate, and compare it with tokens as they are."""
    from regard import attention_with_weights
    from regard.certify import verify
    from regard.design import self_attention
    from regard.errors import ShapeError

    if len(asked.goals) != len(asked.tokens):
        raise ShapeError(
            f"design_head: goals must have one number per token. "
            f"Got {len(asked.goals)} for {len(asked.tokens)} tokens."
        )
    if len({len(row) for row in asked.tokens}) > 1:
        raise ShapeError("design_head: tokens must be rows of one length.")
    tokens = asked.length * np.array(asked.tokens)
    attend = {row: goal for row, goal in enumerate(asked.goals) if goal >= 0}
    refusal: InfeasibleDesign | UndecidedDesign | None = None
    try:
        design = self_attention(tokens, attend=attend, tolerance=asked.tolerance)
        certificate, status = design.certificate, "reached"
    except InfeasibleDesign as impossible:
        refusal, design, certificate, status = (
            impossible, impossible.best, impossible.certificate, "impossible",
        )  # fmt: skip
    except UndecidedDesign as open_:
        if open_.best is None:
            raise
        refusal, design, certificate, status = open_, open_.best, open_.certificate, "undecided"
    _, own = attention_with_weights(tokens, tokens, tokens, scale=1.0)
    data: dict[str, Any] = {
        "status": status,
        "sentence": "" if refusal is None else str(refusal),
        "proved": certificate is not None and verify(certificate).holds,
        "weights": design.weights,
        "W_Q": design.W_Q,
        "W_K": design.W_K,
        "d_k": design.d_k,
        "d_k_lower_bound": design.d_k_lower_bound,
        "error": design.error,
        "own": {
            "weights": own,
            "scores": tokens @ tokens.T,
            "because": _because(tokens, asked.goals),
        },
    }
    return Answer(data, refusal or design)


def _because(tokens: NDArray[np.float64], goals: list[int]) -> list[dict[str, Any] | None]:
    """For each token with a goal: which token scores at least as high with it as its goal does."""
    scores = tokens @ tokens.T
    found: list[dict[str, Any] | None] = []
    for row, goal in enumerate(goals):
        if goal < 0 or len(tokens) < 2:
            found.append(None)
            continue
        others = [j for j in range(len(tokens)) if j != goal]
        rival = max(others, key=lambda j: scores[row, j])
        lost = bool(scores[row, rival] >= scores[row, goal])
        found.append({
            "rival": rival, "lost": lost,
            "score": scores[row, goal], "rival_score": scores[row, rival],
        } if lost else None)  # fmt: skip
    return found
