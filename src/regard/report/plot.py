"""The block that is drawn: bars, lines or a heat map, as numbers with their labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from regard.errors import ParameterError
from regard.report import checks

KINDS: Final = ("bars", "lines", "heatmap")
SCALES: Final = ("linear", "log")
UNITS: Final = ("", "share")  # of heights: numbers, or shares, whose axis is in percent
LARGEST: Final = 1e100  # of a number drawn; beyond it the axes would overflow
MOST_SERIES: Final = 8  # as many as can be told apart
MOST_POINTS: Final = 2000
MOST_BARS: Final = 100
MOST_CELLS: Final = 100  # in a row or a column of a heat map


@dataclass(frozen=True)
class Series:
    """Points with a name: where they are (all numbers, or all labels) and how high."""

    name: str
    x: tuple[float | str, ...]
    y: tuple[float, ...]

    def __post_init__(self) -> None:
        checks.string("Series: name", self.name)
        places = checks.sequence("Series: x", self.x)
        x: tuple[float | str, ...]
        if places and all(isinstance(place, str) for place in places):
            x = places
        else:
            x = checks.numbers("Series: x", places, LARGEST)
        y = checks.numbers("Series: y", self.y, LARGEST)
        if len(x) != len(y):
            raise ParameterError(f"Series: y must have one number per x ({len(x)}). Got {len(y)}.")
        object.__setattr__(self, "x", x)
        object.__setattr__(self, "y", y)


@dataclass(frozen=True)
class Plot:
    """A picture of numbers.

    Args:
        kind: "bars" (series at the same places), "lines", or "heatmap".
        caption: what it shows.
        x_label: what is along the horizontal axis.
        y_label: what is along the vertical axis; for a heat map, what the rows are.
        series: for bars and lines.
        rows: for a heat map, from the top.
        row_labels: one for each row, or none.
        column_labels: one for each column, or none.
        y_scale: "linear", or "log" for lines above 0.
        y_unit: "", or "share" where heights are shares of a whole: the axis is in percent.
    """

    kind: str
    caption: str
    x_label: str = ""
    y_label: str = ""
    series: tuple[Series, ...] = ()
    rows: tuple[tuple[float, ...], ...] = ()
    row_labels: tuple[str, ...] = ()
    column_labels: tuple[str, ...] = ()
    y_scale: str = "linear"
    y_unit: str = ""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ParameterError(
                f"Plot: kind must be one of {', '.join(KINDS)}. Got {self.kind!r}."
            )
        for name in ("caption", "x_label", "y_label"):
            checks.string(f"Plot: {name}", getattr(self, name))
        series = tuple(
            _series(i, one) for i, one in enumerate(checks.sequence("Plot: series", self.series))
        )
        rows = tuple(
            checks.numbers(f"Plot: rows[{i}]", row, LARGEST)
            for i, row in enumerate(checks.sequence("Plot: rows", self.rows))
        )
        object.__setattr__(self, "series", series)
        object.__setattr__(self, "rows", rows)
        for name in ("row_labels", "column_labels"):
            object.__setattr__(self, name, checks.strings(f"Plot: {name}", getattr(self, name)))
        checks.one_of("Plot: y_scale", self.y_scale, SCALES)
        checks.one_of("Plot: y_unit", self.y_unit, UNITS)
        if self.y_scale == "log" and self.kind != "lines":
            raise ParameterError(f'Plot: y_scale must be "linear" for {self.kind}.')
        if self.kind == "heatmap":
            self._check_heatmap()
        else:
            self._check_series()

    def _check_series(self) -> None:
        if self.rows or self.row_labels or self.column_labels:
            raise ParameterError(f"Plot: rows and their labels must be empty for {self.kind}.")
        if not 1 <= len(self.series) <= MOST_SERIES:
            raise ParameterError(
                f"Plot: series must be 1 to {MOST_SERIES} for {self.kind}. Got {len(self.series)}."
            )
        most = MOST_BARS if self.kind == "bars" else MOST_POINTS
        first = self.series[0].x
        for i, one in enumerate(self.series):
            if not 1 <= len(one.y) <= most:
                raise ParameterError(
                    f"Plot: series[{i}] must have 1 to {most} points. Got {len(one.y)}."
                )
            if self.y_scale == "log" and min(one.y) <= 0:
                raise ParameterError(f"Plot: series[{i}] must be above 0 for a log scale.")
            labelled = self.kind == "bars" or isinstance(first[0], str)
            if (labelled or isinstance(one.x[0], str)) and one.x != first:
                raise ParameterError(f"Plot: series[{i}] must have the x of series[0].")

    def _check_heatmap(self) -> None:
        if self.series:
            raise ParameterError("Plot: series must be empty for a heatmap.")
        width = len(self.rows[0]) if self.rows else 0
        if not (1 <= len(self.rows) <= MOST_CELLS and 1 <= width <= MOST_CELLS):
            raise ParameterError(
                f"Plot: rows must be 1 to {MOST_CELLS} rows of 1 to {MOST_CELLS} numbers. "
                f"Got {len(self.rows)} of {width}."
            )
        for i, row in enumerate(self.rows):
            if len(row) != width:
                raise ParameterError(
                    f"Plot: rows[{i}] must have as many numbers as rows[0] ({width}). "
                    f"Got {len(row)}."
                )
        for name, count in (("row_labels", len(self.rows)), ("column_labels", width)):
            labels = getattr(self, name)
            if labels and len(labels) != count:
                raise ParameterError(
                    f"Plot: {name} must be one per {name[:-7]} ({count}) or none. "
                    f"Got {len(labels)}."
                )


def _series(i: int, given: Any) -> Series:
    if not isinstance(given, Series):
        raise ParameterError(f"Plot: series[{i}] must be a Series. Got {type(given).__name__}.")
    return given
