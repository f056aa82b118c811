r"""Answers in one line, LaTeX that lost its backslashes, numbers with commas, words parted by a shell."""

from __future__ import annotations

from pathlib import Path

import pytest

import regard
from cli.running import run
from regard.checking.answer_reading import read
from regard.checking.typed.fixes import _plain_numbers
from regard.checking.typed.formulas import as_typed
from regard.checking.typed.lost_backslashes import with_backslashes
from regard.errors import InvalidAnswer


@pytest.mark.parametrize(
    ("problem", "text", "score"),
    [
        ("average-two-values", 'q="C (k_a + k_b)"', 1.0),
        ("average-two-values", "q ≈ C (k_a + k_b)", 1.0),
        ("average-two-values", "`C (k_a + k_b)`", 1.0),
        ("average-two-values", "C (k_a + k_b), C = 20", 1.0),
        ("average-two-values", "C (k_a + k_b), C = 2", 0.0),
        ("average-two-values", "q = k_a + k_b", 0.0),
        ("two-heads-average", "q_1 = C mu_a, q_2 = C mu_b", 1.0),
        ("two-heads-average", "q_1 = C mu_a, q_2 = C mu_a", 0.0),
        ("take-a-value-out-of-a-sum", "M = S pinv(S)", 1.0),
        ("take-a-value-out-of-a-sum", "M = T pinv(T)", 0.0),
        ("copy-a-value", "condition = s_j >= s_i + 20", 1.0),
        ("copy-a-value", "s_j >= s_i + 2", 0.0),
    ],
)
def test_a_line_is_read_in_python_as_on_the_command_line(
    problem: str, text: str, score: float
) -> None:
    assert (regard.check(problem, text).score == 1.0) == (score == 1.0)
    assert run("check", problem, text).returncode == int(score != 1.0)


@pytest.mark.parametrize(
    ("lost", "meant"),
    [
        ("\beta (k_a + k_b)", r"\beta (k_a + k_b)"),
        ("\frac{1}{2} k_a", r"\frac{1}{2} k_a"),
        ("S S^\top", r"S S^\top"),
        ("2 \times \vec{k}_a", r"2 \times \vec{k}_a"),
        ("a \neq b", r"a \neq b"),
        ("u_b u_d'\n+ e", "u_b u_d'\n+ e"),
        ("u_b u_d' +\nu_a u_a'", "u_b u_d' +\nu_a u_a'"),
        ("k_a\x08", "k_a\x08"),
        ("q=\x07k_a", "q=\x07k_a"),
    ],
)
def test_a_command_gets_its_backslash_back_and_nothing_else_does(lost: str, meant: str) -> None:
    assert with_backslashes(lost) == meant


def test_an_answer_whose_latex_lost_its_backslash_is_judged_as_it_was_meant() -> None:
    assert regard.check("average-two-values", {"q": "\beta (k_a + k_b)"}).right
    assert not regard.check("average-two-values", {"q": "\frac{1}{2} (k_a + k_b)"}).right


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("<u, v> + 1", "dot(u, v) + 1"),
        ("s_i < 3, s_j > 2", "s_i < 3, s_j > 2"),
        ("2 <u, v> > 1", "2 <u, v> > 1"),
        ("A %*% t(B)", "A  @  (B)'"),
        ("2 t(B)", "2 t(B)"),
        ("K⊤ q", "K' q"),
        ("K^⊤ q", "K^⊤ q"),
        ("[.5 .25; 1 0]", "[.5, .25; 1, 0]"),
        ("C k_a, where C tends to infinity", "C k_a"),
        ("'k_a' + 'k_b'", "'k_a' + 'k_b'"),
    ],
)
def test_habits_are_read_only_where_they_can_mean_nothing_else(text: str, plain: str) -> None:
    assert as_typed(text) == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("1.000,5 k", "1000.5 k"),
        ("1.048.576", "1048576"),
        ("1,05e6", "1.05e6"),
        ("[1,5 0,5 2]", "[1.5, 0.5, 2]"),
        ("0,5 (v_a + v_b)", "0.5 (v_a + v_b)"),
        ("[1, 2]", "[1, 2]"),
        ("max(1,2) x", "max(1,2) x"),
        ("1.048", "1.048"),
    ],
)
def test_commas_that_are_points_are_shown_as_points(text: str, plain: str) -> None:
    assert _plain_numbers(text) == plain


def test_files_in_the_place_of_a_star_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.txt", "notes.md"):
        (tmp_path / name).write_text("")
    result = run("check", "average-two-values", "C", "a.txt", "notes.md", "(k_a + k_b)")
    assert (result.returncode, result.stderr) == (
        2,
        "'C': the shell has put names of files in the place of a *. Put quotes around the answer: "
        '"C * (k_a + k_b)"\n',
    )


def test_a_file_of_windows_in_two_bytes_is_read_and_json_in_any_file(tmp_path: Path) -> None:
    wide, other = tmp_path / "wide.toml", tmp_path / "json.toml"
    wide.write_bytes('q = "C (k_a + k_b)"'.encode("utf-16"))
    other.write_text('{"q": "C (k_a + k_b)"}')
    assert regard.check("average-two-values", wide).right
    assert regard.check("average-two-values", other).right
    other.write_text('{"q": }')
    with pytest.raises(InvalidAnswer, match="is not JSON"):
        read(other)
