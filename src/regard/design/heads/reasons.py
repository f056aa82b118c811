"""Why no head attends, or puts out, as asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from regard.design.reasons import WithNearest
from regard.language.bounds import lower_bound, upper_bound

__all__ = ["NoHead", "NoHeadFound", "NoneWithColumns", "OutputsOutOfReach", "TooFewColumns"]


class _OfHead(WithNearest):
    """A reason of `design.self_attention`, with the closest head there is."""

    function = "design.self_attention"


@dataclass(frozen=True)
class _Proved(_OfHead):
    """A reason that is proved."""

    proved = True

    @property
    def best(self) -> str:
        """The head that comes closest, or the closest that was found."""
        if self.nearest.least is not None:
            return ".best comes closest, with error {}."
        return "The closest head found is .best, with error {}."


@dataclass(frozen=True)
class NoHead(_Proved):
    """No head is within the tolerance.

    Attributes:
        off: "token": some row gives its token at most `bound`. "weight", "output": some weight or
            output is off by more than `bound`.
        bound: that number.
        radius: the size of A up to which this is proved; None: of all A.
    """

    off: Literal["token", "weight", "output"]
    bound: float
    radius: float | None

    @property
    def sentence(self) -> str:
        """What no head does, and by how much it fails."""
        which = "whatever the matrices"
        if self.radius is not None:
            which = f"as long as ‖A‖ ≤ {lower_bound(self.radius, 3)}"
        does = "puts this out" if self.off == "output" else "attends like this"
        if self.off == "token":
            misses = f"row gives its token at most {upper_bound(self.bound)}"
        else:
            misses = f"{self.off} is off by more than {lower_bound(self.bound)}"
        return f"no head {does}: {which}, some {misses}."


@dataclass(frozen=True)
class OutputsOutOfReach(_Proved):
    """Outputs that no weights have: some row misses by `bound` or more."""

    bound: float

    @property
    def sentence(self) -> str:
        """By how much they are missed."""
        return (
            f"these outputs cannot be reached, whatever the head attends to: some row misses by "
            f"{lower_bound(self.bound)} or more."
        )


@dataclass(frozen=True)
class TooFewColumns(_OfHead):
    """No head with so few columns in W_Q and W_K.

    Attributes:
        d_k: the columns asked for.
        needed: how many are needed, as proved.
    """

    d_k: int
    needed: int

    proved = True
    best = ".best has {}."

    @property
    def sentence(self) -> str:
        """How many columns it takes."""
        return (
            f"no head with d_k = {self.d_k} does this: at least {self.needed} columns are needed."
        )


@dataclass(frozen=True)
class NoneWithColumns(_OfHead):
    """Neither a head with so few columns nor a proof that there is none was found."""

    d_k: int

    proved = False
    best = ".best has d_k = {}."

    @property
    def sentence(self) -> str:
        """What was not found."""
        return f"no head with d_k = {self.d_k} was found, nor a proof that there is none."


@dataclass(frozen=True)
class NoHeadFound(_OfHead):
    """Neither a head nor a proof was found.

    Attributes:
        outputs: whether only outputs are asked for.
    """

    outputs: bool

    proved = False

    @property
    def sentence(self) -> str:
        """What was not found."""
        if self.outputs:
            return "no head with these outputs was found, nor a proof that there is none."
        return "neither a head nor a proof that there is none was found."

    @property
    def best(self) -> str:
        """A sentence that names the closest head, `.best`, and its error."""
        return f"The closest {'' if self.outputs else 'head '}found is .best, with error {{}}."
