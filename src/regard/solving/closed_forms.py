"""Closed forms that several kinds compute, print and claim: each is written once, as a formula."""

from __future__ import annotations

from dataclasses import dataclass

from regard.language import Formula, parse

__all__ = ["LEAST_OF_RATIO", "NECESSARY_GAP", "SUFFICIENT_GAP", "ClosedForm"]


@dataclass(frozen=True)
class ClosedForm:
    """A formula in the formula language, as claims hold it.

    >>> ClosedForm("R/(R + n - 1)").value(R=3, n=4)
    0.5
    """

    text: str

    @property
    def formula(self) -> Formula:
        """The formula, read."""
        return parse(self.text)

    @property
    def latex(self) -> str:
        """The formula as LaTeX."""
        return self.formula.to_latex()

    def value(self, **numbers: float) -> float:
        """Return its value at these numbers, in float64."""
        return float(self.formula.evaluate({name: float(x) for name, x in numbers.items()}))


# Of a score above each other one, among n keys, for a weight of at least 1 - epsilon.
SUFFICIENT_GAP = ClosedForm("log((n - 1) (1 - epsilon)/epsilon)")
NECESSARY_GAP = ClosedForm("log((1 - epsilon)/epsilon)")
# The least weight, among n keys, of a key with R times that of each other one.
LEAST_OF_RATIO = ClosedForm("R/(R + n - 1)")
