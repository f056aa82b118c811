"""A type of claim: how it is decided, and what it says."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from string import Formatter
from typing import Any, NamedTuple

from regard.certify import reading
from regard.certify.balls import Decision
from regard.certify.certificate import Certificate, Claim
from regard.certify.claims.words import WORDS

Words = Mapping[str, Callable[[Claim], str]]


class ClaimType(NamedTuple):
    """One type of claim; each file of the folders beside this one lists its own in `CLAIM_TYPES`.

    Attributes:
        decide: whether the claim holds, from the arrays of its certificate and its witness alone.
        say: the claim as a sentence: a template of its fields and of `words`, "the leak is at most
            {bound:up}"; or a function, where what it says depends on more than one of them.
            Numbers are written `up` or `down`, rounded so that the sentence stays true, or
            `exactly`; `count` is how many entries a list has.
        terms: what words in it or in what was found mean, as a sentence, where that is not plain.
        words: parts of the template that are made from the whole claim, beside those in `WORDS`.
    """

    decide: Callable[[Claim, Certificate], Decision]
    say: str | Callable[[Claim], str]
    terms: str = ""
    words: Words = WORDS

    def sentence(self, claim: Claim) -> str:
        """Return a claim of this type as a sentence."""
        if not isinstance(self.say, str):
            return self.say(claim)
        return _Sentence(claim, {**WORDS, **self.words}).vformat(self.say, (), claim.fields)


class _Sentence(Formatter):
    """Fills templates in which numbers are written up, down or exactly, and lists are counted."""

    def __init__(self, claim: Claim, words: Words) -> None:
        self.claim, self.words = claim, words

    def get_value(self, key: int | str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        word = self.words.get(str(key))
        return kwargs[str(key)] if word is None else word(self.claim)

    def format_field(self, value: Any, format_spec: str) -> str:
        match format_spec:
            case "up":
                return reading.up(value)
            case "down":
                return reading.down(value)
            case "exactly":
                return reading.exactly(value)
            case "count":
                return str(len(value))
        return str(super().format_field(value, format_spec))
