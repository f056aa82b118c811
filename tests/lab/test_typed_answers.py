"""Answers as they are typed: what a text means, its shape, and which scene plays where it fails."""

from __future__ import annotations

import math
from typing import Any

import pytest

from regard.lab import scenes
from regard.lab.counterexamples.played_cases import scene_of
from regard.lab.table import Refused, ask
from regard.lab.typed_answers import meant, without_styles

SQUARE = [[1.0, 2.0], [3.0, 4.0]]


def field(problem: str, name: str, text: str) -> dict[str, Any]:
    found = ask("typeset_answer", {"problem": problem, "answer": {name: text}}).data
    (one,) = [field for field in found["fields"] if field["name"] == name]
    return dict(one)


@pytest.mark.parametrize(
    ("problem", "name", "text", "shape"),
    [
        ("average-two-values", "q", r"\frac{C}{2} (k_a + k_b)", "a vector of $d$ numbers"),
        ("average-two-values", "q", "k_a' k_b", "a number"),
        ("average-two-values", "q", "k_a k_b'", "a matrix, $d$ × $d$"),
        ("choose-keys-queries-values", "K", "I", "a matrix, $d$ × $d$"),
        ("choose-keys-queries-values", "K", "u_a", "a vector of $d$ numbers"),
        ("take-a-value-out-of-a-sum", "M", "S^T S", "a matrix, $p$ × $p$"),
        ("copy-a-value", "condition", "s_j > s_i", "a condition"),
        ("who-sees-whom", "a", "True", "true"),
    ],
)
def test_the_shape_of_what_is_typed_is_said(problem: str, name: str, text: str, shape: str) -> None:
    found = field(problem, name, text)
    assert (found["shape"], found["error"]) == (shape, None)
    assert (found["html"] is None) == (text == "True")


@pytest.mark.parametrize("text", ["k_a +", "k_a k_b", "[1, 2] + [1, 2, 3]", "<script>"])
def test_what_cannot_be_read_yet_is_said_at_its_field(text: str) -> None:
    found = field("average-two-values", "q", text)
    assert found["error"]
    assert found["shape"] is None
    assert ask(
        "check_typed", {"problem": "average-two-values", "checked": {"q": text}}
    ).data["status"] == "unreadable"  # fmt: skip


def test_a_table_is_read_as_in_an_answer_file_and_latex_that_looks_like_one_is_a_formula() -> None:
    atoms = '[{ value = "v", probability = "1/3" }]'
    assert meant({"atoms": atoms}) == {"atoms": [{"value": "v", "probability": "1/3"}]}
    assert meant({"q": "{k_a}"}) == {"q": "{k_a}"}


def test_a_file_counts_instead_of_the_problem_that_is_chosen() -> None:
    told = ask("typeset_answer", {"problem": "average-two-values"}).data
    renamed = told["file"].replace("average-two-values", "mine")
    found = ask("typeset_answer", {"problem": "copy-a-value", "file": renamed}).data
    assert (found["id"], found["kind"]) == ("mine", "query")
    with pytest.raises(Refused):
        ask("typeset_answer", {"file": "kind = 3"})


def test_every_problem_of_the_list_can_be_typeset() -> None:
    listed = ask("problem_list", {}).data["collections"]
    ids = {part["id"] for one in listed for part in one["problems"]}
    assert "attention-lab" not in ids  # its answer is code
    assert len(ids) > 90
    for problem in sorted(ids):
        found = ask("typeset_answer", {"problem": problem}).data
        assert found["fields"], problem
        assert " style=" not in found["statement_html"], problem


def test_styles_and_ids_go_and_words_about_them_stay() -> None:
    html = '<p style="color:red" id="a" tabindex="0">say style="x"</p>'
    assert without_styles(html) == '<p tabindex="0">say style="x"</p>'


def test_a_case_goes_to_the_scene_that_can_show_it(monkeypatch: pytest.MonkeyPatch) -> None:
    # Token 1 is (1, 2), and with Q = I its query too; the keys are K (1, 2) = (5, 11), K (3, 4) = (11, 25).
    weight = 1 / (1 + math.exp(61 - 27))
    head = {
        "tokens": SQUARE,
        "K": SQUARE,
        "Q": [[1.0, 0.0], [0.0, 1.0]],
        "V": SQUARE,
        "weights": [weight, 1 - weight],
    }
    monkeypatch.setattr(scenes, "names", lambda: ("step-by-step",))
    played = scene_of(head, 1.0)
    assert played is not None
    assert played["state"]["W_K"] == [[1.0, 3.0], [2.0, 4.0]]  # k = K x for columns
    assert played["state"]["scale"] == "1"
    monkeypatch.setattr(scenes, "names", lambda: ())
    assert scene_of(head, 1.0) is None
