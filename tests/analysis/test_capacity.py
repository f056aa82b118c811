"""What a width can tell apart: golden counts, and queries and keys that show them."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import regard
from regard.analysis.head_capacity import capacity, soft_rank


def test_the_golden_numbers_of_rankings() -> None:
    for (n, d_k), count in {(5, 2): 20, (5, 3): 72, (4, 3): 24}.items():  # G52
        assert capacity(n, d_k).rankings == count


def test_the_golden_widths_that_isolate_every_set() -> None:
    found = capacity(10, 3)  # G52
    assert [found.d_k_for_subsets(m) for m in (1, 2, 3)] == [2, 4, 6]


@pytest.mark.parametrize("n", [2, 3, 5, 7])
def test_queries_in_the_plane_reach_exactly_the_counted_rankings(n: int) -> None:
    # Two keys trade places where the query is at a right angle to their difference; between
    # neighbouring such angles the ranking stays the same.
    keys = np.random.default_rng(3).standard_normal((n, 2))
    apart = [keys[i] - keys[j] for i, j in itertools.permutations(range(n), 2)]
    angles = np.sort([math.atan2(x, -y) for x, y in apart])
    between = angles + np.diff(angles, append=angles[0] + 2 * math.pi) / 2
    queries = np.stack([np.cos(between), np.sin(between)])
    reached = {tuple(order) for order in np.argsort(keys @ queries, axis=0).T}
    assert len(reached) == capacity(n, 2).rankings == n * (n - 1)


def test_no_sample_of_queries_finds_more_rankings() -> None:
    rng = np.random.default_rng(5)
    keys, queries = rng.standard_normal((5, 3)), rng.standard_normal((3, 50_000))
    reached = {tuple(order) for order in np.argsort(keys @ queries, axis=0).T}
    assert len(reached) == capacity(5, 3).rankings


def test_one_dimension_ranks_forwards_and_backwards_only() -> None:
    for n in (2, 3, 61):
        assert capacity(n, 1).rankings == 2


def test_every_ranking_is_reached_from_one_less_than_the_keys_on() -> None:
    for n in range(2, 9):
        for d_k in range(1, 12):
            found = capacity(n, d_k)
            assert found.all_rankings == math.factorial(n)
            assert found.every_ranking == (d_k >= n - 1)
            assert found.rankings <= found.all_rankings
            assert found.soft_rank == min(d_k, n - 1)


def test_large_counts_are_exact() -> None:
    # From the plane, where m keys have m (m − 1) rankings, into space by the recurrence.
    n = 1009
    expected = 2 + sum(m * m * (m - 1) for m in range(2, n))
    assert capacity(n, 3).rankings == expected


def test_keys_on_a_trigonometric_curve_show_the_width_for_pairs() -> None:
    n = 8
    found = capacity(n, 4)
    assert found.all_pairs
    assert found.subset_size == 2
    assert not capacity(n, 3).all_pairs
    times = 2 * math.pi * np.arange(n) / n
    keys = np.stack([np.cos(times), np.sin(times), np.cos(2 * times), np.sin(2 * times)], axis=1)
    grid = 2 * math.pi * np.arange(61) / 61
    curve = np.stack([np.cos(grid), np.sin(grid), np.cos(2 * grid), np.sin(2 * grid)], axis=1)
    for a, b in itertools.combinations(range(n), 2):
        # Zero at both keys of the pair, positive at every other, and linear in the keys.
        product = (1 - np.cos(grid - times[a])) * (1 - np.cos(grid - times[b]))
        query = -np.linalg.lstsq(curve, product - np.mean(product), rcond=None)[0]
        scores = keys @ query
        np.testing.assert_allclose(scores[a], scores[b], rtol=1e-12, atol=1e-12)
        others = np.delete(scores, [a, b])
        assert np.max(others) < scores[a] - 1e-3


def test_sets_of_each_size_need_twice_their_size_or_a_simplex() -> None:
    for n, d_k in itertools.product(range(1, 12), range(1, 12)):
        found = capacity(n, d_k)
        sizes = [m for m in range(1, n) if found.d_k_for_subsets(m) <= d_k]
        assert found.subset_size == max(sizes, default=0)
        assert sizes == list(range(1, found.subset_size + 1))
        assert found.all_keys == (d_k >= min(2, n - 1))
        assert found.all_pairs == (n == 2 or d_k >= min(4, n - 1))
        assert found.d_k_for_subsets(n) == 0


def test_the_rank_of_soft_patterns_is_that_of_their_scores() -> None:
    rng = np.random.default_rng(7)
    for rank in (0, 1, 2, 5):
        scores = rng.standard_normal((11, rank)) @ rng.standard_normal((rank, 7))
        shifted = scores + 3 * rng.standard_normal((11, 1))
        weights = np.exp(scores) / np.sum(np.exp(scores), axis=1, keepdims=True)
        assert soft_rank(weights) == soft_rank(np.exp(shifted)) == rank
    assert soft_rank(rng.random((11, 7)) + 0.1) == 6


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((0, 3), "capacity: n must be a whole number ≥ 1. Got 0."),
        ((3, 0), "capacity: d_k must be a whole number ≥ 1. Got 0."),
        ((3, 2.5), "capacity: d_k must be a whole number ≥ 1. Got 2.5."),
        ((10**6, 3), "capacity: n must be at most 100000: the counts are exact. Got 1000000."),
        (
            (10**4, 10**3),
            "capacity: n · d_k must be at most 5000000: the counts are exact. "
            "Got 10000 · 1000 = 10000000.",
        ),
    ],
)
def test_what_cannot_be_counted_is_named(arguments: tuple[int, int], words: str) -> None:
    with pytest.raises(regard.ParameterError) as caught:
        capacity(*arguments)
    assert str(caught.value) == words


def test_sets_beyond_the_keys_and_weights_of_zero_are_named() -> None:
    with pytest.raises(regard.ParameterError) as caught:
        capacity(5, 2).d_k_for_subsets(6)
    assert str(caught.value) == ("d_k_for_subsets: m must be at most the number of keys, 5. Got 6.")
    with pytest.raises(regard.ParameterError) as caught:
        soft_rank([[0.5, 0.5, 0.0]])
    assert str(caught.value) == (
        "soft_rank: weights must be positive. Got 0 in weights[0, 2]. "
        "A weight of zero is a limit that no scores reach."
    )


def test_the_capacity_prints_as_a_summary() -> None:
    assert str(capacity(4, 2)) == (
        "Capacity of d_k = 2 over 4 keys\n"
        "===============================\n"
        "\n"
        "Rankings are of keys in general position; sets and patterns of suitable keys.\n"
        "\n"
        "rankings                       12 of 24\n"
        "every ranking needs d_k        3\n"
        "every set isolated up to size  1\n"
        "rank of exact soft patterns    at most 2\n"
        "\n"
        "to isolate every such set\n"
        "keys in a set  d_k needed  enough\n"
        "-------------  ----------  ------\n"
        "            1           2  yes\n"
        "            2           3  no\n"
        "            3           3  no"
    )
    assert "about 4.02e+2567" in str(capacity(1000, 64))
    assert ">12 of 24</td>" in capacity(4, 2)._repr_html_()
