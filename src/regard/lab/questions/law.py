"""Find the law of the output of heads whose keys are random: mean, covariance, a cloud of draws."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from regard.lab.arguments import Arguments, Matrix, Vector, Whole
from regard.lab.table import Answer

Covariances = Annotated[list[Matrix], Field(min_length=1, max_length=64)]


class Asked(Arguments):
    """Queries, one per head; means (n, d), covariances (n, d, d) of the keys; values (n, d_v)."""

    queries: Matrix
    means: Matrix
    covariances: Covariances
    values: Matrix
    head_weights: Vector | None = None
    scale: Annotated[float, Field(ge=0.0, le=1e6)] = 1.0
    method: Literal["auto", "exact", "qmc", "limit"] = "auto"
    draws: Annotated[int, Field(ge=0, le=2000), Whole] = 0
    seed: Annotated[int, Field(ge=0, le=2**31), Whole] = 0


def answer(asked: Asked) -> Answer:
    """Return the law; the draws are those of `law.sample(draws, seed)`."""
    from regard.analysis import key_noise

    law = key_noise(
        asked.queries, asked.means, asked.covariances, asked.values,
        head_weights=asked.head_weights, scale=asked.scale, method=asked.method, rng=asked.seed,
    )  # fmt: skip
    data = {
        "mean": law.mean,
        "covariance": law.covariance,
        "variance": law.variance,
        "error": law.error,
        "method": law.method,
        "reason": law.reason,
        "atoms": [{"probability": p, "output": output} for p, output in law.atoms],
        "draws": law.sample(asked.draws, asked.seed),
    }
    return Answer(data, law)
