"""Texts that nobody would write by hand: formulas, problems and answers are read or refused."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from fuzzing.writing import files, formulas
from regard import problems
from regard.checking import check
from regard.checking.answer_reading import from_dict, loads
from regard.errors import FormulaError, InvalidAnswer, InvalidProblem
from regard.language import notation, parse, parse_limit

FEW = settings(
    deadline=None,
    derandomize=True,
    max_examples=200,
    phases=[Phase.explicit, Phase.generate, Phase.shrink],
    suppress_health_check=list(HealthCheck),
)
SHAPES = {"k_a": (3,), "k_b": (3,), "K": (5, 3), "C": (), "n": (), "x": ("N",), "mu_a": (3,)}
VALUES: dict[str, Any] = {
    "k_a": np.array([1.0, 0, 2]), "k_b": np.array([np.inf, np.nan, -1]), "K": np.ones((5, 3)),
    "C": 1e308, "n": 0.0, "mu_a": np.zeros(3), "x": np.arange(7.0), "e": 1.0,
}  # fmt: skip


@FEW
@given(formulas)
@example("-" * 100_000)
@example("(" * 100_000)
@example("9^" * 900 + "9")
def test_a_formula_is_read_or_refused(text: str) -> None:
    refused = None
    try:
        formula = parse(text)
    except FormulaError as error:
        refused = error
    if refused is not None:
        assert 0 <= refused.column <= len(text)
        assert str(refused).splitlines()
        return
    assert parse(str(formula)) == formula
    notation.check(formula.to_latex())
    with contextlib.suppress(FormulaError):
        shape = formula.shape(SHAPES)
        assert len(shape) <= 2
    with contextlib.suppress(FormulaError):
        value = formula.evaluate(VALUES)
        assert isinstance(value, bool) or np.asarray(value).dtype == np.float64


@FEW
@given(formulas)
def test_a_limit_is_read_or_refused(text: str) -> None:
    for one in (text, f"alpha -> {text}", rf"{text} \to 0"):
        with contextlib.suppress(FormulaError):
            parse_limit(one)


@FEW
@given(files, st.booleans())
@example("[" * 100_000, True)
@example("a" + ".a" * 5_000 + " = 1", False)
def test_a_problem_is_read_or_refused(text: str, is_json: bool) -> None:
    with contextlib.suppress(InvalidProblem):
        problems.loads(text, "mine", is_json=is_json)


PARTS = {
    "schema": 1, "id": "x", "title": "x", "kind": "query", "statement": "x",
    "given": {"n": 3, "keys": {"law": "orthonormal"}, "names": {"a": 0, "b": 1}},
    "goal": {"weights": {"a": 0.5, "b": 0.5}},
}  # fmt: skip
data = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(), formulas,
        st.sampled_from(["orthonormal", "gaussian", "fixed", "query", "heads", "noise", 10**400]),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.sampled_from(["law", "rows", "mean", "covariance", "a", "n", "d"]), inner, max_size=4),
    ),
    max_leaves=8,
)  # fmt: skip


@FEW
@given(
    st.sampled_from(sorted(PARTS)),
    st.sampled_from(["n", "keys", "values", "names", "d", "scale", "limits", "x"]),
    data,
)
def test_a_problem_with_one_part_replaced_is_read_or_refused(
    part: str, key: str, thing: Any
) -> None:
    for changed in (
        {**PARTS, part: thing},
        {**PARTS, "given": {**PARTS["given"], key: thing}},  # type: ignore[dict-item]
        {**PARTS, "goal": {"weights": thing, "tolerance": thing}},
    ):
        with contextlib.suppress(InvalidProblem):
            problems.from_dict(changed)


@FEW
@given(files, st.booleans())
def test_an_answer_is_read_or_refused(text: str, is_json: bool) -> None:
    with contextlib.suppress(InvalidAnswer):
        loads(text, is_json=is_json)


@FEW
@given(
    st.dictionaries(
        st.sampled_from(["q", "C", "u", "possible", "k_a", "__class__", "q\x00"]), data, max_size=4
    )
)
def test_plain_data_is_an_answer_or_refused(fields: dict[str, Any]) -> None:
    with contextlib.suppress(InvalidAnswer):
        from_dict(fields)


WORDS = [
    "k_i",
    "k_j",
    "k_3",
    "K' [1, 1, 0, 0]",
    "v_i",
    "k_i/norm(k_i)",
    "pinv(K) [0, 1, 2, -1]",
    "[1, 0, 0, 0]",
]
NUMBERS = [
    "C",
    "-C",
    "0",
    "1e-320",
    "1e15",
    "1e308",
    "exp(C)",
    "1/C",
    "log(n)",
    "C^2",
    "5",
    "sin(C)",
    "inf",
    "(C - C)/0",
]
sums = st.lists(
    st.tuples(st.sampled_from(NUMBERS), st.sampled_from(WORDS)), min_size=1, max_size=4
).map(lambda terms: " + ".join(f"({number}) ({word})" for number, word in terms))
factors = st.sampled_from(
    [20, -3, 0, 1e308, float("nan"), "C >= 10", "C < 1e-300", "log(n)", "1/0", "0 < C < inf"]
)


@settings(FEW, max_examples=200)
@given(st.one_of(sums, formulas), st.one_of(st.none(), factors, data))
@example("C (k_a + k_b)", "C >= 1e300")
@example("1e308 k_a - 1e308 k_b", None)
@example("k_a / 0", float("nan"))
def test_any_answer_to_a_query_gets_a_verdict_or_is_refused(text: str, factor: Any) -> None:
    fields = {"q": text} if factor is None else {"q": text, "C": factor}
    message = None
    try:
        found = check("exact-average", fields)
    except InvalidAnswer as error:
        message = str(error)
    if message is not None:
        assert message.startswith(("answer: ", "check: "))
        return
    assert 0 <= found.score <= 1
    assert found.right == (found.counterexample is None)
    assert str(found)


@pytest.mark.slow
@pytest.mark.parametrize("target", ["formula", "problem", "answer"])
def test_atheris_finds_nothing_that_escapes(target: str, tmp_path: Path) -> None:
    pytest.importorskip("atheris", reason="atheris is not installed: pip install atheris")
    script = Path(__file__).parent / "fuzzing" / "coverage_guided.py"
    limits = ["-max_total_time=60", "-timeout=10", "-rss_limit_mb=2048", "-max_len=4096"]
    result = subprocess.run(
        [
            sys.executable,
            str(script),
            target,
            str(tmp_path),
            *limits,
            f"-artifact_prefix={tmp_path}/",
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr[-3000:]
