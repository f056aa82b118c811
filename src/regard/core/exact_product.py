"""Matrix products in about twice the precision of float64, at the speed of BLAS.

BLAS adds up the terms of an entry in an order that depends on the shapes, so the
same row and column give different last bits in different matrices. Here the
entries are cut into slices of so few bits that BLAS cannot round: a product of
two slices is a sum of integers (times a power of two) below 2**53, and thus
exact in any order. What is left is to add a few exact matrices in double-double
(Ozaki, Ogita, Oishi, Rump 2012).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from regard.core.double_double import DoubleDouble, add

Float64 = NDArray[np.float64]

WANTED_BITS = 106  # below the largest entry of a row or column: twice the 53 of float64


def product(left: Float64, right: Float64) -> DoubleDouble:
    """Multiply (..., m, n) by (..., n, p), all entries finite, to double-double precision.

    Guarantee: the error of an entry is below (n + 8) · 2**-104 times the largest
    entry of the row of `left` times the largest of the column of `right`, if
    nothing overflows or underflows. It depends on no other row or column.
    """
    n = left.shape[-1]
    bits = (53 - math.ceil(math.log2(max(n, 2)))) // 2
    count = math.ceil(WANTED_BITS / bits)
    left_slices = _slices(left, -1, bits, count)
    right_slices = _slices(right, -2, bits, count)
    pairs = [
        (i, j) for i in range(len(left_slices)) for j in range(len(right_slices)) if i + j < count
    ]
    shape = np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
    hi = np.zeros((*shape, left.shape[-2], right.shape[-1]))
    lo = np.zeros_like(hi)
    for i, j in sorted(pairs, key=sum, reverse=True):  # the smallest first
        exact = np.matmul(left_slices[i], right_slices[j])
        hi, lo = add(hi, lo, exact, np.zeros_like(exact))
    return hi, lo


def _slices(x: Float64, axis: int, bits: int, count: int) -> list[Float64]:
    """Cut x into at most `count` matrices that add up to it, of `bits` bits each.

    Along `axis` the entries of a slice are whole multiples, by less than
    2**bits + 1, of one power of two.
    """
    slices = []
    rest = x
    for _ in range(count):
        largest = np.abs(rest).max(axis=axis, keepdims=True, initial=0)
        if not largest.any():
            break
        unit = np.ldexp(1.0, np.maximum(np.frexp(largest)[1] - bits, -1074))  # never 0
        part = np.rint(rest / unit) * unit
        slices.append(part)
        rest = rest - part
    return slices
