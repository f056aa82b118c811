"""What a width d_k lets a head tell apart: counts that hold for the best keys there are."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from regard.errors import ParameterError
from regard.report import Facts, Report, Table, Text, number
from regard.report.reported import Reported
from regard.shapes import integer
from regard.shapes.laws import read_stack

__all__ = ["Capacity", "capacity", "soft_rank"]

MOST_KEYS = 10**5
MOST_WORK = 5 * 10**6  # additions of large integers: some seconds
MOST_ROWS = 6


@dataclass(frozen=True, repr=False)
class Capacity(Reported):
    """What queries of width d_k can do with n keys.

    Attributes:
        n: the number of keys.
        d_k: the width of queries and keys.
        rankings: in how many orders queries can put the scores of n keys in general position.
        all_rankings: n!, how many orders there are.
        subset_size: the largest m < n such that, with suitable keys, every set of up to m keys can
            share all the weight evenly, in the limit of a long query; 0 if there is none.
        soft_rank: min(d_k, n − 1): exact soft patterns need centred log-weights of at most
            this rank.
    """

    n: int
    d_k: int
    rankings: int
    all_rankings: int
    subset_size: int
    soft_rank: int

    @property
    def every_ranking(self) -> bool:
        """Whether some query puts the keys in any given order: d_k ≥ n − 1."""
        return self.rankings == self.all_rankings

    @property
    def all_keys(self) -> bool:
        """Whether, with suitable keys, each key can be singled out."""
        return self.d_k >= self.d_k_for_subsets(1)

    @property
    def all_pairs(self) -> bool:
        """Whether, with suitable keys, each pair of keys can share all the weight evenly."""
        return self.d_k >= self.d_k_for_subsets(min(2, self.n))

    def d_k_for_subsets(self, m: int) -> int:
        """Return the smallest d_k with which, for suitable keys, every m of them can be isolated.

        min(2m, n − 1): keys of a cyclic polytope have every m ≤ d_k / 2 of them on a face of
        their own, and only a simplex has more. All n keys together need none.
        """
        size = integer("d_k_for_subsets", "m", m, minimum=1)
        if size > self.n:
            raise ParameterError(
                f"d_k_for_subsets: m must be at most the number of keys, {self.n}. Got {size}."
            )
        return 0 if size == self.n else min(2 * size, self.n - 1)

    def report(self) -> Report:
        """The counts as a report."""
        facts = Facts(
            (
                ("rankings", f"{_count(self.rankings)} of {_count(self.all_rankings)}"),
                ("every ranking needs d_k", number(self.n - 1)),
                ("every set isolated up to size", number(self.subset_size)),
                ("rank of exact soft patterns", f"at most {self.soft_rank}"),
            )
        )
        shown = range(1, min(self.n - 1, MOST_ROWS) + 1)
        rows = tuple(
            (str(m), number(self.d_k_for_subsets(m)), "yes" if m <= self.subset_size else "no")
            for m in shown
        )
        table = Table(("keys in a set", "d_k needed", "enough"), rows, "to isolate every such set")
        text = Text("Rankings are of keys in general position; sets and patterns of suitable keys.")
        blocks = (text, facts, table) if rows else (text, facts)
        return Report(f"Capacity of d_k = {self.d_k} over {self.n} keys", blocks)


def capacity(n: int, d_k: int) -> Capacity:
    """Count what queries of width `d_k` can do with `n` keys.

    The rankings follow Q(n, d) = Q(n − 1, d) + (n − 1) Q(n − 1, d − 1), exactly.

    Args:
        n: the number of keys, at least 1.
        d_k: the width of queries and keys, at least 1.

    >>> found = capacity(5, 2)
    >>> found.rankings, found.all_rankings, found.subset_size, found.d_k_for_subsets(2)
    (20, 120, 1, 4)
    """
    function = "capacity"
    keys = integer(function, "n", n, minimum=1)
    width = integer(function, "d_k", d_k, minimum=1)
    if keys > MOST_KEYS:
        raise ParameterError(
            f"{function}: n must be at most {MOST_KEYS}: the counts are exact. Got {keys}."
        )
    if width < keys - 1 and keys * width > MOST_WORK:
        raise ParameterError(
            f"{function}: n · d_k must be at most {MOST_WORK}: the counts are exact. "
            f"Got {keys} · {width} = {keys * width}."
        )
    orders = math.factorial(keys)
    return Capacity(
        n=keys,
        d_k=width,
        rankings=orders if width >= keys - 1 else _rankings(keys, width),
        all_rankings=orders,
        subset_size=keys - 1 if width >= keys - 1 else width // 2,
        soft_rank=min(width, keys - 1),
    )


def soft_rank(weights: ArrayLike) -> int:
    """Return the smallest d_k whose scores can give exactly these weights, for every query.

    The rank of log(weights) with the mean of each row taken off: scores are known up to a
    constant per query, and a table of scores of width d_k has at most rank d_k.

    Args:
        weights: (n_q, n), positive; rows need not be normalised.

    >>> soft_rank([[0.5, 0.3, 0.2], [0.2, 0.3, 0.5]])
    2
    """
    function = "soft_rank"
    table = read_stack(function, "weights", weights, "(n_q, n)")
    if np.min(table) <= 0:
        row, column = np.unravel_index(int(np.argmin(table)), table.shape)
        raise ParameterError(
            f"{function}: weights must be positive. Got {table[row, column]:g} in "
            f"weights[{row}, {column}]. A weight of zero is a limit that no scores reach."
        )
    logs = np.log(table)
    centred = logs - np.mean(logs, axis=1, keepdims=True)
    singular = np.linalg.svd(centred, compute_uv=False)
    # A weight is known up to a relative rounding, its logarithm up to as much absolutely.
    rounding = np.finfo(np.float64).eps * max(table.shape) * (4 + np.max(np.abs(logs)))
    return int(np.sum(singular > rounding * math.sqrt(min(table.shape))))


def _rankings(n: int, d: int) -> int:
    """Q(n, d); one key has one ranking in every width, and a width of 0 ranks only one key."""
    row = [1] * (d + 1)
    for keys in range(2, n + 1):
        row = [0] + [row[w] + (keys - 1) * row[w - 1] for w in range(1, d + 1)]
    return row[d]


def _count(x: int) -> str:
    """Write a count; from 16 digits on as a power of ten."""
    if x < 10**15:
        return number(x)
    power = math.log10(x)
    return f"about {number(10 ** (power % 1), 3)}e+{int(power)}"
