"""What is proved about an output under key noise."""

from __future__ import annotations

import itertools

import numpy as np

from regard.certify import Certificate, hard_limit, random_heads, verify
from regard.certify import output_law as law_claims
from regard.certify.certificate import Claim
from regard.solving.noise.answer import Found
from regard.solving.noise.finite import output_law

CLOSE = 1e-9
MOST_HEADS = 6
MOST_WIDTH = 12  # entries of values, beyond which the covariance is not claimed


def certificate(found: Found) -> tuple[Certificate, bool]:
    """Return the claims about the instance, and whether they prove the law that is asked for."""
    setting = found.setting
    claims: list[Claim] = []
    queries = setting.queries()
    arrays = {
        "means": setting.means,
        "covariances": setting.covariances,
        "values": setting.values,
    }
    scale = float(setting.given.scale)
    limit, finite = _limit_claim(found), _finite_claim(found)
    # With offsets the limit may be another one, and means that are rounded are not orthonormal.
    if limit is not None and not verify(Certificate(arrays, (limit,), scale)).holds:
        limit = None
    if finite is not None and not verify(Certificate(arrays, (finite,), scale)).holds:
        finite = None
    claims += [claim for claim in (limit, finite) if claim is not None]
    if 2 <= len(queries) <= MOST_HEADS:
        joint = np.einsum("hd,nde,ge->hgn", queries, setting.covariances, queries)
        for h, g in itertools.combinations(range(len(queries)), 2):
            none = not np.any(joint[h, g])
            claim = random_heads.independence_claim(h, g, bool(none), queries=queries)
            if verify(Certificate(arrays, (claim,), scale)).holds:
                claims.append(claim)
    if limit is None and finite is None:
        claims += [_differences(found, q) for q in queries]
    proved = limit is not None or (finite is not None and found.law is None)
    return Certificate(arrays, tuple(claims), scale), proved


def _one_key_each(found: Found) -> bool:
    """Whether one key at most varies in every head."""
    setting = found.setting
    q = setting.queries()
    seen = np.einsum("hd,nde,he->hn", q, setting.covariances, q) != 0
    return bool(np.all(np.sum(seen, axis=1) <= 1)) or setting.given.n == 2


def _limit_claim(found: Found) -> Claim | None:
    growth, law = found.setting.growth, found.whole
    if growth is None or law is None or found.setting.late or not law.exact:
        return None
    if not _one_key_each(found):
        return None
    values = found.setting.values
    atoms: list[tuple[float, list[float]]] = []
    for atom in law.atoms:
        point = (atom.shares @ values).tolist()
        alike = [at for at, (_, x) in enumerate(atoms) if np.allclose(x, point, 0, 4 * CLOSE)]
        if alike:  # values that coincide are one
            atoms[alike[0]] = (atoms[alike[0]][0] + atom.chance.value, point)
        else:
            atoms.append((atom.chance.value, point))
    return hard_limit.claim(atoms, CLOSE, directions=growth.directions)


def _finite_claim(found: Found) -> Claim | None:
    setting = found.setting
    if not _one_key_each(found) or setting.values.shape[1] > MOST_WIDTH:
        return None
    law = output_law(setting, setting.queries(), setting.values)
    if law.method != "exact":
        return None
    error = max(CLOSE, 4 * law.error)
    # What is rounding is stated as 0, so that no variance is negative.
    covariance = np.where(np.abs(law.covariance) > law.error, law.covariance, 0.0)
    return law_claims.claim(law.mean, covariance, error, queries=setting.queries())


def _differences(found: Found, query: np.ndarray) -> Claim:
    """The score differences between the first key and the others, which decide the weights."""
    setting = found.setting
    n = setting.given.n
    scale = float(setting.given.scale)
    means = scale * setting.means @ query
    spread = scale**2 * np.einsum("d,nde,e->n", query, setting.covariances, query)
    pairs = [[0, i] for i in range(1, min(n, 33))]
    return random_heads.differences_claim(
        pairs,
        [float(means[0] - means[i]) for _, i in pairs],
        [float(spread[0] + spread[i]) for _, i in pairs],
        CLOSE * max(1.0, float(np.max(np.abs(means))), float(np.max(spread))),
        query=query,
    )
