"""Reading positional heads: golden values, designs read back, other schemes, content."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

import regard
from regard.analysis.positions.content_split import content_split
from regard.analysis.positions.plots import plot_attention, plot_embedding, plot_kernel
from regard.analysis.positions.positional_kernel import positional_kernel
from regard.analysis.positions.rotary_kernel import rotary_kernel


def omega(d: int, base: float = 10000.0) -> np.ndarray[Any, Any]:
    return base ** (-2.0 * np.arange(d // 2) / d)


def rotation_blocks(T: int, weights: Any, base: float = 10000.0) -> np.ndarray[Any, Any]:
    """The A whose scores are Σ_i weights_i cos ω_i (t − τ − T)."""
    d = 2 * len(weights)
    A = np.zeros((d, d))
    for i, (w, g) in enumerate(zip(omega(d, base), weights, strict=True)):
        c, s = math.cos(w * T), math.sin(w * T)
        A[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = g * np.array([[c, -s], [s, c]])
    return A


def best_weights(d: int, B: int, n: int, signed: bool, free: int = 0) -> np.ndarray[Any, Any]:
    """Block weights with the widest gap between |δ| ≤ B/2 and the shifts up to n outside.

    `free` steps past either edge count neither as window nor as outside.
    """
    cos = np.cos(np.outer(np.arange(n), omega(d)))
    cos = np.hstack([cos, -cos]) if signed else cos
    inside, outside, m = cos[: B // 2 + 1], cos[B // 2 + 1 + free :], cos.shape[1]
    rows = [np.hstack([-inside, np.ones((len(inside), 1)), np.zeros((len(inside), 1))])]
    rows += [np.hstack([outside, np.zeros((len(outside), 1)), -np.ones((len(outside), 1))])]
    rows += [np.append(np.ones(m), [0, 0])[None]]
    limits = np.append(np.zeros(n - free), 1.0)
    objective = np.append(np.zeros(m), [-1.0, 1.0])
    bounds = [(0, None)] * m + [(None, None)] * 2
    a = linprog(objective, A_ub=np.vstack(rows), b_ub=limits, bounds=bounds).x[:m]
    return a[: d // 2] - a[d // 2 :] if signed else a


def noisy(A: np.ndarray[Any, Any], rng: np.random.Generator) -> np.ndarray[Any, Any]:
    return A + rng.standard_normal(A.shape) * 0.03 * np.linalg.norm(A) / len(A)


def test_the_scores_by_shift_of_the_tabulated_head() -> None:
    A = np.zeros((8, 8))  # G33: d = 8, T = 3
    A[0:2, 0:2] = [
        [-0.9899924966004454, -0.1411200080598672],
        [0.1411200080598672, -0.9899924966004454],
    ]
    A[2:4, 2:4] = [
        [0.955336489125606, -0.2955202066613396],
        [0.2955202066613396, 0.955336489125606],
    ]
    A[4:6, 4:6] = [
        [0.9995500337489875, -0.02999550020249566],
        [0.02999550020249566, 0.9995500337489875],
    ]
    A[6:8, 6:8] = [
        [0.999995500003375, -0.002999995500002025],
        [0.002999995500002025, 0.999995500003375],
    ]
    kernel = positional_kernel(A)
    golden = [1.964889526277523, 2.5637177479613436, 3.535255971562872, 4.0]
    np.testing.assert_allclose(kernel.f(np.arange(7)), golden + golden[2::-1], rtol=1e-12)
    assert (kernel.T, kernel.B) == (3, 0)
    np.testing.assert_allclose(kernel.toeplitz_share, 1, rtol=1e-14)
    np.testing.assert_allclose(kernel.residual, 0, atol=1e-14)


def test_the_transpose_looks_ahead() -> None:
    assert positional_kernel(rotation_blocks(11, np.ones(16)).T).T == -11


def test_f_is_the_score_of_embeddings_at_any_positions() -> None:
    rng = np.random.default_rng(3)
    A = rotation_blocks(7, rng.standard_normal(11)) + rotation_blocks(2, rng.standard_normal(11))
    kernel = positional_kernel(A)
    E = regard.sinusoidal(41, 22)
    t = np.arange(41)
    np.testing.assert_allclose(kernel.f(t[None, :] - t[:, None]), E @ A @ E.T, atol=1e-12)
    by_hand = sum(
        a * math.cos(w * 0.5) + b * math.sin(w * 0.5)
        for a, b, w in zip(kernel.cosine, kernel.sine, omega(22), strict=True)
    )
    np.testing.assert_allclose(kernel.f(0.5), by_hand, rtol=1e-13)


def test_the_residual_bounds_what_shifts_leave_unexplained() -> None:
    rng = np.random.default_rng(4)
    for d in (2, 6, 14):
        A = rng.standard_normal((d, d))
        kernel = positional_kernel(A)
        E = regard.sinusoidal(101, d)
        t = np.arange(101)
        off = np.abs(E @ A @ E.T - kernel.f(t[None, :] - t[:, None]))
        assert np.max(off) <= kernel.residual
        assert np.max(off) >= kernel.residual / 40
        blocks = 2 * np.sum(kernel.cosine**2 + kernel.sine**2)
        np.testing.assert_allclose(kernel.toeplitz_share, blocks / np.sum(A**2), rtol=1e-12)


def random_design(rng: np.random.Generator) -> tuple[int, int, float, np.ndarray[Any, Any]]:
    """An offset, or a band of a width that its zeroed blocks tell: the widest that zeroes them."""
    d = int(rng.choice([16, 32, 64, 128, 256]))
    T = int(rng.integers(-500, 501))
    phase = float(rng.choice([math.pi / 4, math.pi / 3, math.pi / 2, math.pi]))
    if rng.random() < 0.2:
        return T, 0, phase, rotation_blocks(T, np.ones(d // 2))
    while True:
        first = int(rng.integers(1, d // 4))
        B = math.floor(2 * phase / omega(d)[first])
        keep = omega(d) * B / 2 <= phase
        if not keep[0]:
            return T, B, phase, rotation_blocks(T, 1.0 * keep)


@pytest.mark.parametrize("count", [25, pytest.param(200, marks=pytest.mark.slow)])
def test_random_designs_are_read_back_exactly_and_nearly_so_through_noise(count: int) -> None:
    rng = np.random.default_rng(5)
    for _ in range(count):
        T, B, phase, A = random_design(rng)
        kernel = positional_kernel(A, phase=phase)
        assert (kernel.T, kernel.B) == (T, B)
        kernel = positional_kernel(noisy(A, rng), phase=phase)
        assert abs(kernel.T - T) <= max(1, B / 8)
        assert abs(kernel.B - B) <= max(2, B / 4)


@pytest.mark.parametrize("count", [8, pytest.param(40, marks=pytest.mark.slow)])
def test_any_width_that_zeroed_blocks_is_near_the_one_read_through_noise(count: int) -> None:
    rng = np.random.default_rng(19)
    # For fewer blocks, widths twice as large zero the same.
    for d, share in ((64, 1 / 4), (128, 1 / 4), (256, 1 / 12)):
        for _ in range(count):
            B, T = int(rng.integers(4, 200)), int(rng.integers(-500, 501))
            keep = omega(d) * B / 2 <= math.pi / 2
            kernel = positional_kernel(noisy(rotation_blocks(T, 1.0 * keep), rng))
            assert abs(kernel.T - T) <= max(1, B / 8)
            assert abs(kernel.B - B) <= max(2, B * share)


def test_any_width_that_zeroes_the_same_blocks_is_in_the_range() -> None:
    for d in (16, 64, 512):
        for B in (1, 2, 5, 10, 37, 118):
            keep = omega(d) * B / 2 <= math.pi / 2
            kernel = positional_kernel(rotation_blocks(-4, 1.0 * keep))
            assert kernel.B_range[0] <= B <= kernel.B_range[1]
            again = omega(d) * kernel.B / 2 <= math.pi / 2
            np.testing.assert_array_equal(again, keep)
            assert kernel.kept == tuple(np.flatnonzero(keep))


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize(
    ("d", "B", "n", "T"), [(16, 8, 41, 5), (32, 20, 127, -30), (64, 12, 131, 3), (64, 48, 257, 90)]
)
def test_optimal_bands_are_read_back(d: int, B: int, n: int, T: int, signed: bool) -> None:
    A = rotation_blocks(T, best_weights(d, B, n, signed))
    kernel = positional_kernel(A, n=n)
    assert (kernel.T, kernel.B) == (T, B)
    kernel = positional_kernel(A)
    assert (kernel.T, kernel.B) == (T, B)
    assert kernel.reading.endswith("the weights are the best for T ± B/2 up to some length")
    kernel = positional_kernel(noisy(A, np.random.default_rng(d + B)))
    assert abs(kernel.T - T) <= max(1, B / 8)
    assert abs(kernel.B - B) <= max(2, B / 4)


@pytest.mark.parametrize(
    ("T", "B", "d", "n", "signed"),
    [
        (16, 32, 32, 67, False),
        (5, 36, 32, 84, False),
        (-3, 8, 64, 20, False),
        (5, 0, 64, 17, False),
        (2, 0, 128, 24, True),
    ],
)
def test_bands_whose_own_course_misleads_are_read_by_their_weights(
    T: int, B: int, d: int, n: int, signed: bool
) -> None:
    A = rotation_blocks(T, best_weights(d, B, n + abs(T), signed))
    kernel = positional_kernel(A)
    assert (kernel.T, kernel.B) == (T, B)


def test_other_widths_that_fit_through_noise_are_named() -> None:
    A = rotation_blocks(20, best_weights(16, 26, 144, False))
    kernel = positional_kernel(noisy(A, np.random.default_rng(0)))
    assert "26" in kernel.reading or kernel.B == 26
    assert "and so they are for B = " in kernel.reading
    assert positional_kernel(A).B == 26


@pytest.mark.parametrize("count", [10, pytest.param(60, marks=pytest.mark.slow)])
def test_random_optimal_bands_are_read_back_exactly_and_nearly_so_through_noise(count: int) -> None:
    rng = np.random.default_rng(13)
    for trial in range(count):
        d = (8, 8, 16, 32, 64)[trial % 5]
        B, T = 2 * int(rng.integers(0, 25)), int(rng.integers(-100, 101))
        n = abs(T) + 2 * B + int(rng.integers(10, 200))
        A = rotation_blocks(T, best_weights(d, B, n + abs(T), bool(rng.integers(2))))
        for known in ({"n": n}, {}):
            kernel = positional_kernel(A, **known)
            assert (kernel.T, kernel.B) == (T, B)
            kernel = positional_kernel(noisy(A, rng), **known)
            assert abs(kernel.T - T) <= max(1, B / 8)
            assert abs(kernel.B - B) <= max(2, B / 4)


def test_every_width_in_the_range_of_an_optimal_band_has_weights_within_the_noise() -> None:
    rng = np.random.default_rng(14)
    d, n = 8, 199
    wide = 0
    for B in (30, 36, 42, 48):
        A = noisy(rotation_blocks(0, best_weights(d, B, n, False)), rng)
        kernel = positional_kernel(A, n=n)
        low, high = kernel.B_range
        assert low <= B <= high
        wide += high > low + 1
        sigma = 0.03 * np.linalg.norm(A) / d / math.sqrt(2)  # of the mean of two entries
        for other in range(int(low), int(high), 2):
            fits = []
            for signed in (False, True):
                w = best_weights(d, other, n, signed)
                scale = kernel.cosine @ w / (w @ w)
                fits.append(np.linalg.norm(kernel.cosine - scale * w) / sigma)
            assert min(fits) < 6  # four numbers of standard deviation 1
    assert wide  # the weights of neighbouring widths are closer than the noise


def test_the_range_of_an_optimal_band_reaches_to_either_side_of_it() -> None:
    rng = np.random.default_rng(14)
    below = above = 0
    for B in range(30, 50, 2):
        A = noisy(rotation_blocks(0, best_weights(8, B, 199, False)), rng)
        low, high = positional_kernel(A, n=199).B_range
        assert low <= B <= high
        below += low < B
        above += high > B + 1  # odd widths are windows of the even one below
    assert below
    assert above


def test_two_blocks_cannot_tell_wide_windows_apart_and_the_range_says_so() -> None:
    # No reader can: the fast block has at most 0.3 % of the weight for all of these widths,
    # and noise of 3 % of |A|/d adds about 1 % to it.
    rng = np.random.default_rng(15)
    for B in (8, 20, 34):
        weights = best_weights(4, B, 101, True)
        assert abs(weights[0]) < 0.005 * weights[1]
        low, high = positional_kernel(noisy(rotation_blocks(0, weights), rng), n=101).B_range
        assert low <= 8
        assert high >= 34


def test_one_block_fits_every_width_up_to_its_half_turn() -> None:
    widths = 82, 108, 122  # for all of them the third of four blocks alone is the best
    for B in widths:
        weights = best_weights(8, B, 461, False)
        np.testing.assert_allclose(weights, [0, 0, 1, 0], atol=1e-12)
    low, high = positional_kernel(rotation_blocks(0, weights), n=461).B_range
    assert low <= min(widths)
    assert high >= max(widths)


def test_nearly_equal_best_weights_are_not_taken_for_a_single_shift() -> None:
    weights = best_weights(8, 10, 200, False)
    assert abs(weights[1] / weights[2] - 1) < 0.1
    A = noisy(rotation_blocks(0, weights), np.random.default_rng(16))
    assert positional_kernel(A, n=200).B == 10
    weights = best_weights(16, 34, 120, False)  # 0.98 : 1, a few times the noise apart
    A = noisy(rotation_blocks(0, weights), np.random.default_rng(16))
    assert positional_kernel(A, n=120).B == 34


def test_a_transition_is_recognised_by_its_weights() -> None:
    rng = np.random.default_rng(17)
    for d, B, n, free in ((32, 28, 167, 2), (64, 16, 211, 3), (64, 16, 211, 1)):
        A = rotation_blocks(-48, best_weights(d, B, n + 48, True, free))
        for head in (A, noisy(A, rng)):
            for known in ({"n": n}, {}):
                kernel = positional_kernel(head, **known)
                assert (kernel.T, kernel.B) == (-48, B)
                steps = "1 step" if free == 1 else f"{free} steps"
                assert f"with {steps} past either edge left free" in kernel.reading


def test_transitions_of_up_to_eight_steps_are_recognised() -> None:
    kernel = positional_kernel(rotation_blocks(-48, best_weights(32, 28, 215, True, 8)), n=167)
    assert kernel.B == 28
    assert kernel.reading.endswith("with 8 steps past either edge left free")


def test_a_length_counts_as_known_if_all_its_distances_are_tried() -> None:
    best = "the weights are the best for T ± B/2"
    A = rotation_blocks(48, best_weights(64, 12, 182, False))
    assert positional_kernel(A, n=4090).reading.endswith(f"{best} up to some length")  # 4090 + 48
    A = rotation_blocks(100, best_weights(64, 12, 134, False))  # less than any n > 100 has
    assert best not in positional_kernel(A).reading


def test_the_width_of_zeroed_blocks_read_through_noise_is_in_its_range() -> None:
    rng = np.random.default_rng(19)
    for first in range(1, 60, 4):
        kernel = positional_kernel(noisy(rotation_blocks(4, 1.0 * (np.arange(128) >= first)), rng))
        assert kernel.B_range[1] >= kernel.B


def test_a_window_whose_middle_scores_little_is_still_read_about_its_middle() -> None:
    weights = best_weights(64, 194, 488, True)  # of both signs: they nearly cancel at T
    assert np.sum(weights) < np.linalg.norm(weights) / math.sqrt(2)
    kernel = positional_kernel(rotation_blocks(-16, weights), n=472)
    assert (kernel.T, kernel.B) == (-16, 194)


def test_only_weights_that_are_the_best_are_called_so() -> None:
    best = "the weights are the best for T ± B/2"
    A = rotation_blocks(3, best_weights(64, 12, 134, False))
    assert positional_kernel(A, n=131).reading.endswith(best)
    assert positional_kernel(A).reading.endswith(f"{best} up to some length")
    assert best not in positional_kernel(A, n=1000).reading  # among so many others are better
    by_hand = rotation_blocks(3, np.exp(-((np.arange(32) - 12) ** 2) / 50))
    assert best not in positional_kernel(by_hand, n=131).reading


def test_ordinary_heads_are_not_compared_with_designed_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("compared")

    monkeypatch.setattr("regard.analysis.positions.read_width.match", refuse)
    rng = np.random.default_rng(18)
    offset, zeroed = np.ones(16), 1.0 * (omega(32) * 10 <= math.pi / 2)
    heads = [rng.standard_normal((32, 32)), rotation_blocks(9, offset), rotation_blocks(9, zeroed)]
    heads += [noisy(head, rng) for head in heads]
    bent = sum(rotation_blocks(int(i), np.eye(16)[i]) for i in range(16))  # about no T
    band = rotation_blocks(9, best_weights(32, 20, 110, False))
    content = rng.standard_normal((32, 32))  # far more than the positional part
    heads += [bent, band / np.linalg.norm(band) + 2 * content / np.linalg.norm(content)]
    heads += [rng.standard_normal((32, 5)) @ rng.standard_normal((5, 32)) for _ in range(20)]
    for head in heads:
        positional_kernel(head, n=101)
    with pytest.raises(AssertionError, match="compared"):
        positional_kernel(rotation_blocks(9, best_weights(32, 20, 110, False)), n=101)


def test_a_head_that_looks_away_from_a_shift_is_not_read_as_looking_there() -> None:
    kernel = positional_kernel(-rotation_blocks(5, np.ones(8)), n=100)
    f = -sum(np.cos(w * (np.arange(-99, 100) - 5)) for w in omega(16))
    assert int(np.argmax(f)) == kernel.T + 99


def test_few_blocks_through_noise_give_the_nearest_of_the_shifts_that_look_alike() -> None:
    weights = np.zeros(32)
    weights[12] = 1.0  # period 199: shifts that far apart are told apart by nothing but noise
    A = noisy(rotation_blocks(30, weights), np.random.default_rng(6))
    assert abs(positional_kernel(A).T - 30) <= 4


def test_very_large_and_very_small_heads_read_the_same() -> None:
    for size in (1e-200, 1e200):
        kernel = positional_kernel(size * rotation_blocks(7, np.ones(8)))
        assert (kernel.T, kernel.B, kernel.toeplitz_share) == (7, 0, 1.0)


def test_a_head_without_positions_says_so() -> None:
    kernel = positional_kernel(np.zeros((6, 6)))
    assert (kernel.T, kernel.B, kernel.toeplitz_share, kernel.kept) == (None, None, 0.0, ())
    assert "Not a positional head: 0 % of it is shift-invariant." in str(kernel)


@pytest.mark.parametrize("rank", [1, 4, 64])
@pytest.mark.parametrize("seed", range(5))
def test_a_random_matrix_is_not_called_a_positional_head(rank: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((64, rank)) @ rng.standard_normal((rank, 64))
    kernel = positional_kernel(A)
    assert not kernel.is_positional
    assert (kernel.T, kernel.B, kernel.B_range) == (None, None, None)
    first = str(kernel).splitlines()[3]
    assert first.startswith("Not a positional head: ")
    with pytest.raises(regard.ParameterError, match="this is not a positional head"):
        kernel.width()
    kernel.f([0, 1])  # what there is can be looked at
    assert "Not a positional head" in kernel.plot().axes[0].get_title()


def test_the_share_from_which_a_head_is_read_is_rare_in_random_matrices() -> None:
    rng = np.random.default_rng(1)
    for d in (4, 6, 16):
        least = positional_kernel(np.eye(d)).least_share
        A = rng.standard_normal((20_000, d, d))
        even, odd = slice(0, d, 2), slice(1, d, 2)
        pairs = np.arange(d // 2)
        blocks = A[:, even, even][:, pairs, pairs] + A[:, odd, odd][:, pairs, pairs]
        turned = A[:, odd, even][:, pairs, pairs] - A[:, even, odd][:, pairs, pairs]
        share = np.sum(blocks**2 + turned**2, axis=1) / 2 / np.sum(A**2, axis=(1, 2))
        assert np.mean(share > least) <= 5e-4  # one in 10 000, or fewer
    # With a tenth of its energy in the blocks, a large head is read.
    assert positional_kernel(np.eye(64)).least_share == 0.1


def test_position_in_a_fifth_of_a_head_is_still_read() -> None:
    rng = np.random.default_rng(2)
    A = rotation_blocks(5, np.ones(32))
    noise = rng.standard_normal(A.shape)
    kernel = positional_kernel(A + 2 * noise * np.linalg.norm(A) / np.linalg.norm(noise))
    assert 0.15 < kernel.toeplitz_share < 0.3
    assert kernel.T is not None
    assert abs(kernel.T - 5) <= 1


def test_half_precision_reads_the_same() -> None:
    keep = omega(32) * 20 / 2 <= math.pi / 2
    A = rotation_blocks(9, 1.0 * keep)
    for dtype in (np.float32, np.float16):
        kernel = positional_kernel(A.astype(dtype))
        assert (kernel.T, kernel.kept) == (9, tuple(np.flatnonzero(keep)))


def test_the_width_counts_shifts_above_a_level() -> None:
    kernel = positional_kernel(rotation_blocks(3, [1.0, 0.0], base=16.0), base=16.0, n=50)
    # cos 1 = .54, so only T itself is within −3 dB; cos 1 > 1/2 > cos 2.
    assert (kernel.width(), kernel.width(0.5)) == (1, 3)


def test_a_learned_table_is_fitted_by_its_diagonals() -> None:
    rng = np.random.default_rng(7)
    turn = np.linalg.qr(rng.standard_normal((16, 16)))[0]
    A = rotation_blocks(6, np.ones(8))
    table = regard.sinusoidal(53, 16) @ turn
    kernel = positional_kernel(turn.T @ A @ turn, table=table)
    plain = positional_kernel(A)
    shifts = np.arange(-52, 53)
    np.testing.assert_allclose(kernel.f(shifts), plain.f(shifts), atol=1e-12)
    assert kernel.T == 6
    np.testing.assert_allclose(kernel.toeplitz_share, 1, rtol=1e-12)
    other = rng.standard_normal((31, 5))
    M = rng.standard_normal((5, 5))
    fitted = positional_kernel(M, table=other)
    scores = other @ M @ other.T
    design = np.zeros((31 * 31, 61))  # least squares the long way
    for tau in range(31):
        for t in range(31):
            design[tau * 31 + t, t - tau + 30] = 1
    found = np.linalg.lstsq(design, scores.ravel(), rcond=None)[0]
    np.testing.assert_allclose(fitted.f(np.arange(-30, 31)), found, atol=1e-12)
    left = np.max(np.abs(scores.ravel() - design @ found))
    np.testing.assert_allclose(fitted.residual, left, rtol=1e-12)


def test_a_learned_band_is_read_off_a_table() -> None:
    n = 61
    t = np.arange(n)
    distance = np.abs(t[None, :] - t[:, None] - 4)  # row τ, column t
    scores = np.where(distance <= 3, 5.0, 1.0) - 0.01 * distance
    kernel = positional_kernel(scores, table=np.eye(n))
    assert (kernel.T, kernel.B) == (4, 6)


@pytest.mark.parametrize("layout", ["interleaved", "halves"])
def test_the_rotary_kernel_is_the_mean_score_by_shift(layout: str) -> None:
    rng = np.random.default_rng(8)
    tokens = rng.standard_normal((13, 7)) + 1.0
    W_Q, W_K = rng.standard_normal((2, 7, 10))
    b_Q = rng.standard_normal(10)
    kernel = rotary_kernel(W_Q, W_K, tokens, b_Q=b_Q, layout=layout, base=500.0)
    assert 0 < kernel.toeplitz_share < 1
    for t, tau in ((0, 0), (9, 2), (3, 17)):
        q = regard.rotary(tokens @ W_Q + b_Q, t, 500.0, layout=layout)
        k = regard.rotary(tokens @ W_K, tau, 500.0, layout=layout)
        np.testing.assert_allclose(kernel.f(t - tau), np.mean(q @ k.T), rtol=1e-10)
        assert np.max(np.abs(q @ k.T - kernel.f(t - tau))) <= kernel.residual


def test_a_rotary_head_with_one_query_and_key_is_all_shift() -> None:
    w = omega(16)
    turned = np.stack([np.cos(5 * w), np.sin(5 * w)], axis=1).ravel()  # the key of T = 5
    kernel = rotary_kernel(np.tile([1.0, 0.0], 8)[None], turned[None], np.ones((1, 1)))
    assert (kernel.T, round(kernel.toeplitz_share, 12)) == (5, 1.0)
    np.testing.assert_allclose(kernel.f(5), 8, rtol=1e-13)


def test_the_four_parts_add_up_to_the_scores_of_the_head() -> None:
    rng = np.random.default_rng(9)
    W_Q, W_K = rng.standard_normal((2, 6, 3))
    b_Q, b_K = rng.standard_normal((2, 3))
    x = rng.standard_normal((11, 6))
    head = regard.Head(W_Q, W_K, np.eye(6), b_Q=b_Q, b_K=b_K, scale=0.7)
    split = content_split(head, x)
    inputs = x + regard.sinusoidal(11, 6)
    scores = 0.7 * (inputs @ W_Q + b_Q) @ (inputs @ W_K + b_K).T
    np.testing.assert_allclose(split.scores, scores, atol=1e-12)
    np.testing.assert_allclose(split.content_content, 0.7 * x @ W_Q @ W_K.T @ x.T, atol=1e-12)
    E = regard.sinusoidal(11, 6)
    key_content = 0.7 * (E @ W_Q + b_Q) @ (x @ W_K).T
    np.testing.assert_allclose(split.content_position, key_content, atol=1e-12)
    np.testing.assert_allclose(
        content_split(head.A, x, scale=0.7).content_content, split.content_content, atol=1e-12
    )


def test_no_content_up_to_the_norm_turns_the_head() -> None:
    rng = np.random.default_rng(10)
    n, d = 17, 16
    A = rotation_blocks(2, np.ones(8))
    E = regard.sinusoidal(n, d)
    split = content_split(A, np.zeros((n, d)))
    np.testing.assert_array_equal(split.targets[2:], np.arange(n - 2))
    assert split.norm > 0
    t, low = 9, math.inf
    for trial in range(300):
        x = rng.standard_normal((n, d))
        if trial % 2:  # the worst direction for one pair of keys
            rival = (trial // 2) % 5 + 1
            x[t] = A.T @ (E[rival] - E[7])
            x[7], x[rival] = -A @ (E[t] + x[t]), A @ (E[t] + x[t])
        x /= np.linalg.norm(x, axis=1, keepdims=True)
        scores = (x * split.norm + E) @ A @ (x * split.norm + E).T  # row τ, column t
        np.testing.assert_array_equal(np.argmax(scores, axis=0), split.targets)
        low = min(low, content_split(A, x).factor)
    assert split.norm <= low < 4 * split.norm  # the bound is no worse than a few times the truth


def test_the_factor_is_where_the_first_query_turns() -> None:
    rng = np.random.default_rng(11)
    n, d = 13, 10
    A = rotation_blocks(-3, np.ones(5))
    E = regard.sinusoidal(n, d)
    for _ in range(20):
        x = rng.standard_normal((n, d))
        split = content_split(A, x)
        for factor, same in ((split.factor * (1 - 1e-9), True), (split.factor * (1 + 1e-9), False)):
            ranks = np.argmax((factor * x + E) @ A @ (factor * x + E).T, axis=0)
            assert np.array_equal(ranks, split.targets) is same
        assert split.failure is not None
        assert ranks[split.failure[0]] == split.failure[1]
        # It is kept if no key other than the target has as high a score.
        scores = np.where(np.eye(len(x), dtype=bool)[split.targets], -np.inf, split.scores)
        lead = split.scores[np.arange(len(x)), split.targets] - scores.max(axis=1)
        assert split.keeps_aim is bool((lead > 0).all())
        assert split.keeps_aim or split.factor <= 1


def test_keys_within_reach_may_win_and_keys_after_the_query_may_be_hidden() -> None:
    rng = np.random.default_rng(12)
    keep = omega(32) * 8 / 2 <= math.pi / 2
    A = rotation_blocks(6, 1.0 * keep)
    x = rng.standard_normal((29, 32))
    assert content_split(A, x, reach=8).norm > content_split(A, x).norm
    causal = content_split(A, x, causal=True)
    assert np.all(causal.targets <= np.arange(29))
    assert content_split(A, x[:1]).norm == math.inf


def test_an_aim_that_is_lost_and_regained_is_kept_for_the_tokens_as_they_are() -> None:
    rng = np.random.default_rng(21)
    E = regard.sinusoidal(7, 6)
    regained = 0
    for _ in range(400):
        A, x = rng.standard_normal((6, 6)), 2 * rng.standard_normal((7, 6))
        reach = int(rng.integers(0, 3))
        split = content_split(A, x, reach=reach)
        scores = (x + E) @ A.T @ (x + E).T  # row: query, column: key
        by_position = E @ A.T @ E.T
        aim = np.argmax(by_position, axis=1)
        near = np.abs(np.arange(7)[None] - aim[:, None]) <= reach
        inside = np.where(near, scores, -np.inf).max(axis=1)
        outside = np.where(near, -np.inf, scores).max(axis=1)
        assert split.keeps_aim is bool((inside > outside).all())
        regained += split.keeps_aim and split.factor <= 1
    assert regained > 0  # so the first root alone would not do


@pytest.mark.parametrize("T", [11, -11])
def test_a_head_for_a_shift_is_judged_where_that_shift_exists(T: int) -> None:
    rng = np.random.default_rng(20)
    n, d, reach = 23, 16, 4
    A = rotation_blocks(T, best_weights(d, 2 * reach, n + abs(T), True))
    E = regard.sinusoidal(n, d)
    queries = [t for t in range(n) if 0 <= t - T < n]
    assert content_split(A, np.zeros((n, d)), reach=reach).norm < 1e-3  # some other query
    split = content_split(A, np.zeros((n, d)), T=T, reach=reach)
    by_position = (E @ A @ E.T).T
    leads = []
    for t in queries:
        near = np.abs(np.arange(n) - (t - T)) <= reach
        leads.append(np.max(by_position[t, near]) - np.max(by_position[t, ~near]))
    np.testing.assert_allclose(split.gap, min(leads), rtol=1e-12)
    assert split.norm > 0.01
    for _ in range(50):
        x = rng.standard_normal((n, d))
        x *= split.norm / np.linalg.norm(x, axis=1, keepdims=True)
        winners = np.argmax((x + E) @ A @ (x + E).T, axis=0)
        assert all(abs(int(winners[t]) - (t - T)) <= reach for t in queries)
    lost = content_split(-A, np.zeros((n, d)), T=T, reach=reach)
    assert lost.gap < 0
    assert lost.norm == 0
    with pytest.raises(regard.ParameterError, match=r"T must be such that the key t − T exists"):
        content_split(A, np.zeros((n, d)), T=n)
    design = regard.design.offset(2, 8, n=9)
    with pytest.raises(regard.ParameterError, match=r"Got a PositionalDesign: pass its \.head"):
        content_split(design, np.zeros((9, 8)))


def test_pictures_are_drawn_without_a_window() -> None:
    import matplotlib.pyplot as plt

    kernel = positional_kernel(rotation_blocks(4, np.ones(8)))
    before = plt.get_fignums()
    figures = [
        kernel.plot(),
        plot_kernel(kernel, around=300),
        plot_embedding(31, 16),
        plot_embedding(7, table=np.ones((7, 3))),
        plot_attention(kernel, 23, scale=4, causal=True),
        plot_attention(np.cos, 5),
    ]
    for figure in figures:
        figure.canvas.draw()
        axes = figure.axes[0]
        assert axes.get_xlabel()
        assert axes.get_ylabel()
        assert axes.get_title()
    assert plt.get_fignums() == before
    weights = figures[4].axes[0].images[0].get_array()
    np.testing.assert_allclose(np.sum(weights, axis=1), 1)
    assert np.argmax(weights[20]) == 16


def test_reports_say_what_was_read() -> None:
    keep = omega(64) * 10 / 2 <= math.pi / 2
    text = str(positional_kernel(rotation_blocks(20, 1.0 * keep)))
    assert "13 (any width 9.935 to 13.25 fits)" in text
    assert "the 5 fastest blocks are zeroed" in text  # G36
    assert "-3 (ahead)" in str(positional_kernel(rotation_blocks(-3, np.ones(4))))
    assert "position · position" in str(content_split(np.eye(4), np.ones((3, 4))))
    assert "<table" in positional_kernel(np.eye(4))._repr_html_()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: positional_kernel(np.ones((3, 3))),
            "positional_kernel: A must have an even number of rows, because sines and cosines come in pairs. Got A (3, 3).",
        ),
        (
            lambda: positional_kernel(np.ones((4, 6))),
            "positional_kernel: A must be square, (d, d). Got A (4, 6).",
        ),
        (
            lambda: positional_kernel(np.eye(4), n=0),
            "positional_kernel: n must be a whole number ≥ 1. Got 0.",
        ),
        (
            lambda: positional_kernel(np.eye(3), table=np.eye(3)).f(3),
            "PositionalKernel.f: delta must be whole numbers below 3 in size, the rows of the table. Got 3.",
        ),
        (
            lambda: rotary_kernel(np.ones((4, 3)), np.ones((4, 3)), np.ones((2, 4))),
            "rotary_kernel: d_k must be even, because entries turn in pairs. Got 3.",
        ),
        (
            lambda: content_split(np.eye(3), np.ones((2, 3))),
            "content_split: positions must be given when d is odd, because sines and cosines come in pairs. Got d = 3.",
        ),
        (
            lambda: content_split(np.ones((2, 4)), np.ones((2, 4))),
            "content_split: head must be a Head or a square matrix A, (d, d). Got (2, 4).",
        ),
    ],
)
def test_refusals(call: Any, message: str) -> None:
    with pytest.raises(regard.RegardError) as caught:
        call()
    assert str(caught.value) == message
