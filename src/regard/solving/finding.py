"""What a solver returns, and what is made of it for people: a finding and its explanation.

`solve` of a kind finds: mathematics and claims, no sentence. `explain` tells: words, tables and
figures out of a finding, no decision. A kind narrows `Finding` to one frozen class per outcome.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from regard.certify import Certificate
from regard.report import Block

Steps = tuple[tuple[str, str], ...]


class Status(Enum):
    """How a problem came out; the value is what a person reads.

    PROVED and IMPOSSIBLE: one verified claim is the goal itself, or excludes it. COMPUTED: every
    number asked for is verified. ARGUED: the steps are the argument, and what was verified are
    instances of the goal. NUMERIC: the goal is met by numbers that carry no proof. The words of
    ARGUED carry the number of instances where it is known (`Solution.outcome`).
    """

    PROVED = "solved and proved"
    IMPOSSIBLE = "impossible and proved"
    COMPUTED = "computed exactly"
    ARGUED = "argued in steps, tested on instances"
    NUMERIC = "computed, not proved"
    UNDECIDED = "undecided"


@dataclass(frozen=True, eq=False)
class Finding:
    """What was found, without a word about it.

    Attributes:
        status: how it came out, as the solver has it.
        answer: the fields of an answer file: formulas, numbers, lists, true or false.
        certificate: claims about the instance, for `regard.certify.verify`.
        reaches: which claims of the certificate are the goal itself (or exclude it), in its own
            measure and at its own numbers.
        instances: on how many instances the answer was tested, where the claims are about some of
            them and the goal about all.
    """

    status: Status
    answer: Mapping[str, Any]
    certificate: Certificate
    reaches: tuple[int, ...] = ()
    instances: int = 0


@dataclass(frozen=True, eq=False)
class Explanation:
    """A finding told to a person.

    Attributes:
        headline: the answer in the terms of the problem, as LaTeX.
        steps: why: sentences, each with a formula as LaTeX or "". A sentence may begin with what
            the step is about, in a word or two: `**Weights.** The softmax …` (`lead`).
        details: the numbers of the instance: tables and plots.
        beliefs: what is often believed and not so, where no answer shows it. Each begins with the
            belief, up to a full stop or a colon: `A sharp edge: the edge has …`. Wrong answers are
            told by `misconceptions` of the kind.
        assumes: what the answer rests on beyond what the statement may say, as sentences.
        terms: what names in the claims of the proof mean, as sentences.
        result: the answer as a sentence, for the top of a page; words in it may stand out
            (`regard.report.headline`). "" where the status and the title say as much.
        argued: the same where the goal is argued and tested, and not proved.
    """

    headline: str
    steps: Steps
    details: tuple[Block, ...] = ()
    beliefs: tuple[str, ...] = ()
    assumes: tuple[str, ...] = ()
    terms: tuple[str, ...] = ()
    result: str = ""
    argued: str = ""


_LEAD = re.compile(r"\*\*(.+?)\.?\*\* *")


def lead(text: str) -> tuple[str, str]:
    """Return what a sentence begins with between pairs of stars, or "", and the rest.

    >>> lead("**Weights.** The softmax gives them."), lead("The softmax gives them.")
    (('Weights', 'The softmax gives them.'), ('', 'The softmax gives them.'))
    """
    found = _LEAD.match(text)
    return (found[1], text[found.end() :]) if found else ("", text)


def within(certificate: Certificate, kinds: Iterable[str], most: float) -> tuple[int, ...]:
    """Return where claims of these kinds stand whose bound is at most that of the goal."""
    return _places(certificate, kinds, lambda bound: bound <= most)


def at_least(certificate: Certificate, kinds: Iterable[str], least: float) -> tuple[int, ...]:
    """Return where claims of these kinds stand whose bound is at least that of the goal."""
    return _places(certificate, kinds, lambda bound: bound >= least)


def excluding(certificate: Certificate, *kinds: str) -> tuple[int, ...]:
    """Return where the claims of a refusal stand: a design refuses only what they exclude."""
    chosen = kinds or {claim.kind for claim in certificate.claims}
    return _places(certificate, chosen, lambda bound: True)


def _places(
    certificate: Certificate, kinds: Iterable[str], fits: Callable[[float], bool]
) -> tuple[int, ...]:
    wanted = set(kinds)
    return tuple(
        place
        for place, claim in enumerate(certificate.claims)
        if claim.kind in wanted and fits(float(claim.fields.get("bound", 0.0)))
    )
