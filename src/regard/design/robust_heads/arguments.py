"""Design heads that survive noise in the keys: read what is asked for, and hand it on."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from regard.core.kernels.threads import one_blas_thread
from regard.design.extremes import surely
from regard.design.robust_heads.key_group import Keys
from regard.design.robust_heads.noise_scale import isotropic_scale
from regard.design.robust_heads.result import RobustDesign
from regard.errors import ParameterError
from regard.shapes import choice, integer, real
from regard.shapes.goals import read_rows, read_target
from regard.shapes.laws import read_covariance

__all__ = ["RobustDesign", "isotropic_scale", "robust"]

FUNCTION = "design.robust"
RISK = 0.05  # of a pair of keys changing places, where none is given


def robust(
    means: ArrayLike,
    covariances: ArrayLike,
    target: object,
    *,
    heads: int = 1,
    values: ArrayLike | None = None,
    gap: float | None = None,
    norm: float | None = None,
    risk: float | None = None,
    objective: str = "variance",
    scale: float = 1.0,
) -> RobustDesign:
    """Design heads whose output stays near the target when the keys are random.

    Keys are k_i ~ N(means_i, covariances_i), independent. Head h serves a group of the target's
    keys: their mean scores scale · q_h·means_i differ as the logarithms of their weights and are
    above those of every other key by the gap. It counts as much as its keys do together.

    Args:
        means: (n, d).
        covariances: (n, d, d), symmetric, positive semidefinite; may be singular.
        target: the index of the key to copy, {index: weight}, or a vector of n weights.
        heads: at most this many, and at most one per key of the target.
        values: (n, d_v), what is averaged; None: the law is that of the weights.
        gap: the least mean score difference, > 0; for "quantile" what is left of it after
            deviations. None, and no norm either: the gap with the least E ‖c − c*‖².
        norm: the length that no query may exceed, > 0.
        risk: for "quantile", the probability with which a pair of keys may fall short of the gap,
            0 < risk ≤ 1/2; None means 0.05.
        objective: "variance": the least noise of the score differences at the gap; "quantile": the
            shortest query with the gap at that risk, or the widest gap within the norm; "failure":
            the least bound on the probability that another key scores higher.
        scale: what scores are multiplied by, > 0.

    Returns:
        The design. Its certificate proves gaps, variances and failures of the queries, and that no
        other query is quieter at the gap ("variance") or has a wider one ("quantile").

    Raises:
        InfeasibleDesign: no query has such a gap. The certificate proves it; `.best` is close.
        UndecidedDesign: neither queries nor a proof were found.

    Example:
        >>> import numpy as np, regard
        >>> mu, noise = np.eye(3), np.zeros((3, 3, 3))
        >>> noise[0, 0, 0] = 0.5
        >>> design = regard.design.robust(mu, noise, {0: 0.5, 1: 0.5}, gap=6.0)
        >>> design.queries.round(6).tolist(), round(float(design.law.variance), 9)
        ([[0.0, 0.0, -6.0]], 0.0)
        >>> regard.certify.verify(design.certificate).holds
        True
    """
    mu = read_rows(FUNCTION, "means", means, "(n, d)")
    n, d = mu.shape
    sigma = read_covariance(FUNCTION, "covariances", covariances, d, axes="(n, d, d)", rows=n)
    indices, weights = read_target(FUNCTION, target, n)
    used = integer(FUNCTION, "heads", heads, minimum=1)
    if used > len(indices):
        raise ParameterError(
            f"{FUNCTION}: heads must be at most the number of keys in target ({len(indices)}): a "
            f"second head for the same keys has the same noise. Got {used}."
        )
    averaged = None
    if values is not None:
        averaged = read_rows(FUNCTION, "values", values, "(n, d_v)", rows=n)
    aim = choice(FUNCTION, "objective", objective, ("variance", "quantile", "failure"))
    apart = None if gap is None else real(FUNCTION, "gap", gap, positive=True)
    longest = None if norm is None else real(FUNCTION, "norm", norm, positive=True)
    if aim == "failure" and apart is not None and longest is not None:
        raise ParameterError(
            f"{FUNCTION}: objective='failure' takes a gap or a norm, not both: either settles the "
            f"length of its queries. Got gap {apart:g}, norm {longest:g}."
        )
    factor = real(FUNCTION, "scale", scale, positive=True)
    keys = Keys(_own(mu), _own(sigma), factor)
    deviations = _deviations(risk, aim)
    given = {"means": mu, "covariances": sigma, "values": averaged, "gap": apart}
    given |= {"norm": longest, "risk": risk, "scale": factor}

    def solve() -> RobustDesign:
        # Loaded here: queries without noise import this module too.
        from regard.design.robust_heads.one_head import Server
        from regard.design.robust_heads.task import RobustTask

        server = Server(keys, indices, weights, longest, deviations, aim)
        return RobustTask(server, averaged, used, apart).solve()

    with one_blas_thread():
        return surely(FUNCTION, given, solve)


def _deviations(risk: float | None, objective: str) -> float:
    """The standard deviations that a Gaussian number falls short by with a probability."""
    from scipy.special import ndtri  # slow to load

    if objective != "quantile":
        if risk is not None:
            raise ParameterError(
                f"{FUNCTION}: risk is used by objective='quantile' only. "
                f"Got risk {risk!r}, objective {objective!r}."
            )
        return 0.0
    chance = RISK if risk is None else real(FUNCTION, "risk", risk, positive=True)
    if chance > 0.5:
        raise ParameterError(
            f"{FUNCTION}: risk must be at most 1/2, where it is the mean that counts. "
            f"Got {chance:g}."
        )
    return max(0.0, -float(ndtri(chance)))


def _own(array: NDArray[np.float64]) -> NDArray[np.float64]:
    """A copy that the caller cannot change."""
    copy = array.copy()
    copy.flags.writeable = False
    return copy
