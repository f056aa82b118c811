"""Exact traces: the worked example, closed forms, other arithmetic, and every digit."""

from __future__ import annotations

import copy
import pickle
import re
from decimal import Decimal
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regard.analysis.exact_trace.decimals import decimal, nearest_float
from regard.analysis.exact_trace.numbers import ExponentialQuotient, Exponentials, Surd, quotient
from regard.analysis.exact_trace.trace import Trace, trace
from regard.core import reference
from regard.errors import ParameterError, ShapeError
from regard.language import notation
from regard.report import Math, Report, Table, Text

# 002_3bdb44851b502ebf, question 1.
X = [[2, 3], [-1, 0], [1, -2]]
W_Q = [[1, 0, 2], [0, 1, -3]]
W_K = [[0, 0, -1], [-2, 0, 1]]
W_V = [[8, 0], [0, 9]]


def worked(**rules: Any) -> Trace:
    return trace(X, W_Q, W_K, W_V, **rules)


def from_scores(*rows: tuple[Any, ...], values: Any = None, **rules: Any) -> Trace:
    """A trace whose scores are these rows: the tokens are the columns of the identity."""
    n = len(rows)
    eye = np.eye(n, dtype=int)
    return trace(eye, [list(row) for row in rows], eye, eye if values is None else values, **rules)


def text_of(report: Report) -> str:
    """A report as text, in one line."""
    return " ".join(str(report).split())


def test_the_worked_example_comes_out_exactly() -> None:
    # Golden case G43.
    found = worked()
    np.testing.assert_array_equal(found.queries, [[2, 3, -5], [-1, 0, -2], [1, -2, 8]])
    np.testing.assert_array_equal(found.keys, [[-6, 0, 1], [0, 0, 1], [4, 0, -3]])
    np.testing.assert_array_equal(found.values, [[16, 27], [-8, 0], [8, -18]])
    np.testing.assert_array_equal(found.scores, [[-17, -5, 23], [4, -2, 2], [2, 8, -20]])
    assert all(type(entry) is Fraction for entry in found.scores.ravel())
    np.testing.assert_allclose(
        found.weights_float,
        [
            [4.2483542552886514e-18, 6.914400106935422e-13, 0.9999999999993086],
            [0.8788782427321509, 0.002178521357197023, 0.11894323591065208],
            [0.002472623156633069, 0.9975273768426772, 6.897303401116787e-13],
        ],
        rtol=1e-15,
    )
    np.testing.assert_allclose(
        found.outputs_float,
        [
            [7.999999999988937, -17.999999999987555],
            [14.996169600142055, 21.58873430737634],
            [-7.940657044229771, 0.06676082521667771],
        ],
        rtol=1e-15,
    )
    assert (found.n, found.d_k) == (3, 3)


def test_the_worked_example_under_the_scale_of_transformers() -> None:
    # Golden case G43, scaled.
    for scale in ("1/sqrt(d_k)", "1 / √d_k", None):
        found = worked(scale=scale)
        np.testing.assert_allclose(
            found.weights_float[1:],
            [
                [0.7426920888803679, 0.023247089180160156, 0.234060821939472],
                [0.030351087523552995, 0.9696488200293104, 9.244713664221035e-08],
            ],
            rtol=1e-15,
        )
        np.testing.assert_allclose(
            found.outputs_float[2], [-7.271572420280542, 0.8194776990874713], rtol=1e-15
        )
        assert found.scores[2, 0] == Surd(Fraction(2), 3)
        assert str(found.scores[2, 0]) == "2/√3"


def test_the_query_that_002_prints_gives_other_weights() -> None:
    # Golden case G44: with q_2 = (-1, 0, 2) the scores of token 2 would be (8, 2, -10).
    printed = from_scores((8, 2, -10), (0, 0, 0), (0, 0, 0), values=[[16, 27], [-8, 0], [8, -18]])
    np.testing.assert_allclose(
        printed.weights_float[0],
        [0.9975273616886086, 0.0024726231190698882, 1.5192321513314137e-08],
        rtol=1e-15,
    )
    np.testing.assert_allclose(
        printed.outputs_float[0], [15.94065692360375, 26.933238492130645], rtol=1e-15
    )


def test_weights_are_right_to_a_thousand_digits() -> None:
    with mpmath.workdps(1020):
        terms = [mpmath.exp(z) for z in (2, 8, -20)]
        expected = [mpmath.nstr(t / mpmath.fsum(terms), 1000, strip_zeros=False) for t in terms]
        root = mpmath.exp(4 / mpmath.sqrt(3)) + mpmath.exp(-2 / mpmath.sqrt(3))
        scaled = mpmath.exp(4 / mpmath.sqrt(3)) / (root + mpmath.exp(2 / mpmath.sqrt(3)))
        shown = mpmath.nstr(scaled, 1000, strip_zeros=False)
    found = worked().decimal("weights", 1000)[2]
    assert [Decimal(one) for one in found] == [Decimal(one) for one in expected]
    assert worked(scale=None).decimal("weights", 1000)[1][0] == shown


def test_digits_are_rounded_and_not_cut() -> None:
    # e/(1 + e) = 0.731058578630004879251159…
    weight = from_scores((1, 0), (0, 0)).weights[0, 0]
    for digits, expected in ((1, "0.7"), (2, "0.73"), (5, "0.73106"), (13, "0.7310585786300")):
        assert decimal(weight, digits) == expected


@settings(max_examples=60, deadline=None)
@given(st.fractions(max_denominator=10**6), st.integers(1, 40))
def test_decimals_of_rationals_are_those_of_the_decimal_module(x: Fraction, digits: int) -> None:
    import decimal as module

    context = module.Context(prec=digits, rounding=module.ROUND_HALF_EVEN, Emax=99999, Emin=-99999)
    expected = context.divide(Decimal(x.numerator), Decimal(x.denominator))
    assert Decimal(decimal(x, digits)) == expected


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.fractions(-40, 40, max_denominator=12), min_size=2, max_size=5),
    st.lists(st.integers(-9, 9), min_size=5, max_size=5),
    st.sampled_from([1, 2, 3, 5, 12]),
)
def test_quotients_agree_with_fifty_digits(
    scores: list[Fraction], values: list[int], root: int
) -> None:
    row = Exponentials(tuple(scores), root)
    found = quotient(values[: len(scores)], row)
    with mpmath.workdps(120):
        terms = [mpmath.exp(mpmath.mpf(z.numerator) / z.denominator / mpmath.sqrt(root))
                 for z in scores]  # fmt: skip
        exact = mpmath.fdot(terms, values[: len(scores)]) / mpmath.fsum(terms)
        assert mpmath.almosteq(mpmath.mpf(decimal(found, 50)), exact, rel_eps=1e-49, abs_eps=1e-90)
        assert nearest_float(found) == pytest.approx(float(exact), rel=2**-53, abs=1e-80)


def test_a_quotient_is_a_fraction_iff_it_is_rational() -> None:
    half = Fraction(1, 2)
    assert from_scores((3, 3), (0, 1)).weights[0, 0] == half
    assert isinstance(from_scores((3, 3), (0, 1)).weights[1, 0], ExponentialQuotient)
    assert trace([[7]], [[5]], [[2]], [["1/3"]]).weights[0, 0] == 1
    # The mean over keys of equal score is the same for every score: (3 + 5)/2 = 4.
    found = from_scores((1, 1, 9), (1, 9, 9), (2, 2, 2), values=[[3], [5], [4]])
    assert [found.outputs[0, 0], found.outputs[2, 0]] == [4, 4]
    assert isinstance(found.outputs[1, 0], ExponentialQuotient)
    # A value of 0 on every key that differs.
    assert from_scores((1, 2), (0, 0), values=[[0], [0]]).outputs[0, 0] == 0


def test_scores_far_beyond_floats_have_weights() -> None:
    found = from_scores((0, 10**6), (0, 10**30))
    # e^-1000000 = 10^(-1000000 / ln 10), recomputed by mpmath.
    with mpmath.workdps(40):
        expected = mpmath.nstr(mpmath.exp(-(10**6)), 12)
    assert found.decimal("weights", 12)[0] == (expected, "1.00000000000")
    assert found.decimal("weights", 3)[1][0].endswith("e-434294481903251827651128918917")
    np.testing.assert_array_equal(found.weights_float, [[0, 1], [0, 1]])


def test_a_number_next_to_a_tie_is_rounded_to_its_side() -> None:
    # 5/2 plus or minus something below 10^(-10^29) has no tie; half to even would say 2 for both.
    for value, expected in ((7, "3"), (-7, "2")):
        found = from_scores((10**30, 0), (0, 0), values=[["5/2"], [value]])
        assert found.decimal("outputs", 1)[0] == (expected,)
    # Between the floats 1 and 1 + 2^-52, from below and from above the middle.
    middle = 1 + Fraction(1, 2**53)
    for value, expected in ((2, 1 + 2.0**-52), (0, 1.0)):
        found = from_scores((10**30, 0), (0, 0), values=[[middle], [value]])
        assert found.outputs_float[0, 0] == expected


def test_floats_beyond_the_largest_are_infinite() -> None:
    found = trace([[1]], [[1]], [[1]], [[10**350]])
    np.testing.assert_array_equal(found.outputs_float, [[np.inf]])
    edge = 2**1024 - 2**970  # the first number that rounds to infinity
    for value, expected in ((1, np.finfo(float).max), (2**1023, np.finfo(float).max)):
        found = from_scores((10**30, 0), (0, 0), values=[[edge], [value]])
        assert found.outputs_float[0, 0] == expected
    assert nearest_float(Surd(Fraction(-(10**320)), 2)) == -np.inf
    assert nearest_float(Fraction(-(10**320))) == -np.inf


@pytest.mark.parametrize("is_causal", [False, True])
@pytest.mark.parametrize("scale", ["1/2", None])
def test_traces_agree_with_the_reference(is_causal: bool, scale: Any) -> None:
    rng = np.random.default_rng(0)
    x, q, k = (rng.integers(-2, 3, shape) for shape in ((7, 5), (5, 3), (5, 3)))
    v, o = rng.integers(-4, 5, (5, 2)), rng.integers(-4, 5, (2, 11))
    found = trace(x, q, k, v, scale=scale, W_O=o, is_causal=is_causal)
    factor = 0.5 if scale else None
    expected = reference.attention(
        1.0 * x @ q, 1.0 * x @ k, 1.0 * x @ v, scale=factor, is_causal=is_causal
    )
    np.testing.assert_allclose(found.weights_float, expected.weights, rtol=1e-12)
    np.testing.assert_allclose(found.floats("averages"), expected.output, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(found.outputs_float, expected.output @ o, rtol=1e-12, atol=1e-11)


SOME = np.array(
    [[0, 1, 0, 1, 1], [1, 1, 1, 1, 1], [0, 0, 0, 0, 0], [1, 0, 0, 0, 0], [0, 0, 1, 1, 0]]
)


@pytest.mark.parametrize(
    "given",
    [
        {"window": (1, 0)},
        {"window": (2, None), "is_causal": True},
        {"key_lengths": 3},
        {"mask": SOME},
        {"mask": SOME, "is_causal": True, "key_lengths": 4, "window": (2, 2)},
    ],
)
def test_masks_agree_with_the_reference_and_the_written_sums_leave_out_what_is_hidden(
    given: dict[str, Any],
) -> None:
    rng = np.random.default_rng(1)
    x, q, k = (rng.integers(-2, 3, shape) for shape in ((5, 3), (3, 2), (3, 2)))
    v, o = rng.integers(-4, 5, (3, 7)), rng.integers(-4, 5, (7, 2))
    found = trace(x, q, k, v, W_O=o, **given)
    boolean = {**given, **({"mask": SOME == 1} if "mask" in given else {})}
    expected = reference.attention(1.0 * x @ q, 1.0 * x @ k, 1.0 * x @ v, scale=1, **boolean)
    np.testing.assert_allclose(found.weights_float, expected.weights, atol=1e-12)
    np.testing.assert_allclose(found.outputs_float, expected.output @ o, atol=1e-11)
    for i in range(5):
        seen = [j for j in range(5) if expected.weights[i, j] > 0]
        assert set(seen) <= set(found.visible[i])
        written = str(found.entry("c", i + 1, 1))
        named = {int(j) - 1 for j in re.findall(rf"a_{i + 1}(\d)", written)}
        assert named == set(found.visible[i])
    sets = ", ".join(str(j + 1) for j in found.visible[4])
    assert f"S_5 = {{{sets}}}" in " ".join(text_of(found.report()).split())
    assert found.masking == "masked"


def test_numbers_are_read_as_they_are_written() -> None:
    row = [
        "1/3",
        "-0.25",
        Decimal("1e-3"),
        Fraction(2, 7),
        np.int8(-3),
        0.5,
        " 3 / 4 ",
        ".5",
        2**70,
    ]
    found = trace([row], [[1]] * 9, [[1]] * 9, [[1]] * 9)
    expected = ["1/3", "-1/4", "1/1000", "2/7", "-3", "1/2", "3/4", "1/2", str(2**70)]
    assert [str(entry) for entry in found.x[0]] == expected
    assert found.notes == ()


def test_a_float_is_the_binary_number_it_is_and_the_trace_says_so() -> None:
    found = trace(np.array([[0.1, 0.5]]), [[1], [0]], [[1], [0]], [[1], [0]], scale=0.3)
    assert found.x[0, 0] == Fraction(3602879701896397, 36028797018963968)
    assert found.notes == (
        "x and scale hold floats. Each is taken as the exact binary number it is: 0.1 is "
        "0.1000000000000000055511151…, which is not the decimal. The string '0.1' is.",
    )
    assert found.notes[0] in text_of(found.report())
    assert str(found.entry("q", 1, 1)) == "q_1[1] = 0.1·1 + (1/2)·0 ≈ 0.1"


def test_matrices_cannot_be_written_to() -> None:
    with pytest.raises(ValueError, match="read-only"):
        worked().weights[0, 0] = 1


def test_a_trace_can_be_copied_and_pickled() -> None:
    found = worked(scale=None)
    found.weights_float  # noqa: B018  fills what is remembered
    for again in (copy.deepcopy(found), pickle.loads(pickle.dumps(found))):
        assert again.decimal("outputs", 40) == found.decimal("outputs", 40)
        assert again.weights[2, 1] == found.weights[2, 1]


# Where entries come from.

ENTRIES = {
    ("q", 2, 3): "q_2[3] = (-1)·2 + 0·(-3) = -2",
    ("k", 3, 1): "k_3[1] = 1·0 + (-2)·(-2) = 4",
    ("v", 1, 2): "v_1[2] = 2·0 + 3·9 = 27",
    ("z", 3, 1): "z_31 = 1·(-6) + (-2)·0 + 8·1 = 2",
    ("a", 3, 1): "a_31 = e^2/(e^2 + e^8 + e^-20) ≈ 0.00247262",
    ("c", 3, 1): "c_3[1] = a_31·16 + a_32·(-8) + a_33·8 = "
    "(16·e^2 - 8·e^8 + 8·e^-20)/(e^2 + e^8 + e^-20) ≈ -7.94066",
    ("q", 2): "q_2 = W_Qᵀ x_2 = (-1, 0, -2)",
    ("z", 3): "z_3 = K q_3 = (2, 8, -20)",
    ("a", 3): "a_3 = softmax(z_3) ≈ (0.00247262, 0.997527, 6.89730e-13)",
    ("c", 3): "c_3 = a_31 v_1 + a_32 v_2 + a_33 v_3 ≈ (-7.94066, 0.0667608)",
}


@pytest.mark.parametrize("place", ENTRIES, ids=str)
def test_an_entry_says_where_it_came_from(place: Any) -> None:
    found = worked().entry(*place)
    assert str(found) == ENTRIES[place]
    assert found.name == ENTRIES[place].partition(" ")[0]
    notation.check(found.latex)


@pytest.mark.parametrize(
    ("name", "same"),
    [
        ("q_2[3]", ("q", 2, 3)),
        ("q_2", ("q", 2)),
        ("z_31", ("z", 3, 1)),
        ("z_3,1", ("z", 3, 1)),
        ("z_{3,1}", ("z", 3, 1)),
        ("a_3", ("a", 3)),
        ("c_{3}[1]", ("c", 3, 1)),
    ],
)
def test_entries_may_be_named_as_in_a_handout(name: str, same: Any) -> None:
    assert worked().entry(name) == worked().entry(*same)
    assert worked().entry(same[0], np.int64(same[1]), *same[2:]) == worked().entry(*same)


def test_an_entry_in_latex() -> None:
    assert worked().entry("q_2[3]").latex == r"q_{2}[3] = (-1) \cdot 2 + 0 \cdot (-3) = -2"
    assert worked(scale=None).entry("z_31").latex == (
        r"z_{31} = \frac{1 \cdot (-6) + (-2) \cdot 0 + 8 \cdot 1}{\sqrt{3}} = \frac{2}{\sqrt{3}}"
    )
    assert worked().entry("a_33").latex == (
        r"a_{33} = \dfrac{e^{-20}}{e^{2} + e^{8} + e^{-20}} \approx 6.89730 \times 10^{-13}"
    )
    assert worked().entry("a_33")._repr_latex_().startswith("$")


@pytest.mark.parametrize(
    ("scale", "expected"),
    [
        ("1/2", "z_31 = (1·(-6) + (-2)·0 + 8·1)/2 = 1"),
        ("-3/2", "z_31 = (-3/2)·(1·(-6) + (-2)·0 + 8·1) = -3"),
        ("1/sqrt(d_k)", "z_31 = (1·(-6) + (-2)·0 + 8·1)/√3 = 2/√3"),
    ],
)
def test_a_scale_is_written_into_the_score(scale: str, expected: str) -> None:
    assert str(worked(scale=scale).entry("z_31")) == expected


def test_equal_and_rational_weights_are_written_as_fractions() -> None:
    found = from_scores((3, 3), ("1/2", 0), values=[[1], [2]])
    assert str(found.entry("a_12")) == "a_12 = e^3/(e^3 + e^3) = 1/2"
    assert str(found.entry("c_1")) == "c_1 = a_11 v_1 + a_12 v_2 = (3/2)"
    assert str(found.entry("a_21")) == "a_21 = e^(1/2)/(e^(1/2) + e^0) ≈ 0.622459"


def test_causal_order_hides_later_keys() -> None:
    found = worked(is_causal=True, W_O=[["1/2", 0], [1, 1]])
    assert str(found.entry("a_12")) == "a_12 = 0"
    assert str(found.entry("a_2")) == "a_2 = softmax(z_21, z_22) ≈ (0.997527, 0.00247262, 0)"
    assert str(found.entry("c_1[2]")) == "c_1[2] = a_11·27 = 27"
    assert str(found.entry("o_1[1]")) == "o_1[1] = c_1[1]·(1/2) + c_1[2]·1 = 35"


def test_entries_beyond_nine_tokens_have_a_comma() -> None:
    found = trace([[i] for i in range(10)], [[1]], [[1]], [[1]])
    assert str(found.entry("z", 3, 10)) == "z_3,10 = 2·9 = 18"
    assert str(found.entry("z_3,2")) == "z_3,2 = 2·1 = 2"


def test_an_entry_has_digits_of_its_own() -> None:
    with mpmath.workdps(60):
        expected = mpmath.nstr(mpmath.e / (1 + mpmath.e), 50)
    found = from_scores((1, 0), (0, 0))
    assert found.entry("a_11").decimal(50) == expected
    assert found.entry("a_2").decimal() == ("0.5", "0.5")
    assert str(found.entry("a_11", digits=3)) == "a_11 = e^1/(e^1 + e^0) ≈ 0.731"


# Reports and pictures.


def test_the_report_has_every_step_of_the_worked_example() -> None:
    report = worked().report("Question 1")
    said = text_of(report)
    tables = [block for block in report.blocks if isinstance(block, Table)]
    cells = {row[:2]: row[2:] for table in tables for row in table.rows}
    assert cells[("$q_{2}[3]$", r"$(-1) \cdot 2 + 0 \cdot (-3)$")] == ("-2",)
    assert cells[("$z_{31}$", r"$1 \cdot (-6) + (-2) \cdot 0 + 8 \cdot 1$")] == ("2",)
    fraction = r"$\dfrac{e^{8}}{e^{2} + e^{8} + e^{-20}}$"
    assert cells[("$a_{32}$", fraction)] == ("0.997527",)
    weighted = r"$a_{31} \cdot 27 + a_{32} \cdot 0 + a_{33} \cdot (-18)$"
    assert cells[("$c_{3}[2]$", weighted)][1] == "0.0667608"
    for words in ("Queries, keys and values", "Scores", "Weights", "Outputs", "0.00247262"):
        assert words in said
    assert "$" not in said
    assert "Question 1" in report._repr_html_()


def test_a_report_may_be_about_some_tokens() -> None:
    said = text_of(worked().report(tokens=[3], digits=9))
    assert "z_31" in said
    assert "z_21" not in said
    assert "0.00247262316" in said
    with pytest.raises(ParameterError, match=r"^Trace\.report: tokens are counted from 1 to 3"):
        worked().report(tokens=[0])


def test_scale_order_and_output_matrix_are_in_the_report() -> None:
    said = text_of(worked(scale=None, is_causal=True, W_O=[[1], [1]]).report())
    for words in ("Scores are multiplied by 1/√3", "A V W_O (3 × 1)", "o_2[1]", "later tokens"):
        assert words in said


def test_a_large_trace_is_shown_in_part() -> None:
    rng = np.random.default_rng(1)
    found = trace(*(rng.integers(-1, 2, shape) for shape in ((13, 11), (11, 3), (11, 3), (11, 2))))
    assert 'first 64 of 169; trace.entry("z", i, j)' in text_of(found.report())
    assert "Up to 8 rows and columns" in str(found)
    assert "regard-report" in found._repr_html_()


def test_a_trace_prints_scores_weights_and_outputs() -> None:
    said = str(worked())
    for words in ("Attention of 3 tokens", "-20", "6.89730e-13", "-7.94066"):
        assert words in said


def test_a_trace_as_data() -> None:
    data = worked(scale=None).to_dict(digits=8)
    assert data["scale"] == "1/√3"
    assert data["exact"]["queries"] == [["2", "3", "-5"], ["-1", "0", "-2"], ["1", "-2", "8"]]
    assert data["exact"]["scores"][2] == ["2/√3", "8/√3", "-20/√3"]
    assert data["decimal"]["outputs"][2] == ["-7.2715724", "0.81947770"]
    many = trace([[i] for i in range(17)], [[1]], [[1]], [[1]]).to_dict(5)["exact"]
    assert many["weights"][1][0] is None
    assert many["weights"][0][0] == "1/17"
    # However long, a rational is exact.
    assert trace([[0.1]], [[0.1]], [[1]], [[1]]).to_dict()["exact"]["queries"] == [
        [str(Fraction(0.1) ** 2)]
    ]


def test_the_picture_has_the_exact_scores_in_its_cells(tmp_path: Any) -> None:
    from matplotlib.text import Text

    figure = worked(scale=None).plot()
    figure.savefig(tmp_path / "trace.svg")
    said = {text.get_text() for text in figure.findobj(Text)}
    assert {"2/√3", "8/√3", "-20/√3", "key j", "query i", "weight"} <= said
    shown = np.asarray(figure.axes[0].images[0].get_array())
    np.testing.assert_allclose(shown[2, 1], 0.9696488200293104)
    large = trace([[i] for i in range(20)], [[1]], [[1]], [[1]]).plot()
    assert not large.axes[0].texts


# What cannot be traced.

DIGITS = "needs more than 400 digits, too many to write a trace with."
RULE = "a whole number, a fraction, a decimal or a string such as '1/3' or '0.25'"

REFUSALS: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"x": [[1, 2], [3]]}, ShapeError,
     "trace: x has rows of different lengths (1, 2). Need (n, d_model)."),
    ({"x": [1, 2]}, ShapeError,
     "trace: x must have shape (n, d_model), a row of numbers in each row."),
    ({"x": np.ones(3)}, ShapeError, "trace: x must have shape (n, d_model). Got (3,)."),
    ({"x": []}, ShapeError,
     "trace: x must have shape (n, d_model) with 1 to 64 rows, because a trace writes every "
     "number out. Got 0 rows."),
    ({"x": np.ones((65, 2))}, ShapeError,
     "trace: x must have shape (n, d_model) with 1 to 64 rows, because a trace writes every "
     "number out. Got 65 rows."),
    ({"W_V": [[1] * 65] * 2}, ShapeError,
     "trace: W_V must have shape (d_model, d_v) with 1 to 64 columns, because a trace writes "
     "every number out. Got 65 columns."),
    ({"x": "12"}, ParameterError,
     "trace: x must be a matrix (n, d_model): rows of numbers, or an array. Got str."),
    ({"W_Q": [[1, 0], [2, 1], [0, 1]]}, ShapeError,
     "trace: W_Q does not match x in d_model (3 vs 2). Need W_Q (d_model, d_k), one row per "
     "column of x. Got W_Q (3, 2). Its transpose would fit."),
    ({"W_K": [[1], [2]]}, ShapeError,
     "trace: W_K does not match W_Q in d_k (1 vs 3). Need W_Q (d_model, d_k), W_K (d_model, d_k)."),
    ({"W_O": [[1]]}, ShapeError,
     "trace: W_O does not match W_V in d_v (1 vs 2). Need W_O (d_v, d_out), one row per column "
     "of W_V. Got W_O (1, 1)."),
    ({"x": [[1, float("nan")]]}, ParameterError,
     f"trace: x (row 1, column 2) must be {RULE}. Got nan."),
    ({"x": [[1, Decimal("inf")]]}, ParameterError,
     f"trace: x (row 1, column 2) must be {RULE}. Got Decimal('Infinity')."),
    ({"x": [[1, True]]}, ParameterError, f"trace: x (row 1, column 2) must be {RULE}. Got True."),
    ({"x": [[1, 1j]]}, ParameterError, f"trace: x (row 1, column 2) must be {RULE}. Got complex."),
    ({"x": [[1, "one"]]}, ParameterError,
     f"trace: x (row 1, column 2) must be {RULE}. Got 'one'."),
    ({"x": [[1, "1/0"]]}, ParameterError, "trace: x (row 1, column 2) divides by 0. Got '1/0'."),
    ({"x": [[1, "1e9999"]]}, ParameterError, f"trace: x (row 1, column 2) {DIGITS}"),
    ({"x": [[1, "9" * 10**6]]}, ParameterError, f"trace: x (row 1, column 2) {DIGITS}"),
    ({"x": [[1, Decimal("1e999999999")]]}, ParameterError, f"trace: x (row 1, column 2) {DIGITS}"),
    ({"x": [[1, 10**500]]}, ParameterError, f"trace: x (row 1, column 2) {DIGITS}"),
    ({"x": [[Fraction(1, 3**500), Fraction(1, 2**1000)]]}, ParameterError,
     "trace: the entries of x have a common denominator of more than 400 digits, too many to "
     "write a trace with."),
    ({"scale": "1/sqrt(7)"}, ParameterError,
     f"trace: scale must be {RULE}, or '1/sqrt(d_k)'. Got '1/sqrt(7)'."),
    ({"scale": float("inf")}, ParameterError, f"trace: scale must be {RULE}. Got inf."),
    (
        {"mask": [[1, 0]]},
        ShapeError,
        "trace: mask must have 3 rows of 3 entries, one for each query and key.",
    ),
    (
        {"mask": [[1, 2, 1], [0, 1, 0], [1, 1, 1]]},
        ParameterError,
        "trace: mask must be True or 1 where a query may attend, False or 0 where not. Got 2.",
    ),
    ({"is_causal": 1}, ParameterError, "trace: is_causal must be True or False. Got 1."),
]  # fmt: skip


@pytest.mark.parametrize(("changed", "error", "message"), REFUSALS, ids=lambda v: str(v)[:40])
def test_what_cannot_be_traced_is_said(
    changed: dict[str, Any], error: type[Exception], message: str
) -> None:
    arguments = {"x": X, "W_Q": W_Q, "W_K": W_K, "W_V": W_V} | changed
    with pytest.raises(error) as caught:
        trace(**arguments)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda t: t.entry("w", 1), "Trace.entry: name must be one of q, k, v, z, a, c, or such as 'q_2', 'q_2[3]' or 'z_3,1'. Got 'w'."),
        (lambda t: t.entry("o", 1), "Trace.entry: name must be one of q, k, v, z, a, c, or such as 'q_2', 'q_2[3]' or 'z_3,1'. Got 'o'."),
        (lambda t: t.entry("q"), "Trace.entry: say which row of q, counted from 1."),
        (lambda t: t.entry("q_4"), "Trace.entry: q has 3 rows, counted from 1. Got row 4."),
        (lambda t: t.entry("v", 1, 3), "Trace.entry: v has 2 columns, counted from 1. Got column 3."),
        (lambda t: t.entry("q", 0), "Trace.entry: q has 3 rows, counted from 1. Got row 0."),
        (lambda t: t.entry("q_1[2]", 1), "Trace.entry: 'q_1[2]' says which entry, so give no row or column."),
        (lambda t: t.decimal("colours"), "Trace.decimal: there is no matrix 'colours'. There are x, W_Q, W_K, W_V, queries, keys, values, scores, weights, averages, outputs."),
        (lambda t: t.decimal("weights", 10001), "Trace.decimal: digits must be at most 10000. Got 10001."),
        (lambda t: t.decimal("weights", 0), "Trace.decimal: digits must be a whole number ≥ 1. Got 0."),
    ],
)  # fmt: skip
def test_what_is_not_in_a_trace_is_said(call: Any, message: str) -> None:
    with pytest.raises(ParameterError) as caught:
        call(worked())
    assert str(caught.value) == message


def test_a_report_says_where_each_token_looks_most_if_no_scores_tie() -> None:
    def said(x: list[list[int]], **options: object) -> list[str]:
        found = trace(x, [[1]], [[1]], [[1]], **options).report()  # type: ignore[arg-type]
        return [b.text for b in found.blocks if isinstance(b, Text) and b.role == "headline"]

    # Scores are x_i x_j: 1 and 2 look at the larger, -1 at the smaller of those it may look at.
    assert said([[1], [2], [-1]]) == [
        "Token 1 looks most at [token 2]{.target}, token 2 at [itself]{.target}, "
        "token 3 at [itself]{.target}."
    ]
    assert said([[1], [2], [-1]], scale="1/sqrt(d_k)", is_causal=True) == [
        "Token 1 looks most at [itself]{.target}, token 2 at [itself]{.target}, "
        "token 3 at [itself]{.target}."
    ]
    assert said([[1], [0], [2]]) == []  # the scores of token 2 are all 0
    assert said([[1], [2]], mask=[[0, 0], [1, 1]]) == []  # token 1 may look at nothing


def test_a_report_sets_small_matrices_as_formulas_and_large_ones_as_tables() -> None:
    small = trace([[2, 3]], [[1, 0], [0, 1]], [[1, 0], [0, 1]], [[1], [1]]).report()
    assert Math(r"Q = X W_Q = \begin{bmatrix} 2 & 3 \end{bmatrix}") in small.blocks
    large = trace([[i] for i in range(7)], [[1]], [[1]], [[2]]).report()
    values = next(b for b in large.blocks if isinstance(b, Table) and "$V = X W_V$" in b.caption)
    assert [row[1] for row in values.rows] == ["0", "2", "4", "6", "8", "10", "12"]
