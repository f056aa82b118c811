"""The labels of the labelled answers, worked out again in plain NumPy: nothing of regard is used.

`numpy` in an entry says the answer once more as a Python expression. What it does is computed from
the problem file; an entry without it has a label by reasoning alone (`why`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from audits import label_conditions, label_laws, label_matrices, label_queries
from audits.labelled_files import KINDS, cases, entries

LABELS = {"right", "wrong", "half", "undecided-ok"}


def test_there_are_enough_labels_of_every_kind_and_each_has_its_reason():
    found = {kind: [entry for _, _, entry in entries(kind)] for kind in KINDS}
    assert len(found) == 20
    assert sum(map(len, found.values())) >= 3000
    for kind, answers in found.items():
        labels = [entry["label"] for entry in answers]
        assert set(labels) <= LABELS, kind
        assert labels.count("right") >= 0.25 * len(labels), kind
        assert labels.count("wrong") >= 0.25 * len(labels), kind
        assert all(len(entry["why"]) >= 3 for entry in answers), kind


@pytest.mark.parametrize(("problem", "entry"), cases("query", "heads", needs="numpy"))
def test_queries(problem, entry):
    again = entry["numpy"]
    if "unreachable" in again:
        heads = problem["goal"].get("heads", 1)
        assert label_queries.best_found(problem, heads) > again["unreachable"]
        assert problem["goal"]["tolerance"] < again["unreachable"]
    else:
        assert label_queries.passes(problem, again) == (entry["label"] == "right")


@pytest.mark.parametrize(("problem", "entry"), cases("condition", needs="numpy"))
def test_conditions(problem, entry):
    goal = problem["goal"]
    about = (
        label_conditions.keys
        if goal["effect"] in ("aligned", "dominable")
        else label_conditions.scores
    )
    sufficient, necessary, met = about(problem, entry["numpy"]["condition"])
    if not (sufficient and met):
        assert entry["label"] == "wrong"
    elif goal.get("exact") and not necessary:
        assert entry["label"] == "half"
    else:
        assert entry["label"] == "right"


@pytest.mark.parametrize(("problem", "entry"), cases("self_attention", needs="numpy"))
def test_matrices(problem, entry):
    assert label_matrices.self_attention(problem, entry["numpy"]) == (entry["label"] == "right")


@pytest.mark.parametrize(("problem", "entry"), cases("feasibility", needs="numpy"))
def test_feasibility(problem, entry):
    assert label_matrices.feasibility(problem, entry["numpy"]) == (entry["label"] == "right")


@pytest.mark.parametrize(("problem", "entry"), cases("separator", needs="numpy"))
def test_separators(problem, entry):
    assert label_matrices.separator(problem, entry["numpy"]["M"]) == (entry["label"] == "right")


@pytest.mark.parametrize(("problem", "entry"), cases("offset", needs="numpy"))
def test_offsets(problem, entry):
    assert label_matrices.offset(problem, entry["numpy"]) == (entry["label"] == "right")


@pytest.mark.parametrize(("problem", "entry"), cases("band", needs="numpy"))
def test_bands(problem, entry):
    assert label_matrices.band(problem, entry["numpy"]["zeroed"]) == (entry["label"] == "right")


@pytest.mark.parametrize(("problem", "entry"), cases("identity", needs="numpy"))
def test_identities(problem, entry):
    assert label_matrices.identity(problem, entry["numpy"]) == (entry["label"] == "right")


@pytest.mark.parametrize(("problem", "entry"), cases("moments", needs="numpy"))
def test_moments(problem, entry):
    again = entry["numpy"]
    right = (
        label_laws.moments(problem, again)
        and float(
            label_matrices.value(
                again.get("s", 1.0), {"D_k": 9.0, "D": 9.0, "a": 1.0, "m": 1.0, "sigma": 1.0}
            )
        )
        > 0
    )
    assert right == (entry["label"] == "right")


@pytest.mark.parametrize(("problem", "entry"), cases("noise", needs="numpy"))
def test_laws(problem, entry):
    assert label_laws.noise(problem, entry["numpy"]) == (entry["label"] == "right")


def _read(written: Any) -> np.ndarray | None:
    """Return the numbers of an answer, or None where one is a formula or a text."""
    try:
        return np.array(written, dtype=float)
    except ValueError:
        return None


def _near(written: Any, numbers: np.ndarray, found: np.ndarray) -> bool:
    """Whether each number is right to the digits it is written with, at least two decimals."""
    listed = np.ravel(np.array(written, dtype=object))
    allowed = np.reshape([_digit(x) for x in listed], numbers.shape)
    return bool((np.abs(numbers - found) <= allowed).all())


def _digit(x: Any) -> float:
    """How far off a number may be; a whole number without a point says so exactly."""
    text = str(x)
    if isinstance(x, int) or "e" in text:
        return 0.001
    decimals = len(text.partition(".")[2])
    return 0.005 if decimals <= 2 else 10.0**-decimals


# Those that are given as tokens and matrices, and score by dot products.
WORKED = [
    case
    for case in cases("compute")
    if "tokens" in case.values[0]["given"] and "score" not in case.values[0]["given"]
]


@pytest.mark.parametrize(("problem", "entry"), WORKED)
def test_worked_numbers(problem, entry):
    found = label_laws.compute(problem["given"])
    read = {name: _read(entry["answer"].get(name)) for name in problem["goal"]["find"]}
    near = [
        numbers is not None
        and numbers.size == found[name].size
        and _near(entry["answer"][name], numbers.reshape(found[name].shape), found[name])
        for name, numbers in read.items()
    ]
    if entry["label"] == "right":
        formulas = [name for name in read if not isinstance(entry["answer"][name], list)]
        assert all(
            ok or name in formulas or read[name] is None
            for ok, name in zip(near, read, strict=True)
        )
    else:
        assert not all(near)
