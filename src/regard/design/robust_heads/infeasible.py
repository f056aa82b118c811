"""Why no query serves the targets: proofs, and what comes closest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from regard.certify import Claim
from regard.design.queries.arguments import query as exact_query
from regard.design.robust_heads.claims import limit_claim
from regard.design.robust_heads.key_group import Group
from regard.design.robust_heads.least_noise_query import least_noise
from regard.design.robust_heads.one_head import Served, Server
from regard.design.robust_heads.widest_gap_query import (
    Obstruction,
    too_short,
    unreachable,
    widest_gap,
)
from regard.errors import InfeasibleDesign, UndecidedDesign

__all__ = ["Limits"]

Array = NDArray[np.float64]

FAR = 1e4  # times the gap, in units of the keys: an obstruction to shorter queries is none


@dataclass(frozen=True)
class Limits:
    """What can be proved of groups that no query serves."""

    server: Server

    def nearest(self, group: Group, gap: float | None) -> tuple[Served, Claim | None]:
        """The closest query for a group that cannot be served, and the proof that it cannot."""
        unit, keys = self.server.keys.unit, self.server.keys
        level = 1.0 if gap is None else gap
        claim = None
        if self.server.norm is not None and len(group.others):
            claim, query = self.within(group, self.server.norm, gap)
            if query is not None:
                return Served(group, query, None, gap), claim
        elif len(group.others):
            claim = self.gap_claim(group, unreachable(group, level), level)
            if claim is None and self.server.taken:
                claim = self.noise_claim(group, level)
        calm = least_noise(group, level) if self.server.norm is None and self.server.taken else None
        if calm is not None:
            return Served(group, calm.query / unit, None, gap), claim
        goal = dict(zip(group.chosen, group.weights.tolist(), strict=True))
        try:
            found = exact_query(keys.means, goal, scale=keys.scale).query
        except (InfeasibleDesign, UndecidedDesign) as problem:
            found = problem.best.query
        return Served(group, found, None, gap), claim

    def within(
        self, group: Group, norm: float, gap: float | None
    ) -> tuple[Claim | None, Array | None]:
        """The widest gap within a length, as a claim, and a query that comes close."""
        unit = self.server.keys.unit
        wide = widest_gap(group, self.server.taken, norm=norm * unit)
        if wide is None:
            proof = too_short(group, norm * unit) or unreachable(group, gap or 1.0)
        else:
            proof = wide.proof
        claim = None if proof is None else limit_claim(group, proof, norm=norm)
        if claim is not None and claim.fields["bound"] >= (gap or 1e-6 * norm * unit):
            claim = None
        if wide is not None and gap is None:  # what comes closest to nothing has nothing to show
            wide = widest_gap(group, 0.0, norm=norm * unit) or wide
        return claim, None if wide is None else wide.query / unit

    def noise_claim(self, group: Group, gap: float) -> Claim | None:
        """The claim that the noise outweighs every gap."""
        if group.scales:
            wide = widest_gap(group, self.server.taken, norm=1.0)
            return self.gap_claim(group, None if wide is None else wide.proof, gap)
        norm = 2 * FAR * gap
        wide = widest_gap(group, self.server.taken, norm=norm)
        claim = (
            None
            if wide is None
            else limit_claim(group, wide.proof, norm=norm / self.server.keys.unit)
        )
        return None if claim is None or claim.fields["bound"] >= gap else claim

    def gap_claim(self, group: Group, proof: Obstruction | None, gap: float) -> Claim | None:
        """The claim that a gap is out of reach, if that is so for all but very long queries."""
        claim = None if proof is None else limit_claim(group, proof, gap=gap)
        if claim is None or claim.fields["radius"] * self.server.keys.unit < FAR * gap:
            return None
        return claim
