"""Solve a problem: the answer, its certificate, the steps, and whether it is proved."""

from __future__ import annotations

from regard.lab.asked_problems import AskedProblem as Asked
from regard.lab.table import Answer

__all__ = ["Asked", "answer"]


def answer(asked: Asked) -> Answer:
    """Solve it; the answer is what `regard solve --json` prints, and its steps."""
    from regard.solving import solve

    found = solve(asked.load())
    steps = [{"sentence": sentence, "formula": formula} for sentence, formula in found.steps]
    data = found.to_dict() | {
        "title": found.problem.title,
        "outcome": found.outcome,
        "headline": found.headline,
        "steps": steps,
    }
    return Answer(data, found)
