"""Design a head that looks T steps back, or at a window T ± B/2, by positions alone."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from regard.errors import InfeasibleDesign
from regard.lab.arguments import Arguments, Whole
from regard.lab.table import Answer

MOST_SHOWN = 64  # positions of a map


class Asked(Arguments):
    """Offset T, width B of the window (null: one offset alone), d_model, n, and the method."""

    T: Annotated[int, Field(ge=-127, le=127), Whole]
    d_model: Annotated[int, Field(ge=2, le=128), Whole]
    n: Annotated[int, Field(ge=1, le=128), Whole]
    B: Annotated[float, Field(ge=0.0, le=256.0)] | None = None
    method: Literal["zero", "optimal"] = "zero"
    signed: bool = False
    scale: Annotated[float, Field(ge=0.0, le=1e6)] = 1.0
    tolerance: Annotated[float, Field(ge=1e-6, le=0.5)] = 1e-2


def answer(asked: Asked) -> Answer:
    """Return kernel, kept blocks, gap, the embedding and the attention map."""
    from regard import sinusoidal
    from regard.certify import verify
    from regard.design import band, offset

    common: dict[str, Any] = {"n": asked.n, "scale": asked.scale}
    try:
        if asked.B is None:
            design = offset(asked.T, asked.d_model, tolerance=asked.tolerance, **common)
        else:
            design = band(
                asked.T, asked.B, asked.d_model,
                method=asked.method, signed=asked.signed, **common,
            )  # fmt: skip
        refusal = None
    except InfeasibleDesign as impossible:
        design, refusal = impossible.best, impossible
    certificate = design.certificate if refusal is None else refusal.certificate
    shifts = np.arange(1 - asked.n, asked.n)
    data: dict[str, Any] = {
        "status": "reached" if refusal is None else "impossible",
        "sentence": "" if refusal is None else str(refusal),
        "proved": verify(certificate).holds,
        "shifts": shifts,
        "kernel": design.kernel(shifts),
        "kept": list(design.kept),
        "gap": design.gap,
        "rival": design.rival,
        "mass": design.mass,
        "how": design.how,
        "scale": design.scale,
        "embedding": sinusoidal(min(asked.n, MOST_SHOWN), asked.d_model),
        "map": _map(design, min(asked.n, MOST_SHOWN)),
    }
    return Answer(data, design if refusal is None else refusal)


def _map(design: Any, n: int) -> Any:
    """The attention weights of each position (rows) on each position."""
    from regard import attention_with_weights, sinusoidal

    places = sinusoidal(n, len(design.A))
    head = design.head()
    _, weights = attention_with_weights(
        places @ head.W_Q, places @ head.W_K, places, scale=design.scale
    )
    return weights
