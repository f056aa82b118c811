"""What an inspection returns: a reading of each head, and all of them together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from regard.models.labels import LABELS, MAJORITY, Label
from regard.models.scores import FORMULAS
from regard.models.scores.kernel import KernelNumbers
from regard.report import Report
from regard.report.reported import Reported

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["HeadReading", "Inspection"]

Array = NDArray[Any]

KEYS = (
    "T", "B", "mass", "mean_weight", "rows_at_T", "toeplitz_share", "at_edge", "position_share",
    "content_share", "spread", "sink", "sink_share", "sink_column", "effective_rank", "copying",
    "previous_token", "prefix_matching", "duplicate_token", "before_duplicate", "induction",
    "entropy", "entropy_share", "offset", "offset_mass", "offset_rows", "extrapolated",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class HeadReading(KernelNumbers):
    """One head; what each number is says `regard.models.FORMULAS`.

    Numbers that need tokens are None where none were run. `extrapolated` says that T, B, mass,
    shares and spread, which come from weights, are those of embeddings handed to a deeper layer.
    `sink`, `sink_share` and `sink_column` are of activations where there are any. `kernel` is f of
    −(n−1), …, n−1, NaN where nothing is seen; `pattern` (48, 48) the weights by position alone
    among the first positions, rows queries. `composition` has for Q, K and V the head of the
    layer before that is read most, and its score. On tokens, `seen_pattern` has the weights among
    the first 48 of them, and `seen_weight` the mean weight at each of `seen_shifts`.
    """

    layer: int
    head: int
    verdict: Label
    position_share: float | None
    content_share: float | None
    spread: float
    sink: float
    sink_share: float
    sink_column: int
    effective_rank: float
    copying: float
    qk_singular_values: Array
    ov_singular_values: Array
    extrapolated: bool
    kernel: Array
    pattern: Array
    composition: Mapping[str, tuple[int, float]] = field(default_factory=dict)
    previous_token: float | None = None
    prefix_matching: float | None = None
    duplicate_token: float | None = None
    before_duplicate: float | None = None
    induction: float | None = None
    entropy: float | None = None
    entropy_share: float | None = None
    offset: int | None = None
    offset_mass: float | None = None
    offset_rows: float | None = None
    seen_pattern: Array | None = None
    seen_shifts: Array | None = None
    seen_weight: Array | None = None

    @property
    def label(self) -> str:
        """What the head does, in a word or two: "previous", "offset 3", "sink", "not clear"."""
        return self.verdict.text

    @property
    def evidence(self) -> dict[str, float]:
        """The scores that the label rests on."""
        return self.verdict.evidence

    @property
    def name(self) -> str:
        """Layer and head, as in 0.3."""
        return f"{self.layer}.{self.head}"

    @property
    def points_at_T(self) -> bool:
        """Whether most rows have their largest weight at t − T, so that T says something."""
        return self.rows_at_T >= MAJORITY and not self.at_edge

    @property
    def strength(self) -> float:
        """How striking it is: the mean weight that the label rests on; 0 if on none."""
        return self.verdict.strength

    def to_dict(self) -> dict[str, Any]:
        """Return the reading as JSON has it."""
        return {
            "layer": self.layer,
            "head": self.head,
            "label": self.label,
            "evidence": self.evidence,
            **{key: getattr(self, key) for key in KEYS},
            "composition": {
                kind: {"with": with_head, "score": score}
                for kind, (with_head, score) in self.composition.items()
            },
            "qk_singular_values": self.qk_singular_values.tolist(),
            "ov_singular_values": self.ov_singular_values.tolist(),
        }


@dataclass(frozen=True, eq=False, repr=False)
class Inspection(Reported):
    """The heads of a model, read.

    Attributes:
        model: what it is, in a line.
        heads: a reading of each, layer by layer.
        n: the window of positions that weights were read over.
        tokens: how many tokens were run; 0 for none.
        repeated: the period of the tokens; 0 where they have none.
        composition: (layer, layer after) → Q, K, V, each (heads, heads of the layer after).
        notes: what to know about these numbers.
        source: the file.
    """

    model: str
    heads: tuple[HeadReading, ...]
    n: int
    tokens: int
    repeated: int
    composition: Mapping[tuple[int, int], Mapping[str, Array]]
    notes: tuple[str, ...]
    source: str

    @property
    def striking(self) -> tuple[HeadReading, ...]:
        """The heads, those with the clearest labels first; unclear ones last."""
        last = {name: i for i, name in enumerate(("content", "broad", "not clear"))}
        return tuple(
            sorted(
                self.heads,
                key=lambda one: (
                    last.get(one.verdict.name, -1),
                    -one.strength,
                    -one.mass if one.points_at_T else 0.0,
                    one.layer,
                    one.head,
                ),
            )
        )

    @property
    def counts(self) -> dict[str, int]:
        """How many heads have each label, labels that none has left out."""
        found = {name: sum(one.verdict.name == name for one in self.heads) for name in LABELS}
        return {name: count for name, count in found.items() if count}

    def head(self, layer: int, head: int) -> HeadReading:
        """Return the reading of one head."""
        return next(one for one in self.heads if (one.layer, one.head) == (layer, head))

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the pictures, with the formulas, as JSON has it."""
        return {
            "source": self.source,
            "model": self.model,
            "window": self.n,
            "tokens": self.tokens,
            "period": self.repeated or None,
            "heads": [one.to_dict() for one in self.heads],
            "composition": [
                {
                    "first": first,
                    "second": second,
                    **{k: np.asarray(v).tolist() for k, v in m.items()},
                }
                for (first, second), m in self.composition.items()
            ],
            "notes": list(self.notes),
            "formulas": dict(FORMULAS),
        }

    def plot(self) -> Figure:
        """Draw maps of the most striking heads: on tokens, or by position alone from weights."""
        from regard.models.pictures import heads_figure  # brings Matplotlib

        return heads_figure(self)

    def report(self) -> Report:
        """The inspection as a report: striking heads first."""
        from regard.models.telling import report_of

        return report_of(self)
