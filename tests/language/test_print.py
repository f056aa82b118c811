"""Formulas as text and LaTeX: what is printed reads back as the same formula."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from regard.language import Formula, notation, parse
from regard.language.formula.printing.latex import to_latex
from regard.language.formula.printing.text import to_text
from regard.language.formula.tree import Tree, apply, name, number

NAMES = [
    *("x", "k_a", "mu_a", "z_3_1", "d_model", "W_Q", "alpha", "epsilon", "omega_i", "T", "Tau"),
    *("T_1", "e", "q1", "mean", "w_2i", "ell", "s", "Gamma_2", "v_ab", "max_1", "mu_alpha"),
]
ELEMENTWISE = [
    *("exp", "log", "sqrt", "cos", "sin", "abs", "erf", "Phi", "sum"),
    *("norm", "modulus", "pinv", "tr", "softmax"),
]

numbers = st.one_of(
    st.integers(0, 10**6).map(float),
    st.floats(0, allow_nan=False, allow_infinity=False),
).map(number)
leaves = st.one_of(numbers, st.sampled_from(NAMES).map(name), st.sampled_from(["I", "pi", "inf"]).map(name))  # fmt: skip
small = st.integers(0, 64).map(number)
exponents = st.one_of(
    small,
    small.map(lambda tree: apply("neg", tree)),
    st.sampled_from(NAMES).map(name),
    st.sampled_from(NAMES).map(lambda word: apply("+", name(word), number(1))),
    st.sampled_from(NAMES).map(lambda word: apply("'", name(word))),
)


def grown(parts: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
    pairs = st.tuples(parts, parts)

    # Brackets in brackets are the rows of a matrix and nothing else.
    entries = parts.filter(lambda tree: tree[-1].op not in ("column", "matrix"))

    def matrix(drawn: tuple[int, int, list[Tree]]) -> Tree:
        rows, width, trees = drawn
        cells = (trees * (rows * width))[: rows * width]
        return apply("matrix", *cells, value=(rows, width))

    return st.one_of(
        st.tuples(st.sampled_from("+-*·/"), pairs).map(lambda drawn: apply(drawn[0], *drawn[1])),
        st.tuples(parts, exponents).map(lambda drawn: apply("^", *drawn)),
        parts.map(lambda tree: apply("neg", tree)),
        parts.map(lambda tree: apply("'", tree)),
        st.tuples(st.sampled_from(ELEMENTWISE), parts).map(lambda d: apply("call", d[1], value=d[0])),
        st.tuples(st.sampled_from(["dot", "outer", "max"]), pairs).map(
            lambda drawn: apply("call", *drawn[1], value=drawn[0])
        ),
        st.one_of(numbers, st.sampled_from(NAMES).map(name)).map(
            lambda tree: apply("call", tree, value="I")
        ),
        st.lists(entries, min_size=1, max_size=3).map(lambda trees: apply("column", *trees)),
        st.tuples(st.integers(1, 3), st.integers(1, 3), st.lists(entries, min_size=1, max_size=4)).map(matrix),
    )  # fmt: skip


values = st.recursive(leaves, grown, max_leaves=12)
comparisons = st.tuples(
    st.lists(values, min_size=2, max_size=3),
    st.lists(st.sampled_from(["<", "<=", ">", ">=", "=", "!="]), min_size=2, max_size=2),
).map(lambda drawn: apply("compare", *drawn[0], value=tuple(drawn[1][: len(drawn[0]) - 1])))
conditions = st.recursive(
    comparisons,
    lambda parts: st.one_of(
        st.tuples(st.sampled_from(["and", "or"]), parts, parts).map(lambda d: apply(d[0], *d[1:])),
        parts.map(lambda tree: apply("not", tree)),
    ),
    max_leaves=4,
)
small_enough = st.one_of(values, conditions).filter(lambda tree: len(tree) <= 200).filter(
    lambda tree: len(to_text(tree)) <= 1000 and len(to_latex(tree)) <= 2000
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(small_enough)
def test_what_is_printed_as_text_reads_back(tree: Tree) -> None:
    assert parse(to_text(tree)).tree == tree


@settings(max_examples=150, deadline=None)
@given(small_enough)
@example(apply("*", name("x"), apply("'", number(2.0))))
@example(apply("*", name("x"), apply("call", number(2.0), value="pinv")))
def test_what_is_printed_as_latex_reads_back(tree: Tree) -> None:
    assert parse(to_latex(tree)).tree == tree


@settings(max_examples=80, deadline=None)
@given(small_enough)
def test_what_is_printed_as_latex_is_in_the_notation(tree: Tree) -> None:
    notation.check(to_latex(tree))


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("C (k_a + k_b)", r"C \left(k_a + k_b\right)"),
        ("u_b u_d' / beta^2", r"\frac{u_b u_d^\top}{\beta^{2}}"),
        ("alpha I + 1/2 mu_a mu_a'", r"\alpha I + \frac{1}{2} \mu_a \mu_a^\top"),
        ("log((n - 2) (D - epsilon) / (2 epsilon))",
         r"\ln\left(\frac{\left(n - 2\right) \left(D - \varepsilon\right)}{2 \varepsilon}\right)"),
        ("2 S (S' S)^-1 S'", r"2 S \left(S^\top S\right)^{-1} S^\top"),
        ("softmax(Q K' / sqrt(d_k)) V",
         r"\operatorname{softmax}\left(\frac{Q K^\top}{\sqrt{d_k}}\right) V"),
        ("exp(-C) / (2 exp(C) + n - 2)", r"\frac{e^{-C}}{2 e^{C} + n - 2}"),
        ("norm(v_a - v_b)^2", r"\left\lVert v_a - v_b \right\rVert^{2}"),
        ("|x|", r"\left\lvert x \right\rvert"),
        ("k_a · q", r"k_a \cdot q"),
        ("a * 2", r"a \cdot 2"),
        ("6.9e-13", r"6.9 \times 10^{-13}"),
        ("[1, 2]", r"\begin{bmatrix} 1 \\ 2 \end{bmatrix}"),
        ("[[1, 2], [3, 4]]", r"\begin{bmatrix} 1 & 2 \\ 3 & 4 \end{bmatrix}"),
        ("0 < z_3_1 <= 1 and not d_model != inf",
         r"0 < z_{3,1} \le 1 \text{ and } \text{not }d_{\mathrm{model}} \ne \infty"),
        ("pinv(S) + I(d)", r"S^{+} + I_{d}"),
        ("x^(T) y^n", r"x^{\left(T\right)} y^{n}"),
        ("Phi(x) max(a, b)", r"\Phi\left(x\right) \max\left(a, b\right)"),
        ("I * (a + b)", r"{I} \left(a + b\right)"),
        ("-(-x)", "--x"),
    ],
)  # fmt: skip
def test_formulas_print_as_in_a_book(text: str, latex: str) -> None:
    np.testing.assert_equal(parse(text).to_latex(), latex)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("((a)+(b))", "a + b"),
        ("a+(b+c)-(d-x)", "a + (b + c) - (d - x)"),
        ("-(a b)", "-a b"),
        ("(-a) b", "(-a) b"),
        ("a - (-b)", "a - (-b)"),
        ("(a/b)/(c/d)", "a / b / (c / d)"),
        ("(a b)/(c d)", "a b / (c d)"),
        ("(1/2) x", "1/2 x"),
        ("a (1/2 x)", "a (1/2 x)"),
        ("(x^2)^3", "(x^2)^3"),
        ("(u')'", "(u')'"),
        ("x * 3 * y", "(x * 3) y"),
        ("x * (3 y)", "x (3 y)"),
        ("[(a b)]", "[(a b)]"),
        ("not (a < b)", "not a < b"),
        ("(a < b or c < d) and x = y", "(a < b or c < d) and x = y"),
        ("1.50", "1.5"),
        ("100000000000000000000", "1e+20"),
    ],
)
def test_text_has_the_brackets_it_needs(text: str, canonical: str) -> None:
    np.testing.assert_equal(str(parse(text)), canonical)


def test_a_formula_shows_how_to_read_it() -> None:
    np.testing.assert_equal(repr(parse("2*k_a")), "parse('2 k_a')")
    assert isinstance(parse("x"), Formula)


def test_a_formula_prints_as_mathml() -> None:
    printed = parse("k_a' q / 2").to_mathml()
    assert printed.startswith("<math")
    assert "<mfrac>" in printed
    assert "block" in parse("x").to_mathml(display=True)
