"""What became of the claims of a problem."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from regard.certify import Claim
from regard.certify.formulas.counterexamples import Counterexample
from regard.kinds.identity.instance import Values
from regard.kinds.identity.solve.lifting import NoRule, Used
from regard.kinds.identity.spec import IdentityClaim
from regard.language import Formula
from regard.solving.finding import Finding

# Proved for all sizes that are named, proved for some sizes, or tested at drawn numbers.
Scope = Literal["all", "sizes", "tested"]


@dataclass(frozen=True, eq=False)
class Derivation:
    """How far the rules for rows and entries lead.

    Attributes:
        used: the rules.
        formula: what they lead to, or None.
        end: where they end without a formula, or None.
    """

    used: tuple[Used, ...] = ()
    formula: Formula | None = None
    end: NoRule | None = None


@dataclass(frozen=True, eq=False)
class Result:
    """One claim, settled or not.

    Attributes:
        claim: what was asked.
        formula: the formula found, or the one to be shown.
        derivation: how it was found, or came out another way.
    """

    claim: IdentityClaim
    formula: Formula
    derivation: Derivation


@dataclass(frozen=True, eq=False)
class Holds(Result):
    """A claim that holds: its proof, for a certificate, and for which sizes that is."""

    proof: Claim
    scope: Scope = "all"


@dataclass(frozen=True, eq=False)
class Fails(Result):
    """A claim that does not hold: what proves it, for which numbers, and what they differ in."""

    proof: Claim
    values: Values
    found: Counterexample | None = None


@dataclass(frozen=True, eq=False)
class Undecided(Result):
    """A claim that is neither.

    Attributes:
        why: no rule leads to a formula; it has other sizes than are asked for; it cannot be
            written out; that did not prove it, and no numbers refute it; or signs do not.
        reason: what the verification says.
        tried: how many numbers were drawn.
        agreed: for how many of these both sides are defined, and the same.
    """

    why: Literal["rules", "sizes", "unusable", "symbols", "signs"]
    reason: str = ""
    tried: int = 0
    agreed: int = 0


@dataclass(frozen=True, eq=False, kw_only=True)
class Formulas(Finding):
    """All claims of a problem.

    Attributes:
        results: what became of each.
        values: the numbers of a counterexample, or of the example.
    """

    results: tuple[Result, ...]
    values: Values

    @property
    def told(self) -> tuple[Result, ...]:
        """Those that are explained: where some fail, these alone."""
        return failing(self.results) or self.results


def failing(results: tuple[Result, ...]) -> tuple[Fails, ...]:
    """Return the claims that do not hold."""
    return tuple(result for result in results if isinstance(result, Fails))
