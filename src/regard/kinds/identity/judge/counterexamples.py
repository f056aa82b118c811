"""Numbers for which a formula is wrong, worked out."""

from __future__ import annotations

from typing import Any

import numpy as np

from regard.certify.formulas import counterexamples as proofs
from regard.checking.sampling import Trial
from regard.checking.verdict import Counterexample
from regard.kinds.identity.instance import Float64, Values, error_of
from regard.kinds.identity.misconceptions.case import Case
from regard.kinds.identity.reading import Asked, Misfit
from regard.kinds.identity.spec import IdentityClaim, IdentityGiven
from regard.report import number


def symbolic_difference(
    asked: Asked, claim: IdentityClaim, found: proofs.Counterexample
) -> Counterexample:
    """Show numbers for which an answer is wrong that floats do not tell from a right one."""
    sizes = ", ".join(f"{name} = {size}" for name, size in found.sizes.items())
    there = f"With {sizes}" if sizes else "There"
    arrays = {name: found.values[name] for name in asked.given.shapes if name in found.values}
    words = found.difference.words("by the answer", "by definition")
    return Counterexample(
        arrays, f"{there}: {claim.name} is {words}.", shows=f"{claim.name} is {words}.", about=sizes
    )


def failing_instance(case: Case, failing: list[Trial[Values]]) -> Counterexample:
    """Show the failing instance with the fewest and smallest numbers."""
    asked, claim = case.asked, case.claim
    fits = [trial for trial in failing if np.isfinite(trial.error)]
    trial = min(fits or failing, key=lambda one: _size(asked.given, one.instance))
    values = trial.instance
    sizes = sizes_in_words(asked.given, values)
    there = f"With {sizes}" if sizes else "There"
    wanted = case.wanted(values)
    arrays = {name: np.asarray(values[name]).tolist() for name in asked.given.shapes}
    arrays[f"{claim.name} by definition"] = wanted.tolist()
    found, words = compared(case, values)
    numbers = found is not None and error_of(found, wanted) != np.inf
    sentence = f"{there}{':' if numbers else ''} {words}."
    if found is not None:
        arrays[claim.name] = np.asarray(found).tolist()
    name = claim.name
    shows = f"{words}." if words.startswith(f"{name} ") else f"{words[:1].upper()}{words[1:]}."
    if not numbers:
        return Counterexample(arrays, sentence, trial.seed, shows=shows, about=sizes)
    steps = (
        (f"The formula comes to {_rows(np.asarray(found))}.", ""),
        (f"By definition {claim.name} is {_rows(wanted)}.", ""),
    )
    main = (name, f"{name} by definition")
    return Counterexample(arrays, sentence, trial.seed, steps, shows, sizes, main)


def compared(case: Case, values: Values) -> tuple[Any, str]:
    """Return what a formula comes to, or None, and say how that differs from what it must be."""
    wanted, name = case.wanted(values), case.claim.name
    try:
        found = case.value(values, wanted)
    except Misfit as problem:
        return None, f"it cannot be computed: {problem.reason}"
    if error_of(found, wanted) == np.inf:
        return found, f"{name} is {shape_in_words(found)} and must be {shape_in_words(wanted)}"
    return found, _difference(name, found, wanted)


def _difference(name: str, found: Any, wanted: Float64) -> str:
    array = np.reshape(np.asarray(found, float), wanted.shape)
    if not wanted.ndim:
        return f"{name} is {number(float(array))} and must be {number(float(wanted))}"
    with np.errstate(all="ignore"):
        apart = np.nan_to_num(np.abs(array - wanted), nan=np.inf)
    place = np.unravel_index(int(np.argmax(apart)), wanted.shape)
    where = ", ".join(str(int(axis) + 1) for axis in place)
    return (
        f"entry {where} of {name} is {number(float(array[place]))} and must be "
        f"{number(float(wanted[place]))}"
    )


def _rows(array: Float64) -> str:
    if array.ndim == 0:
        return number(float(array))
    if array.ndim == 1:
        return "(" + ", ".join(number(float(x), 4) for x in array[:6]) + ")"
    return "[" + ", ".join(_rows(row) for row in array[:6]) + "]"


def _size(given: IdentityGiven, values: Values) -> float:
    arrays = [np.asarray(values[name], float) for name in given.shapes]
    return float(sum(array.size + np.max(np.abs(array)) for array in arrays))


def sizes_in_words(given: IdentityGiven, values: Values) -> str:
    """Say what the named sizes are."""
    every = (size for shape in given.shapes.values() for size in shape)
    named = dict.fromkeys(size for size in every if isinstance(size, str))
    return ", ".join(f"{size} = {int(values[size])}" for size in named)


def shape_in_words(array: Any) -> str:
    """Say how large an array is."""
    shape = np.shape(array)
    if len(shape) == 0:
        return "a number"
    return f"a vector of {shape[0]}" if len(shape) == 1 else " × ".join(map(str, shape))
