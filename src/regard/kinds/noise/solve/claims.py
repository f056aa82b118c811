"""What is proved about an output under key noise."""

from __future__ import annotations

import itertools
from collections.abc import Collection
from typing import Any

import numpy as np

from regard.certify import Certificate, verify
from regard.certify.certificate import Claim
from regard.certify.claims.random_keys import hardmax_limit as hard_limit
from regard.certify.claims.random_keys import output_law as law_claims
from regard.certify.claims.random_keys import random_heads
from regard.kinds.noise.instance import Setting
from regard.kinds.noise.solve.findings import LimitFound, OutputFound
from regard.kinds.noise.solve.finite_queries import TOLERANCE
from regard.kinds.noise.spec import value_symbols
from regard.language import parse
from regard.problems.instances import Float64

CLOSE = 1e-9
MOST_HEADS = 6
MOST_WIDTH = 12  # entries of values, beyond which the covariance is not claimed


def certificate(found: OutputFound, wanted: Collection[str]) -> tuple[Certificate, tuple[int, ...]]:
    """Return the claims about the instance, and which of them are what is asked for.

    There are none of these unless each thing that is asked for is among what is claimed.
    """
    setting = found.setting
    # Of arbitrary values unit vectors stand for all, so that what is claimed is true of all.
    any_values = setting.given.values.law == "arbitrary"
    values = np.eye(setting.given.n) if any_values else setting.values
    arrays = {"means": setting.means, "covariances": setting.covariances, "values": values}
    scale = float(setting.given.scale)

    def holding(claims: list[Claim | None]) -> list[Claim]:
        return [c for c in claims if c and verify(Certificate(arrays, (c,), scale)).holds]

    laws = holding([_limit_claim(found, values), _finite_claim(found, values)])
    pairs = holding(_independence_claims(setting))
    claims = [*laws, *pairs]
    if not laws:
        claims += [_differences(setting, q) for q in setting.queries()]
    if isinstance(found, LimitFound):
        goals = [claim for claim in laws if claim.kind == "hard_limit"]
    else:  # claims are about all cases, at the size of the queries that is given
        goals = [] if setting.grows or setting.given.ignore_negative else laws
    reached = bool(goals)
    if "atoms" in wanted and not isinstance(found, LimitFound):
        # An output that varies with one normal number in each head has a density, and no atoms.
        reached = reached and all(_varies(claim) for claim in goals)
    if "independent" in wanted:
        alone = set(wanted) == {"independent"}
        shown = [claim for claim in pairs if claim.fields["independent"] == found.independent]
        enough = setting.heads * (setting.heads - 1) // 2 if found.independent else 1
        reached = (reached or alone) and len(shown) >= enough
        goals = shown if alone else [*goals, *shown]
    chosen = {id(claim) for claim in goals} if reached else set()
    places = tuple(place for place, claim in enumerate(claims) if id(claim) in chosen)
    return Certificate(arrays, tuple(claims), scale), places


def _varies(claim: Claim) -> bool:
    spread = float(np.trace(np.asarray(claim.fields["covariance"])))
    return spread > len(claim.fields["mean"]) * float(claim.fields["error"])


def _independence_claims(setting: Setting) -> list[Claim | None]:
    """For each pair of heads, whether their scores are independent."""
    q = setting.queries()
    if len(q) > MOST_HEADS:
        return []
    joint = setting.shared_noise(q)
    return [
        random_heads.independence_claim(h, g, not np.any(joint[:, h, g]), queries=q)
        for h, g in itertools.combinations(range(len(q)), 2)
    ]


def _one_key_each(setting: Setting) -> bool:
    """Whether one key at most varies in every head."""
    varies = setting.scores(setting.queries()).deviations > 0
    return bool(np.all(np.sum(varies, axis=1) <= 1)) or setting.given.n == 2


def _limit_claim(found: OutputFound, values: Float64) -> Claim | None:
    """The law that the answer states, in its own formulas."""
    setting = found.setting
    if not isinstance(found, LimitFound) or setting.growth is None:
        return None
    # An offset decides between keys that tie; without one only the direction counts.
    if setting.late or not found.law.exact or np.any(setting.offsets):
        return None
    if not _one_key_each(setting):
        return None
    symbols = _symbols(setting, values)
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
        directions=setting.directions,
        nonnegative=setting.given.ignore_negative and found.law is not found.whole,
        moments=(mean.tolist(), variance, CLOSE * _size(values)),
    )


def _finite_claim(found: OutputFound, values: Float64) -> Claim | None:
    """Mean and covariance at the size of the queries that is given; the mean as it is stated."""
    setting = found.setting
    if not _one_key_each(setting) or values.shape[1] > MOST_WIDTH:
        return None
    law = setting.output_law(setting.queries(), values, TOLERANCE)
    if law.method != "exact":
        return None
    error = max(CLOSE * _size(values), 4 * law.error)
    # What is rounding is stated as 0, so that no variance is negative.
    covariance = np.where(np.abs(law.covariance) > law.error, law.covariance, 0.0)
    mean = law.mean
    if not isinstance(found, LimitFound) and not setting.given.ignore_negative:
        mean, variance = _stated_moments(found, _symbols(setting, values))
        if abs(float(np.trace(covariance)) - variance) > error:
            return None
    return law_claims.claim(mean, covariance, error, queries=setting.queries())


def _symbols(setting: Setting, values: Float64) -> dict[str, Any]:
    """What the formulas of the answer speak of."""
    given = setting.given
    return {**given.parameters, **value_symbols(given, values), "n": float(given.n)}


def _stated_moments(found: OutputFound, symbols: dict[str, Any]) -> tuple[Float64, float]:
    """Mean and variance, as the answer's formulas have them."""
    mean = np.asarray(parse(found.mean).evaluate(symbols), float)
    return mean, float(np.asarray(parse(found.variance).evaluate(symbols)))


def _size(values: Float64) -> float:
    return max(1.0, float(np.max(np.abs(values))) ** 2)


def _differences(setting: Setting, query: Float64) -> Claim:
    """The score differences between the first key and the others, which decide the weights."""
    scores = setting.scores(query[None])
    means, spread = scores.means[0], scores.covariances[:, 0, 0]
    pairs = [[0, i] for i in range(1, min(setting.given.n, 33))]
    return random_heads.differences_claim(
        pairs,
        [float(means[0] - means[i]) for _, i in pairs],
        [float(spread[0] + spread[i]) for _, i in pairs],
        CLOSE * max(1.0, float(np.max(np.abs(means))), float(np.max(spread))),
        query=query,
    )
