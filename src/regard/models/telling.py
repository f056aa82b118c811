"""An inspection as a report: what most heads do, striking heads first, the formulas at the end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.models.gallery import window
from regard.models.inspection import HeadReading, Inspection
from regard.models.scores import FORMULAS
from regard.report import Facts, Heading, Plot, Report, Series, Table, Text, number
from regard.report.document import Block

__all__ = ["report_of"]

Array = NDArray[Any]

MOST_ROWS = 40  # of the table; --json has all
MOST_PICTURES = 3
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
        ("heads", "label", "what they do"),
        tuple((str(count), label, _MEANS[label]) for label, count in found.counts.items()),
    )
    blocks: list[Block] = [
        Text(f"{name}: {found.model}.", "eyebrow"),
        counted,
        Heading("Heads, the striking ones first"),
        _table(found),
    ]
    drawn = [one for one in found.striking if one.points_at_T and one.strength][:MOST_PICTURES]
    if drawn:
        blocks.append(Heading("The clearest kernels, from weights", role="folded"))
    for one in drawn:
        blocks += _kernel_plot(one, found)
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
        f"{first.label.replace('-', '−')}"
    )


def _table(found: Inspection) -> Table:
    shown = found.striking[:MOST_ROWS]
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    if found.tokens:
        columns = ("head", "label", "prev. token", "prefix +1", "dupl. 0", "before −1",
                   "induct.", "sink", "entropy", "copying")  # fmt: skip
        rows = tuple(
            (
                one.name, _word(one), _share(one.previous_token),
                _share(one.prefix_matching), _share(one.duplicate_token),
                _share(one.before_duplicate), _share(one.induction), _share(one.sink),
                _share(one.entropy), _share(one.copying),
            )
            for one in shown
        )  # fmt: skip
        caption = (
            f"on {found.tokens} tokens; prefix matching +1, duplicate token 0 and before −1 are "
            f"one score at three offsets"
        )
    else:
        columns = ("head", "label", "T", "B", "mass", "rows at T", "by place", "by token",
                   "same key", "copying", "rank")  # fmt: skip
        rows = tuple(
            (
                one.name, _word(one), *_kernel(one),
                _share(one.mass), _share(one.rows_at_T), _share(one.position_share),
                _share(one.content_share), _share(one.sink_share), _share(one.copying),
                number(one.effective_rank, 3),
            )
            for one in shown
        )  # fmt: skip
        caption = (
            "from weights; T is query minus key, and shown where most rows point there; by place "
            "and by token are the position and content shares"
        )
    left = len(found.heads) - len(shown)
    return Table(columns, rows, caption + (f"; {left} more with --json" if left else ""))


def _kernel_plot(one: HeadReading, found: Inspection) -> list[Block]:
    """Return the kernel of one head with its window."""
    n = found.n
    guess = ", by extrapolation" if one.extrapolated else ""
    evidence = ", ".join(f"{name} {_share(value)}" for name, value in one.evidence.items())
    shifts = np.arange(max(1 - n, one.T - AROUND), min(n - 1, one.T + AROUND) + 1)
    shifts = shifts[np.isfinite(one.kernel[shifts + n - 1])]
    inside = np.array(window(one, n))

    def series(name: str, at: Array) -> Series:
        weight = np.exp(one.kernel[at + n - 1])
        return Series(name, tuple(at.tolist()), tuple(weight.tolist()))

    T = str(one.T).replace("-", "−")
    return [
        Plot(
            "lines",
            f"Head {one.name}, {one.label.replace('-', '−')}: by position alone{guess}, T = {T}, "
            f"B = {one.B}; {evidence}. The geometric mean over rows.",
            "t − τ, query minus key",
            "weight",
            (series("weight at t − τ", shifts), series("T and its window", inside)),
        )
    ]


def _kernel(one: HeadReading) -> tuple[str, str]:
    """Return T and B where most rows point at t − T, and what says that they mean nothing."""
    if one.at_edge:
        return "edge", "–"
    if not one.points_at_T:
        return "–", "–"
    return str(one.T).replace("-", "−"), str(one.B)


def _on_tokens(name: str) -> bool:
    from regard.models.scores.activations import FORMULAS as on_tokens

    return name in on_tokens


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}".replace("-", "−")


def _word(one: HeadReading) -> str:
    """Return the label as a cell of a table that does not break: "offset −2"."""
    return one.label.replace("-", "−").replace(" ", "\u00a0")
