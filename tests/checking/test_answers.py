"""Answers: read from files, texts and dicts, or refused with a sentence."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from regard.checking import Answer, check, read
from regard.checking.answer_reading import loads
from regard.errors import InvalidAnswer
from regard.language import Formula, parse

ANSWER = 'problem = "average-two-values"\n[answer]\nq = "C (k_a + k_b)"\nC = 20\n'


def test_a_file_in_toml_or_json_is_read(tmp_path: Path) -> None:
    toml, json = tmp_path / "a.toml", tmp_path / "a.json"
    toml.write_text(ANSWER)
    json.write_text('{"answer": {"q": "C (k_a + k_b)", "C": 20}}')
    assert read(toml).problem == "average-two-values"
    assert read(str(json)).problem is None
    for path in (toml, json):
        assert read(path).fields == {"q": parse("C (k_a + k_b)"), "C": 20.0}
        assert check("average-two-values", path).right


def test_an_answer_to_another_problem_is_refused() -> None:
    with pytest.raises(InvalidAnswer) as caught:
        check("exact-average", loads(ANSWER))
    assert str(caught.value) == (
        "check: the answer is to 'average-two-values', and the problem is 'exact-average'."
    )


def test_fields_are_formulas_numbers_arrays_and_tables() -> None:
    found = read(
        {
            "f": "a + b", "i": 3, "x": 0.5, "t": True, "v": [1, 2], "m": [[1, 2], [3, 4]],
            "np": np.eye(2), "zero": np.array(2.0), "b": np.True_, "one": np.float32(0.5),
            "atoms": [{"value": "v_a", "probability": "1/2"}], "huge": 10**400, "g": parse("x"),
        }
    )  # fmt: skip
    fields = found.fields
    assert isinstance(fields["f"], Formula)
    assert (fields["i"], fields["x"], fields["t"], fields["zero"]) == (3.0, 0.5, True, 2.0)
    assert (fields["b"], fields["one"], fields["huge"], fields["g"]) == (
        True,
        0.5,
        np.inf,
        parse("x"),
    )
    np.testing.assert_array_equal(fields["v"], [1.0, 2.0])
    np.testing.assert_array_equal(fields["m"], [[1, 2], [3, 4]])
    np.testing.assert_array_equal(fields["np"], np.eye(2))
    assert fields["atoms"] == [{"value": parse("v_a"), "probability": parse("1/2")}]
    assert read(found) is found


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (3, "check: answer must be a file or a dict of fields. Got int."),
        ({"answer": 3}, "answer: must be a table of fields."),
        ({"answer": {}, "note": 1}, "answer: 'note' does not belong beside [answer]."),
        ({"problem": 3, "answer": {}}, "answer: problem must be the id of a problem."),
        ({"q": None}, "answer: q is empty: write what belongs there, or leave it out."),
        ({"q": b"k_a"}, 'answer: q: cannot read bytes. Write the formula as text, such as "1/2 (x + y)".'),
        ({"q": 1j}, 'answer: q: cannot read complex. Write the formula as text, such as "1/2 (x + y)".'),
        ({"q": [[1], [2, 3]]}, "answer: q: its rows are of different lengths: row 1 has 1 and row 2 has 2. Write every entry, zeros too."),
        ({"q": [0] * 100_001}, "answer: q: has more than 100000 entries."),
        ({"q": range(10**9)}, "answer: q: has more than 100000 entries."),
        ({"": "k_a"}, "answer: '' is no name: use letters, digits and _, from a letter on."),
        ({"q\x1b[2J": 1}, "answer: 'q\\x1b[2J' is no name: use letters, digits and _, from a letter on."),
        ({3: 1}, "answer: '3' is no name: use letters, digits and _, from a letter on."),
        ({"q": {"a b": 1}}, "answer: 'a b' is no name: use letters, digits and _, from a letter on."),
        ({"q": "k_a +"}, "answer: q: The formula ends after +, where a value must follow.\n  k_a +\n       ^"),
    ],
    ids=lambda value: str(value)[:40],
)  # fmt: skip
def test_what_cannot_be_read_is_said(answer: Any, message: str) -> None:
    with pytest.raises(InvalidAnswer) as caught:
        read(answer)
    assert str(caught.value) == message


def test_lists_that_are_nested_deeply_are_refused() -> None:
    deep: Any = 1.0
    for _ in range(900):
        deep = [deep]
    with pytest.raises(InvalidAnswer) as caught:
        read({"q": deep})
    assert str(caught.value) == "answer: q: is nested too deeply."


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"q\xff", "is not text in UTF-8 (byte 1). Save it as UTF-8."),
        (b"\xff\xfeq", "is not text in UTF-16 (byte 2). Save it as UTF-8."),
        (
            b"q = ",
            "is not TOML: Invalid value (at end of document). "
            "A formula stands in quotes: q = 'C (k_a + k_b)'.",
        ),
        (b"[answer]\nq = '" + b"x" * 1_000_000 + b"'", "is larger than 1000 kB."),
    ],
    ids=("bytes", "wide", "toml", "large"),
)
def test_files_that_cannot_be_read_are_named(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "a.toml"
    path.write_bytes(content)
    with pytest.raises(InvalidAnswer) as caught:
        read(path)
    assert str(caught.value) == f"{path}: {message}"


def test_fields_are_asked_for_by_name() -> None:
    answer = Answer({"q": parse("2 x"), "C": 3.0})
    assert answer.need("Q", "q") == parse("2 x")
    assert answer.value("q", {"x": 2.0}) == 4.0
    assert answer.has("C")
    answer.only("q", "C")
    with pytest.raises(InvalidAnswer) as caught:
        answer.only("q")
    assert str(caught.value) == "answer: C is no field of this kind of problem: use q."
    with pytest.raises(InvalidAnswer) as caught:
        answer.need("M")
    assert str(caught.value) == "answer: M is missing. Got q, C."


@pytest.mark.parametrize(
    ("q", "hint"),
    [
        ("C (ka + kb)", "ka is not a name in this problem. Is k_a meant? Declared"),
        (
            "C (k_a + k_b) with C huge",
            "A field holds a formula, without words. A factor that may be",
        ),
        ("C k_a + t k_b", "A factor that may be as large as one likes is called C."),
    ],
)
def test_a_name_that_is_not_declared_is_answered_with_the_one_that_is_meant(
    q: str, hint: str
) -> None:
    with pytest.raises(InvalidAnswer) as error:
        check("average-two-values", {"q": q})
    assert hint in str(error.value)


def test_the_formulas_behind_a_field_are_found_through_the_names_it_declares() -> None:
    answer = read({"M": "2 P", "P": "S G S'", "G": "S' S", "x": "T + y", "y": 3.0})
    assert {str(formula) for formula in answer.behind("M")} == {"2 P", "S G S'", "S' S"}
    assert answer.behind("y") == []
    assert answer.beside("M", "x") == ("P", "G", "y")
    assert answer.used == {"P", "S", "G", "T", "y"}


def test_names_that_go_round_in_a_circle_are_looked_at_once() -> None:
    assert len(read({"a": "b + 1", "b": "a + 1"}).behind("a")) == 2


def test_two_matrices_without_a_space_are_their_product() -> None:
    assert check("scores-as-a-product", {"Z": "QK^T"}).right
    assert not check("scores-as-a-product", {"Z": "KQ^T"}).right


def test_an_answer_that_is_no_formula_says_which_field_and_where() -> None:
    with pytest.raises(InvalidAnswer) as caught:
        check("average-two-values", {"q": "k_a +"})
    error = caught.value
    assert (error.field, error.formula.text, error.formula.column) == ("q", "k_a +", 5)
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), copy.field, copy.formula.reason) == (str(error), "q", error.formula.reason)


def test_an_answer_with_a_field_missing_blames_no_formula() -> None:
    with pytest.raises(InvalidAnswer) as caught:
        check("average-two-values", {})
    assert (caught.value.field, caught.value.formula) == ("", None)
