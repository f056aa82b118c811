"""A matrix that takes one of two values out of their sum or average."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from pydantic import Field, model_validator

from regard.problems.fields import Count, OrdinaryPositive, Part, Rows
from regard.problems.head import Problem


class Vectors(Part):
    """These basis vectors, one per row."""

    law: Literal["fixed"]
    rows: Rows

    @property
    def count(self) -> int:
        """How many basis vectors there are."""
        return len(self.rows)


class DrawnVectors(Part):
    """As many basis vectors: of length one, or also at right angles to each other."""

    law: Literal["unit", "orthonormal"]
    count: Annotated[Count, Field(le=64)]


Basis = Annotated[Vectors | DrawnVectors, Field(discriminator="law")]


class SeparatorGiven(Part):
    """Two subspaces, each with a basis; c is `share` times the sum of one vector of each.

    Attributes:
        d: the length of the vectors.
        S: the basis of the subspace of the vector that is wanted.
        T: the basis of the other.
        orthogonal: whether every vector of S is at right angles to every one of T.
        share: 0.5 where c is the average of the two, 1 where it is their sum.
    """

    d: Annotated[Count, Field(le=256)]
    S: Basis
    T: Basis
    orthogonal: bool = True
    share: OrdinaryPositive = 0.5

    @property
    def fixed(self) -> tuple[bool, bool]:
        """Whether S and T are these very vectors, and not drawn."""
        return isinstance(self.S, Vectors), isinstance(self.T, Vectors)

    @model_validator(mode="after")
    def _room(self) -> SeparatorGiven:
        for name, basis in (("S", self.S), ("T", self.T)):
            if not isinstance(basis, Vectors):
                continue
            if len(basis.rows[0]) != self.d:
                raise ValueError(
                    f"the vectors of {name} have {len(basis.rows[0])} numbers, and d = {self.d}"
                )
            if np.linalg.matrix_rank(np.array(basis.rows, float)) < basis.count:
                raise ValueError(f"the vectors of {name} are no basis: they are dependent")
        both = all(self.fixed)
        # Two fixed bases may be too many for d: then the question is whether it can be done.
        if self.S.count + self.T.count > self.d and not (both and not self.orthogonal):
            raise ValueError(
                f"the bases S and T have {self.S.count + self.T.count} vectors together, "
                f"more than d = {self.d}: they cannot be independent"
            )
        if both and self.orthogonal and not self._at_right_angles():
            raise ValueError(
                "the bases S and T are not at right angles: say so by orthogonal = false"
            )
        return self

    def _at_right_angles(self) -> bool:
        S, T = (np.array(getattr(basis, "rows", []), float) for basis in (self.S, self.T))
        sizes = np.outer(np.linalg.norm(S, axis=1), np.linalg.norm(T, axis=1))
        return bool((np.abs(S @ T.T) <= 1e-9 * sizes).all())


class SeparatorGoal(Part):
    """Which vector is wanted, and on which side the matrix stands."""

    recover: Literal["S", "T"] = "S"
    side: Literal["M c", "c M"] = "M c"


class SeparatorProblem(Problem):
    """A matrix M with M c = v for every v in the one subspace, whatever is in the other."""

    kind: Literal["separator"]
    given: SeparatorGiven
    goal: SeparatorGoal

    @property
    def names(self) -> tuple[str, str]:
        """What the two bases are called, that of the vector that is wanted first."""
        return ("S", "T") if self.goal.recover == "S" else ("T", "S")

    @property
    def wanted(self) -> Basis:
        """The basis of the vector that is wanted."""
        return self.given.S if self.goal.recover == "S" else self.given.T

    @property
    def on_left(self) -> bool:
        """Whether the matrix stands on the left of c."""
        return self.goal.side == "M c"


PROBLEM = SeparatorProblem
