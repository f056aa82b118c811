"""What pictures in TikZ are made of: places in centimetres, labels, and how much room these take.

TeX's arithmetic would overflow on numbers as small as 20 000, so it gets lengths and no numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from regard.report.characters import shorten
from regard.report.inline import shown
from regard.report.latex.text import escaped, words
from regard.report.numbers import number
from regard.report.plot import Series
from regard.report.recognised import in_words

LINE: Final = 0.36  # of text, in cm
MOST_LABELS: Final = 24
_LETTER: Final = 0.135  # of a letter
_LONGEST: Final = 24
_WIDEST: Final = 60  # of a name that takes several lines
_TURNED: Final = 60  # letters below an axis above which they are turned


def point(x: float, y: float) -> str:
    """Return a place as TikZ has it."""
    return f"({x:.3f},{y:.3f})"


def place(value: float, low: float, high: float, length: float) -> float:
    """Return where between 0 and length a value between low and high is drawn."""
    return (value - low) / (high - low) * length if low < high else length / 2


def node(x: float, y: float, anchor: str, text: str, more: str = "") -> str:
    """Return words at a place."""
    return rf"\node[anchor={anchor}{more}] at {point(x, y)} {{{text}}};"


def minus(text: str) -> str:
    """Return a number with a true minus."""
    return text.replace("-", "−")


def label(text: str) -> str:
    """Return a label, its formulas too if it is short enough to be shown whole."""
    return _cut(text, _LONGEST)


def wide(text: str) -> float:
    """Return about how wide a label is."""
    return _LETTER * min(_LONGEST, len(shown(in_words(text))))


def name(x: float, y: float, text: str, colour: str, width: float) -> str:
    """Return a name that begins at a place, in lines of at most a width."""
    said = rf"\raggedright\textcolor{{{colour}}}{{\bfseries {_cut(text, _WIDEST)}}}"
    return node(x, y, "west", said, f",text width={width:.2f}cm")


def tall(text: str, width: float) -> float:
    """Return about how tall a name is in lines of a width."""
    letters = min(_WIDEST, len(shown(in_words(text))))
    return LINE * max(1, -(-letters * _LETTER // width))


def apart(wanted: Sequence[float], heights: Sequence[float]) -> list[float]:
    """Return places near the wanted ones at which things so high do not overlap.

    >>> [round(y, 2) for y in apart([1.0, 1.0, 3.0], [0.5, 0.5, 0.5])]
    [0.75, 1.25, 3.0]
    """
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    # Things that touch move as one group, around the mean of where they belong.
    groups: list[tuple[list[int], float, float]] = []  # members, middle, height
    for i in order:
        group = ([i], wanted[i], heights[i])
        while groups and groups[-1][1] + groups[-1][2] / 2 > group[1] - group[2] / 2 + 1e-9:
            below = groups.pop()
            members = below[0] + group[0]
            middle = (below[1] * len(below[0]) + group[1] * len(group[0])) / len(members)
            group = (members, middle, below[2] + group[2])
        groups.append(group)
    places = [0.0] * len(wanted)
    for members, middle, height in groups:
        foot = middle - height / 2
        for i in members:
            places[i] = foot + heights[i] / 2
            foot += heights[i]
    return places


def along(series: Series, width: float) -> tuple[list[str], float]:
    """Label the places of bars or of lines with words; also how deep the labels reach."""
    places = series.x
    count = len(places)
    step = -(-count // MOST_LABELS)
    texts = [x if isinstance(x, str) else number(x, 4) for x in places]
    longest = max(wide(text) for text in texts[::step])
    turned = longest * len(texts[::step]) > min(_TURNED * _LETTER, width)
    lines = []
    for i in range(0, count, step):
        x = (i + 0.5) * width / count
        where = ("east", ",rotate=45") if turned else ("north", "")
        lines.append(node(x, -0.06, where[0], label(texts[i]), where[1]))
    return lines, (0.3 + 0.75 * longest if turned else 0.45)


def above(text: str, y: float, left: float = 0.0) -> list[str]:
    """Return what is drawn along the vertical axis, above it."""
    said = rf"\bfseries\textcolor{{regardsoft}}{{{words(text)}}}"
    return [node(left, y, "base west", said, ",inner sep=0pt")] if shown(text) else []


def ticks_up(ticks: Sequence[tuple[float, str]], width: float, height: float) -> list[str]:
    """Draw the axes, and the ticks of the vertical one at their heights."""
    lines = []
    for y, text in ticks:
        lines.append(rf"\draw[black!12] (0,{y:.3f}) -- ({width},{y:.3f});" if y else "")
        lines.append(node(-0.06, y, "east", escaped(text), ",regardtick"))
    lines.append(rf"\draw[black!45] {point(0, height)} -- (0,0) -- {point(width, 0)};")
    return lines


def _cut(text: str, longest: int) -> str:
    text = in_words(text)
    return words(text) if len(shown(text)) <= longest else escaped(shorten(shown(text), longest))
