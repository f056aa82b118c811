"""Reading formulas: what people write, and what is said about what cannot be read."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

import numpy as np
import pytest

import regard
from regard.language import FormulaError, parse
from regard.language.formula.parsing import brackets, tables
from regard.language.formula.parsing.tree_builder import Builder

SPELLINGS = [
    # names
    ("alpha", [r"\alpha", "α", r"\mathbf{alpha}", r"{\alpha}", "(alpha)"]),
    ("mu_a", [r"\mu_a", "mu_{a}", "μ_a", "\N{MICRO SIGN}_a", r"\mu _ a", r"\boldsymbol{\mu}_{a}"]),
    ("epsilon", [r"\epsilon", r"\varepsilon", "ε", "ϵ", "varepsilon"]),
    ("z_3_1", ["z_{3,1}", "z_{3, 1}", "z_{3_1}", "z_3_1"]),
    ("d_model", [r"d_{\text{model}}", r"d_\mathrm{model}", r"d_{\mathrm{model}}", "d_{model}"]),
    ("x", [r"\mathbf{x}", r"\mathbf x", r"\vec{x}", r"\boldsymbol{x}", r"\mathrm{x}"]),
    ("x_1", ["x₁", "x_1", r"\mathbf{x}_1"]),
    ("W_Q", [r"\mathbf{W}_Q", "W_{Q}", "W_\\mathrm{Q}"]),
    ("omega_i", [r"\omega_i", "ω_i", r"\omega_{i}"]),
    # products
    ("C (k_a + k_b)", ["C(k_a+k_b)", "C*(k_a + k_b)", r"C\left(k_a+k_b\right)", "C × (k_a+k_b)"]),
    ("2 k_a", ["2k_a", "2*k_a", r"2\,k_a", "2 × k_a", "2·k_a", r"2 \cdot k_a"]),
    ("k_a' q", [r"k_a^T q", r"k_a^\top q", "k_a^{T}q", r"k_a^{\top} q", "k_a^Tq", "k_aᵀ q",
                "k_a.T @ q", "transpose(k_a) q", "k_a′ q", r"\mathbf{k}_a^\intercal \mathbf{q}"]),
    ("k_a · q", [r"k_a \cdot q", "k_a . q", "k_a ⋅ q"]),
    ("Q K' / sqrt(d_k)", [r"\frac{Q K^\top}{\sqrt{d_k}}", "Q K^T/√d_k", "(Q K')/√(d_k)", r"Q K' / \sqrt(d_k)"]),
    ("1/2 mu_a mu_a'", [r"\frac12 \mu_a \mu_a^\top", "½ μ_a μ_a'", "1/2 mu_a mu_a'",
                        "(1/2) mu_a mu_a'", r"\tfrac{1}{2}\mu_a\mu_a^T", "1 / 2 mu_a mu_a^T"]),
    ("1/2 (v_a + v_b)", [r"\frac{1}{2}(v_a+v_b)", "1/2(v_a+v_b)", "½(v_a + v_b)"]),
    ("5 d / 4", ["5d/4", "5 d/4", r"\frac{5d}{4}", "5*d/4"]),
    ("(a / b) c", ["(a/b)*c", "a/b*c", "(a/b) c"]),
    ("a / b / c", ["(a/b)/c"]),
    ("x / 2 - y", [r"\frac x2 - y", r"\frac{x}2 - y"]),
    ("pi / 2", [r"\frac\pi2", r"\frac{\pi}{2}", "π/2"]),
    ("a * 2^n", [r"a \cdot 2^n", "a*2^n", "a · 2^n"]),
    ("a · b c", [r"a \cdot b c", "a · (b c)"]),
    # powers
    ("M^-1", ["M^{-1}", "M⁻¹", "M^(-1)", "M**-1"]),
    ("x^2", ["x²", "x**2", "x^{2}", "x^(2)", "{x}^2"]),
    ("x^(T)", ["x^{(T)}", "x**T"]),
    ("(M^-1)'", [r"M^{-\top}", "M^{-T}", "M⁻ᵀ", "(M^{-1})^T"]),
    ("exp(-x)", ["e^{-x}", "e^-x", r"\exp(-x)", r"\mathrm{e}^{-x}", "e^(-x)"]),
    ("2 exp(C)", ["2e^C", r"2 e^{C}", r"2\exp(C)"]),
    ("pinv(S)", ["S^{+}", r"S^\dagger", "S⁺"]),
    # functions
    ("cos(omega_i T)", [r"\cos\omega_i T", r"\cos(\omega_i T)", "cos ω_i T", "cos(ω_i T)"]),
    ("cos(x) sin(y)", [r"\cos x \sin y", "cos x sin y", "cos(x)sin(y)", "cos x sin(y)"]),
    ("2 cos(x) z", ["2 cos(x) z"]),
    ("cos(x)^2", [r"\cos^2 x", "cos² x", "cos(x)^2", r"\cos^{2}x"]),
    ("log(n) + 1", [r"\ln n + 1", "ln(n) + 1", "log n + 1", r"\log(n)+1", r"\ln\left(n\right)+1"]),
    ("log((n - 2) (D - epsilon) / (2 epsilon))", [r"\ln\frac{(n-2)(D-\epsilon)}{2\epsilon}"]),
    ("log(2)", [r"\ln2", r"\ln 2"]),
    ("sqrt(2) x", [r"\sqrt2 x", "√2 x", r"\sqrt{2}x"]),
    ("softmax(s)", [r"\operatorname{softmax}(s)", r"\mathrm{softmax}\left(s\right)", r"\text{softmax}(s)"]),
    ("tr(A)", [r"\operatorname{tr}(A)", "trace(A)"]),
    ("Phi(sqrt(2))", [r"\Phi(\sqrt{2})", "Φ(√2)"]),
    ("dot(u, v)", [r"\langle u, v\rangle", "⟨u, v⟩", r"\left\langle u, v \right\rangle"]),
    ("norm(q)", ["‖q‖", r"\|q\|", "||q||", r"\lVert q\rVert", r"\left\|q\right\|", r"\|q\|_2", r"\Vert q\Vert"]),
    ("|a| |b|", ["|a||b|", "|a| * |b|", r"\lvert a\rvert \lvert b\rvert", r"\left|a\right|\left|b\right|"]),
    ("2 |(a - |b|)|", [r"2\left|a - |b|\right|", "2|(a-|b|)|"]),
    ("norm(v_a - v_b)^2", [r"\|v_a - v_b\|^2", "‖v_a−v_b‖²", "||v_a - v_b||_2^2"]),
    # brackets
    ("[1, -2, 3]", ["[1 -2 3]", "[1; -2; 3]", "(1, -2, 3)", r"\begin{bmatrix} 1 \\ -2 \\ 3 \end{bmatrix}",
                    "[1,-2,3]", r"\begin{pmatrix}1\\-2\\3\\\end{pmatrix}"]),
    ("[[1, 2], [3, 4]]", ["[1 2; 3 4]", "[1, 2; 3, 4]", "[1 2\n 3 4]", "[[1,2],[3,4]]", "[(1,2),(3,4)]",
                          r"\begin{bmatrix}1 & 2\\ 3 & 4\end{bmatrix}", "[ [1 2] [3 4] ]"]),
    ("[[a - b, c]]", [r"\begin{bmatrix} a - b & c \end{bmatrix}", "[[a - b, c]]", "[[a - b c]]"]),
    ("[cos(x) y, 2]", ["[cos(x) y, 2]"]),
    ("[[cos(w T), -sin(w T)], [sin(w T), cos(w T)]]", ["[cos(w T) -sin(w T); sin(w T) cos(w T)]"]),
    # numbers
    ("6.9e-13", [r"6.90 \times 10^{-13}", "6.9 × 10^-13", "6.9E-13", "0.69e-12"]),
    ("0.5", [".5", "0.50", "5e-1"]),
    ("2 e", ["2e", "2*e"]),
    ("inf", [r"\infty", "∞"]),
    ("I(d)", ["I_d", "I_{d}", "I(d)"]),
    ("I(d_k)", ["I_{d_k}", "I(d_k)"]),
    ("I(3)", ["I_3"]),
    ("alpha I + 1/2 mu_a mu_a'", [r"\alpha I + \frac{1}{2}\mu_a\mu_a^\top"]),
    # conditions
    ("a <= b", [r"a \le b", r"a \leq b", "a ≤ b", r"a \leqslant b"]),
    ("a != b", [r"a \ne b", r"a \neq b", "a ≠ b"]),
    ("a = b", ["a == b"]),
    ("0 < a < 1", [r"0 \lt a \lt 1", "0<a<1"]),
    ("a < b and not (c > d or e = 1)", [r"a < b \land \lnot (c > d \lor e = 1)",
                                        r"a<b \text{ and } \text{not } (c>d \text{ or } e=1)"]),
    ("w_i B / 2 <= pi / 2", [r"w_i B/2 \le \pi/2"]),
    ("s_j - s_i >= log((n - 1) (1 - epsilon) / epsilon)",
     [r"s_j - s_i \ge \ln\frac{(n-1)(1-\varepsilon)}{\varepsilon}"]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("canonical", "text"), [(canonical, text) for canonical, texts in SPELLINGS for text in texts]
)
def test_every_spelling_is_read_as_the_same_formula(canonical: str, text: str) -> None:
    formula = parse(text)
    np.testing.assert_equal(str(formula), canonical)
    assert formula == parse(canonical)
    np.testing.assert_equal(formula.text, text)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a - b - c", "a - (b - c)"),
        ("a - b + c", "a - (b + c)"),
        ("-x^2", "(-x)^2"),
        ("a b / c", "a (b / c)"),
        ("a + b c", "(a + b) c"),
        ("2^(n + 1)", "2^n + 1"),
        ("u' v", "u v'"),
        ("k_a · q", "k_a q"),
        ("cos(x) y", "cos(x y)"),
        ("cos x y", "cos(x) y"),
        ("not a < b and c < d", "not (a < b and c < d)"),
        ("a < b or c < d and x < y", "(a < b or c < d) and x < y"),
        ("[1 - 2]", "[1 -2]"),
        ("[[1, 2]]", "[1, 2]"),
        ("abs(x)", "|x|"),
        ("ab", "a b"),
        ("x^T", "x^(T)"),
    ],
)
def test_formulas_that_differ_are_told_apart(one: str, other: str) -> None:
    assert parse(one) != parse(other)


def test_the_names_of_a_formula_are_those_that_are_free() -> None:
    formula = parse(r"alpha I + I_d exp(\beta) pi e^{x} - cos(T) mu_{a}^T")
    np.testing.assert_equal(set(formula.names), {"alpha", "d", "beta", "x", "T", "mu_a"})


def test_a_definition_has_two_sides() -> None:
    formula = parse("q = C(k_a + k_b)")
    np.testing.assert_equal([str(side) for side in formula.sides], ["q", "C (k_a + k_b)"])
    np.testing.assert_equal(formula.relations, ("=",))
    assert formula.is_condition
    assert not formula.sides[1].is_condition
    np.testing.assert_equal([str(side) for side in parse("0 < a <= 1").sides], ["0", "a", "1"])
    np.testing.assert_equal([str(side) for side in parse("a + 1").sides], ["a + 1"])


def test_a_formula_can_be_put_in_the_place_of_a_name() -> None:
    formula = parse("q' k / 2").substitute({"q": parse("C (a + b)"), "k": parse("-k")})
    assert formula == parse("(C (a + b))' (-k) / 2")
    np.testing.assert_equal(formula.text, "(C (a + b))' (-k) / 2")


REFUSED = [
    ("", "The formula is empty.", 0),
    ("  ", "The formula is empty.", 0),
    ("1 +", "The formula ends after +, where a value must follow.", 3),
    ("a + * b", "A value is missing before this *.", 4),
    ("()", "A value is missing before this ).", 1),
    ("a + ) b", "This ) closes nothing: leave it out, or open it.", 4),
    ("(a + b", "This ( is never closed: ) is missing.", 0),
    ("[1, 2)", "[ is closed by ): write ].", 5),
    ("a, b", ", can only separate the entries of [a, b] or the arguments of a function. A list stands in brackets. What is said about a factor, such as C >= 10, goes into a field of its own.", 1),
    ("(, b)", "A value is missing before this ,.", 1),
    ("a ; b", "; can only separate the rows of [a, b; c, d].", 2),
    ("a & b", "& can only separate the entries of a matrix between \\begin{bmatrix} and \\end{bmatrix}. A sum is written with +.", 2),
    ("x 2", "A number cannot follow a value directly: write * between the two, or ^ for a power.", 2),
    ("torch.log(2)", "Functions have no torch before them: write log(x), sqrt(x) or dot(u, v).", 5),
    ("a + scipy.pi", "Functions have no scipy before them: write log(x), sqrt(x) or dot(u, v).", 9),
    ("x 1/2 y", "A number cannot follow a value directly: write * between the two, or ^ for a power.", 2),
    ("a^b^c", "Two powers in a row can be read in two ways: write (a^b)^c or a^(b^c).", 3),
    (r"\cos^{-1} x", "A negative power of cos can be read in two ways: write 1 / cos(x).", 4),
    ("cos", "cos needs an argument: write cos(x).", 3),
    ("cos + 1", "cos needs an argument: write cos(x).", 4),
    ("exp -x", "exp needs an argument: write exp(x).", 4),
    ("norm' x", "norm needs an argument: write norm(x).", 4),
    ("dot(u)", "dot takes two arguments, as in dot(u, v). Here it has 1.", 0),
    ("2 + exp(a, b)", "exp takes one argument, as in exp(x). Here it has 2.", 4),
    ("I(2, 3)", "I takes one size, as in I(3) or I(d).", 0),
    ("I(tr(I(3)))", "I takes one size, as in I(3) or I(d).", 0),
    ("a -> 0", "An arrow says no number, and belongs to a limit such as alpha -> 0: write a formula, or how much is enough, as in a - b >= 10.", 2),
    (r"a \to 0", "An arrow says no number, and belongs to a limit such as alpha -> 0: write a formula, or how much is enough, as in a - b >= 10.", 2),
    ("a => b", "=> is not a relation: write >=.", 2),
    ("a >> b", ">> says no number: write how much is enough, as in a - b >= 10 or abs(a - b) <= 0.01.", 2),
    (r"a \approx b",
     r"\approx says no number: write how much is enough, as in a - b >= 10 or abs(a - b) <= 0.01.", 2),
    ("a ≫ b", "≫ says no number: write how much is enough, as in a - b >= 10 or abs(a - b) <= 0.01.", 2),
    ("1 + (a < b)",
     "A comparison is true or false and cannot be calculated with: only and, or and not go with it.", 4),
    ("a and b < c", "and, or and not join comparisons such as a < b, and this is a value.", 0),
    ("a < b not c < d", "not stands before a comparison, as in not a < b.", 6),
    ("[1, 2; 3]", "The rows of a matrix must have the same number of entries: the first has 2, this one 1.", 7),
    ("[[1, 2], [3]]", "The rows of a matrix must have the same number of entries: the first has 2, this one 1.", 9),
    ("[1, [2, 3]]", "The entries in brackets must be scalars, and here are brackets in brackets. "
     "A matrix is written [[a, b], [c, d]].", 4),
    (r"\sum_{i} x_i", r"\sum with an index is not part of the language: sum(x) adds the entries of x, as in sum(exp(s)) - exp(s_j).", 0),
    (r"\log_2 n", r"\log with an index is not part of the language: log(x) takes no index.", 0),
    ("3!", "There is no factorial here; for 'not equal' write !=.", 1),
    (r"\bar{v}", r"\bar is not part of a name here: write v, or the name that the problem has, such as vbar.", 0),
    (r"\hat{k}_a", r"\hat is not part of a name here: write k_a, or the name that the problem has, such as khat.", 0),
    (r"\bar{v + u}", r"\bar is not part of a name here: write a name such as v_bar.", 0),
    ("2 k[a]", "Entries are not picked by brackets here: write k_a for one, or leave a space to multiply.", 3),
    ("Transpose[S] S", "Entries are not picked by brackets here: write transpose(S) for one, or leave a space to multiply.", 9),
    ("Q.K'", "A point does not multiply: write Q K, with a space.", 1),
    ("(Q + Q).K", "A point does not multiply: write a space for the product of two matrices.", 7),
    ("1 1/2 k", "1 1/2 can be read in two ways: write 3/2 for the sum of the two.", 2),
    ("1.048.576", "A number has one point in it, and nothing between its thousands.", 5),
    (r"\sum_i s_i s_i^\top", r"\sum with an index is not part of the language: a sum of products x_i x_i' is X X', with the x_i as columns of X.", 0),
    ("x_{i+1}", "An index is made of letters, digits and commas, as in x_{2i} or z_{3,1}.", 1),
    ("_x", "A name begins with a letter, and each _ in it is followed by a letter or a digit.", 0),
    (r"\begin{vmatrix} a \end{vmatrix}",
     r"Of what \begin can take, only matrix, bmatrix and pmatrix are known.", 0),
    (r"\left\{ a \right\}", r"\left must be followed by a bracket or a bar.", 0),
    ("a $ b", "$ is not part of the formula language.", 2),
    ("a \\", "A \\ begins a command such as \\alpha or \\frac, and here none follows.", 2),
    ("2 x[1]", "Entries are not picked by brackets here: write a name such as x_1 for one, or leave a "
     "space to multiply.", 3),
    ("pi_a", "pi_a cannot be a name: pi has a meaning of its own.", 0),
    ("1 + |a", "This | is never closed.", 4),
    ("(‖a) b", "This ‖ is never closed.", 1),
    ("a + b [", "This [ is never closed: ] is missing.", 6),
    ("a b c /", "The formula ends after /, where a value must follow.", 7),
    ("2 + and", "A value is missing before this and.", 4),
    (r"\frac{1}", "The formula ends here, where something must follow.", 8),
    ("I_2A", "I_2A: a size is a number or a name, and 2A is none.", 0),
    ("I_dot", "I_dot: a size is a number or a name, and dot is none.", 0),
    ("I_I", "I_I: a size is a number or a name, and I is none.", 0),
    (r"\frac.2C", "A number cannot follow a value directly: write * between the two, or ^ for a "
     "power.", 5),
    (r"\foo + 1", r"\foo is not a command of the formula language.", 0),
]  # fmt: skip


@pytest.mark.parametrize(("text", "reason", "column"), REFUSED)
def test_what_cannot_be_read_is_refused_with_the_place(text: str, reason: str, column: int) -> None:
    with pytest.raises(FormulaError) as caught:
        parse(text)
    np.testing.assert_equal(caught.value.reason, reason)
    np.testing.assert_equal(caught.value.column, column)
    np.testing.assert_equal(caught.value.text, text)
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, regard.RegardError)


def test_a_caret_stands_below_the_place() -> None:
    with pytest.raises(FormulaError) as caught:
        parse("alpha + a / b c").evaluate({"alpha": 1.0, "a": 2.0, "b": 3.0, "c": 5.0})
    np.testing.assert_equal(
        str(caught.value),
        "What stands under this / is not clear: write (a / b) c or a / (b c).\n"
        "  alpha + a / b c\n"
        "            ^",
    )


@pytest.mark.parametrize("text", [None, 3, b"x", ["x"]])
def test_only_text_is_a_formula(text: object) -> None:
    with pytest.raises(FormulaError) as caught:
        parse(text)  # type: ignore[arg-type]
    np.testing.assert_equal(
        caught.value.reason, f"A formula is text, and this is {type(text).__name__}."
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            r"C k_a - \ln 2 (k_b + k_c)",
            r"\ln can be read in two ways here: write \ln(2) x for a product, or \ln(2 x) for the logarithm of one.",
        ),
        (
            "log 2 n",
            "log can be read in two ways here: write log(2) x for a product, or log(2 x) for the logarithm of one.",
        ),
        (
            "C (k_a + k_b), C >= 10",
            ", can only separate the entries of [a, b] or the arguments of a function. A list stands in brackets. What is said about a factor, such as C >= 10, goes into a field of its own.",
        ),
        (
            "softmax(s)_j >= 1/2",
            "An entry of an expression is not picked by an index: write it out, such as exp(s_j) / sum(exp(s)) for softmax(s)_j.",
        ),
    ],
)
def test_what_people_write_is_answered_with_the_fix(text: str, words: str) -> None:
    with pytest.raises(FormulaError) as error:
        parse(text)
    assert str(error.value).splitlines()[0] == words


@pytest.mark.parametrize("text", ["$C (k_a + k_b)$", " $$C (k_a + k_b)$$ ", "log(2) n", r"\ln n R"])
def test_dollars_around_a_formula_and_logarithms_that_are_clear_are_read(text: str) -> None:
    plain = {"log(2) n": "log(2) n", r"\ln n R": "log(n R)"}.get(text, "C (k_a + k_b)")
    assert str(parse(text)) == plain


def test_the_tables_of_the_parser_are_those_of_the_grammar() -> None:
    """If not: python -m regard.language.formula.parsing.tables."""
    there = (resources.files("regard.language.formula.parsing") / tables.FILE).read_text("utf-8")
    one, other = json.loads(there), json.loads(tables.work_out())
    assert one["made_of"] == other["made_of"]
    assert _lexer(one) == _lexer(other)
    # lark numbers states as sets yield them: walk through both automata side by side.
    (first,), (second,) = (
        t["data"]["parser"]["parser"]["start_states"].values() for t in (one, other)
    )
    same = {first: second}
    left = [first]
    while left:
        state = left.pop()
        mine, theirs = _actions(one, state), _actions(other, same[state])
        assert mine.keys() == theirs.keys()
        for token, (reduces, to) in mine.items():
            also_reduces, also_to = theirs[token]
            assert reduces == also_reduces
            if reduces:
                assert one["memo"][str(to["@"])] == other["memo"][str(also_to["@"])]
            elif to not in same:
                same[to] = also_to
                left.append(to)
            else:
                assert same[to] == also_to
    assert len(same) == len(one["data"]["parser"]["parser"]["states"])


def _actions(table: dict[str, Any], state: int) -> dict[str, Any]:
    """What a state does at each token, by its name."""
    automaton = table["data"]["parser"]["parser"]
    actions = automaton["states"][str(state)]
    return {automaton["tokens"][number]: do for number, do in actions.items()}


def _lexer(table: dict[str, Any]) -> list[dict[str, Any]]:
    places = table["data"]["parser"]["lexer_conf"]["terminals"]
    return sorted((table["memo"][str(place["@"])] for place in places), key=lambda one: one["name"])


def test_another_grammar_than_that_of_the_tables_is_built_anew(monkeypatch: Any) -> None:
    def used(*given: Any, **more: Any) -> None:
        pytest.fail("the tables are those of another grammar")

    monkeypatch.setattr(tables, "GRAMMAR", f"{tables.GRAMMAR}\n// another\n")
    monkeypatch.setattr("lark.Lark._load_from_dict", used)
    assert tables.parser(brackets.Places(), Builder()).parse("a == b")


def test_a_word_that_joins_conditions_is_no_name_in_bold_either() -> None:
    with pytest.raises(FormulaError, match="and cannot be a name"):
        parse(r"\sqrt{A} \mathbf{and}")


@pytest.mark.parametrize("text", [r"\mathbf{1}", r"c \mathbf 1", r"\frac{1}{N} \mathbf{1}^\top u"])
def test_a_bold_one_is_a_name_that_is_read_back(text: str) -> None:
    formula = parse(text)
    assert "ones_vector" in formula.names
    assert parse(str(formula)) == parse(formula.to_latex()) == formula
