"""How the weights of two heads vary together: E α_i β_j, by integrals over two variables.

As for one head (:mod:`regard.analysis.noise.one_head`), with one variable for each head:

    E α_i β_j = ∬ B_10^i B_01^j Π_{k≠i,j} B_00^k dt dt',
    E α_i β_i = ∬ B_11^i Π_{k≠i} B_00^k dt dt',
    B_ab^k(t, t') = E[g_a(s_k − t) g_b(s'_k − t')],          g_a(x) = e^{ax} exp(−e^x),

where s_k and s'_k are the scores of key k in the two heads, jointly Gaussian. The second is taken
given the first, so perfectly correlated scores are no special case: the second then takes one
value. Keys whose scores are uncorrelated factor into the averages of one head.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from regard.analysis.noise.one_head import Grid, averages, grid_for, kernels, nodes

__all__ = ["pair_points", "two_heads"]

Array = NDArray[np.float64]


def pair_points(means: Array, deviations: Array) -> float:
    """How many pairs (t, t') the integrals need, for scores (2, n)."""
    return float(np.prod([len(grid_for(m, s).t) for m, s in zip(means, deviations, strict=True)]))


def two_heads(means: Array, covariances: Array) -> tuple[Array, float]:
    """E α_i β_j (n, n) for the weights α, β of two heads, and a bound on its error.

    Args:
        means: (2, n), of the scores.
        covariances: (n, 2, 2).
    """
    n = means.shape[1]
    deviations = np.sqrt(np.diagonal(covariances, axis1=1, axis2=2)).T
    grids = [grid_for(m, s) for m, s in zip(means, deviations, strict=True)]
    alone = [averages(m, s, g) for m, s, g in zip(means, deviations, grids, strict=True)]
    product = np.full((len(grids[0].t), len(grids[1].t)), grids[0].step * grids[1].step)
    first, second, both = [], [], []
    for k in range(n):
        cross = covariances[k, 0, 1]
        if cross == 0:
            table = np.einsum("at,bu->abtu", alone[0][:2, k], alone[1][:2, k])
        else:
            # Given the score that varies more: the other's would be a ratio of small numbers.
            turn = [1, 0] if covariances[k, 1, 1] > covariances[k, 0, 0] else [0, 1]
            table = _together(
                means[turn, k], covariances[k][np.ix_(turn, turn)], [grids[h] for h in turn]
            )
            if turn == [1, 0]:
                table = table.transpose(1, 0, 3, 2)
        stays = table[0, 0]
        product *= stays
        with np.errstate(divide="ignore", invalid="ignore"):
            shares = np.where(stays > 1e-290, table.reshape(4, *stays.shape)[1:] / stays, 0.0)
        second.append(shares[0])
        first.append(shares[1])
        both.append(shares[2])
    left = np.array(first).reshape(n, -1)
    right = np.array(second).reshape(n, -1)
    joint = (left * product.ravel()) @ right.T
    np.fill_diagonal(joint, np.array(both).reshape(n, -1) @ product.ravel())
    missed = abs(float(np.sum(joint)) - 1)
    return joint, missed + 1e-15 * n


def _together(means: Array, covariance: Array, grids: list[Grid]) -> Array:
    """B_ab(t, t') for one key whose two scores are correlated, as an array (2, 2, t, t')."""
    spread, other = np.sqrt(np.diag(covariance))
    slope = covariance[0, 1] / covariance[0, 0]
    left = max(0.0, 1 - (covariance[0, 1] / (spread * other)) ** 2)
    rest = other * np.sqrt(left) if left > 1e-14 else 0.0
    points, masses = nodes(means[0], spread)
    ahead = np.stack(kernels(points[:, None] - grids[0].t)[:2]) * masses[:, None]
    centres = means[1] + slope * (points - means[0])
    offsets, chances = nodes(0.0, rest)
    if len(offsets) <= 20:  # few nodes: each is looked at from every centre
        x = centres[:, None, None] + offsets[None, :, None] - grids[1].t
        behind = np.einsum("q,bsqu->bsu", chances, np.stack(kernels(x)[:2]))
    else:  # many: a grid of points that all centres share, as fine as the narrowest needs
        step = offsets[1] - offsets[0]
        low, high = np.min(centres) + offsets[0], np.max(centres) + offsets[-1]
        shared = low + step * np.arange(int((high - low) / step) + 2)
        z = (shared - centres[:, None]) / rest
        density = np.exp(-0.5 * z * z) * (step / (np.sqrt(2 * np.pi) * rest))
        values = np.stack(kernels(shared[:, None] - grids[1].t)[:2])
        behind = density @ values
    return np.einsum("ast,bsu->abtu", ahead, behind, optimize=True)
