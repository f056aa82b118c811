"""Why a design is refused, as data, and the message that a caller sees made from it.

Each folder has a file of its own reasons: frozen dataclasses with the numbers. Whoever tells of a
refusal elsewhere takes the numbers, or `sentence`, which names no Python object.

Every refusal of the design functions is made by `refused`, which says "impossible" of nothing that
`certify.verify` does not accept.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any, Literal

from regard.certify import verify
from regard.errors import InfeasibleDesign, UndecidedDesign
from regard.language.bounds import lower_bound, upper_bound
from regard.report import number

__all__ = ["PROVED", "Nearest", "NotProved", "Reason", "WithNearest", "refused", "undecided"]

PROVED = "The certificate proves it."


@dataclass(frozen=True)
class Nearest:
    """What comes closest to a goal that is refused: `.best` of the error.

    Attributes:
        what: which things are compared.
        measure: by which number: how far off, by how much wanted keys are above others, or how
            many columns; None: by none.
        amount: that number.
        least: the share of the amount by which nothing is closer, as proved; None: not proved.
        rough: whether that share is large enough to be mentioned.
    """

    what: Literal["weights", "output", "query", "queries", "head"]
    measure: Literal["error", "gap", "d_k"] | None
    amount: float = 0.0
    least: float | None = None
    rough: bool = False

    @property
    def digits(self) -> str:
        """What `.best` is proved to have, with the share where that is large."""
        more = f" (proved to {100 * self.least:g} %)" if self.rough and self.least else ""
        if self.measure == "error":
            return f"at most {upper_bound(self.amount)}{more}"
        if self.measure == "gap":
            return f"at least {lower_bound(self.amount)}{more}"
        return number(self.amount) + more


class Reason(ABC):
    """Why a design is refused: proved out of reach, or neither found nor excluded.

    Attributes:
        function: which function refuses.
        nearest: what comes closest, if there is something to say about it.
        proved: whether the certificate of the refusal proves it.
    """

    function: str
    nearest: Nearest | None
    proved: bool

    @property
    @abstractmethod
    def sentence(self) -> str:
        """What cannot be, or was not found: sentences that begin with a small letter."""

    @property
    @abstractmethod
    def best(self) -> str:
        """What `.best` is, with {} for what it is proved to have; or ""."""

    @property
    def ending(self) -> str:
        """Where the proof is and what `.best` is, for somebody who holds the error; or ""."""
        digits = "" if self.nearest is None else self.nearest.digits
        return f"{PROVED} " * self.proved + self.best.format(digits)

    @property
    def message(self) -> str:
        """The message of the error."""
        return f"{self.function}: {self.sentence} {self.ending}".rstrip()


@dataclass(frozen=True)
class WithNearest(Reason):
    """A reason with what comes closest, which there always is."""

    nearest: Nearest


@dataclass(frozen=True)
class NotProved(Reason):
    """A goal that looks out of reach, without a proof that holds.

    Attributes:
        function: which function refuses.
        nearest: what comes closest, or None.
        closest: whether there is a `.best`.
    """

    function: str
    nearest: Nearest | None
    closest: bool

    proved = False

    @property
    def sentence(self) -> str:
        """What was not found."""
        return "neither a design nor a proof that there is none was found."

    @property
    def best(self) -> str:
        """A sentence that names the closest design, `.best`, and its error."""
        if not self.closest:
            return ""
        off = self.nearest is not None and self.nearest.measure == "error"
        return f"The closest found is .best{', with error {}' if off else ''}."


def refused(reason: Reason, certificate: Any, best: Any) -> InfeasibleDesign | UndecidedDesign:
    """Return the error that a goal is proved out of reach; undecided if the proof does not hold.

    A proof can fail where floats and what they stand for disagree: products of matrices that have
    rank 1 up to rounding only, averages that meet in floats and not in rationals.
    """
    if verify(certificate).holds:
        return InfeasibleDesign(reason.message, certificate, best, reason)
    nearest = None if reason.nearest is None else replace(reason.nearest, least=None, rough=False)
    return undecided(NotProved(reason.function, nearest, best is not None), None, best)


def undecided(reason: Reason, certificate: Any, best: Any) -> UndecidedDesign:
    """Return the error that a goal was neither reached nor excluded."""
    return UndecidedDesign(reason.message, certificate, best, reason)
