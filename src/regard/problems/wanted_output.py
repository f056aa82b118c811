"""An output that is wanted, as the weights that give it.

A goal may say the output instead of weights: an average of values as a formula, or numbers. It is
turned into weights while a problem is read, so that everything else knows weights only. Where
values are numbers, an answer is judged by its output, so that it does not matter which of several
possible weights these are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.errors import FormulaError
from regard.language import parse
from regard.problems.exact_numbers import value

Float64 = NDArray[np.float64]
CLOSE = 1e-9  # relative: what numbers may be off an average of values and still be one


def with_weights(data: Any) -> Any:
    """Return the data of a problem with weights in its goal, worked out of the output wanted.

    Raises:
        ValueError: the output is no average of the values; the message says how far it is off.
    """
    goal = data.get("goal") if isinstance(data, Mapping) else None
    given = data.get("given") if isinstance(data, Mapping) else None
    if not isinstance(goal, Mapping) or not isinstance(given, Mapping) or not goal.get("output"):
        return data
    names = given.get("names", {})
    if not isinstance(names, Mapping) or not all(isinstance(r, int) for r in names.values()):
        return data  # the names are refused by themselves
    output = goal["output"]
    n = max(
        [given["n"] if isinstance(given.get("n"), int) else 0, 1 + max(names.values(), default=0)]
    )
    if isinstance(output, str):
        shares = _of_formula(output, names, n)
    else:
        shares = _of_numbers(output, given.get("values"))
        names = _named(names, np.flatnonzero(shares).tolist())
    weights = {name: float(shares[row]) for name, row in names.items() if shares[row] > 0}
    return {**data, "given": {**given, "names": names}, "goal": {**goal, "weights": weights}}


def _of_formula(text: str, names: Mapping[str, int], n: int) -> Float64:
    """Return the shares of the values in a formula, by putting unit vectors for them."""
    rng = np.random.default_rng(1)
    try:
        formula = parse(text)
        unit, drawn = np.eye(n), rng.normal(size=(n, n))
        found, other = (
            np.asarray(
                formula.evaluate({f"v_{name}": v[row] for name, row in names.items()}), float
            )
            for v in (unit, drawn)
        )
    except FormulaError as error:
        raise ValueError(f"goal.output: {error}") from None
    linear = found.shape == (n,) and np.allclose(found @ drawn, other, atol=1e-9)
    if not linear or np.min(found) < -CLOSE or abs(np.sum(found) - 1) > CLOSE:
        raise ValueError(
            "goal.output: must be an average of values such as (v_a + v_b)/2: shares of at least 0 "
            "that sum to 1"
        )
    return np.where(found > CLOSE, found, 0.0) / np.sum(found)


def _float(number: Any) -> float:
    """Return a number, also where it is written as "1/3" or "sqrt(2)/2"."""
    return value(number.strip()) if isinstance(number, str) else float(number)


def _of_numbers(output: Any, values: Any) -> Float64:
    """Return shares of values that give the numbers, as few as possible."""
    from scipy.optimize import nnls  # seldom needed

    rows = values.get("rows") if isinstance(values, Mapping) else values
    if not isinstance(rows, list):
        raise ValueError("goal.output: numbers need values that are rows of numbers")
    try:
        V = np.array([[_float(x) for x in row] for row in rows])
        wanted = np.array([_float(x) for x in output])
    except (TypeError, ValueError):
        raise ValueError("goal.output: must be numbers or a formula") from None
    if V.ndim != 2 or wanted.shape != V.shape[1:]:
        raise ValueError(f"goal.output: must have as many numbers as a value: {V.shape[-1]}")
    size = max(1.0, float(np.max(np.abs(V))), float(np.max(np.abs(wanted))))
    heavy = 1e3 * size  # the sum of the shares counts more than a distance
    found, _ = nnls(np.vstack([V.T, np.full((1, len(V)), heavy)]), np.append(wanted, heavy))
    shares = np.asarray(found / np.sum(found))
    off = float(np.linalg.norm(shares @ V - wanted))
    if off > 1e-6 * size:
        nearest = ", ".join(f"{x:.6g}" for x in shares @ V)
        raise ValueError(
            f"goal.output: no weights give it, as it is no average of the values: the nearest one "
            f"is ({nearest}), {off:.6g} away"
        )
    # The same values once more, without the uneven weighting: a half is a half.
    used = np.flatnonzero(shares > 1e-6)
    square = np.vstack([V[used].T, np.ones((1, len(used)))])
    exact = np.linalg.lstsq(square, np.append(wanted, 1.0), rcond=None)[0]
    if np.min(exact) > 0 and np.allclose(exact @ V[used], wanted, atol=1e-9 * size):
        shares = np.zeros(len(V))
        shares[used] = exact
    return np.where(shares > CLOSE, shares, 0.0) / np.sum(shares[shares > CLOSE])


def _named(names: Mapping[str, int], rows: list[int]) -> dict[str, int]:
    """Return names that have one for each of these rows."""
    found = dict(names)
    for row in rows:
        if row not in found.values():
            name = next(x for x in (f"r{row + 1}", f"row{row + 1}") if x not in found)
            found[name] = row
    return found
