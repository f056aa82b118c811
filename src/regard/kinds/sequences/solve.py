"""Find matrices for every sequence: which scores, how large, and the proof.

With orthonormal tokens and positions every score but the target's can be made 0, or, for the last
place of a token, fall off by one slope. The worst sequence then has an error of √2 r/(1 + r), where
r is the leak ratio, and the smallest factor follows from r = κ = ε/(√2 − ε).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from regard.analysis.root_finding import crossing
from regard.certify import Certificate, Claim
from regard.core.attention import attention_with_weights
from regard.kinds.sequences.instance import Float64, Setting, example
from regard.kinds.sequences.spec import SequencesProblem
from regard.language import parse
from regard.solving.finding import Finding, Status, excluding, within

DECIMALS = 1e5  # of a factor, rounded up: what is printed is enough


@dataclass(frozen=True, eq=False, kw_only=True)
class Copying(Finding):
    """Matrices that do it.

    Attributes:
        setting: tokens and positions.
        C: a factor that is enough; the smallest one, but for the last place, where leaks go to
            different positions.
        bound: on the error over all sequences.
        tokens: an example, as long as sequences may be.
        weights: where each of its tokens looks, (N, N).
    """

    setting: Setting
    C: float
    bound: float
    tokens: tuple[str, ...]
    weights: Float64


@dataclass(frozen=True, eq=False, kw_only=True)
class OrderUnseen(Finding):
    """Without positions two sequences cannot be told apart.

    Attributes:
        setting: the tokens.
        first: a sequence, as tokens.
        second: one that looks the same to the row.
        row: which, from 0 on.
        bound: below which no error can be for both.
    """

    setting: Setting
    first: tuple[int, ...]
    second: tuple[int, ...]
    row: int
    bound: float


def solve(problem: SequencesProblem) -> Copying | OrderUnseen:
    """Return the matrices with the smallest factor, or the two sequences that look the same."""
    setting, task = Setting(problem.given), problem.goal.copy_what
    if not setting.has_positions and task != "own token":
        return _unseen(problem, setting)
    # Two tokens are √2 apart; what is written, or nothing, 1.
    apart = 1.0 if task == "written after" else math.sqrt(2)
    kappa = problem.goal.tolerance / (apart - problem.goal.tolerance)
    if task == "last place":
        least = least_slope(setting.N, kappa)
    else:
        least = math.log((setting.N - 1) / kappa)
    C = math.ceil(DECIMALS * least) / DECIMALS
    answer = {**example(problem), "C": C}
    K, Q, V = matrices(problem, setting, C)
    names = problem.given.vocabulary
    of, write = (
        None if name is None else names.index(name)
        for name in (problem.goal.of, problem.goal.write)
    )
    claim = Claim(
        "every_sequence",
        {
            "task": task,
            "causal": problem.given.is_causal,
            "of": of,
            "write": write,
            "bound": problem.goal.tolerance,
        },
        {"W_Q": Q.T, "W_K": K.T, "W_V": V.T},
    )
    certificate = Certificate({"tokens": setting.U.T, "positions": setting.P.T}, (claim,))
    reaches = within(certificate, ("every_sequence",), problem.goal.tolerance)
    return Copying(
        Status.PROVED, answer, certificate, reaches=reaches,
        setting=setting, C=C, bound=problem.goal.tolerance,
        tokens=tuple(names[i % setting.M] for i in range(setting.N)),
        weights=_weights(problem, setting, K, Q),
    )  # fmt: skip


def _weights(problem: SequencesProblem, setting: Setting, K: Float64, Q: Float64) -> Float64:
    """Return the weights (N, N) on a sequence in which the tokens take turns."""
    at = np.arange(setting.N)
    inputs = setting.inputs[at % setting.M, at]
    causal = problem.given.is_causal
    queries, keys = inputs @ Q.T, inputs @ K.T
    return attention_with_weights(queries, keys, inputs, scale=1.0, is_causal=causal)[1]


def matrices(
    problem: SequencesProblem, setting: Setting, C: float
) -> tuple[Float64, Float64, Float64]:
    """Return K, Q and V of the answer, on columns."""
    d = len(setting.U)
    known = {**setting.symbols(), "C": C}
    found = [parse(text).evaluate(known, (d, d)) for text in example(problem).values()]
    K, Q, V = (np.asarray(one, float) for one in found)
    return K, Q, V


def least_slope(N: int, kappa: float) -> float:
    """Return the C with Σ e^(−C k) = κ over k = 1 … N − 1.

    A match counts N C and each position C, so that the leak ratio is κ wherever the last place is:
    places that do not match act as places that are N further back.
    """

    def excess(slope: float) -> float:
        return math.log(sum(math.exp(-slope * k) for k in range(1, N))) - math.log(kappa)

    high = math.log((N - 1) / kappa) + 1
    low = high
    while excess(low) <= 0:
        low = low / 2 - 1
    return crossing(excess, low, high)


def _unseen(problem: SequencesProblem, setting: Setting) -> OrderUnseen:
    first, second, row = (0, 1, 0), (1, 0, 0), 2
    bound = math.sqrt(0.5) * (1 - 1e-12)
    fields = {
        "task": problem.goal.copy_what,
        "causal": problem.given.is_causal,
        "first": list(first),
        "second": list(second),
        "row": row,
        "bound": bound,
    }
    certificate = Certificate({"tokens": setting.U.T}, (Claim("order_unseen", fields),))
    return OrderUnseen(
        Status.IMPOSSIBLE, {"possible": False}, certificate, reaches=excluding(certificate),
        setting=setting, first=first, second=second, row=row, bound=bound,
    )  # fmt: skip
