"""What is got wrong about a head that looks T steps back, and how blocks show it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product

import numpy as np
from numpy.typing import NDArray

from regard.checking.misconceptions import SHARED
from regard.checking.mistakes import Mistake, recognise
from regard.checking.sampling import Trial
from regard.checking.verdict import Misconception
from regard.kinds.offset.instance import Place, missed
from regard.kinds.offset.reading import Asked
from regard.kinds.offset.spec import OffsetProblem
from regard.problems.positions import Float64

SIGNS = [np.array(signs).reshape(2, 2) for signs in product((1.0, -1.0), repeat=4)]
SWAPS = [np.array([[0.0, a], [b, 0.0]]) for a, b in product((1.0, -1.0), repeat=2)]
ZERO = "[[0, 0], [0, 0]]"

Tried = tuple[Float64, Place]  # A, and where


@dataclass(frozen=True, eq=False)
class Case:
    """Wrong blocks, put together wherever they were tried.

    Attributes:
        asked: the problem and the blocks.
        right_here: whether they are right for the numbers of the problem.
        tried: A and the place of every trial, small places first: they rule most repairs out.
        wrong: the same for those places on which the blocks are wrong.
    """

    asked: Asked
    right_here: bool
    tried: tuple[Tried, ...]
    wrong: tuple[Tried, ...]


def recognised(asked: Asked, trials: Sequence[Trial[Place]]) -> Misconception | None:
    """Name the first mistake whose repair makes the blocks right wherever they were tried."""
    fitting = [trial for trial in trials if asked.fits(trial.instance)]
    fitting.sort(key=lambda trial: trial.instance.d_model * trial.instance.n)
    tried = [(asked.matrix(trial.instance), trial.instance) for trial in fitting]
    wrong = [one for one, trial in zip(tried, fitting, strict=True) if not trial.right]
    return recognise(MISTAKES, Case(asked, trials[0].right, tuple(tried), tuple(wrong)))


def _is_fixed(case: Case) -> bool:
    """The blocks are right here, and do not change with T or are made for one d_model."""
    asked, here = case.asked, case.asked.here
    if not case.right_here:
        return False
    other = replace(here, T=here.T + 1, n=here.n + 1)
    return asked.one_width or np.array_equal(asked.matrix(here), asked.matrix(other))


def _right(A: Float64, place: Place) -> bool:
    return missed(A, place) == 0


def _looks_at_itself(cases: tuple[Tried, ...]) -> bool:
    turned = any(np.any(A != A.T) for A, _ in cases)
    return not turned and all(_right(A, replace(place, T=0)) for A, place in cases)


def _one_frequency(case: Case) -> bool:
    """The formula would be right if all frequencies were 1."""
    equal = [replace(place, base=1.0) for _, place in case.tried]
    return all(_right(case.asked.matrix(place), place) for place in equal)


def _diagonal(A: Float64) -> Float64:
    """Return the blocks on the diagonal, (d_model/2, 2, 2)."""
    return np.array([A[i : i + 2, i : i + 2] for i in range(0, len(A), 2)])


def _assembled(blocks: Float64) -> Float64:
    """Return the matrix with these blocks on its diagonal and zeros off it."""
    A = np.zeros((2 * len(blocks),) * 2)
    for i, block in enumerate(blocks):
        A[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = block
    return A


def _alone(A: Float64) -> Float64:
    """Return A without the blocks off its diagonal."""
    return _assembled(_diagonal(A))


def _all_with(cases: tuple[Tried, ...], change: Callable[[Float64, Place], Float64]) -> bool:
    """Whether other blocks on the diagonal would be right, and nothing stands off it."""
    return all(
        np.array_equal(A, _alone(A)) and _right(_assembled(change(_diagonal(A), place)), place)
        for A, place in cases
    )


def _signs(cases: tuple[Tried, ...]) -> bool:
    """The blocks are right with other signs of their entries."""
    return any(_all_with(cases, partial(_product, signs)) for signs in SIGNS)


def _product(signs: Float64, blocks: Float64, _: Place) -> Float64:
    return signs * blocks


def _exchanged(cases: tuple[Tried, ...]) -> bool:
    """The blocks are right once their columns or rows change places, perhaps with signs."""
    options = product(SWAPS, (False, True), (False, True))
    return any(_all_with(cases, partial(_swapped, *option)) for option in options)


def _swapped(swap: Float64, rows: bool, turned: bool, blocks: Float64, _: Place) -> Float64:
    found = swap @ blocks if rows else blocks @ swap
    return np.swapaxes(found, 1, 2) if turned else found


def _half(cases: tuple[Tried, ...]) -> bool:
    """Either the sines or the cosines of every block are zero, and the others are right."""
    options = (np.eye(2, dtype=bool), ~np.eye(2, dtype=bool))
    return any(
        not any(np.any(_diagonal(A)[:, hidden]) for A, _ in cases)
        and _all_with(cases, partial(_filled, hidden))
        for hidden in options
    )


def _filled(hidden: NDArray[np.bool_], blocks: Float64, place: Place) -> Float64:
    """Return blocks with these of their entries taken from the rotation, of the same size."""
    cos, sin = np.cos(place.omega * place.T), np.sin(place.omega * place.T)
    turn = np.array([[cos, -sin], [sin, cos]]).transpose(2, 0, 1)
    visible = float(np.sum(np.abs(turn[:, ~hidden])))  # no sines at T = 0
    size = float(np.sum(np.abs(blocks))) / visible if visible else 1.0
    return blocks + size * np.where(hidden, turn, 0.0)


def _other_offset(cases: tuple[Tried, ...]) -> bool:
    """Every query looks the same number of steps back, and it is another one than T."""
    for A, place in cases:
        long = replace(place, n=max(place.n, 8 * abs(place.T) + 20), T=0)
        middle = len(long.wanted) // 2
        steps = int(long.wanted[middle]) - int(np.argmax(long.scores(A)[:, middle]))
        if steps == place.T or abs(steps) > long.n // 2 - 2:
            return False
        if not _right(A, replace(long, T=steps)):
            return False
    return bool(cases)


def _blocks(block: str, problem: OffsetProblem) -> dict[str, str] | None:
    """The fields of an answer; with T = 0 nothing turns, and these are right."""
    return {"block": block, "off_block": ZERO} if problem.given.T else None


MISTAKES: tuple[Mistake[OffsetProblem, Case], ...] = (
    Mistake(
        "not-finite",
        SHARED["not-finite"],
        lambda case: not all(np.all(np.isfinite(p.scores(A))) for A, p in case.tried),
    ),
    Mistake(
        "numbers-instead-of-formula",
        SHARED["numbers-instead-of-formula"],
        _is_fixed,
    ),
    Mistake(
        "off-diagonal-not-zero",
        "Blocks off the diagonal are not zero.\n"
        "Those on it are right. The others join two frequencies, and then the score depends "
        "on more than t − τ.",
        lambda case: all(_right(_alone(A), p) for A, p in case.tried),
    ),
    Mistake(
        "sign-of-scores",
        SHARED["sign-of-scores"],
        lambda case: all(_right(-A, p) for A, p in case.tried),
    ),
    Mistake(
        "transposed-A",
        SHARED["transposed-A"],
        lambda case: all(_right(A.T, p) for A, p in case.tried),
        lambda problem: _blocks("[[cos(w_i T), sin(w_i T)], [-sin(w_i T), cos(w_i T)]]", problem),
        "The minus sign at the other sine, or $A = W^Q (W^K)^\\top$",
    ),
    Mistake(
        "identity-block",
        "Every query looks at its own position:\n"
        "the block does not turn at all, and it should turn by w_i T.",
        lambda case: _looks_at_itself(case.tried),
        lambda problem: _blocks("[[1, 0], [0, 1]]", problem),
        "Blocks that do not turn",
    ),
    Mistake(
        "frequency-missing",
        "The blocks would be right if all frequencies were 1.\n"
        "Each block has its own, and must turn by w_i T.",
        _one_frequency,
        lambda problem: _blocks("[[cos(T), -sin(T)], [sin(T), cos(T)]]", problem),
        "One angle for all blocks",
    ),
    Mistake(
        "sin-cos-exchanged",
        "Sines and cosines have changed places:\n"
        "position t has the sine first, and at T = 0 the block must be the identity.",
        lambda case: _exchanged(case.tried),
    ),
    Mistake(
        "sign-in-block",
        "The entries are right but for their signs:\n"
        "of the two sines in a rotation exactly one has a minus, and the cosines have none.",
        lambda case: _signs(case.tried),
    ),
    Mistake(
        "half-of-the-block",
        "Two of the four entries of the block are missing:\n"
        "a rotation has cosines on the diagonal and sines beside it.",
        lambda case: _half(case.tried),
    ),
    Mistake(
        "other-offset",
        "Every query looks as many steps back, but not T.\nLook at the angle of the blocks.",
        lambda case: _other_offset(case.wrong),
    ),
)
OFTEN = ("transposed-A", "identity-block", "frequency-missing")
