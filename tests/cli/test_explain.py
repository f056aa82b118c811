"""`regard explain`: files in, every step out, and one sentence for what cannot be read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from regard.cli.explain import explain, read_numbers
from regard.errors import InvalidProblem

TOML = """
name = "Three tokens"
x = [[2, 3], [-1, 0], [1, -2]]
W_Q = [[1, 0, 2], [0, 1, -3]]
W_K = [[0, 0, -1], [-2, 0, 1]]
W_V = [[8, 0], [0, 9]]
"""

app = typer.Typer()
app.command()(explain)


def run(*arguments: str) -> str:
    result = CliRunner().invoke(
        app, list(arguments), catch_exceptions=False, env={"COLUMNS": "100"}
    )
    assert result.exit_code == 0, result.output
    return result.stdout


def wrong(*arguments: str) -> str:
    with pytest.raises(InvalidProblem) as caught:
        CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    return str(caught.value)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "numbers.toml"
    path.write_text(TOML)
    return path


def test_every_step_of_a_file_is_written_out(file: Path) -> None:
    said = run(str(file))
    for words in ("Three tokens", "Queries, keys and values", "z_31", "0.00247262", "-7.94066"):
        assert words in said


def test_digits_are_as_many_as_wanted(file: Path) -> None:
    # e^8 / (e^2 + e^8 + e^-20), by mpmath.
    assert "0.9975273768426772007690392076009" in run(str(file), "--digits", "31")


def test_a_decimal_in_a_file_is_that_decimal(tmp_path: Path) -> None:
    toml, other = tmp_path / "a.toml", tmp_path / "b.json"
    toml.write_text('x = [[0.1]]\nW_Q = [[1e-1]]\nW_K = [["1/3"]]\nW_V = [[1]]\nscale = 0.3')
    other.write_text(
        '{"X": [[0.1]], "W_Q": [[1e-1]], "W_K": [["1/3"]], "W_V": [[1]], "scale": 0.3}'
    )
    for path in (toml, other):
        found = json.loads(run(str(path), "--json"))
        assert found["exact"]["x"] == [["1/10"]]
        assert found["exact"]["scores"] == [["1/10000"]]  # 0.1 · 0.1 · 0.1/3 · 0.3
        assert found["notes"] == []


def test_every_format_is_written(file: Path, tmp_path: Path) -> None:
    beginnings = {"html": "<!DOCTYPE html>", "latex": "\\documentclass", "text": "Three tokens"}
    for form, beginning in beginnings.items():
        assert run(str(file), "--format", form).lstrip().startswith(beginning)
    for name, beginning in (
        ("a.html", "<!DOCTYPE"),
        ("a.tex", "\\documentclass"),
        ("a.txt", "Three"),
    ):
        said = run(str(file), "-o", str(tmp_path / name))
        assert name in said.replace("\n", "")
        assert (tmp_path / name).read_text().startswith(beginning)
    data = json.loads(run(str(file), "--format", "json"))
    assert data["report"]["title"] == "Three tokens"
    assert data["decimal"]["weights"][2] == ["0.00247262", "0.997527", "6.89730e-13"]


def test_scale_order_and_output_matrix_may_be_in_the_file(file: Path) -> None:
    file.write_text(TOML + 'scale = "1/sqrt(d_k)"\nis_causal = true\nW_O = [[1], [1]]\n')
    data = json.loads(run(str(file), "--json"))
    assert (data["scale"], data["is_causal"]) == ("1/√3", True)
    assert data["exact"]["outputs"][0] == ["43"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = [[1, ", "is not TOML: "),
        ("x = [[1]]\nW_Q = [[1]]", "W_K and W_V are missing. Needed are x (n, d_model), W_Q and"),
        (TOML + "W_X = 1", "'W_X' is no key of such a file. There are x, W_Q, W_K, W_V, W_O, scale,"),
        (TOML + "X = [[1]]", "has both x and X."),
        (TOML.replace("[-1, 0]", "[-1]"), "x has rows of different lengths (1, 2). Need (n, d_model)."),
        (TOML.replace("8", "9" * 10**5), "has a number with thousands of digits."),
        (TOML.replace("8", "9" * 2000), "W_V (row 1, column 1) needs more than 400 digits"),
        (TOML.replace("8", "0." + "9" * 10**5), "W_V (row 1, column 1) needs more than 400 digits"),
        (TOML.replace("8", "1e999999999"), "W_V (row 1, column 1) needs more than 400 digits"),
        (TOML.replace("8", "nan"), "W_V (row 1, column 1) must be a whole number, a fraction"),
        (TOML.replace("8", "1979-05-27"), "W_V (row 1, column 1) must be a whole number, a fraction"),
        (TOML.replace("8", "[8]"), "W_V (row 1, column 1) must be a whole number, a fraction"),
        (TOML.replace('"Three tokens"', "3"), "name must be a text of 1 to 200 characters."),
        ("{", "is not JSON: "),
        ('{"x": ' + "[" * 100_000, "is nested too deeply."),
        ("x = " + "[" * 100_000, "is nested too deeply."),
        ("a = 1\n" * 200_000, "is larger than 1000 kB."),
        (TOML + 'scale = "1/sqrt(2)"', "scale must be a whole number, a fraction"),
        (TOML + "is_causal = 1", "is_causal must be True or False. Got 1."),
    ],
    ids=lambda text: text[:30],
)  # fmt: skip
def test_a_file_that_cannot_be_used_is_one_sentence(
    text: str, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "numbers"
    path.write_text(text)
    said = wrong(str(path))
    assert said.startswith(f"{path}: {message}")
    assert "\n" not in said
    assert len(said) < 500


def test_files_that_are_not_there_or_not_text(tmp_path: Path) -> None:
    assert wrong(str(tmp_path)) == f"{tmp_path}: is a folder. Name a file in it."
    assert wrong(str(tmp_path / "no.toml")).startswith(f"{tmp_path / 'no.toml'}: no such file")
    (tmp_path / "b.json").write_bytes(b"\xff{")
    assert "is not text in UTF-8" in wrong(str(tmp_path / "b.json"))
    (tmp_path / "c.json").write_text("[1, 2]")
    assert wrong(str(tmp_path / "c.json")).endswith("c.json: must have the keys x, W_Q, W_K, W_V.")


def test_the_file_itself_is_not_written_over(file: Path) -> None:
    assert "is not written over" in wrong(str(file), "-o", str(file), "--format", "html")
    assert file.read_text() == TOML
    assert "cannot be written" in wrong(str(file), "-o", str(file.parent), "--format", "html")


def test_digits_beyond_a_thousand_are_refused(file: Path) -> None:
    assert CliRunner().invoke(app, [str(file), "--digits", "1001"]).exit_code == 2


def test_a_mark_at_the_beginning_of_a_file_is_no_part_of_it(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_bytes(b"\xef\xbb\xbf" + TOML.encode())
    assert read_numbers(path)["W_V"] == [[8, 0], [0, 9]]
