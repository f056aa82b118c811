"""What a notebook shows of a result: its picture first, words and numbers folded."""

from __future__ import annotations

import numpy as np
import pytest

import regard
from regard.design.figures import matrix_figure, pattern_figure, weights_figure
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


def test_a_picture_has_a_name_and_turns_dark_with_the_notebook() -> None:
    from matplotlib.figure import Figure

    shown = notebook_html(Report("A <title>", (Text("words"),)), Figure)
    assert '<svg role="img" aria-label="A &lt;title&gt;"' in shown
    assert shown.startswith('<style>body[data-jp-theme-light="false"] .regard-figure svg')


def test_a_pattern_of_many_tokens_has_numbers_that_fit_their_cells() -> None:
    weights = np.full((9, 9), 3e-7)
    weights[2, 4] = 0.99712
    texts = [text.get_text() for text in pattern_figure(weights).axes[0].texts]
    assert texts[2 * 9 + 4] == "1.00"
    assert texts.count("0.00") == 80
    signed = matrix_figure("M", np.where(np.eye(9, dtype=bool), -31.4159, 2.0))
    assert [text.get_text() for text in signed.axes[0].texts][:2] == ["−31.4", "2.0"]


def test_weights_of_many_keys_are_those_wanted_and_the_largest_others() -> None:
    weights = np.full(40, 0.001)
    weights[[3, 5, 9]] = 0.6, 0.3, 0.06
    axes = weights_figure(weights, {3: 0.7, 5: 0.3}).axes[0]
    names = [label.get_text() for label in (*axes.get_xticklabels(), *axes.get_yticklabels())]
    assert [name for name in names if name.startswith("key")][:3] == ["key 0", "key 1", "key 2"]
    assert sum(name.startswith("key") for name in names) == 6
    assert {"key 3", "key 5", "key 9"} <= set(names)
    assert "6 of 40 keys" in (axes.get_xlabel(), axes.get_ylabel())
