"""Queries over random keys: a factor large enough for the leak and small enough for the noise."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from regard.certify import Claim
from regard.design import RobustDesign, isotropic_scale
from regard.kinds.query.solve.exact import solve_exact
from regard.kinds.query.solve.fixed import solve_fixed
from regard.kinds.query.solve.formula import Mix, spelled
from regard.kinds.query.solve.law import (
    NO_BOUND,
    Bound,
    RandomKeys,
    certified,
    is_proved,
    provable_claim,
    rms_bound,
    rms_claim,
)
from regard.kinds.query.solve.noise_shown import noise_details, noise_mistakes
from regard.kinds.query.solve.noise_steps import noise_headline, noise_steps
from regard.kinds.query.solve.quiet import (
    as_weights,
    random_assumes,
    random_keys,
    robust_query,
    solve_designed,
    solve_otherwise,
    solve_quiet,
)
from regard.kinds.query.spec import QueryProblem
from regard.problems.instances import KeyInstance
from regard.solving.finding import Status
from regard.solving.solution import Solution, solved

Float64 = NDArray[np.float64]

COARSE, FINE = 17, 9  # factors tried at a time
EVERY = 16  # of the factors that floats have no proof for, one in so many is tried
WIDE = 8.0  # how many times the widest useful factor is still tried
MOST_ROBUST = 40  # keys for which a robust query is designed beside the formula
SMALL = 1e-12


@dataclass(frozen=True, eq=False)
class Noisy:
    """One problem with random keys, and the numbers that its solution is made of.

    Attributes:
        mix: what is wanted, and the formula.
        keys: the law of the keys, and values.
        instance: the same with the names of formulas.
        tolerance: of √E ‖c − c*‖².
        wanted: the output that is wanted.
        variance: alpha, where every covariance is alpha I; None otherwise.
        closed: the best factor to first order, by Lambert's W; None where there is no closed form.
        best: the best factor, by the exact law.
        window: the factors within the tolerance, from and to; None if there are none.
        factor: the one of the answer.
        bound: what is provable of it, in floats.
        proved: whether the tolerance is proved for it, by a claim that is verified.
        robust: the quietest query, designed; None where that was not tried.
    """

    mix: Mix
    keys: RandomKeys
    instance: KeyInstance
    tolerance: float
    wanted: Float64
    variance: float | None
    closed: float | None
    best: float
    window: tuple[float, float] | None
    factor: float
    bound: Bound
    proved: bool
    robust: RobustDesign | None

    def queries(self, factors: Float64) -> Float64:
        """The queries (..., 1, d) of factors (...)."""
        start = self.mix.query(0.0, self.instance.symbols)
        step = self.mix.query(1.0, self.instance.symbols) - start
        return (start + np.multiply.outer(factors, step))[..., None, :]

    def off(self, factors: Float64) -> Float64:
        """√E ‖c − c*‖² at these factors."""
        return self.keys.off(self.queries(factors), self.wanted)

    @property
    def query(self) -> Float64:
        """The query of the answer."""
        return self.mix.query(self.factor, self.instance.symbols)

    def bound_at(self, factor: float) -> Bound:
        """What is provable at a factor, in floats."""
        query = self.mix.query(factor, self.instance.symbols)
        return rms_bound(self.keys, query[None], self.mix.target)

    def claim_at(self, factor: float) -> Claim:
        """The goal, of the query with this factor."""
        query = self.mix.query(factor, self.instance.symbols)
        return rms_claim(self.keys, query[None], self.mix.target, self.tolerance)


def solve_noise(problem: QueryProblem, mix: Mix, instance: KeyInstance) -> Solution:
    """Return the formula if it holds the tolerance; else a quieter query, or the limit."""
    keys = random_keys(problem, instance)
    if not np.any(keys.covariances):  # keys that are their means
        still = mix.structure != "none" and (mix.structure != "independent" or spelled(mix))
        solver = solve_exact if still else solve_fixed
        return solver(problem, mix, as_weights(problem, instance))
    if mix.structure == "none" or not spelled(mix):
        return solve_designed(problem, mix, instance, keys)
    found = read_noise(problem, mix, instance, keys)
    if found.window is not None:
        solution = _by_formula(problem, found)
        if not found.proved and found.robust is not None:
            # A quieter query may be proved where the formula is not.
            quieter = solve_quiet(problem, mix, instance, keys, found.robust)
            return quieter if quieter.status is Status.PROVED else solution
        return solution
    return solve_otherwise(problem, mix, instance, keys, found.robust)


def read_noise(problem: QueryProblem, mix: Mix, instance: KeyInstance, keys: RandomKeys) -> Noisy:
    """Work out the best factor, and which ones are within the tolerance."""
    wanted = mix.wanted() @ keys.values
    alpha = _isotropic(keys.covariances)
    found = Noisy(
        mix, keys, instance, problem.goal.tolerance, wanted, alpha, None, 0.0, None, 0.0, NO_BOUND,
        False, robust_query(mix, keys) if mix.n <= MOST_ROBUST else None,
    )  # fmt: skip
    widest = max(mix.factor_for(1e-9), 0.0) if mix.rest else 0.0
    best = _best(found, widest)
    found = replace(found, best=best, closed=_closed(mix, keys, alpha))
    found = replace(found, window=_window(found, widest))
    if found.window is None:
        return replace(found, factor=best)
    tried = _worth_trying(found)
    for at, factor in enumerate(tried):
        bound = found.bound_at(factor)
        # What floats put above the tolerance is rarely proved; a few are looked at all the same,
        # as the claim knows another bound for heads that look at one key.
        likely = bound.value <= found.tolerance or at % EVERY == 0
        if likely and is_proved(keys, found.claim_at(factor)):
            return replace(found, factor=factor, bound=bound, proved=True)
    factor = next(f for f in (*tried, best) if found.off(np.array(f)) <= found.tolerance)
    return replace(found, factor=factor, bound=found.bound_at(factor))


def _worth_trying(found: Noisy) -> list[float]:
    """Factors of four digits, those first that a proof is likeliest for."""
    assert found.window is not None
    low, high = found.window
    if found.mix.m > 1:
        grid = np.linspace(low, high, COARSE)
        for _ in range(3):
            bounds = [found.bound_at(float(f)).value for f in grid]
            at = int(np.argmin(bounds))
            grid = np.linspace(grid[max(at - 1, 0)], grid[min(at + 1, len(grid) - 1)], FINE)
        least = float(grid[int(np.argmin([found.bound_at(float(f)).value for f in grid]))])
        tried = [least, found.closed or least, found.best, *np.linspace(low, high, FINE).tolist()]
    else:  # there is no best factor short of infinity: a small one will do
        tried = [*np.geomspace(max(low, 1e-3), high, 8 * COARSE).tolist(), found.best]
    return list(dict.fromkeys(float(f"{factor:.4g}") for factor in tried))


def _isotropic(covariances: Float64) -> float | None:
    alpha = float(covariances[0, 0, 0])
    same = np.abs(covariances - alpha * np.eye(covariances.shape[1])) <= SMALL * abs(alpha)
    return alpha if alpha > 0 and bool(np.all(same)) else None


def _closed(mix: Mix, keys: RandomKeys, alpha: float | None) -> float | None:
    """Lambert's closed form, for an even pair over orthonormal means and isotropic noise."""
    if alpha is None or mix.m != 2 or not mix.even or not mix.rest:
        return None
    if mix.structure != "orthonormal":
        return None
    rest = [i for i in range(mix.n) if i not in mix.rows]
    away = np.mean(keys.values[rest], axis=0) - mix.wanted() @ keys.values
    D = float(np.linalg.norm(away))
    apart = float(np.linalg.norm(np.subtract(*keys.values[list(mix.rows)])))
    if D <= 0 or apart <= 0:
        return None
    return isotropic_scale(mix.n, alpha, D, apart) / mix.scale


def _best(found: Noisy, widest: float) -> float:
    """The factor with the least error, by finer and finer grids."""
    low, high = 0.0, widest
    if high == low:
        return 0.0
    for points in (COARSE, FINE, FINE, FINE):
        grid = np.linspace(low, high, points)
        at = int(np.argmin(found.off(grid)))
        low, high = grid[max(at - 1, 0)], grid[min(at + 1, points - 1)]
    return float((low + high) / 2) if 0 < at < points - 1 else float(grid[at])


def _window(found: Noisy, widest: float) -> tuple[float, float] | None:
    """The factors around the best one with an error within the tolerance."""
    if float(found.off(np.array(found.best))) > found.tolerance:
        return None
    edges = []
    for end in (0.0, WIDE * max(widest, 1.0)):
        inside, outside = found.best, end
        if float(found.off(np.array(end))) <= found.tolerance:
            edges.append(end)
            continue
        for _ in range(5):
            grid = np.linspace(inside, outside, FINE)
            fine = found.off(grid) <= found.tolerance
            at = int(np.argmin(fine))  # the first that is not
            inside, outside = float(grid[max(at - 1, 0)]), float(grid[at])
        edges.append(inside)
    return edges[0], edges[1]


def _by_formula(problem: QueryProblem, found: Noisy) -> Solution:
    claim = found.claim_at(found.factor)
    if not found.proved:
        claim = provable_claim(found.keys, found.query[None], found.mix.target, found.bound)
    return solved(
        problem,
        Status.PROVED if found.proved else Status.NUMERIC,
        noise_headline(found),
        {"q": found.mix.text(), found.mix.factor: found.factor},
        certified(found.keys, claim),
        noise_steps(problem, found),
        noise_details(problem, found),
        noise_mistakes(found),
        reaches=(0,) if found.proved else (),
        assumes=random_assumes(problem),
    )
