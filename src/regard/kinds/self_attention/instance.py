"""The tokens of an instance: along the axes or in a frame that is drawn, near to a limit or not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from regard.checking.matrices import Float64
from regard.kinds.self_attention.spec import SelfAttentionProblem
from regard.problems.token_instances import nearer, token_table

FAR = (4.0, 8.0)  # what a parameter that becomes large is multiplied by


@dataclass(frozen=True, eq=False)
class Instance:
    """The tokens of one instance.

    Attributes:
        tokens: (n, d).
        symbols: vectors and numbers by the name that formulas use.
        norm: the length of the basis vectors.
        growth: how much longer they are than in the problem.
        outputs: the outputs that are wanted, by token.
        attend: the weights that are wanted, by token.
    """

    tokens: Float64
    symbols: dict[str, float | Float64]
    norm: float
    growth: float
    outputs: dict[int, Float64]
    attend: dict[int, Float64]


def instance_of(
    problem: SelfAttentionProblem, times: float = 1.0, seed: int | None = None, d: int | None = None
) -> Instance:
    """Return the tokens along the axes, or in a frame that is drawn.

    Args:
        problem: what is said about the tokens, and what is wanted of them.
        times: how much nearer to its limits a parameter is taken.
        seed: draws the frame; the same one for any `times`.
        d: the length of a token.
    """
    given = problem.given
    rng = None if seed is None else np.random.default_rng([7, seed])
    table = token_table(given, nearer(given, times), rng=rng, d=d)
    norm = given.basis.norm
    usual = given.parameters[norm] if isinstance(norm, str) else norm
    outputs = {
        given.token("", label): table.vector(text) for label, text in problem.goal.outputs.items()
    }
    growth = table.norm / usual
    return Instance(table.tokens, table.names, table.norm, growth, outputs, _attend(problem))


def _attend(problem: SelfAttentionProblem) -> dict[int, Float64]:
    """Return the weights that are wanted, by token."""
    given, attend = problem.given, {}
    for label, there in problem.goal.attend.items():
        row = np.zeros(len(given.tokens))
        for other, weight in ({there: 1.0} if isinstance(there, str) else there).items():
            row[given.token("", other)] = weight
        attend[given.token("", label)] = row
    return attend
