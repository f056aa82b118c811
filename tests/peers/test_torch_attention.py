"""Attention beside torch's scaled_dot_product_attention, whatever the shapes and options."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import regard
from peers.required import peer

torch = peer("torch")
bias = peer("torch.nn.attention.bias")
sdpa = torch.nn.functional.scaled_dot_product_attention

# Relative to the largest value. A missing scale or a key too many is off by far more.
TOLERANCE = {torch.float64: 1e-13, torch.float32: 2e-6}
DTYPES = tuple(TOLERANCE)
thorough = settings(max_examples=150, deadline=None, derandomize=True)


class Case:
    """Arguments of regard.attention, as torch tensors."""

    def __init__(self, query: Any, key: Any, value: Any, **options: Any) -> None:
        self.query, self.key, self.value, self.options = query, key, value, options
        self.mask: Any = None

    def __repr__(self) -> str:
        shapes = [None if x is None else tuple(x.shape) for x in self.arguments]
        return f"Case({self.query.dtype}, {shapes}, {self.options})"

    @property
    def arguments(self) -> tuple[Any, ...]:
        return self.query, self.key, self.value, self.mask

    @property
    def grouped(self) -> bool:
        return 1 < heads_of(self.key) < heads_of(self.query)

    @property
    def outer(self) -> tuple[int, ...]:
        """The axes of the output before (n_q, d_v)."""
        arrays = (self.query, self.key, self.value)
        batch = np.broadcast_shapes(*(x.shape[:-3] for x in arrays))
        heads = max(heads_of(x) for x in arrays)
        return (*batch, heads) if any(x.ndim > 2 for x in arrays) else ()

    @property
    def wide_query(self) -> Any:
        """The query with all axes of the output, which not even the value has more of."""
        return self.query.expand(*self.outer, *self.query.shape[-2:])

    @property
    def scale(self) -> float:
        scale = self.options.get("scale")
        return self.query.shape[-1] ** -0.5 if scale is None else scale

    def per_batch(self, name: str) -> Any:
        """A number for all, or one per batch, with axes that broadcast to the scores."""
        numbers = torch.as_tensor(self.options.get(name, 0))
        if numbers.ndim == 0:
            return numbers
        inner = (1, 1) if len(self.outer) == 1 else (1, 1, 1)
        return numbers.reshape(*numbers.shape, *inner)

    def allowed(self) -> Any:
        """Which keys each query may attend to by causal order, window and key lengths."""
        n_q, n_k = self.query.shape[-2], self.key.shape[-2]
        i, j = torch.arange(n_q)[:, None], torch.arange(n_k)
        centre = i + self.per_batch("causal_offset")
        left, right = self.options.get("window") or (None, None)
        allowed = torch.ones(n_q, n_k, dtype=torch.bool)
        if self.options.get("is_causal"):
            allowed = allowed & (j <= centre)
        if left is not None:
            allowed = allowed & (j >= centre - left)
        if right is not None:
            allowed = allowed & (j <= centre + right)
        if self.options.get("key_lengths") is not None:
            allowed = allowed & (j < self.per_batch("key_lengths"))
        return allowed

    def masked_scores(self) -> Any:
        """What the softmax sees, by the formulas in the documentation of torch."""
        key = self.key
        if self.grouped:
            key = key.repeat_interleave(heads_of(self.query) // heads_of(key), -3)
        scores = self.query @ key.transpose(-2, -1) * self.scale
        softcap = self.options.get("softcap")
        if softcap is not None:
            scores = softcap * torch.tanh(scores / softcap)
        if self.mask is not None and self.mask.dtype == torch.bool:
            scores = torch.where(self.mask, scores, -torch.inf)
        elif self.mask is not None:
            scores = scores + self.mask
        return torch.where(self.allowed(), scores, -torch.inf)


def heads_of(x: Any) -> int:
    return x.shape[-3] if x.ndim > 2 else 1


def normal(rng: np.random.Generator, *shape: int, dtype: Any) -> Any:
    return torch.from_numpy(rng.normal(size=shape)).to(dtype)


def part_of(draw: Any, axes: tuple[int, ...], *, keep: int = 0) -> tuple[int, ...]:
    """Draw axes that broadcast to `axes`: some have length 1, and on the left some are left out."""
    shrunk = tuple(draw(st.sampled_from([n, n, 1])) for n in axes)
    return shrunk[draw(st.integers(0, max(len(axes) - keep, 0))) :]


@st.composite
def cases(draw: Any) -> Case:
    """Draw arrays, a mask and a scale that torch takes too."""
    dtype = draw(st.sampled_from(DTYPES))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_q, n_k = draw(st.sampled_from([5, 1, 2, 19])), draw(st.sampled_from([11, 1, 3, 23]))
    d_k = draw(st.sampled_from([7, 1, 13]))
    d_v = draw(st.sampled_from([d_k, 1, 17]))  # where it is d_k torch has a kernel of its own
    outer = [(), (), ()]
    if draw(st.integers(0, 3)):  # else matrices, without heads
        batch = draw(st.sampled_from([(), (3,), (3,), (2, 3)]))
        kv_heads, group = draw(st.sampled_from([(2, 1), (2, 3), (3, 2), (5, 1), (1, 5), (1, 1)]))
        outer = [(*part_of(draw, batch), heads) for heads in (kv_heads * group, kv_heads, kv_heads)]
        if group == 1:  # heads broadcast like any other axis
            outer = [part_of(draw, axes) for axes in outer]
    query = normal(rng, *outer[0], n_q, d_k, dtype=dtype)
    key = normal(rng, *outer[1], n_k, d_k, dtype=dtype)
    value = normal(rng, *outer[2], n_k, d_v, dtype=dtype)
    case = Case(query, key, value, scale=draw(st.sampled_from([None, 0.25, -0.5])))

    kind = draw(st.sampled_from([None, "boolean", "float"]))
    if kind is not None:
        scores = case.masked_scores().shape
        shape = (*part_of(draw, scores[:-2]), *(draw(st.sampled_from([n, 1])) for n in scores[-2:]))
        attend = torch.from_numpy(rng.random(shape) < 0.7)
        case.mask = attend
        if kind == "float":
            case.mask = torch.where(attend, normal(rng, *shape, dtype=dtype), -torch.inf)
    return case


@st.composite
def cases_with_options(draw: Any) -> Case:
    """Draw the same, with the options that torch does not have."""
    case = draw(cases())
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_q, n_k = case.query.shape[-2], case.key.shape[-2]
    batch = case.outer[:-1] if len(case.outer) > 1 else case.outer

    def one_or_one_per_batch(low: int, high: int) -> Any:
        one = draw(st.integers(low, high))
        return rng.integers(low, high + 1, size=batch) if batch and draw(st.booleans()) else one

    side = st.sampled_from([None, 0, 1, 2, 7])
    case.options |= {
        "is_causal": draw(st.booleans()),
        "causal_offset": one_or_one_per_batch(-n_q, n_k),
        "window": draw(st.one_of(st.none(), st.tuples(side, side))),
        "key_lengths": one_or_one_per_batch(0, n_k) if draw(st.booleans()) else None,
        "softcap": draw(st.sampled_from([None, 0.5, 3.0])),
    }
    return case


def assert_near(actual: Any, expected: Any, size: Any = 1.0) -> None:
    """The same dtype and shape, and the difference at most a tolerance times `size`."""
    np.testing.assert_equal(actual.dtype, expected.dtype)
    np.testing.assert_allclose(
        actual / size, expected / size, rtol=0, atol=TOLERANCE[expected.dtype], strict=True
    )


def assert_agrees(case: Case, expected: Any) -> None:
    """Compare output, weights, lse and scores; `expected` is the output."""
    output = regard.attention(*case.arguments, **case.options)
    largest = float(case.value.abs().max())
    assert_near(output, expected, largest)

    scores = case.masked_scores()
    again, weights = regard.attention_with_weights(*case.arguments, **case.options)
    np.testing.assert_array_equal(again, output, strict=True)
    # By torch.softmax a row with nothing to attend to is NaN.
    shape = (*case.outer, *scores.shape[-2:])
    assert_near(weights, torch.softmax(scores, -1).nan_to_num(0).expand(shape))

    again, lse = regard.attention_with_lse(*case.arguments, **case.options)
    np.testing.assert_array_equal(again, output, strict=True)
    assert_near(lse, torch.logsumexp(scores, -1).expand(shape[:-1]))

    arguments = case.wide_query, case.key, case.mask
    masked = regard.attention_scores(*arguments, stage="masked", **case.options)
    assert_near(masked, scores.expand(shape))


@thorough
@given(cases(), st.booleans())
def test_attention_is_what_torch_computes(case: Case, causal: bool) -> None:
    case.options["is_causal"] = causal and case.mask is None  # torch takes one or the other
    expected = sdpa(*case.arguments, **case.options, enable_gqa=case.grouped)
    assert_agrees(case, expected)


@thorough
@given(cases_with_options())
def test_options_are_what_torch_computes_with_an_explicit_mask(case: Case) -> None:
    # torch has no softcap: its own scores are switched off, and these go in as the mask.
    mask, scale = case.masked_scores(), 0.0
    if case.options["softcap"] is None:
        mask, scale = case.allowed(), case.scale
        if case.mask is not None and case.mask.dtype == torch.bool:
            mask = mask & case.mask
        elif case.mask is not None:
            mask = torch.where(mask, case.mask, -torch.inf)
    arrays = case.wide_query, case.key, case.value
    expected = sdpa(*arrays, mask, scale=scale, enable_gqa=case.grouped)
    assert_agrees(case, expected)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("d_v", [7, 13])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"is_causal": True},
        {"window": (101, 307), "causal_offset": np.array([500, 20, -50])},
        {"key_lengths": np.array([1031, 513, 1])},
    ],
    ids=lambda options: "-".join(options) or "plain",
)
def test_many_queries_and_keys_give_what_torch_computes(
    dtype: Any, d_v: int, options: dict[str, Any]
) -> None:
    rng = np.random.default_rng(1)
    shapes = [(3, 4, 131, 7), (3, 2, 1031, 7), (3, 2, 1031, d_v)]
    case = Case(*(normal(rng, *shape, dtype=dtype) for shape in shapes), **options)
    assert_agrees(case, sdpa(case.query, case.key, case.value, case.allowed(), enable_gqa=True))


# Where the two differ, or where torch says one thing and does another. All of it on the CPU.

KERNELS = [7, 13]  # d_v: torch has a fused kernel for d_v = d_k, and its formula for the rest


def arrays(d_v: int, dtype: Any = torch.float64) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(d_v)
    shapes = (2, 3, 5, 7), (2, 3, 11, 7), (2, 3, 11, d_v)
    return tuple(normal(rng, *shape, dtype=dtype) for shape in shapes)


@pytest.mark.parametrize("d_v", KERNELS)
def test_causal_order_begins_at_the_first_key_and_an_offset_moves_it_to_the_last(d_v: int) -> None:
    # torch calls the first upper left, and has a mask of its own for the other.
    for x in (arrays(d_v), [x[0, 0] for x in arrays(d_v)]):
        first = torch.ones(5, 11, dtype=torch.bool).tril()
        assert_near(sdpa(*x, is_causal=True), sdpa(*x, first))
        assert_near(regard.attention(*x, is_causal=True), sdpa(*x, first))
        last = regard.attention(*x, is_causal=True, causal_offset=11 - 5)
        assert_near(last, sdpa(*x, bias.causal_lower_right(5, 11)))


@pytest.mark.parametrize("d_v", KERNELS)
def test_a_mask_and_causal_order_together_are_refused_by_one_kernel_of_torch(d_v: int) -> None:
    x = arrays(d_v)
    mask = torch.from_numpy(np.random.default_rng(0).random((5, 11)) < 0.7)
    both = sdpa(*x, mask & torch.ones(5, 11, dtype=torch.bool).tril())
    assert_near(regard.attention(*x, mask, is_causal=True), both)
    # Documented as an error. The fused kernel lets it through and means the same as regard.
    if d_v == 7:
        assert_near(sdpa(*x, mask, is_causal=True), both)
    else:
        with pytest.raises(RuntimeError, match="attn_mask should not be set when is_causal=True"):
            sdpa(*x, mask, is_causal=True)


@pytest.mark.parametrize("dtype", [*DTYPES, torch.float16])
@pytest.mark.parametrize("d_v", KERNELS)
def test_nothing_to_attend_to_gives_zero_although_the_documented_formula_says_nan(
    d_v: int, dtype: Any
) -> None:
    x = arrays(d_v, dtype=dtype)
    mask = torch.ones(5, 11, dtype=torch.bool)
    mask[3] = False
    for each in (mask, torch.where(mask, 0.0, -torch.inf).to(dtype)):
        for output in (sdpa(*x, each), regard.attention(*x, each)):
            np.testing.assert_array_equal(output[..., 3, :], np.zeros((2, 3, d_v)))
            np.testing.assert_equal(bool(output.isfinite().all()), True)
    no_keys = x[0], x[1][..., :0, :], x[2][..., :0, :]
    for output in (sdpa(*no_keys), regard.attention(*no_keys)):
        np.testing.assert_array_equal(output, np.zeros((2, 3, 5, d_v)))

    formula = torch.softmax(torch.where(mask, 0.0, -torch.inf), -1)
    np.testing.assert_array_equal(formula[3].isnan(), np.ones(11, dtype=bool))
    _, weights = regard.attention_with_weights(*x, mask)
    np.testing.assert_array_equal(weights[..., 3, :], np.zeros((2, 3, 11)))
    _, lse = regard.attention_with_lse(*x, mask)
    np.testing.assert_array_equal(lse[..., 3], np.full((2, 3), -np.inf))


@pytest.mark.parametrize("d_v", KERNELS)
@pytest.mark.parametrize("where", [1, 2], ids=["key", "value"])
@pytest.mark.parametrize("bad", [torch.nan, torch.inf])
def test_what_is_masked_out_may_be_nan_which_torch_spreads(
    bad: float, where: int, d_v: int
) -> None:
    x = arrays(d_v)
    attend = torch.arange(11) != 4
    expected = sdpa(*x, attend[None])
    x[where][..., 4, :] = bad
    assert_near(regard.attention(*x, attend), expected)
    np.testing.assert_equal(bool(sdpa(*x, attend[None]).isnan().any()), True)
    # What is attended to is NaN in the same places.
    np.testing.assert_array_equal(regard.attention(*x).isnan(), sdpa(*x).isnan())


@pytest.mark.parametrize("rank", [3, 4])
def test_fewer_key_heads_are_shared_which_torch_has_to_be_told(rank: int) -> None:
    query, key, value = (x[0] if rank == 3 else x for x in arrays(13))
    query = torch.cat([query, -query], -3)
    expected = sdpa(query, key.repeat_interleave(2, -3), value.repeat_interleave(2, -3))
    assert_near(regard.attention(query, key, value), expected)
    assert_near(sdpa(query, key, value, enable_gqa=True), expected)
    with pytest.raises(RuntimeError, match="size of tensor a"):
        sdpa(query, key, value)


def test_key_and_value_may_have_different_numbers_of_heads() -> None:
    # torch documents that they may not, and takes them.
    query, key, value = arrays(13)
    query = torch.cat([query, -query], -3)
    value = value[:, :2]
    expected = sdpa(query, key.repeat_interleave(2, -3), value.repeat_interleave(3, -3))
    assert_near(regard.attention(query, key, value), expected)
    assert_near(sdpa(query, key, value, enable_gqa=True), expected)


@pytest.mark.parametrize("d_v", KERNELS)
def test_a_mask_may_be_one_row_or_have_batches_of_its_own_which_torch_refuses(d_v: int) -> None:
    x = arrays(d_v)
    row = torch.arange(11) % 3 > 0
    assert_near(regard.attention(*x, row), sdpa(*x, row[None]))
    with pytest.raises(IndexError, match="Dimension out of range"):
        sdpa(*x, row)

    tables = torch.from_numpy(np.random.default_rng(0).random((17, 1, 1, 5, 11)) < 0.7)
    expected = torch.stack([sdpa(*x, table) for table in tables])
    assert_near(regard.attention(*x, tables), expected)
    with pytest.raises(RuntimeError):
        sdpa(*x, tables)


def test_dtypes_may_differ_which_torch_refuses() -> None:
    query, key, value = arrays(13)
    expected = sdpa(query, key.float().double(), value)
    assert_near(regard.attention(query, key.float(), value), expected)
    with pytest.raises(RuntimeError, match="to have the same dtype"):
        sdpa(query, key.float(), value)

    query, key, value = (x.float() for x in (query, key, value))
    mask = torch.from_numpy(np.random.default_rng(0).normal(size=(5, 11)))
    expected = sdpa(query, key, value, mask.float())
    assert_near(regard.attention(query, key, value, mask), expected)
    with pytest.raises(RuntimeError, match="Expected attn_mask dtype"):
        sdpa(query, key, value, mask)

    whole = [x.round().int() for x in (query, key, value)]
    assert_near(regard.attention(*whole), sdpa(*(x.double() for x in whole)))
    with pytest.raises(RuntimeError, match="expected"):
        sdpa(*whole)


@pytest.mark.parametrize("d_v", KERNELS)
def test_float16_is_rounded_once_and_torch_may_round_more_often(d_v: int) -> None:
    x = arrays(d_v, dtype=torch.float16)
    exact = sdpa(*(each.double() for each in x)).numpy()
    ulp = np.spacing(np.abs(exact).astype(np.float16)).astype(np.float64)
    error, torch_error = (
        np.abs(output.double().numpy() - exact) for output in (regard.attention(*x), sdpa(*x))
    )
    # Rounded once, out of float32: that has an error of its own, of the size of what is averaged.
    np.testing.assert_array_less(error, 0.501 * ulp + 2**-23 * float(x[2].double().abs().max()))
    # The fused kernel of torch rounds the weights too, which small results feel most.
    np.testing.assert_array_less(torch_error, 2**-10 * float(x[2].abs().max()))


@pytest.mark.parametrize("d_v", KERNELS)
def test_bfloat16_is_computed_in_float32_and_rounded_once(d_v: int) -> None:
    x = arrays(d_v, dtype=torch.bfloat16)
    exact = sdpa(*(each.double() for each in x)).numpy()
    output = regard.attention(*x)
    np.testing.assert_equal(output.dtype, torch.bfloat16)
    ulp = 2.0 ** (np.frexp(exact)[1] - 8)  # bfloat16 has 8 significant bits
    np.testing.assert_array_less(np.abs(output.double().numpy() - exact) / ulp, 0.501)
    _, lse = regard.attention_with_lse(*x)
    wide = [each.float() for each in x]
    assert_near(lse, torch.logsumexp(wide[0] @ wide[1].transpose(-2, -1) / 7**0.5, -1))
