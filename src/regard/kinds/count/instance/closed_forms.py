r"""What every quantity is, as one formula in the sizes: the judge's own book.

With d = d_model, h = heads, h_k = key_heads, p the pairs of a query and a key, B = batch:

    attention parameters   d h d_k + d h_k (d_k + d_v) + h d_v d (+ h d_k + h_k (d_k + d_v) + d)
    feed-forward           2 d d_ff (+ d_ff + d); gated 3 d d_ff (+ 2 d_ff + d)
    one head               p (d_k + d_v) multiplications, p (d_k - 1) + (p - n) d_v additions
    KV cache               L h_k (d_k + d_v) n B numbers
    intensity              2 h p (d_k + d_v) / (b (h n (d_k + d_v) + h_k n_k (d_k + d_v)))
"""

from __future__ import annotations

from collections.abc import Callable

from regard.certify.formulas.rational_functions import Ratio
from regard.kinds.count.instance.sizes import Setting

Shape = tuple[Ratio, ...]


def count(at: Setting, quantity: str) -> Ratio:
    """Return a quantity that is a number."""
    return _FORMS[quantity](at) if quantity in _FORMS else at[quantity]


def shape(at: Setting, quantity: str) -> Shape:
    """Return the axes of an array, (batch, heads, length, width); what is not given has no axis."""
    name = quantity.removeprefix("shape_")
    d_k, d_v, heads, keys = at.get("d_k"), at.get("d_v"), at.get("heads"), at.get("key_heads")
    if name.startswith("W_"):
        d, context = at["d_model"], at["d_context"]
        widths = {"W_Q": heads * d_k, "W_K": keys * d_k, "W_V": keys * d_v}
        rows = d if name == "W_Q" else context
        return (heads * d_v, d) if name == "W_O" else (rows, widths[name])
    axes = {
        "Q": (at["n"], d_k), "K": (at["n_k"], d_k), "V": (at["n_k"], d_v),
        "scores": (at["n"], at["n_k"]), "weights": (at["n"], at["n_k"]), "heads": (at["n"], d_v),
    }  # fmt: skip
    batch = (at["batch"],) if at.has("batch") else ()
    if name in axes:
        count = keys if name in "KV" else heads
        return (*batch, *((count,) if at.has("heads") else ()), *axes[name])
    if name == "concat":
        return (*batch, at["n"], heads * d_v)
    projected = at.has("d_model") and (name == "X" or at.conventions.output_projection)
    return (*batch, at["n"], at["d_model"] if projected else heads * d_v)


def _pairs(at: Setting) -> Ratio:
    n = at["n"]
    if at.has("window"):
        w = at["window"]
        return w * n - w * (w - 1) / at.symbols.number(2)
    if at.conventions.causal is True:
        return n * (n + 1) / at.symbols.number(2)
    half = at.symbols.number(2 if at.conventions.causal else 1)
    return n * at["n_k"] / half


def _batch_heads(at: Setting) -> Ratio:
    """How many heads work beside each other: one for a single head."""
    return at.get("batch") * (at.symbols.number(1) if at.of == "head" else at.get("heads"))


# ------------------------------------------------------------------ parameters


def _made(at: Setting, rows: str, heads: str, columns: str) -> Ratio:
    """The matrix that makes queries, keys or values of all heads, with its biases."""
    width = at.get(heads) * at[columns]
    return at[rows] * width + (width if at.conventions.biases else 0)


_QUERY = ("d_model", "heads", "d_k")
_KEY = ("d_context", "key_heads", "d_k")
_VALUE = ("d_context", "key_heads", "d_v")


def _output(at: Setting) -> Ratio:
    d = at["d_model"]
    return at.get("heads") * at["d_v"] * d + (d if at.conventions.biases else 0)


def _head(at: Setting) -> Ratio:
    keys = at["d_k"] + at["d_v"]
    weights = at["d_model"] * at["d_k"] + at["d_context"] * keys
    return weights + (at["d_k"] + keys if at.conventions.biases else 0)


def _attention(at: Setting) -> Ratio:
    total = _made(at, *_QUERY) + _made(at, *_KEY) + _made(at, *_VALUE)
    return total + _output(at) if at.conventions.output_projection else total


def _feed_forward(at: Setting) -> Ratio:
    d, wide = at["d_model"], at["d_ff"]
    if wide == 0:
        return wide  # no such layer
    gated = at.conventions.feed_forward == "gated"
    matrices = d * wide * (3 if gated else 2)
    return matrices + (wide * (2 if gated else 1) + d if at.conventions.biases else 0)


def _norm(at: Setting) -> Ratio:
    return at["d_model"] * {"none": 0, "rms": 1, "layer": 2}[at.conventions.norms]


def _block(at: Setting) -> Ratio:
    return _attention(at) + _feed_forward(at) + _norm(at) * 2


def _norms(at: Setting) -> Ratio:
    if at.of == "model":
        return _norm(at) * (at.get("layers") * 2 + 1)
    return _norm(at) * 2 if at.of == "block" else _norm(at)


def _embedding(at: Setting) -> Ratio:
    return at["vocabulary"] * at["d_model"] * (1 if at.conventions.tied else 2)


def _model(at: Setting) -> Ratio:
    total = _embedding(at) + at.get("layers") * _block(at) + _norm(at)
    return total + at["positions"] * at["d_model"] if at.has("positions") else total


_PARAMETERS: dict[str, Callable[[Setting], Ratio]] = {
    "head": _head,
    "attention": _attention,
    "feed_forward": _feed_forward,
    "block": _block,
    "model": _model,
}


def _parameters(at: Setting) -> Ratio:
    total = _PARAMETERS[at.of](at)
    return total if at.of == "model" else total * at.get("layers")


# ------------------------------------------------------------------ operations


def _projection(at: Setting, additions: bool = False) -> Ratio:
    queries = at["n"] * at.get("heads") * at["d_k"]
    keys = at["n_k"] * at.get("key_heads") * (at["d_k"] + at["d_v"])
    into = _inner(at, at["d_model"], additions), _inner(at, at["d_context"], additions)
    return at.get("batch") * (into[0] * queries + into[1] * keys)


def _inner(at: Setting, size: Ratio, additions: bool) -> Ratio:
    """Return what each entry of a product costs; a bias is one addition more."""
    return size - (0 if at.conventions.biases else 1) if additions else size


def _scores(at: Setting, additions: bool = False) -> Ratio:
    return _batch_heads(at) * _pairs(at) * (at["d_k"] - 1 if additions else at["d_k"])


def _average(at: Setting, additions: bool = False) -> Ratio:
    terms = _pairs(at) - at["n"] if additions else _pairs(at)
    return _batch_heads(at) * terms * at["d_v"]


def _merged(at: Setting, additions: bool = False) -> Ratio:
    width = at.get("heads") * at["d_v"]
    return at.get("batch") * at["n"] * at["d_model"] * _inner(at, width, additions)


def _wide(at: Setting, additions: bool = False) -> Ratio:
    d, wide, n = at["d_model"], at["d_ff"], at.get("batch") * at["n"]
    into = n * wide * _inner(at, d, additions)
    back = n * d * _inner(at, wide, additions)
    return into * (2 if at.conventions.feed_forward == "gated" else 1) + back


def _operations(at: Setting, additions: bool) -> Ratio:
    if at.of == "product":
        inner = at["inner"] - 1 if additions else at["inner"]
        return at["left_rows"] * inner * at["right_columns"] * at.get("batch")
    core = _scores(at, additions) + _average(at, additions) if at.of != "feed_forward" else None
    if at.of == "head":
        assert core is not None
        return core
    if at.of == "feed_forward":
        return _wide(at, additions) * at.get("layers")
    assert core is not None
    whole = core + _projection(at, additions)
    if at.conventions.output_projection:
        whole = whole + _merged(at, additions)
    if at.of == "attention":
        return whole * at.get("layers")
    whole = (whole + _wide(at, additions)) * at.get("layers")
    if at.of == "model":
        d = at["d_model"]
        last = at.get("batch") * at["n"] * at["vocabulary"]
        whole = whole + last * (d - 1 if additions else d)
    return whole


def _flops(at: Setting) -> Ratio:
    products = _operations(at, False)
    if at.conventions.flops == "exact":
        return products + _operations(at, True)
    return products * at.conventions.flops


def _trained(at: Setting) -> Ratio:
    return at["parameter_count"] if at.has("parameter_count") else _parameters(at)


def _forward(at: Setting) -> Ratio:
    return _trained(at) * at["tokens"] * 2


def _training(at: Setting) -> Ratio:
    each = _trained(at) * 6
    if at.conventions.training_attention:
        half = at.symbols.number(2 if at.conventions.causal else 1)
        each = each + at.get("layers") * at["d_model"] * at["n"] * 12 / half
    return each * at["tokens"]


# ------------------------------------------------------------------ memory


def _cache(at: Setting, length: bool = True) -> Ratio:
    keys = at.symbols.number(1) if at.of == "head" else at.get("key_heads")
    each = at.get("layers") * keys * (at["d_k"] + at["d_v"])
    if not length:
        return each
    kept = at["window"] if at.conventions.rolling_cache else at["n_k"]
    return each * kept * at.get("batch")


def _weights(at: Setting) -> Ratio:
    return _batch_heads(at) * at["n"] * at["n_k"]


def _moved(at: Setting) -> Ratio:
    width = at["d_k"] + at["d_v"]
    heads, keys = at.get("heads"), at.get("key_heads")
    if at.of == "head":
        heads = keys = at.symbols.number(1)
    numbers = heads * at["n"] * width + keys * at["n_k"] * width
    if at.conventions.weights_in_memory:
        numbers = numbers + heads * at["n"] * at["n_k"] * 4
    return numbers * at["bytes"] * at.get("batch")


def _intensity(at: Setting) -> Ratio:
    products = _scores(at) + _average(at)
    if at.conventions.flops == "exact":
        return (products + _scores(at, True) + _average(at, True)) / _moved(at)
    return products * at.conventions.flops / _moved(at)


_FORMS: dict[str, Callable[[Setting], Ratio]] = {
    "parameters": _parameters,
    "parameter_bytes": lambda at: _trained(at) * at["bytes"],
    "query_parameters": lambda at: _made(at, *_QUERY),
    "key_parameters": lambda at: _made(at, *_KEY),
    "value_parameters": lambda at: _made(at, *_VALUE),
    "output_parameters": _output,
    "head_parameters": _head,
    "attention_parameters": _attention,
    "feed_forward_parameters": _feed_forward,
    "norm_parameters": _norms,
    "block_parameters": _block,
    "non_embedding_parameters": lambda at: at.get("layers") * _block(at) + _norm(at),
    "embedding_parameters": lambda at: at["vocabulary"] * at["d_model"],
    "position_parameters": lambda at: at["positions"] * at["d_model"],
    "multiplications": lambda at: _operations(at, False),
    "additions": lambda at: _operations(at, True),
    "flops": _flops,
    "projection_multiplications": _projection,
    "score_multiplications": _scores,
    "average_multiplications": _average,
    "output_multiplications": _merged,
    "feed_forward_multiplications": _wide,
    "pairs": _pairs,
    "scalings": lambda at: _batch_heads(at) * _pairs(at),
    "exponentials": lambda at: _batch_heads(at) * _pairs(at),
    "softmax_additions": lambda at: _batch_heads(at) * (_pairs(at) - at["n"]),
    "divisions": lambda at: _batch_heads(at) * _pairs(at),
    "forward_flops": _forward,
    "training_flops": _training,
    "weights_entries": _weights,
    "weights_bytes": lambda at: _weights(at) * at["bytes"],
    "streaming_entries": lambda at: _batch_heads(at) * at["n"] * (at["d_v"] + 2),
    "kv_cache_entries": _cache,
    "kv_cache_bytes": lambda at: _cache(at) * at["bytes"],
    "kv_cache_bytes_per_token": lambda at: _cache(at, length=False) * at["bytes"],
    "bytes_moved": _moved,
    "intensity": _intensity,
    "group": lambda at: at["heads"] / at.get("key_heads"),
}
