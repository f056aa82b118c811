"""Attention in float64, one stage after the other; a stage can be done in another way."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from regard.kinds.compute.instance.layers import activated, normalise
from regard.kinds.compute.instance.positions import biases, position_rows, turned, with_positions
from regard.kinds.compute.instance.setup import Float64, Setup
from regard.kinds.compute.instance.tiles import tiled
from regard.kinds.compute.spec.numbers import value

Found = dict[str, Float64]
Stage = Callable[[Setup, Found], Mapping[str, Float64]]


def head_names(setup: Setup) -> list[str]:
    """Return what stands behind the names of each head: nothing where there is one."""
    heads = setup.given.heads
    return [""] if heads == 1 else [f"_h{h}" for h in range(1, heads + 1)]


def of_head(rows: Float64, head: int, heads: int) -> Float64:
    """Return the columns of one head, counted from 0."""
    d = rows.shape[1] // heads
    return rows[:, head * d : (head + 1) * d]


def of_group(setup: Setup, rows: Float64, head: int) -> Float64:
    """Return the columns of the keys or values that a query head reads."""
    groups = setup.given.groups
    return of_head(rows, head * groups // setup.given.heads, groups)


def inputs(setup: Setup, found: Found) -> Mapping[str, Float64]:
    """Positions added to the tokens."""
    if not setup.given.adds:
        return {}
    rows = position_rows(setup, setup.arrays["tokens"].shape[1])
    return with_positions(setup, rows)


def normed_inputs(setup: Setup, found: Found) -> Mapping[str, Float64]:
    """A norm before attention."""
    norm = setup.norms[0]
    if norm is None or norm.place != "pre":
        return {}
    return {"N": normalise(tokens_of(setup, found), norm)}


def tokens_of(setup: Setup, found: Found) -> Float64:
    """Return the tokens, with their positions if these are added."""
    return found["XP"] if "XP" in found else setup.arrays["tokens"]


def projections(setup: Setup, found: Found) -> Mapping[str, Float64]:
    """Queries, keys and values."""
    given = setup.given
    if given.n is not None or given.scores is not None or given.weights is not None:
        return {"V": setup.arrays["V"]} if "V" in setup.arrays else {}
    result: Found = {}
    for letter in "QKV":
        rows = projected(setup, found, letter)
        if rows is not None:
            result[letter] = rows
    return result


def projected(setup: Setup, found: Found, letter: str) -> Float64 | None:
    """Return queries, keys or values: those that are given, or made of tokens."""
    given, own = setup.given, setup.get(letter)
    if own is None:
        if letter == "V" and given.d_v is None:
            return None
        x = found["N"] if "N" in found else tokens_of(setup, found)
        if letter != "Q":
            x = found.get("context", setup.arrays.get("context", x))
        W, b = setup.get(f"W_{letter}"), setup.get(f"b_{letter}")
        own = x if W is None else x @ W
        own = own if b is None else own + b
    cached = setup.get(f"cached_{letter}")
    return own if cached is None else np.vstack([cached, own])


def rotated(setup: Setup, found: Found) -> Mapping[str, Float64]:
    """Queries and keys turned by their positions, or mapped to features."""
    given, p = setup.given, setup.given.positions
    if given.turns:
        assert p is not None
        base, before = value(p.base), given.turned_before
        kept = found["K"][: len(found["K"]) - given.new_keys] if before else found["K"][:0]
        keys = found["K"][len(kept) :]
        keys = turned(keys, setup.first_key + before, base, p.pairs, given.groups)
        return {
            "QR": turned(found["Q"], setup.first_query, base, p.pairs, given.heads),
            "KR": np.vstack([kept, keys]),
        }
    if given.feature_map is not None:
        result = {f"{one}F": feature(found[one], given.feature_map) for one in "QK"}
        if "V" in found and not given.hides:
            result["KV"] = result["KF"].T @ found["V"]
        return result
    return {}


def feature(x: Float64, name: str) -> Float64:
    """Return elu(x) + 1, the positive part, or x itself."""
    if name == "elu+1":
        return np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))
    if name == "exp":
        return np.exp(x)
    return np.maximum(x, 0) if name == "relu" else x


def raw_scores(setup: Setup, found: Found) -> Mapping[str, Float64]:
    """Scores before the scale."""
    if setup.given.n is not None or setup.given.weights is not None:
        return {}
    if "scores" in setup.arrays:
        return {"G": setup.arrays["scores"]}
    Q, K = (found.get(f"{one}R", found.get(f"{one}F", found[one])) for one in "QK")
    return {
        f"G{name}": score(setup, of_head(Q, h, setup.given.heads), of_group(setup, K, h))
        for h, name in enumerate(head_names(setup))
    }


def score(setup: Setup, Q: Float64, K: Float64) -> Float64:
    """Return the score of each query (rows) for each key."""
    match setup.given.score:
        case "cosine":
            lengths = np.linalg.norm(Q, axis=1)[:, None] * np.linalg.norm(K, axis=1)
            return np.asarray(Q @ K.T / lengths)
        case "distance":
            return np.asarray(-np.sum((Q[:, None, :] - K[None, :, :]) ** 2, axis=2) / 2)
        case "additive":
            return np.asarray(np.tanh(Q[:, None, :] + K[None, :, :]) @ setup.arrays["w_score"][0])
        case "bilinear":
            return Q @ setup.arrays["W_score"] @ K.T
    return Q @ K.T


def scores(setup: Setup, found: Found) -> Mapping[str, Float64]:
    """Scores with the scale, and what is added to them."""
    result: Found = {}
    for h, name in enumerate(head_names(setup)):
        if setup.given.biased:
            result[f"B{name}"] = biases(setup, h)
        if f"G{name}" in found:
            capped = setup.scale * found[f"G{name}"]
            if setup.given.softcap is not None:
                cap = value(setup.given.softcap)
                capped = cap * np.tanh(capped / cap)
            result[f"Z{name}"] = capped + result.get(f"B{name}", 0.0)
    return result


def masks(setup: Setup, found: Found) -> Mapping[str, Float64]:
    """1 where a query may attend to a key, and 0 elsewhere."""
    return {"M": setup.allowed.astype(float)} if setup.given.hides else {}


def weights(setup: Setup, found: Found) -> Mapping[str, Float64]:
    """Weights of each query, and what the softmax makes on the way."""
    if setup.given.n is not None:
        return {}
    result: Found = {}
    seen = setup.allowed if "M" not in found else found["M"] > 0.5
    for name in head_names(setup):
        if "weights" in setup.arrays:
            result["A"] = setup.arrays["weights"]
        else:
            Z = found[f"Z{name}"] / setup.temperature
            if setup.given.divides:
                kept = np.where(seen, Z, 0.0)
                result[f"S{name}"] = kept.sum(axis=1)
                result[f"A{name}"] = kept / kept.sum(axis=1, keepdims=True)
            else:
                hidden = np.where(seen, Z, -np.inf)
                powers = np.exp(hidden)
                result |= {f"E{name}": powers, f"S{name}": powers.sum(axis=1)}
                top = hidden.max(axis=1, keepdims=True)
                lifted = np.exp(hidden - top)
                total = lifted.sum(axis=1, keepdims=True)
                result[f"LSE{name}"] = (top + np.log(total))[:, 0]
                result[f"A{name}"] = lifted / total
    return result


def entropies(setup: Setup, found: Found) -> Mapping[str, Float64]:
    """The entropy of the weights of each query."""
    names = [f"A{name}" for name in head_names(setup) if f"A{name}" in found]
    return {f"H{name[1:]}": entropy(found[name], setup.given.entropy) for name in names}


def entropy(A: Float64, unit: str) -> Float64:
    """Return the entropy of each row of weights; 0 log 0 is 0, and what is below 0 has none."""
    logs = np.log(np.where(A == 0, 1.0, A))
    return np.asarray(-(A * logs).sum(axis=1) / (np.log(2) if unit == "bits" else 1.0)) + 0.0


def outputs(setup: Setup, found: Found) -> Mapping[str, Float64]:
    """The weighted averages of the values, head beside head."""
    if "V" not in found or setup.given.n is not None:
        return {}
    parts = [
        found[f"A{name}"] @ of_group(setup, found["V"], h)
        for h, name in enumerate(head_names(setup))
    ]
    return {"C": np.hstack(parts)}


def merged(setup: Setup, found: Found) -> Mapping[str, Float64]:
    """The outputs of the heads through W_O."""
    W = setup.get("W_O")
    if W is None or "C" not in found:
        return {}
    b = setup.get("b_O")
    return {"O": found["C"] @ W + (0.0 if b is None else b)}


def residual(setup: Setup, found: Found) -> Mapping[str, Float64]:
    """The input added to the output of attention."""
    last = found.get("O", found.get("C"))
    if not setup.given.residual or last is None:
        return {}
    return {"R": tokens_of(setup, found) + last}


def block(setup: Setup, found: Found) -> Mapping[str, Float64]:
    """The norm after attention, and the feed-forward net with a residual and norm of its own."""
    net, (first, second) = setup.given.feed_forward, setup.norms
    last = found.get("R", found.get("O", found.get("C")))
    if last is None:
        return {}
    post = first is not None and first.place == "post"
    if net is None:
        return {"Y": normalise(last, first)} if post and first is not None else {}
    result: Found = {}
    before = last
    if first is not None and second is not None:
        before = result["L"] = normalise(last, first if post else second)
    inner = before @ setup.arrays["W_1"] + setup.arrays.get("b_1", 0.0)
    inner = activated(inner, net.activation)
    result["F"] = inner @ setup.arrays["W_2"] + setup.arrays.get("b_2", 0.0)
    if post and second is not None:
        result["T"] = before + result["F"]
        result["Y"] = normalise(result["T"], second)
    else:
        result["Y"] = last + result["F"]
    return result


STAGES: Mapping[str, Stage] = {
    "inputs": inputs,
    "normed_inputs": normed_inputs,
    "projections": projections,
    "rotated": rotated,
    "raw_scores": raw_scores,
    "scores": scores,
    "masks": masks,
    "weights": weights,
    "entropies": entropies,
    "tiled": tiled,
    "outputs": outputs,
    "merged": merged,
    "residual": residual,
    "block": block,
}


def forward(
    setup: Setup,
    stages: Mapping[str, Stage] = STAGES,
    replace: Callable[[Found], None] = lambda found: None,
) -> Found:
    """Return every number by name.

    Args:
        setup: what is given.
        stages: how each step is done, in their order.
        replace: changes what has been found, after each stage.
    """
    found: Found = {}
    for stage in stages.values():
        found |= stage(setup, found)
        replace(found)
    return found
