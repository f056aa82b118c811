"""What is often got wrong in a lab: the catalogue's functions with a change, run on an instance."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from regard.kinds.code.solve.catalogue import CATALOGUE
from regard.kinds.code.solve.completed_file import Function, load, needed
from regard.kinds.code.solve.reference_runs import draw, expected, outcome
from regard.kinds.code.spec import PARAMETERS
from regard.report import number
from regard.report.numbers import short

MOST = 4  # that are told


@dataclass(frozen=True)
class Change:
    """What somebody writes instead: pieces of the catalogue's body, each with what replaces it."""

    words: str
    pieces: Mapping[str, str]


WRONG = {
    "softmax": Change(
        "without subtracting the largest entry", {" - x.max(axis=-1, keepdims=True)": ""}
    ),
    "attention": Change(
        "without the division by $\\sqrt{d_k}$", {" / np.sqrt(query.shape[-1])": ""}
    ),
    "masked_attention": Change(
        "with 0 for a masked score instead of $-\\infty$", {"scores, -np.inf": "scores, 0"}
    ),
    "causal_attention": Change(
        "with a mask that hides the position itself, $j < i$ instead of $j \\le i$",
        {"dtype=bool": "k=-1, dtype=bool"},
    ),
    "self_attention": Change(
        "with $W_Q$ and $W_K$ exchanged", {"x @ W_Q, x @ W_K": "x @ W_K, x @ W_Q"}
    ),
    "multi_head_attention": Change(
        "with the heads' numbers interleaved instead of side by side",
        {"np.concatenate(heads, axis=-1)": "np.stack(heads, axis=-1).reshape(len(x), -1)"},
    ),
    "sinusoidal_positions": Change(
        "with all sines first and then all cosines",
        {"[:, 0::2]": "[:, : d_model // 2]", "[:, 1::2]": "[:, d_model // 2 :]"},
    ),
    "cross_attention": Change(
        "with keys and values made of the tokens that ask", {"context @": "x @"}
    ),
    "padding_attention": Change(
        "with the padding hidden as queries instead of as keys",
        {"[:, np.newaxis, :]": "[:, :, np.newaxis]"},
    ),
    "causal_padding_attention": Change(
        "with the two masks joined by *or* instead of *and*", {"& past": "| past"}
    ),
    "split_head_attention": Change(
        "with the heads cut by one reshape",
        {"len(x), n_heads, -1).swapaxes(0, 1)": "n_heads, len(x), -1)"},
    ),
    "rotary": Change("turned the other way", {"- b *": "+ b *", "= a * np.sin": "= -a * np.sin"}),
    "copy_query": Change(
        "with the key itself, not enlarged", {"60 * np.sqrt(key.shape[-1]) * ": ""}
    ),
}


def wrong_versions(behaviours: Mapping[str, str]) -> tuple[str, ...]:
    """Return what comes of mistakes in these functions, by their names; at most four."""
    return tuple(_told(name, behaviour) for name, behaviour in list(behaviours.items())[:MOST])


def _told(name: str, behaviour: str) -> str:
    arguments = draw(behaviour, np.random.default_rng(11))
    if behaviour == "softmax":
        arguments = (np.array([[1000.0, 0.0]]),)
    right = expected(behaviour, arguments)
    with np.errstate(all="ignore"):
        returned = changed(behaviour)(*arguments)
        wrong = np.asarray(outcome(behaviour, arguments, returned), float)
    said = f"{name} {WRONG[behaviour].words}"
    if behaviour == "softmax":
        shown = [f"({', '.join(number(float(x)) for x in y)})" for y in (wrong[0], right[0])]
        return f"{said}: of (1000, 0) it makes {shown[0]} instead of {shown[1]}."
    if behaviour == "causal_attention":
        return (
            f"{said}: the first row may attend to nothing and becomes "
            f"{short(float(wrong[0, 0]))} instead of {short(float(right[0, 0]))}."
        )
    if behaviour == "copy_query":
        weight = number(float(wrong[arguments[1]]), 3)
        return f"{said}: on a drawn instance the key to be copied has the weight {weight} only."
    place = np.unravel_index(int(np.abs(wrong - right).argmax()), right.shape)
    return (
        f"{said}: on a drawn instance an entry would be {short(float(wrong[place]))} instead "
        f"of {short(float(right[place]))}."
    )


def changed(behaviour: str) -> Callable[..., Any]:
    """Return the function of a behaviour as somebody writes it who gets it wrong."""
    bodies = {one: CATALOGUE[one].body for one in needed([behaviour])}
    for piece, instead in WRONG[behaviour].pieces.items():
        bodies[behaviour] = bodies[behaviour].replace(piece, instead)
    parts = (Function(one, one, PARAMETERS[one], body) for one, body in bodies.items())
    return load(tuple(parts))[behaviour]
