"""Where to look: what is on the screen is what the Python API says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import regard
from lab.browsing import Lab, Screen, open_scene, run
from regard.lab import scenes
from regard.lab.table import ask

NAME = "where-to-look"
KEYS = np.array(scenes.about(NAME)["state"]["keys"])


def weights_on(screen: Screen) -> np.ndarray[Any, Any]:
    """The weights that the bars are drawn with, all digits."""
    shares = screen.page.locator(".regard-bar").evaluate_all(
        "(bars) => bars.map((bar) => Number(bar.style.getPropertyValue('--share')))"
    )
    return np.array(shares)


def by_hand(keys: Any, query: Any) -> Any:
    powers = np.exp(keys @ query)
    return powers / powers.sum()


def test_a_key_that_is_dragged_or_moved_by_the_keyboard_gets_what_python_says(
    browser: Any, lab: Lab
) -> None:
    screen = open_scene(browser, lab, NAME)
    box = screen.page.locator(".regard-plane").bounding_box()
    unit = box["width"] / 4
    x, y = box["x"] + (2 + 1.3) * unit, box["y"] + (2 - 0.3) * unit
    screen.page.mouse.move(x, y)
    screen.page.mouse.down()
    for step in range(1, 8):
        screen.page.mouse.move(x + 0.05 * step * unit, y - 0.1 * step * unit)
    screen.page.mouse.up()
    screen.settle()
    moved = screen.state["keys"][0]
    assert moved == pytest.approx([1.65, 1.0], abs=0.02)
    keys = np.array([moved, *KEYS[1:]])
    expected = by_hand(keys, regard.design.query(keys, 0).query)
    np.testing.assert_allclose(weights_on(screen), expected, atol=1e-9)

    screen.press("Undo")  # the whole drag is one step
    assert screen.state["keys"][0] == [1.3, 0.3]
    screen.page.get_by_role("button", name="k 1 at").focus()
    screen.page.keyboard.press("ArrowRight")
    screen.page.keyboard.press("Shift+ArrowUp")
    screen.settle()
    assert screen.state["keys"][0] == [1.4, 0.31]
    screen.end()


def test_the_slider_and_its_number_change_the_length_and_the_weights(
    browser: Any, lab: Lab
) -> None:
    screen = open_scene(browser, lab, NAME)
    design = regard.design.query(KEYS, 0)
    box = screen.page.get_by_label("Length of the query, as a number")
    box.fill("3")
    box.press("Enter")
    screen.settle()
    query = design.query * (3 / np.linalg.norm(design.query))
    np.testing.assert_allclose(weights_on(screen), by_hand(KEYS, query), atol=1e-9)
    screen.page.get_by_label("Length of the query", exact=True).press("End")
    screen.settle()
    assert screen.state["factor"] == 4
    np.testing.assert_allclose(weights_on(screen), by_hand(KEYS, 4 * design.query), atol=1e-9)
    screen.end()


def test_a_query_that_was_given_is_shown_until_the_designed_one_is_asked_for(
    browser: Any, lab: Lab
) -> None:
    own = [0.5, 1.0]
    screen = open_scene(browser, lab, NAME, own=own, factor=2)
    wrong = by_hand(KEYS, 2 * np.array(own))
    np.testing.assert_allclose(weights_on(screen), wrong, atol=1e-9)
    off = np.max(np.abs(wrong - np.eye(6)[0]))
    assert screen.headline == (
        f"This query, 2 times as long, gets a weight wrong by {100 * off:.3g}\u202f%."
    )
    names = run(screen.copied("Copy as Python"))
    np.testing.assert_allclose(names["weights"][0], wrong, atol=1e-12)
    screen.press("Show the designed query")
    designed = by_hand(KEYS, regard.design.query(KEYS, 0).query)
    np.testing.assert_allclose(weights_on(screen), designed, atol=1e-9)
    assert not screen.page.get_by_role("button", name="Show the designed query").is_visible()
    screen.press("Undo")
    np.testing.assert_allclose(weights_on(screen), wrong, atol=1e-9)
    screen.end()


def test_several_keys_are_wanted_with_the_weights_that_are_typed(browser: Any, lab: Lab) -> None:
    screen = open_scene(browser, lab, NAME)
    screen.press("Look at k 2")
    assert screen.state["target"] == [0.5, 0.5, 0, 0, 0, 0]
    box = screen.page.get_by_label("Wanted of k 1, in percent")
    box.fill("80")
    box.press("Enter")
    screen.settle()
    assert screen.state["target"] == pytest.approx([0.8, 0.2, 0, 0, 0, 0])
    expected = by_hand(KEYS, regard.design.query(KEYS, {0: 0.8, 1: 0.2}).query)
    np.testing.assert_allclose(weights_on(screen), expected, atol=1e-9)
    screen.end()


def test_a_key_among_the_others_is_refused_with_the_average_that_it_is(
    browser: Any, lab: Lab
) -> None:
    screen = open_scene(browser, lab, NAME, target=[0, 0, 0, 0, 0, 1])
    assert screen.headline == "No query can look at k6 alone: at most 16.7\u202f%."
    with pytest.raises(regard.InfeasibleDesign) as refusal:
        regard.design.query(KEYS, 5)
    best = refusal.value.best.query
    np.testing.assert_allclose(weights_on(screen), by_hand(KEYS, best), atol=1e-9)
    # 16.7 % is the most by its own definition too: at that query nothing is gained by a small step.
    around = [by_hand(KEYS, best + step)[5] for step in 0.01 * np.vstack([np.eye(2), -np.eye(2)])]
    assert max(around) < by_hand(KEYS, best)[5] < 0.167
    assert screen.page.locator(".regard-proof").text_content().startswith("Proved. ")
    screen.end()


def test_a_proof_that_holds_up_to_a_length_says_so(browser: Any, lab: Lab) -> None:
    # k_3 lies on the edge from k_1 to k_2 but for the rounding of 1/6: a query of length 1e17 or
    # so could tell, so that nothing is proved of all lengths.
    keys = [[0.1, 0.1], [0.7, 0.3], [0.3, 0.16666666666666669], [0, -1]]
    screen = open_scene(browser, lab, NAME, keys=keys, target=[0, 0, 1, 0])
    with pytest.raises(regard.InfeasibleDesign) as refusal:
        regard.design.query(np.array(keys), 2)
    (ceiling,) = [c for c in refusal.value.certificate.claims if c.kind == "ceiling"]
    assert 6.77e7 <= ceiling.fields["radius"] < 6.78e7
    assert screen.headline == (
        "No query up to length 6.77\u00a0×\u00a010⁷ can look at k3 alone: at most 34.7\u202f%."
    )
    assert "up to length 6.77" in screen.page.locator(".regard-proof").text_content()
    screen.end()


@pytest.mark.parametrize("target", [[1, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 1], [0.5, 0, 0.5, 0, 0, 0]])
def test_what_is_copied_runs_and_gives_the_same_numbers(
    browser: Any, lab: Lab, target: Any
) -> None:
    screen = open_scene(browser, lab, NAME, target=target, factor=0.5)
    names = run(screen.copied("Copy as Python"))
    np.testing.assert_allclose(weights_on(screen), names["weights"][0], atol=1e-9)
    problem = regard.problems.loads(screen.copied("Copy as problem file"))
    found = regard.solve(problem)
    possible = target[0] == 1
    assert found.verdict.name == ("PROVED" if possible else "IMPOSSIBLE")
    screen.end()


def test_the_table_has_the_numbers_of_the_picture(browser: Any, lab: Lab) -> None:
    screen = open_scene(browser, lab, NAME)
    rows = screen.table()
    query = regard.design.query(KEYS, 0).query
    assert [float(row[3].replace("−", "-")) for row in rows] == pytest.approx(
        (KEYS @ query).tolist(), rel=5e-4
    )
    assert rows[0][4:] == ["0.999", "1"]
    screen.end()


def test_thirty_two_keys_can_be_shown(browser: Any, lab: Lab) -> None:
    angles = np.linspace(0, 2 * np.pi, 31, endpoint=False)
    keys = [[0.0, 0.0], *np.round(np.stack([np.cos(angles), np.sin(angles)], 1), 3).tolist()]
    target = [0] * 32
    target[1] = 1
    screen = open_scene(browser, lab, NAME, keys=keys, target=target)
    expected = by_hand(np.array(keys), regard.design.query(np.array(keys), 1).query)
    np.testing.assert_allclose(weights_on(screen), expected, atol=1e-9)
    screen.end()


def test_an_average_of_many_keys_is_told_in_short_and_has_every_share_in_the_table(
    browser: Any, lab: Lab
) -> None:
    angles = np.linspace(0, 2 * np.pi, 31, endpoint=False)
    keys = np.array([[0.3, 0.1], *np.round(np.stack([np.cos(angles), np.sin(angles)], 1), 3)])
    screen = open_scene(browser, lab, NAME, keys=keys.tolist(), target=[1, *[0] * 31])
    said = screen.page.locator(".regard-proof").text_content()
    assert said.startswith("Proved. k1 is an average of 31 other keys, most of all k")
    rows = screen.table()
    shares = np.array([float(row[6].replace(" × 10⁻⁵", "e-5")) for row in rows])
    assert shares[0] == 0
    np.testing.assert_allclose(shares @ keys, keys[0], atol=2e-3)  # as the proof says
    largest = [f"k{i + 1} (" for i in np.argsort(-shares)[:3]]
    assert all(name in said for name in largest)
    assert screen.page.locator(".regard-spokes line").count() == 31
    screen.end()


def test_names_are_moved_and_not_written_anew_while_a_key_is_dragged(
    browser: Any, lab: Lab
) -> None:
    screen = open_scene(browser, lab, NAME)
    screen.page.evaluate(
        "() => { for (const text of document.querySelectorAll('.regard-labels text'))"
        " text.kept = true; }"
    )
    places = "(all) => all.map((one) => [one.textContent, one.kept, one.getAttribute('transform')])"
    texts = screen.page.locator(".regard-labels text")
    before = texts.evaluate_all(places)
    screen.page.get_by_role("button", name="k 3 at").focus()
    screen.page.keyboard.press("ArrowLeft")
    screen.settle()
    after = texts.evaluate_all(places)
    old, new = ({text[:2]: rest for text, *rest in found} for found in (before, after))
    assert len(old) == len(before) == len(new) == len(after)
    for name in ("𝑘2", "𝑘3", "𝑘4"):
        assert new[name][0] is True
        assert (new[name][1] == old[name][1]) == (name != "𝑘3")
    screen.end()


def test_a_matrix_is_pasted_from_python_a_spreadsheet_or_a_handout(browser: Any, lab: Lab) -> None:
    screen = open_scene(browser, lab, NAME)
    texts = {
        "np.array([[1, 0.5], [-2, 3e-1]])": [["1", "0.5"], ["-2", "3e-1"]],
        "1\t0,5\n−2\t0.3\n": [["1", "0,5"], ["-2", "0.3"]],
        "\\begin{pmatrix} 1 & 2 \\\\ 3 & 1/4 \\end{pmatrix}": [["1", "2"], ["3", "1/4"]],
        "1 2\n3 4": [["1", "2"], ["3", "4"]],
        "K = [[1, 2], [3, 4]]": [["1", "2"], ["3", "4"]],
        "tensor([[1., 2.],\n        [3., 4.]])": [["1", "2"], ["3", "4"]],
        "1 2\n3": None,
        "<script>": None,
    }
    found = screen.page.evaluate(
        """async (texts) => {
          const { readMatrix } = await import("/static/kit/matrix.js");
          return texts.map(readMatrix);
        }""",
        list(texts),
    )
    assert found == list(texts.values())
    screen.end()


def test_a_query_whose_square_overflows_has_its_length_and_its_lead() -> None:
    found = ask("design_query", {"keys": [[1e-300, 0], [0, 0]], "target": [1, 0]}).data
    length = np.log(999) * 1e300  # the score that leaves 1/1000 to the other key
    assert found["length"] == pytest.approx(length, rel=1e-9)
    assert found["shown"]["length"] == found["length"]
    assert found["ahead"] == {"by": pytest.approx(1e-300), "last": 0, "rival": 1}


def test_a_query_that_is_zero_has_no_length_to_be_set(browser: Any, lab: Lab) -> None:
    screen = open_scene(browser, lab, NAME, keys=[[0.5, 0.5]], target=[1])
    box = screen.page.get_by_label("Length of the query, as a number")
    assert (box.input_value(), box.is_disabled()) == ("0", True)
    assert screen.page.get_by_label("Length of the query", exact=True).is_disabled()
    screen.press("Reset")
    assert box.is_enabled()
    screen.end()
