r"""What people type that the formula language has no words for: indices, bold ones, NumPy, units."""

from __future__ import annotations

import numpy as np
import pytest

import regard
from regard.checking.typed.matrix_products import letters_apart
from regard.checking.typed.running_index import without_index
from regard.language import parse


def score(problem: str, **answer: object) -> float | None:
    return regard.check(problem, answer).score


@pytest.mark.parametrize(
    ("text", "plain", "over"),
    [
        ("s_j - max_{i≠j} s_i >= 9", "s_j - m_1 >= 9", ["the largest s_i, i ≠ j"]),
        (r"\sum_{i \neq j} e^{s_i} \le 2", r"m_1\le 2", ["the sum of all exp(s_i), i ≠ j"]),
        ("1 > ∑_k exp(s_k)/2", "1 > m_1", ["the sum of all exp(s_k) / 2"]),
        ("min_{l != j}(s_j - s_l) > 1, l ≠ j", "m_1> 1", ["the smallest s_j - s_l, l ≠ j"]),
        ("s_j - s_i > 1 for all i ≠ j", "s_j - s_i > 1", []),
        ("max(s) > sum_i s_i", "max(s) > m_1", ["the sum of all s_i"]),
    ],
)
def test_what_runs_over_an_index_gets_a_name(text: str, plain: str, over: list[str]) -> None:
    found, named = without_index(text)
    assert found.replace(" ", "") == plain.replace(" ", "")
    assert [str(one) for one in named.values()] == over


@pytest.mark.parametrize(
    "text", ["max_{i≠j} max_{k≠j} s_i > 1", "max_{i≠j} > 1", "sum_{i≠j} ) > 1"]
)
def test_what_cannot_be_read_stays_as_it_is(text: str) -> None:
    assert without_index(text) == (text, {})


def test_random_conditions_with_an_index_are_those_of_numpy() -> None:
    """The greatest, the least and the sum, over all keys and over all but j, against NumPy."""
    problem = regard.problems.load("one-key-dominates")
    from regard.checking.answer_reading import read as read_answer
    from regard.kinds.condition.instance.scores import level_of
    from regard.kinds.condition.reading import read

    rng = np.random.default_rng(5)
    for _ in range(60):
        scores = rng.standard_normal(int(rng.integers(2, 7))) * 3
        what, all_keys = str(rng.choice(["max", "min", "sum"])), bool(rng.integers(2))
        bound = float(rng.standard_normal() * 4)
        index = "k" if all_keys else "i ≠ j"
        letter = index[0]
        text = f"{what}_{{{index}}} exp(s_{letter} - s_j) >= {bound!r}"
        values = np.exp((scores if all_keys else scores[1:]) - scores[0])
        wanted = {"max": np.max, "min": np.min, "sum": np.sum}[what](values) >= bound
        asked = read(problem, read_answer({"condition": text}))
        one = level_of(problem).instance(scores)
        assert asked.holds(one) == wanted
        assert asked.surely(one) in (None, bool(wanted))


def test_a_sum_of_powers_beyond_any_float_is_decided() -> None:
    """e^1000 is no float: three of them are not at most a thousandth of one."""
    text = r"\sum_{i \neq j} e^{s_i} \le \frac{\epsilon}{1 - \epsilon} e^{s_j}"
    assert score("one-key-dominates", condition=text) == 1
    assert score("one-key-dominates", condition=text.replace(r"\frac", r"2 \frac")) == 0


def test_an_index_that_leaves_another_key_out_is_refused_by_name() -> None:
    with pytest.raises(regard.InvalidAnswer, match="all but j, as in max"):
        score("one-key-dominates", condition="s_j > 9 + max_{i≠k} s_i")
    with pytest.raises(regard.InvalidAnswer, match="meant for every other key"):
        score("query-along-a-key", condition="k_j' k_j > max_{i≠j} (k_j' k_i)")


def test_a_bold_one_has_the_size_that_the_problem_tells() -> None:
    for w in (r"\mathbf{1}", r"\frac{1}{N} \mathbf{1}", r"c \mathbf 1", r"\mathbf{1}_N"):
        assert score("pooling-without-order", w=w) == 1
    assert score("pooling-without-order", w=r"0 \mathbf{1}") == 0
    with pytest.raises(regard.InvalidAnswer, match="ones_vector is not a name"):
        score("average-two-values", q=r"C \mathbf{1}")
    assert str(parse(r"a \mathbf{1}_3")) == "a ones(3)"


def test_an_inverse_is_an_inverse_and_no_number_times_a_matrix() -> None:
    assert str(parse("inv(M)'")) == "(M^-1)'"
    assert score("same-scores-other-matrices", B="inv(M)'") == 1
    assert score("same-scores-other-matrices", B="np.linalg.inv(M).T") == 1
    assert score("same-scores-other-matrices", B="inv(M)") == 0


@pytest.mark.parametrize(
    ("text", "same"),
    [("np.exp(x) + math.pi", "exp(x) + pi"), ("numpy.sqrt(x)", "sqrt(x)"), ("np.T", "np'")],
)
def test_functions_of_numpy_are_those_of_the_language(text: str, same: str) -> None:
    assert str(parse(text)) == same


def test_matrices_side_by_side_are_multiplied_where_they_are_no_word() -> None:
    assert letters_apart("QK^T V_Q + QKX + I", frozenset("QKV")) == "Q K^T V_Q + QKX + I"
    assert score("scores-as-a-product", Z=r"QK^{\top}") == 1
    assert score("scores-as-a-product", Z=r"(QK^{\top})^\top") == 0


def test_numbers_may_have_spaces_between_thousands_and_shares_a_percent_sign() -> None:
    assert score("parameters-of-attention", parameters="1 048 576") == 1
    assert score("parameters-of-attention", parameters="1 048 577") == 0
    with pytest.raises(regard.InvalidAnswer, match="must be a formula of one number"):
        score("parameters-of-attention", parameters="1 48 576")


def test_yes_and_no_are_true_and_false() -> None:
    assert score("order-needs-positions", possible="no") == 1
    assert score("average-two-values", possible="no") == 0


def test_a_projection_of_one_unit_vector_is_not_one_of_several() -> None:
    """T T' is the projection on a single t_1, and the statement speaks of t_1 to t_r."""
    problem = "take-a-value-out-of-an-average"
    assert score(problem, M="2 (I - T T')") < 1
    assert score(problem, M="2 (I - T (T' T)^-1 T')") == 1
    assert score(problem, M="2 (I - t_1 t_1')") == 1  # it says which vector it means
