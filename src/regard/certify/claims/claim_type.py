"""A type of claim: how it is decided, and what it says."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from regard.certify.balls import Decision
from regard.certify.certificate import Certificate, Claim


class ClaimType(NamedTuple):
    """One type of claim; each file of the folders beside this one lists its own in `CLAIM_TYPES`.

    Attributes:
        decide: whether the claim holds, from the arrays of its certificate and its witness alone.
        say: the claim as a sentence.
        terms: what words in it or in what was found mean, as a sentence, where that is not plain.
    """

    decide: Callable[[Claim, Certificate], Decision]
    say: Callable[[Claim], str]
    terms: str = ""
