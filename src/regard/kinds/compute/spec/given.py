"""What a worked example gives: inputs, matrices, and how scores, masks and weights are made."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from regard.kinds.compute.spec.numbers import (
    MOST,
    Columns,
    MaskRows,
    Matrix,
    Rows,
    Scalar,
    Scale,
    Vector,
    check_numbers,
    hidden,
    is_rational,
    value,
    with_mask_of_scores,
)
from regard.kinds.compute.spec.parts import ADDED, BIASES, FeedForward, Norm, Positions
from regard.kinds.compute.spec.shapes import check_shapes
from regard.problems.fields import Integer, Part

MATRICES = (
    "tokens", "context", "Q", "K", "V", "scores", "weights", "W_Q", "W_K", "W_V", "W_O",
    "cached_K", "cached_V", "W_score",
)  # fmt: skip
VECTORS = ("b_Q", "b_K", "b_V", "b_O", "w_score")
Heads = Annotated[Integer, Field(ge=1, le=MOST)]
Side = Annotated[Integer, Field(ge=0, le=MOST)]
Window = Annotated[list[Side], Field(min_length=2, max_length=2)]


class ComputeGiven(Part):
    """Inputs and how they are attended to, in exact numbers: 3, -0.25, "1/3", "sqrt(2)/2".

    Attributes:
        tokens: one row each, counted from 1 in names such as q_1. Without W_Q, W_K and W_V they
            are their own queries, keys and values.
        context: the tokens that keys and values are made of, where these are others.
        n, d_model: how many tokens, and how wide, where only masks or positions are asked for.
        Q, K, V: queries, keys and values, where these are given as they are.
        scores: of each query (rows) for each key, where these are given: before the scale.
        weights: of each query for each key, where even these are given.
        W_Q, W_K, W_V, W_O: right-multiplied, q = x W_Q; of several heads side by side.
        b_Q, b_K, b_V, b_O: biases, added to each row.
        cached_K, cached_V: keys and values of earlier tokens, which come first.
        heads: how many equal parts the columns of queries are.
        key_heads: how many parts the columns of keys and values are; as many if left out.
        scale: what scores are multiplied by: a number, or a formula in d_k: "1/sqrt(d_k)".
        score: "dot" q·k; "cosine" q·k/(|q||k|); "distance" -|q - k|²/2, whose softmax is a
            Gaussian kernel; "additive" w·tanh(q + k) with w_score; "bilinear" q W k with W_score.
        feature_map: what queries and keys become before the dot product, in linear attention.
        softcap: c, by which scaled scores become c tanh(score/c), before biases and masks.
        normaliser: "softmax", or "sum": scores divided by their sum (so with a feature map).
        temperature: what scores are divided by within the softmax.
        is_causal: query i sees keys j <= i + causal_offset only.
        causal_offset: as many keys come before the first query; the cached ones by default.
        mask: rows of 1 (may attend) and 0 (may not), or of 0 and "-inf", which are added.
        bias: rows of numbers that are added to the scores.
        key_length: keys from there on are padding.
        window: [left, right]: how many keys before and after its own position a query sees.
        positions: see Positions.
        residual: the input is added to the output of attention.
        norm, norm_2: a norm before or after, and that of the feed-forward part.
        feed_forward: what follows in a block, with a residual of its own.
        tiles: how many keys an online softmax takes at a time.
        entropy: in "nats" or "bits".
    """

    tokens: Matrix | None = None
    context: Matrix | None = None
    n: Annotated[Integer, Field(ge=1, le=MOST)] | None = None
    d_model: Annotated[Integer, Field(ge=1, le=MOST)] | None = None
    Q: Rows | None = None
    K: Matrix | None = None
    V: Columns | None = None
    scores: Rows | None = None
    weights: Rows | None = None
    W_Q: Matrix | None = None
    W_K: Matrix | None = None
    W_V: Matrix | None = None
    W_O: Matrix | None = None
    b_Q: Vector | None = None
    b_K: Vector | None = None
    b_V: Vector | None = None
    b_O: Vector | None = None
    cached_K: Matrix | None = None
    cached_V: Matrix | None = None
    heads: Heads = 1
    key_heads: Heads | None = None
    scale: Scale = 1
    score: Literal["dot", "cosine", "distance", "additive", "bilinear"] = "dot"
    w_score: Vector | None = None
    W_score: Matrix | None = None
    feature_map: Literal["elu+1", "relu", "exp", "identity"] | None = None
    softcap: Scalar | None = None
    normaliser: Literal["softmax", "sum"] | None = None
    temperature: Scalar = 1
    is_causal: bool = False
    causal_offset: Annotated[Integer, Field(ge=0, le=MOST)] | None = None
    mask: MaskRows | None = None
    bias: Rows | None = None
    key_length: Annotated[Integer, Field(ge=1, le=MOST)] | None = None
    window: Window | None = None
    positions: Positions | None = None
    residual: bool = False
    norm: Norm | None = None
    norm_2: Norm | None = None
    feed_forward: FeedForward | None = None
    tiles: Annotated[Integer, Field(ge=1, le=MOST)] | None = None
    entropy: Literal["nats", "bits"] = "nats"

    @model_validator(mode="before")
    @classmethod
    def _hidden_scores(cls, data: Any) -> Any:
        return with_mask_of_scores(data)

    @model_validator(mode="after")
    def _sensible(self) -> ComputeGiven:
        check_shapes(self)
        check_numbers(self.arrays())
        if not value(self.temperature) > 0:
            raise ValueError("temperature must be more than 0")
        if self.softcap is not None and not value(self.softcap) > 0:
            raise ValueError("softcap must be more than 0")
        return self

    def arrays(self) -> dict[str, list[list[Any]]]:
        """Return all that is given in numbers, by name, as rows."""
        found: dict[str, list[list[Any]]] = {
            name: getattr(self, name) for name in (*MATRICES, "bias") if getattr(self, name)
        }
        found |= {name: [getattr(self, name)] for name in VECTORS if getattr(self, name)}
        if self.scale != "" and is_rational(self.scale):
            found["scale"] = [[self.scale]]
        found["temperature"] = [[self.temperature]]
        if self.feed_forward is not None:
            net = self.feed_forward
            found |= {"W_1": net.W_1, "W_2": net.W_2}
            found |= {n: [getattr(net, n)] for n in ("b_1", "b_2") if getattr(net, n)}
        for name, norm in (("norm", self.norm), ("norm_2", self.norm_2)):
            if norm is not None:
                found |= {
                    f"{name}.{part}": [getattr(norm, part)]
                    for part in ("gain", "shift")
                    if getattr(norm, part)
                }
        table = self.positions.table if self.positions else None
        if table is not None:
            rows: Any = table if isinstance(table[0], list) else [table]
            found["positions.table"] = rows
        if self.positions is not None and self.positions.slopes is not None:
            found["positions.slopes"] = [self.positions.slopes]
        return found

    # What follows from the shapes.

    @property
    def n_q(self) -> int:
        """How many queries."""
        for rows in (self.weights, self.scores, self.Q, self.tokens):
            if rows is not None:
                return len(rows)
        return self.n or len(self.K or [0])

    @property
    def n_k(self) -> int:
        """How many keys."""
        for rows in (self.weights, self.scores):
            if rows is not None:
                return len(rows[0])
        own = next((r for r in (self.K, self.context, self.tokens, self.V) if r is not None), None)
        count = self.n_q if own is None else len(own)
        return count + len(self.cached_K or ())

    @property
    def new_keys(self) -> int:
        """How many keys are not those of a cache."""
        return self.n_k - len(self.cached_K or ())

    @property
    def groups(self) -> int:
        """How many heads of keys and values there are."""
        return self.key_heads or self.heads

    @property
    def d_k(self) -> int | None:
        """The width of a query of one head; None where only scores are given."""
        for rows in (self.Q, self.W_Q, self.tokens):
            if rows is not None:
                return len(rows[0]) // self.heads
        return None

    @property
    def d_v(self) -> int | None:
        """The width of a value of one head; None where there are no values."""
        own = self.V if self.V is not None else self.W_V
        if own is not None:
            return len(own[0]) // self.groups
        if self.W_Q is not None or self.Q is not None or self.scores is not None:
            return None
        rows = self.context if self.context is not None else self.tokens
        return None if rows is None or self.weights is not None else len(rows[0]) // self.groups

    @property
    def offset(self) -> int:
        """How many keys come before the first query."""
        return len(self.cached_K or ()) if self.causal_offset is None else self.causal_offset

    @property
    def divides(self) -> bool:
        """Whether weights are scores divided by their sum."""
        return self.normaliser == "sum" or (
            self.normaliser is None and self.feature_map is not None
        )

    @property
    def adds(self) -> bool:
        """Whether rows of positions are added to the tokens."""
        return self.positions is not None and self.positions.kind in ADDED

    @property
    def turns(self) -> bool:
        """Whether queries and keys are turned by their positions."""
        return self.positions is not None and self.positions.kind == "rotary"

    @property
    def first_key(self) -> int:
        """The position of the first key."""
        return 0 if self.positions is None else self.positions.start

    @property
    def first_query(self) -> int:
        """The position of the first query."""
        own = None if self.positions is None else self.positions.query_start
        return self.first_key + self.offset if own is None else own

    @property
    def first_added(self) -> int:
        """The position of the first row that is added to tokens, or to tokens and their context."""
        if self.context is None:
            return self.first_query
        return min(self.first_query, self.first_key)

    @property
    def added_rows(self) -> int:
        """How many rows of positions are added to tokens, or to these and their context."""
        last = self.first_query + self.n_q
        if self.context is not None:
            last = max(last, self.first_key + len(self.context))
        return last - self.first_added

    @property
    def turned_before(self) -> int:
        """How many keys come out of the cache as they are, turned already."""
        if not self.turns or self.positions is None or self.positions.cached == "plain":
            return 0
        return len(self.cached_K or ())

    @property
    def biased(self) -> bool:
        """Whether something is added to the scores."""
        return self.bias is not None or (
            self.positions is not None and self.positions.kind in BIASES
        )

    @property
    def hides(self) -> bool:
        """Whether some keys are hidden from some queries."""
        return self.is_causal or any(
            part is not None for part in (self.mask, self.key_length, self.window)
        )

    def factor(self) -> float:
        """Return what the scores are multiplied by."""
        return value(self.scale, **({} if self.d_k is None else {"d_k": float(self.d_k)}))

    def allowed(self) -> list[list[bool]]:
        """Return which keys (columns) each query (row) may attend to."""
        left, right = self.window or (MOST * MOST, MOST * MOST)
        return [
            [
                (not self.is_causal or j <= here)
                and here - left <= j <= here + right
                and (self.key_length is None or j < self.key_length)
                and not hidden(None if self.mask is None else self.mask[i][j], self.boolean)
                for j in range(self.n_k)
            ]
            for i, here in enumerate(range(self.offset, self.offset + self.n_q))
        ]

    @property
    def boolean(self) -> bool:
        """Whether the mask is of 0 and 1, and not of numbers that are added."""
        return not any(x == "-inf" for row in self.mask or [] for x in row)
