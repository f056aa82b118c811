"""A slider on a page: the figure at its first row, and all rows as data for the script."""

from __future__ import annotations

import json

from regard.report.decimals import typeset
from regard.report.html import bars, curves
from regard.report.html.line_names import Placed, placed
from regard.report.html.prose import coloured, escaped, words
from regard.report.inline import shown
from regard.report.numbers import number, share
from regard.report.plot import Series
from regard.report.scales import Scale, across, up
from regard.report.slider import Slider

_DIGITS = 12  # of the numbers that are stored


def figure(slider: Slider, which: int) -> str:
    """Return the figure, which stands still without its script."""
    plot, at = slider.plot, slider.at
    x, limit = across(plot), slider.limit
    y = up(plot, *([limit[0]] if limit else []))
    places = [x.percent(row) for row in slider.rows]
    heights = [[round(100 - y.percent(v), 3) for v in series.y] for series in plot.series]
    more = () if limit is None else (limit[0],)
    names = _placed(slider, x, y)
    above = _points(places[at], heights, at)
    if limit is not None:
        above = curves.words_at(names.pop(), "regard-limit-words") + above
    chart = curves.chart(plot, above, _under(slider, x, y), more, names)
    symbol = shown(plot.x_label)
    data = {
        "symbol": symbol,
        "at": at,
        "x": [_stored(row) for row in slider.rows],
        "shown": [number(row, 3) for row in slider.rows],
        "y": [[_stored(v) for v in series.y] for series in plot.series],
        "bars": [[_stored(v) for v in row] for row in slider.bars],
        "shares": [[share(v) for v in row] for row in slider.bars],
        "places": places,
        "heights": heights,
        "way": [_stored(x) for x in slider.output.at] if slider.output else [],
        "left": [_off_by(x) for x in slider.output.left] if slider.output else [],
        "says": [coloured(sentence) for sentence in slider.sentences],
    }
    text = json.dumps(data, ensure_ascii=True).replace("<", "\\u003c").replace("&", "\\u0026")
    text = text.replace(">", "\\u003e")
    beside = _bars(slider) + _way(slider)
    if beside:
        beside = f'<div class="regard-beside">\n{beside}\n</div>'
    look = "regard-moves regard-two" if beside else "regard-moves"
    caption = f"\n<figcaption>{words(plot.caption)}</figcaption>" if shown(plot.caption) else ""
    return f"""<figure class="regard-slider" id="slider-{which}">
<output class="regard-says">{coloured(slider.sentences[at])}</output>
<div class="{look}">
<div class="regard-drawn">
{chart}
<label class="regard-drag" hidden="hidden"><span>{words(curves.symbol(plot.x_label))}: drag</span>
<input type="range" min="0" max="100" step="any" value="{places[at]}" aria-label="{symbol}" />
</label>
</div>
{beside}
</div>{caption}
<script type="application/json">{text}</script>
</figure>"""


def _stored(x: float) -> float:
    return float(f"{x:.{_DIGITS}g}")


def _points(place: float, heights: list[list[float]], at: int) -> str:
    line = f'<line class="regard-here" x1="{place}%" x2="{place}%" y1="0" y2="100%" />'
    dots = [
        f'<circle class="regard-dot regard-fill-{i}" cx="{place}%" cy="{ys[at]}%" r="6" />'
        for i, ys in enumerate(heights)
    ]
    return line + "".join(dots)


def _under(slider: Slider, x: Scale, y: Scale) -> str:
    parts = []
    if slider.enough is not None:
        begin = x.percent(slider.enough[0])
        parts.append(
            f'<rect class="regard-enough" x="{begin}%" y="0" width="{round(100 - begin, 3)}%" '
            f'height="100%" /><text class="regard-enough-words" x="{begin}%" dx="8" y="1.1em">'
            f"{escaped(slider.enough[1])}</text>"
        )
    if slider.limit is not None:
        height = round(100 - y.percent(slider.limit[0]), 3)
        parts.append(
            f'<line class="regard-limit" x1="0" x2="100%" y1="{height}%" y2="{height}%" />'
        )
    return "\n".join(parts)


def _placed(slider: Slider, x: Scale, y: Scale) -> list[Placed]:
    """Where the names of the lines stand, and at the end the words of a limit."""
    series = [*slider.plot.series]
    if slider.limit is not None:
        height, said = slider.limit
        series.append(Series(said, (x.low, x.high), (height, height)))
    return placed(series, x, y, _taken(slider, x, y))


def _taken(slider: Slider, x: Scale, y: Scale) -> tuple[Placed, ...]:
    """Where the words of what is enough stand, and the points."""
    found = [
        Placed("●", x.percent(slider.rows[slider.at]), 100 - y.percent(series.y[slider.at]), 0.0)
        for series in slider.plot.series
    ]
    if slider.enough is not None:
        found.append(Placed(slider.enough[1], x.percent(slider.enough[0]) + 14.0, 0.0, 14.0))
    return tuple(found)


def _bars(slider: Slider) -> str:
    if not slider.labels:
        return ""
    wanted = slider.wanted or (None,) * len(slider.labels)
    rows = [
        bars.row(words(label), part, share(part), 1 if goal else 0, goal or None)
        for label, part, goal in zip(slider.labels, slider.bars[slider.at], wanted, strict=True)
    ]
    return (
        f'<div class="regard-bars">\n<p class="regard-label">{slider.bars_title}</p>\n'
        + "\n".join(rows)
        + "\n</div>"
    )


def _way(slider: Slider) -> str:
    """The output between where it starts and what is wanted; its distance is text."""
    way = slider.output
    if way is None:
        return ""
    at = round(100 * way.at[slider.at], 6)
    return f"""
<div class="regard-way">
<p class="regard-label">Output, <span class="regard-left">{_off_by(way.left[slider.at])}</span></p>
<svg class="regard-track" aria-hidden="true">
<line class="regard-grid" x1="0" x2="100%" y1="10" y2="10" />
<circle class="regard-start" cx="0" cy="10" r="4" />
<circle class="regard-end" cx="100%" cy="10" r="9" />
<circle class="regard-gone" cx="{at}%" cy="10" r="5.5" />
</svg>
<p class="regard-ends"><span>{words(way.start)}</span><span>{words(way.end)}</span></p>
</div>"""


def _off_by(left: float) -> str:
    return f"off by {typeset(number(left, 3))}"
