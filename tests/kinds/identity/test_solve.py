"""Formulas found and shown: by rules, verified, and refuted where they are wrong."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from regard.errors import InvalidProblem
from regard.kinds.identity.explain.positivity import positive
from regard.language import parse
from regard.problems import from_dict, load
from regard.report import Plot, Table, to_html_page, to_latex, to_text
from regard.solving import Solution, Status, solve, variant

IDS = (
    "stack-into-matrices",
    "scores-as-a-product",
    "outputs-as-a-product",
    "weights-are-a-distribution",
    "weights-as-probabilities",
)
QK = {"shapes": {"Q": ["n", "d"], "K": ["m", "d"], "V": ["m", "w"]}}
QKV = {**QK, "rows": {"q": "Q", "k": "K", "v": "V"}}
XW = {"shapes": {"X": ["n", "d"], "W": ["k", "d"], "U": ["d", "k"]}, "rows": {"x": "X"}}


def problem(given: dict[str, Any], *claims: dict[str, Any]) -> Any:
    head = {"schema": 1, "id": "p", "title": "p", "kind": "identity", "statement": "p"}
    return from_dict({**head, "given": given, "goal": {"claims": list(claims)}})


def draw(given: Any, sizes: dict[str, int], rng: np.random.Generator) -> dict[str, Any]:
    """Matrices of small whole numbers."""
    return {
        name: rng.integers(-2, 3, [sizes[size] for size in shape]).astype(float)
        for name, shape in given.shapes.items()
    }


def softmax(rows: np.ndarray) -> np.ndarray:
    powers = np.exp(rows - rows.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def meaning(name: str, answer: dict[str, Any], given: Any, values: dict[str, Any]) -> None:
    """Compare an answer with what the parts are, written with NumPy's own loops."""

    def formula(text: str, **more: Any) -> Any:
        return np.asarray(parse(text).evaluate({**values, **more}))

    if name == IDS[0]:
        for letter in "QKV":
            rows = [values[f"W_{letter}"].T @ x for x in values["X"]]
            np.testing.assert_allclose(formula(answer[letter]), rows)
    elif name == IDS[1]:
        entries = [[q @ k for k in values["K"]] for q in values["Q"]]
        np.testing.assert_allclose(formula(answer["Z"]), entries)
    elif name == IDS[2]:
        A = softmax(values["Q"] @ values["K"].T)
        rows = [sum(a * v for a, v in zip(row, values["V"], strict=True)) for row in A]
        np.testing.assert_allclose(formula(answer["C"], A=A), rows)
    else:
        scores = values["s"] if "s" in values else values["K"] @ values["q"]
        np.testing.assert_allclose(formula(answer["alpha"]), softmax(scores), rtol=1e-12)
        np.testing.assert_allclose(formula(answer["total"]), 1.0, rtol=1e-12)


@pytest.mark.parametrize("name", IDS)
def test_an_identity_is_shown_and_proved(name: str) -> None:
    solution = solve(name)
    assert solution.verdict is Status.PROVED, str(solution.verification)
    assert 2 <= len(solution.mistakes) <= 4
    assert 4 <= len(solution.steps) <= 8
    assert len([block for block in solution.details if isinstance(block, Plot)]) == 1
    report = solution.report()
    for render in (to_text, to_html_page, to_latex):
        assert "Often got wrong" in render(report)
    json.dumps(solution.to_dict())
    rng = np.random.default_rng(1)
    given = load(name).given
    primes = dict(zip(sorted(given.size_names), (5, 3, 7, 2), strict=False))
    for _ in range(5):
        meaning(name, dict(solution.answer), given, draw(given, primes, rng))


def test_rows_are_stacked_into_products_with_their_sizes() -> None:
    solution = solve(IDS[0])
    assert solution.answer == {
        "Q": "X W_Q",
        "K": "X W_K",
        "V": "X W_V",
        "shapes": {"Q": ["N", "D_K"], "K": ["N", "D_K"], "V": ["N", "D_V"]},
    }
    sizes = solution.steps[-1][1]
    assert r"Q: (N \times D)(D \times D_K) \to N \times D_K = 3 \times 3" in sizes
    assert r"V: (N \times D)(D \times D_V) \to N \times D_V = 3 \times 2" in sizes


def test_the_example_of_the_document_is_shown_in_numbers() -> None:
    for name, rows in (
        (IDS[0], ["(2, 3, -5)", "(-1, 0, -2)", "(1, -2, 8)"]),
        (IDS[1], ["(-17, -5, 23)", "(4, -2, 2)", "(2, 8, -20)"]),
        (IDS[2], ["(8, -18)", "(15, 21.59)", "(-7.941, 0.06676)"]),
    ):
        tables = [block for block in solve(name).details if isinstance(block, Table)]
        both = next(table for table in tables if "from its definition" in table.columns)
        assert [row[1] for row in both.rows] == rows
        assert [row[2] for row in both.rows] == rows


@pytest.mark.parametrize(
    ("given", "claim", "found"),
    [
        (XW, {"part": "row i", "equals": "W x_i"}, "X W'"),
        (XW, {"part": "row i", "equals": "U' x_i"}, "X U"),
        (XW, {"part": "row i", "equals": "(x_i' U)'"}, "X U"),
        (XW, {"part": "row i", "equals": "2 W x_i - U' x_i"}, "2 (X W') - X U"),
        (XW, {"part": "row i", "equals": "U W x_i / k"}, "X W' U' / k"),
        (XW, {"part": "entry i j", "equals": "(W x_i)' (U' x_j)"}, "X W' U' X'"),
        (QKV, {"part": "entry i j", "equals": "k_j' q_i"}, "Q K'"),
        (QKV, {"part": "entry i j", "equals": "dot(q_i, k_j) / sqrt(d)"}, "Q K' / sqrt(d)"),
        (QKV, {"part": "entry i j", "equals": "exp(q_i' k_j)"}, "exp(Q K')"),
        (QKV, {"part": "row i", "equals": "softmax(K q_i)"}, "softmax(Q K')"),
        (QKV, {"part": "row i", "equals": "V' softmax(K q_i)"}, "softmax(Q K') V"),
        (QKV, {"part": "row i", "equals": "q_i' k_j v_j", "over": "j"}, "Q K' V"),
        (QKV, {"part": "row i", "equals": "v_j k_j' q_i", "over": "j"}, "Q K' V"),
        (QKV, {"part": "row i", "equals": "exp(q_i' k_j) v_j / m", "over": "j"}, "exp(Q K') V / m"),
        (QKV, {"equals": "k_j v_j'", "over": "j"}, "K' V"),
        (QKV, {"equals": "outer(v_j, k_j)", "over": "j"}, "V' K"),
        (QKV, {"equals": "k_j' k_j / m", "over": "j"}, "tr(K K') / m"),
    ],
)
def test_the_whole_is_found_from_a_part_and_proved(
    given: dict[str, Any], claim: dict[str, Any], found: str
) -> None:
    solution = solve(problem(given, {"name": "F", **claim}))
    assert solution.verdict is Status.PROVED, str(solution.verification)
    assert solution.answer == {"F": found}
    assert len(solution.steps) >= 2
    # The parts again, with NumPy: every row or entry by itself.
    rng = np.random.default_rng(2)
    sizes = {"n": 3, "d": 2, "k": 5, "m": 7, "w": 11}
    shapes = {name: [sizes[size] for size in shape] for name, shape in given["shapes"].items()}
    values: dict[str, Any] = {
        name: rng.integers(-1, 2, shape) / 2 for name, shape in shapes.items()
    }
    values |= {name: float(size) for name, size in sizes.items()}
    equals = parse(claim["equals"])

    def at(i: int, j: int) -> Any:
        names = dict(values)
        for letter, matrix in given["rows"].items():
            names[f"{letter}_i"] = values[matrix][min(i, len(values[matrix]) - 1)]
            names[f"{letter}_j"] = values[matrix][min(j, len(values[matrix]) - 1)]
        return np.asarray(equals.evaluate({name: names[name] for name in equals.names}))

    rows, columns = 3, 3 if given is XW else 7
    part = claim.get("part", "whole")
    if part == "entry i j":
        wanted = [[at(i, j) for j in range(columns)] for i in range(rows)]
    elif "over" in claim:
        wanted = [sum(at(i, j) for j in range(columns)) for i in range(rows)]
        wanted = wanted if part == "row i" else wanted[0]
    else:
        wanted = [at(i, 0) for i in range(rows)]
    np.testing.assert_allclose(parse(found).evaluate(values), wanted, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    ("given", "claim"),
    [
        (QKV, {"part": "entry i j", "equals": "q_i' k_j", "formula": "(K Q')'"}),
        (QKV, {"part": "row i", "equals": "q_i' k_j v_j", "over": "j", "formula": "Q (K' V)"}),
        (QK, {"equals": "K Q'", "formula": "(Q K')'"}),
        (QK, {"equals": "tr(K' K)", "formula": "tr(K K')"}),
        ({"shapes": {"s": ["n"]}}, {"equals": "softmax(s)", "formula": "exp(s) / sum(exp(s))"}),
        ({"shapes": {"s": ["n"]}}, {"equals": "1", "formula": "sum(exp(s)) / sum(exp(s))"}),
    ],
)
def test_a_true_formula_is_shown(given: dict[str, Any], claim: dict[str, Any]) -> None:
    solution = solve(problem(given, {"name": "F", **claim}))
    assert solution.verdict is Status.PROVED, str(solution.verification)
    assert solution.answer == {"F": claim["formula"]}


def rotation(angle: str) -> str:
    return f"[[cos({angle}), -sin({angle})], [sin({angle}), cos({angle})]]"


KNOWN: dict[str, tuple[dict[str, Any], str, str, str]] = {
    "a distance written out": (
        {"shapes": {"q": ["d"], "k": ["d"]}},
        "norm(q - k)^2",
        "norm(q)^2 - 2 q' k + norm(k)^2",
        "sum of the squares",
    ),
    "two-dimensional rotary": (
        {
            "shapes": {"q": [2], "k": [2], "m": [], "n": [], "w": []},
            "define": {"R": rotation("m w"), "S": rotation("n w"), "T": rotation("(n - m) w")},
        },
        "(R q)' (S k)",
        "q' T k",
        "cosine and the sine of a sum",
    ),
    "two-dimensional rotary, in numbers of the old form": (
        {
            "shapes": {one: ["one"] for one in "abxyzw"},
            "define": {
                "q": "[sum(x), sum(y)]",
                "k": "[sum(z), sum(w)]",
                "R": rotation("sum(a)"),
                "S": rotation("sum(b)"),
                "T": rotation("sum(b) - sum(a)"),
            },
        },
        "(R q)' (S k)",
        "q' T k",
        "cosine and the sine of a sum",
    ),
    "the sinusoidal shift": (
        {"shapes": {"t": [], "T": [], "w": []}},
        "[sin(w (t + T)), cos(w (t + T))]",
        "[[cos(w T), sin(w T)], [-sin(w T), cos(w T)]] [sin(w t), cos(w t)]",
        "cosine and the sine of a sum",
    ),
    "two keys as a sigmoid": (
        {"shapes": {"q": ["d"], "k_1": ["d"], "k_2": ["d"]}},
        "softmax([q' k_1, q' k_2])",
        "[1 / (1 + exp(q' (k_2 - k_1))), 1 / (1 + exp(q' (k_1 - k_2)))]",
        "power of $e$",
    ),
    "a shift of all keys": (
        {"shapes": {"q": ["d"], "K": [3, "d"], "u": ["d"]}},
        "softmax((K + [1, 1, 1] u') q)",
        "softmax(K q)",
        "common factor",
    ),
    "a shift of any number of keys": (
        {"shapes": {"q": ["d"], "K": ["n", "d"], "u": ["d"]}},
        "softmax((K + exp(0 K q) u') q)",
        "softmax(K q)",
        "common factor",
    ),
    "a fixed permutation matrix": (
        {
            "shapes": {"q": ["d"], "K": [3, "d"], "V": [3, "w"]},
            "define": {"P": "[[0, 1, 0], [0, 0, 1], [1, 0, 0]]"},
        },
        "(P V)' softmax(P K q)",
        "V' softmax(K q)",
        "another order",
    ),
}


@pytest.mark.parametrize("name", KNOWN)
def test_a_known_identity_is_proved_for_all_sizes_and_says_why(name: str) -> None:
    given, formula, equals, reason = KNOWN[name]
    solution = solve(problem(given, {"name": "F", "formula": formula, "equals": equals}))
    assert solution.verdict is Status.PROVED, str(solution.verification)
    (proof,) = solution.certificate.claims  # which is what was asked
    assert (proof.kind, proof.fields["left"], proof.fields["right"]) == (
        "identity",
        formula,
        equals,
    )
    assert (proof.fields["chance"], proof.fields["sizes"]) == (0, None)
    assert any(reason in sentence for sentence, _ in solution.steps)
    assert "Written out" in solution.steps[-1][0] or "every angle" in solution.steps[-1][0]
    to_html_page(solution.report())


def test_a_proof_for_some_sizes_says_which() -> None:
    given = {"shapes": {"A": ["n", "n"], "B": ["n", "n"]}}
    claim = {"name": "F", "formula": "(A B)^-1", "equals": "B^-1 A^-1"}
    solution = solve(problem(given, claim))
    assert solution.verdict is Status.ARGUED
    assert solution.verification.holds
    assert solution.steps[-1][0] == (
        "It is proved for the sizes n = 3; n = 2. A proof for all sizes is missing."
    )
    assert solution.headline.startswith(r"\text{proved for some sizes: }")


def test_what_is_tested_says_so() -> None:
    names = {one: [] for one in "abcdfgxy"}
    total = " + ".join(names)
    claim = {"name": "F", "formula": f"({total})^8", "equals": f"({total})^4 ({total})^4"}
    solution = solve(problem({"shapes": names}, claim))
    assert solution.verdict is Status.ARGUED
    assert solution.verification.holds
    assert solution.steps[-1][0] == (
        "It was tested at drawn numbers, which a wrong equation passes with a chance below 1e-30. "
        "A proof is missing."
    )


def test_what_is_neither_proved_nor_refuted_says_what_is_known() -> None:
    given = {"shapes": {"a": [], "b": [], "c": []}}
    claim = {"name": "F", "formula": "max(a, b, c)", "equals": "max(max(a, b), c)"}
    solution = solve(problem(given, claim))
    assert solution.verdict is Status.UNDECIDED
    assert solution.steps[0][0].startswith("Written out in symbols, not all terms cancel")
    assert "to 150 digits wherever both are defined" in solution.steps[1][0]
    assert "neither proved nor refuted" in solution.steps[2][0]
    claim = {"name": "F", "formula": "log(a)", "equals": "log(-a)"}
    solution = solve(problem(given, claim))
    assert solution.verdict is Status.UNDECIDED
    assert "For none of the numbers" in solution.steps[1][0]


def test_a_fixed_size_that_is_large_is_proved_like_all_sizes() -> None:
    given = {"shapes": {"A": [32, 32], "v": [32]}}
    claim = {"name": "F", "formula": "A^3 v", "equals": "A (A A v)"}
    assert solve(problem(given, claim)).verdict is Status.PROVED


@pytest.mark.parametrize(
    ("given", "claim"),
    [
        ({"shapes": {"x": []}}, {"equals": "1.0000000001 x", "formula": "x"}),
        ({"shapes": {"x": []}}, {"equals": "abs(x)", "formula": "x"}),
        ({"shapes": {"u": [3]}}, {"equals": "sum(u)", "formula": "[1, 1, 2]' u"}),
        (
            {"shapes": {"a": [], "b": []}},
            {"equals": rotation("a - b"), "formula": f"{rotation('a')} {rotation('b')}"},
        ),
        (
            {"shapes": {"Q": ["n", "d"], "K": ["n", "d"]}, "rows": {"q": "Q", "k": "K"}},
            {"part": "entry i j", "equals": "q_i' k_j", "formula": "K Q'"},
        ),
        (
            {"shapes": {"A": ["n", "n"], "V": ["n", "w"]}, "rows": {"a": "A", "v": "V"}},
            {"part": "row i", "equals": "a_i_j v_j", "over": "j", "formula": "A' V"},
        ),
        ({"shapes": {"A": ["n", "n"], "B": ["n", "n"]}}, {"equals": "B A", "formula": "A B"}),
        ({"shapes": {"S": ["m", "n"]}}, {"equals": "1", "formula": "sum(softmax(S))"}),
        (
            {"shapes": {"V": ["m", "w"]}, "rows": {"v": "V"}},
            {"equals": "v_j v_j' / (m + w)", "over": "j", "formula": "V' V / (m - w)"},
        ),
        ({"shapes": {"s": ["n"]}}, {"relation": ">", "equals": "0", "formula": "s"}),
        ({"shapes": {"x": []}}, {"relation": ">", "equals": "0", "formula": "x"}),
        ({"shapes": {"s": ["n"]}}, {"relation": ">", "equals": "1", "formula": "exp(s)"}),
        (
            {"shapes": {"Q": ["n", "d"]}, "define": {"A": "softmax(Q Q')"}, "rows": {"q": "Q"}},
            {"part": "row i", "equals": "q_i", "formula": "A Q"},
        ),
    ],
)
def test_a_false_formula_is_refuted_by_an_instance(
    given: dict[str, Any], claim: dict[str, Any]
) -> None:
    solution = solve(problem(given, {"name": "F", **claim}))
    assert solution.verdict is Status.IMPOSSIBLE, str(solution.verification)
    assert solution.answer == {}
    assert r"\text{not true: }" in solution.headline
    assert solution.steps[0][0]
    to_html_page(solution.report())


def test_the_numbers_of_a_counterexample_are_shown() -> None:
    # Right in the example, and wrong elsewhere.
    given = {"shapes": {"u": ["n"]}, "example": {"u": [2, 0]}}
    claim = {"name": "F", "formula": "sum(u)", "equals": "norm(u)"}
    solution = solve(problem(given, claim))
    assert solution.verdict is Status.IMPOSSIBLE
    (proof,) = solution.certificate.claims
    assert proof.kind == "identity_fails"
    shown = proof.witness["values"]["u"]
    assert sum(shown) != np.linalg.norm(shown)
    table = next(block for block in solution.details if isinstance(block, Table))
    assert [float(cell) for cell in table.rows[0][1:]] == shown
    assert "(drawn)" in table.caption


@pytest.mark.parametrize(
    ("formula", "equals"),
    [
        ("softmax(s)", "0"),
        ("exp(s) / sum(exp(s))", "0"),
        ("sum(exp(s)) / 2", "0"),
        ("1 + exp(s' s)", "1"),
        ("s' s + 1", "0"),
        ("sqrt(exp(s)) + abs(s)", "0"),
        ("norm(s)^2 + pi", "0"),
        ("softmax(s s')", "0"),
    ],
)
def test_positive_formulas_are_shown_to_be(formula: str, equals: str) -> None:
    claim = {"name": "F", "relation": ">", "equals": equals, "formula": formula}
    solution = solve(problem({"shapes": {"s": ["n"]}}, claim))
    assert solution.verdict is Status.PROVED, str(solution.verification)
    assert solution.steps


def test_the_square_of_a_matrix_is_not_taken_to_be_positive() -> None:
    shapes = {"M": ("n", "n"), "c": ()}
    assert positive(parse("M^2 + exp(M)").tree, shapes) is None
    assert positive(parse("c^2 + exp(c)").tree, shapes) is not None


def test_a_mistake_is_shown_with_the_numbers_of_the_example() -> None:
    given = {"shapes": {"s": ["n"]}, "example": {"s": [5, -1, -3]}}
    claim = {"name": "F", "relation": ">", "equals": "0", "formula": "softmax(s)"}
    text = solve(problem(given, claim)).mistakes[0]
    e = np.exp([5.0, -1.0, -3.0])
    assert r"F = \frac{s}{\operatorname{sum}\left(s\right)}" in text  # 5/(5 - 1 - 3), ...
    assert f"Entry 1 of F is 5 and must be {(e / e.sum())[0]:.6g}" in text


@pytest.mark.parametrize(
    "claim",
    [
        {"part": "row i", "equals": "x_i + b"},  # needs a column of ones
        {"part": "row i", "equals": "x_i / (x_i' x_i)"},
        {"part": "row i", "equals": "U' x_i", "shape": ["k", "n"]},
        {"relation": ">", "equals": "b", "formula": "exp(b)"},  # so, but not by signs
    ],
)
def test_what_no_rule_leads_to_is_undecided_and_says_where_it_ends(claim: dict[str, Any]) -> None:
    given = {**XW, "shapes": {**XW["shapes"], "b": ["d"]}}
    solution = solve(problem(given, {"name": "F", **claim}))
    assert solution.verdict is Status.UNDECIDED
    assert solution.answer == {}
    to_html_page(solution.report())


def test_weights_of_two_lengths_are_verified_together() -> None:
    first = {"name": "a", "relation": ">", "equals": "0", "formula": "softmax(s)"}
    second = {"name": "b", "equals": "1", "formula": "sum(softmax(t))"}
    solution = solve(problem({"shapes": {"s": ["n"], "t": ["m"]}}, first, second))
    assert solution.verdict is Status.PROVED
    assert len(solution.certificate.claims) == 2


def test_a_mistake_that_the_sizes_of_the_example_hide_is_found_by_its_numbers() -> None:
    (first, *_) = solve(IDS[1]).mistakes  # K' Q is 3 × 3 as well
    assert r"K^\top Q" in first
    K = np.array([[-6, 0, 1], [0, 0, 1], [4, 0, -3]])
    Q = np.array([[2, 3, -5], [-1, 0, -2], [1, -2, 8]])
    assert f"Entry 1, 3 of Z is {(K.T @ Q)[0, 2]} and must be {(Q @ K.T)[0, 2]}" in first


def test_a_certificate_of_another_formula_fails() -> None:
    from regard.certify import Certificate, Claim, verify

    for name in IDS[:3]:
        claim = solve(name).certificate.claims[0]
        for left in ("X' W_Q", "K Q'", "A' V"):
            changed = Claim("identity", {**claim.fields, "left": left})
            assert not verify(Certificate({}, (changed,))).holds


@pytest.mark.parametrize("name", IDS)
def test_variants_have_another_example_and_hold(name: str) -> None:
    original = load(name)
    expected = solve(original).answer
    seen = set()
    for seed in range(20):
        varied = variant(original, seed)
        seen.add(varied.given.model_dump_json())
        solution: Solution = solve(varied)
        assert solution.verdict is Status.PROVED
        assert solution.answer == expected
        values = {key: np.array(rows, float) for key, rows in varied.given.example.items()}
        meaning(name, dict(solution.answer), varied.given, values)
    assert len(seen) == 20


@pytest.mark.parametrize(
    ("given", "claim", "message"),
    [
        (QKV, {"equals": "q_i' k_j"}, "what is i"),
        (QKV, {"part": "row i", "equals": "q_i' k_j v_j"}, "what is j"),
        (QKV, {"part": "row i", "equals": "q_i' q_i"}, "must be a vector"),
        (QKV, {"part": "entry i j", "equals": "q_i"}, "must be a number"),
        (QKV, {"part": "entry i j", "equals": "q_i' k_j", "over": "j"}, "j is the column"),
        (
            QKV,
            {"part": "row i", "equals": "q_i", "formula": "K"},
            "`formula` is m × d, and `equals` makes n × d",
        ),
        (QKV, {"part": "row i", "equals": "q_i + k_i"}, "i counts up to n and, in k_i, up to m"),
        (QKV, {"part": "row i", "equals": "q_j", "over": "j"}, "nothing in it has the index i"),
        (QKV, {"equals": "B"}, "B is not declared"),
        (QKV, {"relation": ">", "equals": "0"}, "give a `formula`"),
        ({**QK, "rows": {"z": "Z"}}, {"equals": "Q"}, "no matrix of `shapes` or `define`"),
        ({**QK, "sizes": {"z": 3}}, {"equals": "Q"}, "z is no size"),
        ({**QK, "example": {"Q": [[1, 2]], "K": [[1]]}}, {"equals": "Q"}, "makes d = 1, not 2"),
        ({"shapes": {"n": ["n"]}}, {"equals": "n"}, "both a size and a symbol"),
        ({"shapes": {"I": ["n", "n"]}}, {"equals": "I"}, "word of the formula language"),
        ({"shapes": {"x": [1.5]}}, {"equals": "x"}, 'a size is a name, such as "N", or a whole'),
        ({"shapes": {"x": [0]}}, {"equals": "x"}, "whole number from 1 to 32, not 0"),
        ({"shapes": {"x": ["1N"]}}, {"equals": "x"}, "whole number from 1 to 32, not '1N'"),
        ({"shapes": {"x": [2]}, "example": {"x": [1, 2, 3]}}, {"equals": "x"}, "3 rows or columns"),
        ({"shapes": {"x": []}, "example": {"x": [1]}}, {"equals": "x"}, "x is one number: leave"),
    ],
)
def test_a_claim_that_says_nothing_is_refused(
    given: dict[str, Any], claim: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidProblem, match=message):
        problem(given, {"name": "F", **claim})
