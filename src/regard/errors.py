"""The errors a caller may want to catch.

    RegardError
    ├── ShapeError       (also a ValueError)   arrays whose shapes do not fit each other
    └── ParameterError   (also a ValueError)   any other argument that cannot be used

Every message names the function, the argument, the rule, what was received and,
where one exists, a change that would work.
"""

from __future__ import annotations

__all__ = ["ParameterError", "RegardError", "ShapeError"]


class RegardError(Exception):
    """Base class of every error that regard raises on purpose."""


class ShapeError(RegardError, ValueError):
    """Arrays whose shapes do not fit each other."""


class ParameterError(RegardError, ValueError):
    """An argument that cannot be used: its type, its dtype, its range or its name."""
