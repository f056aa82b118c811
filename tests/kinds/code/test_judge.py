"""Programs are judged by what they do, on cases that come smallest first."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest

import regard
from checking.answer_files import read_answers, tag
from regard.errors import InvalidAnswer
from regard.kinds.code.instance import cases, compared
from regard.kinds.code.misconceptions import MISTAKES
from regard.kinds.code.misconceptions.case import allowed, error
from regard.kinds.code.misconceptions.imitations import Change, imitate
from regard.kinds.code.spec import PARAMETERS, Behaviour
from regard.problems import load

LAB = "attention-lab"
ROTARY = "rotary-as-a-program"
FILES = Path(__file__).parents[2] / "answers" / "code"
PAIRS = (FILES / "rotary_pairs.py").read_text()


def checked(text: str, problem: str = ROTARY) -> Any:
    return regard.check(problem, {"file": text})


@pytest.mark.parametrize("behaviour", [b for b in PARAMETERS if b != "copy_query"])
def test_the_imitation_without_a_change_does_what_the_reference_does(behaviour: str) -> None:
    for case in cases(behaviour):
        found = imitate(behaviour, case.arguments, Change())
        np.testing.assert_allclose(found, case.wanted, atol=1e-9, rtol=1e-9)


@pytest.mark.parametrize("behaviour", get_args(Behaviour))
def test_cases_come_small_ones_first_and_have_other_sizes_on_every_axis(behaviour: str) -> None:
    found = cases(behaviour)
    sizes = [sum(np.size(a) for a in case.arguments) for case in found]
    assert sizes[0] == min(sizes)
    assert found[0].seed is None
    assert all(case.wanted.shape == case.wanted.shape for case in found)
    assert {case.sort for case in found} >= {"plain"}
    assert len({case.seed for case in found}) == 13


def test_what_is_wanted_is_what_can_be_worked_out_by_hand() -> None:
    """exp(1/√2) is 2.0281: two scores, 1/√2 and 0."""
    first = cases("attention")[0]
    assert [a.tolist() for a in first.arguments] == [
        [[1.0, 0.0]],
        [[1.0, 0.0], [0.0, 1.0]],
        [[1.0, 0.0], [0.0, 1.0]],
    ]
    weight = 2.02811498164747 / 3.02811498164747
    np.testing.assert_allclose(first.wanted, [[weight, 1 - weight]], rtol=1e-12)
    turned = cases("rotary")[0]
    np.testing.assert_allclose(turned.wanted, [[0.5403023058681398, 0.8414709848078965]])
    query = np.array([3.0, 0.0])
    weights = compared("copy_query", (np.eye(2), 0), query)
    power = np.exp(3 / np.sqrt(2))
    np.testing.assert_allclose(weights, [power / (1 + power), 1 / (1 + power)], rtol=1e-12)


def test_an_error_is_infinite_where_there_is_no_number_or_another_shape() -> None:
    wanted = np.zeros((2, 3))
    assert error(np.zeros((2, 3)), wanted) == 0
    assert error(np.full((2, 3), 0.25), wanted) == 0.25
    for other in (np.zeros((3, 2)), np.full((2, 3), np.nan), None, (wanted,), "x", True):
        assert error(other, wanted) == np.inf
    assert allowed(wanted, wanted, 1e-6) == 1e-6
    assert allowed(wanted.astype("float32"), wanted, 1e-6) == 1e-4


def test_the_smallest_case_is_told_with_the_entry_that_is_farthest_off() -> None:
    found = checked(
        PAIRS.replace("c, s = np.cos(ang), np.sin(ang)", "s, c = np.cos(ang), np.sin(ang)")
    )
    example = found.counterexample
    assert example.arrays["x"] == [[1, 0]]
    assert example.arrays["positions"] == [1]
    np.testing.assert_allclose(example.arrays["right"], [[0.5403023058681398, 0.8414709848078965]])
    assert "Entry [0, 0] of rotary(x, positions) is 0.8415, and should be 0.5403." in str(found)
    json.dumps(found.to_dict(), allow_nan=False)


def test_a_function_that_is_missing_costs_its_own_goal_alone() -> None:
    text = (FILES / "lab_plain.py").read_text().replace("def copy_query", "def copyquery")
    found = checked(text, LAB)
    assert [goal.passed for goal in found.goals] == [True] * 7 + [False]
    assert found.score == 7 / 8
    assert "is not defined in the file" in found.goals[7].sentence


def test_the_untouched_skeleton_is_not_right_and_says_so() -> None:
    found = checked(load(LAB).given.skeleton, LAB)
    assert found.score == 0
    assert tag(found) == "function-not-written"


def test_a_mistake_is_told_before_what_is_not_written() -> None:
    text = (
        load(LAB).given.skeleton
        + "\n\ndef softmax(x):\n    return np.exp(x) / np.exp(x).sum(-1, keepdims=True)\n"
    )
    assert tag(checked(text, LAB)) == "exp-overflows"


def test_a_function_that_returns_nothing_is_told_before_what_fails_because_of_it() -> None:
    text = (FILES / "lab_plain.py").read_text() + (
        "\n\ndef attention(query, key, value):\n    print(query)\n"
    )
    found = checked(text, LAB)
    assert tag(found) == "function-not-written"
    assert found.counterexample.sentence.startswith("attention(query, key, value) ")


def test_a_query_of_another_length_has_no_weights() -> None:
    text = (FILES / "lab_plain.py").read_text() + (
        "\n\ndef copy_query(key, index):\n    return 100.0 * (np.arange(len(key)) == index)\n"
    )
    found = checked(text, LAB)
    assert not found.goals[-1].passed
    assert found.counterexample.sentence.endswith("the shape is (2,), and should be (3,).")


def test_what_a_function_rests_on_is_to_be_mended_first() -> None:
    text = (FILES / "lab_plain.py").read_text() + "\n\ndef softmax(x):\n    return x\n"
    remarks = checked(text, LAB).remarks
    assert remarks[0] == (
        "attention, masked_attention, causal_attention, self_attention and multi_head_attention rest "
        "on softmax, which is not right: mend that first."
    )


def test_a_changed_argument_is_a_remark_and_no_error() -> None:
    text = (FILES / "lab_plain.py").read_text() + (
        "\n\ndef softmax(x):\n    x -= x.max(axis=-1, keepdims=True)\n    np.exp(x, out=x)\n"
        "    x /= x.sum(axis=-1, keepdims=True)\n    return x\n"
    )
    found = checked(text, LAB)
    assert found.right, str(found)
    assert "softmax changes the arrays that it is given: work on a copy." in found.remarks


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def rotary(x, positions:\n    pass\n", "answer.py: is not Python: line 1: "),
        ("x = \0", "answer.py: is not Python: "),
        ("import numpy\n1 / 0\n", "answer.py: cannot be run: it raises ZeroDivisionError: division by zero (line 2: 1 / 0)."),
        ("import scipy\n", "answer.py: cannot be run: it raises ModuleNotFoundError: No module named 'scipy' (line 1: import scipy)."),
        ("import regard\n", "answer.py: cannot be run: it raises ModuleNotFoundError: No module named 'regard'"),
        ("def turn(x):\n    return x\n", "answer.py: defines none of rotary."),
        ("import os\nos._exit(7)\n", "answer.py: running the file ended the process (exit code 7)."),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_run_at_all_is_no_answer(text: str, message: str) -> None:
    with pytest.raises(InvalidAnswer) as caught:
        checked(text)
    assert str(caught.value).startswith(message)


def test_a_notebook_is_run_cell_by_cell_and_one_that_fails_is_passed_over(tmp_path: Path) -> None:
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": "# Lab"},
        _cell("%matplotlib inline\nimport numpy as np\n!ls\n"),
        _cell("%%bash\nrm -rf x\n"),
        _cell("undefined_name + 1\n"),
        _cell(["import numpy as np\n", *PAIRS.splitlines(keepends=True)]),
    ]
    path = tmp_path / "mine.ipynb"
    path.write_text(
        json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells})
    )
    found = regard.check(ROTARY, path)
    assert found.right, str(found)
    assert any("A cell was passed over: it raises NameError" in remark for remark in found.remarks)
    path.write_text('{"cells": 3}')
    with pytest.raises(InvalidAnswer, match="is no notebook"):
        regard.check(ROTARY, path)


def _cell(source: Any) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "metadata": {},
        "outputs": [],
        "execution_count": None,
        "source": source,
    }


@pytest.mark.parametrize("ending", [".py", ".toml", ".json"])
def test_a_file_may_be_python_or_an_answer_that_holds_it(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"mine{ending}"
    written = {
        ".py": PAIRS,
        ".toml": f"problem = '{ROTARY}'\n[answer]\nfile = '''\n{PAIRS}'''\n",
        ".json": json.dumps({"file": PAIRS}),
    }
    path.write_text(written[ending])
    assert regard.check(ROTARY, str(path)).right


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ({"q": "1"}, "answer: file is missing: the text of a Python file."),
        ({"file": "", "q": 1}, "answer: 'q' is no field of this kind: use file."),
        (3, "check: an answer to rotary-as-a-program is a Python file or a notebook. Got int."),
        ("mine.npz", "mine.npz: no such file or directory."),
        ({"problem": "copy-a-value", "answer": {"file": ""}}, "check: the answer is to 'copy-a-value', and the problem is 'rotary-as-a-program'."),
    ],
)  # fmt: skip
def test_what_is_no_program_is_refused_by_a_sentence(answer: Any, message: str) -> None:
    with pytest.raises(InvalidAnswer) as caught:
        regard.check(ROTARY, answer)
    assert str(caught.value) == message


def test_student_output_is_shown_without_escapes_and_cut() -> None:
    found = checked("print('\\x1b[31mred <b>bold</b>')\nprint('y' * 10**6)\n" + PAIRS)
    (remark,) = found.remarks
    assert remark.startswith("Printed to stdout: [31mred <b>bold</b> yyy")
    assert len(remark) < 450
    html = found.report()._repr_html_()
    assert "<b>bold" not in html
    assert "&lt;b&gt;bold" in html


def test_every_tag_of_a_program_is_shown_by_two_files_in_the_answers() -> None:
    shown = [entry["tag"] for entry in read_answers("code").wrong]
    assert {m.tag for m in MISTAKES if shown.count(m.tag) < 2} == set()


def test_where_nothing_keeps_a_program_apart_it_is_refused_unless_it_is_ones_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from regard.sandbox import Box, box

    bare = Box([("mine.py", PAIRS)], "mine.py", wanted=("limits",))
    with (
        pytest.raises(InvalidAnswer, match="offers nothing that keeps a program from your files"),
        bare,
    ):
        pass
    monkeypatch.setenv(box.UNSAFE, "1")
    with Box([("mine.py", PAIRS)], "mine.py", wanted=("limits",)) as mine:
        np.testing.assert_allclose(
            mine.call("rotary", np.ones((1, 2)), np.array([0])).value, [[1, 1]]
        )
    assert not os.path.exists(mine.folder)
