"""What is proved about an output under key noise."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.certify import Certificate, verify
from regard.certify.certificate import Claim
from regard.certify.claims import hardmax_limit as hard_limit
from regard.certify.claims import output_law as law_claims
from regard.certify.claims import random_heads
from regard.kinds.noise.solve.answer import Found
from regard.kinds.noise.solve.finite import output_law
from regard.kinds.noise.solve.setting import Setting
from regard.kinds.noise.spec import value_symbols
from regard.language import parse

Float64 = NDArray[np.float64]

CLOSE = 1e-9
MOST_HEADS = 6
MOST_WIDTH = 12  # entries of values, beyond which the covariance is not claimed


def certificate(found: Found, wanted: list[str]) -> tuple[Certificate, tuple[int, ...]]:
    """Return the claims about the instance, and which of them are what is asked for.

    There are none of these unless each thing that is asked for is among what is claimed.
    """
    setting = found.setting
    queries, values = setting.queries(), _values(setting)
    arrays = {"means": setting.means, "covariances": setting.covariances, "values": values}
    scale = float(setting.given.scale)

    def holds(claim: Claim | None) -> bool:
        return claim is not None and verify(Certificate(arrays, (claim,), scale)).holds

    claims: list[Claim] = []
    laws = [c for c in (_limit_claim(found, values), _finite_claim(found, values)) if holds(c)]
    claims += [claim for claim in laws if claim is not None]
    pairs: list[Claim] = []
    if 2 <= len(queries) <= MOST_HEADS:
        joint = np.einsum("hd,nde,ge->hgn", queries, setting.covariances, queries)
        for h, g in itertools.combinations(range(len(queries)), 2):
            none = not np.any(joint[h, g])
            claim = random_heads.independence_claim(h, g, bool(none), queries=queries)
            if holds(claim):
                pairs.append(claim)
    claims += pairs
    if not laws:
        claims += [_differences(found, q) for q in queries]
    kind = "output_law" if found.law is None else "hard_limit"
    goals = [claim for claim in claims if claim.kind == kind and _is_asked(found, claim)]
    reached = bool(goals)
    if "atoms" in wanted and found.law is None:
        # An output that varies with one normal number in each head has a density, and no atoms.
        reached = reached and all(_varies(claim) for claim in goals)
    if "independent" in wanted:
        shown = [claim for claim in pairs if claim.fields["independent"] == found.independent]
        enough = len(queries) * (len(queries) - 1) // 2 if found.independent else 1
        reached = (reached or wanted == ["independent"]) and len(shown) >= enough
        goals = shown if wanted == ["independent"] else [*goals, *shown]
    chosen = {id(claim) for claim in goals} if reached else set()
    places = tuple(place for place, claim in enumerate(claims) if id(claim) in chosen)
    return Certificate(arrays, tuple(claims), scale), places


def _varies(claim: Claim) -> bool:
    spread = float(np.trace(np.asarray(claim.fields["covariance"])))
    return spread > len(claim.fields["mean"]) * float(claim.fields["error"])


def _values(setting: Setting) -> Float64:
    """The values; of arbitrary ones unit vectors, so that what is claimed is true of all."""
    if setting.given.values.law == "arbitrary":
        return np.eye(setting.given.n)
    return setting.values


def _is_asked(found: Found, claim: Claim) -> bool:
    """Whether a claim about a law is about the one asked for: the limit, or the size given."""
    if claim.kind == "output_law":  # of all cases, at the size of the queries that is given
        return found.setting.growth is None and not found.setting.given.ignore_negative
    return True


def _one_key_each(found: Found) -> bool:
    """Whether one key at most varies in every head."""
    setting = found.setting
    q = setting.queries()
    seen = np.einsum("hd,nde,he->hn", q, setting.covariances, q) != 0
    return bool(np.all(np.sum(seen, axis=1) <= 1)) or setting.given.n == 2


def _limit_claim(found: Found, values: Float64) -> Claim | None:
    """The law that the answer states, in its own formulas."""
    setting, law = found.setting, found.law
    growth = setting.growth
    if growth is None or law is None or setting.late or not law.exact:
        return None
    # An offset decides between keys that tie; without one only the direction counts.
    if not _one_key_each(found) or np.any(growth.offsets):
        return None
    symbols = _symbols(found, values)
    atoms: list[tuple[float, list[float]]] = []
    for atom in found.atoms:
        chance = float(np.asarray(parse(atom["probability"]).evaluate(symbols)))
        point = np.asarray(parse(atom["value"]).evaluate(symbols), float).tolist()
        alike = [at for at, (_, x) in enumerate(atoms) if np.allclose(x, point, 0, 4 * CLOSE)]
        if alike:  # values that coincide are one
            atoms[alike[0]] = (atoms[alike[0]][0] + chance, point)
        else:
            atoms.append((chance, point))
    mean, variance = _stated_moments(found, symbols)
    return hard_limit.claim(
        atoms,
        CLOSE,
        directions=growth.directions,
        nonnegative=bool(setting.given.ignore_negative) and found.law is not found.whole,
        moments=(mean.tolist(), variance, CLOSE * _size(values)),
    )


def _finite_claim(found: Found, values: Float64) -> Claim | None:
    """Mean and covariance at the size of the queries that is given; the mean as it is stated."""
    setting = found.setting
    if not _one_key_each(found) or values.shape[1] > MOST_WIDTH:
        return None
    law = output_law(setting, setting.queries(), values)
    if law.method != "exact":
        return None
    error = max(CLOSE * _size(values), 4 * law.error)
    # What is rounding is stated as 0, so that no variance is negative.
    covariance = np.where(np.abs(law.covariance) > law.error, law.covariance, 0.0)
    mean = law.mean
    if found.law is None and not setting.given.ignore_negative:
        mean, variance = _stated_moments(found, _symbols(found, values))
        if abs(float(np.trace(covariance)) - variance) > error:
            return None
    return law_claims.claim(mean, covariance, error, queries=setting.queries())


def _symbols(found: Found, values: Float64) -> dict[str, Any]:
    """What the formulas of the answer speak of."""
    setting = found.setting
    named = value_symbols(setting.given, values)
    return {**setting.numbers, **setting.given.parameters, **named, "n": float(setting.given.n)}


def _stated_moments(found: Found, symbols: dict[str, Any]) -> tuple[Float64, float]:
    """Mean and variance, as the answer's formulas have them."""
    mean = np.asarray(parse(found.mean).evaluate(symbols), float)
    return mean, float(np.asarray(parse(found.variance).evaluate(symbols)))


def _size(values: Float64) -> float:
    return max(1.0, float(np.max(np.abs(values))) ** 2)


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
