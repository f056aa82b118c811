"""Counts in answers: units, digits, run-together names, ties between numbers, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from regard import InvalidAnswer, InvalidProblem, check, problems, solving


def asked(given: dict[str, Any], **goal: Any) -> Any:
    data = {"schema": 1, "id": "x", "title": "x", "kind": "count", "statement": "x"}
    return problems.from_dict({**data, "given": given, "goal": goal})


ATTENTION = asked({"d_model": "d", "heads": "h", "values": {"d": 512, "h": 8}}, find=["parameters"])
CACHE = asked(
    {"heads": 64, "d_k": 128, "layers": 80, "bytes": 2}, find=["kv_cache_bytes_per_token"]
)


@pytest.mark.parametrize(
    ("said", "right"),
    [
        (1048576, True), (1048577, False), ("1.05M", True), ("1.1M", False), ("1.048M", True),
        ("1.049e6", True), (1.05e6, True), ("1,048,576", True), ("2^20", True), ("4d^2", True),
        ("4 d_model^2", True), ("d^2 h/2", False), ("sqrt(16 d^4)", True), ("0/0", False),
        ("4 d^2 = 1048576", True), ("4 d^2 = 1048577", False), ("P = 4 d^2", True),
    ],
)  # fmt: skip
def test_numbers_are_exact_or_right_to_their_digits_and_formulas_hold_for_all_sizes(
    said: Any, right: bool
) -> None:
    assert check(ATTENTION, {"parameters": said}).right is right


@pytest.mark.parametrize(
    ("said", "right"),
    [
        ("2.5 MiB", True), ("2.62 MB", True), ("2.5 MB", False), ("2621440 bytes", True),
        ("2621440 B", True), ("2560 KiB", True), ("20971520 bits", True), ("20971520", False),
    ],
)  # fmt: skip
def test_units_are_understood(said: str, right: bool) -> None:
    assert check(CACHE, {"kv_cache_bytes_per_token": said}).right is right


def test_binary_prefixes_are_a_convention() -> None:
    given = {
        "heads": 64,
        "d_k": 128,
        "layers": 80,
        "bytes": 2,
        "conventions": {"prefixes": "binary"},
    }
    problem = asked(given, find=["kv_cache_bytes_per_token"])
    assert check(problem, {"kv_cache_bytes_per_token": "2.5 MB"}).right


def test_a_formula_alone_is_not_a_number_and_a_number_alone_no_formula() -> None:
    given = {"d_model": "d", "heads": "h", "values": {"d": 512, "h": 8}}
    assert not check(
        asked(given, find=["parameters"], form="formula"), {"parameters": 1048576}
    ).right
    number = asked(given, find=["parameters"], form="number")
    assert not check(number, {"parameters": "4 d^2"}).right
    assert check(number, {"parameters": "4 d^2 = 1048576"}).right


def test_what_is_printed_elsewhere_is_compared() -> None:
    goal = {"find": ["parameters"], "printed": {"parameters": "1.1M"}}
    text = str(solving.solve(asked({"d_model": 512, "heads": 8}, **goal)))
    assert "The printed parameters, 1.1M, is wrong: it is 1048576." in " ".join(text.split())


@pytest.mark.parametrize(
    ("given", "goal", "message"),
    [
        (
            {"d_model": 512, "heads": 7},
            {"find": ["parameters"]},
            "d_k = d_model/heads must be a whole",
        ),
        ({"d_model": 512}, {"find": ["kv_cache_bytes"]}, "needs the size n"),
        ({"of": "head", "d_k": "d"}, {"find": ["parameters"]}, "needs the size d_model"),
        (
            {"of": "head", "d_k": "d", "tokens": "t"},
            {"find": ["forward_flops"]},
            "needs the size d_model",
        ),
        ({"d_model": 512}, {"find": ["riddles"]}, "nothing that can be counted"),
        ({"d_model": "d", "values": {"z": 1}}, {"find": ["parameters"]}, "no formula uses z"),
        ({"d_model": "d"}, {"find": ["x"], "define": {"x": "parameters/0"}}, "divides by 0"),
    ],
)
def test_what_cannot_be_meant_is_refused(given: Any, goal: Any, message: str) -> None:
    with pytest.raises(InvalidProblem, match=message):
        asked(given, **goal)


def test_an_unknown_name_is_refused_with_those_that_are_known() -> None:
    with pytest.raises(InvalidAnswer, match="q is no symbol, size or unit here"):
        check(ATTENTION, {"parameters": "4 q^2"})


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("1e300 (1e300 (1/3))", "about 3.333e+599"),
        ("((2^64)^64)^64", "about 1.611e+78913"),
        ("1e-300/1e300", "about 1.000e-600"),
    ],
)
def test_numbers_beyond_all_bounds_are_shown_by_their_size(said: str, shown: str) -> None:
    found = check(problems.load("intensity-of-decoding"), {"intensity": said})
    assert found.score == 0
    assert found.counterexample is not None
    assert found.counterexample.sentence.endswith(f"the answer says {shown}.")


@pytest.mark.parametrize(
    ("said", "missing"),
    [("12 L d^2 + 2 V d", "as a number"), ("404389888", "as a formula")],
)
def test_of_a_formula_and_a_number_each_is_half(said: str, missing: str) -> None:
    found = check("parameters-of-a-language-model", {"parameters": said})
    assert found.score == 0.5
    assert [goal.name for goal in found.goals if not goal.passed] == [f"parameters {missing}"]
    assert check("parameters-of-a-language-model", {"parameters": "12 L d^2"}).score == 0
