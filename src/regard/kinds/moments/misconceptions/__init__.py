"""What is got wrong about moments of a score: formulas that misconceptions lead to."""

from __future__ import annotations

import numpy as np

from regard.checking.misconceptions import SHARED
from regard.checking.mistakes import Mistake, recognise
from regard.checking.verdict import Misconception
from regard.kinds.moments.instance.closed_forms import INDEPENDENT, READINGS, SAME
from regard.kinds.moments.misconceptions.case import Case, Rows, leads
from regard.kinds.moments.reading import EXACT, Asked
from regard.kinds.moments.spec import MomentsProblem

FIRST, DRAWN = 1000, 12  # seeds of the values of the symbols on which a misconception has to show


def recognised(asked: Asked, wrong: list[str]) -> Misconception | None:
    """Name the first misconception that a wrong field shows, field by field."""
    for field in wrong:
        places = (asked.law.plain(), *asked.drawn(field, FIRST, DRAWN))
        found = recognise(MISTAKES, Case(asked, field, places))
        if found is not None:
            return found
    return None


def _other_readings(reading: str) -> Rows:
    others = [parts for other, parts in READINGS.items() if other != reading]
    means = [("mean", mean) for mean, *_ in others]
    return (*means, *(("variance s", " + ".join(variances)) for _, *variances in others))


MISTAKES: tuple[Mistake[MomentsProblem, Case], ...] = (
    Mistake("not-finite", SHARED["not-finite"], lambda case: not np.all(np.isfinite(case.values))),
    leads(
        "other-reading",
        "These are the moments in another reading of the text:\n"
        "what is random in the content, and where positions are added, is not the same there.",
        idea="Another reading",
        **{reading: _other_readings(reading) for reading in READINGS},
    ),
    leads(
        "missing-dimension",
        "This is about one product of entries.\n"
        "The score is the sum of as many as there are dimensions, and means and variances of "
        "independent products add up.",
        products=(("mean", "M/D"),),
        any=(("variance s", "V/D"),),
    ),
    leads(
        "variance-read-as-standard-deviation",
        SHARED["variance-read-as-standard-deviation"],
        idea="Variance for standard deviation, or the other way round",
        any=(("variance", "sqrt(V)"), ("s", "V/w")),
        independent=(
            ("variance s", "D (sqrt(v_q) sqrt(v_k) + m_q^2 sqrt(v_k) + m_k^2 sqrt(v_q))"),
        ),
    ),
    leads(
        "divided-instead-of-multiplied",
        "This is the number to multiply by.\n"
        "Asked for was the number to divide by, which is 1 over it.",
        any=(("s", "1/s"),),
    ),
    leads(
        "independence-assumed",
        "This is right for independent q and k.\n"
        "Here k is q itself, and a square never averages out.",
        idea="Treating q and k as independent",
        same=(("mean", INDEPENDENT.mean), ("variance s", INDEPENDENT.variance)),
    ),
    leads(
        "k-taken-as-q",
        "This is right for the product of a vector with itself.\nHere q and k are independent.",
        idea="Taking it for the score of a token with itself",
        independent=(("mean", SAME.mean), ("variance s", SAME.variance)),
    ),
    leads(
        "position-terms-forgotten",
        "The products of one position with the other are missing:\n"
        "they have mean 0, but they vary.",
        positions=(("variance s", "V - V_p"),),
    ),
    leads(
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
    leads(
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
    leads(
        "one-sine-for-two",
        "The variance of one sine is taken for that of a product of two.\n"
        "The product of two independent sines has variance 1/4; 1/2 is the variance of one of "
        "them.",
        positions=(("variance s", "V + V_p"),),
    ),
    leads(
        "mean-squared-forgotten",
        "This is the mean of the square.\nThe variance is that minus the square of the mean.",
        any=(("variance s", "V + M^2"),),
        independent=(("variance s", "D (v_q + m_q^2) (v_k + m_k^2)"),),
        same=(("variance s", "D (m_q^4 + 6 m_q^2 v_q + 3 v_q^2)"),),
    ),
    leads(
        "added-instead-of-multiplied",
        "The entries are multiplied, not added:\n"
        "means and variances of a product are not sums of those of its factors.",
        independent=(
            ("mean", "D (m_q + m_k)"),
            ("variance s", "D (v_q + v_k)"),
            ("variance s", "v_q + v_k"),
        ),
    ),
    leads(
        "one-mean-only",
        "Only one of the two means is taken.\n"
        "The mean of a product of independent numbers is the product of both.",
        independent=(("mean", "D m_q"), ("mean", "D m_k")),
    ),
    leads(
        "variance-for-mean",
        "This is made of variances, and the mean of the score was asked for.\n"
        "A mean is made of means.",
        idea="Letting the spread into the mean",
        independent=(("mean", "D v_q"), ("mean", "V")),
        same=(("mean", "V"),),
    ),
    leads(
        "dimension-squared",
        "Means and variances of independent products add up:\n"
        "the number of dimensions enters them once, and not as a square.",
        products=(("mean", "M D"),),
        any=(("variance s", "V D"),),
    ),
    leads(
        "mean-taken-as-zero",
        "The entries have a mean that is not zero.\nSo has the score.",
        products=(("mean", "0"),),
    ),
    leads(
        "content-forgotten",
        "The product of the contents is missing.\n"
        "They agree, so that it is not 0 on average but the squared length.",
        positions=(("mean", "0"),),
    ),
    leads(
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
