"""The errors a caller may want to catch.

    RegardError
    ├── ShapeError        (also a ValueError)   arrays whose shapes do not fit each other
    ├── ParameterError    (also a ValueError)   any other argument that cannot be used
    ├── FormulaError      (also a ValueError)   a formula that cannot be read or evaluated
    ├── InvalidProblem    (also a ValueError)   a problem that cannot be read or used
    ├── InvalidAnswer     (also a ValueError)   an answer that cannot be read; a wrong one can
    ├── InvalidModel      (also a ValueError)   a file of a model that cannot be read or used
    ├── InfeasibleDesign  a goal that nothing reaches, with the proof and the closest that can be
    └── UndecidedDesign   a goal that was neither reached nor proved out of reach

Every message names the function, the argument, the rule, what was received and,
where one exists, a change that would work.
"""

from __future__ import annotations

from typing import Any

__all__ = [
    "FormulaError",
    "InfeasibleDesign",
    "InvalidAnswer",
    "InvalidModel",
    "InvalidProblem",
    "ParameterError",
    "RegardError",
    "ShapeError",
    "UndecidedDesign",
]


class RegardError(Exception):
    """Base class of every error that regard raises on purpose."""


class ShapeError(RegardError, ValueError):
    """Arrays whose shapes do not fit each other."""


class ParameterError(RegardError, ValueError):
    """An argument that cannot be used: its type, its dtype, its range or its name."""


class FormulaError(RegardError, ValueError):
    """A formula that cannot be read or evaluated.

    Prints as the reason, the formula, and a caret below the place.

    Attributes:
        reason: the sentence.
        text: the formula.
        column: where in the text, from 0.
    """

    def __init__(self, reason: str, text: str, column: int) -> None:
        super().__init__(reason, text, column)
        self.reason, self.text, self.column = reason, text, column

    def __str__(self) -> str:
        # Long formulas are cut to what stands around the place; control characters show as one.
        start = max(0, self.column - 60)
        part = "".join(c if c.isprintable() else "\ufffd" for c in self.text[start : start + 100])
        return f"{self.reason}\n  {part}\n  {' ' * (self.column - start)}^"


class InvalidProblem(RegardError, ValueError):
    """A problem that cannot be read or used: the message names the key, its line and the rule.

    Where several things are wrong, `args` has a sentence for each, and the message is the first.
    """

    def __str__(self) -> str:
        more = len(self.args) - 1
        noted = f" ({more} more: `regard validate` shows all.)" if more > 0 else ""
        return f"{self.args[0]}{noted}" if self.args else ""


class InvalidAnswer(RegardError, ValueError):
    """An answer that cannot be read. A wrong answer is none: it gets a verdict.

    Attributes:
        field: the field that holds what cannot be read, such as "q" or "atoms[0].v"; or "".
        formula: why it is no formula, with the place; or None.
    """

    def __init__(
        self, *sentences: str, field: str = "", formula: FormulaError | None = None
    ) -> None:
        super().__init__(*sentences)
        self.field, self.formula = field, formula


class InvalidModel(RegardError, ValueError):
    """A file of a model that cannot be read or used: the message names the file and the fault."""


class _RefusedDesign(RegardError):
    """A goal without a design: the message, what is proved, what comes closest, and why."""

    def __init__(self, message: str, certificate: Any, best: Any, reason: Any = None) -> None:
        super().__init__(message)
        self.certificate = certificate
        self.best = best
        self.reason = reason

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (*self.args, self.certificate, self.best, self.reason)


class InfeasibleDesign(_RefusedDesign):
    """A goal that nothing reaches.

    Attributes:
        certificate: the obstruction, with its witness; `regard.certify.verify` checks it.
        best: a design of the kind asked for: the closest that can be reached, with its own bound.
        reason: what the message says, as data: a frozen dataclass with the numbers, or None.
    """


class UndecidedDesign(_RefusedDesign):
    """A goal that was neither reached nor proved out of reach.

    Attributes:
        certificate: what is proved all the same, or None.
        best: the closest design found, with its own bound, or None.
        reason: what the message says, as data: a frozen dataclass with the numbers, or None.
    """
