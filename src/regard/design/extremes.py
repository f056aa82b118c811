"""Designs from numbers of extreme size: a result that holds, or a message that names the number.

Solvers square lengths and divide by them, which for 1e200 or 1e-310 leaves the floats somewhere on
the way. Where such numbers come in, what comes out is verified before anybody sees it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from regard.certify import verify
from regard.errors import InfeasibleDesign, RegardError, UndecidedDesign
from regard.shapes.extremes import LOST, find_extreme, no_warnings, refuse_extreme

__all__ = ["surely"]

Design = TypeVar("Design")


def surely(
    function: str,
    given: Mapping[str, NDArray[np.float64] | float | None],
    solve: Callable[[], Design],
) -> Design:
    """Call `solve`; with extreme numbers among the arguments, only if its outcome verifies.

    Args:
        function: whose arguments they are; it has checked each of them.
        given: the arguments by name.
        solve: gives the design, or raises a RegardError.
    """
    extreme = find_extreme(given)
    if extreme is None:
        return solve()
    with no_warnings():
        try:
            found = solve()
            sound = _sound(found)
        except (InfeasibleDesign, UndecidedDesign) as refusal:
            if _sound(refusal.best) and _proved(refusal.certificate):
                raise
            sound = False
        except RegardError:  # of a function that this one calls, about numbers of its own
            sound = False
        except LOST:  # nothing that floats can hold came out
            sound = False
    if not sound:
        refuse_extreme(function, extreme)
    return found


def _sound(design: Any) -> bool:
    """Does all that is claimed of a design hold, and is the design finite?"""
    if design is None:
        return True
    numbers = (value for value in vars(design).values() if isinstance(value, np.ndarray))
    finite = all(bool(np.isfinite(array).all()) for array in numbers if array.dtype.kind == "f")
    return finite and _proved(design.certificate)


def _proved(certificate: Any) -> bool:
    return certificate is None or verify(certificate).holds
