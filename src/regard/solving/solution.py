"""What a solver finds: the answer, why it is right, the proof, and what is often got wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Any

from regard.certify import Certificate, ClaimResult, Verification, verify
from regard.problems import Problem
from regard.report import (
    Block,
    Code,
    Facts,
    Heading,
    Math,
    Plot,
    Prose,
    Report,
    Steps,
    Table,
    Text,
    number,
    to_html_fragment,
)

_PROOF = (
    "Recomputed from the arrays of the certificate alone, by code that shares nothing with the "
    "solver. Keys, rows and tokens are counted from 0 here."
)
_TERMS = {
    "Both in ": "Instances are counted in which the condition and its effect hold, both or alone.",
    "at least its floor": "The floor of a key is the least weight that the tolerance allows it.",
    "rows of changed_": "The rows of changed_1 are the tokens with the first vector added once.",
    "rows of mixed_": "Whatever the factor of the first vector is, the output is an average of the "
    "rows of mixed_1; more numbers stand for a range of factors.",
}
_MOST_NAMES = 8
_MOST_ENTRIES = 24  # of an array that an answer shows in full


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


_NEEDS_GOAL = (Status.PROVED, Status.IMPOSSIBLE, Status.COMPUTED, Status.ARGUED)


@dataclass(frozen=True, eq=False)
class Solution:
    """The answer to a problem, with its proof.

    Attributes:
        problem: what was asked.
        status: how it came out, as the solver has it; `verdict` is what the certificate bears out.
        headline: the answer in the terms of the problem, as LaTeX.
        answer: the fields of an answer file: formulas, numbers, lists, true or false.
        certificate: claims about the instance, for `regard.certify.verify`.
        steps: why: sentences, each with a formula as LaTeX or "".
        details: the numbers of the instance: tables and plots.
        mistakes: what is often got wrong, and what comes of it.
        reaches: which claims of the certificate are the goal itself (or exclude it), in its own
            measure and at its own numbers.
        assumes: what the answer rests on beyond what the statement may say, as sentences.
        instances: on how many instances the answer was tested, where the claims are about some of
            them and the goal about all.
    """

    problem: Problem
    status: Status
    headline: str
    answer: Mapping[str, Any]
    certificate: Certificate
    steps: tuple[tuple[str, str], ...]
    details: tuple[Block, ...] = ()
    mistakes: tuple[str, ...] = ()
    reaches: tuple[int, ...] = ()
    instances: int = 0
    assumes: tuple[str, ...] = ()

    @cached_property
    def verification(self) -> Verification:
        """What `regard.certify.verify` finds about the certificate."""
        return verify(self.certificate)

    @cached_property
    def verdict(self) -> Status:
        """The status, as far as verified claims bear it out.

        The whole certificate must hold, and the claims that `reaches` names must be there. Where
        one of these was tested on instances and not proved, what it was to prove is argued.
        """
        if not self.verification.holds:
            return Status.UNDECIDED
        if self.status not in _NEEDS_GOAL:
            return self.status
        if not self._goal_claims:
            return Status.UNDECIDED
        return Status.ARGUED if self._tested else self.status

    @property
    def outcome(self) -> str:
        """The verdict in words, with the number of instances where something was tested."""
        count = self.instances or self._tested
        if self.verdict is Status.ARGUED and count:
            return f"argued in steps, tested on {count} instance{'s' if count > 1 else ''}"
        return self.verdict.value

    @property
    def _goal_claims(self) -> list[ClaimResult]:
        claims = self.verification.claims
        if not all(0 <= place < len(claims) for place in self.reaches):
            return []
        return [claims[place] for place in self.reaches]

    @property
    def _tested(self) -> int:
        """On how many instances the least tested goal claim was tested; 0: all are proved."""
        return min((claim.tested for claim in self._goal_claims if claim.tested), default=0)

    def report(self) -> Report:
        """Return the solution as a report."""
        problem = self.problem
        blocks: list[Block] = []
        if problem.source:
            blocks.append(Text(problem.source))
        blocks += [Prose(problem.statement), Heading(f"Answer: {self.outcome}")]
        blocks.append(Math(self.headline))
        if self.assumes:
            blocks.append(Text(f"Assumed: {' '.join(self.assumes)}"))
        if self.verdict is Status.IMPOSSIBLE and any(k.startswith("q") for k in self.answer):
            blocks.append(Text("What is below comes closest; it does not reach the goal."))
        files = {n: v for n, v in self.answer.items() if isinstance(v, str) and "\n" in v}
        listed = {n: v for n, v in self.answer.items() if _is_table(v)}
        pairs = [(n, _shown(v)) for n, v in self.answer.items() if n not in {*files, *listed}]
        blocks += [_table(name, value) for name, value in listed.items()]
        blocks += [Facts(tuple(pairs))] if pairs else []
        blocks += [Code(text, "python") for text in files.values()]
        blocks += [Heading("Why"), Steps(self.steps)]
        if self.details:
            blocks += [Heading("In numbers"), *self.details]
        if self.mistakes:
            blocks.append(Heading("Often got wrong"))
            blocks += [Text(mistake) for mistake in self.mistakes]
        blocks += [Heading("Proof"), Text(self._proof_words()), _proof(self.verification)]
        return Report(problem.title, tuple(blocks))

    def _proof_words(self) -> str:
        """Say how claims are checked, which key has which number, and what their words mean."""
        names = getattr(self.problem.given, "names", {})
        rows = [f"{name} is key {row}" for name, row in names.items()][:_MOST_NAMES]
        said = f"{_PROOF[:-1]}: {', '.join(rows)}." if rows else _PROOF
        claims = [f"{claim.statement} {claim.reason}" for claim in self.verification.claims]
        for words, meaning in _TERMS.items():
            said += f" {meaning}" * any(words in claim for claim in claims)
        return said

    def to_dict(self) -> dict[str, Any]:
        """Return the solution as JSON data."""
        return {
            "id": self.problem.id,
            "source": self.problem.source,
            "kind": self.problem.kind,
            "status": self.verdict.name.lower(),
            "answer": dict(self.answer),
            "certificate": self.certificate.to_dict(),
        }

    def plot(self) -> Any:
        """Draw the first figure of the report; return the Matplotlib figure, or None."""
        from regard.report import draw

        plots = [block for block in self.details if isinstance(block, Plot)]
        return draw(plots[0]) if plots else None

    def __str__(self) -> str:
        return str(self.report())

    def _repr_html_(self) -> str:
        return to_html_fragment(self.report())


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


def _proof(verification: Verification) -> Table:
    rows = tuple((c.statement, c.status, c.reason) for c in verification.claims)
    return Table(("claim", "verified", "found"), rows)


def _is_table(value: Any) -> bool:
    """Whether a field is a list of things with the same fields, such as atoms."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(item, Mapping) and list(item) == list(value[0]) for item in value)
    )


def _table(name: str, value: list[Mapping[str, Any]]) -> Table:
    rows = tuple(tuple(_shown(x) for x in item.values()) for item in value)
    return Table(tuple(value[0]), rows, name)


def _shown(value: Any) -> str:
    """Write a field of an answer as an answer file would."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return number(value)
    if isinstance(value, list | tuple):
        if _size(value) > _MOST_ENTRIES:
            return f"{_size(value)} numbers (in the JSON output)"
        return "[" + ", ".join(_shown(item) for item in value) + "]"
    if isinstance(value, Mapping):
        return ", ".join(f"{name} = {_shown(item)}" for name, item in value.items())
    return str(value)


def _size(value: Any) -> int:
    return sum(map(_size, value)) if isinstance(value, list | tuple) else 1
