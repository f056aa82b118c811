"""What a solver finds: the answer, why it is right, the proof, and what is often got wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from regard.certify import Certificate, ClaimResult, Verification, verify
from regard.certify.verification import claim_types
from regard.core.kernels.threads import one_blas_thread
from regard.language.bounds import lower_bound
from regard.problems import Problem
from regard.problems.given_numbers import given_numbers
from regard.problems.problem_sets import place
from regard.problems.registry import looked_up
from regard.report import document as doc
from regard.report.headline import marked
from regard.report.numbers import spelled
from regard.report.recognised import in_blocks
from regard.report.reported import Reported
from regard.solving.answer_tables import (
    belief,
    callout,
    field_table,
    is_table,
    proof_table,
    typeset_field,
)
from regard.solving.finding import Explanation, Finding, Status, Steps, lead
from regard.solving.often import Often, often_got_wrong

ROUNDED = "computed, proved to within rounding"  # where a number has no exact form
_PROOF = (
    "Recomputed from the arrays of the certificate alone, by code that shares nothing with the "
    "solver. Keys, rows and tokens are counted from 0 here."
)
_MOST_NAMES = 8


_COLOURS = {Status.IMPOSSIBLE: "bad", Status.UNDECIDED: "bad"}
_NEEDS_GOAL = (Status.PROVED, Status.IMPOSSIBLE, Status.COMPUTED, Status.ARGUED)


@dataclass(frozen=True, eq=False)
class Solution(Reported):
    """The answer to a problem, with its proof.

    What was found is there at once; what it is told with (headline, steps, details, mistakes) is
    made when it is first asked for.

    Attributes:
        problem: what was asked.
        finding: what the solver found.
    """

    problem: Problem
    finding: Finding

    @cached_property
    def explanation(self) -> Explanation:
        """The finding told: by `explain` of the kind."""
        with one_blas_thread(), np.errstate(all="ignore"):
            tell = looked_up(self.problem.kind, "explain", "explain")
            told: Explanation = tell(self.problem, self.finding)
        return told

    @property
    def status(self) -> Status:
        """How it came out, as the solver has it; `verdict` is what the certificate bears out."""
        return self.finding.status

    @property
    def answer(self) -> Mapping[str, Any]:
        """The fields of an answer file: formulas, numbers, lists, true or false."""
        return self.finding.answer

    @property
    def certificate(self) -> Certificate:
        """Claims about the instance, for `regard.certify.verify`."""
        return self.finding.certificate

    @property
    def reaches(self) -> tuple[int, ...]:
        """Which claims of the certificate are the goal itself, or exclude it."""
        return self.finding.reaches

    @property
    def instances(self) -> int:
        """On how many instances the answer was tested, where claims are about some of them."""
        return self.finding.instances

    @property
    def headline(self) -> str:
        """The answer in the terms of the problem, as LaTeX."""
        return self.explanation.headline

    @property
    def result(self) -> str:
        """The answer as a sentence; words in it may stand out (`regard.report.headline`)."""
        known = self.verdict in (Status.PROVED, Status.IMPOSSIBLE, Status.COMPUTED)
        if known and self.explanation.result:
            return self.explanation.result
        if self.verdict is Status.ARGUED and self.explanation.argued:
            return self.explanation.argued
        return f"{self.problem.title}: {marked(self.outcome, _COLOURS.get(self.verdict, 'query'))}."

    @property
    def steps(self) -> Steps:
        """Why: sentences, each with a formula as LaTeX or ""."""
        return tuple((lead(sentence)[1], latex) for sentence, latex in self.explanation.steps)

    @property
    def step_names(self) -> tuple[str, ...]:
        """What each step is about, in a word or two, or "" for one that has no name."""
        return tuple(lead(sentence)[0] for sentence, _ in self.explanation.steps)

    @property
    def details(self) -> tuple[doc.Block, ...]:
        """The numbers of the instance: tables and plots."""
        return self.explanation.details

    @property
    def assumes(self) -> tuple[str, ...]:
        """What the answer rests on beyond what the statement may say, as sentences."""
        return self.explanation.assumes

    @property
    def mistakes(self) -> tuple[str, ...]:
        """What is often got wrong: wrong answers with what the judge says, then beliefs."""
        return (*map(str, self._wrong_answers), *self.explanation.beliefs)

    @cached_property
    def _wrong_answers(self) -> tuple[Often, ...]:
        """Wrong answers that are often given; none where what is right is not known."""
        if self.status is Status.UNDECIDED:
            return ()
        return often_got_wrong(self.problem, self.answer)

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
        if self.verdict is Status.IMPOSSIBLE:
            return self.verdict.value + self._within
        if self.verdict is Status.COMPUTED and self._rounded:
            return ROUNDED
        return self.verdict.value

    @property
    def _rounded(self) -> bool:
        """Whether a number that was asked for is proved to within a bound, and not exactly."""
        claims = self.certificate.claims
        return any(claims[place].fields.get("bound") for place in self.reaches)

    @property
    def _within(self) -> str:
        """Up to which sizes the goal is excluded, where the claims state some; else ""."""
        fields = [self.certificate.claims[place].fields for place in self.reaches]
        for name, words in (("radius", "for sizes up to {}"), ("spread", "for values {} apart")):
            stated = [one[name] for one in fields if one.get(name) is not None]
            if stated:
                most = "at most " * (name == "spread") + lower_bound(min(stated), 3)
                return f", {words.format(most)}"
        return ""

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

    def _repr_html_(self) -> str:
        return self.report()._repr_html_()  # its pictures stand where they are spoken of

    def report(self) -> doc.Report:
        """Return the solution as a report."""
        problem = self.problem
        blocks: list[doc.Block] = []
        where = place(problem)
        blocks.append(doc.Text(f"{where} / {problem.title}" if where else problem.title, "eyebrow"))
        blocks.append(doc.Text(self.result, "headline"))
        numbers = given_numbers(problem)
        blocks += [doc.Prose(problem.statement), *([doc.Facts(numbers)] if numbers else [])]
        blocks.append(self._answer_heading())
        blocks.append(doc.Math(self.headline))
        if self.assumes:
            blocks.append(doc.Text(f"Assumed: {' '.join(self.assumes)}"))
        if self.verdict is Status.IMPOSSIBLE and any(k.startswith("q") for k in self.answer):
            blocks.append(doc.Text("What is below comes closest; it does not reach the goal."))
        files = {n: v for n, v in self.answer.items() if isinstance(v, str) and "\n" in v}
        listed = {n: v for n, v in self.answer.items() if is_table(v)}
        pairs = [
            (n, typeset_field(v)) for n, v in self.answer.items() if n not in {*files, *listed}
        ]
        blocks += [field_table(name, value) for name, value in listed.items()]
        blocks += [doc.Facts(tuple(pairs))] if pairs else []
        blocks += [doc.Code(text, "python") for text in files.values()]
        blocks += [doc.Heading("Why"), self._named_steps()]
        if self.details:
            blocks += [doc.Heading("In numbers"), *self.details]
        if self.mistakes:
            blocks.append(doc.Heading("Often got wrong", role="callouts"))
            for wrong in self._wrong_answers:
                blocks += callout(wrong)
            blocks += [block for one in self.explanation.beliefs for block in belief(one)]
        blocks.append(doc.Heading(f"Proof: {self._claims()}", role="folded"))
        blocks.append(doc.Text(self._proof_words()))
        # Claims are in the words of the certificate, whose formulas are whole or not at all.
        return doc.Report(problem.title, (*in_blocks(blocks), proof_table(self.verification)))

    def _named_steps(self) -> doc.Steps:
        names = self.step_names
        return doc.Steps(self.steps, names if any(names) else ())

    def _answer_heading(self) -> doc.Heading:
        tones = {Status.PROVED: "good", Status.IMPOSSIBLE: "bad", Status.COMPUTED: "good"}
        tone = tones.get(self.verdict, "open")
        return doc.Heading("Answer", role="answer", status=self.outcome, tone=tone)

    def _claims(self) -> str:
        """Say how many claims there are, and how many hold."""
        claims = self.verification.claims
        held = sum(claim.status == "holds" for claim in claims)
        count = f"{spelled(len(claims))} claim{'s' * (len(claims) != 1)}"
        if held == len(claims):
            return f"{count}, {'all hold' if len(claims) > 1 else 'which holds'}"
        return f"{count}, of which {spelled(held)} hold{'s' * (held == 1)}"

    def _proof_words(self) -> str:
        """Say how claims are checked, which key has which number, and what their words mean."""
        names = getattr(self.problem.given, "names", {})
        rows = [f"{name} is key {row}" for name, row in names.items()][:_MOST_NAMES]
        said = f"{_PROOF[:-1]}: {', '.join(rows)}." if rows else _PROOF
        known = claim_types()
        meanings = [known[c.kind].terms for c in self.verification.claims if c.kind in known]
        terms = dict.fromkeys((*meanings, *self.explanation.terms))
        return " ".join([said, *filter(None, terms)])

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

        drawn = [b.plot if isinstance(b, doc.Slider) else b for b in self.details]
        plots = [block for block in drawn if isinstance(block, doc.Plot)]
        return draw(plots[0]) if plots else None
