"""Reading problem files: right ones, and the one sentence for each that is wrong."""

from __future__ import annotations

import json
import os
from pathlib import Path

import jsonschema
import pytest

from regard import problems
from regard.errors import InvalidProblem

VALIDATOR = jsonschema.Draft202012Validator(problems.schema())  # the schema is checked once, below
GOOD = """schema = 1
id = "mine"
title = "Mine"
kind = "query"
statement = "Average $v_a$ and $v_b$."

[given]
n = 6
keys = { law = "orthonormal" }
names = { a = 0, b = 1 }

[goal]
weights = { a = 0.5, b = 0.5 }
"""


def message(text: str, **options: bool) -> str:
    with pytest.raises(InvalidProblem) as caught:
        problems.loads(text, "mine.toml", **options)
    return str(caught.value)


def test_a_file_as_the_architecture_shows_it_is_read() -> None:
    problem = problems.loads(GOOD)
    assert problem.kind == "query"
    assert problem.given.n == 6
    assert problem.given.scale == 1.0
    assert problem.goal.tolerance == 1e-3


def test_the_same_in_json_is_the_same_problem() -> None:
    problem = problems.loads(GOOD)
    text = json.dumps(problems.to_dict(problem))
    assert problems.loads(text, is_json=True) == problem


@pytest.mark.parametrize("name", problems.names())
def test_a_bundled_problem_reads_back_from_its_own_toml_and_fits_the_schema(name: str) -> None:
    problem = problems.load(name)
    assert problem.id == name
    assert problems.loads(problems.to_toml(problem)) == problem
    VALIDATOR.validate(problems.to_dict(problem))


def test_the_schema_itself_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(problems.schema())
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"schema": 1, "kind": "query"}, problems.schema())


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            'kind = "query"',
            'kind = "riddle"',
            "mine.toml: line 4: kind: 'riddle' is unknown. Use one of compute, identity, condition, "
            "query, key, heads, separator, self_attention, sequences, layers, feasibility, offset, band, moments, "
            "noise, count, gradient, symmetry, choice, code.",
        ),
        ('kind = "query"\n', "", "mine.toml: kind: it is missing. Use one of compute, "),
        ('title = "Mine"\n', "", "mine.toml: title: is missing."),
        ("n = 6\n", "", "mine.toml: line 7: given.n: is missing."),
        ("n = 6", "n = 10000000", "mine.toml: line 8: given.n: must be at most 4096, not 10000000."),
        ("n = 6", 'n = "6"', "mine.toml: line 8: given.n: must be a whole number, not text."),
        ("n = 6", "n = true", "mine.toml: line 8: given.n: must be a whole number, not true or false."),
        (
            "{ a = 0.5, b = 0.5 }",
            "{ a = 0.5, b = 0.25 }",
            "mine.toml: line 13: goal: weights must sum to 1; they sum to 0.75.",
        ),
        (
            "{ a = 0.5, b = 0.5 }",
            "{ a = 0.5, z = 0.5 }",
            "mine.toml: line 13: goal.weights: z is not among given.names (a, b).",
        ),
        (
            '{ law = "orthonormal" }',
            '{ law = "tidy" }',
            "mine.toml: line 9: given.keys: 'tidy' is unknown: use one of 'fixed', 'orthonormal', "
            "'orthogonal', 'arbitrary', 'gaussian'.",
        ),
        (
            'n = 6\nkeys = { law = "orthonormal" }',
            "keys = [[1, 0], [0, 1, 2]]",
            "mine.toml: line 8: given.keys.rows: row 2 has 3 numbers and row 1 has 2: every row must "
            "be as long as the first.",
        ),
        (
            'keys = { law = "orthonormal" }',
            "keys = [[1, 0], [0, 1]]",
            "mine.toml: line 9: given: keys: 2 rows for n = 6 keys.",
        ),
        ("a = 0, b = 1", "a = 0, b = 6", "mine.toml: line 10: given: names: b = 6 is no row of the 6 keys (from 0)."),
        ("[goal]", "[goal]\ntolerence = 0.1", "mine.toml: line 13: goal.tolerence: is no key of a problem of kind query."),
        ("$v_a$", "$\\\\input{x}$", "mine.toml: line 5: statement: the formula $\\input{x}$ cannot be typeset: "),
        ('id = "mine"', 'id = "My Problem"', "mine.toml: line 2: id: must be small letters, digits and -, not 'My Problem'."),
        ("n = 6", "n = " + "9" * 1_000_00, "mine.toml: has a number with thousands of digits."),
        ("n = 6", "n = 6.5e", "mine.toml: is not TOML: "),
        ("n = 6", "n = nan", "mine.toml: line 8: given.n: must be a whole number, not nan."),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_with_its_line(old: str, new: str, expected: str) -> None:
    assert old in GOOD
    assert message(GOOD.replace(old, new)).startswith(expected)


def test_text_that_is_not_toml_or_json_is_said_to_be_none() -> None:
    assert message("<html>").startswith("mine.toml: is not TOML: ")
    assert message("{", is_json=True).startswith("mine.toml: is not JSON: ")
    assert message("[1]", is_json=True) == (
        'mine.toml: must be a table of keys, such as {"q": "C k_a"}, and is a list alone.'
    )
    twice = message('{"a": {"n": 6, "n": 7}}', is_json=True)
    assert twice == "mine.toml: is not JSON: 'n' is there twice."
    assert message("[" * 100_000, is_json=True) == "mine.toml: is nested too deeply."


def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.toml"
    os.mkfifo(pipe)
    with pytest.raises(InvalidProblem, match=r"pipe\.toml: is no ordinary file\.$"):
        problems.load(pipe)


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    missing = tmp_path / "no.toml"
    with pytest.raises(InvalidProblem, match=r"no\.toml: no such file or directory\.$"):
        problems.load(missing)
    with pytest.raises(InvalidProblem, match=r"is a folder\. Name a file in it\.$"):
        problems.load(tmp_path)
    large = tmp_path / "large.toml"
    large.write_bytes(b"#" * 1_000_001)
    with pytest.raises(InvalidProblem, match=r"large\.toml: is larger than 1000 kB\.$"):
        problems.load(large)
    large.write_bytes(b"\xff{")
    with pytest.raises(
        InvalidProblem, match=r"is not text in UTF-8 \(byte 0\)\. Save it as UTF-8\.$"
    ):
        problems.load(large)
    with pytest.raises(InvalidProblem, match="is no name of a file"):
        problems.load("a\0b.toml")


def test_an_endless_file_is_not_read_to_its_end() -> None:
    if os.path.exists("/dev/zero"):
        with pytest.raises(InvalidProblem, match="is no ordinary file"):
            problems.load("/dev/zero")


def test_an_id_that_does_not_exist_brings_the_nearest_one() -> None:
    with pytest.raises(InvalidProblem) as caught:
        problems.load("average-two-value")
    assert str(caught.value) == (
        "average-two-value: there is neither a bundled problem nor a file of this name. "
        "Did you mean average-two-values?"
    )


def test_a_mark_before_the_text_is_no_part_of_it(tmp_path: Path) -> None:
    path = tmp_path / "marked.toml"
    path.write_bytes(b"\xef\xbb\xbf" + GOOD.encode())
    assert problems.load(path) == problems.loads(GOOD)


def test_everything_that_is_wrong_has_a_sentence_and_the_message_is_the_first() -> None:
    text = GOOD.replace("n = 6", "n = 1").replace('title = "Mine"\n', "")
    with pytest.raises(InvalidProblem) as caught:
        problems.loads(text, "mine.toml")
    assert caught.value.args == (
        "mine.toml: title: is missing.",
        "mine.toml: line 7: given.n: must be at least 2, not 1.",
    )
    assert str(caught.value) == (
        "mine.toml: title: is missing. (1 more: `regard validate` shows all.)"
    )


@pytest.mark.parametrize(
    ("covariance", "expected"),
    [
        ("alpha mu_a", "keys: covariance: must be a matrix as large as a key is long: "),
        ("beta I", "keys: covariance: beta is not declared. Declared are alpha, mu_a, mu_b."),
    ],
)
def test_a_covariance_is_a_matrix_in_declared_names(covariance: str, expected: str) -> None:
    law = f'{{ law = "gaussian", mean = {{ law = "orthonormal" }}, covariance = "{covariance}" }}'
    text = GOOD.replace('{ law = "orthonormal" }', law).replace(
        "names =", "parameters = { alpha = 1e-4 }\nnames ="
    )
    assert message(text).startswith(f"mine.toml: line 9: given: {expected}")
