"""Lines in braille, against pictures drawn by hand."""

from __future__ import annotations

import pytest

from regard.errors import ParameterError
from regard.report import Plot, Series
from regard.report.characters import columns
from regard.report.text.braille import draw


def test_a_rising_line_goes_from_the_lower_left_to_the_upper_right() -> None:
    # 12 characters are 24 dots across, and 6 are 24 dots up: the diagonal.
    plot = Plot("lines", "", "", "", (Series("", (0.0, 20.0), (0.0, 20.0)),))
    drawn = draw(plot, 12 + 3, 6)
    rows = [line[3:] for line in drawn[:6]]
    for i, row in enumerate(rows):
        assert row.strip() == "⡠⠊⡠⠊"[: len(row.strip())]
        assert len(row) - len(row.lstrip()) == 2 * (5 - i)


def test_the_names_stand_beside_the_ends_of_their_lines() -> None:
    up, down = Series("up", (0.0, 1.0), (0.0, 1.0)), Series("down", (0.0, 1.0), (1.0, 0.0))
    drawn = draw(Plot("lines", "", "", "", (up, down)), 40, 5)
    assert drawn[0].endswith(" up")
    assert drawn[4].endswith(" down")


def test_a_log_axis_has_powers_of_ten_at_even_distances() -> None:
    series = Series("", tuple(map(float, range(5))), tuple(10.0**-i for i in range(5)))
    drawn = draw(Plot("lines", "", "C", "leak", (series,), y_scale="log"), 60, 5)
    assert drawn[0] == "leak"
    assert [line.split()[0] for line in drawn[1:6]] == ["1", "0.1", "0.01", "0.001", "0.0001"]
    assert drawn[-1].endswith("  C")


def test_what_cannot_be_drawn_is_left_out() -> None:
    assert draw(Plot("lines", "", "", "", (Series("", ("a", "b"), (1.0, 2.0)),)), 80) == []
    assert draw(Plot("lines", "", "", "", (Series("", (1.0, 2.0), (1.0, 2.0)),)), 14) == []
    assert draw(Plot("bars", "", "", "", (Series("", (1.0, 2.0), (1.0, 2.0)),)), 80) == []


def test_no_line_is_wider_than_asked_for() -> None:
    series = Series("a name that is rather long and goes on", (1e-9, 1e9), (-1e50, 1e50))
    for width in range(20, 90, 7):
        plot = Plot("lines", "", "a label of some length", "another one", (series, series))
        assert all(columns(line) <= width for line in draw(plot, width))


def test_a_log_scale_needs_numbers_above_0_and_lines() -> None:
    with pytest.raises(ParameterError, match=r"Plot: series\[0\] must be above 0 for a log scale"):
        Plot("lines", "", "", "", (Series("", (0.0, 1.0), (0.0, 1.0)),), y_scale="log")
    with pytest.raises(ParameterError, match='Plot: y_scale must be "linear" for bars'):
        Plot("bars", "", "", "", (Series("", (0.0,), (1.0,)),), y_scale="log")
