"""Arrays for two subspaces: their bases, as columns."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from regard.kinds.separator.spec import Basis, SeparatorGiven, SeparatorProblem, Vectors
from regard.problems.instances import Float64, frame

_LEAN = 0.75  # of a unit basis vector towards those before it: a right triangle of 3, 4, 5


def separator_instance(
    given: SeparatorGiven, rng: np.random.Generator | None = None
) -> tuple[Float64, Float64]:
    """Return S (d, p) and T (d, r), whose columns are the basis vectors.

    Without rng the subspaces lie along the axes.
    """
    axes = np.eye(given.d) if rng is None else frame(given.d, given.d, rng)
    first, second = given.S.count, given.T.count
    room_S, room_T = axes[:first], axes[first : first + second]
    if isinstance(given.S, Vectors):
        room_T = _complement(np.array(given.S.rows, float))[:second]
    if isinstance(given.T, Vectors):
        room_S = _complement(np.array(given.T.rows, float))[:first]
    S, T = _basis(given.S, room_S, rng), _basis(given.T, room_T, rng)
    if given.orthogonal:
        return S, T
    if not isinstance(given.T, Vectors):
        return S, _leaned(T, S, given.T.law)
    return (S if isinstance(given.S, Vectors) else _leaned(S, T, given.S.law)), T


def _leaned(basis: Float64, towards: Float64, law: str) -> Float64:
    """Return a basis that is no longer at right angles to the other, and not close to it either."""
    leaned = basis + towards[:, :1] / (2 * np.linalg.norm(towards[:, 0]))
    if law == "orthonormal":
        return np.asarray(np.linalg.qr(leaned)[0])
    return np.asarray(leaned / np.linalg.norm(leaned, axis=0))


def _complement(rows: Float64) -> Float64:
    """Return unit vectors at right angles to the rows, as rows."""
    _, _, turned = np.linalg.svd(rows)
    return np.asarray(turned[np.linalg.matrix_rank(rows) :])


def _basis(basis: Basis, room: Float64, rng: np.random.Generator | None) -> Float64:
    """Return basis vectors as columns, within the span of the rows of `room` if drawn."""
    if isinstance(basis, Vectors):
        return np.array(basis.rows, float).T
    if basis.law == "orthonormal":
        return room.T
    count = len(room)
    signs = np.ones((count, count)) if rng is None else rng.choice([-1.0, 1.0], (count, count))
    mix = np.eye(count) + _LEAN * np.tri(count, k=-1) * signs
    mix /= np.linalg.norm(mix, axis=1, keepdims=True)
    return np.asarray((mix @ room).T)


@dataclass(frozen=True, eq=False)
class Bases:
    """Two bases, as columns: of the value that is wanted, and of the other.

    Attributes:
        S: as the problem calls it.
        T: as the problem calls it.
        recover: which of the two holds the value that is wanted.
    """

    S: Float64
    T: Float64
    recover: str = "S"

    @property
    def kept(self) -> Float64:
        """The basis of the value that is wanted."""
        return self.S if self.recover == "S" else self.T

    @property
    def dropped(self) -> Float64:
        """The basis of the other value."""
        return self.T if self.recover == "S" else self.S

    @property
    def exchanged(self) -> Bases:
        """The bases exchanged, as where the other value is wanted."""
        return replace(self, recover="T" if self.recover == "S" else "S")

    def having(self, *, kept: Float64, dropped: Float64) -> Bases:
        """Return other bases under the same names."""
        S, T = (kept, dropped) if self.recover == "S" else (dropped, kept)
        return Bases(S, T, self.recover)

    @property
    def symbols(self) -> dict[str, float | Float64]:
        """What formulas may use."""
        columns = {f"s_{i + 1}": column for i, column in enumerate(self.S.T)}
        columns |= {f"t_{i + 1}": column for i, column in enumerate(self.T.T)}
        sizes = {"d": float(len(self.S)), "p": float(self.S.shape[1]), "r": float(self.T.shape[1])}
        return {"S": self.S, "T": self.T, **columns, **sizes}


def bases_of(problem: SeparatorProblem, rng: np.random.Generator | None = None) -> Bases:
    """Return the plain bases of a problem, or drawn ones."""
    return Bases(*separator_instance(problem.given, rng), problem.goal.recover)
