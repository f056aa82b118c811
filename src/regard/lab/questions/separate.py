"""Take a value out of a mix of two, by the matrix that does it and by the usual wrong ones.

The mix is c = share · (v_s + v_t); of v_s and v_t only the lines they lie on are known.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from regard.errors import InfeasibleDesign, ParameterError
from regard.lab.arguments import Arguments, Matrix, Vector
from regard.lab.table import Answer

Array = NDArray[np.float64]


class Asked(Arguments):
    """The two values, the share of each in the mix, and which matrix is looked at.

    `own` is a matrix that somebody brings along; it acts on columns, as the others do.
    """

    s: Vector
    t: Vector
    share: Annotated[float, Field(gt=0.0, le=1.0)] = 0.5
    matrix: Literal["separator", "onto_s", "off_t", "undivided", "own"] = "separator"
    own: Matrix | None = None


def answer(asked: Asked) -> Answer:
    """Return the matrices, what each makes of the mix, and whether the first is proved right."""
    from regard.certify import verify
    from regard.design import separator

    if len(asked.s) != len(asked.t):
        raise ParameterError(
            f"separate: s and t must be of one length. Got {len(asked.s)} and {len(asked.t)}."
        )
    s, t = np.array(asked.s), np.array(asked.t)
    refusal: InfeasibleDesign | None = None
    try:
        design = separator(s[:, None], t[:, None], share=asked.share)
        certificate = design.certificate
    except InfeasibleDesign as impossible:
        refusal, design, certificate = impossible, impossible.best, impossible.certificate
    verified = verify(certificate)
    mix = asked.share * (s + t)
    matrices = _matrices(design.M, s, t, asked.share) | _own(asked)
    shown = matrices[asked.matrix]
    data: dict[str, Any] = {
        "status": "reached" if refusal is None else "impossible",
        "proved": verified.holds,
        "sentence": "" if refusal is None else str(refusal).removeprefix("design.separator: "),
        "radius": None if refusal is None else certificate.claims[0].fields.get("radius"),
        "claims": [{"kind": c.kind, "statement": c.statement} for c in verified.claims],
        "mix": mix,
        "matrix": shown,
        "result": shown @ mix,
        "before": asked.share * shown @ mix,  # on the way, before it is divided by the share
        "off": {name: float(np.linalg.norm(M @ mix - s)) for name, M in matrices.items()},
        "norm": float(np.linalg.norm(shown, 2)),
        "degrees": _degrees(s, t),
    }
    return Answer(data, design if refusal is None else refusal)


def _matrices(M: Array, s: Array, t: Array, share: float) -> dict[str, Array]:
    """The separator, and what people write instead: right only if the lines are at right angles."""
    onto_s = np.outer(s, s) / (s @ s)
    onto_t = np.outer(t, t) / (t @ t) if np.any(t) else np.zeros_like(onto_s)
    return {
        "separator": M,
        "onto_s": onto_s / share,
        "off_t": (np.eye(len(s)) - onto_t) / share,
        "undivided": share * M,
    }


def _own(asked: Asked) -> dict[str, Array]:
    """The matrix that was brought along, if it is one for these values."""
    size = len(asked.s)
    if asked.own is None:
        if asked.matrix == "own":
            raise ParameterError("separate: matrix is 'own', so own must be given.")
        return {}
    if len(asked.own) != size or any(len(row) != size for row in asked.own):
        raise ParameterError(f"separate: own must be {size} × {size}, as the values are.")
    return {"own": np.array(asked.own)}


def _degrees(s: Array, t: Array) -> float:
    """The angle between the lines."""
    along = abs(float(s @ t))
    across = float(np.linalg.norm(s * (t @ t) - t * (s @ t))) / max(
        float(np.linalg.norm(t)), 1e-300
    )
    return float(np.degrees(np.arctan2(across, along))) if np.any(t) else 90.0
