"""Reports as LaTeX: escaped, within Debian's packages, and accepted by pdflatex."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings

from regard.report import (
    Block,
    Code,
    Facts,
    Heading,
    Math,
    Plot,
    Prose,
    Report,
    Series,
    Steps,
    Table,
    Text,
    to_latex,
)
from regard.report.latex.text import escaped
from report.drawing import ANY_TEXT, MARKUP, reports
from report.tools import compile_latex

EVIL = r"\input{secrets} $\write18{rm}$ % # & _ ^ ~ { } \\ $$ ^^5cinput --- `` ?` [x] *"


def body(*blocks: Block) -> str:
    """Return the blocks of a document under the title T."""
    text = to_latex(Report("T", blocks))
    start = text.index(r"\regardheadline{T}") + len(r"\regardheadline{T}")
    return text[start : text.index(r"\end{document}")].strip()


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("a_b & 50 % {x} #1 $", r"a\_\allowbreak{}b \& 50 \% \{x\} \#1 \$"),
        (
            "\\^~<>|",
            r"\textbackslash{}\textasciicircum{}\textasciitilde{}\textless{}\textgreater{}\textbar{}",
        ),
        ("a - b -- c --- d", "a - b -{}- c -{}-{}- d"),
        ("''?`", r"'{}'{}?{}\textasciigrave{}"),
        ("[a]*", "{[}a{]}{*}"),
        ("α ≤ β", r"\ensuremath{\alpha} \ensuremath{\leq} \ensuremath{\beta}"),
        ("‖q‖₂", r"\ensuremath{\|}q\ensuremath{\|}\textsubscript{2}"),
        ("10⁻³", r"10\textsuperscript{-}\textsuperscript{3}"),
        ("−1 × 2 ≠ 3", r"\ensuremath{-}1 \ensuremath{\times} 2 \ensuremath{\neq} 3"),
        ("✓", r"\ensuremath{\checkmark}"),
        ("é ñ ü ç ł", r"\'{e} \~{n} \"{u} \c{c} \l{}"),
        ("x\u0304 α\u0302 ά", r"\={x} \ensuremath{\hat{\alpha}} \ensuremath{\acute{\alpha}}"),
        ("“a” – b…", r"{``}a{''} {--} b\ldots{}"),
        ("中", r"{\footnotesize U+4E2D}"),
        ("a\u00a0b\u200bc", "a~bc"),
    ],
)
def test_text_is_escaped_like_this(text: str, latex: str) -> None:
    assert escaped(text) == latex


def test_formulas_go_out_as_they_are() -> None:
    assert body(Text(r"so $\frac{1}{2}x_1$ & more")) == r"so $\frac{1}{2}x_1$ \& more"
    assert body(Math(r"\alpha \le 1")) == r"\regardmath{\alpha \le 1}"


def test_a_formula_may_be_broken_at_its_wide_gaps_but_not_inside_of_something() -> None:
    whole = r"a = 1, \qquad b = \left( 2 \qquad 3 \right), \qquad c"
    parts = r"\regardpart{a = 1,}{}\regardpart{b = \left( 2 \qquad 3 \right),}{}\regardpart{c}{}"
    assert body(Math(whole)) == rf"\regardparts{{{whole}}}{{{parts}}}"


def test_a_long_formula_may_be_broken_before_its_relations_but_not_inside_of_something() -> None:
    inner = r"\sqrt{a = b} \left( c = d \right) \sum_{i=1}^n x_i"
    whole = rf"y \in {inner} \le z = w - 1 - 2 - 3 - 4 - 5 - 6 - 7"
    pieces = (
        rf"\regardpiece{{y \in {inner}}}\regardpiece{{\le z}}"
        r"\regardpiece{= w - 1 - 2 - 3 - 4 - 5 - 6 - 7}"
    )
    assert body(Math(whole)) == rf"\regardparts{{{whole}}}{{\regardpart{{{whole}}}{{{pieces}}}}}"


def test_names_in_pictures_are_formulas() -> None:
    one = Series("multiples of u_d", ("x_1", "x_2"), (1.0, 2.0))
    drawn = body(Plot("bars", "", "C", "", (one,)))
    for name in ("{$x_1$}", "{$x_2$}"):
        assert name in drawn
    several = Series("$u_d$", ("x_1", "x_2"), (-1.0, 2.0))
    drawn = body(Plot("bars", "", "C", "", (one, several)))
    for name in ("{$x_1$}", "{$x_2$}", "{multiples of $u_d$}", "{$C$}"):
        assert name in drawn


def test_what_is_no_formula_is_escaped() -> None:
    assert body(Text(r"$\input{x}$")) == r"\$\textbackslash{}input\{x\}\$"
    assert body(Prose(r"$\input{x}$")) == r"\$\textbackslash{}input\{x\}\$\par"


@pytest.mark.parametrize(
    "block",
    [
        Text,
        Heading,
        Prose,
        Code,
        lambda text: Table((text, "b"), ((text, "1"),), text),
        lambda text: Facts(((text, text),)),
        lambda text: Steps(((text, ""),)),
        lambda text: Plot("bars", text, text, text, (Series(text, (text,), (1,)),)),
        lambda text: Plot("heatmap", text, rows=((1,),), row_labels=(text,), column_labels=(text,)),
    ],
)
def test_nothing_in_a_string_is_a_command(block: type[Text]) -> None:
    latex = body(block(EVIL))
    assert not re.search(r"\\(input|write)", latex)
    assert "^^" not in latex
    assert not re.search(r"(?<!\\)%", latex)


def test_only_packages_of_three_debian_packages_are_loaded() -> None:
    # article, amsmath, fontenc, geometry, graphicx, hyperref: texlive-latex-base;
    # amssymb: texlive-base, which it needs; booktabs, xcolor: texlive-latex-recommended;
    # tikz: texlive-pictures. lmodern, bookmark and microtype are loaded only if they are there.
    latex = to_latex(Report("T", ()))
    assert set(re.findall(r"\\usepackage(?:\[[^]]*\])?\{(\w+)\}", latex)) == {
        *("amsmath", "amssymb", "booktabs", "fontenc", "geometry", "graphicx"),
        *("bookmark", "hyperref", "lmodern", "microtype", "tikz", "xcolor"),
    }
    for name in ("lmodern", "bookmark", "microtype"):
        assert rf"\IfFileExists{{{name}.sty}}" in latex


def test_a_wide_table_comes_in_parts_with_the_names_of_its_rows() -> None:
    columns = ("name", *(f"column {i:02}" for i in range(20)))
    latex = body(Table(columns, (("row", *("1.5" for _ in range(20))),), "Wide"))
    # 92 characters in a line: the name, and 8 columns of 9 with gaps of 2.
    assert latex.count(r"\begin{tabular}") == 3
    assert latex.count("Wide") == 1
    assert latex.count(r"row & 1\rlap{.5}") == 3
    for i in range(20):
        assert latex.count(f"column {i:02}") == 1


def test_lists_keep_their_nesting() -> None:
    assert body(Prose("- a\n  1. b\n\nc **d** `e_f`")).split("\n") == [
        *(r"\begin{itemize}", r"\item{}", r"a\par", r"\begin{enumerate}", r"\item{}", r"b\par"),
        *(r"\end{enumerate}", r"\end{itemize}", r"c \textbf{d} \texttt{e\_\allowbreak{}f}\par"),
    ]


def test_addresses_are_escaped() -> None:
    latex = body(Prose("[a](https://example.org/b_c?d=1&e=%20#f)"))
    assert latex == r"\href{https://example.org/b%5Fc?d=1\&e=\%20\#f}{a}\par".replace(
        "%5F", r"\%5F"
    )


FULL = Report.join(
    "Everything $x^2$ & more",
    [
        Report(
            f"Report {i} about $\\alpha_{i}$",
            (
                Prose(
                    "A *word* $x$\n\n$$\\frac{1}{2}$$\n\n"
                    + "".join("  " * k + "- a\n" for k in range(9))
                ),
                Prose(
                    "> q\n\n7. seven\n8. [eight](https://example.org/%7E#a)\n\n```\na  b\n```\n***"
                ),
                Heading("A heading with ≤ and $\\beta$"),
                Math(r"\begin{aligned} a &= b \\ &\le \sum_{i=1}^n x_i \end{aligned}"),
                Math("x" * 3000),
                Math("+".join("W" * 500)),
                Steps((("One $x$.", "x = 1"), ("[Two", ""), ("*", ""))),
                Table(("a", "b"), (("[x]", "1"), ("*", "2"), ("w " * 200, "3")), "A caption"),
                Table(("",), ()),
                Facts((("n" * 90, "v " * 90), ("[", "]"))),
                Code("def f(x):\n\treturn x ** 2  # --- ``\n" + "y" * 300, "python"),
                Plot("bars", "Bars", "x", "y", (Series("a", ("p", "q"), (1e100, -1e-100)),)),
                Plot(
                    "bars",
                    "Many",
                    "x",
                    "y",
                    (Series("", tuple("w" * 30 + str(i) for i in range(99)), (1.0,) * 99),),
                ),
                Plot(
                    "lines",
                    "Lines",
                    "x",
                    "y",
                    tuple(Series(str(i), tuple(range(2000)), tuple(range(2000))) for i in range(8)),
                ),
                Plot("lines", "One", series=(Series("", (5,), (5,)),)),
                Plot(
                    "heatmap", "Map", "x", "y", rows=((1, 2, 3), (4, 5, 6)), row_labels=("a", "b")
                ),
            ),
        )
        for i in range(3)
    ],
    (Plot("heatmap", "Large", rows=tuple(tuple(range(i, i + 100)) for i in range(100))),),
)


@pytest.mark.tools
def test_a_report_with_everything_compiles(tmp_path: Path) -> None:
    assert compile_latex(to_latex(FULL), tmp_path).read_bytes().startswith(b"%PDF")


@settings(deadline=None, derandomize=True, max_examples=60)
@given(reports(ANY_TEXT | MARKUP, drawn=True))
def test_any_report_is_ascii_without_control_characters(report: Report) -> None:
    latex = to_latex(report)
    assert latex.isascii()
    assert not re.search(r"[\0-\t\x0b-\x1f\x7f]", latex)


@pytest.mark.tools
def test_reports_of_any_strings_compile(tmp_path: Path) -> None:
    # Many reports in one document, so that pdflatex starts once.
    blocks: list[Block] = []

    @settings(deadline=None, derandomize=True, max_examples=40, database=None)
    @given(reports(ANY_TEXT | MARKUP, drawn=True))
    def collect(report: Report) -> None:
        blocks.extend([Text(report.title), *report.blocks])

    collect()
    assert {type(block) for block in blocks} >= {Text, Heading, Table, Facts, Prose, Math, Plot}
    compile_latex(to_latex(Report("Any", tuple(blocks))), tmp_path)


@pytest.mark.tools
def test_every_character_compiles(tmp_path: Path) -> None:
    ranges = [
        range(0, 0x600),
        range(0x1D00, 0x2800),
        range(0xFB00, 0xFB10),
        range(0x1D400, 0x1D800),
    ]
    characters = [chr(code) for codes in ranges for code in codes]
    lines = ["".join(characters[i : i + 60]) for i in range(0, len(characters), 60)]
    accented = "".join(a + chr(mark) for a in "aiαΣ≤1" for mark in range(0x300, 0x370))
    compile_latex(to_latex(Report("T", tuple(Text(line) for line in [*lines, accented]))), tmp_path)


def test_what_came_out_stands_out_in_the_colours_of_its_words() -> None:
    headline = Text("From [6.91]{.target} on, it is [enough]{.query}.", "headline")
    said = to_latex(Report("T", (headline,)))
    inside = (
        r"From \textcolor{regardtarget}{\bfseries 6.91} on, "
        r"it is \textcolor{regardquery}{\bfseries enough}."
    )
    assert rf"\regardheadline{{{inside}}}" in said


def test_numbers_have_a_true_minus_powers_of_ten_and_few_digits_in_tables() -> None:
    said = body(Text("from -2.5 to 7.799e-07."))
    assert r"\ensuremath{-}2.5" in said
    assert r"7.799~\ensuremath{\times}~10\textsuperscript{-}" in said
    rows = body(Table(("x", "y"), (("a", "0.000499997"), ("b", "0.288058"))))
    assert r"a & 0\rlap{.0005000}\hphantom{.0005000}" in rows
    assert r"b & 0\rlap{.2881}\hphantom{.0005000}" in rows


def test_a_log_axis_has_a_tick_for_each_power_of_ten() -> None:
    plot = Plot("lines", "", "C", "leak", (Series("", (0.0, 1.0), (1.0, 0.01)),), y_scale="log")
    drawn = body(plot)
    middle = re.search(r"at \(-0\.060,([0-9.]+)\) \{0\.1\}", drawn)
    assert middle is not None
    assert float(middle[1]) == 2.0  # 0.1 is half of the way from 0.01 to 1, of 4 centimetres


def test_a_heat_map_is_white_at_zero_blue_above_and_orange_below() -> None:
    drawn = body(Plot("heatmap", "", "", "", rows=((-2.0, 0.0, 2.0),)))
    assert r"\definecolor{shade0}{RGB}{194,65,12}" in drawn
    assert r"\definecolor{shade31}{RGB}{11,98,164}" in drawn
    shades = re.findall(r"\\color\{shade(\d+)\}\\rule", drawn)
    assert shades[0] == "0"
    assert shades[1] in ("15", "16")
    assert shades[2] == "31"


def test_an_answer_says_a_field_once() -> None:
    answer = Heading("Answer", role="answer")
    said = Math(r"q = C \left(k_a + k_b\right),\quad a\text{: true}")
    fields = Facts((("$q$", r"$C \left(k_a + k_b\right)$"), ("$a$", "true"), ("$C$", "6.9")))
    drawn = body(answer, said, fields)
    assert re.findall(r"regardsoft\}\{\$(\w)\$\}", drawn) == ["C"]
    longer = body(answer, Math("q = C k_a + k_b"), Facts((("$q$", "$C k_a$"),)))
    rounded = Math(r"K' \approx \begin{bmatrix} 1 & -0.301 \end{bmatrix}")
    for entry, names in (("-0.30117", []), ("-0.31", ["$K$"])):
        fields = Facts((("$K$", rf"$\begin{{bmatrix}} 1 & {entry} \end{{bmatrix}}$"),))
        assert (
            re.findall(r"textcolor\{regardsoft\}\{(\$\w\$)\}", body(answer, rounded, fields))
            == names
        )
    assert "regardsoft}{$q$}" in longer  # it begins as the formula does, and is another


def test_a_few_words_stay_on_the_page_of_the_table_below_them() -> None:
    wide = Table(("claim", "found"), (("so " * 60, "it is"),))
    assert r"All hold.\par\nopagebreak" in body(Text("All hold."), wide)
    narrow = Table(("i", "j"), (("1", "2"),))
    assert r"All hold.\par\nopagebreak" in body(Text("All hold."), narrow)
    assert r"\nopagebreak" not in body(Text("All hold."), Text("None fails."))


def test_items_with_letters_have_them_as_their_labels() -> None:
    drawn = body(Prose("- (a) First.\n- Second.\n- (see) it"))
    assert "\\item[(a)]\nFirst." in drawn
    assert "\\item{}\nSecond." in drawn
    assert "\\item[(see)]\nit" in drawn


def test_fractions_below_each_other_do_not_touch() -> None:
    tall = r"$\dfrac{e^x}{y}$"
    assert body(Table(("a", "b"), ((tall, "x"),))).count(r"\regardtall{") == 1
    wide = Table(("a", "b", "c"), ((tall, "so " * 40, "and " * 30), ("$x$", "", "")))
    assert body(wide).count(r"\regardtall{") == 1
