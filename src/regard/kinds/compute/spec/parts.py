"""Parts of a worked example that have keys of their own: positions, norms, a feed-forward net."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from regard.kinds.compute.spec.numbers import Matrix, Scalar, Vector, value
from regard.problems.fields import Integer, Part

ADDED = ("sinusoidal", "learned")  # to the tokens
BIASES = ("alibi", "relative", "t5")  # to the scores
Position = Annotated[Integer, Field(ge=0, le=10**6)]


class Positions(Part):
    """Where tokens stand, and what that does.

    Attributes:
        kind: "sinusoidal" or "learned" rows are added to tokens; "rotary" turns queries and keys;
            "alibi", "relative" and "t5" add biases to scores.
        start: the position of the first token (of the first key, also of a cached one).
        query_start: the position of the first query; as the first key, plus causal_offset.
        base: of the frequencies base^(-2i/d), for sinusoidal and rotary.
        pairs: of rotary: entries (2i, 2i+1) are "interleaved", (i, i + d/2) are "halves".
        cached: of rotary: whether cached keys are "turned" already, or as "plain" as others.
        slopes: of alibi, one per head; without it 2^(-8h/heads).
        table: of learned: one row per position, from 0 on; of relative: biases by key minus
            query, from the most negative offset to the most positive, 0 in the middle; of t5: one
            bias per bucket. Of several heads, relative and t5 may have a row for each.
    """

    kind: Literal["sinusoidal", "learned", "rotary", "alibi", "relative", "t5"]
    start: Position = 0
    query_start: Position | None = None
    base: Scalar = 10000
    pairs: Literal["interleaved", "halves"] = "interleaved"
    cached: Literal["turned", "plain"] = "turned"
    slopes: Vector | None = None
    table: Matrix | Vector | None = None

    def biases(self, head: int) -> Vector:
        """Return the table of biases of a head, counted from 0."""
        table = self.table or [0]
        own: Any = table[head] if isinstance(table[0], list) else table
        return list(own)

    @model_validator(mode="after")
    def _fits(self) -> Positions:
        listed = self.kind in ("relative", "t5")
        if self.kind in ("learned", "relative", "t5") and self.table is None:
            raise ValueError(f'positions: kind "{self.kind}" needs a table')
        if self.table is not None and self.kind not in ("learned", "relative", "t5"):
            raise ValueError(f'positions: kind "{self.kind}" has no table')
        if self.table is not None and not listed and not isinstance(self.table[0], list):
            raise ValueError(f'positions.table must be rows of numbers for kind "{self.kind}"')
        if self.slopes is not None and self.kind != "alibi":
            raise ValueError("positions.slopes belong to kind alibi")
        if self.kind == "relative" and len(self.biases(0)) % 2 == 0:
            raise ValueError(
                "positions.table must have an odd number of biases: as many for earlier keys as "
                "for later ones, and the one for the same position in the middle"
            )
        if self.kind == "t5" and len(self.biases(0)) % 4:
            raise ValueError("positions.table must have 4, 8, 12, … buckets for kind t5")
        if not value(self.base) > 0:
            raise ValueError("positions.base must be more than 0")
        return self


class Norm(Part):
    """A norm over the entries of each token.

    Attributes:
        place: "pre", before attention, or "post", after the residual.
        kind: "layer" (mean 0, variance 1, the variance over d and not d - 1) or "rms".
        epsilon: added to the variance.
        gain: multiplies each entry (gamma); ones if left out.
        shift: is added to each entry (beta); zeros if left out.
    """

    place: Literal["pre", "post"] = "pre"
    kind: Literal["layer", "rms"] = "layer"
    epsilon: Scalar = 0
    gain: Vector | None = None
    shift: Vector | None = None

    @model_validator(mode="after")
    def _positive(self) -> Norm:
        if value(self.epsilon) < 0:
            raise ValueError("norm.epsilon must be at least 0")
        return self


class FeedForward(Part):
    """The feed-forward net of a block: activation(x W_1 + b_1) W_2 + b_2."""

    W_1: Matrix
    W_2: Matrix
    b_1: Vector | None = None
    b_2: Vector | None = None
    activation: Literal["relu", "gelu", "silu", "tanh", "none"] = "relu"
