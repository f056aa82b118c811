"""Design robust heads: share the targets among heads, find each query, measure the law."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from regard.analysis import OutputLaw, key_noise
from regard.analysis.noise.random_scores import read_scores
from regard.analysis.noise.sobol import sampled_weights
from regard.certify import Certificate, Claim
from regard.certify.claim_subjects import told_apart
from regard.design.robust_heads.allocation import Allocation, allocate
from regard.design.robust_heads.claims import (
    failure_claim,
    gap_claims,
    limit_claim,
    measured_gap,
    noise_claims,
)
from regard.design.robust_heads.least_noise_query import Least
from regard.design.robust_heads.noise_scale import best_gap, isotropic_scale, widest_useful_gap
from regard.design.robust_heads.one_head import Positions, Served, Server
from regard.design.robust_heads.refusal import refusal
from regard.design.robust_heads.result import RobustDesign
from regard.design.robust_heads.widest_gap_query import Obstruction

__all__ = ["RobustTask"]

Array = NDArray[np.float64]

FUNCTION = "design.robust"
ROUNDS = 3  # of choosing a gap and sharing targets again
POWER = 11  # of two: points that sample what heads have in common
ROUGHLY = 1e-3  # of the values: how far off a sampled law may be while gaps are compared
MOST_SAMPLED = 20_000  # scores: beyond, heads are taken to be independent in the search


@dataclass
class RobustTask:
    """One call: what is given, and the steps from it to a design or an obstruction."""

    server: Server
    values: Array | None
    heads: int
    gap: float | None

    def __post_init__(self) -> None:
        self.keys = self.server.keys
        self.indices, self.weights = self.server.indices, self.server.weights
        self.averaged = np.eye(len(self.keys.means)) if self.values is None else self.values
        self.wanted = self.weights @ self.averaged[self.indices]

    def solve(self) -> RobustDesign:
        """The design, or the exception that says why there is none."""
        gap = self.gap
        if gap is None and self.searches:
            gap = widest_useful_gap(len(self.keys.means) - 1) / 3
            gap = self.start() or gap
        allocation = self.allocation(gap)
        if not math.isfinite(allocation.cost) and self.gap is None and gap is not None:
            gap = 1e-3  # is there any?
            allocation = self.allocation(gap)
        if not math.isfinite(allocation.cost):
            raise refusal(self, gap)
        if self.gap is None and self.searches:
            for _ in range(ROUNDS):
                assert gap is not None
                gap = self.searched(allocation.groups, gap)
                again = self.allocation(gap)
                if again.groups == allocation.groups:
                    break
                allocation = again
        return self.design(self.all_served(allocation.groups, gap), allocation)

    @property
    def searches(self) -> bool:
        """Whether the gap is ours to choose: not if the length of the queries settles it."""
        return self.server.norm is None or self.server.objective == "variance"

    def start(self) -> float | None:
        """The closed form for two targets alike and isotropic noise, to begin with."""
        if self.heads > 1 or len(self.indices) != 2 or len(self.keys.means) == 2:
            return None
        lengths = np.sum(self.keys.scored**2, axis=1)
        spreads = np.trace(self.keys.noise, axis1=1, axis2=2) / self.keys.noise.shape[1]
        alpha = float(np.mean(spreads)) / (float(np.mean(lengths)) or 1.0)
        others = np.setdiff1d(np.arange(len(self.averaged)), self.indices)
        away = float(np.linalg.norm(np.mean(self.averaged[others], axis=0) - self.wanted))
        apart = float(np.linalg.norm(np.subtract(*self.averaged[self.indices])))
        if min(alpha, away, apart) <= 0:
            return None
        return isotropic_scale(len(self.keys.means), alpha, away, apart) or None

    def allocation(self, gap: float | None) -> Allocation:
        """Share the targets among the heads; a group costs what its noise adds to the output."""

        def cost(positions: Positions) -> float:
            served = self.server.query_for(positions, gap)
            if served is None:
                return math.inf
            if self.heads in (1, len(self.indices)) and len(positions) in (1, len(self.indices)):
                return 0.0  # nothing to choose from
            share = float(np.sum(self.weights[list(positions)]))
            return share**2 * max(float(self.law([served]).variance), 0.0)

        return allocate(len(self.indices), self.heads, cost)

    def all_served(self, groups: tuple[Positions, ...], gap: float | None) -> list[Served]:
        """The queries of all groups, which must exist."""
        found = [self.server.query_for(positions, gap) for positions in groups]
        return [served for served in found if served is not None]

    def law(self, served: list[Served], tolerance: float = 1e-8) -> OutputLaw:
        """The law of the output of some heads, each counted once if it is alone.

        Args:
            served: the heads.
            tolerance: the error that is allowed where the law has to be sampled.
        """
        shares = (
            np.array([self.server.share(one) for one in served]) if len(served) > 1 else np.ones(1)
        )
        return key_noise(
            np.array([one.query for one in served]),
            self.keys.means,
            self.keys.covariances,
            self.averaged,
            head_weights=shares,
            scale=self.keys.scale,
            tolerance=tolerance,
        )

    def off(self, law: OutputLaw) -> float:
        """√E ‖c − c*‖²."""
        missed = law.mean - self.wanted
        return math.sqrt(max(float(missed @ missed) + float(law.variance), 0.0))

    def searched(self, groups: tuple[Positions, ...], known: float) -> float:
        """The gap at which these groups err least."""

        def error(gap: float) -> float:
            served = self.all_served(groups, gap)
            return self.roughly_off(served) if len(served) == len(groups) else math.inf

        return best_gap(error, known, widest_useful_gap(len(self.keys.means) - 1))

    def roughly_off(self, served: list[Served]) -> float:
        """√E ‖c − c*‖², exact but for what heads have in common, which is sampled.

        A search asks for this often, and the double integrals of several heads are slow. The
        points are the same for every gap, so that the errors can be compared.
        """
        shares = [self.server.share(one) for one in served] if len(served) > 1 else [1.0]
        size = float(np.max(np.abs(self.averaged), initial=0.0))
        laws = [self.law([one], max(ROUGHLY * size, 1e-8)) for one in served]
        missed = sum(w * law.mean for w, law in zip(shares, laws, strict=True)) - self.wanted
        total = float(missed @ missed)
        total += sum(w * w * float(law.variance) for w, law in zip(shares, laws, strict=True))
        count = len(self.keys.means)
        if len(served) > 1 and count * len(served) <= MOST_SAMPLED:
            scores = read_scores(
                FUNCTION,
                np.array([one.query for one in served]),
                self.keys.means,
                self.keys.covariances,
                self.keys.scale,
            )
            blocks = sampled_weights(scores, POWER, np.random.default_rng(0))
            outputs = np.concatenate(
                [np.einsum("phn,nv,h->phv", weights, self.averaged, shares) for weights in blocks]
            )
            outputs -= np.mean(outputs, axis=0)
            together = np.sum(np.mean(np.sum(outputs, axis=1) ** 2, axis=0))
            total += float(together - np.sum(np.mean(outputs**2, axis=0)))
        return math.sqrt(max(total, float(missed @ missed)))

    def design(self, served: list[Served], allocation: Allocation) -> RobustDesign:
        """The design of queries that were found, with all that is proved of them."""
        claims: list[Claim] = []
        failures = []
        for one in served:
            claims += gap_claims(one.group, one.query, self.server.taken)
            failure, said = failure_claim(one.group, one.query)
            failures.append(failure)
            claims += said
            if isinstance(one.proof, Least):
                level = 0.0 if one.gap is None else one.gap
                claims += noise_claims(one.group, one.query, one.proof, level, self.server.norm)
            elif isinstance(one.proof, Obstruction):
                limit = (
                    limit_claim(one.group, one.proof, gap=one.gap, query=one.query)
                    if one.gap
                    else limit_claim(one.group, one.proof, norm=self.server.norm, query=one.query)
                )
                claims += [] if limit is None else [limit]
        law = self.law(served)
        gaps = [measured_gap(one.group, one.query) for one in served]
        robust = [measured_gap(one.group, one.query, self.server.taken) for one in served]
        shares = np.array([self.server.share(one) for one in served])
        return RobustDesign(
            queries=np.array([one.query for one in served]),
            head_weights=shares if len(served) > 1 else np.ones(1),
            allocation=tuple(one.group.chosen for one in served),
            law=law,
            certificate=self.certificate(claims),
            gap=min(gaps),
            robust_gap=min(robust) if self.server.objective == "quantile" else None,
            failure=np.array(failures),
            rmse=self.off(law),
            objective=self.server.objective,
            scale=self.keys.scale,
            allocated=allocation.how,
        )

    def certificate(self, claims: list[Claim]) -> Certificate:
        """Claims about what the caller gave."""
        arrays = {"means": self.keys.means, "covariances": self.keys.covariances}
        return told_apart(arrays, claims, self.keys.scale)
