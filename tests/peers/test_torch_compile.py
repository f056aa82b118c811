"""Functions of arrays called from a program that torch compiles: each call with its own numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import regard
from peers.required import peer
from regard.core.eager import eager

torch = peer("torch")
pytestmark = pytest.mark.filterwarnings("ignore")  # of the compiler, which says where it breaks

RNG = np.random.default_rng(51)
W = [RNG.standard_normal((3, 4, 2)).astype(np.float32) for _ in range(3)]
HEADS = regard.MultiHead(*W)
CALLS: dict[str, Callable[[Any], Any]] = {
    "the drop-in": lambda x: regard.torch.scaled_dot_product_attention(x, x, x),
    "attention": lambda x: regard.attention(x, x, x, is_causal=True),
    "with weights": lambda x: regard.attention_with_weights(x, x, x)[1],
    "with lse": lambda x: regard.attention_with_lse(x, x, x)[1],
    "scores": lambda x: regard.attention_scores(x, x),
    "statistics": lambda x: regard.attention_statistics(x, x).entropy,
    "heads": lambda x: HEADS(x),
    "weights of heads": lambda x: HEADS.weights(x),
    "a state": lambda x: regard.AttentionState.empty().update(x, x, x).output,
    "rotary": lambda x: regard.rotary(x, np.arange(5)),
    "gradients": lambda x: regard.analysis.gradients(x, x, x, x).query,
}


def program(x: Any) -> list[Any]:
    return [torch.tanh(call(2 * x)) + 1 for call in CALLS.values()]


def test_a_compiled_program_gets_the_numbers_of_each_call() -> None:
    compiled = torch.compile(program, backend="aot_eager")
    rng = torch.Generator().manual_seed(3)
    for _ in range(3):
        x = torch.randn(2, 5, 4, generator=rng)
        torch.testing.assert_close(compiled(x), program(x), rtol=0, atol=1e-6)


@pytest.mark.parametrize("before", [(), (0,), (1,), (0, 1)])
def test_functions_that_were_called_before_or_not_are_told_apart(before: tuple[int, ...]) -> None:
    torch.compiler.reset()  # what is compiled is kept by the code, which all these functions share
    both = [eager(lambda x, times=times: regard.attention(x, x, times * x)) for times in (2, 3)]
    x = torch.ones(2, 4)
    for i in before:
        both[i](x)
    compiled = torch.compile(lambda x: [own(2 * x) for own in both], backend="aot_eager")
    assert [float(one[0, 0]) for one in compiled(x)] == [4.0, 6.0]
