"""Why a matrix does not take the value out: the misconception, and two values that show it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product

import numpy as np

from regard.checking.answers import Answer
from regard.checking.matrices import Float64
from regard.checking.misconceptions import misconception
from regard.checking.sampling import Trial, generator
from regard.checking.verdict import Counterexample, GoalResult, Misconception, Verdict
from regard.errors import InvalidAnswer
from regard.kinds.separator.judge.judge import Asked, Bases, error_of
from regard.kinds.separator.spec import SeparatorProblem, Vectors
from regard.problems import separator_instance
from regard.report import number, vector

DRAWN = 5  # instances, beside the plain one, on which a misconception has to show


def judge_claim(problem: SeparatorProblem, answer: Answer) -> Verdict:
    """Judge an answer that says whether there is such a matrix at all."""
    from regard.kinds.separator.judge import judge

    claim = answer.fields["possible"]
    if not isinstance(claim, bool):
        raise InvalidAnswer("answer: possible must be true or false.")
    rest = {name: field for name, field in answer.fields.items() if name != "possible"}
    if claim:
        return judge(problem, Answer(rest, answer.problem))
    if "M" in rest:
        raise InvalidAnswer("answer: M is given, although possible is false.")
    Answer(rest).only("side")
    possible = _possible(problem)
    name = "whether there is such a matrix"
    if not possible:
        sentence = "there is none: the two subspaces have a direction in common"
        return Verdict(problem, (GoalResult(name, "this", True, sentence),))
    S, T = separator_instance(problem.given)
    sentence = (
        f"there is one: the {S.shape[1] + T.shape[1]} basis vectors are independent, so that the "
        "two values can be told apart"
    )
    example = Counterexample({"S": S.tolist(), "T": T.tolist()}, f"Here {sentence}.")
    goals = (GoalResult(name, "this", False, sentence),)
    return Verdict(problem, goals, example, misconception("claims-impossible"))


def _possible(problem: SeparatorProblem) -> bool:
    """Whether both bases together are independent: drawn ones are, fixed ones by their digits."""
    given = problem.given
    if not (isinstance(given.S, Vectors) and isinstance(given.T, Vectors)):
        return True
    rows = [[Fraction(repr(float(x))) for x in row] for row in (*given.S.rows, *given.T.rows)]
    return _rank(rows) == len(rows)


def _rank(rows: list[list[Fraction]]) -> int:
    """Return the rank, by elimination in exact fractions."""
    rank = 0
    for column in range(len(rows[0])):
        pivot = next((i for i in range(rank, len(rows)) if rows[i][column]), None)
        if pivot is None:
            continue
        rows[rank], rows[pivot] = rows[pivot], rows[rank]
        for i in range(rank + 1, len(rows)):
            factor = rows[i][column] / rows[rank][column]
            rows[i] = [x - factor * y for x, y in zip(rows[i], rows[rank], strict=True)]
        rank += 1
        if rank == len(rows):
            break
    return rank


def missing_factor(M: Float64, bases: Bases, asked: Asked) -> float | None:
    """Return the factor, other than 1, that would make M right, or None."""
    with np.errstate(all="ignore"):
        P = np.linalg.qr(bases.kept)[0]
        found = asked.share * (M @ P)
        factor = float(np.sum(found * P) / np.sum(found * found))
        if not np.isfinite(factor) or abs(factor - 1) <= asked.tolerance:
            return None
        return factor if error_of(factor * M, bases, asked.share) <= asked.tolerance else None


def _right(M: Float64, bases: Bases, asked: Asked) -> bool:
    """Whether M is right but perhaps for a factor."""
    right = error_of(M, bases, asked.share) <= asked.tolerance
    return right or missing_factor(M, bases, asked) is not None


def recognise(asked: Asked) -> Misconception | None:
    """Name the first misconception whose behaviour the answer shows on every instance."""
    if not np.all(np.isfinite(asked.raw(asked.bases()))):
        return misconception("not-finite")
    if not _possible(asked.problem):
        return misconception("claims-possible")
    cases = [(asked.acting(bases), bases) for bases in _instances(asked)]
    factors = [missing_factor(M, bases, asked) for M, bases in cases]
    if all(factor is not None for factor in factors):
        doubled = np.allclose(np.array(factors, float), 1 / asked.share, rtol=10 * asked.tolerance)
        return misconception("missing-factor-2" if doubled else "extra-factor")
    errors = [error_of(M, bases, asked.share) for M, bases in cases]
    if errors[0] <= asked.tolerance < max(errors):
        return misconception("one-frame-only")
    tests: list[tuple[str, Callable[[Float64, Bases], bool]]] = [
        ("transposed-side", lambda M, b: error_of(M.T, b, asked.share) <= asked.tolerance),
        ("other-subspace", lambda M, b: _right(M, _exchanged(b), asked)),
        ("subspaces-not-orthogonal", lambda M, b: _for_right_angles(asked, b)),
        ("unit-instead-of-orthonormal", lambda M, b: _for_orthonormal(asked, M, b)),
        ("one-basis-vector-only", lambda M, b: _for_one_vector(asked, M, b)),
        (
            "keeps-the-other-value",
            lambda M, b: error_of(M, _alone(b), asked.share) <= asked.tolerance,
        ),
    ]
    for tag, shows in tests:
        if all(shows(M, bases) for M, bases in cases):
            return misconception(tag)
    return None


def _instances(asked: Asked) -> list[Bases]:
    """Return the plain bases, and drawn ones where the answer is a formula."""
    fixed = isinstance(asked.problem.given.S, Vectors) and isinstance(
        asked.problem.given.T, Vectors
    )
    if asked.in_numbers or fixed:
        return [asked.bases()]
    return [asked.bases(), *(asked.bases(generator(seed)) for seed in range(DRAWN))]


def _exchanged(bases: Bases) -> Bases:
    return Bases(bases.S, bases.T, "T" if bases.recover == "S" else "S")


def _made(bases: Bases, kept: Float64, dropped: Float64) -> Bases:
    S, T = (kept, dropped) if bases.recover == "S" else (dropped, kept)
    return Bases(S, T, bases.recover)


def _alone(bases: Bases) -> Bases:
    """The same, without the other subspace."""
    return _made(bases, bases.kept, bases.dropped[:, :0])


def _orthonormal(bases: Bases) -> Bases:
    """The same subspaces, each with an orthonormal basis."""
    return Bases(np.linalg.qr(bases.S)[0], np.linalg.qr(bases.T)[0], bases.recover)


def _at_right_angles(bases: Bases) -> Bases:
    """The same basis of what is wanted; the other turned to be at right angles to it."""
    P = np.linalg.qr(bases.kept)[0]
    other = bases.dropped - P @ (P.T @ bases.dropped)
    return _made(bases, bases.kept, other / np.linalg.norm(other, axis=0))


def _for_orthonormal(asked: Asked, M: Float64, bases: Bases) -> bool:
    """The formula is right with orthonormal bases; numbers are S S' but for a factor."""
    gram = bases.kept.T @ bases.kept
    if np.allclose(gram, np.eye(len(gram)), atol=1e-9):
        return False
    if asked.in_numbers:
        outer = bases.kept @ bases.kept.T
        with np.errstate(all="ignore"):
            factor = float(np.sum(M * outer) / np.sum(outer * outer))
            return factor > 0 and bool(np.allclose(M, factor * outer, atol=10 * asked.tolerance))
    options = [_orthonormal(bases)]
    if not asked.problem.given.orthogonal:
        options.append(_orthonormal(_at_right_angles(bases)))
    return any(
        error_of(asked.acting(option), option, asked.share) <= asked.tolerance for option in options
    )


def _for_right_angles(asked: Asked, bases: Bases) -> bool:
    """The formula is right where the subspaces are at right angles, which they need not be."""
    if asked.problem.given.orthogonal:
        return False
    turned = _at_right_angles(bases)
    if asked.in_numbers:
        P = np.linalg.qr(bases.kept)[0]
        return bool(np.allclose(asked.share * asked.acting(bases), P @ P.T, atol=asked.tolerance))
    return error_of(asked.acting(turned), turned, asked.share) <= asked.tolerance


def _for_one_vector(asked: Asked, M: Float64, bases: Bases) -> bool:
    """M is right for the multiples of one basis vector only."""
    if bases.kept.shape[1] < 2:
        return False
    single = (bases.kept[:, i : i + 1] for i in range(bases.kept.shape[1]))
    options = (_made(bases, column, bases.dropped) for column in single)
    return any(error_of(M, option, asked.share) <= asked.tolerance for option in options)


def coordinates(asked: Asked) -> Misconception | None:
    """Name the misconception of a matrix that gives as many numbers as there are basis vectors."""
    for tag, turn in (
        ("coordinates-instead-of-projection", lambda bases: bases),
        ("other-subspace", _exchanged),
    ):
        if all(_is_coordinates(asked, turn(bases)) for bases in _instances(asked)):
            return misconception(tag)
    return None


def _is_coordinates(asked: Asked, bases: Bases) -> bool:
    """Multiplied by the basis, the answer is right: here, or with an orthonormal basis."""
    options = [bases] if asked.in_numbers else [bases, _orthonormal(bases)]
    for option in options:
        found = asked.raw(option)
        if found.ndim == 1:
            found = found[None, :]
        count, d = option.kept.shape[1], len(option.kept)
        if found.shape == (d, count):
            found = found.T
        if found.shape == (count, d) and _right(option.kept @ found, option, asked):
            return True
    return False


def counterexample(asked: Asked, failing: list[Trial[Bases]]) -> Counterexample:
    """Look for the fewest and plainest numbers on which the answer is wrong."""
    trial = failing[0]
    for bases in _smaller(asked):
        found = _values(asked, bases)
        if found is not None:
            return _worked(asked, bases, *found, None)
    found = _values(asked, trial.instance)
    if found is None:  # the error shows only between basis vectors that are nearly the same
        x = np.zeros(trial.instance.kept.shape[1])
        x[:2] = (1, -1)[: len(x[:2])]
        found = trial.instance.kept @ x, np.zeros(len(trial.instance.kept))
    return _worked(asked, trial.instance, *found, trial.seed)


def _smaller(asked: Asked) -> Iterator[Bases]:
    """Return plain bases with few vectors first, in as few dimensions as they need."""
    given = asked.problem.given
    if asked.in_numbers or isinstance(given.S, Vectors) or isinstance(given.T, Vectors):
        yield asked.bases()
        return
    for p, r in product(range(1, given.S.count + 1), range(1, given.T.count + 1)):
        small = given.model_copy(
            update={
                "d": p + r,
                "S": given.S.model_copy(update={"count": p}),
                "T": given.T.model_copy(update={"count": r}),
            }
        )
        bases = Bases(*separator_instance(small), asked.problem.goal.recover)
        try:
            asked.acting(bases)
        except InvalidAnswer:  # it speaks of s_2, say, or of I(3)
            continue
        yield bases
    yield asked.bases()


def _values(asked: Asked, bases: Bases) -> tuple[Float64, Float64] | None:
    """Return values v and w with small whole coordinates for which M c is not v."""
    M = asked.acting(bases)
    for x, y in product(_whole(bases.kept.shape[1]), _whole(bases.dropped.shape[1])):
        v, w = bases.kept @ x, bases.dropped @ y
        size = float(np.linalg.norm(v) + np.linalg.norm(w))
        with np.errstate(all="ignore"):
            wrong = np.linalg.norm(asked.share * (M @ (v + w)) - v)
        if size and not wrong <= asked.tolerance * size:
            return v, w
    return None


def _whole(count: int) -> list[Float64]:
    """Return small whole coordinates: 0, single basis vectors, 1 of each, and 1, 2, 3 and on."""
    return [np.zeros(count), *np.eye(count), np.ones(count), np.arange(1.0, count + 1)]


def _worked(asked: Asked, bases: Bases, v: Float64, w: Float64, seed: int | None) -> Counterexample:
    M = asked.acting(bases)
    c = asked.share * (v + w)
    with np.errstate(all="ignore"):
        result = M @ c
        off = result - v
    product_ = "M c" if asked.side == "M c" else "c' M"
    arrays = {
        "S": bases.S.tolist(),
        "T": bases.T.tolist(),
        "M": (M if asked.side == "M c" else M.T).tolist(),
        "v": v.tolist(),
        "w": w.tolist(),
        "c": c.tolist(),
        product_: result.tolist(),
    }
    mixed = "v + w" if asked.share == 1 else f"{number(asked.share)} (v + w)"
    sentence = (
        f"With v = {vector(v)} and w = {vector(w)}, {product_} is {vector(result)} and not v."
    )
    steps = (
        (f"The value wanted is v = {vector(v)}, the other one is w = {vector(w)}.", ""),
        (f"What is known of them is c = {mixed} = {vector(c)}.", ""),
        (f"The matrix makes {vector(result)} of it.", ""),
        (f"That is off by {vector(off)}.", ""),
    )
    return Counterexample(arrays, sentence, seed, steps)


def coordinates_example(asked: Asked) -> Counterexample:
    """Show that coordinates are not the value."""
    bases = asked.bases()
    x = np.arange(2.0, 2 + bases.kept.shape[1])
    v, w = bases.kept @ x, 7 * bases.dropped[:, 0]
    c = asked.share * (v + w)
    found = asked.raw(bases)
    found = np.atleast_2d(found)
    acting = found if found.shape[1] == len(c) else found.T
    result = acting @ c
    sentence = (
        f"With v = {vector(v)} and w = {vector(w)}, M makes {vector(result)} of c = {vector(c)}: "
        f"{len(result)} coordinates, and not the vector v."
    )
    arrays = {"S": bases.S.tolist(), "T": bases.T.tolist(), "M": found.tolist()}
    arrays |= {"v": v.tolist(), "w": w.tolist(), "c": c.tolist(), "M c": result.tolist()}
    return Counterexample(arrays, sentence)
