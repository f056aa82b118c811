"""What a notebook shows of a result: its picture first, words and numbers folded."""

from __future__ import annotations

import numpy as np
import pytest

import regard
from regard.errors import ParameterError
from regard.report import Report, Text
from regard.report.reported import notebook_html

KEYS = np.random.default_rng(41).standard_normal((5, 3))
MU = np.eye(3)
RESULTS = {
    "a trace": lambda: regard.trace([[1, 0], [0, 1]], *([[[2, 0], [0, 1]]] * 3)),
    "a query": lambda: regard.design.query(KEYS, 2),
    "a positional head": lambda: regard.design.offset(1, 8, n=7),
    "a kernel": lambda: regard.analysis.positional_kernel(regard.design.offset(1, 8, n=7).A),
    "a law": lambda: regard.analysis.key_noise(MU[0], MU, np.stack([0.1 * MU] * 3), MU),
}


@pytest.mark.parametrize("name", RESULTS)
def test_the_picture_comes_first_and_the_tables_are_folded(name: str) -> None:
    shown = RESULTS[name]()._repr_html_()
    picture, fold, table = (shown.index(tag) for tag in ("<svg", "<details>", "<table"))
    assert picture < fold < table
    assert shown.count("<details>") == shown.count("</details>") == 1
    assert shown.endswith("</details>")


def test_what_has_no_picture_is_its_tables() -> None:
    report = Report("A <title>", (Text("words"),))
    assert notebook_html(report, None) == report._repr_html_()


def test_what_cannot_be_drawn_is_its_tables() -> None:
    report = Report("A <title>", (Text("words"),))

    def refuse() -> None:
        raise ParameterError("plot: too many rows to be drawn.")

    assert notebook_html(report, refuse) == report._repr_html_()  # type: ignore[arg-type]


def test_titles_are_text() -> None:
    from matplotlib.figure import Figure

    shown = notebook_html(Report("A <title>", (Text("words"),)), Figure)
    assert "<strong>A &lt;title&gt;</strong>" in shown
