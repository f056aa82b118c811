"""Compare heads that average two values while the keys are random: laws, clouds, how far off.

The means of the keys are orthonormal, every key has noise alpha I, and the first one, k_a, varies
in length besides: N(mu_a, alpha I + variance mu_a mu_a'). The heads want (v_a + v_b) / 2.
"""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from regard.errors import ParameterError
from regard.lab.arguments import Arguments, Matrix, Whole
from regard.lab.noise_laws import HEADS, Setting
from regard.lab.table import Answer

Array = NDArray[np.float64]
RARE = 5e-3  # atoms of the limit with less probability than this are left out


class Asked(Arguments):
    """Which heads, the length C of their queries, the noises, how many keys, their values."""

    heads: Literal["one", "two", "null_one", "null_two"] = "one"
    C: Annotated[float, Field(gt=0.0, le=100.0)] = 10.0
    variance: Annotated[float, Field(ge=0.0, le=4.0)] = 0.5
    alpha: Annotated[float, Field(ge=0.0, le=0.1)] = 1e-4
    n: Annotated[int, Field(ge=3, le=6), Whole] = 4
    values: Matrix
    draws: Annotated[int, Field(ge=0, le=1000), Whole] = 300
    seed: Annotated[int, Field(ge=0, le=2**31), Whole] = 0


def answer(asked: Asked) -> Answer:
    """Return the law, a cloud and the event q·k_a < 0 of the heads asked for; errors of all."""
    values = _values(asked)
    wanted = (values[0] + values[1]) / 2
    settings = {
        name: Setting(name, asked.n, asked.C, asked.alpha, asked.variance) for name in HEADS
    }
    laws = {name: setting.law(values) for name, setting in settings.items()}
    law, setting = laws[asked.heads], settings[asked.heads]
    queries = setting.queries()
    points, scores, weights = _cloud(asked, queries, values)
    events = scores < 0
    centre, spread = queries[0, 0], _deviation(queries[0], asked)
    data: dict[str, Any] = {
        "queries": queries,
        "wanted": wanted,
        "mean": law.mean,
        "covariance": law.covariance,
        "variance": law.variance,
        "error": law.error,
        "method": law.method,
        "axes": _axes(law.covariance),
        "off": {name: _off(one, wanted) for name, one in laws.items()},
        "apart": float(np.linalg.norm(values[0] - values[1])),
        "draws": points,
        "events": events,
        "event": {
            "probability": _below(centre, spread),
            "mean": centre,
            "deviation": spread,
            "count": int(np.count_nonzero(events)),
            "most": float(np.max(weights[events], initial=0.0)),  # weight of k_a in these draws
            "plain_deviation": _deviation(asked.C * np.eye(asked.n)[0], asked),
        },
        "scores": _histogram(scores, centre, spread, asked.C),
        "limit": None if asked.heads.startswith("null") else _limit(setting, values),
        "proved": setting.proved(),
    }
    return Answer(data, law)


def _values(asked: Asked) -> Array:
    rows = asked.values[: asked.n]
    if len(rows) < asked.n or any(len(row) != 2 for row in rows):
        raise ParameterError(
            f"noisy_keys: values must be {asked.n} rows of two numbers. "
            f"Got {len(rows)} rows of lengths {sorted({len(row) for row in rows})}."
        )
    return np.array(rows)


def _off(law: Any, wanted: Array) -> float:
    """√E ‖c − wanted‖². A variance of 0 may be computed as a little less."""
    return math.sqrt(max(float(law.variance), 0.0) + float(np.sum((law.mean - wanted) ** 2)))


def _cloud(asked: Asked, queries: Array, values: Array) -> tuple[Array, Array, Array]:
    """Outputs of drawn keys, and in the first head the scores and the weights of k_a."""
    from regard import attention_with_weights

    draw = np.random.default_rng(asked.seed)
    keys = np.eye(asked.n) + math.sqrt(asked.alpha) * draw.standard_normal(
        (asked.draws, asked.n, asked.n)
    )
    keys[:, 0, 0] += math.sqrt(asked.variance) * draw.standard_normal(asked.draws)
    outputs, weights = attention_with_weights(queries, keys, values, scale=1.0)
    return outputs.mean(axis=1), keys[:, 0] @ queries[0], weights[:, 0, 0]


def _histogram(scores: Array, mean: float, deviation: float, C: float) -> dict[str, Any]:
    """How many scores q·k_a fell where, and how many were to be expected; the ends have the rest.

    The bins are the same for all heads, and 0 is an edge.
    """
    edges = C * np.arange(-12, 29) / 8
    counts, _ = np.histogram(np.clip(scores, edges[0], np.nextafter(edges[-1], 0)), edges)
    below = [0.0, *(_below(mean - edge, deviation) for edge in edges[1:-1]), 1.0]
    return {"edges": edges, "counts": counts, "expected": len(scores) * np.diff(below)}


def _deviation(query: Array, asked: Asked) -> float:
    """The standard deviation of q·k_a."""
    return math.sqrt(asked.alpha * float(query @ query) + asked.variance * float(query[0]) ** 2)


def _below(mean: float, deviation: float) -> float:
    """P(N(mean, deviation²) < 0)."""
    if deviation == 0:
        return float(mean < 0)
    return math.erfc(float(mean) / (deviation * math.sqrt(2))) / 2


def _axes(covariance: Array) -> Array:
    """The half axes of the ellipse of one standard deviation, the longer one first."""
    sizes, directions = np.linalg.eigh(covariance)
    return (np.sqrt(np.maximum(sizes, 0)) * directions).T[::-1]


def _limit(setting: Setting, values: Array) -> list[dict[str, Any]]:
    """Where the outputs go as C grows without end, with probabilities.

    Of null-steered queries it is not asked: other C have other ones.
    """
    merged: dict[tuple[float, ...], float] = {}
    for chance, point in setting.limit(values):
        place = tuple(np.round(point, 9).tolist())
        merged[place] = merged.get(place, 0.0) + chance
    rows = sorted(merged.items(), key=lambda row: -row[1])
    return [{"probability": p, "output": list(at)} for at, p in rows if p >= RARE]
