"""Heads with one thing wrong, and what it costs."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

import numpy as np

from regard.kinds.self_attention.solve.outer_products import OuterProducts
from regard.kinds.self_attention.solve.sparse import Array

__all__ = ["Slip", "WrongHead", "wrong_heads"]

MUCH = 10  # times the error: what is worse by less is not worth a warning


class Slip(Enum):
    """One thing done wrong."""

    VALUES_UNDIVIDED = auto()  # V without 1 / length²
    NO_MATRICES = auto()  # K = Q = V = I
    QUERIES_TURNED = auto()  # Q transposed
    QUERIES_DIVIDED_TWICE = auto()  # Q over length⁴


@dataclass(frozen=True)
class WrongHead:
    """What comes of a slip: the largest error of all that is asked for."""

    slip: Slip
    error: float


def wrong_heads(head: OuterProducts) -> tuple[WrongHead, ...]:
    """Return the slips that matter to this head: it misses the goal, or by far more."""
    at, one = head.at, np.eye(head.at.d)
    much = MUCH * max(head.errors.values())

    def wrong(slip: Slip, K: Array, Q: Array, V: Array) -> WrongHead:
        return WrongHead(slip, max(at.errors(K, Q, V).values()))

    square = at.norm**2
    long_values = wrong(Slip.VALUES_UNDIVIDED, head.K, head.Q, head.V * square)
    plain = wrong(Slip.NO_MATRICES, one, one, one)
    turned = wrong(Slip.QUERIES_TURNED, head.K, head.Q.T, head.V)
    small = wrong(Slip.QUERIES_DIVIDED_TWICE, head.K, head.Q / square, head.V)
    matters = (
        (long_values, bool(at.outputs) and at.norm != 1 and long_values.error > at.tolerance),
        (plain, plain.error > at.tolerance),
        (turned, turned.error > much),
        (small, small.error > much),
    )
    return tuple(one for one, so in matters if so)
