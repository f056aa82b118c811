"""The theory's numbers, worked out with 50 digits beforehand: G01 … are the names of its cases.

A number x agrees with its reference if |x - reference| ≤ rtol · max(1e-3, |reference|).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import ArrayLike

import regard
from regard.certify import verify
from regard.core import reference

SQUARE = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]


def agree(got: ArrayLike, wanted: ArrayLike, rtol: float) -> None:
    room = rtol * np.maximum(1e-3, np.abs(wanted))
    assert np.shape(got) == np.shape(wanted)
    np.testing.assert_array_less(np.abs(np.subtract(got, wanted)), room + 1e-300)


def weights(query: ArrayLike, keys: ArrayLike) -> np.ndarray:
    return reference.attention([query], keys, np.eye(len(np.asarray(keys))), scale=1.0).weights[0]


def refused(call: Any, *arguments: Any, **options: Any) -> regard.InfeasibleDesign:
    with pytest.raises(regard.InfeasibleDesign) as caught:
        call(*arguments, **options)
    for certificate in (caught.value.certificate, caught.value.best.certificate):
        result = verify(certificate)
        assert result.holds, str(result)
    return caught.value


def proved(design: Any) -> Any:
    result = verify(design.certificate)
    assert result.holds, str(result)
    return design


def claim(thing: Any, kind: str) -> Any:
    return next(claim for claim in thing.certificate.claims if claim.kind == kind)


def u_vectors(beta: float) -> np.ndarray:
    """u_a, u_b, u_c, u_d of 001_725e95d9063a7e6c (e): orthogonal, of length beta."""
    return beta * np.eye(4)


def u_tokens(beta: float) -> np.ndarray:
    a, b, c, d = u_vectors(beta)
    return np.array([d + b, a, c + b])


# Orthonormal keys -------------------------------------------------------------------------------


def test_g01_the_smallest_scale_for_a_pair_of_values_is_the_closed_one() -> None:
    """With error 0.0948… allowed, C = 3: the error of C (k_a + k_b) is exactly r · D."""
    values = np.array([[1.0, 0.0], [0.0, 1.0], [2.0, 2.0], [-1.0, 3.0]])
    design = proved(
        regard.design.query(
            np.eye(4), {0: 0.5, 1: 0.5}, values=values, tolerance=0.09485174635513356
        )
    )
    alpha = [0.4762870634112166, 0.4762870634112166, 0.02371293658878339, 0.02371293658878339]
    agree(design.weights, alpha, 1e-9)
    agree(design.weights @ values, [0.5, 0.5948517463551336], 1e-9)
    agree(design.weights[2] + design.weights[3], 0.04742587317756678, 1e-9)
    agree(design.error, 0.09485174635513356, 1e-9)
    # The same scores as C (k_a + k_b), from the shortest query that has them: g · (½, ½, -½, -½).
    agree(design.query, 3 * np.array([0.5, 0.5, -0.5, -0.5]), 1e-9)


@pytest.mark.parametrize("n", [3, 7, 31])
@pytest.mark.parametrize("tolerance", [1e-1, 1e-3, 1e-8])
def test_the_smallest_scale_for_a_pair_is_the_logarithm_of_the_theory(
    n: int, tolerance: float
) -> None:
    """C_min = ln((n-2)(D-ε) / (2ε)) with D the distance from the mean of the rest to the average."""
    values = np.random.default_rng(n).standard_normal((n, 3))
    pair = (values[0] + values[1]) / 2
    distance = np.linalg.norm(np.mean(values[2:], axis=0) - pair)
    scale = math.log((n - 2) * (distance - tolerance) / (2 * tolerance))
    design = proved(
        regard.design.query(np.eye(n), {0: 0.5, 1: 0.5}, values=values, tolerance=tolerance)
    )
    gap = design.query[0] - design.query[2]
    np.testing.assert_allclose(gap, scale, rtol=1e-7)
    np.testing.assert_allclose(
        np.linalg.norm(design.query), scale * math.sqrt(2 * (n - 2) / n), rtol=1e-7
    )


def test_two_keys_are_averaged_exactly_by_the_query_zero() -> None:
    design = proved(regard.design.query(np.eye(2), {0: 0.5, 1: 0.5}))
    np.testing.assert_array_equal(design.query, [0.0, 0.0])
    np.testing.assert_array_equal(design.weights, [0.5, 0.5])
    assert design.error < 1e-15
    assert design.margin == math.inf


def test_any_scale_will_do_where_the_tolerance_is_wider_than_the_distance() -> None:
    values = np.array([[0.0], [1.0], [0.25], [0.5]])
    design = proved(
        regard.design.query(np.eye(4), {0: 0.5, 1: 0.5}, values=values, tolerance=0.125)
    )
    np.testing.assert_allclose(design.query, 0, atol=1e-2)


def test_g03_a_subset_is_mixed_with_its_weights() -> None:
    """A leak of 0.00493 is spread as 0.5, 0.3, 0.2 of it; the largest miss is half of it."""
    leak = 0.004933048742715503
    design = proved(regard.design.query(np.eye(5), {0: 0.5, 2: 0.3, 3: 0.2}, tolerance=leak / 2))
    alpha = [
        0.49753347562864225,
        0.0024665243713577513,
        0.29852008537718533,
        0.1990133902514569,
        0.0024665243713577513,
    ]
    agree(design.weights, alpha, 1e-9)
    # The scores of q = Σ (C + ln p_i) k_i at C = 6, up to a constant.
    scores = np.array([5.306852819440055, 0, 4.796027195674064, 4.3905620875658995, 0])
    agree(design.query, scores - np.mean(scores), 1e-9)


def test_g04_keys_that_are_orthogonal_and_not_unit_are_mixed_evenly() -> None:
    keys = np.diag([1.0, 2.0, 3.0])
    naive = weights(keys[0] + keys[1], keys)
    agree(naive, [0.04661262257797389, 0.9362395518765058, 0.01714782554552039], 1e-9)
    right = [0.4954626425778431, 0.4954626425778431, 0.009074714844313747]
    agree(weights(4 * (keys[0] / 1 + keys[1] / 4), keys), right, 1e-9)
    design = proved(regard.design.query(keys, {0: 0.5, 1: 0.5}, tolerance=0.009074714844313747))
    agree(design.weights, right, 1e-9)


@pytest.mark.parametrize(("n", "m"), [(5, 2), (7, 3), (11, 1), (13, 12)])
def test_g05_the_shortest_query_with_a_gap_has_length_g_sqrt_m_n_minus_m_over_n(
    n: int, m: int
) -> None:
    """Instead of g √m: the common part of all scores is left out."""
    tolerance = 1e-4
    design = proved(
        regard.design.query(np.eye(n), dict.fromkeys(range(m), 1 / m), tolerance=tolerance)
    )
    # The largest miss is that of a wanted weight (r/m) or, if one key is left, of that key (r).
    leak = tolerance * m if m <= n - m else tolerance * (n - m)
    gap = math.log((1 - leak) / m / (leak / (n - m)))
    query = np.concatenate([np.full(m, gap * (n - m) / n), np.full(n - m, -gap * m / n)])
    np.testing.assert_allclose(design.query, query, rtol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(design.query), gap * math.sqrt(m * (n - m) / n))
    np.testing.assert_allclose(design.margin, 1 / math.sqrt(m * (n - m) / n), rtol=1e-9)


def test_g06_a_copy_from_ten_orthonormal_keys_has_this_length() -> None:
    design = proved(regard.design.query(np.eye(10), 3, tolerance=1e-6))
    agree(design.query[3] - design.query[0], 16.012734135299993, 1e-6)
    agree(np.linalg.norm(design.query), 15.19101343028244, 1e-6)
    agree(design.weights[3], 0.999999, 1e-6)


def test_g47_a_query_without_a_scale_gives_less_than_half() -> None:
    agree(weights(np.eye(4)[0], np.eye(4))[0], 0.4753668864186717, 1e-9)
    design = proved(
        regard.design.query(np.eye(4), 0, values=np.eye(4), tolerance=0.6057941387039428)
    )
    agree(design.weights[0], 0.4753668864186717, 1e-9)
    agree(design.error, 0.6057941387039428, 1e-9)


# Margins, ceilings, gaps --------------------------------------------------------------------------


def test_g07_the_margin_of_a_key_is_its_distance_from_the_hull_of_the_others() -> None:
    keys = [[2.0, 0.0], [0.0, 0.0], [0.0, 1.0], [1.0, 3.0]]
    design = proved(regard.design.query(keys, 0))
    agree(design.margin, 1.8973665961010275, 1e-9)
    unit = [0.9486832980505138, -0.31622776601683794]
    upper = claim(design, "margin_at_most")
    agree(upper.fields["bound"], 1.8973665961010275, 1e-9)
    agree(upper.witness["outside"], [0, 0.8, 0, 0.2], 1e-9)
    agree(upper.witness["outside"] @ np.array(keys), [0.2, 0.6], 1e-9)
    agree(claim(design, "margin_at_least").witness["direction"], unit, 1e-9)


def test_g07_the_length_lies_between_the_bounds_of_the_gap() -> None:
    """ln((1-ε)/ε)/δ ≤ ‖q‖ ≤ ln((n-1)(1-ε)/ε)/δ."""
    keys = np.random.default_rng(5).standard_normal((11, 7))
    design = proved(regard.design.query(keys, 4, tolerance=1e-3))
    length = np.linalg.norm(design.query)
    assert math.log(999) / design.margin <= length <= math.log(10 * 999) / design.margin


def test_g08_the_weight_of_a_key_inside_a_triangle_has_an_exact_ceiling() -> None:
    """k_j = ½ k_1 + ⅓ k_2 + ⅙ k_3 with no other representation: 1/(1 + e^H), reached at a finite q."""
    triangle = np.array([[0.0, 0.0], [4.0, 1.0], [1.0, 5.0]])
    inside = triangle[0] / 2 + triangle[1] / 3 + triangle[2] / 6
    problem = refused(regard.design.query, np.vstack([inside, triangle]), 0)
    entropy = 1.0114042647
    agree(claim(problem, "ceiling").fields["bound"], 0.2667051238, 1e-9)
    agree(problem.best.weights[0], 0.2667051238, 1e-9)
    agree(claim(problem, "weights_apart").fields["bound"], math.log1p(math.exp(entropy)), 1e-9)
    np.testing.assert_allclose(
        [float(eval_fraction(w)) for w in claim(problem, "ceiling").witness["combination"]][1:]
        / np.sum([eval_fraction(w) for w in claim(problem, "ceiling").witness["combination"]]),
        [1 / 2, 1 / 3, 1 / 6],
        rtol=1e-9,
    )


def eval_fraction(text: Any) -> float:
    if not isinstance(text, str):
        return float(text)
    numerator, _, denominator = text.partition("/")
    return int(numerator) / int(denominator or 1)


def test_g09_the_centre_of_a_square_gets_a_fifth() -> None:
    keys = [[0.0, 0.0], [1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]]
    problem = refused(regard.design.query, keys, 0)
    agree(claim(problem, "ceiling").fields["bound"], 0.2, 1e-8)
    assert claim(problem, "ceiling").fields["radius"] is None
    agree(problem.best.weights, [0.2] * 5, 1e-8)
    np.testing.assert_allclose(problem.best.query, 0, atol=1e-9)
    agree(problem.best.error, 0.8, 1e-8)


def test_g09_a_key_that_stands_twice_gets_a_half() -> None:
    problem = refused(regard.design.query, [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]], 0)
    agree(claim(problem, "ceiling").fields["bound"], 0.5, 1e-8)
    assert claim(problem, "ceiling").fields["radius"] is None
    agree(problem.best.weights[0], 0.5, 1e-3)


def test_g10_weights_that_do_not_fit_keys_on_a_line_are_refused() -> None:
    """Keys -1, 0, 1 and p = (¼, ¼, ½): ln p is not affine in the key."""
    problem = refused(regard.design.query, [[-1.0], [0.0], [1.0]], [0.25, 0.25, 0.5])
    # The law with mean ¼ and the most entropy is geometric: a root of one equation in t = e^q.
    t = np.roots([0.75, -0.25, -1.25]).max()
    best = np.array([1 / t, 1, t]) / (1 / t + 1 + t)
    apart = claim(problem, "weights_apart")
    agree(weights(apart.witness["attained_by"], [[-1.0], [0.0], [1.0]]), best, 1e-8)
    gap = -best @ np.log(best) - (0.5 * math.log(4) + 0.5 * math.log(2))
    agree(apart.fields["bound"], gap, 1e-8)
    # Closest in the measure of the error is another query: H21.
    agree(problem.best.weights, [0.19098300562505258, 0.30901699437494745, 0.5], 1e-8)


def test_g10_weights_that_fit_are_met_exactly() -> None:
    """Ln p affine in the key: p = (1, 2, 4)/7 needs q = ln 2."""
    design = proved(regard.design.query([[-1.0], [0.0], [1.0]], [1 / 7, 2 / 7, 4 / 7]))
    np.testing.assert_allclose(design.query, [math.log(2)], rtol=1e-12)
    assert design.error < 1e-14


def test_g11_an_edge_of_a_square_has_margin_one() -> None:
    agree(proved(regard.design.query(SQUARE, {0: 0.5, 1: 0.5})).margin, 1.0, 1e-6)


def test_g11_the_diagonal_of_a_square_is_refused_with_the_other_diagonal() -> None:
    problem = refused(regard.design.query, SQUARE, {0: 0.5, 2: 0.5})
    assert problem.best.margin == 0.0
    agree(problem.best.weights, [0.25] * 4, 1e-6)
    apart = claim(problem, "weights_apart")
    agree(apart.fields["bound"], math.log(2), 1e-6)
    assert apart.fields["radius"] is None
    mixture = np.array([eval_fraction(w) for w in apart.witness["combination"]])
    agree(mixture[[1, 3]] / np.sum(mixture[[1, 3]]), [0.5, 0.5], 1e-6)


def test_g11_a_pair_of_a_simplex_has_the_distance_of_a_line_from_a_segment() -> None:
    keys = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 3.0]]
    agree(proved(regard.design.query(keys, {1: 0.5, 2: 0.5})).margin, 0.8944271909999159, 1e-6)


def test_g58_the_ends_of_a_line_cannot_be_had_without_its_middle() -> None:
    problem = refused(regard.design.query, [[-1.0], [0.0], [1.0]], [0.5, 0.0, 0.5])
    agree(claim(problem, "weights_apart").fields["bound"], 0.4054651081081644, 1e-6)
    query = claim(problem, "weights_apart").witness["attained_by"]
    agree(weights(query, [[-1.0], [0.0], [1.0]]), [1 / 3] * 3, 1e-6)
    # Closest in the measure of the error is another query: H19.
    agree(problem.best.error, (math.sqrt(5) - 1) / 4, 1e-9)


# Gaps and pitfalls --------------------------------------------------------------------------------


def test_g55_the_weight_lies_between_the_bounds_of_its_gap() -> None:
    lost = 1 - weights([1.0], [[5.0], [1.0], [0.0], [-2.0]])[0]
    agree(lost, 0.02530832534520062, 1e-10)
    assert 0.01798620996209156 < lost < 0.0520850061724844
    agree(weights([1.0], [[0.1], [0.001]])[0], 0.524729805230163, 1e-10)
    agree(weights([1.0], [[1000.0], [990.0]])[0], 0.9999546021312976, 1e-10)


@pytest.mark.parametrize(
    ("keys", "gap"),
    [
        # n = 4 and all other keys alike: the sufficient gap. One other key near, the rest far: the
        # necessary one.
        ([[1.0], [0.0], [0.0], [0.0]], 8.005367067316664),
        ([[1.0], [0.0], [-1e3], [-1e3]], 6.906754778648554),
    ],
)
def test_g55_both_gaps_are_needed_somewhere(keys: list[list[float]], gap: float) -> None:
    agree(proved(regard.design.query(keys, 0, tolerance=1e-3)).query, [gap], 1e-10)


def test_g56_a_query_along_a_key_may_favour_a_longer_one_and_the_design_does_not() -> None:
    keys = [[1.0, 0.0], [2.0, 0.0], [0.0, 1.0]]
    alpha = [0.006692549116589287, 0.9932623568421743, 4.509404123635488e-05]
    agree(weights([5.0, 0.0], keys), alpha, 1e-10)
    design = proved(regard.design.query(keys, 0))
    agree(design.margin, 1 / math.sqrt(5), 1e-9)  # from (1, 0) to the segment (2, 0) – (0, 1)
    np.testing.assert_allclose(design.weights, [1, 0, 0], atol=1e-3)


def test_distinct_keys_of_equal_length_can_all_be_copied() -> None:
    keys = np.random.default_rng(11).standard_normal((13, 3))
    keys /= np.linalg.norm(keys, axis=1, keepdims=True)
    for j in range(13):
        assert proved(regard.design.query(keys, j)).margin > 0


# Self-attention -----------------------------------------------------------------------------------


def test_g26_with_the_tokens_as_queries_and_keys_the_second_attends_to_itself() -> None:
    tokens = u_tokens(1.5)
    found = reference.attention(tokens, tokens, tokens, scale=1.0)
    alpha = [0.0870493554382591, 0.8259012891234818, 0.0870493554382591]
    agree(found.weights[1], alpha, 1e-10)
    wanted = [1.2388519336852226, 0.2611480663147773, 0.13057403315738866, 0.13057403315738866]
    agree(found.output[1], wanted, 1e-10)
    miss = np.linalg.norm(found.output[1] - u_vectors(1.5)[0])
    agree(miss, 0.4129113480516954, 1e-10)
    agree(miss, math.sqrt(10) * 1.5 / (math.exp(2.25) + 2), 1e-10)


@pytest.mark.parametrize("beta", [0.5, 1.5, 4.0])
def test_g26_no_head_brings_the_second_output_to_u_b(beta: float) -> None:
    """Whatever the weights, the tokens' hull stays β√(2/5) away (weights .4, .2, .4)."""
    problem = refused(
        regard.design.self_attention,
        u_tokens(beta),
        outputs={1: u_vectors(beta)[1]},
        W_V=np.eye(4),
    )
    hull = claim(problem, "apart_from_hull")
    agree(hull.fields["bound"], beta * math.sqrt(2 / 5), 1e-9)
    agree(hull.witness["combination"], [0.4, 0.2, 0.4], 1e-6)
    agree(problem.best.error, beta * math.sqrt(2 / 5), 1e-6)
    agree(problem.best.weights[1], [0.4, 0.2, 0.4], 1e-3)


@pytest.mark.parametrize("added", [2, 3])
def test_g27_adding_u_c_or_u_d_to_the_second_token_makes_it_worse(added: int) -> None:
    beta = 1.5
    tokens = u_tokens(beta)
    tokens[1] += u_vectors(beta)[added]
    problem = refused(
        regard.design.self_attention, tokens, outputs={1: u_vectors(beta)[1]}, W_V=np.eye(4)
    )
    agree(claim(problem, "apart_from_hull").fields["bound"], beta * math.sqrt(1 / 2), 1e-9)


def test_g28_the_matrices_of_the_course_give_these_numbers() -> None:
    beta = 2.0
    a, b, c, d = u_vectors(beta)
    Q = (np.outer(d, a) + np.outer(c, d)) / beta**2
    V = (np.outer(b, b) - np.outer(c, c)) / beta**2
    tokens = u_tokens(beta)
    found = reference.attention(tokens @ Q.T, tokens, tokens @ V.T, scale=1.0)
    near, far = 0.01766842201404805, 0.9646631559719039
    agree(found.weights, [[near, near, far], [far, near, near], [1 / 3] * 3], 1e-10)
    agree(found.output[0], [0.0, 1.9646631559719039, -1.9293263119438078, 0.0], 1e-10)
    agree(found.output[1], [0.0, 1.9646631559719039, -0.0353368440280961, 0.0], 1e-10)
    agree(np.linalg.norm(found.output[0] - (b - c)), 0.07901558535713037, 1e-10)
    agree(np.linalg.norm(found.output[1] - b), 0.04997384407599621, 1e-10)


@pytest.mark.parametrize("beta", [0.5, 2.0, 5.0])
@pytest.mark.parametrize("tolerance", [1e-2, 1e-6])
def test_g29_one_column_is_enough_for_the_second_part(beta: float, tolerance: float) -> None:
    _, b, c, _ = u_vectors(beta)
    tokens = u_tokens(beta)
    design = proved(
        regard.design.self_attention(tokens, outputs={0: b - c, 1: b}, tolerance=tolerance)
    )
    assert (design.d_k, design.d_k_lower_bound) == (1, 1)
    assert design.W_Q.shape == design.W_K.shape == (4, 1)
    found = reference.attention(
        tokens @ design.W_Q, tokens @ design.W_K, tokens @ design.W_V, scale=1.0
    )
    misses = np.linalg.norm(found.output[:2] - [b - c, b], axis=1)
    np.testing.assert_array_less(misses, tolerance + 1e-12)


def test_g29_the_rank_one_matrix_of_the_theory_serves_two_opposite_rows() -> None:
    """The row of x_2 has scores C (1, 0, -1), that of x_1 C (-1, 0, 1): here for the pattern itself."""
    beta = 1.5
    design = proved(regard.design.self_attention(u_tokens(beta), attend={0: 2, 1: 0}))
    assert (design.d_k, design.d_k_lower_bound) == (1, 1)
    scores = u_tokens(beta) @ design.A @ u_tokens(beta).T  # s_ij is entry (j, i)
    assert scores[2, 0] > max(scores[0, 0], scores[1, 0])
    assert scores[0, 1] > max(scores[2, 1], scores[1, 1])


def test_g30_an_argmax_pattern_out_of_reach_is_refused_with_its_farkas_combination() -> None:
    """x_3 = x_1 + x_2: the three differences, a third each, add up to exactly 0."""
    problem = refused(
        regard.design.self_attention, [[1, 0], [0, 1], [1, 1]], attend={0: 0, 1: 0, 2: 1}
    )
    ceiling = claim(problem, "pattern_ceiling")
    assert ceiling.fields["radius"] is None
    entries = {(row, token): eval_fraction(w) for row, token, w in ceiling.witness["combination"]}
    total = sum(entries.values())
    assert set(entries) == {(0, 1), (1, 1), (2, 0)}
    agree([w / total for w in entries.values()], [1 / 3] * 3, 1e-12)
    agree(ceiling.fields["bound"], 0.5, 1e-9)


@pytest.mark.parametrize("pattern", [{0: 2, 1: 2, 2: 2}, {0: 0, 1: 1, 2: 2}])
def test_g30_other_patterns_of_the_same_tokens_are_reached(pattern: dict[int, int]) -> None:
    proved(regard.design.self_attention([[1, 0], [0, 1], [1, 1]], attend=pattern))


def test_g31_a_soft_pattern_needs_as_many_columns_as_the_rank_of_its_logarithms() -> None:
    """Independent tokens: solvable, and d_k = rank of ln P centred over the tokens."""
    rng = np.random.default_rng(3)
    n, rank = 5, 2
    scores = rng.standard_normal((n, rank)) @ rng.standard_normal((rank, n))
    powers = np.exp(scores)
    table = powers / np.sum(powers, axis=1, keepdims=True)
    logs = np.log(table) - np.mean(np.log(table), axis=1, keepdims=True)
    sizes = np.linalg.svd(logs, compute_uv=False)
    assert sizes[rank - 1] > 0.1 > 1e-12 > sizes[rank]
    pattern = {i: dict(enumerate(row.tolist())) for i, row in enumerate(table)}
    tokens = rng.standard_normal((n, n))
    design = proved(regard.design.self_attention(tokens, attend=pattern, tolerance=1e-5))
    assert (design.d_k, design.d_k_lower_bound) == (rank, rank)


def test_g31_a_soft_pattern_over_dependent_tokens_is_refused_with_its_divergence() -> None:
    """One row, tokens -1, 0, 1: as for the query, the gap is H(best) - H(p)."""
    problem = refused(
        regard.design.self_attention, [[-1.0], [0.0], [1.0]], attend={2: {0: 0.5, 2: 0.5}}
    )
    agree(claim(problem, "pattern_apart").fields["bound"], 0.4054651081081644, 1e-6)


def test_g32_the_circle_code_gives_this_weight_at_the_sufficient_scale() -> None:
    n, room = 8, 0.01
    angles = 2 * np.pi * np.arange(n) / n
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    scale = math.log((n - 1) * (1 - room) / room) / (1 - math.cos(2 * np.pi / n))
    agree(scale, 22.332473335123442, 1e-9)
    agree(weights(scale * circle[5], circle)[5], 0.9971223017604806, 1e-9)
    design = proved(regard.design.query(circle, 5, tolerance=room))
    agree(design.margin, 1 - math.cos(2 * np.pi / n), 1e-6)
    assert np.linalg.norm(design.query) < scale


@pytest.mark.parametrize("seed", range(3))
def test_g32_two_columns_are_enough_for_any_pattern_of_independent_tokens(seed: int) -> None:
    rng = np.random.default_rng(seed)
    pattern = dict(enumerate(rng.permutation(8).tolist()))
    design = proved(
        regard.design.self_attention(rng.standard_normal((8, 8)), attend=pattern, tolerance=0.01)
    )
    assert (design.d_k, design.d_k_lower_bound) == (2, 2)


# Separators ---------------------------------------------------------------------------------------


def test_g45_a_unit_basis_that_is_not_orthogonal_is_read_out_of_an_average() -> None:
    S = np.array([[1, 0.6], [0, 0.8], [0, 0]])
    T = np.array([[0.0], [0.0], [1.0]])
    c = np.array([1.1, 0.8, 2.5])
    design = proved(regard.design.separator(S, T))
    agree(design.M, np.diag([2.0, 2.0, 0.0]), 1e-12)
    agree(design.M @ c, [2.2, 1.6, 0], 1e-12)
    agree(c @ design.M, [2.2, 1.6, 0], 1e-12)
    agree(design.norm, 2.0, 1e-12)
    # What the usual mistakes give instead: coordinates, no inverse, and the factor 2 or not.
    agree(S.T @ c, [1.1, 1.3], 1e-12)
    agree(S @ S.T @ c, [1.88, 1.04, 0], 1e-12)
    agree(2 * S @ S.T @ c, [3.76, 2.08, 0], 1e-12)
    agree(design.M @ c / 2, [1.1, 0.8, 0], 1e-12)
    np.testing.assert_allclose(design.angle, np.pi / 2)


def test_g45_for_a_sum_the_factor_two_is_left_out() -> None:
    design = proved(regard.design.separator([[1, 0.6], [0, 0.8], [0, 0]], [[0], [0], [1]], share=1))
    agree(design.M @ [2.2, 1.6, 5.0], [2.2, 1.6, 0], 1e-12)


@pytest.mark.parametrize("angle", [1.5, 0.7, 1e-2, 1e-5])
def test_g46_the_norm_is_two_over_the_sine_of_the_smallest_angle(angle: float) -> None:
    S, T = [[1.0], [0.0], [0.0]], [[math.cos(angle)], [math.sin(angle)], [0.0]]
    design = proved(regard.design.separator(S, T))
    np.testing.assert_allclose(design.norm, 2 / math.sin(angle), rtol=1e-9)
    np.testing.assert_allclose(design.angle, angle, rtol=1e-9)
    norm = claim(design, "norm_at_least").fields["bound"]
    np.testing.assert_allclose(norm, 2 / math.sin(angle), rtol=1e-8)
    mix = 0.5 * np.array([3.0, 0, 0]) + 0.5 * 7 * np.ravel(T)
    np.testing.assert_allclose(design.M @ mix, [3, 0, 0], atol=1e-9 / math.sin(angle))
