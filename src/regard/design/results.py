"""What the design functions return: numbers, the certificate, and a summary for people."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from regard.certify import Certificate
from regard.core.heads import Head
from regard.design.linear_scores.family import Array
from regard.language.bounds import lower_bound, upper_bound
from regard.report import Facts, Report, Table, Text, matrix_rows, number, vector
from regard.report.reported import Reported

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["HeadDesign", "QueryDesign", "SeparatorDesign"]

MOST_ROWS = 6  # of a table, which then fits a terminal; the arrays themselves are attributes


@dataclass(frozen=True, eq=False, repr=False)
class QueryDesign(Reported):
    """A query and what is proved of it.

    Attributes:
        query: (d,). A copy of one key without values: the shortest query within the tolerance, see
            `longer`. Else: along the direction of widest margin, at the smallest scale that meets
            the tolerance; other queries within it may be shorter. No shorter query has the same
            weights.
        weights: (n,), softmax(scale · keys @ query).
        error: what is proved: ‖output − wanted‖₂ with values, else the largest |weight − target|.
        margin: how far the wanted keys rise above all others per unit of length of the best
            direction; 0 if the target is no face of the keys, inf if there are no others.
        scale: what scores are multiplied by.
        certificate: the claims, with witnesses.
        target: the wanted weights by key.
        tolerance: the error that was allowed.
        longer: by which share of its length the query may be longer than the shortest within the
            tolerance: proved, as claim `shortest_copy`; inf where nothing is claimed.
        radius: `error` and `longer` hold for all keys within this distance of those given.
    """

    query: Array
    weights: Array
    error: float
    margin: float
    scale: float
    certificate: Certificate
    target: dict[int, float] = field(default_factory=dict)
    tolerance: float = math.inf
    longer: float = math.inf
    radius: float = 0.0

    def report(self) -> Report:
        """The design as a report: the query, the weights that matter, what is proved."""
        shown = sorted(self.target, key=lambda i: -self.target[i])[:MOST_ROWS]
        others = np.argsort(-self.weights)[: 2 * MOST_ROWS]
        shown += [int(i) for i in others if int(i) not in self.target][
            : max(2, MOST_ROWS - len(shown))
        ]
        rows = tuple(
            (f"key {i}", number(self.target.get(i, 0.0)), number(float(self.weights[i])))
            for i in shown
        )
        left = len(self.weights) - len(shown)
        caption = "weights" + (f"; {left} more keys below or beside these" if left > 0 else "")
        margin = "no other keys" if math.isinf(self.margin) else number(self.margin)
        error = f"at most {upper_bound(self.error)} (allowed {number(self.tolerance)})"
        if self.radius:
            error += f" for all keys within {lower_bound(self.radius)}"
        facts = Facts(
            (
                ("query", vector(self.query)),
                ("length", number(float(np.linalg.norm(self.query))) + self._longer()),
                ("scale", number(self.scale)),
                ("error", error),
                ("margin", margin),
                ("claims", str(len(self.certificate.claims))),
            )
        )
        table = Table(("", "wanted", "given"), rows, caption)
        return Report(f"A query over {len(self.weights)} keys", (facts, table))

    def _longer(self) -> str:
        """How the length compares with the shortest, in words."""
        if not self.longer < 1:
            return ""
        if self.longer == 0:
            return ", the shortest possible"
        return f", the shortest possible within {upper_bound(self.longer)} of it"

    def plot(self) -> Figure:
        """Draw the weights beside those wanted."""
        from regard.design.figures import weights_figure  # brings Matplotlib

        return weights_figure(self.weights, self.target)


@dataclass(frozen=True, eq=False, repr=False)
class HeadDesign(Reported):
    """The matrices of a head and what is proved of them.

    Attributes:
        W_Q: (d_model, d_k).
        W_K: (d_model, d_k).
        W_V: (d_model, d_v).
        A: (d_model, d_model), W_K @ W_Q.T.
        d_k: the width of W_Q and W_K.
        d_k_lower_bound: no head with a smaller d_k does it: proved.
        error: what is proved: the largest ‖output − wanted‖₂ of the rows whose outputs were asked
            for, and the largest |weight − wanted| of those whose weights were.
        scale: what scores are multiplied by.
        certificate: the claims, with witnesses.
        weights: (n, n), the attention weights of all rows.
        tolerance: the error that was allowed.
    """

    W_Q: Array
    W_K: Array
    W_V: Array
    A: Array
    d_k: int
    d_k_lower_bound: int
    error: float
    scale: float
    certificate: Certificate
    weights: Array
    tolerance: float = math.inf

    def head(self) -> Head:
        """The head itself, at the scale of the design."""
        return Head(self.W_Q, self.W_K, self.W_V, scale=self.scale)

    def report(self) -> Report:
        """The design as a report: sizes, what is proved, the weights of the rows."""
        minimal = self.d_k == self.d_k_lower_bound
        size = "the smallest possible" if minimal else f"at least {self.d_k_lower_bound} is needed"
        facts = Facts(
            (
                ("d_k", f"{self.d_k} ({size})"),
                ("scale", number(self.scale)),
                ("error", f"at most {upper_bound(self.error)} (allowed {number(self.tolerance)})"),
                (
                    "‖W_Q‖, ‖W_K‖, ‖W_V‖",
                    ", ".join(
                        number(float(np.linalg.norm(w)), 4) for w in (self.W_Q, self.W_K, self.W_V)
                    ),
                ),
                ("claims", str(len(self.certificate.claims))),
            )
        )
        few = self.weights[:MOST_ROWS, :MOST_ROWS]
        columns = ("", *(f"token {j}" for j in range(few.shape[1])))
        rows = tuple((f"row {i}", *cells) for i, cells in enumerate(matrix_rows(few, digits=4)))
        more = " (the first rows and tokens)" if few.size < self.weights.size else ""
        table = Table(columns, rows, f"attention weights{more}")
        return Report(f"A head over {len(self.weights)} tokens", (facts, table))

    def plot(self) -> Figure:
        """Draw where each token looks."""
        from regard.design.figures import pattern_figure  # brings Matplotlib

        return pattern_figure(self.weights)


@dataclass(frozen=True, eq=False, repr=False)
class SeparatorDesign(Reported):
    """A matrix that reads one part out of a mix of two subspaces.

    Attributes:
        M: (d, d), M @ (share · s + t) = s for s in the span of S, t in the span of T.
        norm: ‖M‖₂; no other such matrix has a smaller one.
        certificate: the claims, with witnesses.
        share: the share of s in the mix.
        angle: the smallest angle between the two subspaces, in radians.
    """

    M: Array
    norm: float
    certificate: Certificate
    share: float
    angle: float

    def report(self) -> Report:
        """The design as a report."""
        facts = Facts(
            (
                ("share", number(self.share)),
                ("norm", number(self.norm)),
                ("angle between the subspaces", f"{number(math.degrees(self.angle))}°"),
                ("claims", str(len(self.certificate.claims))),
            )
        )
        few = self.M[:MOST_ROWS, :MOST_ROWS]
        more = " (its first rows and columns)" if few.size < self.M.size else ""
        table = Table(("",) * few.shape[1], tuple(matrix_rows(few, digits=4)), f"M{more}")
        return Report(
            "A separator",
            (Text("M @ c returns the part of c that lies in the span of S."), facts, table),
        )

    def plot(self) -> Figure:
        """Draw the entries of M."""
        from regard.design.figures import matrix_figure  # brings Matplotlib

        return matrix_figure("M", self.M)
