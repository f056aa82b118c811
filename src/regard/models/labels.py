"""One word for what a head does, by two thresholds that are argued for and not fitted.

A head is called what most of its rows do: at least MAJORITY of them have their largest weight where
the word says, and these rows' mean weight there is at least WEIGHT. Two such words cannot both hold
of the same rows. Where no word holds, scores that hardly differ make a head "broad", scores that
differ mostly by the key's token make it "content", and all others are "not clear".

Why these numbers: a majority is what the word claims. By chance a head of even weights has its
argmax at one given shift in 1 row of n, so that a majority of 96 rows does not happen; WEIGHT keeps
out heads whose argmax is the same for all rows and hardly larger than the rest. A spread of BROAD
leaves a weight within a factor of about e^±1/2 of even; at a spread of 1 one standard deviation is
a factor of e.

What a weight "by position alone" is, is a choice too, and moves heads near WEIGHT across it: see
`regard.models.window`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["BROAD", "LABELS", "MAJORITY", "WEIGHT", "Label", "Measured", "choose"]

MAJORITY = 0.5
WEIGHT = 0.25
BROAD = 0.5  # spread of scores, or 1 − entropy_share above EVEN
EVEN = 0.9  # of the largest entropy possible
MATTERS = 1.0  # spread from which on content decides

LABELS = (
    "previous", "next", "offset", "duplicate", "induction", "sink", "broad", "content", "not clear",
)  # fmt: skip


@dataclass(frozen=True)
class Label:
    """A label and what it rests on.

    Attributes:
        name: one of `LABELS`; "offset" stands for every other T, which `text` names.
        evidence: names of scores and their values.
        T: of previous, next and offset; else None.
        strength: the mean weight that it rests on; 0 where it rests on none.
    """

    name: str
    evidence: dict[str, float] = field(default_factory=dict)
    T: int | None = None
    strength: float = 0.0

    @property
    def text(self) -> str:
        """The label as it is shown: "offset 3" where the name is "offset"."""
        return f"offset {self.T}" if self.name == "offset" else self.name


@dataclass(frozen=True)
class Measured:
    """What a label is chosen from: shares of rows and mean weights, from weights or activations.

    The last three are None where nothing was run on tokens.
    """

    T: int
    at_edge: bool
    rows_at_T: float
    mass: float
    mean_weight: float
    sink_share: float
    sink_mass: float
    spread: float | None
    content_share: float | None
    prefix: tuple[float, float] | None = None
    duplicate: tuple[float, float] | None = None
    entropy_share: float | None = None


def choose(found: Measured) -> Label:
    """Return the label of one head."""
    for name, pair in (("induction", found.prefix), ("duplicate", found.duplicate)):
        if pair is not None and _most(*pair):
            score = "prefix_matching" if name == "induction" else "duplicate_token"
            return Label(name, {score: pair[1], "rows": pair[0]}, strength=pair[1])
    if _most(found.rows_at_T, found.mean_weight) and not found.at_edge:
        name = {1: "previous", -1: "next"}.get(found.T, "offset")
        evidence = {"mass": found.mass, "mean_weight": found.mean_weight}
        evidence["rows_at_T"] = found.rows_at_T
        return Label(name, evidence, found.T, found.mean_weight)
    if _most(found.sink_share, found.sink_mass):
        evidence = {"sink_share": found.sink_share, "mass there": found.sink_mass}
        return Label("sink", evidence, strength=found.sink_mass)
    if found.entropy_share is not None and found.entropy_share >= EVEN:
        return Label("broad", {"entropy_share": found.entropy_share})
    if found.entropy_share is None and found.spread is not None and found.spread <= BROAD:
        return Label("broad", {"spread": found.spread})
    if (
        found.content_share is not None
        and found.spread is not None
        and found.content_share >= MAJORITY
        and found.spread >= MATTERS
    ):
        return Label("content", {"content_share": found.content_share, "spread": found.spread})
    return Label("not clear", {"rows_at_T": found.rows_at_T, "sink_share": found.sink_share})


def _most(rows: float, weight: float) -> bool:
    return rows >= MAJORITY and weight >= WEIGHT
