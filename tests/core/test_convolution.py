"""Positional heads as convolutions: no row may be further off than its bound says."""

from __future__ import annotations

import math
from typing import Any

import mpmath
import numpy as np
import pytest

from regard.core.convolution import direct, pieces, positional_attention, strips, taps, transforms
from regard.core.kernels import chosen, native, roots
from regard.errors import ParameterError, ShapeError

OMEGA = 10000.0 ** (-np.arange(0, 64, 2) / 64)


def sum_of_cosines(n: int, T: int, scale: float, omega: np.ndarray = OMEGA) -> np.ndarray:
    return scale * np.cos(np.outer(np.arange(1 - n, n) - T, omega)).sum(axis=1)


def directly(scores: np.ndarray, values: np.ndarray, rows: Any = None) -> np.ndarray:
    """Compute rows by the formula in long double, values divided by the largest first."""
    n = values.shape[-2]
    rows = np.arange(n) if rows is None else rows
    largest = np.abs(values).max() or 1.0
    scaled = values.astype(np.longdouble) / largest
    output = np.zeros((*values.shape[:-2], len(rows), values.shape[-1]), dtype=np.longdouble)
    for i, t in enumerate(rows):
        seen = scores[t : t + n][::-1].astype(np.longdouble)  # shift t, t - 1, ...: key 0, 1, ...
        if seen.max() > -np.inf:
            weights = np.exp(seen - seen.max())
            output[..., i, :] = (weights / weights.sum()) @ scaled
    return output * largest


# What long double arithmetic itself may be off by, relative to the largest value.
OWN = 4096 * float(np.finfo(np.longdouble).eps)


def assert_within_its_bound(scores: np.ndarray, values: np.ndarray, **options: Any) -> np.ndarray:
    output, bound = positional_attention(scores, values, **options)
    assert output.shape == values.shape
    assert output.dtype == values.dtype
    assert bound.shape == values.shape[:-1]
    n = values.shape[-2]
    rows = np.arange(n)
    if n > 1000:  # the first and last 40, and some between
        rows = np.unique([*rows[:40], *rows[-40:], *np.linspace(0, n - 1, 150).astype(int)])
    error = np.abs(output[..., rows, :] - directly(scores, values, rows)).max(axis=-1)
    slack = OWN * float(np.abs(values).max())
    assert (error <= bound[..., rows] + slack).all()
    return bound


def kernels(n: int) -> dict[str, np.ndarray]:
    delta = np.arange(1 - n, n)
    rng = np.random.default_rng(n)
    found = {
        "flat": np.zeros(2 * n - 1),
        "noise": 3 * rng.standard_normal(2 * n - 1),
        "huge noise": rng.uniform(-1e4, 1e4, 2 * n - 1),
        "huge signs": 1e4 * rng.choice([-1.0, 1.0], 2 * n - 1),
        "steep": 1e4 * delta.astype(float),
        "slope": -0.01 * delta,
        "causal": np.where(delta < 0, -np.inf, -0.02 * delta),
        "strictly later keys": np.where(delta >= 0, -np.inf, 0.1 * delta),
        "nothing": np.full(2 * n - 1, -np.inf),
        "two peaks": np.maximum(-abs(delta - n // 2), -abs(delta + n // 2) - 30.0),
        "largest floats": 1.7e308 * rng.choice([-1.0, 1.0], 2 * n - 1),
    }
    for T in (0, 1, -1, min(1000, n // 2), -min(1000, n // 2), n - 1, 1 - n):
        for scale in (0.01, 0.3, 1.0, 4.9, 300.0):
            found[f"{T} back, scale {scale}"] = sum_of_cosines(n, T, scale)
        found[f"{T} back, few blocks"] = sum_of_cosines(n, T, 10.3, OMEGA[::4])
        found[f"{T} back, window"] = np.where(abs(delta - T) <= 30, 0.0, -1e4)
        found[f"{T} back, bell"] = -0.5 * ((delta - T) / 40.0) ** 2
        found[f"{T} back, tent"] = -abs(delta - T) / 3.0
    return found


@pytest.mark.parametrize("n", [1, 2, 3, 67, pytest.param(257, marks=pytest.mark.slow)])
@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
def test_no_row_of_any_kernel_is_further_off_than_its_bound(n: int, dtype: str) -> None:
    values = np.random.default_rng(0).standard_normal((n, 3)).astype(dtype)
    for scores in kernels(n).values():
        for precision in (1e-9, 1e-3, 1e-14):
            assert_within_its_bound(scores, values, precision=precision)


def test_no_row_of_many_is_further_off_than_its_bound() -> None:
    values = np.random.default_rng(0).standard_normal((257, 3))
    for scores in kernels(257).values():
        assert_within_its_bound(scores, values)


SIZES = pytest.mark.parametrize("n", [61, pytest.param(211, marks=pytest.mark.slow)])


@pytest.mark.parametrize("T", [1000, -1000, 7])
@pytest.mark.parametrize("scale", [0.05, 1.0, 4.9, 300.0])
def test_long_heads_stay_within_their_bounds(T: int, scale: float) -> None:
    n = 2048
    values = np.random.default_rng(1).uniform(-1, 1, (n, 2))
    bound = assert_within_its_bound(sum_of_cosines(n, T, scale), values)
    assert bound.max() <= 2e-9


@pytest.mark.parametrize(
    "kind", ["constant", "huge", "tiny", "largest float", "mostly small", "alternating", "zero"]
)
@SIZES
def test_bounds_hold_for_any_size_of_values(kind: str, n: int) -> None:
    rng = np.random.default_rng(2)
    values = {
        "constant": np.full((n, 5), 3.7),
        "huge": 1e300 * rng.standard_normal((n, 5)),
        "tiny": 1e-310 * rng.standard_normal((n, 5)),
        "largest float": np.full((n, 5), np.finfo(float).max),
        "mostly small": np.where(rng.random((n, 5)) < 0.02, 1e8, 1.0),
        "alternating": np.where(np.arange(n) % 2, 1.0, -1.0)[:, None] * np.ones(5),
        "zero": np.zeros((n, 5)),
    }[kind]
    for scores in kernels(n).values():
        assert_within_its_bound(scores, values)


@pytest.mark.parametrize("T", [0, 100, -256])
def test_values_of_opposite_sign_where_weights_are_left_out_stay_within_the_bound(T: int) -> None:
    n, t = 257, 128
    scores = -abs(np.arange(1 - n, n) - T) / 2.0
    for reach in range(2, 60, 3):
        near = abs(np.arange(n) - np.clip(t - T, 0, n - 1)) <= reach
        assert_within_its_bound(scores, np.where(near, 1.0, -1.0)[:, None], precision=1e-3)


@pytest.mark.parametrize(
    ("dtype", "size"),
    [("float32", 1e-45), ("float32", 1e-40), ("float32", 3.4028234e38), ("float16", 5e-7)],
)
@SIZES
def test_bounds_hold_for_any_size_of_narrow_values(dtype: str, size: float, n: int) -> None:
    values = np.random.default_rng(2).uniform(-1, 1, (n, 5))
    for drawn in (size * values, np.full((n, 5), size)):
        for scores in kernels(n).values():
            assert_within_its_bound(scores, drawn.astype(dtype))
    _, bound = positional_attention(np.zeros(2 * n - 1), np.zeros((n, 5), dtype=dtype))
    assert (bound == 0).all()


def test_bounds_hold_for_bfloat16() -> None:
    bfloat16 = pytest.importorskip("ml_dtypes").bfloat16
    n, rng = 67, np.random.default_rng(2)
    for size in (1.0, 2.0**-128):
        for span in ((-1, 1), (1, 1.03)):
            values = (size * rng.uniform(*span, (n, 5))).astype(bfloat16)
            for scores in kernels(n).values():
                output, bound = positional_attention(scores, values)
                assert output.dtype == values.dtype
                exact = directly(scores, values.astype(np.float64))
                assert (np.abs(output.astype(np.longdouble) - exact).max(axis=-1) <= bound).all()


def test_bounds_hold_where_the_output_is_subnormal() -> None:
    n = 211
    values = 1e-310 * np.random.default_rng(2).standard_normal((n, 5))
    for scores in kernels(n).values():
        assert_within_its_bound(scores, values, precision=1e-14)


def test_narrow_values_are_computed_to_half_of_what_rounding_costs() -> None:
    n = 2048
    values = np.random.default_rng(1).uniform(-1, 1, (n, 2))
    scores = -0.5 * (np.arange(1 - n, n) / 5.0) ** 2  # a little more is left out for a little more
    for dtype, default in (("float64", 1e-9), ("float32", 2.0**-25), ("float16", 2.0**-25)):
        _, bound = positional_attention(scores, values.astype(dtype))
        _, same = positional_attention(scores, values.astype(dtype), precision=default)
        _, other = positional_attention(scores, values.astype(dtype), precision=default / 30)
        np.testing.assert_array_equal(bound, same)
        assert other.max() < bound.max()


def test_narrow_values_cost_little_more_than_rounding_the_output() -> None:
    n = 2048
    values = np.random.default_rng(1).uniform(-1, 1, (n, 2))
    for dtype, rounding in (("float32", 2.0**-24), ("float16", 2.0**-11)):
        for scores in (sum_of_cosines(n, 40, 0.3), sum_of_cosines(n, 1, 4.9)):
            bound = assert_within_its_bound(scores, values.astype(dtype))
            assert bound.max() <= 1.02 * (rounding + 2.0**-24)


def test_rows_agree_with_fifty_digits() -> None:
    n, values = 1021, np.random.default_rng(3).standard_normal((1021, 1))
    for scale in (0.3, 4.9):
        scores = sum_of_cosines(n, 300, scale)
        output, bound = positional_attention(scores, values)
        with mpmath.workdps(50):
            for t in (0, 1, 150, 299, 300, 301, n - 1):
                weights = [mpmath.exp(mpmath.mpf(float(scores[t - k + n - 1]))) for k in range(n)]
                top = mpmath.fsum(w * float(v) for w, v in zip(weights, values[:, 0], strict=True))
                exact = top / mpmath.fsum(weights)
                assert abs(mpmath.mpf(float(output[t, 0])) - exact) <= bound[t]


def test_the_bound_is_about_the_precision_that_is_asked_for() -> None:
    n = 1021
    values = np.random.default_rng(4).uniform(-1, 1, (n, 2))
    for name, scores in kernels(n).items():
        for precision in (1e-4, 1e-9):
            _, bound = positional_attention(scores, values, precision=precision)
            assert bound.max() <= 1.2 * precision, name


@pytest.fixture
def ways(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """Count how often each way of computing rows is taken."""
    counts: dict[str, int] = {}
    ours = ((pieces, "taps"), (pieces, "window"), (pieces, "transform"), (direct, "_tile"))
    for module, name in ours:
        found = getattr(module, name)

        def counted(*args: Any, name: str = name, way: Any = found) -> Any:
            counts[name] = counts.get(name, 0) + 1
            return way(*args)

        monkeypatch.setattr(module, name, counted)
    return counts


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_each_way_is_taken_where_it_should_be_and_holds_its_bound(
    ways: dict[str, int], dtype: str
) -> None:
    n = 4099
    values = np.random.default_rng(5).standard_normal((n, 7)).astype(dtype)
    delta = np.arange(1 - n, n)
    assert_within_its_bound(sum_of_cosines(n, 2, 4.9), values)
    assert ways == {"taps" if chosen() == "native" else "window": 1, "_tile": 1}
    ways.clear()
    assert_within_its_bound(np.zeros(2 * n - 1), values)
    assert ways == {"transform": 1}
    ways.clear()
    # Rows before the window see scores that are 10⁴ lower: transforms of their own.
    assert_within_its_bound(np.where(abs(delta - 700) <= 40, 0.0, -1e4), values)
    assert ways["window"] == 1
    assert ways["transform"] == 1
    ways.clear()
    # Each row's largest score is far from the next one's: nothing to share.
    assert_within_its_bound(1e4 * delta.astype(float), values)
    assert set(ways) == {"_tile"}


@pytest.mark.parametrize("columns", [2, 6, 16, 22, 64])
@pytest.mark.parametrize("rows", [(0, 300), (0, 1), (117, 180), (299, 300)])
@pytest.mark.parametrize(("dtype", "within"), [("float64", 0.0), ("float32", 2.0**-24)])
def test_sums_over_shifts_agree_with_a_matrix_product(
    columns: int,
    rows: tuple[int, int],
    dtype: str,
    within: float,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    n, (start, stop) = 300, rows
    rng = np.random.default_rng(columns)
    drawn = rng.choice(np.arange(1 - n, n), 40, replace=False)  # alone, close together, in a row
    shifts = np.unique([*drawn, *range(-20, 10), *range(50, 260), 1 - n, n - 1])
    weights, sums = rng.uniform(0.5, 1, len(shifts)), rng.uniform(0.5, 1, stop - start)
    values = rng.standard_normal((2, n, columns)).astype(dtype)
    table = np.zeros((n, 3 * n))  # keys that do not exist on both sides
    for shift, weight in zip(shifts, weights, strict=True):
        table[np.arange(n), n + np.arange(n) - shift] = weight
    exact = table[start:stop, n : 2 * n] @ values / sums[:, None]
    for kernel in ("numpy", *(["native"] if native.instruction_sets() else [])):
        monkeypatch.setenv("REGARD_KERNEL", kernel)
        call = strips.Call(np.zeros(2 * n - 1), values, 1e-9)
        call.output[:] = 7.0  # what was there is not added to
        taps.add_up(call, start, stop, shifts, weights, sums)
        np.testing.assert_allclose(call.output[:, start:stop], exact, rtol=within, atol=1e-11)
        assert (np.delete(call.output, np.s_[start:stop], axis=1) == 7.0).all()


def test_what_matters_is_the_fewest_weights() -> None:
    weights = np.array([1e-3, 5.0, 2e-3, 0.0, 1e-3, 1.0])
    kept, left_out = strips.what_matters(weights, 4.1e-3)
    assert kept.tolist() == [1, 2, 5]
    assert left_out == pytest.approx(2e-3, rel=1e-12)
    assert strips.what_matters(weights, 0.0)[0].tolist() == [0, 1, 2, 4, 5]
    many = np.random.default_rng(0).uniform(0, 1, 10_000)
    for budget in (1.0, 100.0, 2000.0):
        kept, left_out = strips.what_matters(many, budget)
        assert left_out <= budget
        assert len(kept) < len(many) or budget == 1.0
        assert left_out == pytest.approx(np.delete(many, kept).sum(), rel=1e-12)
        assert many[kept].min() >= np.delete(many, kept).max(initial=0)


@pytest.mark.parametrize("rows", [3, 256, 700, 2000, 5003, 8191])
@pytest.mark.parametrize("in_c", [False, True])
@pytest.mark.parametrize(("dtype", "rounding"), [("float64", 0.0), ("float32", 2.0**-24)])
def test_transforms_are_off_by_no_more_than_they_say(
    rows: int, in_c: bool, dtype: str, rounding: float
) -> None:
    # Few rows add up blocks of keys, many take all at once: in C, if that is there.
    if in_c and chosen() != "native":
        pytest.skip("needs the kernel in C")
    n = 8191
    rng = np.random.default_rng(6)
    scores = np.where(np.arange(1 - n, n) >= rows, 50.0, 0.0) + rng.uniform(0, 1, 2 * n - 1)
    values = rng.standard_normal((2, n, 6)).astype(dtype)
    head = strips.Call(scores, values, 1e-9)
    head.native = in_c
    strip = strips.cut_strip(head, 0, rows, *strips.weigh(head, 0, rows))
    for task in transforms.transform(head, strip):
        task()
    some = np.unique(np.linspace(0, rows - 1, 60).astype(int))
    key, after = strip.keys(n)
    taps = strip.high - strip.low + 1
    off = transforms.Transforms(rows, after - key, taps, in_c).error(strip.weights)
    for one, output in zip(values, head.output, strict=True):
        exact = directly(scores, one, some)
        room = (off / strip.normaliser[some] + 1e-14) * float(np.abs(one).max())
        assert (np.abs(output[some] - exact) <= room[:, None] + rounding * np.abs(exact)).all()


@pytest.mark.parametrize("least", [1, 2, 3, 5, 17, 100, 129, 1000, 5000, 12289])
def test_lengths_of_transforms_in_c_waste_little_and_give_the_convolution(least: int) -> None:
    if chosen() != "native":
        pytest.skip("needs the kernel in C")
    length = roots.quick_length(least)
    assert least <= length <= max(1.5 * least, 4)
    plan = roots.tables(length)
    rng = np.random.default_rng(least)
    weights, values = rng.standard_normal(length), rng.standard_normal((least, 3))
    spectrum = plan.sort(np.fft.fft(weights) / length)
    around = np.stack([np.fft.ifft(np.fft.fft(weights) * np.fft.fft(x, length)) for x in values.T])
    begin = length // 3
    factor = rng.standard_normal(length - begin)
    for name in native.instruction_sets():
        output = np.full((length - begin, 3), 7.0)
        scratch = np.full(native.scratch_for(plan, name)[1], 255, dtype=np.uint8)  # NaN
        native.convolve(
            plan, spectrum, factor, begin, scratch, values, output, instruction_set=name
        )
        expected = factor[:, None] * around.real.T[begin:]
        np.testing.assert_allclose(output, expected, atol=1e-14 * length)


def test_the_bound_has_room_for_scores_that_are_off() -> None:
    n, rng = 300, np.random.default_rng(9)
    scores, values = sum_of_cosines(n, 40, 1.0), rng.choice([-1.0, 1.0], (n, 2))
    for off in (1e-6, 0.1, 50.0):
        output, bound = positional_attention(scores, values, score_error=off)
        for _ in range(5):
            exact = directly(scores + off * rng.choice([-1.0, 1.0], 2 * n - 1), values)
            assert (np.abs(output - exact).max(axis=1) <= bound).all()
        assert bound.max() <= 2.03
    with pytest.raises(ParameterError, match="score_error must not be negative"):
        positional_attention(scores, values, score_error=-1.0)


def test_batches_are_computed_one_by_one() -> None:
    n = 307
    values = np.random.default_rng(7).standard_normal((2, 3, n, 5)) * [[[[1.0]]], [[[1e200]]]]
    for scores in (sum_of_cosines(n, 40, 0.3), sum_of_cosines(n, -40, 4.9)):
        output, bound = positional_attention(scores, values)
        assert bound.shape == (2, 3, n)
        for i in np.ndindex(2, 3):
            one, its_bound = positional_attention(scores, values[i])
            np.testing.assert_allclose(output[i], one, rtol=0, atol=2 * its_bound.max())
            exact = directly(scores, values[i])
            assert (np.abs(output[i] - exact).max(axis=-1) <= bound[i]).all()


def test_the_shift_is_the_query_minus_the_key() -> None:
    scores = np.full(9, -1e3)
    scores[4 + 1] = 0.0  # δ = 1: one step back
    output, _ = positional_attention(scores, [[1.0], [2.0], [3.0], [4.0], [5.0]])
    np.testing.assert_allclose(output[:, 0], [3.0, 1.0, 2.0, 3.0, 4.0], rtol=0, atol=1e-8)


def test_a_row_with_nothing_to_attend_to_gives_zero() -> None:
    n = 5
    scores = np.where(np.arange(1 - n, n) > 0, 0.0, -np.inf)  # strictly earlier keys
    output, bound = positional_attention(scores, np.arange(1.0, n + 1)[:, None])
    np.testing.assert_allclose(output[:, 0], [0, 1, 1.5, 2, 2.5], rtol=0, atol=1e-12)
    assert bound[0] == 0


def test_the_number_of_threads_changes_no_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    n = 3001
    values = np.random.default_rng(8).standard_normal((n, 6))
    for scores in (sum_of_cosines(n, 400, 0.3), sum_of_cosines(n, 400, 4.9)):
        results = []
        for threads in ("1", "3"):
            monkeypatch.setenv("REGARD_THREADS", threads)
            results.append(positional_attention(scores, values))
        np.testing.assert_array_equal(results[0][0], results[1][0])
        np.testing.assert_array_equal(results[0][1], results[1][1])


def test_values_without_columns_or_batches_give_empty_outputs() -> None:
    for shape in [(11, 0), (0, 11, 3)]:
        output, bound = positional_attention(np.zeros(21), np.zeros(shape))
        assert output.shape == shape
        assert bound.shape == shape[:-1]


def test_whole_numbers_are_computed_in_float64() -> None:
    output, _ = positional_attention([0, 0, 0], np.array([[1], [2]]))
    assert output.dtype == np.float64
    np.testing.assert_allclose(output, [[1.5], [1.5]], rtol=0, atol=1e-14)


def test_arguments_that_do_not_fit_are_named() -> None:
    values = np.zeros((5, 2))
    with pytest.raises(ShapeError, match=r"scores must hold one number per shift.*\(8,\)"):
        positional_attention(np.zeros(8), values)
    with pytest.raises(ShapeError, match="n ≥ 1"):
        positional_attention(np.zeros(0), np.zeros((0, 2)))
    with pytest.raises(ShapeError, match="values needs at least 2 axes"):
        positional_attention(np.zeros(9), np.zeros(5))
    for bad in (math.inf, math.nan):
        with pytest.raises(ParameterError, match="scores must be finite or -inf"):
            positional_attention(np.full(9, bad), values)
        with pytest.raises(ParameterError, match="values must be finite"):
            positional_attention(np.zeros(9), np.full((5, 2), -bad))
    for precision in (0.0, 1.0, -1e-9, math.nan):
        with pytest.raises(ParameterError, match="precision must"):
            positional_attention(np.zeros(9), values, precision=precision)


def test_every_entry_of_the_output_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    def used(shape: tuple[int, ...], dtype: Any) -> np.ndarray:
        return np.full(shape, 7.0, dtype=dtype)

    monkeypatch.setattr(strips, "empty", used)
    n, rng = 301, np.random.default_rng(4)
    values = rng.standard_normal((n, 3))
    nothing = np.full(2 * n - 1, -np.inf)
    far = nothing.copy()
    far[n - 1 + 200 :] = 0.0  # rows t < 200 see none of these shifts
    for scores in (nothing, far, sum_of_cosines(n, 40, 0.3), sum_of_cosines(n, -40, 4.9)):
        output, bound = positional_attention(scores, values)
        error = np.abs(output - directly(scores, values)).max(axis=1)
        assert (error <= bound).all()


def test_a_single_value_that_is_not_finite_is_refused_and_huge_ones_are_not() -> None:
    n, rng = 5003, np.random.default_rng(8)
    scores, values = sum_of_cosines(n, 40, 0.3), rng.standard_normal((n, 2))
    some = [0, 1, 77, n - 1]
    for size in (1e-310, 1e-200, 1e200, 1e308):
        sized = values / np.abs(values).max() * size
        output, bound = positional_attention(scores, sized)
        exact = directly(scores, sized, some)
        assert (np.abs(output[some] - exact).max(axis=1) <= bound[some]).all()
    values[n - 2, 1] = np.nan
    with pytest.raises(ParameterError, match="values must be finite"):
        positional_attention(scores, values)


@mpmath.workdps(30)
def test_roots_of_unity_are_as_close_as_the_bound_on_transforms_needs() -> None:
    for n in (3, 8, 48, 6144, 98304):
        turns = np.unique(np.linspace(0, 3 * n, 301).astype(np.int64))
        for turn, root in zip(turns, roots._unit_roots(n, turns), strict=True):
            exact = mpmath.expjpi(mpmath.mpf(-2 * int(turn)) / n)
            assert abs(mpmath.mpc(complex(root)) - exact) <= 5 * strips.U
