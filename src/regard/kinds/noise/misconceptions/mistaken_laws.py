"""Laws of outputs that misconceptions lead to, and the answers that say so.

Each takes the problem in arrays and its law; of several laws the first is the one that is told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.special import ndtri

from regard.errors import RegardError
from regard.kinds.noise.instance import Setting, read
from regard.kinds.noise.instance.formulas import (
    Chance,
    average,
    fraction_of,
    mean_formula,
    number_text,
    variance_formula,
)
from regard.kinds.noise.reading.output_law import Law, law, of_atoms
from regard.kinds.noise.spec import NoiseProblem

Laws = Callable[[Setting, Law], Iterator[Law]]

MOST_TOLD = 4  # atoms of a wrong answer that a solution tells


def without_negative_scores(at: Setting, right: Law) -> Iterator[Law]:
    """Without cases in which a score that varies is negative, where these count."""
    if not at.given.ignore_negative:
        yield law(at, keep_positive=True)


def without_noise(at: Setting, right: Law) -> Iterator[Law]:
    """Without noise, if the output has several values and none of them is this one."""
    still = law(at.without_noise())
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
    yield at.as_one_head()
    for h in range(at.heads):
        yield replace(at, directions=at.directions[[h]], offsets=at.offsets[[h]])


def of_one_head(at: Setting, right: Law) -> Iterator[Law]:
    """The law of the output where one head serves all queries."""
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
    if len(right.chances) > 1:
        yield of_atoms(np.full_like(right.chances, 1 / len(right.chances)), right.shares)


def noise_on_a_wanted_key(at: Setting, right: Law) -> Iterator[Law]:
    """With noise that no query sees moved along the mean of a key that the queries look at."""
    if not noise_is_seen(at):
        hit, moved = int(np.argmax(right.mean)), np.zeros_like(at.covariances)
        size = float(np.max(np.einsum("nii->n", at.covariances)))
        moved[hit] = size * np.outer(at.means[hit], at.means[hit])
        yield law(replace(at, covariances=moved))


def noise_is_seen(at: Setting) -> bool:
    """Whether some query is not at right angles to the noise of some key."""
    return bool(np.any(at.scores(np.concatenate([at.directions, at.offsets])).deviations))


def existing(laws: Laws, at: Setting, right: Law) -> Iterator[Law]:
    """Return the laws of a misconception; none where there is no such law."""
    try:
        yield from laws(at, right)
    except (RegardError, ZeroDivisionError):
        return


def answer_by_law(laws: Laws, problem: NoiseProblem) -> dict[str, Any] | None:
    """The answer that somebody with the misconception would give; None: it leads to no other."""
    at = read(problem.given)
    kinds = (True, False) if at.given.ignore_negative else (False,)
    right = [law(at, keep_positive=kind) for kind in kinds]
    found = next(existing(laws, at, right[0]), None)
    asks_for_law = set(problem.goal.find) != {"independent"}
    if found is None or not asks_for_law or any(map(found.same, right)):
        return None
    return _written(problem, at, found)


def right_answer(problem: NoiseProblem, **changed: str | bool) -> dict[str, Any] | None:
    """The right answer with some fields changed; "{}" in a formula stands for the right one."""
    at = read(problem.given)
    fields = _written(problem, at, law(at, keep_positive=at.given.ignore_negative)) or {}
    wrong = {
        name: said.format(fields[name]) if isinstance(said, str) else said
        for name, said in changed.items()
        if name in fields and fields[name] not in ("0", said)
    }
    return {**fields, **wrong} if wrong else None


def _written(problem: NoiseProblem, at: Setting, found: Law) -> dict[str, Any] | None:
    """Write a law as an answer; None where it has no atoms, or too many."""
    names, order = problem.given.names, np.argsort(-found.chances, kind="stable")
    if not 0 < len(order) <= MOST_TOLD:
        return None
    outcomes = [(_chance(float(found.chances[i])), found.shares[i]) for i in order]
    atoms = [(average(shares, names).formula, chance.formula) for chance, shares in outcomes]
    fields = {
        "atoms": [{"value": value, "probability": chance} for value, chance in atoms],
        "mean": mean_formula(outcomes, names),
        "variance": variance_formula([outcomes], names),
        "independent": not np.any(at.shared_noise(at.queries())),
    }
    return {name: field for name, field in fields.items() if name in problem.goal.find}


def _chance(p: float) -> Chance:
    """A probability as a simple fraction, as Φ of a root, or in eight digits."""
    simple, z = fraction_of(p, 64), abs(float(ndtri(p)))
    if simple is not None:
        return Chance(p, str(simple))
    if fraction_of(z * z, close=1e-9) is None:
        return Chance(round(p, 8), str(round(p, 8)))
    size = f"Phi({number_text(round(z * z, 9) ** 0.5)})"
    return Chance(p, size if p > 0.5 else f"1 - {size}", True)
