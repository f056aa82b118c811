"""Which misconception a wrong formula shows.

Most are found by a repair: a symbol transposed, two symbols exchanged, one product turned round.
If the formula is right then, on all numbers tried, that was the mistake. Mistakes about softmax
are found by imitation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from regard.checking.identity.instances import (
    CLOSE,
    Asked,
    Float64,
    Misfit,
    Values,
    draw,
    error_of,
    expected,
    indexed,
)
from regard.checking.misconceptions import misconception
from regard.checking.sampling import softmax
from regard.checking.verdict import Misconception
from regard.errors import FormulaError, InvalidAnswer
from regard.language import Formula
from regard.language.tree import Node, Tree, operands, starts
from regard.problems.kinds.identity import IdentityClaim

SEEDS = range(5)
Turn = Callable[[Values], Values]
Weigh = Callable[[Float64], Float64]
Cases = list[tuple[Values, Float64]]
ROLES = {
    frozenset("QK"): "queries-and-keys-swapped",
    frozenset("KV"): "keys-and-values-swapped",
    frozenset("QV"): "queries-and-values-swapped",
}


def recognise(asked: Asked, claim: IdentityClaim) -> Misconception | None:
    """Name the first misconception whose behaviour the answer shows."""
    field = asked.answer.need(claim.name)
    if isinstance(field, np.ndarray):
        return misconception("numbers-instead-of-formula") if _in_example(asked, claim) else None
    if isinstance(field, Formula) and field.names & set(asked.given.indexed()):
        return misconception("part-instead-of-whole")
    if not _cases(asked, claim):
        return None  # the definition comes to nothing for all numbers that were drawn
    if _not_finite(asked, claim):
        return misconception("not-finite")
    for tag, shows in _tests(asked, claim):
        if shows():
            return misconception(tag)
    return None


def _tests(asked: Asked, claim: IdentityClaim) -> Iterator[tuple[str, Callable[[], bool]]]:
    cases = _cases(asked, claim)

    def repaired(turn: Turn | None = None, **options: Any) -> Callable[[], bool]:
        return lambda: _right(asked, claim, cases, turn, **options)

    names = list(asked.given.whole_shapes())
    roles = _exchanges(asked, roles=True)
    yield from ((tag, partial(_all_right, asked, turn)) for tag, turn in roles)
    yield "transposed-result", repaired(after=np.transpose)
    yield from (("transpose-forgotten", repaired(_transposing([name]))) for name in names)
    yield "tokens-as-columns", repaired(columns := _transposing(set(asked.given.rows.values())))
    yield "matrix-on-the-wrong-side", repaired(_transposing(names), after=np.transpose)
    field = asked.answer.need(claim.name)
    trees = list(_repairs(field.tree)) if isinstance(field, Formula) else []
    trees.sort(key=lambda one: one[0] != "matrix-on-the-wrong-side")
    yield from ((tag, repaired(tree=tree)) for tag, tree in trees)
    if claim.part == "row i":
        yield "tokens-as-columns", repaired(columns, after=np.transpose)
    yield "transpose-forgotten", repaired(_transposing(names))
    yield from ((tag, repaired(turn)) for tag, turn in _exchanges(asked, roles=False))
    yield "weights-instead-of-scores", lambda: _softmax_of_it(asked, claim, cases)
    for tag, weigh in _weighings():
        yield tag, partial(_imitates, asked, claim, cases, weigh)
    for tag, factor in _factors(asked):
        yield tag, partial(_right_but_for, asked, claim, cases, factor)
    yield "extra-factor", lambda: _proportional(asked, claim, cases, constant=True)
    if cases[0][1].ndim and _has_softmax(asked, claim, cases):  # one number alone is any multiple
        yield "unnormalised-weights", lambda: _proportional(asked, claim, cases, constant=False)


def _cases(asked: Asked, claim: IdentityClaim) -> Cases:
    drawn = [draw(asked.given, seed) for seed in SEEDS]
    found = [(values, expected(claim, asked.given, values)) for values in drawn]
    return [(values, wanted) for values, wanted in found if np.all(np.isfinite(wanted))]


def _found(
    asked: Asked, claim: IdentityClaim, values: Values, wanted: Float64, tree: Tree | None = None
) -> Any:
    """Return what the answer comes to, or None where it does not fit."""
    try:
        return asked.value(claim.name, values, wanted.shape, tree)
    except (Misfit, InvalidAnswer):
        return None


def _right(
    asked: Asked,
    claim: IdentityClaim,
    cases: Cases,
    turn: Turn | None = None,
    *,
    after: Callable[[Any], Any] | None = None,
    tree: Tree | None = None,
) -> bool:
    """Whether the answer is right once it is repaired, on all numbers tried."""
    for values, wanted in cases:
        if after is not None and wanted.ndim < 2:
            return False
        there = values if turn is None else turn(values)
        found = _found(asked, claim, there, wanted.T if after else wanted, tree)
        if found is None or not error_of(after(found) if after else found, wanted) <= CLOSE:
            return False
    return True


def _all_right(asked: Asked, turn: Turn) -> bool:
    """Whether a repair makes all claims right: what has changed places has done so everywhere."""
    return all(_right(asked, one, _cases(asked, one), turn) for one in asked.problem.goal.claims)


def _in_example(asked: Asked, claim: IdentityClaim) -> bool:
    values = draw(asked.given)
    wanted = expected(claim, asked.given, values)
    return error_of(_found(asked, claim, values, wanted), wanted) <= 1e-2


def _not_finite(asked: Asked, claim: IdentityClaim) -> bool:
    for values, wanted in _cases(asked, claim):
        found = _found(asked, claim, values, wanted)
        if found is None or np.all(np.isfinite(found)):
            return False
    return True


def part_is_right(asked: Asked, claim: IdentityClaim) -> bool:
    """Whether an answer with an index is that row or entry of what is asked for."""
    field = asked.answer.need(claim.name)
    for values, wanted in _cases(asked, claim):
        for i, j in ((0, 0), (0, 1), (1, 0)):
            names = asked.symbols(indexed(asked.given, values, i, j), claim.name)
            try:
                found = field.evaluate(names)
            except FormulaError:
                return False
            part = wanted[i, j] if np.ndim(found) == 0 and wanted.ndim == 2 else wanted[i]
            if not error_of(found, np.asarray(part)) <= CLOSE:
                return False
    return True


def _transposing(names: Any) -> Turn:
    def turn(values: Values) -> Values:
        turned = dict(values)
        for name in names:
            array = np.asarray(values[name])
            turned[name] = array[None, :] if array.ndim == 1 else array.T if array.ndim else array
        return turned

    return turn


def _exchanges(asked: Asked, *, roles: bool) -> Iterator[tuple[str, Turn]]:
    """Return exchanges of two symbols: of queries, keys and values, or of any of one shape."""
    shapes = asked.given.whole_shapes()
    for one, other in combinations((name for name in shapes if shapes[name]), 2):
        role = ROLES.get(frozenset((one[-1].upper(), other[-1].upper())))
        alike = len(shapes[one]) == len(shapes[other]) if role else shapes[one] == shapes[other]
        if alike and roles == (role is not None):
            tag = role or "symbols-exchanged"

            def turn(values: Values, one: str = one, other: str = other) -> Values:
                return {**values, one: values[other], other: values[one]}

            yield tag, turn


def _repairs(tree: Tree) -> Iterator[tuple[str, Tree]]:
    """Return the formula with one product turned round, one transpose changed, or one sum."""
    first = starts(tree)
    for end, node in enumerate(tree):
        before, part, after = tree[: first[end]], tree[first[end] : end + 1], tree[end + 1 :]
        if node.op in ("*", "·"):
            left, right = operands(part)
            yield "matrix-on-the-wrong-side", before + right + left + (node,) + after
            if left[-1].op == node.op:  # in a row of factors also the next two
                one, two = operands(left)
                row = one + right + (node,) + two + (node,)
                yield "matrix-on-the-wrong-side", before + row + after
        if node.op == "'":
            yield "transpose-forgotten", before + part[:-1] + after
        else:
            yield "transpose-forgotten", before + part + (Node("'", 1),) + after
        if node.op in ("+", "-") and node.arity == 2:
            left, right = operands(part)
            yield "sum-instead-of-product", before + left + right + (Node("*", 2),) + after
            yield "sum-instead-of-product", before + right + left + (Node("*", 2),) + after


def _weighings() -> Iterator[tuple[str, Weigh]]:
    """Return what may stand where the softmax belongs."""
    yield "unnormalised-weights", np.exp
    yield "scores-divided-by-their-sum", lambda s: s / np.sum(s, axis=-1, keepdims=True)
    yield "scores-instead-of-weights", lambda s: s
    yield "softmax-over-columns", lambda s: softmax(s.T).T if s.ndim == 2 else softmax(s)
    yield "softmax-over-all", lambda s: np.exp(s) / np.sum(np.exp(s))
    yield "sign-error", lambda s: softmax(-s)
    yield "values-not-weighted", lambda s: np.full(s.shape, 1 / s.shape[-1])


def _imitates(asked: Asked, claim: IdentityClaim, cases: Cases, weigh: Weigh) -> bool:
    """Whether the answer is what comes out with something else for softmax, and that is wrong."""
    different = False
    for values, wanted in cases:
        with np.errstate(all="ignore"):
            imitation = expected(claim, asked.given, values, weigh)
        if not np.all(np.isfinite(imitation)):
            continue  # scores that sum to 0
        found = _found(asked, claim, values, wanted)
        if found is None or not error_of(found, imitation) <= CLOSE:
            return False
        different = different or not error_of(imitation, wanted) <= CLOSE
    return different


def _has_softmax(asked: Asked, claim: IdentityClaim, cases: Cases) -> bool:
    """Whether it matters what stands for softmax."""
    values, wanted = cases[-1]
    return not error_of(expected(claim, asked.given, values, np.exp), wanted) <= CLOSE


def _softmax_of_it(asked: Asked, claim: IdentityClaim, cases: Cases) -> bool:
    """Whether the answer is the softmax of what is asked for."""
    for values, wanted in cases:
        found = _found(asked, claim, values, wanted)
        if not wanted.ndim or found is None or not error_of(found, softmax(wanted)) <= CLOSE:
            return False
    return True


def _factors(asked: Asked) -> Iterator[tuple[str, Callable[[Values], float]]]:
    for size in sorted(asked.given.size_names):
        yield "scaled-although-not-asked", partial(_power, size, -0.5)
        yield "size-as-factor", partial(_power, size, -1.0)
        yield "size-as-factor", partial(_power, size, 1.0)


def _power(size: str, exponent: float, values: Values) -> float:
    return float(values[size] ** exponent)


def _right_but_for(
    asked: Asked, claim: IdentityClaim, cases: Cases, factor: Callable[[Values], float]
) -> bool:
    """Whether the answer is a multiple of what it must be; or, in a softmax, of the scores."""
    plain = scaled = True
    for values, wanted in cases:
        found = _found(asked, claim, values, wanted)
        if found is None:
            return False
        times = factor(values)
        plain = plain and error_of(found, times * wanted) <= CLOSE
        imitation = expected(claim, asked.given, values, _times(times))
        scaled = scaled and error_of(found, imitation) <= CLOSE
    return plain or scaled


def _times(factor: float) -> Weigh:
    return lambda scores: softmax(factor * scores)


def _proportional(asked: Asked, claim: IdentityClaim, cases: Cases, *, constant: bool) -> bool:
    """Whether each row is a positive multiple of what it must be; the same one, if constant."""
    factors: list[float] = []
    for values, wanted in cases:
        found = _found(asked, claim, values, wanted)
        if found is None or np.size(found) != wanted.size:
            return False
        rows, right = (np.atleast_2d(np.reshape(a, wanted.shape)) for a in (found, wanted))
        for row, must in zip(rows, right, strict=True):
            size = float(np.sum(must * must))
            factor = float(np.sum(row * must)) / size if size else 1.0
            if not factor > 0 or not error_of(row, factor * must) <= CLOSE:
                return False
            factors += [factor] if size else []
    return bool(factors) and (not constant or bool(np.ptp(factors) <= CLOSE * max(factors)))
