"""What is got wrong about taking a value out of a mix, and how a matrix shows it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from regard.checking.matrices import Float64
from regard.checking.misconceptions import SHARED
from regard.checking.mistakes import Mistake
from regard.checking.sampling import generator
from regard.kinds.separator.instance import Bases, bases_of
from regard.kinds.separator.reading import Asked, possible
from regard.kinds.separator.spec import SeparatorProblem
from regard.language.writing import ratio

DRAWN = 5  # instances, beside the plain one, on which a misconception has to show
BY_EXAMPLE = True  # two values that come out wrong say more than how large the error is


@dataclass(frozen=True, eq=False)
class Case:
    """A wrong matrix on the plain bases, and on drawn ones where the answer is a formula.

    Attributes:
        asked: the problem and the answer.
        bases: what the matrix is looked at on.
        square: whether it takes vectors to vectors of the same length.
    """

    asked: Asked
    bases: tuple[Bases, ...]
    square: bool

    def everywhere(self, shows: Callable[[Asked, Float64, Bases], bool]) -> bool:
        """Whether a square matrix shows something on all of the bases."""
        asked = self.asked
        return self.square and all(shows(asked, asked.acting(b), b) for b in self.bases)

    @property
    def factors(self) -> list[float | None]:
        """The factor that is missing on each of the bases; none for a matrix that is not square."""
        return [self.asked.missing_factor(self.asked.acting(b), b) for b in self.bases]


def case_of(asked: Asked, failing: Bases | None = None) -> Case:
    """Return an answer on the bases on which a misconception has to show; it fails on `failing`."""
    one = asked.in_numbers or all(asked.problem.given.fixed)
    drawn = [] if one else [bases_of(asked.problem, generator(seed)) for seed in range(DRAWN)]
    square = asked.raw(asked.plain).shape == (len(asked.plain.S),) * 2
    more = [] if one or failing is None else [failing]
    return Case(asked, (asked.plain, *drawn, *more), square)


def _by_factor(case: Case, share: bool) -> bool:
    """The matrix is right but for a factor: that of the share, or another one."""
    if not case.square:
        return False
    factors = case.factors
    if any(factor is None for factor in factors):
        return False
    wanted, off = 1 / case.asked.share, 10 * case.asked.tolerance
    return bool(np.allclose(np.array(factors, float), wanted, rtol=off)) == share


def _one_frame(case: Case) -> bool:
    """The matrix is right along the axes and not elsewhere."""
    if not case.square:
        return False
    first, *others = (case.asked.right(case.asked.acting(b), b) for b in case.bases)
    return first and bool(others) and not any(others)


def _right_but_for_a_factor(asked: Asked, M: Float64, bases: Bases) -> bool:
    return asked.right(M, bases) or asked.missing_factor(M, bases) is not None


def _coordinates(asked: Asked, bases: Bases) -> bool:
    """Multiplied by the basis, the answer is right: here, or with an orthonormal basis."""
    options = [bases] if asked.in_numbers else [bases, _orthonormal(bases)]
    for option in options:
        found = np.atleast_2d(asked.raw(option))
        d, count = option.kept.shape
        if found.shape == (d, count):
            found = found.T
        if found.shape == (count, d) and _right_but_for_a_factor(
            asked, option.kept @ found, option
        ):
            return True
    return False


def _other_subspace(case: Case) -> bool:
    if case.square:
        return case.everywhere(lambda asked, M, b: _right_but_for_a_factor(asked, M, b.exchanged))
    return all(_coordinates(case.asked, b.exchanged) for b in case.bases)


def _orthonormal(bases: Bases) -> Bases:
    """Both subspaces, each with an orthonormal basis."""
    return Bases(np.linalg.qr(bases.S)[0], np.linalg.qr(bases.T)[0], bases.recover)


def _at_right_angles(bases: Bases) -> Bases:
    """The same basis of what is wanted; the other turned to be at right angles to it."""
    P = np.linalg.qr(bases.kept)[0]
    other = bases.dropped - P @ (P.T @ bases.dropped)
    return bases.having(kept=bases.kept, dropped=other / np.linalg.norm(other, axis=0))


def _for_right_angles(asked: Asked, M: Float64, bases: Bases) -> bool:
    """The formula is right where the subspaces are at right angles, which they need not be."""
    if asked.problem.given.orthogonal:
        return False
    if asked.in_numbers:
        P = np.linalg.qr(bases.kept)[0]
        return bool(np.allclose(asked.share * M, P @ P.T, atol=asked.tolerance))
    turned = _at_right_angles(bases)
    return asked.right(asked.acting(turned), turned)


def _for_orthonormal(asked: Asked, M: Float64, bases: Bases) -> bool:
    """The formula is right with orthonormal bases; numbers are S S' but for a factor."""
    grams = [basis.T @ basis for basis in (bases.kept, bases.dropped)]
    if all(np.allclose(gram, np.eye(len(gram)), atol=1e-9) for gram in grams):
        return False
    if asked.in_numbers:
        outer = bases.kept @ bases.kept.T
        with np.errstate(all="ignore"):
            factor = float(np.sum(M * outer) / np.sum(outer * outer))
            return factor > 0 and bool(np.allclose(M, factor * outer, atol=10 * asked.tolerance))
    options = [_orthonormal(bases)]
    if not asked.problem.given.orthogonal:
        options.append(_orthonormal(_at_right_angles(bases)))
    return any(asked.right(asked.acting(option), option) for option in options)


def _for_one_vector(asked: Asked, M: Float64, bases: Bases) -> bool:
    """M is right for the multiples of one basis vector only."""
    columns = np.split(bases.kept, bases.kept.shape[1], axis=1)
    options = (bases.having(kept=column, dropped=bases.dropped) for column in columns)
    return len(columns) > 1 and any(asked.right(M, option) for option in options)


def _keeps_the_other(asked: Asked, M: Float64, bases: Bases) -> bool:
    """M is right as long as the other value is 0."""
    return asked.right(M, bases.having(kept=bases.kept, dropped=bases.dropped[:, :0]))


def _wrong(
    formula: str, applies: Callable[[SeparatorProblem], bool] = lambda problem: True
) -> Callable[[SeparatorProblem], dict[str, str] | None]:
    """Return an answer with S as the subspace that is wanted, and C for 1 over the share."""

    def answer(problem: SeparatorProblem) -> dict[str, str] | None:
        if not applies(problem):
            return None
        factor = ratio(1 / problem.given.share)
        text = formula.replace("C ", "" if factor == "1" else f"{factor} ")
        if problem.goal.recover == "T":
            text = text.translate(str.maketrans("STst", "TSts"))
        return {"M": text}

    return answer


def _without_factor(problem: SeparatorProblem) -> dict[str, str] | None:
    """The right matrix but for 1 over the share; N takes the other subspace to 0."""
    if problem.given.share == 1:
        return None
    if problem.given.orthogonal:
        return _wrong("S (S' S)^-1 S'")(problem)
    S, T = problem.names
    body = f"{S} ({S}' N {S})^-1 {S}' N" if problem.on_left else f"N {S} ({S}' N {S})^-1 {S}'"
    return {"N": f"I - {T} ({T}' {T})^-1 {T}'", "M": body}


MISTAKES: tuple[Mistake[SeparatorProblem, Case], ...] = (
    Mistake(
        "not-finite",
        SHARED["not-finite"],
        lambda case: case.square and not np.all(np.isfinite(case.asked.raw(case.asked.plain))),
    ),
    Mistake(
        "claims-possible",
        SHARED["claims-possible"],
        lambda case: case.square and not possible(case.asked.problem),
    ),
    Mistake(
        "missing-factor-2",
        "The matrix is not divided by the share of the value that c holds.\n"
        "It keeps the right part of c, but c holds only a share of the value, as an average "
        "of two holds half of each.",
        lambda case: _by_factor(case, share=True),
        _without_factor,
        "Forgetting the factor",
    ),
    Mistake("extra-factor", SHARED["extra-factor"], lambda case: _by_factor(case, share=False)),
    Mistake("one-frame-only", SHARED["one-frame-only"], _one_frame),
    Mistake(
        "transposed-side",
        "The transposed matrix would be right:\nM c and c' M are the same only for a symmetric M.",
        lambda case: case.everywhere(lambda asked, M, b: asked.right(M.T, b)),
    ),
    Mistake(
        "coordinates-instead-of-projection",
        "The result has as many numbers as there are basis vectors.\n"
        "These are coordinates, or products with the basis. The value itself is as long as "
        "c: the basis times its coordinates.",
        lambda case: not case.square and all(_coordinates(case.asked, b) for b in case.bases),
        _wrong("C S'", lambda p: p.given.orthogonal),
        "Stopping at the coordinates",
    ),
    Mistake(
        "other-subspace",
        "The matrix takes out the other of the two values.\nThe one that is asked for should stay.",
        _other_subspace,
        _wrong("C T (T' T)^-1 T'", lambda p: p.given.orthogonal),
    ),
    Mistake(
        "subspaces-not-orthogonal",
        "The projection is for subspaces at right angles.\n"
        "Here they are not, and it does not take the other value to zero: project along the "
        "other subspace.",
        lambda case: case.everywhere(_for_right_angles),
        _wrong("C S (S' S)^-1 S'", lambda p: not p.given.orthogonal),
        "Projecting as if the subspaces were at right angles",
    ),
    Mistake(
        "unit-instead-of-orthonormal",
        "The basis is taken for orthonormal.\n"
        "S S', or T T', is the projection only then. Basis vectors of length 1 may still "
        "lean towards each other: (S' S)^-1 has to stand between.",
        lambda case: case.everywhere(_for_orthonormal),
        _wrong("C S S'", lambda p: p.given.orthogonal and p.wanted.law != "orthonormal"),
        "Taking the basis for an orthonormal one",
    ),
    Mistake(
        "one-basis-vector-only",
        "The matrix is right for multiples of one basis vector only.\n"
        "The value is a combination of all of them.",
        lambda case: case.everywhere(_for_one_vector),
        _wrong("C s_1 s_1'", lambda p: p.given.orthogonal and p.wanted.law != "fixed"),
    ),
    Mistake(
        "keeps-the-other-value",
        "The matrix does not take the other value to zero.\nIt keeps the value that is wanted.",
        lambda case: case.everywhere(_keeps_the_other),
        _wrong("C I"),
    ),
)
OFTEN = (
    "missing-factor-2",
    "subspaces-not-orthogonal",
    "unit-instead-of-orthonormal",
    "coordinates-instead-of-projection",
)
