"""Numbers so large or small that squares of them leave the floats: find them, and say so."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NoReturn, TypeVar

import numpy as np
from numpy.typing import NDArray

from regard.errors import ParameterError, RegardError

__all__ = ["Extreme", "find_extreme", "finite_or_refused", "no_warnings", "refuse_extreme"]

LARGEST, SMALLEST = 1e30, 1e-30  # products of ten numbers of this size are still ordinary floats
VANISHING = 1e-60  # single entries beside ordinary ones
MOST_LOOKED_AT = 100_000  # entries among which vanishing ones are sought

Extreme = tuple[str, float]  # an argument, and the number in it
Result = TypeVar("Result")

# What a computation raises where numbers leave the floats on the way.
LOST = (ArithmeticError, ValueError, AssertionError, IndexError, TypeError, np.linalg.LinAlgError)


def find_extreme(given: Mapping[str, NDArray[np.float64] | float | None]) -> Extreme | None:
    """Return the first argument with a number of extreme size, and that number."""
    for name, value in given.items():
        if value is None:
            continue
        sizes = np.abs(np.asarray(value, dtype=np.float64)).ravel()
        largest = float(np.max(sizes, initial=0.0))
        if largest > LARGEST or 0 < largest < SMALLEST:
            return name, largest
        if sizes.size <= MOST_LOOKED_AT:
            smallest = float(np.min(sizes[sizes > 0], initial=1.0))
            if smallest < VANISHING:
                return name, smallest
    return None


def refuse_extreme(function: str, extreme: Extreme) -> NoReturn:
    """Say that the numbers of an argument are too large or too small, and what to do."""
    name, size = extreme
    raise ParameterError(
        f"{function}: {name} must not be that {'large' if size > 1 else 'small'}: float64 cannot "
        f"work with it here. Measure in other units: multiply {name} by a constant, so that it "
        f"lies between {SMALLEST:g} and {LARGEST:g}. Got {size:.3g}."
    ) from None


def finite_or_refused(
    function: str,
    given: Mapping[str, Any],
    compute: Callable[[], Result],
    numbers: Callable[[Result], Iterable[Any]],
) -> Result:
    """Call `compute`; with extreme numbers among the arguments, only if its result is finite.

    Args:
        function: whose arguments they are; `compute` checks each of them.
        given: the arguments by name, as they came in.
        compute: gives the result, or raises a RegardError.
        numbers: of a result, those that must be finite.
    """
    try:
        extreme = find_extreme(given)
    except (TypeError, ValueError):  # no numbers: `compute` says so
        extreme = None
    if extreme is None:
        return compute()
    with no_warnings():
        try:
            found = compute()
            if all(bool(np.isfinite(x).all()) for x in numbers(found)):
                return found
        except RegardError:
            raise
        except LOST:
            pass
    refuse_extreme(function, extreme)


@contextmanager
def no_warnings() -> Iterator[None]:
    """Compute with extreme numbers, in which overflow and warnings of it are no news."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield
