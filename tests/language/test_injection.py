"""Text that means harm, or looks like something else, is refused and nothing more happens."""

from __future__ import annotations

import ast
import pathlib
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import regard.language
from regard.language import FormulaError, parse, parse_limit
from regard.language.formula.vocabulary import FUNCTIONS, GREEK_WORDS


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')",
        "().__class__.__bases__[0].__subclasses__()",
        "x.__class__",
        "x.__class__.__mro__",
        "a__b",
        "exp.__globals__",
        "{0.__class__}",
        "{x!r:>1000000000}",
        "%(x)s",
        "%s" * 10,
        "${HOME}",
        "$(id)",
        "`id`",
        "lambda: 0",
        "x if y else z; import os",
        "eval('1')",
        '"a" + "b"',
        "f'{x}'",
        "# comment",
        "x := 3",
        "x[0]",
        "x\\",
        r"\input{/etc/passwd}",
        r"\include{secret}",
        r"\write18{id}",
        r"\immediate\write18{id}",
        r"\openin5=/etc/passwd",
        r"\def\x{\x\x}\x",
        r"\newcommand{\x}{y}",
        r"\csname input\endcsname",
        r"\catcode`\@=11",
        r"\loop\iftrue\repeat",
        r"\text{\input{x}}",
        r"\mathrm{\input{x}}",
        r"\href{javascript:alert(1)}{x}",
        "<script>alert(1)</script>",
        "x\x00y",
        "\x00",
        "x\x1b[31m",
        "x\u200by",
        "x\u202ey",
        "x\ufeff",
        "x\u0301",
        "\ud800",
        "а + b",
        "ｘ + 1",
        "𝐱 + 1",
        "Α + 1",
        "x ＋ 1",
        "١ + 1",
        "x\u2028y",
        "🙂",
    ],
)
def test_it_is_refused(text: str) -> None:
    with pytest.raises(FormulaError) as caught:
        parse(text).shape({"x": (), "y": ()})
    assert caught.value.reason.endswith(".")
    assert 0 <= caught.value.column <= len(text)
    str(caught.value).encode("utf-8", "surrogatepass")


@pytest.mark.parametrize(
    ("text", "reason", "column"),
    [
        ("k + а", "A formula cannot hold the character U+0430 (cyrillic small letter a): names are "
         "written with a-z, A-Z and Greek letters.", 4),
        ("ｘ", "A formula cannot hold the character U+FF58 (fullwidth latin small letter x): write x "
         "instead.", 0),
        ("𝐱", "A formula cannot hold the character U+1D431 (mathematical bold small x): write x "
         "instead.", 0),
        ("Α", "A formula cannot hold the character U+0391 (greek capital letter alpha): names are "
         "written with a-z, A-Z and Greek letters.", 0),
        ("x\u0301", "A formula cannot hold the character U+0301 (combining acute accent): leave it "
         "out.", 1),
        ("x\u200b", "A formula cannot hold the character U+200B (zero width space): leave it out.", 1),
        ("\u202ex", "A formula cannot hold the character U+202E (right-to-left override): leave it "
         "out.", 0),
        ("x\x00", "A formula cannot hold the control character U+0000: leave it out.", 1),
        ("1 + \ud800", "A formula cannot hold the character U+D800: leave it out.", 4),
        ("x ＋ 1", "A formula cannot hold the character U+FF0B (fullwidth plus sign): write + instead.", 2),
        ("🙂", "A formula cannot hold the character U+1F642 (slightly smiling face).", 0),
        (r"\input{/etc/passwd}", r"\input is not a command of the formula language.", 0),
        ("2 x.__class__", ". is not part of the formula language.", 3),
    ],
)  # fmt: skip
def test_the_message_names_the_character(text: str, reason: str, column: int) -> None:
    with pytest.raises(FormulaError) as caught:
        parse(text)
    np.testing.assert_equal(caught.value.reason, reason)
    np.testing.assert_equal(caught.value.column, column)


def test_a_name_is_never_more_than_a_name() -> None:
    # Words that mean something to Python are names like any other, and have to be declared.
    for word in ("os", "open", "eval", "exec", "globals", "self", "None", "True", "import"):
        np.testing.assert_equal(parse(f"{word} + 1").evaluate({word: 2}), 3.0)
        with pytest.raises(FormulaError):
            parse(f"{word} + 1").evaluate({})


WORDS = [
    *FUNCTIONS, *(f"\\{word}" for word in sorted(GREEK_WORDS)), r"\frac", r"\sqrt", r"\left", r"\right",
    r"\begin{bmatrix}", r"\end{bmatrix}", r"\\", r"\cdot", r"\lVert", r"\rVert", r"\|", r"\mathbf", r"\text",
    *"+-*/^_'()[]{}|,;&=<>.!~@#$%\"`", "x", "k_a", "I", "e", "T", "1", "12", "0.5", "1e9", " ", "\n", "α", "²",
    "½", "‖", "·", "and", "or", "not", "->", "inf", "pi", "√", "ᵀ",
]  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(max_size=40), st.lists(st.sampled_from(WORDS), max_size=25).map("".join)))
def test_any_text_is_read_or_refused(text: str) -> None:
    for read in (parse, parse_limit):
        refusal, result = None, None
        try:
            result = read(text)
        except FormulaError as error:
            refusal = error
        if refusal is not None:
            assert refusal.reason.endswith(".")
            assert 0 <= refusal.column <= len(text)
        if isinstance(result, regard.language.Formula):
            assert parse(str(result)) == result
            assert parse(result.to_latex()) == result


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(["x", "u", "v'", "A", "M", "2", "+", "-", "*", "·", "/", "^2", "'", "(", ")",
                                 "[", "]", ",", "norm(u)", "exp(", "pinv(A)", "I", "<", "dot(u, v)", " "]), max_size=14))  # fmt: skip
def test_whatever_is_read_has_a_value_or_is_refused(words: list[str]) -> None:
    values = {"x": 0.5, "u": np.ones(3), "v": np.arange(3.0), "A": np.eye(3), "M": np.ones((3, 2))}
    try:
        formula = parse(" ".join(words))
        value = formula.evaluate(values)
    except FormulaError:
        return
    shapes = {name: np.shape(given) for name, given in values.items()}
    np.testing.assert_equal(formula.shape(shapes), np.shape(value))


def test_the_language_never_runs_text() -> None:
    forbidden = {"eval", "exec", "compile", "getattr", "setattr", "__import__", "open", "globals"}
    folder = pathlib.Path(regard.language.__file__).parent
    for path in folder.rglob("*.py"):
        called = {
            node.func.id if isinstance(node.func, ast.Name) else node.func.attr
            for node in ast.walk(ast.parse(path.read_text("utf-8")))
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute)
        }
        called -= {"compile"} if "re" in _imported(path) else set()
        np.testing.assert_equal(called & (forbidden | {"format", "format_map"}), set(), path.name)


def _imported(path: pathlib.Path) -> set[str]:
    return {
        alias.name
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Import)
        for alias in node.names
    }


def test_formulas_can_be_read_from_several_threads() -> None:
    texts = [f"C_{i} (k_a + |x - {i}|) / 2" for i in range(20)]
    expected = [parse(text) for text in texts]
    wrong: list[str] = []

    def read() -> None:
        for text, formula in zip(texts, expected, strict=True):
            if parse(text) != formula:
                wrong.append(text)

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    np.testing.assert_equal(wrong, [])
