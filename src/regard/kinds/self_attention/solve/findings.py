"""What comes of a goal: matrices as formulas or as numbers, a proof against them, or neither."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

import regard.design
from regard.certify import Certificate
from regard.certify.claim_subjects import told_apart
from regard.design.results import HeadDesign
from regard.errors import InfeasibleDesign, UndecidedDesign
from regard.kinds.self_attention.solve.closed_errors import ClosedError, closed_errors, unit_scores
from regard.kinds.self_attention.solve.contradiction import Contradiction, contradiction
from regard.kinds.self_attention.solve.one_column import OneColumn, one_column
from regard.kinds.self_attention.solve.outer_products import OuterProducts, least, outer_products
from regard.kinds.self_attention.solve.sparse import Array
from regard.kinds.self_attention.solve.token_coordinates import Instance, instance
from regard.kinds.self_attention.spec import SelfAttentionProblem
from regard.solving.finding import Finding, Status, excluding, within

SHARES = (0.5, 2 / 3, 1.0, 4 / 3)  # of the instance's length: the trend towards the limit


@dataclass(frozen=True, eq=False, kw_only=True)
class OfFormulas(Finding):
    """Outer products of basis vectors do it.

    Attributes:
        head: the matrices.
        column: the directions of a head with one column; None if there is no simple one.
        design: the head with the fewest columns of W_Q and W_K that was found.
    """

    head: OuterProducts
    column: OneColumn | None
    design: HeadDesign | None

    @cached_property
    def weights(self) -> Array:
        """The attention weights (n, n)."""
        return self.head.at.weights(self.head.K, self.head.Q)

    @cached_property
    def outputs(self) -> Array:
        """The outputs (n, b) in coordinates."""
        at = self.head.at
        return at.in_basis(self.weights @ at.tokens @ self.head.V.T)

    @property
    def scores(self) -> Array | None:
        """The scores in units of C · scale · length²; None where weights are mixed."""
        return unit_scores(self.head)

    @cached_property
    def closed_errors(self) -> tuple[ClosedError, ...]:
        """The errors that have a closed form."""
        return closed_errors(self.head)

    @property
    def needs_norm(self) -> float | None:
        """The length that C = 1 needs; None where it is no parameter, or any length will do."""
        return self.head.least_norm or None

    @property
    def needs_C(self) -> float | None:
        """The C that the length given needs; None where any will do."""
        return self.head.least_C or None

    @property
    def short(self) -> bool:
        """Whether vectors are so short that C = 1 is near enough, and would not be for longer."""
        at, norm = self.head.at, self.needs_norm
        return self.head.C == 1 and norm is not None and at.norm < norm

    @cached_property
    def other_lengths(self) -> tuple[tuple[float, dict[str, float]], ...]:
        """Lengths, each with the errors there; none where the length is no parameter."""
        at = self.head.at
        if not isinstance(at.problem.given.basis.norm, str):
            return ()
        lengths = [share * at.norm for share in SHARES]
        return tuple((norm, self.head.errors_at(norm)) for norm in lengths)

    @cached_property
    def column_C(self) -> float | None:
        """From which C on the head with one column meets the tolerance; None: there is none."""
        at, column, square = self.head.at, self.column, self.head.at.norm**2
        if column is None:
            return None
        K = (column.key @ at.basis / square)[None, :]
        Q = (column.query @ at.basis / square)[None, :]
        return least(lambda C: max(at.errors(K, C * Q, self.head.V).values()), at.tolerance)


@dataclass(frozen=True, eq=False, kw_only=True)
class OfNumbers(Finding):
    """A head does it that is no simple formula."""

    design: HeadDesign


@dataclass(frozen=True, eq=False, kw_only=True)
class Impossible(Finding):
    """No head does it, and the refusal of the design proves that."""

    refusal: InfeasibleDesign


@dataclass(frozen=True, eq=False, kw_only=True)
class Contradicted(Finding):
    """The weights and the outputs that are asked for contradict each other."""

    against: Contradiction


@dataclass(frozen=True, eq=False, kw_only=True)
class Undecided(Finding):
    """Neither a head nor a proof was found; `best` is the closest head, if there is one."""

    best: HeadDesign | None


Found = OfFormulas | OfNumbers | Impossible | Contradicted | Undecided


def solve(problem: SelfAttentionProblem) -> Found:
    """Return matrices that do what is asked, or the proof that none do."""
    at = instance(problem)
    against = contradiction(at.tokens, at.attend, at.outputs, at.tolerance)
    if against is not None:
        certificate = Certificate({"tokens": at.tokens}, (against.claim,), at.scale)
        return Contradicted(
            Status.IMPOSSIBLE, {"possible": False}, certificate, (0,), against=against
        )
    head = outer_products(at)
    # Weights that differ need no search for a small d_k, which would take long.
    if head is not None and np.any(head.plan.mixed):
        return _from_formulas(head, None)
    try:
        design = _designed(at)
    except InfeasibleDesign as refusal:
        return _impossible(refusal) if head is None else _from_formulas(head, None)
    except UndecidedDesign as error:
        if head is not None:
            return _from_formulas(head, None)
        return Undecided(Status.UNDECIDED, {}, Certificate({}, ()), best=error.best)
    return _from_numbers(at, design) if head is None else _from_formulas(head, design)


def _designed(at: Instance) -> HeadDesign:
    return regard.design.self_attention(
        at.tokens,
        attend=at.attend or None,
        outputs=at.outputs or None,
        tolerance=at.tolerance,
        scale=at.scale,
    )


def _from_formulas(head: OuterProducts, design: HeadDesign | None) -> OfFormulas:
    at = head.at
    # Each head is claimed of W_Q and W_K and of their product; K, Q and V are the former.
    own = [claim for claim in head.claims[0] if "A" not in claim.witness]
    more = () if design is None else design.certificate.claims
    claims = [*own, *(claim for claim in more if "A" not in claim.witness)]
    return OfFormulas(
        Status.PROVED,
        {"K": head.K_text, "Q": head.Q_text, "V": head.V_text},
        told_apart({"tokens": at.tokens}, claims, at.scale),
        tuple(range(len(own))),
        head=head,
        column=one_column(at.coordinates, head.plan.pattern),
        design=design,
    )


def _from_numbers(at: Instance, design: HeadDesign) -> OfNumbers:
    answer = {name: getattr(design, name).tolist() for name in ("W_K", "W_Q", "W_V")}
    reaches = within(design.certificate, ("pattern_close", "outputs_close"), at.tolerance)
    return OfNumbers(Status.PROVED, answer, design.certificate, reaches, design=design)


def _impossible(refusal: InfeasibleDesign) -> Impossible:
    certificate = refusal.certificate
    return Impossible(
        Status.IMPOSSIBLE,
        {"possible": False},
        certificate,
        excluding(certificate),
        refusal=refusal,
    )
