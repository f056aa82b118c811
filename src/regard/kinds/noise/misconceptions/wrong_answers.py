"""The answers that somebody with a misconception would give, written as formulas."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import ndtri

from regard.kinds.noise.instance import Setting, read
from regard.kinds.noise.instance.formulas import (
    Chance,
    average,
    fraction_of,
    mean_formula,
    number_text,
    plain,
    variance_formula,
)
from regard.kinds.noise.misconceptions.mistaken_laws import Laws, existing
from regard.kinds.noise.reading.output_law import Law, law, shared_noise
from regard.kinds.noise.spec import NoiseProblem

MOST_TOLD = 4  # atoms of a wrong answer that a solution tells


def _chance(p: float) -> Chance:
    """A probability as a fraction, as Φ of a simple number, or in six digits."""
    simple = plain(p, exact=False)
    if fraction_of(p, 64) is not None:
        return simple
    z = abs(float(ndtri(p)))
    if fraction_of(z * z, close=1e-9) is None:
        return Chance(p, f"{p:.6g}", True)
    size = f"Phi({number_text(round(z * z, 9) ** 0.5)})"
    return Chance(p, size if p > 0.5 else f"1 - {size}", True)


def _written(problem: NoiseProblem, at: Setting, found: Law) -> dict[str, Any]:
    """Write a law as an answer."""
    names = problem.given.names
    order = np.argsort(-found.chances, kind="stable")
    outcomes = [(_chance(float(found.chances[i])), found.shares[i]) for i in order]
    fields = {
        "atoms": [
            {"value": average(shares, names).formula, "probability": chance.formula}
            for chance, shares in outcomes
        ],
        "mean": mean_formula(outcomes, names),
        "variance": variance_formula([outcomes], names),
        "independent": not np.any(shared_noise(at)),
    }
    return {name: field for name, field in fields.items() if name in problem.goal.find}


def _right_laws(at: Setting) -> list[Law]:
    """The laws that pass: with the cases that may be left out, or without."""
    kinds = (True, False) if at.given.ignore_negative else (False,)
    return [law(at, keep_positive=kind) for kind in kinds]


def answer_by_law(laws: Laws, problem: NoiseProblem) -> dict[str, Any] | None:
    """The answer that somebody with the misconception would give; None: it leads to no other."""
    at = read(problem.given)
    right = _right_laws(at)
    found = next(existing(laws, at, right[0]), None)
    if found is None or not 0 < len(found.chances) <= MOST_TOLD or any(map(found.same, right)):
        return None
    return _written(problem, at, found) if set(problem.goal.find) != {"independent"} else None


def with_variance(form: str, problem: NoiseProblem) -> dict[str, Any] | None:
    """The right answer with another variance."""
    at = read(problem.given)
    right = _right_laws(at)[0]
    if "variance" not in problem.goal.find or not 1 < len(right.chances) <= MOST_TOLD:
        return None
    fields = _written(problem, at, right)
    return {**fields, "variance": form.format(fields["variance"])}


def heads_dependent(problem: NoiseProblem) -> dict[str, Any] | None:
    """The right law, with heads that are said to be dependent where they are not."""
    at = read(problem.given)
    right = _right_laws(at)[0]
    if "independent" not in problem.goal.find or not 0 < len(right.chances) <= MOST_TOLD:
        return None
    fields = _written(problem, at, right)
    return {**fields, "independent": False} if fields["independent"] else None
