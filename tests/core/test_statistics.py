"""Statistics of the weights: by hand, by golden numbers, by fifty digits, against the reference."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import regard
from regard.core import reference
from regard.core.kernels import native

KERNELS = ("native", "numpy") if native.instruction_sets() else ("numpy",)
FLOATS = ("lse", "entropy", "peak", "top_weights", "offset_mass", "column_mass", "received")
KEYS = ("argmax", "top_keys")


@pytest.fixture(params=KERNELS)
def kernel(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("REGARD_KERNEL", request.param)
    return request.param


def of_scores(scores: Any, **asked: Any) -> regard.AttentionStatistics:
    """The statistics of rows of given scores: queries are unit vectors, keys are columns."""
    table = np.asarray(scores, dtype=np.float64)
    return regard.attention_statistics(np.eye(len(table)), table.T, scale=1, **asked)


def assert_like_reference(found: Any, query: Any, key: Any, tolerance: float, **rules: Any) -> None:
    expected = reference.statistics(query, key, **rules)
    for name in FLOATS:
        if getattr(found, name) is not None:
            np.testing.assert_allclose(
                getattr(found, name), getattr(expected, name), rtol=tolerance, atol=tolerance,
                err_msg=name,
            )  # fmt: skip
    for name in KEYS:
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name), err_msg=name)


# Rows of scores with lse, entropy, peak, argmax: the golden numbers H59 and H60.
GOLDEN = [
    ([10000, -10000], 10000.0, 0.0, 1.0),
    ([10000, 9999, 9990], 10000.313294876976, 0.5825592615396739, 0.7310343155951328),
    ([-10000, -10000, -10001], -9999.138005195942, 1.0173572075552146, 0.4223187982515182),
    ([1e4, 9999.9999, -1e4, 9960], 10000.69309718181, 0.6931471793099454, 0.5000249999999792),
    ([0, 0, 0, 0], 1.3862943611198906, 1.3862943611198906, 0.25),
    ([0, -40], 4.248354255291589e-18, 1.7418252446695514e-16, 1.0),
    ([0, -700], 9.85967654375977e-305, 6.911633257175599e-302, 1.0),
    ([10000, 9970], 10000.0, 2.900863120340187e-12, 0.9999999999999064),
]


@pytest.mark.parametrize(("scores", "lse", "entropy", "peak"), GOLDEN)
@pytest.mark.parametrize("rows", [1, 37])
def test_rows_of_golden_scores_have_all_their_digits(
    kernel: str, scores: list[float], lse: float, entropy: float, peak: float, rows: int
) -> None:
    found = of_scores([scores] * rows)
    np.testing.assert_allclose(found.lse, [lse] * rows, rtol=1e-12)
    np.testing.assert_allclose(found.entropy, [entropy] * rows, rtol=1e-12)
    np.testing.assert_allclose(found.peak, [peak] * rows, rtol=1e-12)
    np.testing.assert_array_equal(found.argmax, [0] * rows)


def test_a_million_keys_and_one_that_is_twenty_above_them(kernel: str) -> None:
    # H61. The key is in the middle, so that the others come before and after it.
    scores = np.zeros((1, 1_000_000))
    scores[0, 500_003] = 20
    found = of_scores(scores)
    np.testing.assert_allclose(found.entropy, [0.043197269382719596], rtol=1e-12)
    np.testing.assert_allclose(found.peak, [0.9979430880460005], rtol=1e-12)
    np.testing.assert_array_equal(found.argmax, [500_003])


@pytest.mark.parametrize("between", [0, 1000])
def test_two_parts_join_to_the_golden_entropy(kernel: str, between: int) -> None:
    # H62; the second part in another tile, and better than the first.
    scores = np.full((1, 5 + between), -np.inf)
    scores[0, :3], scores[0, -2:] = [1, 3, 2], [5, 4]
    found = of_scores(np.where(np.isinf(scores), 0, scores), mask=np.isfinite(scores))
    np.testing.assert_allclose(found.entropy, [0.9999728282753986], rtol=1e-14)
    np.testing.assert_allclose(found.peak, [1 / 1.5713174316646532], rtol=1e-14)
    np.testing.assert_array_equal(found.argmax, [3 + between])


def test_golden_masses_of_a_causal_matrix(kernel: str) -> None:
    # H63
    found = of_scores(
        [[2, 0, 1], [0, 3, 0], [1, 1, 1]], is_causal=True, offsets=(1,), columns=[0], received=True
    )
    received = [1.3807592065109, 1.2859074601557665, 0.3333333333333333]
    column = [1.0, 0.04742587317756678, 0.3333333333333333]
    np.testing.assert_allclose(found.received, received, rtol=1e-14)
    np.testing.assert_allclose(found.offset_mass[:, 0], [0, *column[1:]], rtol=1e-14)
    np.testing.assert_allclose(found.column_mass[:, 0], column, rtol=1e-14)


@pytest.mark.parametrize("n_k", [3, 97, 600])
def test_ties_go_to_the_lowest_key(kernel: str, n_k: int) -> None:
    scores = np.zeros((2, n_k))
    scores[1, [1, n_k // 2, n_k - 1]] = 1.0
    found = of_scores(scores, top=5)
    np.testing.assert_array_equal(found.argmax, [0, 1])
    first = sorted({1, n_k // 2, n_k - 1})
    others = [j for j in range(n_k) if j not in first]
    want = [list(range(n_k))[:5], (first + others)[:5]]
    want = [row + [-1] * (5 - len(row)) for row in want]
    np.testing.assert_array_equal(found.top_keys, want)


def test_rows_with_nothing_to_attend_to(kernel: str) -> None:
    rng = np.random.default_rng(1)
    query, key = rng.standard_normal((3, 41, 5)), rng.standard_normal((3, 7, 5))
    found = regard.attention_statistics(
        query,
        key,
        key_lengths=np.array([0, 2, 7]),
        top=3,
        offsets=(0,),
        columns=(1,),
        received=True,
    )
    np.testing.assert_array_equal(found.lse[0], np.full(41, -np.inf))
    for name in ("entropy", "peak", "top_weights", "offset_mass", "column_mass"):
        np.testing.assert_array_equal(getattr(found, name)[0], 0 * getattr(found, name)[0])
    np.testing.assert_array_equal(found.received[0], np.zeros(7))
    np.testing.assert_array_equal(found.argmax[0], np.full(41, -1))
    np.testing.assert_array_equal(found.top_keys[0], np.full((41, 3), -1))
    np.testing.assert_array_equal(found.top_keys[1, :, 2], np.full(41, -1))
    np.testing.assert_allclose(found.received[1:].sum(axis=-1), [41, 41], rtol=1e-13)


@pytest.mark.parametrize("shapes", [((0, 3), (5, 3)), ((4, 3), (0, 3)), ((4, 0), (5, 0)),
                                    ((2, 0, 4, 3), (2, 0, 5, 3))])  # fmt: skip
def test_axes_of_length_zero(kernel: str, shapes: Any) -> None:
    query, key = (np.ones(shape) for shape in shapes)
    rules: dict[str, Any] = {"top": 2, "offsets": (0, 1)}
    found = regard.attention_statistics(query, key, received=True, **rules)
    assert_like_reference(found, query, key, 1e-14, **rules)


@st.composite
def calls(draw: Any) -> tuple[Any, Any, dict[str, Any]]:
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_q = draw(st.sampled_from([1, 2, 5, 17, 37]))
    n_k = draw(st.sampled_from([1, 2, 7, 97, 149]))
    d_k = draw(st.sampled_from([1, 3, 19]))
    kv_heads, group = draw(st.sampled_from([1, 2])), draw(st.sampled_from([1, 3]))
    query = rng.standard_normal((2, kv_heads * group, n_q, d_k)) * draw(st.sampled_from([1, 9]))
    key = rng.standard_normal((2, kv_heads, n_k, d_k))
    if draw(st.booleans()):  # whole numbers: ties
        query, key = query.round(), key.round()
    rules: dict[str, Any] = {
        "top": draw(st.sampled_from([0, 1, 3, 20, 40])),
        "offsets": tuple(draw(st.lists(st.integers(-9, 9), max_size=3))),
        "columns": tuple(draw(st.lists(st.integers(0, n_k - 1), max_size=3))),
    }
    kind = draw(st.sampled_from(["none", "bool", "padding", "added", "per key"]))
    if kind == "bool":
        rules["mask"] = rng.random((2, 1, n_q, n_k)) < 0.7
    elif kind == "padding":
        rules["mask"] = rng.random((2, 1, 1, n_k)) < 0.7
    elif kind == "added":
        rules["mask"] = np.where(rng.random((n_q, n_k)) < 0.2, -np.inf, rng.random((n_q, n_k)))
    elif kind == "per key":
        rules["mask"] = rng.standard_normal(n_k)
    if draw(st.booleans()):
        rules |= {"is_causal": True, "causal_offset": rng.integers(-3, n_k + 1, 2)}
    if draw(st.booleans()):
        rules["key_lengths"] = rng.integers(0, n_k + 1, 2)
    if draw(st.booleans()):
        rules["window"] = (int(rng.integers(0, n_k + 1)), 3)
    if draw(st.booleans()):
        rules["softcap"] = 1.5
    # Powers of 2 leave ties as they are.
    rules["scale"] = draw(st.sampled_from([0.0, -0.5, 2.0, 0.25]))
    return query, key, rules


@settings(deadline=None, derandomize=True, max_examples=40)
@given(calls(), st.sampled_from(KERNELS))
def test_drawn_calls_agree_with_the_reference(call: Any, kernel: str) -> None:
    query, key, rules = call
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("REGARD_KERNEL", kernel)
        found = regard.attention_statistics(query, key, received=True, **rules)
    expected = reference.statistics(query, key, **rules)
    for name in FLOATS:
        np.testing.assert_allclose(
            getattr(found, name), getattr(expected, name), rtol=3e-12, atol=3e-14, err_msg=name
        )
    # Scores that differ by rounding alone may change places; their weights may not.
    weights = reference.attention(
        query, key, np.zeros((*key.shape[:-1], 0)),
        **{k: v for k, v in rules.items() if k not in ("top", "offsets", "columns")},
    ).weights  # fmt: skip
    for name, of in (("argmax", expected.peak), ("top_keys", expected.top_weights)):
        keys = getattr(found, name).reshape(*weights.shape[:-1], -1)
        np.testing.assert_array_equal(keys < 0, getattr(expected, name).reshape(keys.shape) < 0)
        got = np.take_along_axis(weights, np.maximum(keys, 0), axis=-1)
        there = keys >= 0
        np.testing.assert_allclose(got[there], of.reshape(keys.shape)[there], rtol=3e-12)
    exact = (query == query.round()).all() and "softcap" not in rules
    if exact and rules.get("mask", np.ones(1, dtype=bool)).dtype == bool:  # then so are ties
        for name in KEYS:
            np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


@pytest.mark.parametrize("spread", [1.0, 30.0, 700.0])
@pytest.mark.parametrize("rows", [1, 21])
def test_statistics_of_weights_to_fifty_digits(kernel: str, spread: float, rows: int) -> None:
    key = np.random.default_rng(4).uniform(-spread, spread, (701, 1))
    found = regard.attention_statistics(
        np.ones((rows, 1)), key, scale=1, columns=(0, 350, 700), received=True
    )
    with mpmath.workdps(50):
        scores = [mpmath.mpf(float(s)) for s in key[:, 0]]
        lse = mpmath.log(mpmath.fsum(map(mpmath.exp, scores)))
        weights = [mpmath.exp(s - lse) for s in scores]
        entropy = float(-mpmath.fsum(w * mpmath.log(w) for w in weights))
        expected = {
            "lse": float(lse),
            "entropy": entropy,
            "peak": float(max(weights)),
            "column_mass": [float(weights[j]) for j in (0, 350, 700)],
            "received": [float(rows * w) for w in weights],
        }
    for name, want in expected.items():
        got = getattr(found, name) if name == "received" else getattr(found, name)[rows // 2]
        np.testing.assert_allclose(got, want, rtol=4e-13, atol=1e-305, err_msg=name)


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_float16_and_float32_are_computed_in_float32(kernel: str, dtype: Any) -> None:
    rng = np.random.default_rng(5)
    query, key = (rng.standard_normal(s).astype(dtype) for s in ((3, 67, 5), (3, 211, 5)))
    rules: dict[str, Any] = {"top": 3, "offsets": (0, 7), "columns": (3,), "is_causal": True}
    found = regard.attention_statistics(query, key, received=True, **rules)
    assert_like_reference(found, query, key, 2e-5, **rules)
    assert {getattr(found, name).dtype.name for name in FLOATS} == {"float32"}
    assert {getattr(found, name).dtype.name for name in KEYS} == {"int64"}


def test_five_thousand_queries_and_keys(kernel: str) -> None:
    rng = np.random.default_rng(6)
    query, key = rng.standard_normal((5000, 5)), rng.standard_normal((5000, 5))
    rules: dict[str, Any] = {"top": 4, "columns": (0, 4999)}
    found = regard.attention_statistics(query, key, offsets=(3,), received=True, **rules)
    rows = [0, 2500, 4999]
    some = reference.statistics(query[rows], key, **rules)
    for name in ("lse", "entropy", "peak", "top_weights", "column_mass"):
        np.testing.assert_allclose(getattr(found, name)[rows], getattr(some, name), rtol=1e-12)
    for name in KEYS:
        np.testing.assert_array_equal(getattr(found, name)[rows], getattr(some, name))
    # Keys as queries: one column of the matrix of weights, from every row's own lse.
    scores = query @ key[rows].T / np.sqrt(5)
    weights = np.exp(scores - found.lse[:, None])
    np.testing.assert_allclose(found.received[rows], weights.sum(axis=0), rtol=1e-11)
    i = np.arange(3, 5000)
    at_three = np.exp((query[3:] * key[:-3]).sum(axis=1) / np.sqrt(5) - found.lse[3:])
    np.testing.assert_allclose(found.offset_mass[i, 0], at_three, rtol=1e-11)
    np.testing.assert_array_equal(found.offset_mass[:3, 0], [0, 0, 0])


MEMORY = """
import re, sys, numpy as np, regard
def kilobytes(what):
    return int(re.search(what + r":\\s+(\\d+)", open("/proc/self/status").read())[1])
n = 5000
query, key = np.random.default_rng(0).standard_normal((2, n, 16)).astype(np.float32)
rules = dict(top=4, offsets=(1,), columns=(0,), received=True)
if {nan}: query[7], key[11] = np.nan, np.inf
regard.attention_statistics(query[:300], key[:300], **rules)  # loads all it needs
open("/proc/self/clear_refs", "w").write("5")
before = kilobytes("VmRSS")
regard.attention_statistics(query, key, **rules)
print(kilobytes("VmHWM") - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("nan", [False, True])
def test_memory_does_not_grow_with_the_product_of_the_lengths(kernel: str, nan: bool) -> None:
    # The matrix alone would be 100 MB in float32. The peak of the process counts what C allocates.
    done = subprocess.run(
        [sys.executable, "-c", MEMORY.replace("{nan}", str(nan))],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert int(done.stdout) < 25_000


def test_bits_do_not_depend_on_the_batch_or_on_threads(
    kernel: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(7)
    for n_q, n_k in ((3, 5), (70, 411), (601, 1203)):
        query, key = rng.standard_normal((5, n_q, 7)), rng.standard_normal((5, n_k, 7))
        rules: dict[str, Any] = {"top": 3, "offsets": (2,), "columns": (1,), "is_causal": True}
        results = []
        for threads in ("1", "2", "5"):
            monkeypatch.setenv("REGARD_THREADS", threads)
            results.append(regard.attention_statistics(query, key, received=True, **rules))
        alone = [
            regard.attention_statistics(query[i], key[i], received=True, **rules) for i in range(5)
        ]
        for name in (*FLOATS, *KEYS):
            one = getattr(results[0], name)
            for other in results[1:]:
                np.testing.assert_array_equal(one, getattr(other, name))
            np.testing.assert_array_equal(one, np.stack([getattr(a, name) for a in alone]))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_nan_and_infinity_reach_the_rows_that_attend_to_them(kernel: str, dtype: Any) -> None:
    rng = np.random.default_rng(8)
    query, key = (rng.standard_normal((n, 5)).astype(dtype) for n in (37, 29))
    key[20], key[25], query[33] = np.nan, np.inf, np.nan
    rules: dict[str, Any] = {"is_causal": True, "top": 3, "offsets": (0, 4), "columns": (0, 20, 22)}
    found = regard.attention_statistics(query, key, received=True, **rules)
    assert np.isfinite(found.lse[:20]).all()
    assert np.isnan(found.lse[20:]).all()
    with np.errstate(invalid="ignore"):
        assert_like_reference(found, query, key, 1e-4 if dtype == np.float32 else 1e-12, **rules)


def test_nan_that_is_masked_out_reaches_no_row_and_changes_no_bit(kernel: str) -> None:
    rng = np.random.default_rng(9)
    query, key = rng.standard_normal((2, 37, 5)), rng.standard_normal((2, 29, 5))
    rules: dict[str, Any] = {"key_lengths": np.array([17, 11]), "top": 2, "received": True}
    clean = regard.attention_statistics(query, key, **rules)
    key[0, 17:], key[1, 11:] = np.nan, np.inf
    found = regard.attention_statistics(query, key, **rules)
    for name in (*FLOATS, *KEYS):
        np.testing.assert_array_equal(getattr(found, name), getattr(clean, name))


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("rows", [1, 19])
def test_products_that_overflow_before_they_are_scaled(kernel: str, sign: int, rows: int) -> None:
    query = np.full((rows, 1), sign * 3e19, dtype=np.float32)
    key = np.array([[2e19], [3e19], [1.5e19]], dtype=np.float32)
    rules: dict[str, Any] = {"scale": 1e-38, "top": 2, "columns": (0,)}
    found = regard.attention_statistics(query, key, received=True, **rules)
    assert_like_reference(found, query, key, 1e-6, **rules)
    rules["scale"] = 1e-10  # scores of 1e28 and more, which float32 holds and q·k does not
    found = regard.attention_statistics(query, key, **rules)
    np.testing.assert_array_equal(found.argmax, [1 if sign > 0 else 2] * rows)
    np.testing.assert_array_equal(found.entropy, [0] * rows)


def test_results_print_as_a_short_table(kernel: str) -> None:
    found = of_scores([[0.0, np.log(3)], [0.0, 0.0]], top=1)
    lines = repr(found).splitlines()
    assert lines[0] == "AttentionStatistics"
    assert lines[3].split() == ["peak", "(2,)", "0.5", "to", "0.75"]
    assert not any("received" in line or "offset" in line for line in lines)
    assert "<td>peak</td><td>(2,)</td><td>0.5 to 0.75</td>" in found._repr_html_()


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"top": -1}, "top must be a whole number ≥ 0. Got -1."),
        ({"top": 1.5}, "top must be a whole number ≥ 0. Got 1.5."),
        ({"columns": (0, 7)}, "columns must lie between 0 and n_k - 1 = 6. Got 7."),
        ({"columns": [-1]}, "columns must lie between 0 and n_k - 1 = 6. Got -1."),
        ({"offsets": (1, True)}, "each of offsets must be a whole number. Got True."),
        ({"offsets": 3}, "offsets must be a sequence of whole numbers. Got 3."),
        ({"received": 1}, "received must be True or False. Got 1."),
        ({"scale": float("nan")}, "scale must be a finite number. Got nan."),
        ({"key_lengths": 8}, "key_lengths must lie between 0 and n_k = 7. Got 8."),
    ],
)
def test_what_cannot_be_meant_is_refused(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(regard.ParameterError) as caught:
        regard.attention_statistics(np.ones((5, 3)), np.ones((7, 3)), **asked)
    assert str(caught.value) == f"attention_statistics: {message}"


def test_shapes_that_do_not_fit_are_refused_in_its_own_name() -> None:
    with pytest.raises(regard.ShapeError) as caught:
        regard.attention_statistics(np.ones((5, 3)), np.ones((7, 2)))
    assert str(caught.value).startswith("attention_statistics: key does not match query in d_k")


def test_offsets_beyond_every_length_have_no_mass(kernel: str) -> None:
    found = regard.attention_statistics(
        np.ones((3, 2)), np.ones((5, 2)), offsets=(10**30, -(10**30)), causal_offset=2**62
    )
    np.testing.assert_array_equal(found.offset_mass, np.zeros((3, 2)))


def test_arrays_of_whole_numbers_serve_as_offsets_and_columns(kernel: str) -> None:
    arguments = np.ones((3, 2)), np.ones((5, 2))
    listed = regard.attention_statistics(*arguments, offsets=[0, 1], columns=range(2))
    found = regard.attention_statistics(
        *arguments, offsets=np.array([0, 1], dtype=np.int8), columns=np.arange(2, dtype=np.uint64)
    )
    np.testing.assert_array_equal(found.offset_mass, listed.offset_mass)
    np.testing.assert_array_equal(found.column_mass, listed.column_mass)
    np.testing.assert_allclose(found.column_mass, np.full((3, 2), 0.2))


def test_a_notebook_shows_statistics_as_lines_and_the_numbers_folded() -> None:
    keys = np.random.default_rng(3).standard_normal((2, 7, 5))
    found = regard.attention_statistics(keys, keys, received=True)
    axes = found.plot().axes
    np.testing.assert_array_equal(axes[0].lines[1].get_ydata(), np.exp(found.entropy[1]))
    np.testing.assert_array_equal(axes[1].lines[0].get_ydata(), found.peak[0])
    np.testing.assert_array_equal(axes[2].lines[1].get_ydata(), found.received[1])
    assert [line.get_label() for line in axes[0].lines] == ["[0]", "[1]"]
    shown = found._repr_html_()
    assert shown.index("<svg") < shown.index("<details>") < shown.index("<table>")


def test_statistics_of_many_heads_are_drawn_as_their_mean_and_range() -> None:
    keys = np.random.default_rng(4).standard_normal((3, 5, 7, 2))
    found = regard.attention_statistics(keys, keys)
    entropies, peaks = found.plot().axes
    np.testing.assert_allclose(peaks.lines[0].get_ydata(), found.peak.mean(axis=(0, 1)))
    assert peaks.lines[0].get_label() == "mean of 15"
    assert len(entropies.lines) == len(entropies.collections) == 1


def test_statistics_without_a_query_are_a_table() -> None:
    found = regard.attention_statistics(np.ones((0, 2)), np.ones((3, 2)))
    assert found._repr_html_().startswith("<table>")
