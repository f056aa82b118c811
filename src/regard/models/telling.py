"""An inspection as a report: what most heads do, striking heads first, the formulas at the end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.models.inspection import HeadReading, Inspection
from regard.models.labels import MAJORITY
from regard.models.scores import FORMULAS
from regard.report import Facts, Heading, Plot, Report, Series, Table, Text, number
from regard.report.document import Block

__all__ = ["report_of"]

Array = NDArray[Any]

MOST_ROWS = 40  # of the table; --json has all
MOST_PICTURES = 8
MAP = 32  # positions of a small map
AROUND = 16  # shifts of a kernel on either side of T

_MEANS = {
    "previous": "look at the token before",
    "next": "look at the token after",
    "offset": "look a fixed number of steps away",
    "duplicate": "look at earlier occurrences of the same token",
    "induction": "look at what followed the same token before",
    "sink": "look at one and the same key from everywhere",
    "broad": "spread their weight nearly evenly",
    "content": "choose mostly by the key's token",
    "not clear": "have no majority for any of these",
}


def report_of(found: Inspection) -> Report:
    """Return the report; terminal, page and file show the same."""
    name = Path(found.source).name
    counted = Table(
        ("label", "heads", "what they do"),
        tuple((label, str(count), _MEANS[label]) for label, count in found.counts.items()),
    )
    blocks: list[Block] = [
        Text(f"{name}: {found.model}.", "eyebrow"),
        counted,
        Heading("Heads, the striking ones first"),
        _table(found),
    ]
    clear = [one for one in found.striking if one.strength > 0][:MOST_PICTURES]
    for one in clear:
        blocks += _pictures(one, found)
    blocks.append(Heading("What to know about these numbers"))
    blocks += [Text(note) for note in found.notes]
    used = FORMULAS if found.tokens else {k: v for k, v in FORMULAS.items() if not _on_tokens(k)}
    blocks.append(Heading("Formulas", role="folded"))
    blocks.append(Facts(tuple(used.items())))
    return Report(_headline(found), tuple(blocks))


def _headline(found: Inspection) -> str:
    clear = sum(one.strength > 0 for one in found.heads)
    first = found.striking[0]
    if not clear:
        return f"None of {len(found.heads)} heads has a clear pattern"
    return (
        f"{clear} of {len(found.heads)} heads have a clear pattern; the clearest is {first.name}, "
        f"{first.label}"
    )


def _table(found: Inspection) -> Table:
    shown = found.striking[:MOST_ROWS]
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    if found.tokens:
        columns = ("head", "label", "previous", "prefix +1", "duplicate 0", "before −1",
                   "induction", "sink", "entropy", "copying")  # fmt: skip
        rows = tuple(
            (
                one.name, one.label, _share(one.previous_token), _share(one.prefix_matching),
                _share(one.duplicate_token), _share(one.before_duplicate), _share(one.induction),
                _share(one.sink), _share(one.entropy), _share(one.copying),
            )
            for one in shown
        )  # fmt: skip
        caption = f"on {found.tokens} tokens; before −1, duplicate 0 and prefix +1 are one score"
    else:
        columns = ("head", "label", "T", "B", "mass", "rows at T", "position", "content",
                   "same key", "copying", "rank")  # fmt: skip
        rows = tuple(
            (
                one.name, one.label, *_kernel(one),
                _share(one.mass), _share(one.rows_at_T), _share(one.position_share),
                _share(one.content_share), _share(one.sink_share), _share(one.copying),
                number(one.effective_rank, 3),
            )
            for one in shown
        )  # fmt: skip
        caption = (
            "from weights; T is query minus key, shown where most rows have their argmax there"
        )
    left = len(found.heads) - len(shown)
    return Table(columns, rows, caption + (f"; {left} more with --json" if left else ""))


def _pictures(one: HeadReading, found: Inspection) -> list[Block]:
    """Return the kernel with its window, and a small map, of one head."""
    n = found.n
    guess = ", by extrapolation" if one.extrapolated else ""
    evidence = ", ".join(f"{name} {_share(value)}" for name, value in one.evidence.items())
    low, high = (max(1 - n, one.T - AROUND), min(n - 1, one.T + AROUND))
    shifts = np.arange(low, high + 1)
    f = one.kernel[shifts + n - 1]
    seen = np.isfinite(f)
    shifts, weight = shifts[seen], np.exp(f[seen])
    inside = weight >= np.exp(one.kernel[one.T + n - 1]) / 2
    curve = [Series("weight at t − τ", tuple(shifts.tolist()), tuple(weight.tolist()))]
    window = _window(one, shifts, inside)
    if window is not None:
        curve.append(Series("T and its window", *window))
    size = min(MAP, n)
    small = one.pattern[:size, :size]
    return [
        Heading(f"Head {one.name}: {one.label}", 3),
        Text(f"{evidence[:1].upper()}{evidence[1:]}."),
        Plot(
            "lines",
            f"By position alone{guess}: T = {one.T}, B = {one.B}. Geometric mean of the weight.",
            "t − τ, query minus key",
            "weight",
            tuple(curve),
        ),
        Plot(
            "heatmap",
            f"Weights by position alone{guess}: rows are queries, columns keys, 0 to {size - 1}.",
            "key",
            "query",
            rows=tuple(tuple(float(x) for x in row) for row in small),
        ),
    ]


def _window(
    one: HeadReading, shifts: Array, inside: Array
) -> tuple[tuple[float, ...], tuple[float, ...]] | None:
    """Return the curve over T's window: a point where B is 0."""
    at = int(np.flatnonzero(shifts == one.T)[0]) if one.T in shifts else None
    if at is None:
        return None
    first = last = at
    while first > 0 and inside[first - 1]:
        first -= 1
    while last < len(shifts) - 1 and inside[last + 1]:
        last += 1
    n = (len(one.kernel) + 1) // 2
    part = shifts[first : last + 1]
    return tuple(part.tolist()), tuple(np.exp(one.kernel[part + n - 1]).tolist())


def _kernel(one: HeadReading) -> tuple[str, str]:
    """Return T and B where most rows point at t − T, and what says that they mean nothing."""
    if one.at_edge:
        return "edge", "–"
    if one.rows_at_T < MAJORITY:
        return "–", "–"
    return str(one.T).replace("-", "−"), str(one.B)


def _on_tokens(name: str) -> bool:
    from regard.models.scores.activations import FORMULAS as on_tokens

    return name in on_tokens


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}".replace("-", "−")
