"""Computations written down step by step: decided at their bound, and damage is seen."""

from __future__ import annotations

import math
from typing import Any

import mpmath
import numpy as np
import pytest

from regard.certify import Certificate, Claim, verify
from regard.certify.claims.worked_examples.stepwise import claim

ARRAYS = {"Z": np.array([[1.0, 3.0, 2.0]]), "V": np.array([[1.0, 0.0], [2.0, 4.0], [0.0, 5.0]])}
GIVEN = [
    {"name": "Z", "op": "written", "of": [], "options": {"array": "Z", "over": 2}},
    {"name": "V", "op": "written", "of": [], "options": {"array": "V", "over": 1}},
]


def status(one: Claim) -> str:
    return verify(Certificate(ARRAYS, (one,))).claims[0].status


def step(name: str, op: str, *of: str, **options: Any) -> dict[str, Any]:
    return {"name": name, "op": op, "of": list(of), "options": options}


def exact(op: str, *of: str, **options: Any) -> list[dict[str, Any]]:
    return [*GIVEN, step("R", op, *of, **options)]


@pytest.mark.parametrize(
    ("steps", "entries"),
    [
        (exact("times", "Z", "V"), [["7/2", 11]]),  # (1·1 + 3·2)/2, (3·4 + 2·5)/2
        (exact("scaled", "Z", by="1/3"), [["1/6", "1/2", "1/3"]]),
        (exact("shares", "Z"), [["1/6", "1/2", "1/3"]]),
        (exact("row_sums", "Z"), [[3]]),
        (exact("running_maxima", "Z", size=2), [["3/2", "3/2"]]),
    ],
)
def test_rational_results_are_exact(steps: list[Any], entries: list[list[Any]]) -> None:
    assert status(claim("R", entries, steps, rows=[0])) == "holds"
    off = [[*entries[0][:-1], str(entries[0][-1]) + "1"]]
    assert status(claim("R", off, steps, rows=[0])) == "fails"


def softmax(z: list[float]) -> list[Any]:
    terms = [mpmath.exp(x) for x in z]
    return [t / sum(terms) for t in terms]


@pytest.mark.parametrize(
    ("steps", "right"),
    [
        (exact("softmax", "Z"), lambda: softmax([0.5, 1.5, 1])),
        (exact("powers", "Z"), lambda: [mpmath.exp(x) for x in (0.5, 1.5, 1)]),
        (exact("log_sums", "Z"), lambda: [mpmath.log(sum(map(mpmath.exp, (0.5, 1.5, 1))))]),
        (
            [*GIVEN, step("A", "softmax", "Z"), step("R", "entropies", "A", unit="bits")],
            lambda: [-sum(a * mpmath.log(a, 2) for a in softmax([0.5, 1.5, 1]))],
        ),
        (
            exact("running", "Z", size=2, part=1),
            lambda: [1 + mpmath.exp(-1), 1 + mpmath.exp(-1) + mpmath.exp(-0.5)],
        ),
        (
            exact("running", "Z", "V", size=2, tile=1),
            lambda: [mpmath.exp(-1) + 2, 4 + 5 * mpmath.exp(-0.5)],
        ),
        (
            [step("R", "sinusoidal", count=1, width=2, start=3, base="10000")],
            lambda: [mpmath.sin(3), mpmath.cos(3)],
        ),
    ],
)  # fmt: skip
def test_other_results_are_decided_at_their_bound(steps: list[Any], right: Any) -> None:
    with mpmath.workdps(40):
        values = right()
        stated = [float(x) + 1e-6 for x in values]
        off = float(max(abs(x - y) for x, y in zip(stated, values, strict=True)))
    assert status(claim("R", [stated], steps, rows=[0], bound=off * (1 + 1e-9))) == "holds"
    assert status(claim("R", [stated], steps, rows=[0], bound=off * (1 - 1e-6))) == "fails"


@pytest.mark.parametrize(
    "damage",
    [
        {"steps": []},
        {"steps": [step("R", "guess")]},
        {"steps": [step("R", "same", "missing")]},
        {"steps": exact("times", "V", "Z")},
        {"steps": exact("columns", "Z", first=5, last=9)},
        {"steps": [{"op": "written"}]},
        {"steps": ["R"]},
        {"rows": [1]},
        {"rows": []},
        {"entries": [[1, 2]]},
        {"entries": []},
        {"bound": -1},
        {"bound": math.nan},
        {"quantity": "Q"},
    ],
)
def test_a_damaged_claim_does_not_hold(damage: dict[str, Any]) -> None:
    good = claim("R", [[3]], exact("row_sums", "Z"), rows=[0])
    assert status(good) == "holds"
    assert status(Claim("stepwise", {**good.fields, **damage})) != "holds"
