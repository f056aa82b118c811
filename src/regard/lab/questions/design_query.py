"""Find the query that gives keys the weights asked for, or prove that there is none.

The answer has the design itself, the query that is shown (`factor` times the designed one, or times
one that somebody brings along) with its weights, and what a picture of the keys needs: hull, scores
along the query, the runner-up, and the average of other keys that makes a key unreachable.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from regard.errors import InfeasibleDesign, ParameterError, UndecidedDesign
from regard.lab.arguments import Arguments, Matrix, Vector
from regard.lab.plane import hull
from regard.lab.table import Answer

Array = NDArray[np.float64]


class Asked(Arguments):
    """Keys, one per row; the weight wanted of each; the tolerance; the length to show.

    `own` is a query that somebody brings along: it is shown in place of the designed one.
    """

    keys: Matrix
    target: Vector
    tolerance: Annotated[float, Field(ge=1e-9, le=0.5)] = 1e-3
    factor: Annotated[float, Field(ge=0.0, le=1e3)] = 1.0
    own: Vector | None = None


def answer(asked: Asked) -> Answer:
    """Design, verify the certificate, and look at the query at the length asked for."""
    from regard.certify import verify
    from regard.design import query

    keys = np.array(asked.keys) if len({len(row) for row in asked.keys}) == 1 else asked.keys
    wanted = np.array(asked.target)
    refusal: InfeasibleDesign | UndecidedDesign | None = None
    try:
        design = query(keys, wanted, tolerance=asked.tolerance)
        certificate, status = design.certificate, "reached"
    except InfeasibleDesign as impossible:
        refusal, design, status = impossible, impossible.best, "impossible"
        certificate = impossible.certificate
    except UndecidedDesign as open_:
        if open_.best is None:
            raise
        refusal, design, status = open_, open_.best, "undecided"
        certificate = open_.certificate or design.certificate
    shown = design.query if asked.own is None else _own(asked.own, len(design.query))
    verified = verify(certificate)
    if not verified.holds and status != "undecided":
        status = "undecided"  # nothing is called proved that was not verified
    claims = {claim.kind: claim for claim in certificate.claims}
    data: dict[str, Any] = {
        "status": status,
        "query": design.query,
        "weights": design.weights,
        "error": design.error,
        "tolerance": asked.tolerance,
        "margin": design.margin,
        "length": math.hypot(*design.query),
        "sentence": "" if refusal is None else str(refusal).removeprefix("design.query: "),
        "proved": verified.holds,
        "claims": [
            {"kind": c.kind, "status": c.status, "statement": c.statement} for c in verified.claims
        ],
        "longer": design.longer,  # than the shortest, at most by this share: proved; else infinite
        "shown": _shown(np.array(keys), shown * asked.factor, wanted),
        "ahead": _ahead(np.array(keys), shown, wanted > 0),
        "hull": hull(np.array(keys)),
        "average": None,
        "ceiling": None,
        "off_by_at_least": None,
        "radius": _radius(claim.fields.get("radius") for claim in certificate.claims),
    }
    if "ceiling" in claims:
        data["ceiling"] = claims["ceiling"].fields["bound"]
        data["average"] = _average(claims["ceiling"].witness["combination"])
    if "weights_beyond" in claims:
        data["off_by_at_least"] = claims["weights_beyond"].fields["tolerance"]
    return Answer(data, design if refusal is None else refusal)


def _own(query: list[float], width: int) -> Array:
    """The query that was brought along, if it is one for these keys."""
    if len(query) != width:
        raise ParameterError(
            f"design_query: own must have {width} numbers, as the keys have. Got {len(query)}."
        )
    return np.array(query)


def _shown(keys: Array, query: Array, wanted: Array) -> dict[str, Any]:
    """The query as shown: its scores, the weights that attention gives it, how far they are off."""
    from regard import attention_with_weights

    _, weights = attention_with_weights(query[None], keys, keys, scale=1.0)
    return {
        "query": query,
        "length": math.hypot(*query),
        "scores": keys @ query,
        "weights": weights[0],
        "on_target": float(np.sum(weights[0][wanted > 0])),
        "off": float(np.max(np.abs(weights[0] - wanted))),
    }


def _ahead(keys: Array, query: Array, wanted: NDArray[np.bool_]) -> dict[str, Any] | None:
    """How far the last wanted key is ahead of the first other one, per unit length of the query."""
    length = math.hypot(*query)  # which does not overflow where its square would
    if length == 0 or wanted.all():
        return None
    heights = keys @ query / length
    last = int(np.argmin(np.where(wanted, heights, np.inf)))
    rival = int(np.argmax(np.where(wanted, -np.inf, heights)))
    return {"by": float(heights[last] - heights[rival]), "last": last, "rival": rival}


def _radius(radii: Iterable[float | None]) -> float | None:
    """The length of queries up to which everything claimed holds; None: of all queries."""
    return min((radius for radius in radii if radius is not None), default=None)


def _average(combination: Any) -> Array:
    """The shares with which a key is an average of the others."""
    shares = [Fraction(str(part)) for part in np.asarray(combination, dtype=object).tolist()]
    total = sum(shares)
    return np.array([float(share / total) for share in shares])
