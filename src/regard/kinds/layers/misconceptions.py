"""What is got wrong about two layers, recognised by repairing it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from regard.checking.misconceptions import SHARED
from regard.checking.mistakes import Mistake
from regard.kinds.layers.instance import Float64, example
from regard.kinds.layers.reading import Asked
from regard.kinds.layers.spec import LayersProblem

LONGER = 1e4  # times: with a factor like this the largest score has all the weight
Changed = dict[str, Float64]


@dataclass(frozen=True, eq=False)
class Case:
    """Wrong matrices, with the factor at which they fail."""

    asked: Asked
    factor: float

    def right_with(self, change: Callable[[Changed], Changed], hidden: int | None = None) -> bool:
        """Whether changed matrices would be right."""
        found = self.asked.matrices(self.factor)
        stream = self.asked.stream
        errors = stream.errors({**found, **change(found)}, hidden)
        return bool(np.max(errors) <= stream.problem.goal.tolerance)

    @property
    def swap(self) -> Float64:
        """The matrix that exchanges the tokens with the second room."""
        stream = self.asked.stream
        U, W, P = stream.U, stream.W, stream.P
        return U @ W.T + W @ U.T + P @ P.T


def _spoiled(task: str | None, **fields: str) -> Callable[[LayersProblem], dict[str, str] | None]:
    """Return the right matrices with some of them spoiled."""

    def wrong(problem: LayersProblem) -> dict[str, str] | None:
        if task is not None and problem.goal.bring != task:
            return None
        return {**example(problem), **fields}

    return wrong


def _no_start(problem: LayersProblem) -> dict[str, str] | None:
    if problem.given.start or problem.goal.bring != "what followed":
        return None
    return {**example(problem), "K_2": "W'"}


def _exchanged(layer: int) -> Callable[[Changed], Changed]:
    return lambda m: {f"K_{layer}": m[f"Q_{layer}"], f"Q_{layer}": m[f"K_{layer}"]}


def _not_finite(case: Case) -> bool:
    found: Any = case.asked.matrices(case.factor).values()
    return not all(np.all(np.isfinite(m)) for m in found)


MISTAKES: tuple[Mistake[LayersProblem, Case], ...] = (
    Mistake("not-finite", SHARED["not-finite"], _not_finite),
    Mistake(
        "first-row-matches-itself",
        "Row 1 takes its own token for the one before.\n"
        "It sees only itself in layer 1, and so matches wherever that token comes again: if "
        "layer 2 did not see position 1, it would be right.",
        lambda case: not case.asked.stream.given.start and case.right_with(lambda m: {}, hidden=0),
        _no_start,
        "Nothing done about the first row",
    ),
    Mistake(
        "step-in-the-wrong-direction",
        "Keys and queries of a layer have changed places:\n"
        "exchanged, it would be right.",
        lambda case: any(case.right_with(_exchanged(layer)) for layer in (1, 2)),
        _spoiled(None, Q_1="C S' P'"),
        "A step ahead in place of a step back",
    ),
    Mistake(
        "key-is-the-token-itself",
        "A key of layer 2 is the token itself.\n"
        "It has to be what layer 1 wrote, the token before. As it is, it finds where the "
        "same token stands, and not what came after.",
        lambda case: case.right_with(lambda m: {"K_2": m["K_2"] @ case.swap}),
        _spoiled("what followed", K_2="U'"),
        "A match with the token itself",
    ),
    Mistake(
        "value-from-the-other-room",
        "Layer 2 brings the wrong part of the right place:\n"
        "with tokens and the second room exchanged in its values it would be right.",
        lambda case: case.right_with(lambda m: {"V_2": m["V_2"] @ case.swap}),
        _spoiled("token two before", V_2="U U'"),
        "The token itself as the value of layer 2",
    ),
    Mistake(
        "written-over-the-token",
        "Layer 1 writes into the room of the tokens.\n"
        "There it mixes with what is there: written into the second room, it would be right.",
        lambda case: case.right_with(lambda m: {"V_1": case.swap @ m["V_1"]}),
        _spoiled(None, V_1="U U'"),
        "Written over the token",
    ),
    Mistake(
        "layers-too-close",
        "The right places have the largest scores, but not by enough:\n"
        "each layer leaks a little, and layer 2 leaks what layer 1 left over as well.",
        lambda case: case.right_with(
            lambda m: {"Q_1": LONGER * m["Q_1"], "Q_2": LONGER * m["Q_2"]}
        ),
        lambda problem: {**example(problem), "C": "3"},
        "Too small a factor",
    ),
)  # fmt: skip
OFTEN = (
    "first-row-matches-itself",
    "key-is-the-token-itself",
    "value-from-the-other-room",
    "written-over-the-token",
    "layers-too-close",
)
