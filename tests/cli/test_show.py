"""`regard show` and `regard hint`, and answers on the command line."""

from __future__ import annotations

import json
import re
import tomllib

import pytest

from cli.running import run
from regard import problems
from regard.checking import check
from regard.checking.typed.inline import inline
from regard.errors import InvalidAnswer
from regard.problems.answer_fields import answer_fields, only_field

WITH_FIELDS = [name for name in problems.names() if answer_fields(problems.load(name))]


@pytest.mark.parametrize("name", WITH_FIELDS)
def test_the_example_of_each_field_can_be_read_and_is_not_the_answer(name: str) -> None:
    problem = problems.load(name)
    lines = [
        f"{field.name} = {field.example}" for field in answer_fields(problem) if not field.optional
    ]
    try:
        verdict = check(problem, tomllib.loads("\n".join(lines)))
        right = verdict.right
    except InvalidAnswer as error:  # of another size, which only the answer would have
        right = "must be" not in str(error) and "must have" not in str(error)
    assert not right


def test_every_kind_that_can_be_checked_tells_its_fields() -> None:
    silent = {problems.load(name).kind for name in problems.names()} - {
        problems.load(name).kind for name in WITH_FIELDS
    }
    assert silent == {"code"}  # its answers are files


def test_show_has_the_statement_the_fields_and_how_to_check() -> None:
    result = run("show", "average-two-values")
    assert result.returncode == 0
    for text in ("(b)", "Find a query q", "C (k_b - 2 k_a)", "regard check average-two-values"):
        assert text in result.stdout
    data = json.loads(run("show", "two-heads-average", "--json").stdout)
    assert [field["name"] for field in data["fields"]] == ["q_1", "q_2", "C"]
    assert [field["optional"] for field in data["fields"]] == [False, False, True]
    assert "answer" not in data


def test_the_first_hint_on_statements_settles_none_of_them() -> None:
    for name in problems.names():
        if problems.load(name).kind == "choice":
            said = run("hint", name, "--json").stdout
            assert "One case in which it fails" in said
            assert "True" not in said
            assert "False" not in said
    assert "The weights are" in run("hint", "memory-of-the-scores", "2").stdout


def test_a_hint_without_its_formula_is_a_whole_sentence() -> None:
    told = run("hint", "softmax-jacobian").stdout
    assert "The forward pass.\n" in told
    assert "regard hint softmax-jacobian 1 --formula" in told


def test_hints_come_one_at_a_time_and_end() -> None:
    first = run("hint", "average-two-values")
    assert first.returncode == 0
    assert "hint 1 of" in first.stdout
    assert "regard hint average-two-values 2" in first.stdout.replace("\n", " ")
    of = json.loads(run("hint", "average-two-values", "--json").stdout)["of"]
    last = run("hint", "average-two-values", str(of), "--formula").stdout
    assert "regard solve average-two-values" in last.replace("\n", " ")
    beyond = run("hint", "average-two-values", str(of + 1))
    assert (beyond.returncode, beyond.stderr) == (2, f"hint: there are {of} steps. Got {of + 1}.\n")


@pytest.mark.parametrize(
    ("said", "code"),
    [
        (["C (k_a + k_b)"], 0),
        (["q = C (k_a + k_b)"], 0),
        (["q=C (k_a + k_b)", "C=20"], 0),
        (["q=C (k_a + k_b)", "C=2"], 1),
        (["-2 k_a"], 1),
        (["k_z"], 2),
    ],
)
def test_an_answer_can_be_written_on_the_command_line(said: list[str], code: int) -> None:
    assert run("check", "average-two-values", *said).returncode == code


def test_numbers_lists_and_tables_are_read_as_in_a_file() -> None:
    assert inline(["a=[1, 2.5]", "b=true", 'c="k_a"', "d={ x = 1 }", "e=k_a"]) == {
        "a": [1, 2.5],
        "b": True,
        "c": "k_a",
        "d": {"x": 1},
        "e": "k_a",
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["C (k_a + k_b)", "average-two-values"],
            "check: the problem comes first: regard check average-two-values 'C (k_a + k_b)'",
        ),
        (["average-two-values", "q=k_a", "q=k_b"], "answer: q is given twice."),
        (
            ["average-two-values", "q=k_a", "k_b"],
            "'k_b': q is said already. What else is this? Write name=value.",
        ),
        (
            ["two-heads-average", "C k_a"],
            "'C k_a': there is no such file, and an answer to two-heads-average has the fields "
            'q_1, q_2: say which this is, as in q_1="C k_a" q_2="…".',
        ),
        (["cs114b-hw4", "q=k_a"], "check: the answers to a collection are in a file: name it."),
    ],
)
def test_what_is_mixed_up_on_the_command_line_is_answered_with_the_fix(
    arguments: list[str], message: str
) -> None:
    result = run("check", *arguments)
    assert (result.returncode, result.stderr) == (2, message + "\n")


def test_a_problem_with_several_fields_has_no_single_one() -> None:
    assert only_field(problems.load("average-two-values")) == "q"
    assert only_field(problems.load("two-heads-average")) is None


@pytest.mark.parametrize("verb", ["solve", "show", "hint", "validate"])
@pytest.mark.parametrize("code", ["\x1b]0;title\a", "\x1b[2J", "\x9b31m"])
def test_a_control_character_of_a_name_is_not_echoed(verb: str, code: str) -> None:
    done = run(verb, f"a{code}b")
    assert done.returncode == 2
    assert "\ufffd" in done.stderr
    assert not re.search(r"[\0-\x09\x0b-\x1f\x7f-\x9f]", done.stderr)
