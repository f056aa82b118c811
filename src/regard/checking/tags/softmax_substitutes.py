"""What is put in place of softmax by mistake: what scores are turned into instead of weights."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from regard.checking.sampling import Float64, softmax

Weigh = Callable[[Float64], Float64]

# By the tag of the mistake: scores (queries, keys), or those of one query, to what takes the
# place of their weights. What is not finite comes from no answer.
SOFTMAX_SUBSTITUTES: dict[str, Weigh] = {
    "softmax-over-columns": lambda s: softmax(s.T).T if s.ndim == 2 else softmax(s),
    "unnormalised-weights": np.exp,
    "scores-divided-by-their-sum": lambda s: s / np.sum(s, axis=-1, keepdims=True),
    "scores-instead-of-weights": lambda s: s,
    "softmax-over-all": lambda s: np.exp(s) / np.sum(np.exp(s)),
    "values-not-weighted": lambda s: np.full(s.shape, 1 / s.shape[-1]),
    "largest-score-takes-all": lambda s: np.eye(s.shape[-1])[np.argmax(s, axis=-1)],
    "sign-error": lambda s: softmax(-s),
}
