"""Which parts of a worked example fit together, and what to say of those that do not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from regard.kinds.compute.spec.numbers import value

if TYPE_CHECKING:
    from regard.kinds.compute.spec.given import ComputeGiven


def check_shapes(given: ComputeGiven) -> None:
    """Raise ValueError with the key that does not fit the others."""
    _sources(given)
    _projections(given)
    _heads(given)
    _scores(given)
    _masks(given)
    _positions(given)
    _block(given)


def _need(fits: bool, sentence: str) -> None:
    if not fits:
        raise ValueError(sentence)


def _width(rows: Any) -> int:
    return len(rows[0])


def _sources(g: ComputeGiven) -> None:
    """What queries, keys and values are made of."""
    inputs = [g.tokens, g.Q, g.scores, g.weights, g.n]
    _need(
        any(part is not None for part in inputs),
        "nothing to compute with is given: give tokens, or Q and K, or scores, or weights (or n, "
        "where only a mask or positions are asked for)",
    )
    for name, others in (
        ("n", ("tokens", "Q", "scores", "weights")),
        ("scores", ("Q", "K", "W_Q", "W_K", "weights", "tokens")),
        ("weights", ("Q", "K", "W_Q", "W_K", "tokens")),
        ("Q", ("W_Q", "tokens")),
        ("K", ("W_K",)),
        ("V", ("W_V",)),
    ):
        for other in others:
            both = getattr(g, name) is not None and getattr(g, other) is not None
            _need(not both, f"{name} and {other} are both given: one follows from the other")
    _need(g.Q is None or g.K is not None, "K is missing: Q is given, and keys are needed too")
    _need(g.K is None or g.Q is not None, "Q is missing: K is given, and queries are needed too")
    both = (g.W_Q is None) == (g.W_K is None)
    _need(both, f"{'W_Q' if g.W_Q is None else 'W_K'} is missing: give both W_Q and W_K, or none")
    _need(g.W_V is None or g.tokens is not None, "W_V needs tokens")
    _need(g.context is None or g.tokens is not None, "context needs tokens, which queries are of")
    _need((g.cached_K is None) == (g.cached_V is None), "give both cached_K and cached_V, or none")
    _need(g.cached_K is None or g.scores is None, "cached_K and scores are both given")
    _need(g.d_model is None or g.n is not None, "d_model belongs to n, without tokens")


def _projections(g: ComputeGiven) -> None:
    for name, source in (("W_Q", g.tokens), ("W_K", g.context), ("W_V", g.context)):
        matrix = getattr(g, name)
        rows = source if source is not None else g.tokens
        if matrix is None:
            continue
        assert rows is not None or g.n is not None
        _need(rows is not None, f"{name} needs tokens")
        width = _width(rows)
        _need(
            len(matrix) == width,
            f"matrix {name} must have one row per entry of a token ({width}); it has {len(matrix)}",
        )
    for name in ("b_Q", "b_K", "b_V"):
        bias, matrix = getattr(g, name), getattr(g, f"W_{name[2]}")
        _need(bias is None or matrix is not None, f"{name} needs W_{name[2]}")
        if bias is not None:
            _need(
                len(bias) == _width(matrix),
                f"{name} must have one number per column of W_{name[2]} ({_width(matrix)}); it has "
                f"{len(bias)}",
            )
    if g.W_Q is None and g.tokens is not None and g.context is not None and g.score == "dot":
        _need(
            _width(g.tokens) == _width(g.context),
            "context must be as wide as tokens where there are no W_Q and W_K",
        )


def _heads(g: ComputeGiven) -> None:
    groups = g.groups
    _need(
        g.heads % groups == 0,
        f"key_heads must divide heads ({g.heads}), so that each serves as many; it is {groups}",
    )
    columns = {"W_Q": g.heads, "Q": g.heads, "W_K": groups, "K": groups, "W_V": groups, "V": groups}
    for name, parts in columns.items():
        rows = getattr(g, name)
        _need(
            rows is None or _width(rows) % parts == 0,
            f"{name} must have a number of columns that {parts} heads can share"
            + ("" if rows is None else f"; it has {_width(rows)}"),
        )
    if g.heads > 1:
        _need(g.scores is None and g.weights is None, "heads: scores and weights are of one head")
        _need(g.tiles is None, "tiles: an online softmax is traced for one head")
        _need(g.feature_map is None, "feature_map: linear attention is traced for one head")
        plain = g.W_Q is None and g.Q is None
        alone = g.n is not None and g.positions is not None  # biases of each head, without tokens
        _need(alone or not plain, "heads: several heads need W_Q, W_K and W_V, or Q, K and V")
    pair = ("W_Q", "W_K") if g.W_Q is not None else ("Q", "K")
    first, second = (getattr(g, name) for name in pair)
    if first is not None and g.score != "bilinear":
        wide = _width(first) // g.heads, _width(second) // groups
        _need(
            wide[0] == wide[1],
            f"the matrices {pair[0]} and {pair[1]} must be equally wide"
            + ("" if g.heads == 1 else " per head")
            + f"; they have {_width(first)} and {_width(second)} columns",
        )
    if g.cached_K is not None and g.cached_V is not None:
        _need(len(g.cached_K) == len(g.cached_V), "cached_K and cached_V must have as many rows")
        wide_k = (g.d_k or 0) * groups
        _need(_width(g.cached_K) == wide_k, f"cached_K must have {wide_k} columns, as keys have")
        if g.d_v is not None:
            wide_v = g.d_v * groups
            _need(
                _width(g.cached_V) == wide_v, f"cached_V must have {wide_v} columns, as values have"
            )
    if g.V is not None:
        keys = g.n_k - (0 if g.cached_V is None else len(g.cached_V))
        _need(len(g.V) == keys, f"V must have one row per key ({keys}); it has {len(g.V)}")
    if g.W_O is not None:
        _need(g.d_v is not None, "W_O needs values: give W_V or V")
        together = (g.d_v or 0) * g.heads
        _need(
            len(g.W_O) == together,
            f"matrix W_O must have one row per entry of the heads' outputs ({together}); it has "
            f"{len(g.W_O)}",
        )
    _need(g.b_O is None or g.W_O is not None, "b_O needs W_O")
    if g.b_O is not None and g.W_O is not None:
        fits = len(g.b_O) == _width(g.W_O)
        _need(fits, f"b_O must have one number per column of W_O ({_width(g.W_O)})")


def _scores(g: ComputeGiven) -> None:
    direct = g.scores is not None or g.weights is not None
    if isinstance(g.scale, str) and "d_k" in g.scale:
        _need(g.d_k is not None, 'scale: there is no d_k here: write it as a number, "1/sqrt(64)"')
    _need(
        not direct or (g.score == "dot" and g.feature_map is None),
        "score: the scores are given and not computed here",
    )
    _need((g.score == "additive") == (g.w_score is not None), "w_score belongs to score additive")
    _need((g.score == "bilinear") == (g.W_score is not None), "W_score belongs to score bilinear")
    if g.w_score is not None:
        fits = len(g.w_score) == g.d_k
        _need(fits, f"w_score must have one number per entry of a query ({g.d_k})")
    if g.W_score is not None:
        keys = next(r for r in (g.K, g.W_K, g.context, g.tokens) if r is not None)
        fits = (len(g.W_score), _width(g.W_score)) == (g.d_k, _width(keys) // g.groups)
        _need(fits, "W_score must have a row per entry of a query and a column per entry of a key")
    mapped = g.feature_map is not None
    _need(not mapped or g.score == "dot", "feature_map: linear attention has dot products")
    _need(not mapped or g.divides, "normaliser: with a feature_map, weights are divided by a sum")
    if g.divides:
        _need(value(g.temperature) == 1, "temperature belongs to the softmax")
        _need(g.tiles is None, "tiles belong to the softmax")
    _need(g.tiles is None or g.tiles <= g.n_k, f"tiles must be at most the keys ({g.n_k})")


def _masks(g: ComputeGiven) -> None:
    for name in ("mask", "bias"):
        rows = getattr(g, name)
        if rows is not None:
            fits = (len(rows), _width(rows)) == (g.n_q, g.n_k)
            _need(fits, f"{name} must have {g.n_q} rows (queries) of {g.n_k} numbers (keys)")
    if g.mask is not None:
        numbers = {value(x) for row in g.mask for x in row if x != "-inf"}
        if g.boolean:
            large = ""
            if min(numbers) < -1000:
                large = (
                    f': {min(numbers):g}, which stands for it, is "-inf" here (or added in `bias`)'
                )
            _need(numbers <= {0.0, 1.0}, f'mask must hold 1 and 0, or 0 and "-inf"{large}')
        else:
            _need(numbers <= {0.0}, 'mask: beside "-inf" it holds 0; other numbers go to bias')
    _need(g.key_length is None or g.key_length <= g.n_k, f"key_length must be at most {g.n_k}, all")
    _need(g.weights is None or not g.hides, "mask: the weights are given, and are what they are")
    empty = [i for i, row in enumerate(g.allowed(), 1) if not any(row)]
    _need(not empty, f"mask: query {empty[0] if empty else 0} may attend to no key at all")


def _positions(g: ComputeGiven) -> None:
    p = g.positions
    if p is None:
        return
    plain = p.cached == "plain"
    known = g.turns and g.cached_K is not None
    _need(known or not plain, "positions.cached belongs to cached_K and rotary positions")
    if g.adds:
        _need(g.tokens is not None or g.n is not None, "positions: rows are added to tokens")
        wide = _width(g.tokens) if g.tokens is not None else g.d_model
        _need(wide is not None, "d_model is missing: how wide rows of positions are")
        assert wide is not None
        longest = g.first_added + g.added_rows
        if p.kind == "learned":
            assert p.table is not None
            rows: Any = p.table
            _need(_width(rows) == wide, f"positions.table must have rows of {wide} numbers")
            _need(
                len(rows) >= longest,
                f"positions.table must have a row for each position from 0 to {longest - 1}; it "
                f"has {len(rows)}",
            )
        else:
            _need(wide % 2 == 0, f"positions: sinusoidal rows have an even width, not {wide}")
    elif g.turns:
        _need(g.d_k is not None, "positions: rotary turns queries and keys, which are not given")
        _need((g.d_k or 0) % 2 == 0, f"positions: rotary needs an even d_k, not {g.d_k}")
    else:
        _need(g.weights is None, "positions: the weights are given, and are what they are")
        if p.slopes is not None:
            _need(len(p.slopes) == g.heads, f"positions.slopes must be one per head ({g.heads})")
        shared = p.table is None or not isinstance(p.table[0], list)
        rows = 0 if p.table is None else len(p.table)
        _need(shared or rows == g.heads, f"positions.table must have one row per head ({g.heads})")
        if p.kind == "relative":
            last_key, last_query = g.first_key + g.n_k - 1, g.first_query + g.n_q - 1
            reach = max(abs(last_key - g.first_query), abs(last_query - g.first_key))
            counts = [len(p.biases(head)) for head in range(1 if shared else g.heads)]
            _need(
                min(counts) >= 2 * reach + 1,
                f"positions.table must have {2 * reach + 1} biases, for offsets from {-reach} to "
                f"{reach}; it has {min(counts)}",
            )


def _block(g: ComputeGiven) -> None:
    around = g.residual or g.norm is not None or g.feed_forward is not None
    if not around:
        _need(g.norm_2 is None, "norm_2 belongs to feed_forward")
        return
    _need(g.tokens is not None, "residual, norm and feed_forward need tokens")
    assert g.tokens is not None
    wide = _width(g.tokens)
    last = _width(g.W_O) if g.W_O is not None else (g.d_v or 0) * g.heads
    if g.residual:
        _need(g.d_v is not None, "residual needs values: give W_V")
        _need(last == wide, f"residual: the output has {last} entries, and a token {wide}")
    _need(g.norm_2 is None or g.feed_forward is not None, "norm_2 belongs to feed_forward")
    for name, norm in (("norm", g.norm), ("norm_2", g.norm_2)):
        for part in ("gain", "shift"):
            numbers = None if norm is None else getattr(norm, part)
            of = wide if norm is not None and norm.place == "pre" else last
            _need(numbers is None or len(numbers) == of, f"{name}.{part} must have {of} numbers")
    net = g.feed_forward
    if net is not None:
        _need(g.residual, "feed_forward: a block has a residual: write residual = true")
        _need(len(net.W_1) == wide, f"feed_forward.W_1 must have {wide} rows")
        inner = _width(net.W_1)
        _need(len(net.W_2) == inner, f"feed_forward.W_2 must have {inner} rows")
        _need(_width(net.W_2) == wide, f"feed_forward.W_2 must have {wide} columns")
        _need(net.b_1 is None or len(net.b_1) == inner, f"feed_forward.b_1 must have {inner}")
        _need(net.b_2 is None or len(net.b_2) == wide, f"feed_forward.b_2 must have {wide}")
