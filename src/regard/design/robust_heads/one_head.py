"""Serve a group of keys: the query for it, by the solver of the objective, at the gap asked for."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from regard.design.robust_heads.claims import measured_gap
from regard.design.robust_heads.key_group import Group, Keys
from regard.design.robust_heads.least_noise_query import Least, least_noise
from regard.design.robust_heads.union_bound import least_failure
from regard.design.robust_heads.widest_gap_query import Obstruction, widest_gap

__all__ = ["Positions", "Served", "Server"]

Array = NDArray[np.float64]
Positions = tuple[int, ...]  # places in the list of targets

INSIDE = 1 - 1e-11  # of a length that is not to be exceeded, whatever is rounded
LONGEST = 1e8  # length of a query in units of the keys: a gap that needs a longer one is none


@dataclass(frozen=True)
class Served:
    """The query of a group, in the caller's units, what proves it best, and the gap it is for."""

    group: Group
    query: Array
    proof: Least | Obstruction | None
    gap: float | None


@dataclass(frozen=True, eq=False)
class Server:
    """What is asked of every query, and those found so far.

    Attributes:
        keys: the law of the keys. indices, weights: the target. norm: the longest query, if any.
        deviations: what comes off the gap for "quantile". objective: as the caller gave it.
    """

    keys: Keys
    indices: NDArray[np.intp]
    weights: Array
    norm: float | None
    deviations: float
    objective: str
    found: dict[Positions, Served | None] = field(default_factory=dict)
    directions: dict[Positions, Array | None] = field(default_factory=dict)

    def group(self, positions: Positions) -> Group:
        """The group of some targets, given by their places in the list of targets."""
        some = list(positions)
        share = self.weights[some] / float(np.sum(self.weights[some]))
        return Group(self.keys, tuple(int(i) for i in self.indices[some]), share)

    def share(self, served: Served) -> float:
        """What a head counts in the output."""
        return float(np.sum(self.weights[np.isin(self.indices, served.group.chosen)]))

    def query_for(self, positions: Positions, gap: float | None) -> Served | None:
        """The query of a group at a gap, or None; what only grows with the gap is found once."""
        group = self.group(positions)
        if not len(group.others):
            return self.solved(group, gap)
        if gap is None or self.norm is not None or not group.scales:
            return self.solved(group, gap)
        if positions not in self.found:
            self.found[positions] = self.once(group, 1.0, None)
        one = self.found[positions]
        return None if one is None else _scaled_to_gap(one, gap, self.taken)

    @property
    def taken(self) -> float:
        """The deviations that come off the gap."""
        return self.deviations if self.objective == "quantile" else 0.0

    def solved(self, group: Group, gap: float | None) -> Served | None:
        """The query of a group, with a gap that is met in spite of rounding."""
        unit = self.keys.unit
        norm = None if self.norm is None else self.norm * unit
        for extra in (0.0, 1e-13, 1e-11, 1e-9, 1e-7):
            aim = None if gap is None else gap * (1 + extra)
            served = self.once(group, aim, norm)
            if served is None or gap is None:
                return served
            if measured_gap(group, served.query, self.taken) >= gap:
                return replace(served, gap=gap)
        return None

    def once(self, group: Group, gap: float | None, norm: float | None) -> Served | None:
        """Put the question to the solver of the objective; lengths are in units of the keys."""
        unit = self.keys.unit
        if self.objective == "variance" or not len(group.others):
            assert gap is not None or not len(group.others)
            level = 0.0 if gap is None else gap
            proof = least_noise(group, level)
            if proof is not None and norm is not None and np.linalg.norm(proof.query) > norm:
                proof = least_noise(group, level, norm * INSIDE)
            return None if proof is None else Served(group, proof.query / unit, proof, gap)
        if self.objective == "quantile":
            return self.quantile(group, gap, norm)
        if group.chosen not in self.directions:  # the same for every gap
            self.directions[group.chosen] = least_failure(group)
        direction = self.directions[group.chosen]
        query = None if direction is None else _turned_up(group, direction, gap, norm)
        if query is None:
            # No direction scores the group alike and above; a query with its weights may yet.
            plain = widest_gap(group, 0.0, norm=norm) if gap is None else least_noise(group, gap)
            query = None if plain is None else plain.query
        if query is None or (norm and measured_gap(group, query / unit) <= norm / LONGEST):
            return None
        return Served(group, query / unit, None, gap)

    def quantile(self, group: Group, gap: float | None, norm: float | None) -> Served | None:
        """The widest gap less deviations within a length, or the shortest query with that gap."""
        unit = self.keys.unit
        if gap is None:
            assert norm is not None
            wide = widest_gap(group, self.deviations, norm=norm)
            if wide is None:
                return None
            query = wide.query / max(1.0, float(np.linalg.norm(wide.query)) / (norm * INSIDE))
            if measured_gap(group, query / unit, self.deviations) <= norm / LONGEST:
                return None
            return Served(group, query / unit, wide.proof, None)
        if group.scales:
            wide = widest_gap(group, self.deviations, norm=1.0)
            if wide is None:
                return None
            reached = measured_gap(group, wide.query / unit, self.deviations)
            if reached * LONGEST <= gap:
                return None
            wide = replace(wide, query=wide.query * (gap / reached))
        else:
            wide = widest_gap(group, self.deviations, gap=gap)
        if wide is None or (norm is not None and np.linalg.norm(wide.query) > norm):
            return None
        return Served(group, wide.query / unit, wide.proof, gap)


def _scaled_to_gap(served: Served, gap: float, deviations: float) -> Served | None:
    """The multiple of a query that just has a gap, with the multipliers that belong to it."""
    group = served.group
    have = measured_gap(group, served.query, deviations)
    if have <= 0 or not math.isfinite(have):
        return None
    factor = gap / have
    for _ in range(8):
        query = served.query * factor
        have = measured_gap(group, query, deviations)
        if have >= gap:
            break
        factor *= (1 + 4e-16) * max(gap / have, 1.0)
    proof = served.proof
    if isinstance(proof, Least):
        proof = replace(
            proof,
            witness=proof.witness * factor,
            rows=proof.rows * factor,
            ties=proof.ties * factor,
        )
    return replace(served, query=query, proof=proof, gap=gap)


def _turned_up(
    group: Group, direction: Array, gap: float | None, norm: float | None
) -> Array | None:
    """The direction at the length that gap or norm ask for, with the wanted differences."""
    ties, wanted = group.ties
    base = np.linalg.lstsq(ties, wanted, rcond=1e-10)[0] if len(ties) else 0 * direction
    if len(ties) and np.max(np.abs(ties @ base - wanted)) > 1e-9:
        return None
    rise, have = group.rows @ direction, group.rows @ base
    if gap is not None:
        return np.asarray(base + max(0.0, float(np.max((gap - have) / rise))) * direction)
    assert norm is not None
    along, rest = float(base @ direction), norm**2 - float(base @ base)
    if rest < 0:
        return None
    longer = math.sqrt(along**2 + rest) - along
    return np.asarray(base + longer * INSIDE * direction)
