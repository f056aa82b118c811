"""Numbers at the ends of the range, and tiles that are done again because NaN came out."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import mpmath
import numpy as np
import pytest

import regard
from regard.core import reference
from regard.core.kernels import careful, native, threads

KERNELS = ["numpy", *(["native"] if native.instruction_sets() else [])]


def exact(query: Any, key: Any, value: Any, scale: float) -> tuple[np.ndarray, np.ndarray]:
    """Return output and lse with 60 digits, by the definition."""
    with mpmath.workdps(60):
        outputs, logs = [], []
        for q in query.tolist():
            scores = [scale * mpmath.fdot(q, k) for k in key.tolist()]
            powers = [mpmath.exp(s) for s in scores]
            total = mpmath.fsum(powers)
            columns = value.T.tolist()
            outputs.append([float(mpmath.fdot(powers, c) / total) for c in columns])
            logs.append(float(mpmath.log(total)))
        return np.array(outputs), np.array(logs)


@pytest.fixture(params=KERNELS)
def kernel(request: Any, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("REGARD_KERNEL", request.param)
    return str(request.param)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("seed", range(12))
def test_scores_are_right_however_far_apart_scale_and_entries_are(
    kernel: str, dtype: Any, seed: int
) -> None:
    # Entries of 10^a and 10^b with a scale of 10^-(a+b): q·k alone may overflow or the scale be
    # below the normal range, while the scores are ordinary numbers.
    rng = np.random.default_rng(seed)
    highest = 36 if dtype is np.float32 else 300
    a, b = rng.uniform(-0.1, 1, 2) * highest
    lowest = -45.0 if dtype is np.float32 else -323.0  # what the dtype can hold at all
    power = max(-(a + b), lowest * 1.05)
    n_q, n_k = (1, 3, 41)[seed % 3], (2, 7, 130)[seed % 4 - 1]
    query = (rng.uniform(-1, 1, (n_q, 3)) * 10.0**a).astype(dtype)
    key = (rng.uniform(-1, 1, (n_k, 3)) * 10.0 ** (-power - a)).astype(dtype)
    value = rng.standard_normal((n_k, 2)).astype(dtype)
    assert np.isfinite(key).all()
    scale = 10.0**power
    output, lse = exact(query, key, value, scale)
    tolerance = 1e-5 if dtype is np.float32 else 1e-13
    got, got_lse = regard.attention_with_lse(query, key, value, scale=scale)
    np.testing.assert_allclose(got, output, rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(got_lse, lse, rtol=tolerance, atol=tolerance)
    state = regard.AttentionState.empty().update(query, key, value, scale=scale)
    np.testing.assert_allclose(state.lse, lse, rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(state.output, output, rtol=tolerance, atol=tolerance)
    defined = reference.attention(query, key, value, scale=scale)
    np.testing.assert_allclose(defined.output, output, rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(defined.lse, lse, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("n_q", [1, 2, 40])  # few queries and many go different ways
def test_a_scale_below_the_range_of_float32_makes_all_scores_alike(kernel: str, n_q: int) -> None:
    query, key = np.ones((n_q, 4), np.float32), np.ones((5, 4), np.float32)
    value = np.arange(5, dtype=np.float32)[:, None]
    output, lse = regard.attention_with_lse(query, key, value, scale=1e-50)
    np.testing.assert_allclose(output, 2.0, rtol=1e-6)
    np.testing.assert_allclose(lse, np.log(5), rtol=1e-6)


def test_a_product_that_overflows_before_it_is_scaled_is_no_infinity(kernel: str) -> None:
    # q·k = 2e308 is beyond float64; half of it is not.
    query, key = np.array([[1e154, 1e154]]), np.array([[1e154, 1e154], [1e154, 1e154]])
    scores = regard.attention_scores(query, key, scale=0.5)
    np.testing.assert_allclose(scores, 1e308, rtol=1e-14)
    assert reference.attention(query, key, key, scale=0.5).raw.tolist() == scores.tolist()
    output = regard.attention(query, key, np.array([[2.0], [4.0]]), scale=0.5)
    np.testing.assert_allclose(output, 3.0, rtol=1e-15)


def test_small_entries_count_beside_large_ones_that_meet_a_zero() -> None:
    # 1e300 · 0 + 1e-300 · 1e300 = 1, also where another key makes the careful way necessary.
    query = np.array([[1e300, 1e-300]])
    key = np.array([[0.0, 1e300], [1e300, 0.0]])
    raw = reference.attention(query, key, key, scale=1e-300).raw
    np.testing.assert_allclose(raw, [[1e-300, 1e300]], rtol=1e-14)
    np.testing.assert_array_equal(
        regard.attention_scores(query, key[:1], scale=1.0), [[1e-300 * 1e300]]
    )


@pytest.mark.parametrize("n_q", [1, 70])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_blocks_of_keys_that_are_done_again_join_as_in_the_reference(
    monkeypatch: pytest.MonkeyPatch, kernel: str, n_q: int, dtype: Any
) -> None:
    monkeypatch.setattr(careful, "SCORES", 17 * n_q)  # many blocks
    rng = np.random.default_rng(5)
    sizes = ((2, n_q, 3), (2, 131, 3), (2, 131, 4))
    query, key, value = (rng.standard_normal(size).astype(dtype) for size in sizes)
    key[0, 50] = np.nan
    value[0, 20, 1] = np.inf
    value[0, 21, 1] = -np.inf
    value[0, 90, 2] = np.nan
    value[1, 100:, 0] = np.finfo(dtype).max  # whose sum is too large, and whose average is not
    mask = np.arange(131) != 50
    for rules in (
        {"mask": mask},
        {"mask": mask, "is_causal": True, "causal_offset": 60},
        {"mask": np.where(mask, 0.5, -np.inf), "softcap": 2.0, "window": (40, 80)},
        {},
    ):
        expected = reference.attention(query, key, value, **rules)
        output, weights = regard.attention_with_weights(query, key, value, **rules)
        lse = regard.attention_with_lse(query, key, value, **rules)[1]
        tolerance = 1e-13 if dtype is np.float64 else 2e-6
        np.testing.assert_allclose(output, expected.output, rtol=10 * tolerance, atol=tolerance)
        np.testing.assert_allclose(weights, expected.weights, atol=tolerance)
        np.testing.assert_allclose(lse, expected.lse, atol=tolerance, rtol=tolerance)


@pytest.mark.skipif("native" not in KERNELS, reason="the kernel in C is not installed")
def test_padding_full_of_nan_leaves_every_bit_of_the_fast_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("REGARD_KERNEL", "native")
    rng = np.random.default_rng(8)
    query, key, value = rng.standard_normal((3, 2, 300, 8))
    lengths = [300, 280]
    expected = regard.attention(query, key, value, key_lengths=lengths)
    monkeypatch.delattr(careful, "attend_rows")
    for array in (key, value):
        array[1, 280:] = np.nan
    np.testing.assert_array_equal(
        regard.attention(query, key, value, key_lengths=lengths), expected
    )
    value[1, 3, 2], value[1, 4, 3] = np.inf, np.nan  # these are attended to
    got = regard.attention(query, key, value, key_lengths=lengths)
    expected[1, :, 2], expected[1, :, 3] = np.inf, np.nan
    np.testing.assert_array_equal(got, expected)


def test_rows_that_are_done_again_share_the_threads_and_hold_blas_to_one(
    monkeypatch: pytest.MonkeyPatch, kernel: str
) -> None:
    rng = np.random.default_rng(6)
    query, key, value = rng.standard_normal((3, 600, 8))
    key[5] = np.nan
    seen: list[list[int]] = []
    done = careful.attend_rows

    def watched(*arguments: Any) -> None:
        seen.append([library.num_threads for library in threads.blas_libraries()])
        done(*arguments)

    monkeypatch.setattr(careful, "attend_rows", watched)
    libraries = threads.blas_libraries()
    threads._set(libraries, [2] * len(libraries))
    assert np.isnan(regard.attention(query, key, value)).all()
    assert len(seen) > 1  # more than one task to share
    assert seen == [[1] * len(libraries)] * len(seen)


@pytest.mark.parametrize("kernel_name", KERNELS)
def test_bits_and_memory_of_what_is_done_again_do_not_depend_on_blas(kernel_name: str) -> None:
    # A NaN that is masked out; a table of all scores would have 41 MB.
    program = (
        "import resource, hashlib, numpy as np, regard\n"
        "rng = np.random.default_rng(0)\n"
        "q, k, v = (rng.standard_normal((n, 32)) for n in (256, 20000, 20000))\n"
        "v[7] = np.nan\n"
        "mask = np.arange(20000)[None] != 7\n"
        "regard.attention(q[:2], k[:9], v[:9], mask=mask[:, :9])\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "out = regard.attention(q, k, v, mask=mask)\n"
        "after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "print(hashlib.sha256(out.tobytes()).hexdigest(), np.isfinite(out).all(), after - before)\n"
    )
    printed = []
    for count in ("1", "2"):
        environment = {
            **os.environ,
            "OPENBLAS_NUM_THREADS": count,
            "REGARD_THREADS": count,
            "REGARD_KERNEL": kernel_name,
        }
        done = subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            text=True,
            check=True,
            env=environment,
        )
        printed.append(done.stdout.split())
    assert printed[0][:2] == printed[1][:2]
    assert printed[0][1] == "True"
    unit = 1 if sys.platform == "darwin" else 1024
    for _, _, grown in printed:  # the size of the process, which sees every allocator
        assert int(grown) * unit < 20e6


def test_a_thread_that_cannot_be_started_leaves_the_work_to_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    started = []

    def refuse(work: Any, arguments: Any) -> int:
        if len(started) == 1:
            raise RuntimeError("can't start new thread")
        started.append(work)
        return start(work, arguments)

    start = threads._thread.start_new_thread
    monkeypatch.setattr(threads._thread, "start_new_thread", refuse)
    done: list[int] = []
    threads.for_each(range(100), done.append, threads=4)
    assert sorted(done) == list(range(100))
    assert len(started) == 1


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_q", [1, 41])
def test_products_that_overflow_downwards_keep_their_weights(
    kernel: str, dtype: Any, n_q: int
) -> None:
    # q·k = -1.5 times the largest number, and 0. With a scale of 6 / largest the scores are -9 and 0.
    largest = float(np.finfo(dtype).max)
    query = np.full((n_q, 1), -np.sqrt(largest) * 1.5, dtype=dtype)
    key = np.array([[np.sqrt(largest)], [0.0]], dtype=dtype)
    output, weights = regard.attention_with_weights(
        query, key, np.eye(2, dtype=dtype), scale=6 / largest
    )
    expected = np.tile(np.array([np.exp(-9), 1]) / (1 + np.exp(-9)), (n_q, 1))
    np.testing.assert_allclose(weights, expected, rtol=3e-5)
    np.testing.assert_allclose(output, expected, rtol=3e-5)


@pytest.mark.parametrize("rules", [{}, {"mask": np.array([True, True, False])}, {"key_lengths": 2}])
@pytest.mark.parametrize("n_q", [1, 41])
def test_a_row_whose_scores_are_all_too_low_for_float32_attends_to_the_best(
    kernel: str, rules: dict[str, Any], n_q: int
) -> None:
    query = np.full((n_q, 1), -3e19, dtype=np.float32)
    key = np.array([[3e19], [2e19], [1e19]], dtype=np.float32)  # scores -9e28, -6e28, -3e28
    value = np.arange(3, dtype=np.float32)[:, None]
    output, lse = regard.attention_with_lse(query, key, value, scale=1e-10, **rules)
    best = 1 if rules else 2
    np.testing.assert_array_equal(output, np.full((n_q, 1), best))
    np.testing.assert_allclose(lse, np.full(n_q, [-9e28, -6e28, -3e28][best]), rtol=1e-6)
