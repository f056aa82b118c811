"""Answers that mean harm: each is refused with a sentence, or is a wrong answer, and no more."""

from __future__ import annotations

import json
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from regard import report
from regard.checking import check, read
from regard.checking.answer_reading import loads
from regard.errors import InvalidAnswer

PAIR = "average-two-values"


def refused(fields: dict[str, Any]) -> str:
    with pytest.raises(InvalidAnswer) as caught:
        check(PAIR, fields)
    message = str(caught.value)
    assert len(message) < 6000
    return message


@pytest.mark.parametrize(
    "text",
    [
        "().__class__.__bases__[0].__subclasses__()",
        "k_a.__class__.__init__.__globals__",
        "__import__('os').system('id')",
        "q.__dict__",
        "getattr(k_a, 'shape')",
        "k_a__class__",
    ],
)
def test_dunder_chains_are_no_formulas(text: str) -> None:
    refused({"q": text})


@pytest.mark.parametrize(
    "text", ["{0.__class__}", "{k_a!r:>999999999}", "%(k_a)s", "%n%n%s", "{}" * 500]
)
def test_format_strings_are_no_formulas(text: str) -> None:
    assert "formula" in refused({"q": text}) or "is" in refused({"q": text})


def test_a_format_string_as_a_name_is_shown_and_not_filled_in() -> None:
    assert refused({"q": "k_a", "{0.__class__}": 1}) == (
        "answer: '{0.__class__}' is no name: use letters, digits and _, from a letter on."
    )


@pytest.mark.parametrize(
    "text", [r"\input{/etc/passwd}", r"\write18{id}", r"\mathrm{\input{x}}", r"\def\q{\q\q}\q"]
)
def test_latex_that_reads_or_runs_something_is_no_formula(text: str) -> None:
    refused({"q": text})


def test_nothing_of_an_answer_reaches_latex_unseen() -> None:
    found = check(PAIR, {"q": r"C \left(\mathbf{k}_a + k_b\right)", "C": 2})
    tex = report.to_latex(found.report())
    assert r"\input" not in tex
    assert r"\mathbf" not in tex
    assert refused({r"\input{x}": 1, "q": "k_a"}).startswith(r"answer: '\\input{x}' is no name")


def test_100_000_unary_minuses_are_too_long() -> None:
    text = "-" * 100_000 + "k_a"
    assert "A formula may have 2048 bytes. This one has 100003." in refused({"q": text})


def test_unary_minuses_that_fit_are_too_many() -> None:
    refused({"q": "-" * 2000 + "k_a"})


@pytest.mark.parametrize(
    "text",
    [
        "9^9^9^9^9 k_a",
        "2^(2^(2^(2^(2^2)))) k_a",
        "k_a^99999999",
        "(10^64)^64 k_a",
        "exp(exp(exp(exp(9)))) k_a",
    ],
)
def test_towers_of_exponents_are_refused_or_not_finite(text: str) -> None:
    try:
        found = check(PAIR, {"q": text})
    except InvalidAnswer:
        return
    assert found.score == 0
    assert found.misconception is not None
    assert found.misconception.tag in ("not-finite", "absurd-scale")


@pytest.mark.parametrize(
    "text",
    [
        "(" * 500 + "k_a" + ")" * 500,
        "[" * 500 + "1" + "]" * 500,
        "sqrt(" * 300 + "4" + ")" * 300,
        "\\frac{1}{" * 100 + "2" + "}" * 100,
    ],
)
def test_formulas_that_are_nested_deeply_are_refused(text: str) -> None:
    before = sys.getrecursionlimit()
    refused({"q": text})
    assert sys.getrecursionlimit() == before


@pytest.mark.parametrize("is_json", [True, False])
def test_files_that_are_nested_deeply_are_refused(is_json: bool) -> None:
    for depth in (20, 300, 900, 100_000):
        nested = "[" * depth + "1" + "]" * depth
        text = f'{{"answer": {{"q": {nested}}}}}' if is_json else f"[answer]\nq = {nested}\n"
        with pytest.raises(InvalidAnswer) as caught:
            loads(text, is_json=is_json)
        assert "nested too deeply" in str(caught.value)


@pytest.mark.parametrize(
    "text", ["1" * 41, "1" + "0" * 1000, "0." + "1" * 500, "1e400", "1e-400", "1e999999999999"]
)
def test_huge_literals_are_refused(text: str) -> None:
    refused({"q": f"{text} k_a"})


def test_huge_numbers_in_files_are_refused_or_not_finite() -> None:
    with pytest.raises(InvalidAnswer, match="thousands of digits"):
        loads(f"[answer]\nC = {'9' * 5000}\n")
    found = check(PAIR, loads(f'[answer]\nq = "C k_a"\nC = {"9" * 400}\n'))
    assert found.score == 0
    found = check(PAIR, loads('{"answer": {"q": "C k_a", "C": 1e999}}', is_json=True))
    assert found.score == 0


@pytest.mark.parametrize(
    "text",
    [
        "𝐤_a + k_b",
        "ｋ_a + k_b",
        "к_a + k_b",
        "k_а + k_b",
        "k_a ＋ k_b",
        "k_a\u200b + k_b",
        "k_a \u202e+ k_b",
    ],
)
def test_letters_that_look_like_others_are_refused(text: str) -> None:
    refused({"q": text})


def test_names_of_fields_that_look_like_others_are_refused() -> None:
    assert refused({"ｑ": "k_a"}).startswith("answer: 'ｑ' is no name")


@pytest.mark.parametrize(
    "text", ["k_a\x00", "\x00", "k_a + \x00k_b", "\x1b[31mk_a", "k_a\r\nk_b\x07"]
)
def test_nul_bytes_and_control_characters_are_refused(text: str) -> None:
    message = refused({"q": text})
    assert "\x00" not in message.partition("\n")[0]


def test_nul_bytes_in_files_and_their_names_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_bytes(b'[answer]\nq = "k_a\x00"\n')
    for answer in (path, "a\x00.toml"):
        with pytest.raises(InvalidAnswer):
            read(answer)


def test_html_in_an_answer_is_refused_and_never_a_tag() -> None:
    message = refused({"q": "<script>alert(1)</script>"})
    assert message.startswith("answer: q: ")
    found = check(PAIR, {"q": "C k_a", "C": "C < 30"})
    assert "<script" not in report.to_html_page(found.report())


def test_a_large_matrix_asked_for_by_a_formula_is_refused() -> None:
    tracemalloc.start()
    try:
        refused({"q": "I(100000) k_a"})
        refused({"q": "sum(I(99999) I(99999)) k_a"})
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 200_000_000


def test_an_answer_with_a_hundred_thousand_fields_is_read_or_refused() -> None:
    fields = {f"x_{i}": 1.0 for i in range(20_000)}
    assert check(PAIR, {"q": "C (k_a + k_b)", **dict(list(fields.items())[:50])}).right
    text = json.dumps({"answer": {"q": "k_a", **fields}})
    assert len(loads(text, is_json=True).fields) == 20_001
