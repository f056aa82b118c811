"""What is got wrong about moments of a score: formulas that misconceptions lead to.

Each is written once, in the formula language. An answer is compared with what it comes to, and
with the symbols of a problem put in it is the answer that somebody with this idea would give.
Names as in `instance`; M, V and s are the right mean, variance and divisor, w the variance that is
wanted, V_c and V_p the variances of the cross terms and of the products of positions.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from regard.checking.misconceptions import SHARED
from regard.checking.mistakes import Mistake, recognise
from regard.checking.verdict import Misconception
from regard.kinds.moments.instance.closed_forms import INDEPENDENT, READINGS, SAME
from regard.kinds.moments.instance.laws import (
    DotProduct,
    PositionScore,
    Symbols,
    law_of,
    moments,
    parsed,
)
from regard.kinds.moments.reading import EXACT, Asked
from regard.kinds.moments.spec import MomentsProblem
from regard.language.polynomials import factored

FIRST, DRAWN = 1000, 12  # seeds of the values of the symbols on which a misconception has to show

Law = DotProduct | PositionScore
# Formulas, each with the fields it is of: "variance s" is a variance, and s is taken from it.
Rows = tuple[tuple[str, str], ...]


@dataclass(frozen=True, eq=False)
class Case:
    """A field that is wrong, at the numbers of the problem and at drawn ones."""

    asked: Asked
    field: str
    places: tuple[Symbols, ...]

    @cached_property
    def values(self) -> np.ndarray:
        """What the answer says, one number per place."""
        return np.array([self.asked.value(self.field, at) for at in self.places])

    @cached_property
    def numbers(self) -> list[Symbols]:
        """What formulas may use, for each place."""
        return [_numbers(self.asked.law, at) for at in self.places]

    @cached_property
    def factor(self) -> float | None:
        """The number that the field is times what is right, where it is the same everywhere."""
        if len(self.places) < 2:
            return None
        right = np.array([self.asked.law.right(at)[self.field] for at in self.places])
        with np.errstate(all="ignore"):
            ratios = self.values / right
        if not np.all(np.isfinite(ratios)) or not ratios[0]:
            return None
        same = bool(np.all(np.abs(ratios / ratios[0] - 1) <= EXACT))
        return float(ratios[0]) if same else None

    def is_said(self, value: float, at: Symbols) -> bool:
        """Whether the answer says this number at a place."""
        return math.isfinite(value) and self.asked.compared(self.field, at, value).agrees


def recognised(asked: Asked, wrong: list[str]) -> Misconception | None:
    """Name the first misconception that a wrong field shows, field by field."""
    for field in wrong:
        places = (asked.law.plain(), *asked.drawn(field, FIRST, DRAWN))
        found = recognise(MISTAKES, Case(asked, field, places))
        if found is not None:
            return found
    return None


def _numbers(law: Law, at: Symbols) -> Symbols:
    right = law.right(at)
    names = {"M": right["mean"], "V": right["variance"], "s": right["s"], "w": law.wanted}
    return law.numbers(at) | names


def _formulas(rows: dict[str, Rows], law: Law, field: str) -> Iterator[tuple[str, bool]]:
    """Return the formulas of a field, and whether each is a variance whose root is taken."""
    for name in law.names:
        for fields, text in rows.get(name, ()):
            if field in fields.split():
                yield text, field == "s" and fields != "s"


def _value(text: str, rooted: bool, numbers: Symbols) -> float:
    found = float(parsed(text).evaluate(numbers))
    return moments(0.0, found, numbers["w"])["s"] if rooted else found


def _shows(rows: dict[str, Rows], case: Case) -> bool:
    """Whether the field is what one of the formulas comes to, everywhere."""
    return any(
        all(
            case.is_said(_value(*formula, numbers), at)
            for numbers, at in zip(case.numbers, case.places, strict=True)
        )
        for formula in _formulas(rows, case.asked.law, case.field)
    )


def _wrong(rows: dict[str, Rows], problem: MomentsProblem) -> dict[str, str] | None:
    """Return the formulas in the symbols of the problem; None where they are right, or of 0."""
    law = law_of(problem)
    formulas = law.formulas()
    right = formulas.answer(problem.goal.find)
    answer = dict(right)
    for field in right:
        text, rooted = next(_formulas(rows, law, field), ("", False))
        if text:
            found = formulas.put_in(text)
            answer[field] = formulas.divisor(found) if rooted else factored(found, formulas.size)
    return answer if formulas.varies and answer != right else None


def _leads(
    tag: str, sentence: str, *, idea: str = "", **rows: Rows
) -> Mistake[MomentsProblem, Case]:
    """Return a mistake that leads to formulas, listed by the law that they are wrong for."""
    return Mistake(tag, sentence, partial(_shows, rows), partial(_wrong, rows), idea)


def _other_readings(reading: str) -> Rows:
    others = [parts for other, parts in READINGS.items() if other != reading]
    means = [("mean", mean) for mean, *_ in others]
    return (*means, *(("variance s", " + ".join(variances)) for _, *variances in others))


MISTAKES: tuple[Mistake[MomentsProblem, Case], ...] = (
    Mistake("not-finite", SHARED["not-finite"], lambda case: not np.all(np.isfinite(case.values))),
    _leads(
        "other-reading",
        "These are the moments in another reading of the text:\n"
        "what is random in the content, and where positions are added, is not the same there.",
        idea="Another reading",
        **{reading: _other_readings(reading) for reading in READINGS},
    ),
    _leads(
        "missing-dimension",
        "This is about one product of entries.\n"
        "The score is the sum of as many as there are dimensions, and means and variances of "
        "independent products add up.",
        products=(("mean", "M/D"),),
        any=(("variance s", "V/D"),),
    ),
    _leads(
        "variance-read-as-standard-deviation",
        SHARED["variance-read-as-standard-deviation"],
        idea="Variance for standard deviation, or the other way round",
        any=(("variance", "sqrt(V)"), ("s", "V/w")),
        independent=(
            ("variance s", "D (sqrt(v_q) sqrt(v_k) + m_q^2 sqrt(v_k) + m_k^2 sqrt(v_q))"),
        ),
    ),
    _leads(
        "divided-instead-of-multiplied",
        "This is the number to multiply by.\n"
        "Asked for was the number to divide by, which is 1 over it.",
        any=(("s", "1/s"),),
    ),
    _leads(
        "independence-assumed",
        "This is right for independent q and k.\n"
        "Here k is q itself, and a square never averages out.",
        idea="Treating q and k as independent",
        same=(("mean", INDEPENDENT.mean), ("variance s", INDEPENDENT.variance)),
    ),
    _leads(
        "k-taken-as-q",
        "This is right for the product of a vector with itself.\nHere q and k are independent.",
        idea="Taking it for the score of a token with itself",
        independent=(("mean", SAME.mean), ("variance s", SAME.variance)),
    ),
    _leads(
        "position-terms-forgotten",
        "The products of one position with the other are missing:\n"
        "they have mean 0, but they vary.",
        positions=(("variance s", "V - V_p"),),
    ),
    _leads(
        "cross-terms-forgotten",
        "Cross terms are missing:\n"
        "what is fixed in one factor, its mean or a position, times what varies in the other "
        "varies as well.",
        idea="Forgetting the cross terms",
        independent=(
            ("variance s", "D v_q v_k"),
            ("variance s", "D (v_q v_k + m_q^2 v_k)"),
            ("variance s", "D (v_q v_k + m_k^2 v_q)"),
        ),
        same=(("variance s", "2 D v_q^2"),),
        positions=(("variance s", "V - V_c"),),
    ),
    _leads(
        "counts-half-the-terms",
        "Of some products only half were counted:\n"
        "there are d_model products of positions with each other, and twice as many of "
        "positions with contents.",
        positions=(
            ("variance s", "V - V_c/2"),
            ("variance s", "V - V_p/2"),
            ("variance s", "V - V_c/2 - V_p/2"),
        ),
    ),
    _leads(
        "one-sine-for-two",
        "The variance of one sine is taken for that of a product of two.\n"
        "The product of two independent sines has variance 1/4; 1/2 is the variance of one of "
        "them.",
        positions=(("variance s", "V + V_p"),),
    ),
    _leads(
        "mean-squared-forgotten",
        "This is the mean of the square.\nThe variance is that minus the square of the mean.",
        any=(("variance s", "V + M^2"),),
        independent=(("variance s", "D (v_q + m_q^2) (v_k + m_k^2)"),),
        same=(("variance s", "D (m_q^4 + 6 m_q^2 v_q + 3 v_q^2)"),),
    ),
    _leads(
        "added-instead-of-multiplied",
        "The entries are multiplied, not added:\n"
        "means and variances of a product are not sums of those of its factors.",
        independent=(
            ("mean", "D (m_q + m_k)"),
            ("variance s", "D (v_q + v_k)"),
            ("variance s", "v_q + v_k"),
        ),
    ),
    _leads(
        "one-mean-only",
        "Only one of the two means is taken.\n"
        "The mean of a product of independent numbers is the product of both.",
        independent=(("mean", "D m_q"), ("mean", "D m_k")),
    ),
    _leads(
        "variance-for-mean",
        "This is made of variances, and the mean of the score was asked for.\n"
        "A mean is made of means.",
        idea="Letting the spread into the mean",
        independent=(("mean", "D v_q"), ("mean", "V")),
        same=(("mean", "V"),),
    ),
    _leads(
        "dimension-squared",
        "Means and variances of independent products add up:\n"
        "the number of dimensions enters them once, and not as a square.",
        products=(("mean", "M D"),),
        any=(("variance s", "V D"),),
    ),
    _leads(
        "mean-taken-as-zero",
        "The entries have a mean that is not zero.\nSo has the score.",
        products=(("mean", "0"),),
    ),
    _leads(
        "content-forgotten",
        "The product of the contents is missing.\n"
        "They agree, so that it is not 0 on average but the squared length.",
        positions=(("mean", "0"),),
    ),
    _leads(
        "positions-taken-as-equal",
        "The product of a position with itself is in it, which is d_model/2.\n"
        "For independent angles the products of positions have mean 0.",
        positions=(("mean", "M + D/2"), ("mean", "D/2")),
    ),
    Mistake(
        "sign-error",
        SHARED["sign-error"],
        lambda case: case.factor is not None and abs(case.factor + 1) <= EXACT,
    ),
    Mistake("extra-factor", SHARED["extra-factor"], lambda case: case.factor is not None),
    Mistake(
        "numbers-instead-of-formula",
        SHARED["numbers-instead-of-formula"],
        lambda case: (
            case.asked.compared(case.field, case.places[0]).agrees
            and bool(np.all(case.values == case.values[0]))
        ),
    ),
)
OFTEN = (
    "independence-assumed",
    "k-taken-as-q",
    "other-reading",
    "variance-for-mean",
    "cross-terms-forgotten",
    "variance-read-as-standard-deviation",
)
