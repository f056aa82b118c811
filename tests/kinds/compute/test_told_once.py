"""A report of a worked example says its inputs once: in the statement, or beside it."""

from __future__ import annotations

from typing import Any

import pytest

from regard.problems import from_dict, load
from regard.report import Facts, Heading, Report, Table
from regard.solving import solve


@pytest.mark.parametrize("name", ["causal-and-padding-mask", "one-query-three-keys"])
def test_arrays_beside_the_statement_are_not_told_again(name: str) -> None:
    solution = solve(load(name))
    report = solution.report()
    beside = next(block for block in report.blocks if isinstance(block, Facts))
    assert {name for name, _ in beside.pairs} >= {"$K$", "$V$"}
    assert not [caption for caption in captions(report) if caption.lstrip("$")[:1] in ("K", "V")]
    assert not any("are given" in sentence for sentence, _ in solution.steps)
    assert Heading("What is given", 3) not in report.blocks


def problem(statement: str, **given: Any) -> Any:
    return from_dict(
        {
            "schema": 1, "id": "own", "title": "Own", "source": "test", "kind": "compute",
            "statement": statement, "given": given, "goal": {"find": ["A"]},
        }
    )  # fmt: skip


def captions(report: Report) -> list[str]:
    return [block.caption for block in report.blocks if isinstance(block, Table)]


def test_arrays_of_a_statement_with_matrices_are_not_told_again() -> None:
    said = r"Tokens $\begin{bmatrix} 1 & 0 \\ 0 & 1 \end{bmatrix}$ and so on. Compute the weights."
    eye = [[1, 0], [0, 1]]
    report = solve(problem(said, tokens=eye, W_Q=eye, W_K=[[2, 0], [0, 1]])).report()
    assert Heading("What is given", 3) not in report.blocks
    assert any(caption.startswith("$Q$") for caption in captions(report))  # these are computed


def test_what_stands_nowhere_else_is_told() -> None:
    rows = [[float(i + j % 3) for j in range(3)] for i in range(17)]  # too many to stand beside
    report = solve(problem("Compute the weights.", Q=[[1, 0, 0]], K=rows)).report()
    assert Heading("What is given", 3) in report.blocks
    assert any("(17 × 3)" in caption for caption in captions(report))
