"""Laws of outputs that misconceptions lead to, as far as there are such.

Each takes the problem in arrays and its law; of several laws the first is the one that is told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from regard.errors import RegardError
from regard.kinds.noise.instance import Setting
from regard.kinds.noise.reading.output_law import Law, law, of_atoms

Laws = Callable[[Setting, Law], Iterator[Law]]


def without_negative_scores(at: Setting, right: Law) -> Iterator[Law]:
    """Without cases in which a score that varies is negative, where these count."""
    if not at.given.ignore_negative:
        yield law(at, keep_positive=True)


def without_noise(at: Setting, right: Law) -> Iterator[Law]:
    """Without noise, if the output has several values and none of them is this one."""
    still = law(replace(at, covariances=np.zeros_like(at.covariances)))
    if len(right.chances) > 1 and still.atomic:
        gaps = np.max(np.abs(right.shares - still.shares[0]), axis=1)
        if np.min(gaps) > 1e-3:
            yield still


def covariances_squared(at: Setting, right: Law) -> Iterator[Law]:
    """With variances in the place of standard deviations."""
    squared = replace(at, covariances=at.covariances @ at.covariances)
    yield law(squared)
    if at.given.ignore_negative:
        yield law(squared, keep_positive=True)


def as_one_head(at: Setting) -> Iterator[Setting]:
    """All heads with the same query: the sum of all, or that of one of them."""
    whole = [np.sum(x, axis=0) for x in (at.directions, at.offsets)]
    for q, w in (whole, *zip(at.directions, at.offsets, strict=True)):
        yield replace(at, directions=q[None], offsets=w[None])


def of_one_head(at: Setting, right: Law) -> Iterator[Law]:
    """With one head for all."""
    if at.heads > 1:
        yield from map(law, as_one_head(at))


def of_named_keys(at: Setting, right: Law) -> Iterator[Law]:
    """Without the values of keys that have no name, or without these keys."""
    named = sorted(at.given.names.values())
    yield law(at, drop=frozenset(range(at.given.n)) - set(named))
    if 0 < len(named) < at.given.n:
        few = law(replace(at, means=at.means[named], covariances=at.covariances[named]))
        spread = np.eye(at.given.n)[named]
        mean, covariance = few.mean @ spread, spread.T @ few.covariance @ spread
        yield Law(few.chances, few.shares @ spread, mean, covariance, few.rough)


def of_sums(at: Setting, right: Law) -> Iterator[Law]:
    """With the outputs of the heads added up."""
    if at.heads > 1 and right.atomic:
        yield of_atoms(right.chances, at.heads * right.shares)


def equally_likely(at: Setting, right: Law) -> Iterator[Law]:
    """With the right values, all of them equally likely."""
    count = len(right.chances)
    if count > 1:
        yield of_atoms(np.full(count, 1 / count), right.shares)


def noise_on_a_wanted_key(at: Setting, right: Law) -> Iterator[Law]:
    """With the noise that no query sees along the mean of a key that the queries look at."""
    if no_noise_is_seen(at):
        size = float(np.max(np.einsum("nii->n", at.covariances)))
        hit = at.means[int(np.argmax(right.mean))]
        moved = np.zeros_like(at.covariances)
        moved[int(np.argmax(right.mean))] = size * np.outer(hit, hit)
        yield law(replace(at, covariances=moved))


def existing(laws: Laws, at: Setting, right: Law) -> Iterator[Law]:
    """Return the laws of a misconception; none where there is no such law."""
    try:
        yield from laws(at, right)
    except (RegardError, ZeroDivisionError):
        return


def no_noise_is_seen(at: Setting) -> bool:
    """Whether every query is at right angles to the noise of every key."""
    queries = np.concatenate([at.directions, at.offsets])
    seen = np.einsum("hd,nde,he->nh", queries, at.covariances, queries)
    size = np.einsum("hd,nde,he->nh", np.abs(queries), np.abs(at.covariances), np.abs(queries))
    return bool(np.all(seen <= 1e-13 * size))
