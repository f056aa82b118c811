"""What families ask of a file: how many layers its names count, and what its config says."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from regard.errors import InvalidModel
from regard.models.architecture import Architecture
from regard.models.tensors import Tensors
from regard.shapes import show

MOST_LAYERS = 4096


def prefix_of(tensors: Tensors, ending: str) -> str | None:
    """Return what stands before `ending` in the first name that ends so, or None."""
    return next(
        (name[: -len(ending)] for name in tensors.entries
         if name.endswith(ending) and (name == ending or name[: -len(ending)].endswith("."))),
        None,
    )  # fmt: skip


def count_layers(tensors: Tensors, template: str) -> int:
    """Return how many layers have the tensor whose name has {layer} in it, from 0 on."""
    before, after = template.split("{layer}")
    pattern = re.compile(re.escape(before) + r"(\d+)" + re.escape(after))
    found = {int(match[1]) for name in tensors.entries if (match := pattern.fullmatch(name))}
    count = next(i for i in range(MOST_LAYERS + 1) if i not in found)
    if count == 0 or len(found) != count:
        missing = min(set(range(max(found, default=0) + 1)) - found, default=0)
        raise InvalidModel(
            f"{tensors.source}: {template.replace('{layer}', str(missing))} is missing."
        )
    return count


def present(tensors: Tensors, parts: Mapping[str, str], layer: int = 0) -> dict[str, str]:
    """Return those parts whose tensor the file has (for layer parts: in one layer)."""
    return {
        part: name
        for part, name in parts.items()
        if name.replace("{layer}", str(layer)) in tensors.entries
    }


_GROUPS: Mapping[str, Mapping[int, tuple[str, ...]]] = {
    "attention": {2: ("qkv", "output"), 4: ("query", "key", "value", "output")},
    "norms": {2: ("attention_norm", "mlp_norm")},
    "mlp": {2: ("mlp_up", "mlp_down"), 3: ("mlp_gate", "mlp_up", "mlp_down")},
}


def with_biases(before: str, **places: tuple[str, ...]) -> dict[str, str]:
    """Return the names of the weights of each part, and of its biases, from where each stands.

    Args:
        before: what all names begin with; it may have {layer} in it.
        places: what follows, for "attention" (of queries, keys, values and output, or of one
            matrix for all three and output), "norms" (of attention and MLP) and "mlp" (gate if
            there is one, up, down).
    """
    named = {
        part: place
        for group, several in places.items()
        for part, place in zip(_GROUPS[group][len(several)], several, strict=True)
    }
    return {
        name: f"{before}{place}.{ending}"
        for part, place in named.items()
        for name, ending in ((part, "weight"), (f"{part}_bias", "bias"))
    }


def whole_number(
    tensors: Tensors, keys: Iterable[str], what: str, default: int | None = None
) -> int:
    """Return the first of these keys that the config has, as a whole number ≥ 1."""
    names = list(keys)
    for key in names:
        said = tensors.config.get(key)
        if said is not None:
            if type(said) is not int or said < 1:
                raise InvalidModel(
                    f"{tensors.source}: the config's {key} must be a whole number ≥ 1. "
                    f"Got {str(said)[:40]}."
                )
            return said
    if default is None:
        raise InvalidModel(
            f"{tensors.source}: {what} cannot be told from the tensors. Put a config.json with "
            f"{names[0]!r} beside the file, or say config={{{names[0]!r}: …}} (--heads)."
        )
    return default


def number(tensors: Tensors, key: str, default: float) -> float:
    """Return a key of the config as a positive number."""
    said = tensors.config.get(key)
    if said is None:
        return default
    if isinstance(said, bool) or not isinstance(said, int | float) or not 0 < said < 1e300:
        raise InvalidModel(
            f"{tensors.source}: the config's {key} must be a positive number. Got {str(said)[:40]}."
        )
    return float(said)


def word(tensors: Tensors, key: str, default: str) -> str:
    """Return a key of the config as a word."""
    said: Any = tensors.config.get(key, default)
    return said if isinstance(said, str) else default


def check_kind(tensors: Tensors, known: Iterable[str], names_of: str) -> str:
    """Return the model_type that the config says, one of `known`, or "" where it says none.

    Many models have the tensors of another by name and compute otherwise: their numbers would be
    wrong without a sign of it.
    """
    kind, several = word(tensors, "model_type", ""), list(known)
    if kind and kind not in several:
        raise InvalidModel(
            f"{tensors.source}: has {names_of}'s names, and its config calls it {kind[:40]!r}, "
            f"which may compute otherwise; it is not read. Read are: {', '.join(several)}. If it "
            f"computes as one of these, say config={{'model_type': {several[0]!r}}}."
        )
    return kind


def matrix_shape(tensors: Tensors, name: str) -> tuple[int, int]:
    """Return the shape of a tensor that has to be a matrix."""
    shape = tensors.shape(name)
    if len(shape) != 2 or 0 in shape:
        raise InvalidModel(f"{tensors.source}: {name} must be a matrix. Got {show(shape)}.")
    return shape[0], shape[1]


def head_width(tensors: Tensors, width: int, n_heads: int, name: str) -> int:
    """Return width / n_heads, if that is whole."""
    if width % n_heads:
        raise InvalidModel(
            f"{tensors.source}: {name} is {width} wide, which {n_heads} heads do not divide."
        )
    return width // n_heads


def plain(
    tensors: Tensors,
    family: str,
    parts: Mapping[str, str],
    query: str,
    d_model: int,
    heads: tuple[int, int],
) -> Architecture:
    """Return an architecture with as many key heads as heads, each layer stored by itself.

    A family puts what differs in the place of what is plain, with `dataclasses.replace`.

    Args:
        tensors: the file.
        family: its name.
        parts: which tensor would play which part; those that the file has are taken.
        query: the name of the queries' matrix, with {layer} in it, by which layers are counted.
        d_model: the width of tokens.
        heads: how many there are, and how wide each is.
    """
    stored = tuple(range(count_layers(tensors, query)))
    n_heads, d_head = heads
    named = present(tensors, parts)
    return Architecture(family, n_heads, n_heads, d_model, d_head, named, stored)
