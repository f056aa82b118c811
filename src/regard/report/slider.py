"""The block that moves: a curve, and what holds at each place along it."""

from __future__ import annotations

from dataclasses import dataclass

from regard.errors import ParameterError
from regard.report import checks
from regard.report.plot import LARGEST, Plot

MOST_ROWS = 80


@dataclass(frozen=True)
class Way:
    """An output that moves straight from one place to another.

    Args:
        start: what is at its beginning, in a few words, such as the mean of all values.
        end: what is at its end.
        at: for each row of a slider, the share of the way that the output has gone.
        left: for each row, how far it is from the end.
    """

    start: str
    end: str
    at: tuple[float, ...]
    left: tuple[float, ...]

    def __post_init__(self) -> None:
        for name in ("start", "end"):
            checks.string(f"Way: {name}", getattr(self, name))
        for name in ("at", "left"):
            object.__setattr__(
                self, name, checks.numbers(f"Way: {name}", getattr(self, name), LARGEST)
            )
        if len(self.at) != len(self.left):
            raise ParameterError("Way: at and left must have one number per row.")


@dataclass(frozen=True)
class Slider:
    """A plot of lines with a slider below it; a report that cannot move shows the plot.

    Every number and sentence is there for every place: nothing is computed when it moves.

    Args:
        plot: lines that share their places, which are numbers in rising order: the rows.
        at: the row that is shown first, such as that of the answer.
        sentences: for each row, what holds there.
        labels: of the bars beside the curve; none for no bars.
        bars: for each row, a share from 0 to 1 for each label.
        wanted: the share that is wanted for each label, or ().
        limit: a height up to which, or None; and in a few words, what it is.
        enough: a place from which on all is well, or None; and in a few words, what holds there.
        output: where the output is on its way, or None.
        mean: whether the bars are means of random weights.
    """

    plot: Plot
    at: int
    sentences: tuple[str, ...]
    labels: tuple[str, ...] = ()
    bars: tuple[tuple[float, ...], ...] = ()
    wanted: tuple[float, ...] = ()
    limit: tuple[float, str] | None = None
    enough: tuple[float, str] | None = None
    output: Way | None = None
    mean: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.plot, Plot) or self.plot.kind != "lines":
            raise ParameterError("Slider: plot must be a Plot of lines.")
        rows = self.rows
        if not 2 <= len(rows) <= MOST_ROWS or any(isinstance(x, str) for x in rows):
            raise ParameterError(f"Slider: plot must have 2 to {MOST_ROWS} places, all numbers.")
        if any(series.x != rows for series in self.plot.series) or list(rows) != sorted(set(rows)):
            raise ParameterError("Slider: the lines must share their places, in rising order.")
        if type(self.at) is not int or not 0 <= self.at < len(rows):
            raise ParameterError(f"Slider: at must be a row from 0 to {len(rows) - 1}.")
        sentences = checks.strings("Slider: sentences", self.sentences)
        labels = checks.strings("Slider: labels", self.labels)
        bars = tuple(
            checks.numbers(f"Slider: bars[{i}]", row, LARGEST)
            for i, row in enumerate(checks.sequence("Slider: bars", self.bars))
        )
        wanted = checks.numbers("Slider: wanted", self.wanted, LARGEST)
        if len(sentences) != len(rows) or len(bars) != (len(rows) if labels else 0):
            raise ParameterError(f"Slider: sentences and bars must be one per row ({len(rows)}).")
        if any(len(row) != len(labels) for row in bars) or len(wanted) not in (0, len(labels)):
            raise ParameterError("Slider: bars and wanted must have one number per label.")
        if self.output is not None and (
            not isinstance(self.output, Way) or len(self.output.at) != len(rows)
        ):
            raise ParameterError(
                f"Slider: output must be a Way with a place per row ({len(rows)})."
            )
        if type(self.mean) is not bool:
            raise ParameterError("Slider: mean must be True or False.")
        object.__setattr__(self, "sentences", sentences)
        object.__setattr__(self, "labels", labels)
        object.__setattr__(self, "bars", bars)
        object.__setattr__(self, "wanted", wanted)
        for name in ("limit", "enough"):
            object.__setattr__(self, name, _noted(name, getattr(self, name)))

    @property
    def bars_title(self) -> str:
        """What the bars are."""
        title = "Mean weights" if self.mean else "Weights"
        return f"{title}; line: wanted" if self.wanted else title

    @property
    def rows(self) -> tuple[float, ...]:
        """The places along the curve."""
        return tuple(x for x in self.plot.series[0].x if not isinstance(x, str))


def _noted(name: str, given: object) -> tuple[float, str] | None:
    if given is None:
        return None
    pair = checks.sequence(f"Slider: {name}", given)
    if len(pair) != 2:
        raise ParameterError(f"Slider: {name} must be a number and its words.")
    checks.string(f"Slider: {name}[1]", pair[1])
    return checks.numbers(f"Slider: {name}", pair[:1], LARGEST)[0], pair[1]
