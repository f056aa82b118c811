"""Step by step: what is on the screen is what the Python API says, and what paper says."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import regard
from lab.browsing import Lab, Screen, open_scene, run
from regard.lab.table import Refused, ask

NAME = "step-by-step"
ONES = [[1, 0], [0, 1], [1, 1]]


def matrix(screen: Screen, name: str) -> np.ndarray[Any, Any]:
    """The numbers of a matrix on the screen, all digits."""
    lines = screen.page.evaluate(
        """(name) => {
          const block = document.querySelector(`[role=group][aria-label=${name}] .regard-cells`);
          const values = [...block.querySelectorAll("button")].map((cell) => Number(cell.dataset.value));
          const width = Number(block.style.getPropertyValue("--columns"));
          return values.flatMap((_, at) => (at % width ? [] : [values.slice(at, at + width)]));
        }""",
        name,
    )
    return np.array(lines)


def shown_sum(screen: Screen) -> str:
    return str(screen.page.locator(".regard-sum").get_attribute("aria-label"))


def fill(screen: Screen, label: str, text: str) -> None:
    box = screen.page.get_by_label(label, exact=True)
    box.fill(text)
    box.press("Enter")
    screen.settle()


def paste(screen: Screen, label: str, text: str) -> None:
    screen.page.get_by_label(label, exact=True).evaluate(
        """(input, text) => {
          const data = new DataTransfer();
          data.setData("text", text);
          input.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true }));
        }""",
        text,
    )
    screen.settle()


def by_hand(x: Any, W_Q: Any, W_K: Any, W_V: Any, scale: float, causal: bool = False) -> Any:
    """Attention as on paper, in floats."""
    x, W_Q, W_K, W_V = (np.array(m, dtype=float) for m in (x, W_Q, W_K, W_V))
    scores = scale * (x @ W_Q) @ (x @ W_K).T
    powers = np.exp(scores) * (np.tri(len(x)) if causal else 1)
    weights = powers / powers.sum(axis=1, keepdims=True)
    return scores, weights, weights @ (x @ W_V)


GIVEN = (ONES, [[1, 0], [1, 1]], [[1, 1], [0, 1]], [[2, 0], [0, 4]])


def test_every_matrix_is_the_one_of_paper_with_scale_and_mask(browser: Any, lab: Lab) -> None:
    screen = open_scene(browser, lab, NAME)
    np.testing.assert_allclose(matrix(screen, "queries"), [[1, 0], [1, 1], [2, 1]])
    np.testing.assert_allclose(matrix(screen, "keys"), [[1, 1], [0, 1], [1, 2]])
    np.testing.assert_allclose(matrix(screen, "values"), [[2, 0], [0, 4], [2, 4]])
    for change, scale, causal in [
        (lambda: None, 1 / math.sqrt(2), False),
        (lambda: fill(screen, "Scale, as a number", "1/3"), 1 / 3, False),
        (lambda: screen.page.get_by_label("causal: itself").check(), 1 / 3, True),
    ]:
        change()
        screen.settle()
        scores, weights, outputs = by_hand(*GIVEN, scale, causal)
        np.testing.assert_allclose(matrix(screen, "scores"), scores, atol=1e-9)
        np.testing.assert_allclose(matrix(screen, "weights"), weights, atol=1e-9)
        np.testing.assert_allclose(matrix(screen, "outputs"), outputs, atol=1e-9)
    screen.page.get_by_label("1, as it is").check()
    screen.settle()
    assert screen.state["scale"] == "1"
    screen.page.get_by_role("radio").first.check()
    screen.settle()
    assert screen.state["scale"] == "1/sqrt(d_k)"
    screen.end()


def test_windows_padding_and_rows_of_0_and_1_hide_what_they_should(browser: Any, lab: Lab) -> None:
    screen = open_scene(browser, lab, NAME, scale="1", entry="c_3[1]")
    x, W_Q, W_K, W_V = (np.array(m, dtype=float) for m in GIVEN)

    def agrees(**masks: Any) -> None:
        output, weights = regard.attention_with_weights(x @ W_Q, x @ W_K, x @ W_V, scale=1, **masks)
        np.testing.assert_allclose(matrix(screen, "weights"), weights, atol=1e-9)
        np.testing.assert_allclose(matrix(screen, "outputs"), output, atol=1e-9)
        hidden = screen.page.locator("[aria-label=weights] .regard-unused").count()
        assert hidden == (weights == 0).sum()

    screen.page.get_by_label("a window:").check()
    screen.settle()
    agrees(window=(1, 0))
    fill(screen, "Keys after its own", "1")
    agrees(window=(1, 1))
    screen.page.get_by_label("padding: only the first").check()
    screen.settle()
    agrees(window=(1, 1), key_lengths=2)
    assert shown_sum(screen).endswith("c_3[1] = a_32·0 = 0")
    screen.page.get_by_label("a window:").uncheck()
    screen.page.get_by_label("padding: only the first").uncheck()
    screen.page.get_by_label("rows of 0 and 1", exact=True).check()
    fill(screen, "Mask, a row for each query: 1 may look, 0 may not, query 3, column 1", "0")
    agrees(mask=np.array([[1, 1, 1], [1, 1, 1], [0, 1, 1]], dtype=bool))
    paste(
        screen,
        "Mask, a row for each query: 1 may look, 0 may not, query 1, column 1",
        "0 0 0\n1 1 0\n0 1 1",
    )
    agrees(mask=np.array([[0, 0, 0], [1, 1, 0], [0, 1, 1]], dtype=bool))
    found = run(screen.copied("Copy as Python"))["found"]
    np.testing.assert_allclose(matrix(screen, "weights"), found.weights_float, atol=1e-9)
    fill(screen, "tokens", "4")
    assert screen.state["mask"] == [[0, 0, 0, 1], [1, 1, 0, 1], [0, 1, 1, 1], [1, 1, 1, 1]]
    screen.end()


def test_a_whole_handout_is_pasted_at_once(browser: Any, lab: Lab) -> None:
    screen = open_scene(browser, lab, NAME)
    handout = r"""X = \begin{pmatrix} 1 & 2 \\ 0 & -1 \end{pmatrix},
    W_Q = \begin{pmatrix} 1 \\ 1 \end{pmatrix}, W_K = \begin{pmatrix} 2 \\ 0 \end{pmatrix},
    W_V = \begin{pmatrix} 1/3 \\ 1 \end{pmatrix}"""
    paste(screen, "W K, row 1, column 1", handout)
    assert screen.state["x"] == [[1, 2], [0, -1]]
    assert [screen.state[name] for name in ("W_Q", "W_K", "W_V")] == [
        [[1], [1]], [[2], [0]], [["1/3"], [1]],
    ]  # fmt: skip
    np.testing.assert_allclose(matrix(screen, "scores"), [[6, 0], [-2, 0]], atol=1e-9)
    paste(screen, "X, row 1, column 1", "X = np.array([[0, 1]])\nW_Q = np.array([[1], [5]])\n")
    np.testing.assert_allclose(matrix(screen, "queries"), [[5]])
    screen.end()


def test_a_number_that_is_clicked_shows_the_sum_that_made_it(browser: Any, lab: Lab) -> None:
    screen = open_scene(browser, lab, NAME)
    assert shown_sum(screen).endswith("q_3[1] = 1·1 + 1·1 = 2")
    sources = screen.page.locator("input.regard-source")
    assert sources.evaluate_all("(all) => all.map((one) => one.getAttribute('aria-label'))") == [
        "X, row 3, column 1", "X, row 3, column 2", "W Q, row 1, column 1", "W Q, row 2, column 1",
    ]  # fmt: skip
    screen.page.get_by_role("button", name="z 2,3:").click()
    screen.settle()
    assert screen.state["entry"] == "z_2,3"
    assert shown_sum(screen).endswith("z_23 = (1·1 + 1·2)/√2 = 3/√2")
    assert screen.headline == "Query 2 scores 3/√2 with key 3."
    digits = screen.page.locator(".regard-digits span").inner_text()
    assert digits == "2.1213203435596425732"  # 3/√2 by a table of roots
    screen.page.keyboard.press("ArrowLeft")  # from number to number without a mouse
    screen.page.keyboard.press("ArrowDown")
    screen.settle()
    assert screen.state["entry"] == "z_3,2"
    assert screen.page.locator("button.regard-source").count() == 4  # a query and a key
    screen.end()


def test_matrices_are_pasted_and_fractions_stay_fractions(browser: Any, lab: Lab) -> None:
    screen = open_scene(browser, lab, NAME, scale="1")
    paste(screen, "X, row 1, column 1", "np.array([[1, 0.1], [0, 1], [1, 1], [2, -1]])")
    assert screen.state["x"] == [[1, "0.1"], [0, 1], [1, 1], [2, -1]]
    paste(screen, "W V, row 2, column 1", "1/3\t0\t1\n2\t1\t0\n")
    fill(screen, "W Q, row 1, column 2", "-2/7")
    assert screen.state["W_V"] == [["1/3", 0, 1], [2, 1, 0]]
    given = (
        [[1, 0.1], [0, 1], [1, 1], [2, -1]], [[1, -2 / 7], [1, 1]], GIVEN[2],
        [[1 / 3, 0, 1], [2, 1, 0]],
    )  # fmt: skip
    _, weights, outputs = by_hand(*given, 1.0)
    np.testing.assert_allclose(matrix(screen, "weights"), weights, atol=1e-9)
    np.testing.assert_allclose(matrix(screen, "outputs"), outputs, atol=1e-9)
    screen.page.get_by_role("button", name="v 1[1]:").click()
    screen.settle()
    # 1 · 1/3 + 1/10 · 2: one tenth is one tenth, and not the float next to it
    assert shown_sum(screen).endswith("v_1[1] = 1·(1/3) + (1/10)·2 = 8/15")
    paste(screen, "X, row 1, column 1", "1 2\n3 <script>")
    assert "That is no matrix of numbers." in screen.page.locator(".regard-note").all_inner_texts()
    screen.end()


def test_sizes_are_changed_and_what_does_not_fit_is_said(browser: Any, lab: Lab) -> None:
    screen = open_scene(browser, lab, NAME, entry="c_3[2]", scale="1")
    fill(screen, "tokens", "2")
    assert screen.state["x"] == [[1, 0], [0, 1]]
    assert screen.state["entry"] == "c_2[2]"  # the nearest that there is
    _, weights, _ = by_hand([[1, 0], [0, 1]], *GIVEN[1:], 1.0)
    np.testing.assert_allclose(matrix(screen, "weights"), weights, atol=1e-9)
    paste(screen, "W K, row 1, column 1", "1 0 2\n0 1 1")
    problem = screen.page.locator(".regard-problem")
    assert "W_K does not match W_Q in d_k (3 vs 2)" in problem.inner_text()
    screen.press("Undo")
    assert not problem.is_visible()
    screen.end()


@pytest.mark.parametrize(
    "state",
    [
        {"entry": "a_2,1"},
        {"entry": "c_2[1]", "is_causal": True, "scale": "1/3"},
        {"entry": "c_3[1]", "window": [1, 1], "key_lengths": 2},
        {"entry": "c_2[2]", "mask": [[1, 1, 1], [0, 1, 1], [1, 0, 1]]},
        {"entry": "c_3[2]", "x": [[1, "1/3"], [0, "-0.25"], [2, 1]], "scale": "4"},
    ],
)
def test_what_is_copied_runs_and_gives_the_same_numbers(
    browser: Any, lab: Lab, state: dict[str, Any]
) -> None:
    screen = open_scene(browser, lab, NAME, **state)
    found = run(screen.copied("Copy as Python"))["found"]
    np.testing.assert_allclose(matrix(screen, "weights"), found.weights_float, atol=1e-9)
    np.testing.assert_allclose(matrix(screen, "outputs"), found.outputs_float, atol=1e-9)
    assert shown_sum(screen).endswith(str(found.entry(state["entry"])))
    problem = regard.problems.loads(screen.copied("Copy as problem file"))
    token = int(state["entry"][2])
    answer = {
        f"a_{token}": found.weights_float[token - 1].tolist(),
        f"c_{token}": found.outputs_float[token - 1].tolist(),
    }
    assert regard.check(problem, answer).right
    answer[f"c_{token}"][0] += 0.5
    assert not regard.check(problem, answer).right
    screen.end()


def test_the_table_has_every_number_exactly(browser: Any, lab: Lab) -> None:
    screen = open_scene(browser, lab, NAME, x=[[1, "1/3"], [0, 1]], entry="q_1[1]")
    rows = screen.table()
    assert len(rows) == 2 * (2 + 2 + 2 + 2 + 2 + 2)
    assert [row[1] for row in rows[:4]] == ["4/3", "1/3", "1", "1"]  # x W_Q
    assert rows[0][2] == "1.33333333333"
    screen.end()


def test_the_question_says_where_an_entry_came_from() -> None:
    given = {"x": [[1], [0]], "W_Q": [[1]], "W_K": [[1]], "W_V": [["1/3"]]}
    found = ask("trace", {**given, "entry": "a_1,1", "scale": "1/sqrt(d_k)"}).data["entry"]
    assert found["text"] == "a_11 = e^1/(e^1 + e^0) ≈ 0.731059"
    assert found["decimal"] == "0.73105857863000487925"  # 1/(1 + 1/e) by bc -l
    assert found["exact"] == "e^1/(e^1 + e^0)"
    assert found["mathml"][0].startswith("<math")
    for entry in ("a_1", "x_1,1", "a_3,1", "a_1,1<b>"):
        with pytest.raises(Refused):
            ask("trace", {**given, "entry": entry})
