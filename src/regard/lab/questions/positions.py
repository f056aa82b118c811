"""Design a head that looks T steps back, or at a window T ± B/2, by positions alone.

The answer has the kernel, the blocks, what each way to weigh the blocks reaches, and the attention
of every position: with tokens of the length asked for added to the positions, if there are any.
"""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from regard.errors import InfeasibleDesign, UndecidedDesign
from regard.lab.arguments import Arguments, Whole
from regard.lab.table import Answer

MOST_SHOWN = 64  # positions of a map
WAYS: dict[str, dict[str, Any]] = {
    "zero": {"method": "zero"},
    "optimal": {"method": "optimal"},
    "signed": {"method": "optimal", "signed": True},
}


class Asked(Arguments):
    """Offset T, width B of the window (null: one offset alone), d_model, n, and the method.

    `d_k` is for one offset, `phase` for zeroing: which blocks are kept. `content` is the length of
    the tokens (random directions, always the same) in lengths of a position, √(d_model/2).
    """

    T: Annotated[int, Field(ge=-127, le=127), Whole]
    d_model: Annotated[int, Field(ge=2, le=128), Whole]
    n: Annotated[int, Field(ge=1, le=128), Whole]
    B: Annotated[float, Field(ge=0.0, le=256.0)] | None = None
    method: Literal["zero", "optimal"] = "zero"
    signed: bool = False
    scale: Annotated[float, Field(ge=0.0, le=1e6)] = 1.0
    tolerance: Annotated[float, Field(ge=1e-6, le=0.5)] = 1e-2
    d_k: Annotated[int, Field(ge=2, le=128), Whole] | None = None
    phase: Annotated[float, Field(gt=0.0, le=100.0)] | None = None
    content: Annotated[float, Field(ge=0.0, le=100.0)] = 0.0


def answer(asked: Asked) -> Answer:
    """Return kernel, blocks, gaps, the embedding and the attention map."""
    from regard import sinusoidal
    from regard.certify import verify

    design, refusal = _found(asked, {"method": asked.method, "signed": asked.signed})
    certificate = design.certificate if refusal is None else refusal.certificate
    shown = min(asked.n, MOST_SHOWN)
    shifts = np.arange(1 - asked.n, asked.n)
    status = {type(None): "reached", InfeasibleDesign: "impossible"}.get(type(refusal), "undecided")
    data: dict[str, Any] = {
        "status": status,
        "sentence": "" if refusal is None else str(refusal),
        "proved": certificate is not None and verify(certificate).holds,
        "shifts": shifts,
        "kernel": design.kernel(shifts),
        "blocks": np.hypot(design.kernel.a, design.kernel.b),
        "kept": list(design.kept),
        "gap": design.gap,
        "rival": design.rival,
        "missed": design.missed,
        "mass": design.mass,
        "how": design.how,
        "scale": design.scale,
        "gaps": _gaps(asked),
        "embedding": sinusoidal(shown, asked.d_model),
    }
    return Answer(data | _attention(asked, design, shown), refusal or design)


def _found(asked: Asked, way: dict[str, Any]) -> tuple[Any, Any]:
    """The design, or the closest one and why it is not what was asked for."""
    from regard.design import band, offset

    common: dict[str, Any] = {"n": asked.n, "scale": asked.scale}
    try:
        if asked.B is None:
            how: dict[str, Any] = {"tolerance": asked.tolerance, "d_k": asked.d_k}
            return offset(asked.T, asked.d_model, **how, **common), None
        if way["method"] == "zero" and asked.phase is not None:
            way = way | {"phase": asked.phase}
        return band(asked.T, asked.B, asked.d_model, **way, **common), None
    except (InfeasibleDesign, UndecidedDesign) as refusal:
        if refusal.best is None:
            raise
        return refusal.best, refusal


def _gaps(asked: Asked) -> dict[str, float] | None:
    """By how much the window leads, for each way to weigh the blocks; not above 0: it does not."""
    if asked.B is None:
        return None
    return {name: float(_found(asked, way)[0].gap) for name, way in WAYS.items()}


def _attention(asked: Asked, design: Any, n: int) -> dict[str, Any]:
    """The weights of each position (rows) on each position, and how much is where it should be."""
    from regard import attention_with_weights, sinusoidal
    from regard.analysis import content_split

    places = sinusoidal(n, asked.d_model)
    directions = np.random.default_rng(0).standard_normal((n, asked.d_model))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    unit = math.sqrt(asked.d_model / 2)  # the length of every position
    x = places + asked.content * unit * directions
    head = design.head()
    _, weights = attention_with_weights(x @ head.W_Q, x @ head.W_K, x, scale=design.scale)
    reach = 0 if asked.B is None else math.floor(asked.B / 2)
    rows, keys = np.arange(n)[:, None], np.arange(n)[None]
    aim = np.abs(rows - keys - asked.T) <= reach
    there = np.array([0 <= t - asked.T < n for t in range(n)])
    data: dict[str, Any] = {
        "map": weights,
        "on_aim": np.where(there, (weights * aim).sum(axis=1), -1.0),
        "content": None,
    }
    if asked.content > 0 and there.any():
        split = content_split(head, unit * directions, T=asked.T, reach=reach)
        data["content"] = {
            "any": split.norm / unit,  # in lengths of a position, as `content` is
            "these": split.factor,
            "failure": split.failure,
        }
    return data
