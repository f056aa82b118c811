"""Heads of a model: what was designed is what is read, and only offered models can be looked into."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import regard
from lab.browsing import Lab, Screen, open_page, open_scene, run, running_lab
from models import small_models
from regard.lab.table import Refused, ask

NAME = "heads-of-a-model"
VALUES = "(all) => all.map((one) => Number(one.dataset.value))"


def map_on(screen: Screen) -> np.ndarray[Any, Any]:
    found = np.array(
        screen.page.locator(".regard-heat-map .regard-cells [data-value]").evaluate_all(VALUES)
    )
    return found.reshape(round(len(found) ** 0.5), -1)


def listed(screen: Screen) -> list[str]:
    heads = screen.page.locator(".regard-heads li:visible [data-head]")
    return [str(one.get_attribute("data-head")) for one in heads.all()]


def test_what_was_designed_is_what_the_reading_calls_it() -> None:
    found = ask("model_heads", {}).data
    labels = {one["name"]: one["label"] for one in found["heads"]}
    assert labels == {
        "0.0": "previous", "0.1": "offset 3", "0.2": "offset 8", "0.3": "sink", "0.4": "content",
        "0.5": "broad", "1.0": "induction", "1.1": "duplicate", "1.2": "offset 2",
        "1.3": "offset 12", "1.4": "not clear", "1.5": "not clear",
    }  # fmt: skip
    strengths = [one["strength"] for one in found["heads"]]
    assert strengths == sorted(strengths, reverse=True)
    induction = ask("model_head", {"head": "1.0"}).data
    # 24 tokens twice over: row 30 is token 6 of the second round, and token 7 came after it.
    assert induction["aims"][30] == [7]
    assert induction["window"] == [23]
    assert np.argmax(induction["weight"]) == induction["shifts"].index(23)
    assert ask("model_head", {"head": "1.1"}).data["aims"][30] == [6]
    window = ask("model_head", {"head": "0.2", "read": "weights"}).data
    assert window["window"] == [7, 8, 9]


def test_a_page_reads_no_file_that_was_not_offered(tmp_path: Path) -> None:
    folder = small_models.write(tmp_path, small_models.gpt2(), {"n_head": 3})
    for name in (str(folder), "/etc/passwd", "../demonstration"):
        with pytest.raises(Refused, match="There is no model"):
            ask("model_heads", {"model": name})
    with pytest.raises(Refused, match=r"There is no head 2\.0 here: the last is 1\.5\."):
        ask("model_head", {"head": "2.0"})
    with pytest.raises(regard.errors.InvalidModel):
        regard.lab.offer_model(tmp_path / "nothing.safetensors")


def test_a_head_is_chosen_filtered_and_read_as_python_does(browser: Any, lab: Lab) -> None:
    screen = open_scene(browser, lab, NAME)
    assert listed(screen)[:2] == ["1.3", "0.1"]
    screen.press("sink 1")
    assert (screen.state["label"], listed(screen)) == ("sink", ["0.3"])
    screen.page.locator("[data-head='0.3']").press("Enter")
    screen.settle()
    assert screen.headline.startswith("Head 0.3 looks at key 0 from everywhere, with 58.2")
    names = run(screen.copied("Copy as Python"))
    np.testing.assert_allclose(map_on(screen), names["weights"], atol=1e-9)
    np.testing.assert_allclose(names["weights"].sum(axis=1), 1, atol=1e-6)
    assert screen.page.get_by_role("button", name="Copy as problem file").is_hidden()

    screen.press("all 12")
    screen.page.locator("[data-head='0.2']").click()
    screen.page.get_by_label("from weights alone").click()
    screen.settle()
    assert (screen.state["head"], screen.state["read"]) == ("0.2", "weights")
    model = regard.lab.demonstration_model()
    reading = regard.models.inspect(model).head(0, 2)
    np.testing.assert_allclose(map_on(screen), reading.pattern, atol=1e-9)
    orange = screen.page.locator(".regard-shifts rect.regard-tone-target")
    assert [one.get_attribute("data-shift") for one in orange.all()] == ["7", "8", "9"]
    bar = screen.page.locator(".regard-shifts rect[data-shift='8']")
    assert float(bar.get_attribute("data-value")) == pytest.approx(
        float(np.exp(reading.kernel[8 + 47])), abs=1e-9
    )
    assert (
        f"{100 * reading.mean_weight:.3g}\u202f%"
        in screen.page.locator(".regard-proof").inner_text()
    )

    screen.page.locator(".regard-heat-map").press("End")
    screen.settle()
    assert screen.state["row"] == 47
    said = screen.page.locator(".regard-row-said").inner_text()
    assert said.startswith("Position 47 gives ")
    assert said.endswith("to position 39.")
    screen.press("Undo")
    screen.press("Undo")
    assert (screen.state["row"], screen.state["read"]) == (30, "tokens")
    assert [row[0] for row in screen.table()] == listed(screen)
    screen.end()


@pytest.mark.parametrize(
    ("head", "kind"), [("1.0", "layers"), ("0.0", "offset"), ("0.2", "offset")]
)
def test_a_head_that_can_be_built_is_a_problem_that_is_solved(
    browser: Any, lab: Lab, head: str, kind: str
) -> None:
    screen = open_scene(browser, lab, NAME, head=head)
    problem = regard.problems.loads(screen.copied("Copy as problem file"))
    assert (problem.kind, head in problem.title) == (kind, True)
    assert regard.solve(problem).verdict.name == "PROVED"
    screen.end()


def test_the_model_that_the_lab_was_started_with_is_shown_first(
    browser: Any, tmp_path: Path
) -> None:
    folder = small_models.write(tmp_path / "mine", small_models.gpt2(), {"n_head": 3})
    with running_lab(str(folder)) as own:
        screen = open_page(browser, own.address)
        screen.settle()
        assert screen.page.get_by_label("Model", exact=True).input_value() == "mine"
        assert len(listed(screen)) == 6
        names = run(screen.copied("Copy as Python"))
        np.testing.assert_allclose(map_on(screen), names["weights"], atol=1e-9)
        assert names["model"].architecture.family == "gpt2"
        screen.page.get_by_label("Model", exact=True).select_option("demonstration")
        screen.settle()
        assert (screen.state["head"], len(listed(screen))) == ("clearest", 12)
        screen.end()
