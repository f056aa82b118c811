"""The LaTeX of statements and reports: what passes, and what it looks like."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regard.errors import FormulaError
from regard.language import notation
from report.tools import compile_latex

FEW = settings(deadline=None, derandomize=True, max_examples=200)

TEXTS = {
    r"\alpha_a \le \frac{e^{-C}}{2e^C + n - 2}": "α_a ≤ e^(−C)/(2e^C + n − 2)",
    r"q = C (k_a + k_b),\quad C \ge \ln\frac{(n-2)(D-\varepsilon)}{2\varepsilon}": (
        "q = C (k_a + k_b),   C ≥ ln((n − 2)(D − ε)/(2ε))"
    ),
    r"\frac{1}{2}(v_a+v_b)": "1/2 (v_a + v_b)",
    r"u_b u_d^\top/\beta^2": "u_b u_dᵀ/β²",
    r"\|c - c^*\|_2^2 \leq \varepsilon": "‖c − c*‖_2² ≤ ε",
    r"\lVert x \rVert \cdot \lvert y \rvert": "‖x‖ · |y|",
    r"\sum_{i=1}^{n} x_i^2": "∑_(i=1)^n x_i²",
    r"\begin{bmatrix} 1 & 2 \\ -3 & \frac12 \end{bmatrix} x": "[1, 2; −3, 1/2] x",
    r"\begin{pmatrix} 1 \\ 0 \end{pmatrix}": "(1; 0)",
    r"f(x) = \begin{cases} 1 & x > 0 \\ 0 & \text{otherwise} \end{cases}": (
        "f(x) = {1, x > 0; 0, otherwise}"
    ),
    r"\mathbb{E}[\mathbf{x}] \in \mathbb R^{d}, \mathcal{N}(0, \sigma^2 I)": (
        "E[x] ∈ ℝ^d, N(0, σ² I)"
    ),
    r"\hat\mu = \bar{x} + \overline{ab}": "μ\u0302 = x\u0304 + overline(ab)",
    r"\operatorname{softmax}(QK^T/\sqrt{d_k}) V": "softmax(QKᵀ/√d_k) V",
    r"x'^2 + y''": "x′² + y′′",
    r"\left(\frac{a}{b}\right)^2": "(a/b)²",
    r"\left.\frac{a}{b}\right|_{x=0}": "a/b|_(x=0)",
    r"\arg\max_{i \ne j} s_{ij}": "arg max_(i≠j) s_ij",
    r"W_QW_K^{-1}": "W_Q W_K⁻¹",
    r"e^{x^2} - e^Cx": "e^(x²) − e^C x",
    r"2\log x + \log(y)": "2 log x + log(y)",
    r"\int_0^\infty e^{-t^2} dt = \frac{\sqrt\pi}{2}": "∫_0^∞ e^(−t²) dt = √π/2",
    r"-\frac{a}{b} c - \frac{-1}{a + b}": "−(a/b) c − (−1)/(a + b)",
    r"\sqrt[3]{x+1} + \sqrt[n]{2}": "∛(x + 1) + n√2",
    r"a \times -b \pm c": "a × −b ± c",
    r"\lim_{\alpha \to 0} \frac{\partial f}{\partial x}": "lim_(α→0) ∂f/∂x",
    r"x \notin A \cap B \implies x \perp y": "x ∉ A ∩ B ⟹ x ⊥ y",
    r"x^{(k)}_{i,j}": "x_(i, j)^(k)",
    r"1, \ldots, n \gg 0.5": "1, …, n ≫ 0.5",
    r"\{ x : x > 0 \}": "{x: x > 0}",
    r"\mathrm{d}x \, \vec{v}": "dx v\u20d7",
}


@pytest.mark.parametrize("latex", TEXTS)
def test_a_formula_reads_like_this_in_a_terminal(latex: str) -> None:
    assert notation.to_text(latex) == TEXTS[latex]


def test_aligned_formulas_have_a_line_for_each_row() -> None:
    lines = notation.to_lines(r"\begin{aligned} ab &= c \\ &\le -d \end{aligned}")
    assert lines == ["ab = c", "   ≤ −d"]
    assert notation.to_lines("a = b") == ["a = b"]


MATHML = {
    "x_1": "<msub><mi>x</mi><mn>1</mn></msub>",
    "x^{12}": "<msup><mi>x</mi><mn>12</mn></msup>",
    "x_i^2": "<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>",
    r"\frac{1}{2}": "<mfrac><mn>1</mn><mn>2</mn></mfrac>",
    r"\dfrac12": '<mstyle displaystyle="true"><mfrac><mn>1</mn><mn>2</mn></mfrac></mstyle>',
    r"\sqrt{x}": "<msqrt><mi>x</mi></msqrt>",
    r"\sqrt[3]{x}": "<mroot><mi>x</mi><mn>3</mn></mroot>",
    r"\bar x": '<mover accent="true"><mi>x</mi><mo stretchy="false">\u02c9</mo></mover>',
    r"\overline{ab}": (
        '<mrow style="border-top:0.06em solid"><mrow><mi>a</mi><mi>b</mi></mrow></mrow>'
    ),
    r"\sum_{i}^n": ('<munderover><mo movablelimits="true">∑</mo><mi>i</mi><mi>n</mi></munderover>'),
    "a < b": "<mrow><mi>a</mi><mo>&lt;</mo><mi>b</mi></mrow>",
    r"\begin{matrix} a & b \\ c \end{matrix}": (
        "<mrow><mtable><mtr><mtd><mi>a</mi></mtd><mtd><mi>b</mi></mtd></mtr>"
        "<mtr><mtd><mi>c</mi></mtd></mtr></mtable></mrow>"
    ),
    r"\mathbb{R}": '<mi mathvariant="normal">ℝ</mi>',
    r"\Sigma": '<mi mathvariant="normal">Σ</mi>',
    r"\mathbf{x}": '<mi mathvariant="normal" style="font-weight:bold">x</mi>',
    r"\text{if }": "<mtext>if\u00a0</mtext>",
    r"\log x": '<mrow><mi>log</mi><mspace width="0.1667em"/><mi>x</mi></mrow>',
    r"\left( x \right]": (
        '<mrow><mo stretchy="true" form="prefix">(</mo><mi>x</mi>'
        '<mo stretchy="true" form="postfix">]</mo></mrow>'
    ),
    "u'": "<msup><mi>u</mi><mo>′</mo></msup>",
}


@pytest.mark.parametrize("latex", MATHML)
def test_a_formula_is_this_mathml(latex: str) -> None:
    assert notation.to_mathml(latex) == f'<math display="inline">{MATHML[latex]}</math>'


def test_the_sign_of_a_number_is_no_operator_between_two() -> None:
    # MathML puts space around the operator of a difference, and none behind a sign: "(8, −20)".
    for latex, signs in {
        "(8, -20)": 1,
        r"1 \cdot (-6) + (-2) = -20": 3,
        "a - b": 0,
        "n! - 1": 0,
        "a' - b": 0,
        "x^2 - 1": 0,
        "(a) - b": 0,
    }.items():
        assert notation.to_mathml(latex).count('<mo form="prefix">−</mo>') == signs, latex


def test_a_display_formula_says_so() -> None:
    assert notation.to_mathml("x", display=True) == '<math display="block"><mi>x</mi></math>'


REFUSED = {
    r"\input{secrets}": (r"\input is not part of the notation.", 0),
    r"x \write18{rm}": (r"\write is not part of the notation.", 2),
    r"\def\x{}": (r"\def is not part of the notation.", 0),
    r"\csname input\endcsname": (r"\csname is not part of the notation.", 0),
    r"x \\ y": (r"\\ stands between the entries of a matrix or of cases only.", 2),
    "a & b": ("& stands between the entries of a matrix or of cases only.", 2),
    "a % b": ("% is not part of the notation.", 2),
    "a $ b": ("$ is not part of the notation.", 2),
    "a # b": ("# is not part of the notation.", 2),
    "a ~ b": ("~ is not part of the notation.", 2),
    "x^^41": ("^ needs braces around ^.", 2),
    "α": ("The character α is not part of the notation.", 0),
    "a\0b": ("The character U+0000 is not part of the notation.", 1),
    "a\n\nb": ("A formula has no blank lines.", 1),
    "": ("The formula is empty.", 0),
    "x^a^b": ("Two superscripts: braces must tell what belongs to what.", 3),
    "x^2'": ("Two superscripts: braces must tell what belongs to what.", 3),
    "x' ^2": ("Two superscripts: braces must tell what belongs to what.", 3),
    r"{\hat x^2}^3": ("Two superscripts: braces must tell what belongs to what.", 10),
    "x_a_b": ("Two subscripts: braces must tell what belongs to what.", 3),
    "x^12": ("More than one character after ^ needs braces: ^{…}.", 2),
    "x^-1": ("More than one character after ^ needs braces: ^{…}.", 2),
    r"x^\frac{1}{2}": (r"^ needs braces around \frac.", 2),
    "x^(1)": ("^ needs braces around (.", 2),
    "_2": ("_ needs something before it.", 0),
    "x^": ("^ needs something after it.", 2),
    r"\frac{1}": (r"\frac needs something after it.", 8),
    r"\frac +1": (r"\frac needs braces around +.", 6),
    "{x": ("This { is never closed.", 0),
    "x}": ("This } closes no {.", 1),
    r"\left(x": (r"This \left is never closed.", 0),
    r"\right)": (r"This \right closes no \left.", 0),
    r"\left a": (r"\left needs a delimiter such as ( or \|.", 6),
    r"\begin{bmatrix} 1": (r"This \begin is never closed.", 0),
    r"\begin{bmatrix} 1 \end{pmatrix}": (
        r"\begin{bmatrix} must end with \end{bmatrix}.",
        18,
    ),
    r"\begin{document} 1 \end{document}": (
        "The environment document is not part of the notation.",
        6,
    ),
    r"\begin{cases} 1 & 2 & 3 \end{cases}": ("cases has at most 2 columns.", 20),
    r"\begin{matrix} \end{matrix}": ("This matrix is empty.", 0),
    r"\begin{matrix} 1 \\ [2] \end{matrix}": (r"Put {} between \\ and [.", 20),
    r"\begin{aligned} [t] \end{aligned}": (r"Put {} between \begin{aligned} and [.", 15),
    r"\text{$x$}": (r"\text needs plain words in braces.", 5),
    r"\operatorname{\input}": (r"\operatorname needs a name of letters in braces.", 13),
    r"\mathbb{x}": (r"\mathbb takes capital letters.", 0),
    r"\hat{\frac{1}{2}}": (r"\hat stands over letters only.", 0),
    r"\sqrt[\input]{2}": (r"\sqrt needs a number in brackets.", 5),
}


@pytest.mark.parametrize("latex", REFUSED)
def test_what_is_not_in_the_notation_is_refused_with_its_column(latex: str) -> None:
    with pytest.raises(FormulaError) as caught:
        notation.check(latex)
    message, column = REFUSED[latex]
    assert (caught.value.reason, caught.value.column) == (message, column)


@pytest.mark.parametrize(
    ("latex", "message"),
    [
        ("x" * 4001, "A formula may have 4000 characters. This one has 4001."),
        ("{" * 33 + "x" + "}" * 33, "A formula may be nested 32 deep."),
        ("x^{" * 100_000, "A formula may have 4000 characters. This one has 300000."),
        (r"\begin{matrix}" * 9, "Matrices may be nested 8 deep."),
        (r"\boldsymbol{" * 4, r"\boldsymbol and \sqrt[…] may be nested 3 deep."),
        (r"\sqrt[3]{" * 4, r"\boldsymbol and \sqrt[…] may be nested 3 deep."),
        (
            r"\begin{matrix}" + "1 & " * 10 + r"1 \end{matrix}",
            "matrix has at most 10 columns.",
        ),
    ],
)
def test_limits_are_refused_by_name(latex: str, message: str) -> None:
    with pytest.raises(FormulaError) as caught:
        notation.check(latex)
    assert caught.value.reason == message


def test_a_formula_at_the_limits_is_shown() -> None:
    for latex in ("x" * 4000, "{" * 32 + "x" + "}" * 32, "x^{" * 32 + "x" + "}" * 32):
        assert notation.to_text(latex)
        ElementTree.fromstring(notation.to_mathml(latex))


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("no formula", [(False, "no formula")]),
        ("", []),
        ("$x$", [(True, "x")]),
        (
            "a $x$ and $$y$$.",
            [(False, "a "), (True, "x"), (False, " and "), (True, "y"), (False, ".")],
        ),
        (r"at \$1 and $n$", [(False, "at $1 and "), (True, "n")]),
        (r"$\$$ and \$", [(True, r"\$"), (False, " and $")]),
        ("costs $5 and $6", [(False, "costs $5 and $6")]),
        ("costs $5, or 5$2", [(False, "costs $5, or 5$2")]),
        ("one $ alone", [(False, "one $ alone")]),
        ("$ x $", [(False, "$ x $")]),
    ],
)
def test_a_string_is_split_at_its_dollars(text: str, parts: list[tuple[bool, str]]) -> None:
    assert notation.split(text) == parts


@FEW
@given(st.text())
def test_splitting_loses_nothing(text: str) -> None:
    words = "".join(part for _, part in notation.split(text))
    assert words.replace("$", "") == re.sub(r"\$|\\(?=\$)", "", text)


NAMES = st.sampled_from(["x", "y", "A", "1", "0.5", r"\alpha", r"\Sigma", r"\infty", r"\mathbf{u}"])


def _larger(part: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    two = st.tuples(part, part)
    return st.one_of(
        two.map(" ".join),
        two.map(lambda p: f"{{{p[0]}}}_{{{p[1]}}}"),
        two.map(lambda p: f"{{{p[0]}}}^{{{p[1]}}}"),
        two.map(lambda p: rf"\frac{{{p[0]}}}{{{p[1]}}}"),
        two.map(lambda p: rf"{p[0]} \le -{p[1]}"),
        two.map(lambda p: rf"\sum_{{{p[0]}}}^{{{p[1]}}}"),
        two.map(lambda p: rf"\begin{{bmatrix}} {p[0]} & {p[1]} \\ {{}} [ {p[0]} \end{{bmatrix}}"),
        two.map(lambda p: rf"\begin{{cases}} {p[0]} & \text{{if }} {p[1]} \end{{cases}}"),
        part.map(lambda p: rf"\sqrt{{{p}}}"),
        part.map(lambda p: rf"\left\| {p} \right\rangle"),
        part.map(lambda p: rf"\overline{{{p}}}"),
        part.map(lambda p: rf"({p})'"),
        part.map(lambda p: rf"\max_\alpha \log {p}, \ldots"),
    )


FORMULAS = st.recursive(NAMES, _larger, max_leaves=12)
# Any sequence of what the notation consists of, most of which TeX would refuse.
TOKENS = r"""a b 1 2 + - / ( ) [ ] | , ' ^ ^ _ _ { { } } & \alpha \le \sum \log \dots \quad \frac
\sqrt \hat \mathbb \mathrm \text{if} \boldsymbol \| \left( \right. \begin{matrix}
\end{matrix} \\ ^2 _a ^\top ^\mathbf \operatorname*{max} \sqrt[3] {x} {y} \tilde{x} \notin
"""
PIECES = st.lists(
    st.sampled_from(TOKENS.split()),
    max_size=12,
).flatmap(lambda pieces: st.sampled_from([" ".join(pieces), _tight(pieces)]))


def _tight(pieces: list[str]) -> str:
    """Join pieces without spaces, but for those after the name of a command."""
    return re.sub(r"(\\[a-z]+) (?![a-z0-9])", r"\1", " ".join(pieces)).replace("  ", "")


def _passes(latex: str) -> bool:
    try:
        notation.check(latex)
    except FormulaError:
        return False
    return True


@FEW
@given(st.text() | PIECES)
def test_any_string_is_shown_or_refused_with_a_column_inside_it(latex: str) -> None:
    if not _passes(latex):
        with pytest.raises(FormulaError) as caught:
            notation.to_text(latex)
        assert 0 <= caught.value.column <= len(latex)
        assert caught.value.reason.endswith(".")
        return
    assert "\n" not in notation.to_text(latex)
    ElementTree.fromstring(notation.to_mathml(latex))


@FEW
@given(FORMULAS)
def test_every_formula_is_one_line_of_text_and_well_formed_mathml(latex: str) -> None:
    text = notation.to_text(latex)
    assert "\\" not in text
    assert "\n" not in text
    assert text == text.strip()
    root = ElementTree.fromstring(notation.to_mathml(latex, display=True))
    assert root.tag == "math"
    counts = {"mfrac": 2, "msup": 2, "msub": 2, "msubsup": 3, "munderover": 3, "mover": 2}
    for element in root.iter():
        assert len(element) == counts.get(element.tag, len(element))


@pytest.mark.tools
def test_what_passes_compiles(tmp_path: Path) -> None:
    formulas: list[str] = []

    @settings(deadline=None, derandomize=True, max_examples=400, database=None)
    @given(FORMULAS | PIECES.filter(_passes))
    def collect(latex: str) -> None:
        if _passes(latex):
            formulas.append(latex)

    collect()
    formulas += [*TEXTS, *MATHML]
    assert len(formulas) > 200
    lines = [rf"$ {latex} $ \[ {latex} \]" for latex in formulas]
    head = r"\documentclass{article}\usepackage{amsmath}\usepackage{amssymb}\begin{document}"
    compile_latex("\n\n".join([head, *lines, r"\end{document}"]), tmp_path)


def test_brackets_grow_only_around_what_is_tall() -> None:
    flat, tall = (
        notation.to_mathml(r"\left(a + b\right)"),
        notation.to_mathml(r"\left(\frac{a}{b}\right)"),
    )
    assert flat.count('stretchy="false"') == 2
    assert 'stretchy="true"' not in flat
    assert tall.count('stretchy="true"') == 2
