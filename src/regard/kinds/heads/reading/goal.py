"""How far off queries are, for many factors at once.

Where the values are known the error is that of the output; where they are arbitrary, the largest
error of a weight. With noise that stays it is the root of the mean square of that, of the output or
of each weight: worked out exactly, and only for heads whose scores vary together from samples.
Where each head has weights of its own to meet, it counts as much as it does in the average.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from regard.analysis import key_noise
from regard.analysis.noise.random_scores import Scores, read_scores
from regard.checking.sampling import generator, softmax
from regard.errors import ParameterError
from regard.kinds.heads.instance import drawn_instance, has_noise, noise_roots
from regard.kinds.heads.spec import WeightsProblem
from regard.problems.instances import Float64, KeyInstance
from regard.problems.laws import Fixed, Orthogonal, Orthonormal, Plain

# Adding 1 to a larger score changes it by a share that is lost in rounding: it says nothing.
LARGEST_SCORE = 1e15
FAR = 200.0  # below the best, beyond 20 standard deviations: no weight that could be seen
WIDEST = 50.0  # the widest noise of a score, as a standard deviation, that is worked out
KEPT = 2  # of the instances drawn, which may be large
SAMPLES = 20_000  # of noise, for heads whose scores vary together


@dataclass(frozen=True, eq=False)
class Goal:
    """The weights that a problem wants, and how far queries are from them.

    Attributes:
        problem: about a query, or about several heads.
        laws: of outputs under noise that were worked out already.
        kept: the first instances that were drawn, by their seeds: they are asked for repeatedly.
    """

    problem: WeightsProblem
    laws: dict[Any, float] = field(default_factory=dict, repr=False, kw_only=True)
    kept: dict[int, KeyInstance] = field(default_factory=dict, repr=False, kw_only=True)

    @property
    def law(self) -> Plain:
        """Where the keys come from, or their means."""
        return self.problem.given.key_law

    @property
    def one_instance(self) -> bool:
        """Whether there is only one instance to try it on: the keys are given as numbers."""
        return isinstance(self.law, Fixed)

    @property
    def tolerance(self) -> float:
        """How far off the answer may be."""
        return self.problem.goal.tolerance

    @property
    def each_weight(self) -> bool:
        """Whether the tolerance is of each weight: lengths or angles of values are not known."""
        return not self.problem.given.values_known

    def drawn(self, seed: int) -> KeyInstance:
        """Return the instance that a seed draws from the laws."""
        found = self.kept.get(seed) or drawn_instance(self.problem, seed)
        if seed < KEPT:
            self.kept[seed] = found
        return found

    def counted_values(self, instance: KeyInstance) -> Float64:
        """Return values (n, d_v) with the lengths and angles that count; weights: unit vectors."""
        if self.each_weight or isinstance(self.problem.given.values, Orthonormal):
            return np.eye(len(instance.keys))
        return instance.values

    def wanted(self, n: int) -> Float64:
        """Return the weights wanted of n keys."""
        weights = np.zeros(n)
        weights[self.problem.wanted_rows] = list(self.problem.goal.weights.values())
        return weights

    def scores(self, instance: KeyInstance, queries: Float64) -> Float64:
        """Return the scores (..., heads, n) of queries (..., heads, d)."""
        with np.errstate(all="ignore"):
            return self.problem.given.scale * (queries @ instance.keys.T)

    def weights(self, instance: KeyInstance, queries: Float64) -> Float64:
        """Return the weights (n,) of queries (heads, d), averaged, at the means of random keys."""
        with np.errstate(all="ignore"):
            return np.asarray(np.mean(softmax(self.scores(instance, queries)), axis=0))

    def error(self, instance: KeyInstance, queries: Float64) -> float:
        """Return the error of queries (heads, d)."""
        return float(self.errors(instance, queries[None])[0])

    @cached_property
    def of_heads(self) -> tuple[Goal, ...]:
        """The goals of single heads, in any order; none where the average alone counts."""
        goal, named = self.problem.goal, {row: n for n, row in self.problem.given.names.items()}
        goals = [
            goal.model_copy(update={"weights": {named[row]: w for row, w in own.items()}})
            for own in self.problem.own_weights
        ]
        return tuple(Goal(self.problem.model_copy(update={"goal": one})) for one in goals)

    def errors(self, instance: KeyInstance, queries: Float64) -> Float64:
        """Return the errors (factors,) of queries (factors, heads, d).

        It is NaN where something is not finite, and infinite where a score is so large that float64
        does not see a unit beside it. Where heads have weights of their own to meet, it is the
        largest of the error of the average and of what the error of a head comes to in it.
        """
        return self.errors_of_scores(instance, queries, self.scores(instance, queries))

    def errors_of_scores(self, instance: KeyInstance, queries: Float64, scores: Float64) -> Float64:
        """Return the same where the scores (factors, heads, n) are known already."""
        errors = self._average_errors(instance, queries, scores)
        return np.maximum(errors, self.head_errors(instance, queries)) if self.of_heads else errors

    def head_errors(self, instance: KeyInstance, queries: Float64) -> Float64:
        """Return the error (factors,) of the head that is furthest off, over their number."""
        from scipy.optimize import linear_sum_assignment  # slow to load

        heads = queries.shape[1]
        each = [
            [goal.average_errors(instance, queries[:, h : h + 1]) / heads for goal in self.of_heads]
            for h in range(heads)
        ]
        found = np.full(len(queries), np.nan)
        for at, table in enumerate(np.moveaxis(np.array(each), 2, 0)):
            if np.all(np.isfinite(table)):
                # Whichever head does what: all within the tolerance, if that can be.
                missed = np.where(table <= self.tolerance, 0.0, table)
                found[at] = np.max(table[linear_sum_assignment(missed)])
            elif not np.any(np.isnan(table)):
                found[at] = np.inf
        return found

    def average_errors(self, instance: KeyInstance, queries: Float64) -> Float64:
        """Return the errors (factors,) of the average over heads alone."""
        return self._average_errors(instance, queries, self.scores(instance, queries))

    def _average_errors(self, instance: KeyInstance, queries: Float64, scores: Float64) -> Float64:
        with np.errstate(all="ignore"):
            finite = np.all(np.isfinite(queries), axis=(1, 2)) & np.all(
                np.isfinite(scores), axis=(1, 2)
            )
            absurd = finite & (np.max(np.abs(scores), axis=(1, 2)) > LARGEST_SCORE)
        errors = np.full(len(queries), np.nan)
        errors[absurd] = np.inf
        usable = np.flatnonzero(finite & ~absurd)
        if has_noise(instance):
            for at in usable:
                with contextlib.suppress(ParameterError):  # variances beyond what float64 holds
                    errors[at] = self._under_noise(instance, queries[at], scores[at])
        elif len(usable):
            with np.errstate(all="ignore"):
                off = np.mean(softmax(scores[usable]), axis=1) - self.wanted(len(instance.keys))
            errors[usable] = self._measure(instance, off)
        return errors

    def right(self, instance: KeyInstance, queries: Float64) -> bool:
        """Whether queries (factors, heads, d) are all within the tolerance."""
        return bool(np.all(self.errors(instance, queries) <= self.tolerance))

    def _measure(self, instance: KeyInstance, off: Float64) -> Float64:
        """Return how much weights (factors, n) that are off by so much count."""
        if self.each_weight:
            return np.max(np.abs(off), axis=-1)
        law = self.problem.given.values
        if isinstance(law, Fixed):
            off = off @ instance.values
        elif isinstance(law, Orthogonal):
            off = off * np.linalg.norm(instance.values, axis=1)
        return np.linalg.norm(off, axis=-1)

    def _under_noise(self, instance: KeyInstance, queries: Float64, scores: Float64) -> float:
        """Return the root of the mean square error of queries (heads, d)."""
        # Heads with the same query are one head that counts for several.
        queries, first, counts = np.unique(queries, axis=0, return_index=True, return_counts=True)
        scores = scores[first]
        law = self.score_law(instance, queries)
        covariances, width = law.covariances, float(np.max(law.deviations))
        if width > WIDEST:  # from here on the law hardly changes, and takes ever longer
            scores, covariances = scores * (WIDEST / width), covariances * (WIDEST / width) ** 2
        # The law takes as long to work out as scores are far apart; how far below is all the same.
        best = np.max(scores, axis=-1, keepdims=True)
        scores = np.maximum(scores, best - FAR - 20 * min(width, WIDEST))
        own = np.eye(len(queries), dtype=bool)
        correlated = bool(np.any(np.abs(covariances * ~own) > 1e-9 * width**2))
        if not correlated:
            covariances = covariances * own  # what is left beside the diagonal is rounding
        values = self.counted_values(instance)
        # Only scores count: what has the same law of scores has the same error.
        centred = scores - np.mean(scores, axis=-1, keepdims=True)
        parts = (centred, covariances, values @ values.T, counts)
        key = tuple(np.round(part, 9).tobytes() for part in parts)
        if key not in self.laws:
            shares = counts / np.sum(counts)
            how = _sampled_squares if correlated else _exact_squares
            squares = how(centred, covariances, shares, values, self.wanted(len(values)))
            self.laws[key] = float(
                np.sqrt(np.max(squares) if self.each_weight else np.sum(squares))
            )
        return self.laws[key]

    def score_law(self, instance: KeyInstance, queries: Float64) -> Scores:
        """Return the law of the scores of queries (heads, d); noise at right angles has none."""
        noise, scale = instance.covariances, self.problem.given.scale
        return read_scores("check", queries, instance.keys, noise, scale)

    def score_width(self, instance: KeyInstance, queries: Float64) -> float:
        """Return the largest standard deviation of a score of queries (heads, d); may be inf."""
        try:
            return float(np.max(self.score_law(instance, queries).deviations))
        except ParameterError:  # beyond what float64 holds
            return np.inf


def _exact_squares(
    scores: Float64, covariances: Float64, shares: Float64, values: Float64, wanted: Float64
) -> Float64:
    """Return the mean square of each entry of c − c*."""
    heads = np.eye(len(scores))
    output = key_noise(heads, scores.T, covariances, values, head_weights=shares, tolerance=1e-6)
    bias = output.mean - wanted @ values
    return np.asarray(bias**2 + np.maximum(np.diagonal(output.covariance), 0.0))


def _sampled_squares(
    scores: Float64, covariances: Float64, shares: Float64, values: Float64, wanted: Float64
) -> Float64:
    """Return the same to about a hundredth, where an integral over several scores takes long."""
    normal = generator(0).standard_normal((SAMPLES // 2, *scores.T.shape))
    both = np.concatenate([normal, -normal])
    noise = np.einsum("ihg,sig->sih", noise_roots(covariances), both)
    weights = softmax(np.swapaxes(scores.T + noise, 1, 2))
    off = (np.tensordot(shares, weights, axes=(0, 1)) - wanted) @ values
    return np.asarray(np.mean(off**2, axis=0))
