"""Sizes of another configuration, of a context, of symbols in definitions; numbers worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest

from regard import check, problems, solving
from regard.errors import InvalidProblem
from regard.solving import Status


def made(given: dict[str, Any], **goal: Any) -> Any:
    data = {"schema": 1, "id": "x", "title": "x", "kind": "count", "statement": "x"}
    return problems.from_dict({**data, "given": given, "goal": goal})


STEP = {"of": "head", "n": "n", "d_k": "d", "others": {"decode": {"n": 1, "n_k": "n"}}}


@pytest.mark.parametrize("values", [{}, {"n": 64, "d": 16}])
def test_a_size_of_another_configuration_is_no_symbol_of_its_name(values: dict[str, int]) -> None:
    # One query and n keys: n (d + d) multiplications, whatever number n has in the problem.
    goal: dict[str, Any] = {
        "find": ["multiplications", "multiplications_decode"],
        "orders": {"step": {"of": "multiplications_decode", "symbol": "n"}},
        "form": "formula",
    }
    problem = made({**STEP, "values": values}, **goal)
    solution = solving.solve(problem)
    assert solution.verdict is Status.PROVED
    assert solution.answer["step"] == "n"
    right = {"multiplications": "2 n^2 d", "multiplications_decode": "2 n d", "step": "O(n)"}
    assert check(problem, right).right
    assert check(problem, dict(solution.answer)).right
    assert not check(problem, {**right, "multiplications_decode": "2 n^2 d"}).right
    assert not check(problem, {**right, "step": "n^2"}).right


def test_keys_and_values_of_a_context_are_made_of_its_width() -> None:
    given = {
        "d_model": 512, "d_context": 768, "heads": 8, "n": 10, "n_k": 20,
        "conventions": {"biases": True},
    }  # fmt: skip
    find = ["parameters", "key_parameters", "projection_multiplications", "shape_W_K", "shape_Q"]
    problem = made(given, find=find)
    right = {
        "parameters": 2 * (512 * 512 + 512) + 2 * (768 * 512 + 512),
        "key_parameters": 768 * 512 + 512,
        "projection_multiplications": 10 * 512 * 512 + 2 * 20 * 768 * 512,
        "shape_W_K": [768, 512],
        "shape_Q": [8, 10, 64],
    }
    assert solving.solve(problem).verification.holds
    assert check(problem, right).right
    assert check(problem, dict(solving.solve(problem).answer)).right
    same = {**right, "key_parameters": 512 * 512 + 512, "shape_W_K": [512, 512]}
    assert not check(problem, same).right


@pytest.mark.parametrize("number", ["12 L d^2 = 1.739e11", "12 L d^2 = 173,946,175,488", "12Ld^2"])
def test_parameters_beside_the_tables(number: str) -> None:
    given = {
        "of": "model", "d_model": "d", "d_ff": "4 d", "layers": "L",
        "values": {"d": 12288, "L": 96},
    }  # fmt: skip
    problem = made(given, find=["non_embedding_parameters"], form="both")
    assert check(problem, {"non_embedding_parameters": number}).right is ("=" in number)
    for wrong in ("12 L d^2 = 1.74e10", "4 L d^2 = 5.798e10", "12 L d^2 = 1.729e11"):
        assert not check(problem, {"non_embedding_parameters": wrong}).right
    normed = {**given, "conventions": {"norms": "layer", "biases": True}}
    expected = 96 * (12 * 12288**2 + 13 * 12288) + 2 * 12288
    problem = made(normed, find=["non_embedding_parameters"], form="number")
    assert check(problem, {"non_embedding_parameters": expected}).right
    assert check(problem, dict(solving.solve(problem).answer)).right
    assert not check(problem, {"non_embedding_parameters": expected - 2 * 12288}).right


def test_a_definition_may_use_symbols_with_numbers_and_definitions_above() -> None:
    given = {"layers": 24, "d_model": 1024, "heads": 16, "values": {"r": 8}}
    define = {
        "lora": "layers * 2 * 2 * d_model * r",
        "share": "lora / (layers * (query_parameters + value_parameters))",
    }
    problem = made(given, find=["lora", "share"], define=define)
    assert check(problem, {"lora": 786432, "share": "1/64"}).right
    assert check(problem, {"lora": "96 d_model r", "share": 0.0156}).right
    assert not check(problem, {"lora": 393216, "share": "1/64"}).right
    assert not check(problem, {"lora": 786432, "share": "1/32"}).right
    assert solving.solve(problem).verification.holds
    variant = solving.variant(problem, 3)
    assert check(variant, dict(solving.solve(variant).answer)).right


@pytest.mark.parametrize(
    ("given", "goal", "words"),
    [
        ({"n": 8, "values": {"n": 4}}, {"find": ["n"]}, "a number of its own"),
        ({"n": 8, "values": {"r": 4}}, {"find": ["n"]}, "no size and no formula uses r"),
        ({"n": 8}, {"find": ["a"], "define": {"a": "b", "b": "n"}}, "nothing that can be counted"),
    ],
)
def test_what_does_not_fit_is_refused(given: Any, goal: Any, words: str) -> None:
    with pytest.raises(InvalidProblem, match=words):
        made(given, **goal)
