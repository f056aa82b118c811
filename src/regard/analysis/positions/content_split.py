"""Position against content: what each adds to the scores of a head.

With query (x_t + e_t) and key (x_τ + e_τ) a score is the sum of four: content of the key
with content of the query, content with position, position with content, position with
position. A head that is designed for positions keeps its aim while the first three are
small; how small is a bound on the size of the content.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from regard.core.heads import Head
from regard.core.positions import sinusoidal
from regard.errors import ParameterError, ShapeError
from regard.report import Facts, Report, Table, Text, number
from regard.report.reported import Reported
from regard.shapes import integer, real, show
from regard.shapes.goals import read_rows

__all__ = ["ContentSplit", "content_split"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class ContentSplit(Reported):
    """The four parts of the scores of a head; rows are queries t, columns are keys τ.

    Attributes:
        content_content: (n, n), the key's content with the query's content.
        content_position: (n, n), the key's content with the query's position.
        position_content: (n, n), the key's position with the query's content.
        position_position: (n, n), what the head does with positions alone.
        targets: (n,), the key that positions alone rank first in each row, of those within the
            aim if T is given and any of them exists.
        gap: the least lead, in position_position, of a target over the keys that may not win.
        norm: the head keeps its aim whatever the content, if no token is longer than this.
        factor: it keeps its aim for these tokens times anything below this, because up to there
            every target leads. It may keep it, or regain it, beyond.
        keeps_aim: whether it does for the tokens as they are: every query that is looked at ranks
            a key within the aim strictly first.
        failure: (t, τ), the query whose target is overtaken first as the tokens grow, and the key
            that does it; None if none ever is.
        reach: the aim: keys within this distance of t − T, or of the target, may win.
        T: the shift that the head is meant to look at; None if it was not said.
    """

    content_content: Array
    content_position: Array
    position_content: Array
    position_position: Array
    targets: NDArray[np.intp]
    gap: float
    norm: float
    factor: float
    keeps_aim: bool
    failure: tuple[int, int] | None
    reach: int
    T: int | None = None

    @property
    def scores(self) -> Array:
        """(n, n), the sum of the four."""
        return (
            self.content_content
            + self.content_position
            + self.position_content
            + self.position_position
        )

    @property
    def sizes(self) -> dict[str, float]:
        """For each part, the root mean square of what varies over the keys of a query.

        What a part adds to all keys of a query alike does not change its weights.
        """
        return {
            name: float(np.sqrt(np.mean((part - np.mean(part, axis=1, keepdims=True)) ** 2)))
            for name, part in (
                ("content · content", self.content_content),
                ("content · position", self.content_position),
                ("position · content", self.position_content),
                ("position · position", self.position_position),
            )
        }

    def report(self) -> Report:
        """The split as a report."""
        sizes = self.sizes
        total = sum(size**2 for size in sizes.values())
        rows = tuple(
            (name, number(size, 4), f"{number(100 * size**2 / total if total else 0.0, 3)} %")
            for name, size in sizes.items()
        )
        table = Table(("key · query", "size", "share"), rows, "what varies over the keys")
        facts = [
            ("gap of positions alone", number(self.gap, 4)),
            ("any content keeps the aim up to norm", number(self.norm, 4)),
            ("these tokens keep it", "yes" if self.keeps_aim else "no"),
            ("and do so up to a factor of, at least", number(self.factor, 4)),
        ]
        if self.failure is not None:
            query, key = self.failure
            turns = f"for query {query}, by key {key}"
            facts.append((f"then key {self.targets[query]} is overtaken", turns))
        n = len(self.targets)
        return Report(
            f"Content and position over {n} tokens",
            (Text("Scores are the sum of four parts."), table, Facts(tuple(facts))),
        )


def content_split(
    head: Head | ArrayLike,
    tokens: ArrayLike,
    *,
    positions: ArrayLike | None = None,
    T: int | None = None,
    reach: int = 0,
    causal: bool = False,
    scale: float | None = None,
    base: float = 10000.0,
) -> ContentSplit:
    """Split the scores of a head by content and position, and bound the content it stands.

    Let g be the lead of the target over a rival by position. Tokens of norm ≤ ρ change it by
    at most 2ρ|A e_t| + ρ|(e_target − e_rival) A| + 2ρ²‖A‖₂ (biases go with positions), so
    every ρ with less than g in all rows is safe: `norm` is the largest. For the given tokens
    times a factor the lead is a quadratic in the factor, and `factor` is its first root. Up to
    there the aim is kept; whether it is kept for the tokens as they are is seen in their scores.

    Args:
        head: a `regard.Head`, or A = W_K W_Qᵀ (d, d).
        tokens: (n, d), the content x.
        positions: (n, d), the e_t; None is `regard.sinusoidal(n, d, base)`.
        T: what the head is meant to look at, t − T: only queries for which that key exists are
            looked at. None: whatever key positions alone rank first, for every query.
        reach: keys within this distance of t − T, or of the key ranked first, may win as well:
            B/2 of a head that looks at T ± B/2.
        causal: only keys τ ≤ t are looked at.
        scale: multiplies the scores; None is the head's own, or 1 for a matrix.
        base: of the sinusoidal positions.

    Example:
        >>> import numpy as np, regard
        >>> split = content_split(np.eye(4), np.zeros((3, 4)))  # every token looks at itself
        >>> split.targets, round(split.gap, 6), split.factor
        (array([0, 1, 2]), 0.459748, inf)
    """
    function = "content_split"
    reach = integer(function, "reach", reach, minimum=0)
    if T is not None:
        T = integer(function, "T", T)
    if callable(getattr(head, "head", None)):
        raise ParameterError(
            f"{function}: head must be a Head or a square matrix A, (d, d). "
            f"Got a {type(head).__name__}: pass its .head()."
        )
    if isinstance(head, Head):
        W_Q, W_K = (np.asarray(w, dtype=np.float64) for w in (head.W_Q, head.W_K))
        b_Q, b_K = (
            np.zeros(W_Q.shape[1]) if b is None else np.asarray(b, dtype=np.float64)
            for b in (head.b_Q, head.b_K)
        )
        if W_Q.shape != W_K.shape:
            raise ShapeError(
                f"{function}: head must read queries and keys from the same tokens. "
                f"Got W_Q {show(W_Q.shape)}, W_K {show(W_K.shape)}."
            )
        own = 1 / math.sqrt(W_Q.shape[1]) if head.scale is None else head.scale
    else:
        W_K = read_rows(function, "head", head, "(d, d)")
        if W_K.shape[0] != W_K.shape[1]:
            raise ShapeError(
                f"{function}: head must be a Head or a square matrix A, (d, d). "
                f"Got {show(W_K.shape)}."
            )
        W_Q, own = np.eye(len(W_K)), 1.0
        b_Q = b_K = np.zeros(len(W_K))
    times = own if scale is None else real(function, "scale", scale)
    x = read_rows(function, "tokens", tokens, "(n, d)", width=len(W_Q))
    n, d = x.shape
    if positions is None:
        if d % 2:
            raise ParameterError(
                f"{function}: positions must be given when d is odd, because sines and cosines "
                f"come in pairs. Got d = {d}."
            )
        e = sinusoidal(n, d, base)
    else:
        e = read_rows(function, "positions", positions, "(n, d)", rows=n, width=d)
    W_K = times * W_K
    query = {"content": x @ W_Q, "position": e @ W_Q + b_Q}
    key = {"content": x @ W_K, "position": e @ W_K + times * b_K}
    parts = {f"{k}_{q}": query[q] @ key[k].T for k in key for q in query}
    by_position = parts["position_position"]
    rows = np.arange(n)
    hidden = rows[None, :] > rows[:, None] if causal else np.zeros((n, n), bool)
    targets = np.argmax(np.where(hidden, -np.inf, by_position), axis=1)
    aim = targets if T is None else rows - T
    may_win = ~hidden & (np.abs(rows[None, :] - aim[:, None]) <= reach)
    counted = (aim >= 0) & (aim < n) & ~hidden[rows, np.clip(aim, 0, n - 1)]
    if not np.any(counted):
        raise ParameterError(
            f"{function}: T must be such that the key t − T exists for some query t below "
            f"n = {n}{' and is not hidden' if causal else ''}. Got T = {T}."
        )
    within = np.argmax(np.where(may_win, by_position, -np.inf), axis=1)
    targets = np.where(counted, within, targets)
    rivals = ~hidden & ~may_win & counted[:, None]

    def lead(part: Array) -> Array:
        return np.take_along_axis(part, targets[:, None], axis=1) - part

    gaps = np.where(rivals, lead(by_position), np.inf)
    # The sizes of A e_t and (e_target − e_rival) A, and the norm of A, at the head's scale.
    of_query = np.linalg.norm(query["position"] @ W_K.T, axis=1)
    turned = key["position"] @ W_Q.T
    between = np.array([np.linalg.norm(turned - turned[target], axis=1) for target in targets])
    linear = 2 * of_query[:, None] + between
    kept = np.maximum(gaps, 0.0)  # what loses by position alone has no aim to keep
    norm = np.min(_first_root(kept, -linear, -2 * float(np.linalg.norm(W_K @ W_Q.T, 2))))
    grown = _first_root(
        kept,
        lead(parts["content_position"] + parts["position_content"]),
        lead(parts["content_content"]),
    )
    t, rival = np.unravel_index(int(np.argmin(grown)), grown.shape)
    factor = float(grown[t, rival])
    scores = sum(parts.values())
    best = np.max(np.where(may_win, scores, -np.inf), axis=1)
    beaten = rivals & (scores >= best[:, None])
    return ContentSplit(
        **parts,
        targets=targets,
        gap=float(np.min(gaps)),
        norm=float(norm),
        factor=factor,
        keeps_aim=not bool(np.any(beaten)),
        failure=(int(t), int(rival)) if math.isfinite(factor) else None,
        reach=reach,
        T=T,
    )


def _first_root(constant: Array, linear: Array, square: Array | float) -> Array:
    """Return the least c ≥ 0 with constant + linear c + square c² = 0, inf if there is none.

    The constant is ≥ 0, infinite where nothing is to be found. The form 2·constant over
    −linear ± root loses no digits to cancellation when square is small.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        finite = np.where(np.isfinite(constant), constant, 0.0)
        root = np.sqrt(linear**2 - 4 * square * finite)
        # With square < 0 there is one positive root, with square > 0 the one below is the first.
        found = 2 * finite / (root - linear)
        found = np.where(finite == 0, 0.0, found)  # a tie by position alone is no aim
    found = np.where((found >= 0) & np.isfinite(constant), found, np.inf)
    return np.where(np.isnan(root), np.inf, found)  # NaN: never zero
