"""Formulas that do not fit into a line: where they break in text, on a page and in LaTeX."""

from __future__ import annotations

from regard.language import notation
from regard.report import Math, Report, to_html_page, to_text
from regard.report.latex.text import escaped


def lines(latex: str, width: int) -> list[str]:
    return to_text(Report("T", (Math(latex),)), width).splitlines()[3:]


def test_a_formula_breaks_between_its_parts_first() -> None:
    latex = r"\|c - c^*\| = r D = 0.25 \cdot 4 \quad\text{at } C = 9.5, \; n = 7"
    assert lines(latex, 42) == ["    ‖c − c*‖ = r D = 0.25 · 4", "      at C = 9.5, n = 7"]


def test_a_part_that_is_too_wide_breaks_before_a_sign_and_not_in_brackets() -> None:
    latex = r"E = (1 - p)(v_a + v_b) + p (v_c + v_d) + (1 - q)(v_e + v_f)"
    assert lines(latex, 40) == [
        "    E = (1 − p)(v_a + v_b)",
        "      + p (v_c + v_d)",
        "      + (1 − q)(v_e + v_f)",
    ]


def test_cases_have_a_line_each_and_columns_of_a_matrix_stay_together() -> None:
    cases = r"c \to \begin{cases} v_a & \text{with } p \\ v_b & \text{with } q \end{cases}"
    assert lines(cases, 28) == ["    c → {v_a, with p;", "      v_b, with q}"]
    columns = r"x = \begin{bmatrix} 1 \\ 2 \end{bmatrix} + y \begin{bmatrix} 3 \\ 4 \end{bmatrix}"
    assert lines(columns, 22) == ["    x = [1; 2]", "      + y [3; 4]"]


def test_a_formula_without_spaces_still_fits() -> None:
    found = lines("+".join("abcdefgh" * 6), 30)
    assert max(map(len, found)) <= 30
    assert "".join("".join(found).split()) == "+".join("abcdefgh" * 6)


def test_parts_of_a_formula_wrap_on_a_page() -> None:
    page = to_html_page(Report("T", (Math(r"a = 1, \qquad b = 2 \quad (n = 3 \quad m = 4)"),)))
    assert page.count('<math display="block">') == 3
    assert "flex-wrap:wrap" in page
    alone = to_html_page(Report("T", (Math("a = 1"),)))
    assert alone.count('<math display="block">') == 1
    assert "flex-wrap:wrap" not in alone


def test_lengths_of_fractions_need_no_brackets_below_a_line() -> None:
    latex = r"\frac{\lVert c \rVert}{\lVert \frac{1}{2} u + \frac{1}{2} v \rVert}"
    assert notation.to_text(latex) == "‖c‖/‖1/2 u + 1/2 v‖"
    assert notation.to_text(r"\frac{1}{\frac{1}{2} u}") == "1/(1/2 u)"


def test_words_in_a_formula_have_one_space_before_them() -> None:
    assert notation.to_text(r"P(s_{a} \text{ is the highest})") == "P(s_a is the highest)"


def test_common_signs_and_long_words_are_fit_for_latex() -> None:
    assert escaped("5 € of ﬁne ware") == r"5 \texteuro{} of fine ware"
    assert escaped("a" * 39) == "a" * 39
    assert escaped("a" * 50) == r"\allowbreak{}".join(["a" * 20, "a" * 20, "a" * 10])
