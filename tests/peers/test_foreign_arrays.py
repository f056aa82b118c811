"""Arrays of torch, JAX and ml_dtypes come in without a copy and go out as what they were."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import regard
from peers.required import peer
from regard.arrays import empty, give, take

torch = peer("torch")
jax = peer("jax")

# How far a result may be from float64, relative to its largest number.
TOLERANCE = {"bfloat16": 2**-8, "float16": 2**-11, "float32": 2e-6, "float64": 1e-13}
LIBRARIES = ("torch", "jax", "numpy")
libraries = pytest.mark.parametrize("library", LIBRARIES)


@pytest.fixture(autouse=True)
def _float64_in_jax() -> Any:
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", False)


def made(x: Any, library: str, dtype: str) -> Any:
    """Return numbers as an array of a library, rounded to a dtype."""
    if library == "torch":
        return torch.from_numpy(np.array(x)).to(getattr(torch, dtype))
    if library == "jax":
        return jax.numpy.asarray(x).astype(dtype)
    with np.errstate(invalid="ignore"):  # of NaN
        return np.asarray(x).astype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)


def wide(x: Any) -> Any:
    """Return an array of any library as a float64 tensor."""
    return x.double() if isinstance(x, torch.Tensor) else torch.tensor(np.asarray(x, np.float64))


def kind(x: Any) -> tuple[str, str]:
    """Return the library and the dtype of an array."""
    if isinstance(x, torch.Tensor):
        return "torch", str(x.dtype).removeprefix("torch.")
    return "jax" if isinstance(x, jax.Array) else type(x).__module__, str(x.dtype)


SHAPES = {
    "query": (2, 3, 5, 7),
    "key": (2, 3, 11, 7),
    "value": (2, 3, 11, 13),
    "x": (2, 5, 17),
    "W_Q": (3, 17, 7),
    "W_K": (3, 17, 7),
    "W_V": (3, 17, 13),
}


def arrays(library: str, dtype: str) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    numbers = {name: rng.normal(size=shape) / shape[-1] ** 0.5 for name, shape in SHAPES.items()}
    return {name: made(x, library, dtype) for name, x in numbers.items()}


def results(given: dict[str, Any]) -> dict[str, Any]:
    """Return what every public function makes of the arrays."""
    query, key, value, x, *matrices = given.values()
    state = regard.AttentionState.empty().update(query, key, value)
    return {
        "attention": regard.attention(query, key, value),
        "weights": regard.attention_with_weights(query, key, value)[1],
        "with weights": regard.attention_with_weights(query, key, value)[0],
        "lse": regard.attention_with_lse(query, key, value)[1],
        "with lse": regard.attention_with_lse(query, key, value)[0],
        "scores": regard.attention_scores(query, key),
        "state": state.output,
        "lse of state": state.lse,
        "state from lse": regard.AttentionState.from_lse(state.output, state.lse).output,
        "Head": regard.Head(*(W[1] for W in matrices))(x),
        "MultiHead": regard.MultiHead(*matrices)(x),
    }


def expected_results(given: dict[str, Any]) -> dict[str, Any]:
    """Return the same by torch in float64."""
    query, key, value, x, *matrices = (wide(each) for each in given.values())
    scores = query @ key.mT / 7**0.5
    weights = torch.softmax(scores, -1)
    lse = torch.logsumexp(scores, -1)
    Q, K, V = (x[:, None] @ W for W in matrices)
    averages = torch.softmax(Q @ K.mT / 7**0.5, -1) @ V
    return {
        **dict.fromkeys(("attention", "with weights", "with lse"), weights @ value),
        **dict.fromkeys(("state", "state from lse"), weights @ value),
        **dict.fromkeys(("lse", "lse of state"), lse),
        "weights": weights,
        "scores": scores,
        "Head": averages[:, 1],
        "MultiHead": averages.swapaxes(1, 2).flatten(2),
    }


@libraries
@pytest.mark.parametrize("dtype", TOLERANCE)
def test_arrays_go_out_as_what_they_were(library: str, dtype: str) -> None:
    given = arrays(library, dtype)
    expected = expected_results(given)
    for name, result in results(given).items():
        own = "float32" if "lse" in name.split()[:1] and "16" in dtype else dtype
        np.testing.assert_equal((name, *kind(result)), (name, library, own))
        # The parts of a state from lse have been rounded twice.
        largest = float(expected[name].abs().max()) * (2 if name == "state from lse" else 1)
        np.testing.assert_allclose(
            wide(result), expected[name], rtol=0, atol=TOLERANCE[own] * largest, err_msg=name
        )


@libraries
@pytest.mark.parametrize("dtype", TOLERANCE)
def test_statistics_go_out_as_the_library_of_the_query(library: str, dtype: str) -> None:
    given = arrays(library, dtype)
    asked: dict[str, Any] = {"top": 2, "offsets": (0, 3), "columns": (10,), "received": True}
    found = regard.attention_statistics(given["query"], given["key"], **asked)
    scores = wide(given["query"]) @ wide(given["key"]).mT / 7**0.5
    weights = torch.softmax(scores, -1)
    top = torch.topk(weights, 2)
    own = "float32" if "16" in dtype else dtype
    expected = {
        "lse": torch.logsumexp(scores, -1),
        "entropy": torch.special.entr(weights).sum(-1),
        "peak": weights.amax(-1),
        "top_weights": top.values,
        "column_mass": weights[..., 10:],
        "offset_mass": torch.stack(
            [weights[..., :5, :5].diagonal(dim1=-2, dim2=-1),
             torch.nn.functional.pad(weights[..., 3:5, :2].diagonal(dim1=-2, dim2=-1), (3, 0))],
            -1,
        ),
        "received": weights.sum(-2),
    }  # fmt: skip
    for name, numbers in expected.items():
        np.testing.assert_equal((name, *kind(getattr(found, name))), (name, library, own))
        tolerance = 10 * TOLERANCE[own]
        np.testing.assert_allclose(
            wide(getattr(found, name)), numbers, atol=tolerance, err_msg=name
        )
    for name, keys in {"argmax": weights.argmax(-1), "top_keys": top.indices}.items():
        np.testing.assert_equal((name, *kind(getattr(found, name))), (name, library, "int64"))
        np.testing.assert_array_equal(np.asarray(getattr(found, name)), keys)


@libraries
def test_whole_numbers_become_float64(library: str) -> None:
    x = made(np.arange(35).reshape(5, 7) % 3, library, "int32")
    np.testing.assert_equal(kind(regard.attention(x, x, x)), (library, "float64"))


def test_jax_without_float64_gets_float32() -> None:
    jax.config.update("jax_enable_x64", False)
    x = jax.numpy.ones((5, 7), dtype="int32")
    np.testing.assert_equal(kind(regard.attention(x, x, x)), ("jax", "float32"))
    found = regard.attention_statistics(x, x, top=1)
    np.testing.assert_equal(kind(found.entropy), ("jax", "float32"))
    np.testing.assert_equal(kind(found.top_keys), ("jax", "int32"))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int32"])
def test_nothing_is_copied_on_the_way_in(dtype: str) -> None:
    tensor = made(np.arange(105).reshape(3, 5, 7), "torch", dtype)
    views = (
        tensor,
        tensor.mT,
        tensor[::2, 1:, ::3],
        tensor.permute(2, 0, 1),
        tensor[:1].expand(11, 5, 7),
    )
    for view in views:
        array = take("f", "x", view).array
        np.testing.assert_equal(array.ctypes.data, view.data_ptr())
        strides = tuple(n * view.element_size() for n in view.stride())
        np.testing.assert_equal((array.shape, array.strides), (tuple(view.shape), strides))

    from_jax = made(np.arange(105).reshape(3, 5, 7), "jax", dtype)
    address = take("f", "x", from_jax).array.ctypes.data
    np.testing.assert_equal(address, from_jax.unsafe_buffer_pointer())


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", [(1,), (3, 5), (2, 3, 5, 7), (131, 17)])
def test_nothing_is_copied_on_the_way_out(shape: tuple[int, ...], dtype: str) -> None:
    for _ in range(5):  # NumPy's own memory is at a multiple of 64 bytes now and then
        array = empty(shape, getattr(np, dtype))
        np.testing.assert_equal((array.shape, array.dtype), (shape, np.dtype(dtype)))
        np.testing.assert_equal(give(array, "torch", dtype).data_ptr(), array.ctypes.data)
        np.testing.assert_equal(
            give(array, "jax", dtype).unsafe_buffer_pointer(), array.ctypes.data
        )
        np.testing.assert_equal(give(array, "numpy", dtype) is array, True)


def test_results_lie_where_jax_can_take_them_over() -> None:
    for n in (2, 3, 5, 7, 11, 13, 17):
        x = np.ones((n, n), dtype=np.float32)
        output, weights = regard.attention_with_weights(x, x, x)
        _, lse = regard.attention_with_lse(x, x, x)
        for result in (regard.attention(x, x, x), output, weights, lse):
            np.testing.assert_equal(result.ctypes.data % 64, 0)
        np.testing.assert_equal(regard.attention_scores(x, x).ctypes.data % 64, 0)


@libraries
@pytest.mark.parametrize("dtype", ["bfloat16", "float32"])
def test_views_with_any_strides_give_the_same_bits(library: str, dtype: str) -> None:
    given = arrays(library, dtype)
    straight = [given[name] for name in ("query", "key", "value")]
    # The same numbers, laid out with the last axis first and a gap between any two.
    spread = [
        made(np.repeat(np.moveaxis(wide(x).numpy(), -1, 0), 2, axis=0), library, dtype)
        for x in straight
    ]
    move = {"torch": torch.movedim, "jax": jax.numpy.moveaxis, "numpy": np.moveaxis}[library]
    views = [move(x[::2], 0, -1) for x in spread]
    result = regard.attention(*views)
    np.testing.assert_equal(kind(result), (library, dtype))
    np.testing.assert_array_equal(wide(result), wide(regard.attention(*straight)), strict=True)


def test_mixed_libraries_follow_the_query() -> None:
    given = {library: arrays(library, "float32") for library in LIBRARIES}
    expected = expected_results(given["torch"])
    for own in LIBRARIES:
        other, another = (library for library in LIBRARIES if library != own)
        query, key, value = given[own]["query"], given[other]["key"], given[another]["value"]
        mixed = {
            "attention": regard.attention(query, key, value),
            "weights": regard.attention_with_weights(query, key, value)[1],
            "lse": regard.attention_with_lse(query, key, value)[1],
            "scores": regard.attention_scores(query, key),
            "state": regard.AttentionState.empty().update(query, key, value).output,
            "MultiHead": regard.MultiHead(
                given[other]["W_Q"], given[another]["W_K"], given[other]["W_V"]
            )(given[own]["x"]),
        }
        for name, result in mixed.items():
            np.testing.assert_equal((name, *kind(result)), (name, own, "float32"))
            np.testing.assert_allclose(wide(result), expected[name], rtol=0, atol=2e-6)
        lists = regard.attention(wide(query).tolist(), key, value)
        np.testing.assert_equal(kind(lists), ("numpy", "float64"))  # what Python's numbers are


@libraries
def test_the_widest_dtype_wins(library: str) -> None:
    given = {dtype: arrays(library, dtype) for dtype in TOLERANCE}
    for dtypes, widest in {
        ("bfloat16", "bfloat16", "float32"): "float32",
        ("float16", "bfloat16", "float16"): "float32",
        ("bfloat16", "float64", "float32"): "float64",
    }.items():
        names = ("query", "key", "value")
        mixed = [given[dtype][name] for dtype, name in zip(dtypes, names, strict=True)]
        np.testing.assert_equal(kind(regard.attention(*mixed)), (library, widest))


@libraries
def test_an_empty_state_with_rows_leaves_library_and_dtype_alone(library: str) -> None:
    query, key, value, *_ = arrays(library, "float32").values()
    state = regard.AttentionState.empty((2, 3, 5), 13)
    np.testing.assert_equal(kind(state.update(query, key, value).output), (library, "float32"))


@libraries
@pytest.mark.parametrize("dtype", ["bool", "bfloat16", "float64"])
def test_masks_and_numbers_per_batch_come_from_any_library(library: str, dtype: str) -> None:
    query, key, value, *_ = arrays("torch", "float64").values()
    scores = query @ key.mT / 7**0.5
    table = np.random.default_rng(1).normal(size=(3, 5, 11))
    table = table < 0.5 if dtype == "bool" else table
    mask = made(table, library, dtype)
    lengths, offsets = np.array([9, 4]), np.array([2, -1])
    i, j = np.arange(5)[:, None], np.arange(11)
    seen = (j < lengths[:, None, None, None]) & (j <= i + offsets[:, None, None, None])
    if dtype == "bool":
        seen = seen & table
    else:
        scores = scores + wide(mask)
    expected = torch.softmax(torch.where(torch.from_numpy(seen), scores, -torch.inf), -1) @ value
    result = regard.attention(
        query,
        key,
        value,
        mask,
        key_lengths=made(lengths, library, "int64"),
        is_causal=True,
        causal_offset=made(offsets, library, "int32"),
    )
    np.testing.assert_allclose(result, expected.nan_to_num(0), rtol=0, atol=1e-13)


def halves(bits: np.ndarray) -> np.ndarray:
    """Return float32 numbers with every upper half, and the lower halves in `bits`."""
    upper = np.arange(2**16, dtype=np.uint32)[:, None] << 16
    return (upper | bits.astype(np.uint32)).view(np.float32)


@libraries
def test_rounding_to_bfloat16_is_to_nearest_even_and_keeps_infinity_and_nan(library: str) -> None:
    # Exact, just above, and just below, at and just above the middle.
    numbers = halves(np.array([0, 1, 0x7FFF, 0x8000, 0x8001, 0xFFFF]))
    rounded = give(numbers, library, "bfloat16")
    np.testing.assert_equal(kind(rounded), (library, "bfloat16"))
    expected = torch.from_numpy(numbers).to(torch.bfloat16)
    got, nan = wide(rounded).numpy(), np.isnan(numbers)
    np.testing.assert_array_equal(np.isnan(got), nan)
    np.testing.assert_array_equal(np.signbit(got[nan]), np.signbit(numbers[nan]))
    np.testing.assert_array_equal(got[~nan], wide(expected).numpy()[~nan])
    np.testing.assert_array_equal(np.signbit(got[~nan]), np.signbit(numbers[~nan]))


@libraries
def test_every_bfloat16_number_comes_through_unchanged(library: str) -> None:
    numbers = halves(np.array([0]))
    value = made(numbers, library, "bfloat16")
    np.testing.assert_array_equal(take("f", "x", value).array, numbers)
    one_key = made(np.zeros((2**16, 1, 1)), library, "bfloat16")
    output = regard.attention(one_key, one_key, value.reshape(2**16, 1, 1))
    np.testing.assert_array_equal(wide(output).ravel(), wide(value).ravel())


@libraries
def test_an_average_halfway_between_two_bfloat16_numbers_is_the_even_one(library: str) -> None:
    pairs = np.array([[1.0, 1 + 2**-7], [1 + 2**-7, 1 + 2**-6]])
    zeros = made(np.zeros((2, 1, 1)), library, "bfloat16")
    keys = made(np.zeros((2, 2, 1)), library, "bfloat16")
    output = regard.attention(zeros, keys, made(pairs[..., None], library, "bfloat16"))
    np.testing.assert_array_equal(wide(output).ravel(), [1.0, 1 + 2**-6])


def calls(x: Any, plain: Any) -> dict[str, Callable[[], Any]]:
    """Return calls that take `x` under some name and `plain`, both (7, 7), under all others."""
    table = plain[None]
    return {
        "attention: query": lambda: regard.attention(x, plain, plain),
        "attention: key": lambda: regard.attention(plain, x, plain),
        "attention: value": lambda: regard.attention(plain, plain, x),
        "attention: mask": lambda: regard.attention(plain, plain, plain, x),
        "attention_with_weights: key": lambda: regard.attention_with_weights(plain, x, plain),
        "attention_with_lse: value": lambda: regard.attention_with_lse(plain, plain, x),
        "attention_scores: query": lambda: regard.attention_scores(x, plain),
        "AttentionState.update: key": lambda: regard.AttentionState.empty().update(plain, x, plain),
        "AttentionState.from_lse: output": lambda: regard.AttentionState.from_lse(x, plain[0]),
        "Head: W_K": lambda: regard.Head(plain, x, plain),
        "Head: x": lambda: regard.Head(plain, plain, plain)(x),
        "Head: mask": lambda: regard.Head(plain, plain, plain)(plain, mask=x),
        "MultiHead: W_V": lambda: regard.MultiHead(table, table, x),
        "MultiHead: context": lambda: regard.MultiHead(table, table, table)(plain, x),
        "MultiHead: positions": lambda: regard.MultiHead(table, table, table)(plain, positions=x),
        "MultiHead: mask": lambda: regard.MultiHead(table, table, table)(plain, mask=x),
    }


NAMES = list(calls(np.eye(7), np.eye(7)))
names = pytest.mark.parametrize("name", NAMES)


def refusal(call: Callable[[], Any]) -> str:
    with pytest.raises(regard.ParameterError) as refused:
        call()
    return str(refused.value)


@names
def test_a_tensor_that_requires_grad_is_refused_by_name(name: str) -> None:
    call = calls(torch.eye(7, requires_grad=True), torch.eye(7))[name]
    np.testing.assert_equal(
        refusal(call),
        f"{name} requires grad, and regard computes no gradients. "
        f"Pass {name.split()[-1]}.detach().",
    )


def test_a_scale_that_requires_grad_is_refused_by_name() -> None:
    x, scale = torch.eye(7), torch.tensor(0.3, requires_grad=True)
    np.testing.assert_equal(
        refusal(lambda: regard.attention(x, x, x, scale=scale)),
        "attention: scale requires grad, and regard computes no gradients. Pass scale.detach().",
    )


@names
def test_a_traced_jax_array_is_refused_by_name(name: str) -> None:
    plain = np.eye(7, dtype=np.float32)
    traced = jax.jit(lambda x: calls(x, plain)[name]())
    function = name.split(":")[0]
    np.testing.assert_equal(
        refusal(lambda: traced(jax.numpy.eye(7))),
        f"{name} is a traced JAX array, which has no numbers yet. "
        f"Call {function} outside jit, grad and vmap.",
    )


@pytest.mark.parametrize("transform", ["grad", "vmap"])
def test_so_is_one_inside_other_transformations(transform: str) -> None:
    def total(x: Any) -> Any:
        return regard.attention(x, x, x).sum()

    np.testing.assert_equal(
        refusal(lambda: getattr(jax, transform)(total)(jax.numpy.ones((3, 5, 7)))),
        "attention: query is a traced JAX array, which has no numbers yet. "
        "Call attention outside jit, grad and vmap.",
    )


@names
def test_a_tensor_without_memory_is_refused_by_name(name: str) -> None:
    message = refusal(calls(torch.eye(7, device="meta"), torch.eye(7))[name])
    np.testing.assert_equal(
        message,
        f"{name} is on device 'meta', and regard computes on the CPU. "
        "A tensor has no numbers there.",
    )


@names
def test_a_sparse_tensor_is_refused_by_name(name: str) -> None:
    np.testing.assert_equal(
        refusal(calls(torch.eye(7).to_sparse(), torch.eye(7))[name]),
        f"{name} cannot be read as a dense array: can't convert Sparse layout tensor to numpy. "
        "Use Tensor.to_dense() first.",
    )


@pytest.mark.parametrize(
    "given",
    [
        {"query": torch.eye(7, requires_grad=True)},
        {"query": torch.eye(7, device="meta")},
        {"query": torch.eye(7, dtype=torch.bool)},
        {"query": jax.numpy.eye(7, dtype=bool)},
        {"mask": torch.eye(7, dtype=torch.int64)},
        {"mask": jax.numpy.eye(7, dtype="int32")},
    ],
    ids=["torch grad", "torch meta", "torch bool", "jax bool", "torch mask", "jax mask"],
)
def test_a_fix_that_is_offered_works(given: dict[str, Any]) -> None:
    plain = {"query": torch.eye(7), "key": torch.eye(7), "value": torch.eye(7)}
    message = refusal(lambda: regard.attention(**plain | given))
    for fix in re.findall(r"[Pp]ass (\w+\..*)\.$", message):  # none is fine where none would do
        (name,) = given
        better = eval(fix, {"numpy": np, **given})
        regard.attention(**plain | {name: better})
