"""Every design can be drawn, and the drawing shows its numbers."""

from __future__ import annotations

import numpy as np

import regard


def test_a_query_is_drawn_as_wanted_and_given_weights() -> None:
    design = regard.design.query(np.eye(5), {1: 0.25, 3: 0.75}, tolerance=1e-2)
    axes = design.plot().axes[0]
    heights = {round(float(bar.get_height()), 3) for bar in axes.patches}
    assert {0.25, 0.75} <= heights
    named = [text.get_text() for legend in axes.figure.legends for text in legend.get_texts()]
    assert named == ["wanted", "given"]


def test_many_keys_are_drawn_as_the_ones_that_matter() -> None:
    keys = np.random.default_rng(0).standard_normal((300, 7))
    design = regard.design.query(keys, 255)
    labels = [text.get_text() for text in design.plot().axes[0].get_yticklabels()]
    labels += [text.get_text() for text in design.plot().axes[0].get_xticklabels()]
    assert "key 255" in labels


def test_a_head_is_drawn_as_a_pattern() -> None:
    design = regard.design.self_attention([[1, 0, 2], [0, 1, 1]], attend={0: 1, 1: 0})
    axes = design.plot().axes[0]
    shown = np.asarray(axes.collections[0].get_array()).reshape(2, 2)
    np.testing.assert_allclose(shown, design.weights)


def test_a_separator_is_drawn_as_its_matrix() -> None:
    design = regard.design.separator([[1.0], [0.0]], [[0.0], [1.0]])
    shown = np.asarray(design.plot().axes[0].collections[0].get_array()).reshape(2, 2)
    np.testing.assert_allclose(shown, [[2, 0], [0, 0]], atol=1e-12)


def test_a_positional_head_is_drawn_as_its_kernel_with_the_peak_at_T() -> None:
    design = regard.design.offset(5, 16, n=40)
    x, y = design.plot().axes[0].lines[0].get_data()
    assert x[np.argmax(y)] == 5


def test_a_robust_design_is_drawn_as_its_law() -> None:
    noise = np.zeros((4, 4, 4))
    noise[0, 0, 0] = 0.5
    design = regard.design.robust(np.eye(4), noise, {0: 0.5, 1: 0.5}, values=np.eye(4), gap=5.0)
    outputs, law = design.plot().axes
    assert (outputs.get_title(), law.get_title()) == ("outputs", "largest weight")
    # The query looks away from the noise, so the weight is always that of the means at a gap of 5.
    x, below = law.lines[0].get_data()
    weight = np.exp(5) / (2 * np.exp(5) + 2)
    np.testing.assert_allclose(below[x < weight - 1e-3], 0, atol=1e-12)
    np.testing.assert_allclose(below[x > weight + 1e-3], 1, atol=1e-12)
    assert law.lines[0].get_label() == "weight of key 0"


def test_the_picture_of_a_band_shows_its_window() -> None:
    design = regard.design.band(3, 100, 64, n=300, method="optimal")
    every, window = design.plot().axes[0].lines
    assert (min(every.get_xdata()), max(every.get_xdata())) == (-97, 103)
    np.testing.assert_array_equal(window.get_xdata(), np.arange(-47, 54))
    np.testing.assert_allclose(window.get_ydata(), design.kernel(np.arange(-47, 54)))
    assert window.get_label() == "T ± 50"
