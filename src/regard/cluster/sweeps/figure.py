"""The picture of a sweep: a column against a setting, a line for each value of others."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from regard.errors import ParameterError

if TYPE_CHECKING:
    from regard.cluster.sweeps.result import Sweep
    from regard.report import Plot

__all__ = ["figure"]

_MOST_LINES = 8
_WORDS = ("status", "message")


def figure(
    sweep: Sweep,
    x: str | None = None,
    y: str | None = None,
    lines: str | Sequence[str] | None = None,
) -> Plot:
    """Return the plot; see :meth:`Sweep.plot`.

    Cells that differ in no setting that is drawn are averaged; those without a number are left out.
    """
    from regard.report import Plot, Series

    settings = sweep.columns[: sweep.settings]
    varied = [name for name in settings if len({str(v) for v in sweep.column(name)}) > 1]
    x = x or _most_values(sweep, varied or list(settings))
    y = y or _first_numbers(sweep)
    others = [name for name in varied if name not in (x, "seed")]
    by = [lines] if isinstance(lines, str) else list(lines) if lines else _told_apart(sweep, others)
    labels = [
        ", ".join(f"{name} = {value}" for name, value in zip(by, own, strict=True))
        for own in zip(*map(sweep.column, by), strict=True)
    ] or [y] * len(sweep.rows)
    points: dict[str, dict[Any, list[float]]] = defaultdict(lambda: defaultdict(list))
    for place, height, label in zip(sweep.column(x), sweep.column(y), labels, strict=True):
        if _number(height) and place is not None:
            points[label][place].append(float(height))
    if not points or len(points) > _MOST_LINES:
        what = "no numbers" if not points else f"{len(points)} lines, more than {_MOST_LINES}"
        raise ParameterError(
            f"Sweep.plot: {y} against {x} has {what}. Choose x, y and lines out of "
            f"{', '.join(sweep.columns)}."
        )
    numeric = all(_number(place) for own in points.values() for place in own)
    places = sorted({p for own in points.values() for p in own}, key=None if numeric else str)
    drawn = []
    for label, own in points.items():
        at = [p for p in places if p in own] if numeric else places
        if any(p not in own for p in at):
            continue  # a line over words needs a height at each
        heights = tuple(sum(own[p]) / len(own[p]) for p in at)
        drawn.append(Series(label, tuple(float(p) if numeric else str(p) for p in at), heights))
    averaged = max(len(v) for own in points.values() for v in own.values())
    caption = f"{y} against {x}" + (f", mean of {averaged} cells" if averaged > 1 else "")
    return Plot("lines" if numeric else "bars", caption, x, y, tuple(drawn))


def _told_apart(sweep: Sweep, names: list[str]) -> list[str]:
    """Return as many of the settings as give lines that can be told apart."""
    found: list[str] = []
    for name in names:
        more = [*found, name]
        if len({str(v) for v in zip(*map(sweep.column, more), strict=True)}) <= _MOST_LINES:
            found = more
    return found


def _most_values(sweep: Sweep, names: list[str]) -> str:
    numeric = [n for n in names if all(_number(v) for v in sweep.column(n)) and n != "seed"]
    if not numeric and not names:
        raise ParameterError("Sweep.plot: there is no setting to draw against.")
    return max(numeric or names, key=lambda name: len({str(v) for v in sweep.column(name)}))


def _first_numbers(sweep: Sweep) -> str:
    found = [name for name in sweep.columns[sweep.settings :] if name not in _WORDS]
    # An error bound is a number, too, but rarely what one sweeps for.
    for name in sorted(found, key=lambda name: name == "error"):
        if any(_number(v) for v in sweep.column(name)):
            return name
    raise ParameterError("Sweep.plot: there is no column of numbers to draw.")


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
