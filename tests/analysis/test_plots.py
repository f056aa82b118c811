"""Pictures of laws and comparisons: what is drawn, and that nothing is shown or kept open."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import regard
from regard.analysis import OutputLaw, Stability, key_noise, stability

MEANS = np.eye(5)
NOISE = np.stack([1e-3 * np.eye(5)] * 5)
NOISE[0, 0, 0] += 0.5
ALONG = NOISE - 1e-3 * np.eye(5)
HALVES = {0: 0.5, 1: 0.5}


def comparison(method: str = "auto", values: np.ndarray = MEANS) -> Stability:
    designs = {"one head": 6 * (MEANS[0] + MEANS[1]), "two heads": 6 * MEANS[:2]}
    noise = ALONG if method == "limit" else NOISE
    return stability(designs, MEANS, noise, values, HALVES, method=method)


def law(method: str = "auto", values: np.ndarray = MEANS) -> OutputLaw:
    noise = ALONG if method == "limit" else NOISE
    return key_noise(6 * MEANS[:2], MEANS, noise, values, method=method)


def words(figure) -> str:
    """All text of a figure, once it is drawn."""
    figure.canvas.draw()
    from matplotlib.text import Text

    return "\n".join(text.get_text() for text in figure.findobj(Text))


@pytest.mark.parametrize(
    ("method", "width"),
    [
        ("auto", 1),
        ("auto", 5),
        ("limit", 1),
        pytest.param("auto", 2, marks=pytest.mark.slow),
        pytest.param("limit", 5, marks=pytest.mark.slow),
        pytest.param("qmc", 2, marks=pytest.mark.slow),
    ],
)
def test_every_kind_of_law_can_be_drawn(method, width, tmp_path):
    for what in (law(method, MEANS[:, :width]), comparison(method, MEANS[:, :width])):
        path = tmp_path / "figure.svg"
        what.plot().savefig(path)
        assert path.read_text().count("<path") > 20


def test_a_law_without_noise_can_be_drawn(tmp_path):
    still = key_noise(6 * MEANS[0], MEANS, 0 * NOISE, MEANS)
    still.plot().savefig(tmp_path / "figure.png")


def test_the_panels_are_labelled():
    said = words(comparison().plot())
    for word in (
        "one head\nRMSE 0.57",
        "two heads\nRMSE 0.182",
        "first principal direction",
        "weight in the output",
        "probability to stay below",
        "target",
        "within tolerance",
        "weight of key 0",
        "weight of key 1",
    ):
        assert word in said
    said = words(law().plot())
    for word in (
        "outputs",
        "mean",
        "head 0, key 0",
        "head 1, key 1",
        "largest weight of each head",
    ):
        assert word in said


def test_a_cloud_keeps_distances():
    cloud = comparison().plot().axes[0]
    assert cloud.get_aspect() == 1.0
    assert np.ptp(cloud.get_xlim()) == pytest.approx(np.ptp(cloud.get_ylim()))


def test_the_cloud_of_a_limit_shows_its_atoms_around_the_target():
    figure = comparison("limit").plot()
    places = np.asarray(figure.axes[0].collections[0].get_offsets())
    # One head gives v_a or v_b: each 1/√2 from their mean.
    np.testing.assert_allclose(np.linalg.norm(places, axis=1), [np.sqrt(0.5)] * 2, rtol=1e-12)
    sizes = figure.axes[0].collections[0].get_sizes()
    np.testing.assert_allclose(sizes[0], sizes[1])
    # Two heads: the target, or v_a's half spread over the other four: √(¼ + 4/64) away.
    places = np.asarray(figure.axes[1].collections[0].get_offsets())
    apart = np.sort(np.linalg.norm(places, axis=1))
    np.testing.assert_allclose(apart, [0, np.sqrt(0.3125)], atol=1e-12)


def test_the_law_of_a_weight_steps_by_the_chances_of_its_atoms():
    panel = comparison("limit").plot().axes[3]
    x, below = panel.lines[0].get_data()
    # Two heads: key 0 has weight 0 where its noise turns it around, with 1 − Φ(√2), else ½.
    np.testing.assert_allclose(below[(x > 0.01) & (x < 0.49)], 0.07864960352514258, rtol=1e-9)
    np.testing.assert_allclose(below[x > 0.51], 1)
    np.testing.assert_allclose(below[x < -0.005], 0)


def test_a_cloud_of_many_outputs_is_a_light_picture():
    picture = law()._repr_html_()
    assert picture.count("<use") > 500  # a dot for each output drawn, of one shape
    assert len(picture) < 300_000  # with a shape for each, a million


def test_a_batch_is_not_drawn():
    batch = key_noise(MEANS[0], MEANS, NOISE, MEANS, scale=[1.0, 2.0])
    with pytest.raises(
        regard.ParameterError, match=r"^OutputLaw\.plot: this is the law of a batch"
    ):
        batch.plot()


def test_matplotlib_is_loaded_when_something_is_drawn_and_pyplot_never():
    code = """
import sys
import numpy as np
from regard.analysis import stability
result = stability({"a": np.ones(2)}, np.eye(2), np.zeros((2, 2, 2)), np.eye(2), 0)
assert "matplotlib" not in sys.modules
result.plot()
assert "matplotlib" in sys.modules and "matplotlib.pyplot" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=100)


def test_a_notebook_shows_the_picture_of_what_plot_returns() -> None:
    rng = np.random.default_rng(3)
    x, w_q, w_k = rng.normal(size=(3, 5)), rng.normal(size=(5, 2)), rng.normal(size=(5, 2))
    exact = regard.trace([[1, 0], [0, 1]], [[1, 0], [0, 1]], [[1, 0], [0, 2]], [[1, 2], [3, 4]])
    for drawn in (regard.Head(w_q, w_k, w_k).plot(x), exact.plot()):
        png = drawn._repr_png_()
        assert png.startswith(b"\x89PNG")
        assert len(png) > 2000


def test_outputs_along_a_line_are_drawn_as_their_histogram():
    mu, noise = np.eye(4), np.zeros((4, 4, 4))
    noise[0, 0, 0] = 0.5  # only how much weight key 0 gets changes
    found = key_noise(10 * (mu[0] + mu[1]), mu, noise, mu)
    cloud = found.plot().axes[0]
    assert cloud.get_xlabel() == "along the principal direction"
    chances = cloud.patches[0].get_data().values
    np.testing.assert_allclose(chances.sum(), 1, rtol=1e-9)
