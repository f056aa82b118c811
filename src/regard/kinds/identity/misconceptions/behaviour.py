"""What wrong formulas do on drawn numbers: repaired, or beside what a mistake would come to."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from itertools import combinations

import numpy as np

from regard.checking.sampling import softmax
from regard.checking.tags.softmax_substitutes import Weigh
from regard.kinds.identity.instance import Float64, Values, error_of, example_numbers
from regard.kinds.identity.misconceptions.case import CLOSE, Case, Turn


def right_in_example(case: Case) -> bool:
    """Whether numbers are those that come out in the example."""
    values = example_numbers(case.asked.given)
    wanted = case.wanted(values)
    return error_of(case.found(values, wanted), wanted) <= 1e-2


def not_finite(case: Case) -> bool:
    """Whether the formula comes to no finite number wherever it is tried."""
    found = [case.found(values, wanted) for values, wanted in case.drawn]
    return all(one is not None and not np.all(np.isfinite(one)) for one in found)


def transposing(names: Iterable[str]) -> Turn:
    """Return what transposes these matrices; a vector becomes a row."""
    chosen = list(names)

    def turn(values: Values) -> Values:
        turned = dict(values)
        for name in chosen:
            array = np.asarray(values[name])
            turned[name] = array[None, :] if array.ndim == 1 else array.T if array.ndim else array
        return turned

    return turn


def columns(case: Case) -> Turn:
    """The matrices whose rows have names, with columns for rows."""
    return transposing(set(case.asked.given.rows.values()))


def exchanged(case: Case, roles: str = "") -> bool:
    """Right with two symbols exchanged: two of queries, keys and values, or any of one shape."""
    shapes = case.asked.given.whole_shapes()
    for one, other in combinations((name for name in shapes if shapes[name]), 2):
        ends = {one[-1].upper(), other[-1].upper()}
        if roles:
            fits = ends == set(roles) and len(shapes[one]) == len(shapes[other])
        else:
            fits = shapes[one] == shapes[other] and not (ends < set("QKV") and len(ends) == 2)
        turn = partial(_exchange, one, other)
        # What has changed places has done so in every formula of the answer.
        if fits and all(one.right(turn) for one in (case.beside if roles else (case,))):
            return True
    return False


def _exchange(one: str, other: str, values: Values) -> Values:
    return {**values, one: values[other], other: values[one]}


def imitates(case: Case, weigh: Weigh) -> bool:
    """Whether the answer is what comes out with something else for softmax, and that is wrong."""
    different = False
    for values, wanted in case.drawn:
        with np.errstate(all="ignore"):
            imitation = case.wanted(values, weigh)
        if not np.all(np.isfinite(imitation)):
            continue  # scores that sum to 0
        found = case.found(values, wanted)
        if found is None or not error_of(found, imitation) <= CLOSE:
            return False
        different = different or not error_of(imitation, wanted) <= CLOSE
    return different


def softmax_of_it(case: Case) -> bool:
    """Whether the answer is the softmax of what is asked for."""
    for values, wanted in case.drawn:
        found = case.found(values, wanted)
        if not wanted.ndim or found is None or not error_of(found, softmax(wanted)) <= CLOSE:
            return False
    return True


def multiple(case: Case, *exponents: float) -> bool:
    """Whether the answer is right but for such a power of a size, in the result or in softmax."""
    sizes = sorted(case.asked.given.size_names)
    return any(_times_a_size(case, size, power) for size in sizes for power in exponents)


def _times_a_size(case: Case, size: str, exponent: float) -> bool:
    plain = scaled = True
    for values, wanted in case.drawn:
        found = case.found(values, wanted)
        if found is None:
            return False
        times = float(values[size] ** exponent)
        plain = plain and error_of(found, times * wanted) <= CLOSE
        imitation = case.wanted(values, partial(_scaled_softmax, times))
        scaled = scaled and error_of(found, imitation) <= CLOSE
    return plain or scaled


def _scaled_softmax(times: float, scores: Float64) -> Float64:
    return softmax(times * scores)


def proportional(case: Case, *, constant: bool) -> bool:
    """Whether each row is a positive multiple of what it must be; the same one, if constant."""
    factors: list[float] = []
    for values, wanted in case.drawn:
        found = case.found(values, wanted)
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


def powers_for_weights(case: Case) -> bool:
    """Whether it matters what stands for softmax, and each row is a multiple of what it must be.

    One number alone is a multiple of any other.
    """
    values, wanted = case.drawn[-1]
    matters = not error_of(case.wanted(values, np.exp), wanted) <= CLOSE
    return matters and bool(wanted.ndim) and proportional(case, constant=False)
