"""Find the law of the output of heads whose keys are random: mean, covariance, a cloud of draws."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from regard.lab.arguments import Arguments, Matrix, Vector, real, whole
from regard.lab.table import Answer

Covariances = Annotated[list[Matrix], Field(min_length=1, max_length=64)]


class Asked(Arguments):
    """Queries, one per head; means (n, d) and covariances (n, d, d) of the keys; values (n, d_v)."""

    queries: Matrix
    means: Matrix
    covariances: Covariances
    values: Matrix
    head_weights: Vector | None = None
    scale: real(0.0, 1e6) = 1.0  # type: ignore[valid-type]
    method: Literal["auto", "exact", "qmc", "limit"] = "auto"
    draws: whole(0, 2000) = 0  # type: ignore[valid-type]
    seed: whole(0, 2**31) = 0  # type: ignore[valid-type]


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
