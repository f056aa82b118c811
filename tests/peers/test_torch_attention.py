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
    assert actual.dtype == expected.dtype
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
