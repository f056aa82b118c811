"""Design a head of self-attention: from tokens and what each row should do to W_Q, W_K and W_V.

Construction. Scores are linear in A = W_K W_Qᵀ: s_ij = x_j·A x_i. So a pattern of weights is
reached as in :mod:`regard.design.query`, by A_1 + C A_0 with the widest margin, in one problem
for all rows; if it is out of reach, the same kind of average proves it. Then heads of rank 1, 2,
… are tried, from the proved lower bound up. W_V sends what the rows attend to to what they should
put out.

The error that is claimed is measured on the rounded matrices themselves.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np

from regard.certify import Certificate, Claim
from regard.design.heads import claims as head_claims
from regard.design.heads.infeasible import within_or_refuse
from regard.design.heads.joint_fit import fit_together
from regard.design.heads.low_rank import Factors, Wish, factors, fewest_columns
from regard.design.heads.output_targets import Wanted, assignments, averages, distance
from regard.design.heads.rank_bound import rank_claims, rank_one
from regard.design.heads.reasons import NoneWithColumns, OutputsOutOfReach, TooFewColumns
from regard.design.linear_scores.exclusion_claims import verified
from regard.design.linear_scores.family import Array, Family, Pattern, largest, softmax
from regard.design.linear_scores.pattern_fit import reach_limit
from regard.design.linear_scores.smallest_scale import off_target
from regard.design.reasons import Nearest, refused, undecided
from regard.design.results import HeadDesign

__all__ = ["HeadTask"]

MOST_SEARCHED = 3  # patterns
SHARES = (1e-6, 1e-3)  # of an error, below which nothing is proved to be: the last is told
ROOM = (1 - 1e-7, 0.99, 0.5, 0.1)  # shares of the tolerance; the rest is for rounding the matrices


class HeadTask:
    """One call: what is given, and the steps from it to a design or an obstruction."""

    def __init__(
        self,
        tokens: Array,
        attend: Wanted,
        outputs: dict[int, Array],
        W_V: Array | None,
        d_k: int | None,
        tolerance: float,
        scale: float,
    ) -> None:
        self.given, self.given_W_V = tokens, W_V
        self.attend, self.outputs = attend, outputs
        self.d_k, self.tolerance, self.scale = d_k, tolerance, scale
        # The steps work on tokens of ordinary size; a power of two is exact.
        self.unit = 2.0 ** -math.frexp(largest(tokens))[1] if np.any(tokens) else 1.0
        self.tokens = tokens * self.unit
        self.W_V = None if W_V is None else W_V / self.unit

    def solve(self) -> HeadDesign:
        """The design with the fewest columns found, or the exception that says why not."""
        self.refuse_outputs()
        best = self.best_pattern()
        if best is None and self.outputs:
            near = self.closest_outputs
            best = near if near.error <= self.tolerance else None
        if best is None:
            best = within_or_refuse(self)
        if self.d_k is not None and best.d_k != self.d_k:
            return self.with_columns(best)
        return best

    def best_pattern(self) -> HeadDesign | None:
        """The pattern with the fewest columns. Small ranks are searched for the first few only."""
        reached: list[tuple[Wanted, Array, HeadDesign]] = []
        for pattern, value in self.candidates():
            design = self.attempt(pattern, value, search=False)
            if design is not None:
                reached.append((pattern, value, design))
                if design.d_k == 1 or len(reached) == MOST_SEARCHED:
                    break
        designs = [design for _, _, design in reached]
        if all(design.d_k > 1 for design in designs):
            for pattern, value, _ in reached:
                design = self.attempt(pattern, value, search=True)
                if design is not None:
                    designs.append(design)
        return min(designs, key=lambda design: design.d_k, default=None)

    def candidates(self) -> Iterator[tuple[Wanted, Array]]:
        """Patterns for all rows asked for, with the W_V that goes with each."""
        width = self.tokens.shape[1]
        if not self.outputs:
            yield self.attend, np.eye(width) / self.unit if self.W_V is None else self.W_V
        elif self.W_V is not None:
            for pattern in averages(self.tokens @ self.W_V, self.attend, self.outputs):
                yield pattern, self.W_V
        else:
            yield from assignments(self.tokens, self.attend, self.outputs)

    def attempt(self, wanted: Wanted, value: Array, search: bool) -> HeadDesign | None:
        """The head of fewest columns found for one pattern; None if the pattern is out of reach.

        Without `search` only one column and as many as the widest margin needs are tried.
        """
        rows, pattern = list(wanted), _pattern(wanted)
        error = self.error_of(rows, value)
        apart = self.tokens - self.tokens[0]
        right, left = _span(self.tokens[rows]), _span(apart)
        family = Family(apart @ left, self.tokens[rows] @ right, self.scale)
        one = rank_one(self.tokens, rows, pattern)
        claims = []
        if wanted.keys() == self.attend.keys():
            claims = rank_claims(rows, pattern, self.tolerance, len(self.tokens), one)
        least = max([1, *(claim.fields["bound"] for claim in claims)])
        for room in ROOM:
            allowed = self.tolerance * room
            limit = reach_limit(family, pattern, error, allowed)
            if not np.isfinite(limit.scale):
                return None
            full = left @ family.parameter(limit.vector()) @ right.T
            wish = Wish(self.tokens, self.tokens[rows], pattern, error, allowed, self.scale)
            ranks = range(least, len(self.tokens[0])) if self.d_k is None else [self.d_k]
            found = fewest_columns(wish, full, one, ranks, search)
            design = self.design(found, value, claims)
            if design.error <= self.tolerance:
                return design
        return None

    def error_of(self, rows: list[int], value: Array) -> Any:
        """Scores (m, n) of `rows` ↦ the error of what was asked for."""
        places = [rows.index(row) for row in self.attend if row in rows]
        weighed = off_target(_pattern(self.attend), None) if self.attend else None
        out = [rows.index(row) for row in self.outputs]
        vectors = np.array(list(self.outputs.values()))
        values = self.tokens @ value

        def error(scores: Array) -> float:
            worst = 0.0 if weighed is None else weighed(scores[places])
            if out:
                missed = softmax(scores[out]) @ values - vectors
                worst = max(worst, float(np.max(np.linalg.norm(missed, axis=1))))
            return worst

        return error

    def design(self, found: Factors, value: Array, rank: list[Claim]) -> HeadDesign:
        """The design with its measured error, and the claims on d_k in `rank`."""
        W_Q, W_K = found[0] * self.unit, found[1] * self.unit
        value = value * self.unit
        A = W_K @ W_Q.T
        head = head_claims.Matrices(W_Q, W_K, A, value, values_given=self.W_V is not None)
        claims, error = head_claims.close(self.given, head, self.scale, self.attend, self.outputs)
        return HeadDesign(
            W_Q=W_Q,
            W_K=W_K,
            W_V=value,
            A=A,
            d_k=W_Q.shape[1],
            d_k_lower_bound=max([1, *(claim.fields["bound"] for claim in rank)]),
            error=error,
            scale=self.scale,
            certificate=self.certificate([*claims, *rank]),
            weights=softmax(self.scale * (self.given @ W_Q) @ (self.given @ W_K).T),
            tolerance=self.tolerance,
        )

    def certificate(self, claims: list[Claim]) -> Certificate:
        """Claims about what the caller gave."""
        arrays = {"tokens": self.given}
        if self.given_W_V is not None:
            arrays["W_V"] = self.given_W_V
        return Certificate(arrays, tuple(claims), self.scale)

    def refuse_outputs(self) -> None:
        """Raise if the outputs are proved to be out of reach of every pattern."""
        claim = head_claims.outputs_obstruction(
            self.tokens, self.outputs, self.W_V, self.tolerance, distance
        )
        # Tokens that depend on each other up to rounding may forbid in floats what they allow.
        for proved in verified([] if claim is None else [claim], self.certificate([])):
            best, bound = self.closest_outputs, proved.fields["bound"]
            least = next((share for share in SHARES if bound >= best.error * (1 - share)), None)
            nearest = Nearest("head", "error", best.error, least, rough=least == SHARES[-1])
            raise refused(OutputsOutOfReach(nearest, bound), self.certificate([proved]), best)

    @cached_property
    def closest_outputs(self) -> HeadDesign:
        """The head that a descent on the outputs finds."""
        rows = list(self.outputs)
        A, value = fit_together(
            self.tokens,
            rows,
            np.array(list(self.outputs.values())),
            self.scale,
            self.W_V,
            self.tolerance,
        )
        rank = max(1, int(np.linalg.matrix_rank(A)))
        return self.design(factors(A, rank), value, [])

    def value_for(self, weights: Array, rows: list[int]) -> Array:
        """W_V for weights of `rows` that are as good as can be: least squares, or the tokens."""
        if self.W_V is not None:
            return self.W_V
        places = [rows.index(row) for row in self.outputs if row in rows]
        if not places:
            width = self.tokens.shape[1]
            columns = len(next(iter(self.outputs.values()))) if self.outputs else width
            return np.eye(width, columns) / self.unit
        vectors = np.array([self.outputs[rows[place]] for place in places])
        return np.linalg.pinv(weights[places] @ self.tokens, 1e-10) @ vectors

    def with_columns(self, design: HeadDesign) -> HeadDesign:
        """The design with the d_k asked for: wider by columns of 0, or refused."""
        assert self.d_k is not None
        if design.d_k < self.d_k:
            more = ((0, 0), (0, self.d_k - design.d_k))
            found = (
                np.pad(design.W_Q, more) / self.unit,
                np.pad(design.W_K, more) / self.unit,
            )
            rank = [c for c in design.certificate.claims if c.kind == "d_k_at_least"]
            return self.design(found, design.W_V / self.unit, rank)
        rank = [c for c in design.certificate.claims if c.kind == "d_k_at_least"]
        nearest = Nearest("head", "d_k", design.d_k)
        if design.d_k_lower_bound > self.d_k:
            reason = TooFewColumns(nearest, self.d_k, design.d_k_lower_bound)
            raise refused(reason, self.certificate(rank), design)
        raise undecided(NoneWithColumns(nearest, self.d_k), None, design)


def _pattern(wanted: Wanted) -> Pattern:
    return Pattern(
        tuple(indices for indices, _ in wanted.values()),
        tuple(weights for _, weights in wanted.values()),
    )


def _span(rows: Array) -> Array:
    """An orthonormal basis (columns) of the span of rows; one column at least."""
    _, sizes, right = np.linalg.svd(rows, full_matrices=False)
    rank = int(np.sum(sizes > 1e-13 * max(float(sizes[0]), 1e-300)))
    return right[: max(rank, 1)].T
