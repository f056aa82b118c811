"""What wrong laws of an output look like, and the plainest values that show it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from regard.checking.misconceptions import misconception
from regard.checking.noise.atoms import EXACT
from regard.checking.noise.fields import Float64
from regard.checking.noise.judge import Asked, Instance, told
from regard.checking.noise.law import Law, Setting, law, of_atoms
from regard.checking.verdict import Counterexample, Misconception
from regard.errors import InvalidAnswer, RegardError
from regard.report import number

DRAWN = 6  # values on which a misconception has to show
SAME = 1e-6


def recognise(asked: Asked, wrong: tuple[str, ...]) -> Misconception | None:
    """Name the first misconception that leads to what the answer says."""
    fields = tuple(name for name in wrong if name != "independent")
    if not fields:
        tag = "dependent-because-of-the-same-keys"
        if asked.said.value("independent", asked.plain.values):
            tag = "independent-because-queries-differ"
        return misconception(tag)
    plain = asked.plain
    off = [asked.said.error(name, plain.law, plain.values) for name in fields]
    if not np.all(np.isfinite(off)):
        return misconception("not-finite")
    if "atoms" in fields and not _adds_up(asked):
        return misconception("probabilities-do-not-add-up")
    if _no_noise_is_seen(asked) and _says_it_varies(asked, fields):
        return misconception("claims-effect")
    idea = _of_variance(asked) if fields == ("variance",) else None
    if idea is not None:
        return idea
    for tag, other in _mistaken(asked):
        if all(_fits(asked, name, other) for name in fields):
            return misconception(tag)
    if "atoms" in fields:
        return _of_chances(asked)
    return _of_a_factor(asked) if "variance" in fields else None


def _places(asked: Asked, name: str) -> list[Float64]:
    """The values of the instance, and drawn ones where the answer is a formula."""
    if asked.one_instance:
        return [asked.plain.values]
    return [asked.plain.values, *(asked.drawn(1000 + seed).values for seed in range(DRAWN))]


def _fits(asked: Asked, name: str, other: Law) -> bool:
    """Whether a field is what it would be in another law, which is not the right one."""
    values = _places(asked, name)
    try:
        return all(asked.said.error(name, other, x) <= EXACT + 4 * other.rough for x in values)
    except InvalidAnswer:  # arrays of another length than these values
        return False


def _adds_up(asked: Asked) -> bool:
    found = asked.said.value("atoms", asked.plain.values)
    chances = [chance for chance, _ in found]
    return min(chances, default=0) >= 0 and abs(sum(chances) - 1) <= 1e-2


def _no_noise_is_seen(asked: Asked) -> bool:
    """Whether every query is at right angles to the noise of every key."""
    at = asked.at
    queries = np.concatenate([at.directions, at.offsets])
    seen = np.einsum("hd,nde,he->nh", queries, at.covariances, queries)
    size = np.einsum("hd,nde,he->nh", np.abs(queries), np.abs(at.covariances), np.abs(queries))
    return bool(np.all(seen <= 1e-13 * size))


def _says_it_varies(asked: Asked, fields: tuple[str, ...]) -> bool:
    values = asked.plain.values
    if "atoms" in fields and len(asked.said.value("atoms", values)) > 1:
        return True
    return "variance" in fields and asked.said.value("variance", values) > 0


def _mistaken(asked: Asked) -> Iterator[tuple[str, Law]]:
    """Return laws that misconceptions lead to, as far as there are such."""
    given = asked.problem.given
    at = asked.at
    named = sorted(given.names.values())
    still = replace(at, covariances=np.zeros_like(at.covariances))
    squared = replace(at, covariances=at.covariances @ at.covariances)
    other = frozenset(range(given.n)) - set(named)
    candidates: list[tuple[str, Setting, dict[str, Any]]] = []
    if not given.ignore_negative:
        candidates.append(("negative-case-left-out", at, {"keep_positive": True}))
    if _jumps(asked, law(still)):
        candidates.append(("average-instead-of-jumping", still, {}))
    candidates.append(("variance-read-as-standard-deviation", squared, {}))
    if given.ignore_negative:
        candidates.append(("variance-read-as-standard-deviation", squared, {"keep_positive": True}))
    if at.heads > 1:
        candidates += [("one-head-for-all", one, {}) for one in _as_one(at)]
    candidates.append(("ignores-other-values", at, {"drop": other}))
    for tag, changed, options in candidates:
        try:
            yield tag, law(changed, **options)
        except (RegardError, ZeroDivisionError):  # there is no such law
            continue
    if 0 < len(named) < given.n:
        yield "ignores-other-values", _of_named(at, named)
    if at.heads > 1 and asked.law.atomic:
        summed = of_atoms(asked.law.chances, at.heads * asked.law.shares)
        yield "summed-instead-of-averaged", summed


def _jumps(asked: Asked, still: Law) -> bool:
    """Whether the output has several values, none of which is what it would be without noise."""
    if len(asked.law.chances) < 2 or not still.atomic:
        return False
    gaps = np.max(np.abs(asked.law.shares - still.shares[0]), axis=1)
    return bool(np.min(gaps) > 1e-3)


def _as_one(at: Setting) -> Iterator[Setting]:
    """All heads with the same query: that of one of them, or the sum of all."""
    for q, w in zip(at.directions, at.offsets, strict=True):
        yield replace(at, directions=q[None], offsets=w[None])
    yield replace(
        at,
        directions=np.sum(at.directions, axis=0, keepdims=True),
        offsets=np.sum(at.offsets, axis=0, keepdims=True),
    )


def _of_named(at: Setting, named: list[int]) -> Law:
    """The law if there were no other keys than those with a name."""
    few = law(replace(at, means=at.means[named], covariances=at.covariances[named]))
    n = len(at.means)
    spread = np.zeros((len(named), n))
    spread[np.arange(len(named)), named] = 1.0
    return Law(
        few.chances,
        few.shares @ spread,
        few.mean @ spread,
        spread.T @ few.covariance @ spread,
        few.rough,
    )


def _of_chances(asked: Asked) -> Misconception | None:
    """The values are right, and their chances are equal, or wrong otherwise."""
    count = len(asked.law.chances)
    if count > 1 and _fits(asked, "atoms", of_atoms(np.full(count, 1 / count), asked.law.shares)):
        return misconception("equal-chances")
    if asked.error("atoms", asked.plain) <= asked.tolerance:
        return None  # right here, with the chances: it is wrong for more keys
    values = asked.plain.values
    right = asked.law.shares @ values
    found = [point for chance, point in asked.said.value("atoms", values) if chance]
    near = [[bool(np.allclose(x, y, atol=SAME)) for y in right] for x in found]
    if near and np.all(np.any(near, axis=1)) and np.all(np.any(near, axis=0)):
        return misconception("other-chances")
    return None


def _of_variance(asked: Asked) -> Misconception | None:
    """Name what a variance is that is the only thing not right."""
    places = _places(asked, "variance")
    right = np.array([asked.law.variance(x) for x in places])
    if np.any(right) and _is(asked, np.sqrt(right)):
        return misconception("variance-read-as-standard-deviation")
    if np.any(right) and _is(asked, 4 * right):
        return misconception("missing-factor-4")
    heads = asked.at.heads
    if heads > 1 and _one_key_each(asked):
        *_, one = _as_one(asked.at)
        alone = np.array([law(one).variance(x) for x in places])
        for share in (1 / heads, 1 / heads**2):
            if np.any(alone) and _is(asked, share * alone):
                return misconception("one-head-averaged")
    return None


def _is(asked: Asked, numbers: Float64) -> bool:
    """Whether the variance of the answer is these numbers, one for each place, to its digits."""
    places = _places(asked, "variance")
    said = np.array([asked.said.value("variance", x) for x in places])
    room = np.array([asked.said.rounding("variance", x) for x in places])
    return bool(np.all(np.abs(said - numbers) <= room + EXACT * np.abs(numbers)))


def _one_key_each(asked: Asked) -> bool:
    """Whether each head has one key with the largest mean score."""
    scores = np.sort(asked.at.directions @ asked.at.means.T, axis=1)
    return bool(np.all(scores[:, -1] > scores[:, -2] + 1e-9))


def _of_a_factor(asked: Asked) -> Misconception | None:
    """Name a variance that is the same multiple of the right one everywhere."""
    places = [x for x in _places(asked, "variance") if asked.law.variance(x) > 0]
    ratios = np.array([asked.said.value("variance", x) / asked.law.variance(x) for x in places])
    if len(ratios) > 1 and ratios[0] and np.allclose(ratios, ratios[0], rtol=1e-6):
        return misconception("extra-factor")
    return None


def counterexample(asked: Asked, wrong: dict[str, Instance]) -> Counterexample:
    """Look for the plainest values for which a field is wrong."""
    name, failing = next(iter(wrong.items()))
    if name == "independent":
        return _correlated(asked)
    example = failing
    if not asked.one_instance and not asked.said.has_arrays(name):
        for values in _plain_values(asked):
            candidate = replace(asked.plain, values=values)
            if not asked.error(name, candidate) <= asked.tolerance:
                example = candidate
                break
    values = example.values
    labels = {row: f"v_{key}" for key, row in asked.problem.given.names.items()}
    shown = ", ".join(
        f"{labels.get(row, f'v_{row + 1}')} = {_short(value)}" for row, value in enumerate(values)
    )
    what = {"atoms": "output", "mean": "mean", "variance": "variance"}[name]
    try:
        sentence = f"With {shown} the answer says of the {what}: {told(asked, name, example)}."
    except InvalidAnswer:  # arrays of another length than the values
        sentence = f"With {shown} the {what} cannot be what the answer says: numbers of any length."
    arrays = {
        "values": values.tolist(),
        "probabilities": example.law.chances.tolist(),
        "outputs": (example.law.shares @ values).tolist(),
        "mean": (example.law.mean @ values).tolist(),
        "variance": example.law.variance(values),
    }
    return Counterexample(arrays, sentence, None, _steps(example))


def _short(value: Float64) -> str:
    if len(value) == 1:
        return number(float(value[0]))
    return "(" + ", ".join(number(float(x), 4) for x in value[:6]) + ")"


def _plain_values(asked: Asked) -> Iterator[Float64]:
    """Values of one number each: a single 1 among zeros, then 1, 2, 3 and so on."""
    n = asked.problem.given.n
    for row in range(n):
        yield np.eye(n)[:, row : row + 1]
    yield np.arange(1.0, n + 1)[:, None]


def _steps(at: Instance) -> tuple[tuple[str, str], ...]:
    found = [
        (
            f"With probability {number(float(chance), 6)} the output is near "
            f"{_short(share @ at.values)}.",
            "",
        )
        for chance, share in zip(at.law.chances, at.law.shares, strict=True)
    ]
    found.append((f"Its mean is {_short(at.law.mean @ at.values)}.", ""))
    found.append((f"Its variance is {number(at.law.variance(at.values))}.", ""))
    return tuple(found)


def _correlated(asked: Asked) -> Counterexample:
    """Show the covariance of two heads' scores of one key."""
    at = asked.at
    shared = at.shared
    key, g, h = np.unravel_index(int(np.argmax(np.abs(shared))), shared.shape)
    labels = {row: name for name, row in asked.problem.given.names.items()}
    name = labels.get(int(key), str(int(key) + 1))
    if at.independent:
        sentence = (
            "q_h' Sigma_i q_g is 0 for every key i and any two heads: no noise moves both, so that "
            "the heads are independent."
        )
    else:
        amount = number(float(shared[key, g, h]), 4)
        sentence = (
            f"q_{g + 1}' Sigma_{name} q_{h + 1} is {amount} and not 0: the noise of k_{name} moves "
            "the scores of both heads, so that they are not independent."
        )
    arrays = {"shared": shared.tolist(), "covariance": at.covariances[key].tolist()}
    return Counterexample(arrays, sentence)
