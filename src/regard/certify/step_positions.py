"""Operations of a computation that come from positions: rows of sines and cosines, pairs turned."""

from __future__ import annotations

from flint import arb

from regard.certify.certificate import part
from regard.certify.step_context import Context, Rows


def _angle(c: Context, position: int, pair: int, width: int) -> arb:
    base = c.constant(part(c.options, "base"))
    return position * base ** (arb(-2 * pair) / width)


def sinusoidal(c: Context) -> Rows:
    """Return rows of sines and cosines, one for each position."""
    width, start = c.whole("width", 2), c.whole("start")
    rows = []
    for t in range(start, start + c.whole("count", 1)):
        angles = [_angle(c, t, pair, width) for pair in range(width // 2)]
        rows.append([value for a in angles for value in (a.sin(), a.cos())])
    return rows


def rotary(c: Context, rows: Rows) -> Rows:
    """Return rows with their pairs of columns turned by their positions, in each head."""
    heads, start = c.whole("heads", 1), c.whole("start")
    d = len(rows[0]) // heads
    halves = {"halves": True, "interleaved": False}[part(c.options, "pairs")]
    found = []
    for t, row in enumerate(rows, start):
        turned = list(row)
        for pair in range(d // 2):
            angle = _angle(c, t, pair, d)
            for first in range(0, heads * d, d):
                a = first + (pair if halves else 2 * pair)
                b = first + (pair + d // 2 if halves else 2 * pair + 1)
                turned[a] = row[a] * angle.cos() - row[b] * angle.sin()
                turned[b] = row[a] * angle.sin() + row[b] * angle.cos()
        found.append(turned)
    return found
