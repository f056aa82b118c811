"""Variances of the weights of heads: at finite sizes, in the limit, with cases left out."""

from __future__ import annotations

import numpy as np

from regard.analysis import OutputLaw
from regard.kinds.noise.solve.finite import kept_law, output_law
from regard.kinds.noise.solve.limit import limit_law
from regard.kinds.noise.solve.setting import Setting, read


def as_one_head(setting: Setting) -> Setting:
    """The same keys with one head, whose query is the sum of all queries."""
    together = " + ".join(f"({text})" for text in setting.given.queries)
    return read(setting.given.model_copy(update={"queries": [together]}))


def total_variance(setting: Setting, size: float | None = None) -> float:
    """The sum of the variances of all weights: the variance for values along the axes."""
    return settled(output_law(setting, setting.queries(size), np.eye(setting.given.n)))


def settled(law: OutputLaw) -> float:
    """The variance of an output, 0 where it is rounding."""
    variance = float(law.variance)
    return variance if variance > law.mean.size * law.error else 0.0


def kept_variance(setting: Setting, size: float | None = None) -> float | None:
    """The same given that no score that varies is negative."""
    kept = kept_law(setting, setting.queries(size), np.eye(setting.given.n))
    return None if kept is None else float(np.trace(kept[1]))


def limit_variance(setting: Setting, *, ignore_negative: bool = False) -> float | None:
    """The same in the limit."""
    law = limit_law(setting, ignore_negative=ignore_negative)
    return None if law is None else float(np.trace(law.moments(np.eye(setting.given.n))[1]))
