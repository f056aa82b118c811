"""The picture of a count: how much of it each part is."""

from __future__ import annotations

from collections.abc import Callable

from regard.kinds.count.solve import Counted, Counts
from regard.report import Plot, Series

MOST_PARTS = 16  # whose names have room below their bars


def parts_plots(found: Counts, written: Callable[[str], str]) -> tuple[Plot, ...]:
    """Return bars for the first quantity with several parts whose numbers are known, or ().

    Args:
        found: what was counted.
        written: from the name of a part to how a person reads it.
    """
    for one in found.found:
        if not isinstance(one, Counted) or not 2 <= len(one.parts) <= MOST_PARTS:
            continue
        sizes = {name: value for name, (_, _, value) in one.parts.items() if value is not None}
        if len(sizes) < len(one.parts):
            continue
        words = one.name.replace("_", " ")
        names = tuple(map(written, sizes))
        series = Series(words, names, tuple(float(value) for value in sizes.values()))
        return (Plot("bars", f"What the {words} are made of", "part", words, (series,)),)
    return ()
