"""Mistakes about masks."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from regard.kinds.compute.instance import Example, Float64, Found, Setup
from regard.kinds.compute.instance.forward import head_names, weights
from regard.kinds.compute.misconceptions.case import imitated, otherwise, with_stage
from regard.kinds.compute.misconceptions.imitation import Imitate, Imitated


def _masked(how: str) -> Imitate:
    """A mask that is used in another way."""

    def stage(setup: Setup, found: Found) -> Mapping[str, Float64]:
        result = dict(weights(setup, found))
        for name in head_names(setup):
            Z = found[f"Z{name}"] / setup.temperature
            if how == "multiplied":
                Z = Z * setup.allowed
            powers = np.exp(Z - Z.max(axis=1, keepdims=True))
            A = powers / powers.sum(axis=1, keepdims=True)
            result[f"A{name}"] = A * setup.allowed if how == "after" else A
        return result

    def imitate(example: Example) -> Imitated:
        if example.given.hides and not example.given.divides and example.given.n is None:
            yield with_stage(example, weights=stage)

    return imitate


def _mask_left_out(example: Example) -> Imitated:
    if example.given.hides:
        yield otherwise(example, allowed=np.ones_like(example.setup.allowed))


def _mask_upside_down(example: Example) -> Imitated:
    """Ones and zeros the other way round, or the later keys seen instead of the earlier ones."""
    allowed = example.setup.allowed
    if not example.given.hides:
        return
    if allowed.shape[0] == allowed.shape[1]:
        yield otherwise(example, allowed=allowed.T)
    if (~allowed).any(axis=1).all():
        yield otherwise(example, allowed=~allowed)


def _not_itself(example: Example) -> Imitated:
    """A causal mask that hides a token from itself, or shows the next one too."""
    given = example.given
    if not given.is_causal:
        return
    i, j = np.indices(example.setup.allowed.shape)
    later = example.setup.allowed & (j < i + given.offset)
    yield otherwise(example, allowed=example.setup.allowed | (j == i + given.offset + 1))
    if later.any(axis=1).all() or given.n is not None:
        yield otherwise(example, allowed=later)


MASKS = (
    imitated(
        "mask-after-softmax",
        _masked("after"),
        "The mask after the softmax",
        "Weights of hidden keys were set to 0 after the softmax.\n"
        "The others no longer sum to 1: the mask belongs before it.",
    ),
    imitated(
        "mask-multiplied",
        _masked("multiplied"),
        "The mask multiplied with the scores",
        "Hidden scores were set to 0, and e^0 is 1:\n"
        "minus infinity is to be added to them instead.",
    ),
    imitated(
        "mask-forgotten",
        _mask_left_out,
        "The mask left out",
        "Every key was attended to.\nSome are hidden here, and get the weight 0.",
    ),
    imitated(
        "mask-the-other-way",
        _mask_upside_down,
        sentence=(
            "The mask was used the other way round:\n"
            "the hidden keys were attended to, or queries and keys have changed places "
            "in it."
        ),
    ),
    imitated(
        "causal-mask-off-by-one",
        _not_itself,
        "A causal mask that ends one key too late",
        "The causal mask ends one key too early or too late:\n"
        "a token sees itself and what comes before it.",
    ),
)
