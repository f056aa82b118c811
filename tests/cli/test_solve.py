"""`regard solve`, `list`, `validate`, `schema` and `variant`, run as a person runs them."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest
from typer.testing import CliRunner

from cli.running import run
from regard import certify, problems
from regard.cli import app

EXAMPLE = """schema = 1
id = "copy-one"
title = "Copy one value"
kind = "query"
statement = "Which query copies the value $v_a$?"

[given]
keys = [[1, 0], [0, 1], [-1, -1]]
names = { a = 0 }

[goal]
weights = { a = 1.0 }
tolerance = 0.01
"""


def quick(*arguments: str) -> tuple[int, str]:
    """Run in this process, where an error of regard's own is raised."""
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    return result.exit_code, result.stdout


@pytest.fixture
def example(tmp_path: Path) -> Path:
    path = tmp_path / "mine.toml"
    path.write_text(EXAMPLE)
    return path


def test_a_file_that_a_person_wrote_is_solved_and_explained(example: Path) -> None:
    result = run("solve", str(example))
    assert (result.returncode, result.stderr) == (0, "")
    for part in ("Copy one value", "✓ solved and proved", "Why", "Proved: ", "hold"):
        assert part in result.stdout
    assert "fails" not in result.stdout


def test_json_names_status_and_answer_and_its_certificate_can_be_verified(example: Path) -> None:
    result = run("solve", str(example), "average-two-values", "--json")
    assert result.returncode == 0
    mine, bundled = json.loads(result.stdout)["solutions"]
    assert set(mine) == {"id", "source", "kind", "status", "answer", "certificate"}
    assert (mine["id"], mine["source"], mine["kind"], mine["status"]) == (
        "copy-one",
        None,
        "query",
        "proved",
    )
    assert bundled["answer"]["q"] == "C (k_a + k_b)"
    assert certify.verify(certify.Certificate.from_dict(mine["certificate"])).holds


def test_something_impossible_is_exit_code_0_and_says_so(example: Path) -> None:
    text = EXAMPLE.replace("[-1, -1]", "[2, 0]").replace("[0, 1]", "[0, 0]")  # k_a is in the middle
    example.write_text(text)
    code, out = quick("solve", str(example))
    assert code == 0
    assert "✕ impossible and proved" in out


@pytest.mark.slow  # `make run` prints the same
def test_all_prints_a_line_per_problem_a_summary_and_the_report(tmp_path: Path) -> None:
    page = tmp_path / "all.html"
    result = run("solve", "--all", "-o", str(page))
    assert result.returncode == 0, result.stderr
    lines = result.stdout.splitlines()
    names = problems.names()
    for name, line in zip(names, lines, strict=False):
        assert line.split(maxsplit=1)[0] == name
        proved = (
            "solved and proved",
            "impossible and proved",
            "computed exactly",
            "computed, proved to within rounding",
        )
        assert line.endswith((*proved, "argued in steps, tested on 20 instances"))
    summary = next(line for line in lines if line.startswith(f"{len(names)} problems in "))
    assert "undecided" not in summary
    claims = summary.split(". ")[1].split()
    assert claims[0] == claims[2]  # "N of N claims verified."
    assert lines[-1] == f"Report: {page}"
    text = page.read_text()
    assert text.startswith("<!DOCTYPE html>")
    for name in names:
        assert problems.load(name).title in text
    assert text.count("<script>") == 1  # the sliders; the others are data


@pytest.mark.parametrize(
    ("suffix", "beginning"),
    [
        ("html", "<!DOCTYPE html>"),
        ("tex", "\\documentclass"),
        ("json", "{"),
        ("txt", "Copy one value"),
    ],
)
def test_the_ending_of_the_file_chooses_the_format(
    example: Path, suffix: str, beginning: str
) -> None:
    output = example.parent / f"out.{suffix}"
    assert quick("solve", str(example), "-o", str(output))[0] == 0
    assert output.read_text().startswith(beginning)


def test_format_without_a_file_prints(example: Path) -> None:
    code, out = quick("solve", str(example), "--format", "latex")
    assert code == 0
    assert out.startswith("\\documentclass")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["solve"], "solve: name problems, or say --all. `regard list` shows their ids.\n"),
        (["solve", "--all", "copy-a-value"], "solve: name problems, or say --all. `regard list` shows their ids.\n"),
        (
            ["solve", "copy-a-valu"],
            "copy-a-valu: there is neither a bundled problem nor a file of this name. Did you mean copy-a-value?\n",
        ),
        (["solve", "nowhere.toml"], "nowhere.toml: no such file or directory.\n"),
        (
            ["solve", "copy-a-value", "-o", "x.xyz"],
            "-o x.xyz: use one of the endings .html, .tex, .json, .pdf, .txt, or say --format.\n",
        ),
        (["validate", "nowhere.toml"], "nowhere.toml: no such file or directory.\n"),
        (["variant", "copy-a-value", "--seed", "-1"], "--seed must be 0 or more. Got -1.\n"),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_one_sentence_and_exit_code_2(
    arguments: list[str], message: str
) -> None:
    result = run(*arguments)
    assert (result.returncode, result.stdout, result.stderr) == (2, "", message)


def test_a_file_that_cannot_be_written_is_exit_code_2(example: Path) -> None:
    result = run("solve", str(example), "-o", str(example / "x.html"))
    assert result.returncode == 2
    assert "cannot be written" in result.stderr


def test_list_names_every_problem_once() -> None:
    code, out = quick("list", "--json")
    assert code == 0
    assert [row["id"] for row in json.loads(out)["problems"]] == list(problems.names())
    assert "average-two-values" in quick("list")[1]


def test_the_schema_that_is_printed_accepts_problems_and_refuses_others() -> None:
    code, out = quick("schema")
    assert code == 0
    schema = json.loads(out)
    jsonschema.validate(problems.to_dict(problems.load("copy-a-value")), schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"kind": "query"}, schema)


def test_validate_says_what_a_file_is_and_what_comes_of_it(example: Path) -> None:
    code, out = quick("validate", str(example))
    assert code == 0
    assert out.startswith(f"{example}: a query problem, solved and proved.\n  q = ")
    code, out = quick("validate", str(example), "--json")
    assert json.loads(out) == {"id": "copy-one", "kind": "query", "status": "proved"}


def test_validate_names_the_line_of_what_is_wrong(example: Path) -> None:
    example.write_text(EXAMPLE.replace("a = 1.0", "a = 0.9"))
    result = run("validate", str(example))
    assert result.returncode == 2
    assert result.stderr == f"{example}: line 12: goal: weights must sum to 1; they sum to 0.9.\n"


def test_a_variant_of_ones_own_problem_says_that_its_numbers_count(example: Path) -> None:
    code, out = quick("variant", str(example), "--seed", "1")
    assert code == 0
    assert "those of this file count" in out


def test_a_variant_is_a_file_that_can_be_solved_and_is_the_same_each_time(tmp_path: Path) -> None:
    code, first = quick("variant", "average-two-values", "--seed", "7")
    assert code == 0
    assert quick("variant", "average-two-values", "--seed", "7")[1] == first
    assert quick("variant", "average-two-values", "--seed", "8")[1] != first
    path = tmp_path / "seven.toml"
    code, out = quick("variant", "average-two-values", "--seed", "7", "-o", str(path))
    assert (code, out) == (0, f"{path}\n")
    assert path.read_text().rstrip("\n") == first.rstrip("\n")
    assert problems.load(path).id == "average-two-values-7"
    assert quick("validate", str(path))[0] == 0


def test_what_only_shows_when_it_is_solved_names_the_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(
        'schema = 1\nid = "other"\ntitle = "Mine"\nkind = "noise"\nstatement = "Mine."\n[given]\n'
        'n = 3\nnames = { a = 2 }\nqueries = ["C mu_a"]\n'
        'parameters = { alpha = 1e-4, C = 10 }\nlimits = ["alpha -> 0", "C -> inf"]\n'
        'keys = { law = "gaussian", mean = { law = "orthonormal" }, covariance = { '
        'a = "(alpha - 1e-5) I", others = "alpha I" } }\n[goal]\nfind = ["mean"]\n'
    )
    result = run("solve", str(file))
    assert result.returncode == 2
    assert result.stderr == (
        f"{file}: given.keys: covariance: that of key a is not symmetric and positive semidefinite "
        "in the limits given.\n"
    )


def test_a_collection_is_solved_under_its_title(tmp_path: Path) -> None:
    page = tmp_path / "solved.txt"
    assert run("solve", "ece537-ps9", "-o", str(page)).returncode == 0
    text = page.read_text()
    assert text.startswith("ECE 537, problem set 9: heads that look back, solved\n")
    for title in ("Look back exactly T steps", "Look back roughly T steps"):
        assert title in text


def test_list_groups_by_collection_and_takes_names() -> None:
    lines = run("list").stdout.splitlines()
    assert lines[0] == "ece537-ps9  ECE 537, problem set 9: heads that look back"
    assert any(line.split()[:2] == ["(b)", "average-two-values"] for line in lines)
    one = json.loads(run("list", "discussion-10", "--json").stdout)
    assert [c["name"] for c in one["collections"]] == ["discussion-10"]
    assert len(one["problems"]) == len(one["collections"][0]["parts"]) == 9
    wrong = run("list", "discusion-10")
    assert wrong.returncode == 2
    assert "Did you mean discussion-10?" in wrong.stderr


def test_list_finds_problems_by_words() -> None:
    code, out = quick("list", "rotary", "positions")
    assert code == 0
    assert "regard show rotary-in-numbers" in out
    assert "copy-a-value" not in out
    found = json.loads(quick("list", "categorical distribution", "--json")[1])
    assert found["problems"][0]["id"] == "weights-are-a-distribution"
    assert run("list", "xyzzy").returncode == 2


@pytest.mark.parametrize("verb", ["show", "hint"])
def test_a_collection_is_no_question(verb: str) -> None:
    result = run(verb, "cs114b-hw4")
    assert result.returncode == 2
    assert f"regard {verb} copy-a-value" in result.stderr
    assert "a collection of 8 problems" in result.stderr


def test_the_page_of_a_collection_is_an_index_by_theme_that_opens_to_each_part(
    tmp_path: Path,
) -> None:
    page = tmp_path / "ps9.html"
    assert run("solve", "ece537-ps9", "-o", str(page)).returncode == 0
    text = page.read_text("utf-8")
    root = ElementTree.fromstring(text.removeprefix("<!DOCTYPE html>\n"))
    themes = [e for e in root.iter("section") if e.get("class") == "regard-theme"]
    assert [
        ["".join(h.itertext()) for h in theme.iter() if h.tag in ("h2", "h3")] for theme in themes
    ] == [
        ["Looking back", "Look back exactly T steps", "Look back roughly T steps"],
        ["Noise from positions", "How much positions disturb a match of contents"],
    ]
    for theme in themes:
        for fold in (row.find("details") for row in theme.iter("li") if row.find("details")):
            assert fold is not None
            assert fold.get("open") is None
            row = fold[0]
            assert "Proved" in "".join(row.itertext())
            assert row.find(".//svg") is not None
            assert problems.load(fold[1].get("id") or "").title in "".join(row.itertext())
    cards = [e for e in root.iter("ul") if e.get("class") == "regard-cards"]
    assert len(cards[0]) == 4


def test_the_page_of_checked_answers_is_an_index_by_theme(tmp_path: Path) -> None:
    answers, page = tmp_path / "answers.toml", tmp_path / "checked.html"
    answers.write_text('[b]\nq = "k_a + k_b"\n[c-i]\nq = "C (mu_a +"\n')
    assert run("check", "cs114b-hw4", str(answers), "-o", str(page)).returncode == 2
    root = ElementTree.fromstring(page.read_text("utf-8").removeprefix("<!DOCTYPE html>\n"))
    rows = {
        "".join(e.itertext()): row
        for row in root.iter("li")
        for e in row.iter("span")
        if e.get("class") == "regard-part-label"
    }
    said = {
        label: ["".join(e.itertext()) for e in row.iter() if "regard-outcome" in e.get("class", "")]
        for label, row in rows.items()
    }
    assert said["(b)"] == ["✕ Not right: 0%"]
    assert said["(c-i)"] == ["✕ Cannot be read"]
    assert said["(e-ii)"] == ["○ Not handed in"]
    assert rows["(b)"].find("details/article[@id='average-two-values']") is not None
    assert rows["(e-ii)"].find("details") is None


def test_the_table_of_a_collection_names_its_parts(tmp_path: Path) -> None:
    article = tmp_path / "ps9.tex"
    run("solve", "ece537-ps9", "-o", str(article))
    text = article.read_text("utf-8")
    assert "864f93c6" not in text
    assert "(a) Look back exactly" in text
