"""How large a formula may be, and limits such as alpha -> 0."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest

from regard.language import FormulaError, Limit, parse, parse_limit

DEEP = "A formula may be nested 32 deep. Name its parts, or shorten it."
MANY = "A formula may have 200 numbers, names and operations. Shorten it, or name its parts."


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("x" * 2049, "A formula may have 2048 bytes. This one has 2049."),
        ("α" * 1025, "A formula may have 2048 bytes. This one has 2050."),
        ("-" * 100_000 + "1", "A formula may have 2048 bytes. This one has 100001."),
        ("-" * 2000 + "1", MANY),
        ("-" * 40 + "1", DEEP),
        ("(" * 33 + "x" + ")" * 33, "Brackets may be nested 32 deep."),
        ("(" * 1000 + "x" + ")" * 1000, "Brackets may be nested 32 deep."),
        ("[" * 100, "Brackets may be nested 32 deep."),
        ("x" + "'" * 40, DEEP),
        ("sqrt " * 40 + "x", "sqrt needs an argument: write sqrt(x)."),
        ("+".join("x" * 101), MANY),
        ("x " * 101, MANY),
        ("not " * 40 + "x < 1", DEEP),
        ("[" + ", ".join("1" * 200) + "]", MANY),
        ("1" * 41, "A number may have 40 digits."),
        ("0." + "1" * 40, "A number may have 40 digits."),
        ("1e400", "This number is too large: the largest is about 1.8e308."),
        ("1e99999999999999999999999999999999", "This number is too large: the largest is about 1.8e308."),
        ("1e-400", "This number is too small: the smallest is about 5e-324."),
        (r"1 \times 10^{400}", "This number is too large: the largest is about 1.8e308."),
        ("10^400", "An exponent may be at most 64 in absolute value."),
        ("10^{-65}", "An exponent may be at most 64 in absolute value."),
        ("10^(8 * 9)", "An exponent may be at most 64 in absolute value."),
        ("x^(1/0)", "An exponent may be at most 64 in absolute value."),
        ("x^(0/0)", "An exponent may be at most 64 in absolute value."),
        ("x^inf", "An exponent may be at most 64 in absolute value."),
        ("x⁹⁹", "An exponent may be at most 64 in absolute value."),
        ("2^(2^(2^(2^2)))", "An exponent may be at most 64 in absolute value."),
        ("2^2^2^2^2", "Two powers in a row can be read in two ways: write (a^b)^c or a^(b^c)."),
        ("^".join("9" * 1000), "Two powers in a row can be read in two ways: write (a^b)^c or a^(b^c)."),
    ],
)  # fmt: skip
def test_a_formula_past_a_limit_is_refused(text: str, reason: str) -> None:
    with pytest.raises(FormulaError) as caught:
        parse(text)
    np.testing.assert_equal(caught.value.reason, reason)


@pytest.mark.parametrize(
    "text",
    [
        "x" * 2048,
        "-" * 32 + "1",
        "(" * 32 + "x" + ")" * 32,
        "+".join("x" * 100),
        "x " * 100,
        "x < 1" + " and x < 1" * 49,
        "[" + ", ".join("1" * 199) + "]",
        "1" * 40,
        "1e308",
        "5e-324",
        "10^64",
        "x^-64",
        "2^(2^(2^2))",
        "x^n",
        "x^(n^(n^n))",
        "exp(400) + e^400",
    ],
)
def test_a_formula_at_a_limit_is_read(text: str) -> None:
    formula = parse(text)
    assert parse(str(formula)) == formula


def test_nothing_depends_on_how_deep_functions_may_call_each_other() -> None:
    text = "-" * 20 + "(" * 12 + "x + 1/2 k' A k" + ")" * 12
    calls = len(_frames())
    limit = sys.getrecursionlimit()
    parse(text)
    sys.setrecursionlimit(calls + 60)
    try:
        formula = parse(text)
        value = formula.evaluate({"x": 1, "k": [1.0, 2.0], "A": np.eye(2)})
        printed = str(formula), formula.to_latex()
        equal = formula == parse(printed[0]) == parse(printed[1])
    finally:
        sys.setrecursionlimit(limit)
    np.testing.assert_equal(value, 3.5)
    assert equal


def _frames() -> list[object]:
    frames: list[object] = []
    frame = sys._getframe()
    while frame is not None:
        frames.append(frame)
        frame = frame.f_back  # type: ignore[assignment]
    return frames


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("I(10000000)", "This would have 100000000000000 entries, and a formula may compute 10000000."),
        ("I(1e9)", "This would have 1000000000000000000 entries, and a formula may compute 10000000."),
        ("outer(x, x)", "This would have 25000000 entries, and a formula may compute 10000000."),
        ("I(3000)^64", "This would take too long to compute: its matrices are too large."),
        ("pinv(I(3000))", "This would take too long to compute: its matrices are too large."),
    ],
)  # fmt: skip
def test_what_would_take_too_much_memory_or_time_is_not_begun(text: str, reason: str) -> None:
    with pytest.raises(FormulaError) as caught:
        parse(text).evaluate({"x": np.zeros(5000)})
    np.testing.assert_equal(caught.value.reason, reason)


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("alpha -> 0", Limit("alpha", 0.0)),
        (r"\alpha \to 0", Limit("alpha", 0.0)),
        ("α → 0+", Limit("alpha", 0.0, "+")),
        (r"\alpha\to0^+", Limit("alpha", 0.0, "+")),
        (r"\alpha \rightarrow 0^{+}", Limit("alpha", 0.0, "+")),
        ("x -> 1/2-", Limit("x", 0.5, "-")),
        ("C -> inf", Limit("C", math.inf)),
        (r"C \to \infty", Limit("C", math.inf)),
        ("C→∞", Limit("C", math.inf)),
        ("C -> -inf", Limit("C", -math.inf)),
        (r"\sigma_a -> 2 pi", Limit("sigma_a", 2 * math.pi)),
    ],
)  # fmt: skip
def test_limits_are_read(text: str, limit: Limit) -> None:
    np.testing.assert_equal(parse_limit(text), limit)


def test_a_limit_prints_as_it_is_written() -> None:
    np.testing.assert_equal(str(parse_limit(r"\alpha \to 0^+")), "alpha -> 0+")
    np.testing.assert_equal(str(parse_limit(r"C \to \infty")), "C -> inf")
    assert parse_limit(str(parse_limit("x -> 1/2-"))) == parse_limit("x -> 1/2-")


@pytest.mark.parametrize(
    ("text", "reason", "column"),
    [
        ("alpha", "A limit has one arrow, as in alpha -> 0 or C -> inf.", 0),
        ("a -> b -> 0", "A limit has one arrow, as in alpha -> 0 or C -> inf.", 0),
        ("2 alpha -> 0", "Before the arrow of a limit stands one name.", 0),
        ("-> 0", "The formula is empty.", 0),
        ("alpha -> beta", "After the arrow of a limit stands a number, or inf.", 8),
        ("alpha -> [1, 2]", "After the arrow of a limit stands a number, or inf.", 8),
        ("alpha -> 0/0", "After the arrow of a limit stands a number, or inf.", 8),
        ("alpha -> 0 < 1", "After the arrow of a limit stands a number, or inf.", 8),
        ("alpha -> 1 + * 2", "A value is missing before this *.", 13),
        ("alpha ->", "The formula is empty.", 8),
        ("a" * 3000 + "-> 0", "A formula may have 2048 bytes. This one has 3004.", 0),
    ],
)
def test_what_is_not_a_limit_is_refused(text: str, reason: str, column: int) -> None:
    with pytest.raises(FormulaError) as caught:
        parse_limit(text)
    np.testing.assert_equal(caught.value.reason, reason)
    np.testing.assert_equal(caught.value.column, column)
