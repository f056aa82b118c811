"""Queries over keys that are not random: by a formula, designed, or proved to be impossible."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from regard.certify import Certificate, Claim
from regard.design import QueryDesign
from regard.design import query as design_query
from regard.errors import InfeasibleDesign, RegardError, UndecidedDesign
from regard.kinds.heads.solve.averaged_heads import AveragedHeads, QueriesFound
from regard.kinds.query.solve.smallest_factor import solve_smallest_factor
from regard.kinds.query.spec import QueryProblem
from regard.problems.instances import Float64
from regard.solving.finding import Status, excluding, within
from regard.solving.key_tables import softmax

UNEQUAL = 1e6  # coordinates whose sizes differ by less are left alone


@dataclass(frozen=True, eq=False, kw_only=True)
class Undecided(QueriesFound):
    """Neither a query nor an obstruction was proved; `refusal` is what the design says."""

    refusal: InfeasibleDesign | UndecidedDesign


@dataclass(frozen=True, eq=False, kw_only=True)
class MaxMargin(QueriesFound):
    """A designed query: the shortest, or that of the widest margin.

    Attributes:
        design: with its margin and its certificate.
        example: whether the keys are of no law in particular, and those of an example.
    """

    design: QueryDesign
    example: bool


class Excluded(MaxMargin):
    """No query has these weights, or this output, within the tolerance; the query is the closest.

    `example` says whether that is so of an example only; `design` is that of the closest query.
    """

    def claim(self, kind: str) -> Claim | None:
        """The first claim of a kind that excludes the goal; None if there is none."""
        return next((c for c in self.certificate.claims if c.kind == kind), None)


@dataclass(frozen=True, eq=False, kw_only=True)
class OtherUnits(QueriesFound):
    """A query that was designed with each coordinate in a unit of its own.

    Scores stay as they are if coordinate j of every key is divided by u_j and that of the query
    multiplied by it. Powers of two change nothing else.

    Attributes:
        units: u, (d,).
        sizes: the smallest and the largest size of a coordinate.
        error: of the weights or of the output, as the goal says.
    """

    units: Float64
    sizes: tuple[float, float]
    error: float


def solve_at_means(problem: QueryProblem, heads: AveragedHeads) -> QueriesFound:
    """Return the query for keys that are not random, or are at their means."""
    if heads.whole.any_scores:
        return solve_smallest_factor(problem, heads)
    # With random keys and arbitrary values the weights stand for the output.
    known = problem.given.values_known or heads.whole.prefix == "mu"
    values = heads.instance.values if known else None
    example = problem.given.keys.law == "arbitrary"
    try:
        found = _design(heads, heads.instance.keys, values, heads.tolerance)
    except InfeasibleDesign as refusal:
        best, proof = refusal.best, refusal.certificate
        status, reaches = Status.IMPOSSIBLE, excluding(proof)
        found_none = Excluded.of_one(
            status, heads, best.query, proof, reaches, design=best, example=example
        )
        return found_none if example else replace(found_none, answer={"possible": False})
    except UndecidedDesign as refusal:
        return _in_other_units(heads, values) or _undecided(heads, refusal)
    return MaxMargin.of_one(
        Status.ARGUED if example else Status.PROVED,
        heads,
        found.query,
        found.certificate,
        within(found.certificate, (_close(values),), heads.tolerance),
        instances=1,
        design=found,
        example=example,
    )


def _design(
    heads: AveragedHeads, keys: Float64, values: Float64 | None, tolerance: float
) -> QueryDesign:
    target, scale = heads.whole.target, heads.whole.scale
    return design_query(keys, target, tolerance=tolerance, values=values, scale=scale)


def _close(values: Float64 | None) -> str:
    """Return the kind of claim that is the goal: of the output where values count."""
    return "weights_close" if values is None else "output_close"


def _in_other_units(heads: AveragedHeads, values: Float64 | None) -> OtherUnits | None:
    """Return a query that was designed in other units; None if that finds none."""
    pattern, keys, tolerance = heads.whole, heads.instance.keys, heads.tolerance
    sizes = np.max(np.abs(keys), axis=0)
    used = sizes > 0
    if not np.any(used) or np.max(sizes[used]) < UNEQUAL * np.min(sizes[used]):
        return None
    units = np.ones_like(sizes)
    units[used] = 2.0 ** np.round(np.log2(sizes[used]))
    try:
        found = _design(heads, keys / units, values, tolerance / 2).query
    except RegardError:
        return None
    # What is rounding beside the largest coordinate is taken as 0.
    query = np.where(np.abs(found) <= 1e-14 * np.max(np.abs(found)), 0.0, found) / units
    missed = softmax(pattern.scale * (keys @ query)) - pattern.wanted
    error = float(np.max(np.abs(missed)) if values is None else np.linalg.norm(missed @ values))
    if not error <= tolerance:
        return None
    claim = Claim(_close(values), {"target": pattern.claimed, "bound": tolerance}, {"query": query})
    arrays = {"keys": keys} | ({} if values is None else {"values": values})
    return OtherUnits.of_one(
        Status.PROVED,
        heads,
        query,
        Certificate(arrays, (claim,), pattern.scale),
        (0,),
        units=units,
        sizes=(float(np.min(sizes[used])), float(np.max(sizes[used]))),
        error=error,
    )


def _undecided(heads: AveragedHeads, refusal: UndecidedDesign) -> Undecided:
    best, keys = refusal.best, heads.instance.keys
    query = np.zeros(keys.shape[1]) if best is None else best.query
    certificate = refusal.certificate or (best.certificate if best is not None else None)
    if certificate is None:
        certificate = Certificate({"keys": keys}, (), heads.whole.scale)
    return Undecided.of_one(Status.UNDECIDED, heads, query, certificate, refusal=refusal)
