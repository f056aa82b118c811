"""The errors a caller may want to catch.

    RegardError
    ├── ShapeError        (also a ValueError)   arrays whose shapes do not fit each other
    ├── ParameterError    (also a ValueError)   any other argument that cannot be used
    ├── InfeasibleDesign  a goal that nothing reaches, with the proof and the closest that can be
    └── UndecidedDesign   a goal that was neither reached nor proved out of reach

Every message names the function, the argument, the rule, what was received and,
where one exists, a change that would work.
"""

from __future__ import annotations

from typing import Any

__all__ = ["InfeasibleDesign", "ParameterError", "RegardError", "ShapeError", "UndecidedDesign"]


class RegardError(Exception):
    """Base class of every error that regard raises on purpose."""


class ShapeError(RegardError, ValueError):
    """Arrays whose shapes do not fit each other."""


class ParameterError(RegardError, ValueError):
    """An argument that cannot be used: its type, its dtype, its range or its name."""


class InfeasibleDesign(RegardError):
    """A goal that nothing reaches.

    Attributes:
        certificate: the obstruction, with its witness; `regard.certify.verify` checks it.
        best: a design of the kind asked for: the closest that can be reached, with its own bound.
    """

    def __init__(self, message: str, certificate: Any, best: Any) -> None:
        super().__init__(message)
        self.certificate = certificate
        self.best = best

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (*self.args, self.certificate, self.best)


class UndecidedDesign(RegardError):
    """A goal that was neither reached nor proved out of reach.

    Attributes:
        certificate: what is proved all the same, or None.
        best: the closest design found, with its own bound, or None.
    """

    def __init__(self, message: str, certificate: Any, best: Any) -> None:
        super().__init__(message)
        self.certificate = certificate
        self.best = best

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (*self.args, self.certificate, self.best)
