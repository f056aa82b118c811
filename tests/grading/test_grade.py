"""A class graded: honest hand-ins as `regard.check` judges them, hostile ones as rows."""

from __future__ import annotations

import csv
import io
import json
import random
from pathlib import Path

import pytest

import regard
from grading.classroom import HOSTILE, PROBLEM, all_files, honest, hostile, rows_of
from regard.errors import InvalidAnswer, InvalidProblem, ParameterError
from regard.grading import Grades, grade

Graded = tuple[Path, Path, dict[str, str], Grades]

HONEST = 24


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Graded:
    folder, out = tmp_path_factory.mktemp("class"), tmp_path_factory.mktemp("grades")
    expected = honest(folder, HONEST)
    hostile(folder)
    return folder, out, expected, grade(PROBLEM, folder, out, workers=2)


def test_honest_answers_are_graded_as_if_there_were_no_others(graded: Graded) -> None:
    folder, _, expected, grades = graded
    rows = {row.student: row for row in grades.rows}
    for student, words in expected.items():
        assert rows[student].verdict == words, student
        path = folder / f"{student}.toml"
        path = path if path.exists() else folder / student / "answer.toml"
        try:
            verdict = regard.check(PROBLEM, path)
        except InvalidAnswer:
            assert rows[student].score == 0
            continue
        assert rows[student].score == verdict.score
        assert rows[student].tag == (verdict.misconception.tag if verdict.misconception else "")


def test_every_hostile_hand_in_is_a_row_that_is_not_right(graded: Graded) -> None:
    _, _, expected, grades = graded
    others = [row for row in grades.rows if row.student not in expected]
    assert len(others) == len(HOSTILE) + 1
    assert {row.verdict for row in others} <= {"wrong", "unreadable"}


@pytest.mark.parametrize(
    ("student", "message"),
    [
        ("fork-bomb", "the file: is code, and no problem that is asked here wants code."),
        ("zip-bomb", "the file: q.npy unpacks to 24000074 bytes: too many."),
        ("huge-shape", "the file: q.npy: its header claims a shape (1000000000,) that does not"),
        ("huge-header", "the file: q.npy: its header claims 4294967295 bytes."),
        ("pickled", "the file: q.npy: holds '|O', and only <f4, <f8, <i4, <i8, |b1 are read."),
        ("path-inside", "the file: '../../etc/cron.npy' is no name of an array in it"),
        ("link-out", "the file: is a link, and links are not followed."),
        ("link-to-folder", "the file: is a link, and links are not followed."),
        ("fifo", "the file: is no ordinary file."),
        ("device", "the file: is no ordinary file."),
        ("dotted", "the file: has a key with more than 50 dots."),
        ("hundred-megabytes", "the file: is larger than 1 MB."),
        ("mine", "the file: is no answer file: its name must end in .toml, .json"),
        ("not-utf8", "the file: is not text in UTF-8 (byte 5)."),
    ],
)
def test_the_table_says_what_is_wrong_with_a_file(
    graded: Graded, student: str, message: str
) -> None:
    row = next(row for row in graded[3].rows if row.student == student)
    assert row.message.startswith(message)
    assert row.verdict == "unreadable"


def test_the_table_has_its_columns_and_is_sorted(graded: Graded) -> None:
    _, out, _, grades = graded
    text = (out / "grades.csv").read_text("utf-8")
    assert text.splitlines()[0] == "student,problem,score,verdict,tag,message"
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == len(grades.rows) == HONEST + len(HOSTILE) + 1
    names = [row.student for row in grades.rows]
    assert names == sorted(names)
    assert [row["student"].removeprefix("'") for row in rows] == names


def test_no_cell_begins_a_formula_or_holds_a_control_character(graded: Graded) -> None:
    text = (graded[1] / "grades.csv").read_text("utf-8")
    for row in csv.reader(io.StringIO(text)):
        for cell in row:
            assert not cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n", "＝"))
            assert all(c.isprintable() for c in cell), cell
    students = [row[0] for row in csv.reader(io.StringIO(text))]
    assert {"'=1+1", "'@SUM(A1:A9)", "'0012", "'1e5"} <= set(students)


def test_pages_carry_no_script_and_their_names_no_path(graded: Graded) -> None:
    _, out, _, grades = graded
    pages = sorted((out / "feedback").iterdir())
    assert len(pages) == len(grades.rows)
    assert (out / "feedback" / "student0000.html") in pages
    for page in [*pages, out / "overview.html"]:
        assert all(c.isascii() and (c.isalnum() or c in "-_.") for c in page.name)
        text = page.read_text("utf-8")
        assert "<script" not in text
        assert "<img" not in text
        assert "\x1b" not in text
        assert "default-src 'none'" in text


def test_dollars_in_a_name_are_no_formula(graded: Graded) -> None:
    (page,) = (graded[1] / "feedback").glob("x-2-*.html")
    assert "$x^2$" in page.read_text("utf-8")


def test_the_number_of_workers_changes_no_byte(graded: Graded, tmp_path: Path) -> None:
    folder, out, _, _ = graded
    grade(PROBLEM, folder, tmp_path / "one", workers=1)
    assert all_files(tmp_path / "one") == all_files(out)


def test_the_order_changes_no_verdict(graded: Graded, tmp_path: Path) -> None:
    folder, _, expected, grades = graded
    names = list(expected)
    random.Random(5).shuffle(names)
    other = tmp_path / "class"
    other.mkdir()
    for new, old in enumerate(names):
        path = folder / f"{old}.toml"
        path = path if path.exists() else folder / old / "answer.toml"
        (other / f"{new:04d}x.toml").write_bytes(path.read_bytes())
    again = grade(PROBLEM, other, tmp_path / "grades", workers=2)
    before = {row.student: (row.score, row.verdict, row.tag) for row in grades.rows}
    for new, old in enumerate(names):
        row = again.rows[new]
        assert row.student == f"{new:04d}x"
        assert (row.score, row.verdict, row.tag) == before[old]


def test_the_overview_counts(graded: Graded) -> None:
    _, out, expected, grades = graded
    (found,) = grades.overview.problems
    right = sum(words == "right" for words in expected.values())
    assert found.verdicts["right"] == right
    assert sum(found.verdicts.values()) == len(grades.rows)
    assert found.goals[0].goal == "k_a and k_b get half the weight each"
    assert found.goals[0].reached == right
    tags = {tag.tag: tag.count for tag in found.tags}
    by_hand = [row.tag for row in grades.rows if row.tag]
    assert tags["no-large-scale"] == by_hand.count("no-large-scale") >= 2
    assert json.loads((out / "grades.json").read_text())["overview"]["students"] == len(grades.rows)


def test_a_borderline_answer_is_judged_again_with_the_tolerance_moved(tmp_path: Path) -> None:
    # With C = 6.5 the weights are 1/(2 + 4 e^-6.5) = 0.4985, off by 0.0015: within a factor of two.
    folder = tmp_path / "class"
    folder.mkdir()
    (folder / "near.toml").write_text('q = "6.5 (k_a + k_b)"')
    (folder / "far.toml").write_text('q = "3 (k_a + k_b)"')
    (one,) = grade(PROBLEM, folder, tmp_path / "out", workers=1).overview.problems[0].borderline
    assert (one.student, one.tolerance, one.score, one.half) == ("near", 1e-3, 0, 0)
    assert one.error == pytest.approx(0.5 - 1 / (2 + 4 * 2.718281828459045**-6.5), rel=1e-9)
    assert one.twice == 1
    assert "near" in (tmp_path / "out" / "overview.html").read_text()


def test_answers_that_differ_in_names_only_are_found(tmp_path: Path) -> None:
    folder = tmp_path / "class"
    folder.mkdir()
    (folder / "a.toml").write_text('q = "beta (k_a + k_b)"\nbeta = 20')
    (folder / "b.json").write_text('{"g": 20, "q": "g  (k_a+k_b)"}')
    (folder / "c.toml").write_text('q = "beta (k_a + k_b)"\nbeta = 21')
    (same,) = grade(PROBLEM, folder, tmp_path / "out", workers=1).overview.problems[0].same
    assert same.students == ("a", "b")
    page = (tmp_path / "out" / "overview.html").read_text("utf-8")
    assert "<mi>β</mi>" in page  # the answer is typeset, not as it was typed
    assert "beta (k_a" not in page


def test_the_overview_shows_the_spread_of_scores_only_where_there_is_one(tmp_path: Path) -> None:
    folder = tmp_path / "class"
    folder.mkdir()
    (folder / "a.toml").write_text('q = "C (k_a + k_b)"')
    (folder / "b.toml").write_text('q = "C (k_a + "')
    grade(PROBLEM, folder, tmp_path / "out", workers=1)
    page = (tmp_path / "out" / "overview.html").read_text("utf-8")
    assert "How many students have which score" not in page
    assert "never closed: ) is missing. C (k_a +</td>" in page  # no ^ below a place
    (folder / "c.toml").write_text('q_1 = "C mu_a"\nq_2 = "C mu_b"\nproblem = "two-heads-average"')
    (folder / "a").mkdir()
    both = [PROBLEM, "two-heads-average"]
    grade(both, folder, tmp_path / "both", workers=1)
    page = (tmp_path / "both" / "overview.html").read_text("utf-8")
    assert "How many students have which score" in page


def test_several_problems_in_every_way_that_an_answer_can_name_its_own(tmp_path: Path) -> None:
    folder = tmp_path / "class"
    folder.mkdir()
    (folder / "files").mkdir()
    (folder / "files" / "one.toml").write_text(
        f'problem = "{PROBLEM}"\n[answer]\nq = "C (k_a+k_b)"'
    )
    (folder / "files" / "two-heads-average.json").write_text('{"q_1": "C mu_a", "q_2": "C mu_b"}')
    (folder / "sheet.toml").write_text(
        f'[{PROBLEM}]\nq = "C (k_a+k_b)"\n[two-heads-average]\nq_1 = "C mu_a"\nq_2 = "C mu_a"'
    )
    (folder / "lost.toml").write_text('q = "C (k_a+k_b)"')
    (folder / "twice").mkdir()
    for name in "ab":
        (folder / "twice" / f"{name}.toml").write_text(
            f'problem = "{PROBLEM}"\n[answer]\nq = "k_a"'
        )
    found = grade([PROBLEM, "two-heads-average"], folder, tmp_path / "out", workers=1).rows
    told = {(row.student, row.problem): (row.verdict, row.message) for row in found}
    assert len(told) == 8
    assert told["files", PROBLEM][0] == told["files", "two-heads-average"][0] == "right"
    assert told["sheet", PROBLEM][0] == "right"
    assert told["sheet", "two-heads-average"][0] == "wrong"
    assert told["lost", PROBLEM][1].startswith("the file: does not say which problem it answers")
    assert told["twice", PROBLEM] == ("unreadable", "It is answered twice: in a.toml and b.toml.")
    assert told["twice", "two-heads-average"] == ("missing", "Nothing was handed in.")


def test_a_sheet_for_a_collection_is_graded_part_by_part(tmp_path: Path) -> None:
    folder = tmp_path / "class"
    folder.mkdir()
    sheet = '[b]\nq = "C (k_a + k_b)"\n'
    (folder / "ann.toml").write_text(sheet)
    rows = grade("cs114b-hw4", folder, tmp_path / "out", workers=1).rows
    parts = regard.problems.collection("cs114b-hw4").parts
    assert {row.problem for row in rows} == {part.problem for part in parts}
    verdicts = {row.problem: row.verdict for row in rows}
    assert verdicts.pop(PROBLEM) == "right"
    assert set(verdicts.values()) == {"missing"}


def test_a_file_that_changed_is_graded_again_and_others_are_not(tmp_path: Path) -> None:
    folder, out = tmp_path / "class", tmp_path / "out"
    folder.mkdir()
    (folder / "a.toml").write_text('q = "k_a"')
    (folder / "b.toml").write_text('q = "k_b"')
    grade(PROBLEM, folder, out, workers=1)
    lines = (out / "progress.jsonl").read_bytes()
    (folder / "a.toml").write_text('q = "C (k_a + k_b)"')
    rows = grade(PROBLEM, folder, out, workers=1).rows
    assert [row.verdict for row in rows] == ["right", "wrong"]
    now = (out / "progress.jsonl").read_bytes()
    assert now.startswith(lines)
    assert now.count(b"\n") == 3


def test_each_student_has_the_variant_of_a_seed_out_of_the_name(tmp_path: Path) -> None:
    folder = tmp_path / "class"
    folder.mkdir()
    seed = 220207  # of alice: the first 8 bytes of the SHA-256 of the name, modulo a million
    drawn = regard.solving.variant(regard.problems.load("worked-scores"), seed)
    right = regard.solve(drawn).to_dict()["answer"]
    wrong = regard.solve("worked-scores").to_dict()["answer"]
    (folder / "alice.json").write_text(json.dumps({"problem": drawn.id, "answer": right}))
    (folder / "bob.json").write_text(json.dumps({"problem": "worked-scores", "answer": wrong}))
    rows = grade("worked-scores", folder, tmp_path / "out", workers=1, variant_by="student").rows
    assert [(row.student, row.verdict) for row in rows] == [("alice", "right"), ("bob", "wrong")]
    assert rows[0].seed == seed
    assert "regard variant worked-scores --seed 220207" in (
        tmp_path / "out" / "feedback" / "alice.html"
    ).read_text("utf-8")


def test_points_of_the_problem_file_make_the_score(tmp_path: Path) -> None:
    folder = tmp_path / "class"
    folder.mkdir()
    data = regard.problems.to_dict(regard.problems.load("worked-weighted-sum"))
    problem = regard.problems.from_dict({**data, "points": {"a_3": 3, "c_3": 1}})
    answer = {"a_3": [0.00247, 0.99753, 6.9e-13], "c_3": [1, 2]}
    (folder / "ann.json").write_text(json.dumps(answer))
    (row,) = grade(problem, folder, tmp_path / "out", workers=1).rows
    assert row.score == regard.check(problem, answer).score == 0.75
    assert rows_of(tmp_path / "out")[0]["points"] == [
        {"goal": "a_3", "earned": 3, "of": 3},
        {"goal": "c_3", "earned": 0, "of": 1},
    ]


def test_what_cannot_be_used_is_said_before_anything_is_written(tmp_path: Path) -> None:
    folder = tmp_path / "class"
    with pytest.raises(ParameterError, match=r"folder must be a folder.*no such file"):
        grade(PROBLEM, folder, tmp_path / "out", workers=1)
    folder.mkdir()
    with pytest.raises(ParameterError, match="holds none"):
        grade(PROBLEM, folder, tmp_path / "out", workers=1)
    (folder / "a.toml").write_text('q = "k_a"')
    with pytest.raises(ParameterError, match="out must lie outside"):
        grade(PROBLEM, folder, folder / "out")
    with pytest.raises(
        ParameterError, match=r"workers must be a whole number from 1 to 256. Got 0"
    ):
        grade(PROBLEM, folder, tmp_path / "out", workers=0)
    with pytest.raises(ParameterError, match='variant_by must be "student" or None'):
        grade(PROBLEM, folder, tmp_path / "out", workers=1, variant_by="name")
    with pytest.raises(InvalidProblem, match="no-such-problem: there is neither"):
        grade("no-such-problem", folder, tmp_path / "out", workers=1)
    with pytest.raises(InvalidProblem, match="name at least one problem"):
        grade([], folder, tmp_path / "out", workers=1)
    assert not (tmp_path / "out").exists()


DRAWN = """schema = 1
id = "two-of-many"
title = "Two of {{n}}"
kind = "query"
vary = { n = "5..12", weights = "simplex(2, 0.1)" }
statement = "Of {{n}} keys $k_a$ gets {{w_a}}."
given = { n = 6, keys = { law = "orthonormal" }, names = { a = 0, b = 1 } }
goal = { weights = { a = 0.7, b = 0.3 } }
"""


def test_the_text_that_a_student_is_shown_has_the_numbers_that_were_judged(tmp_path: Path) -> None:
    asked, folder = tmp_path / "two.toml", tmp_path / "class"
    asked.write_text(DRAWN)
    folder.mkdir()
    for student, seed in (("ann", 7), ("bea", 8)):
        (folder / f"{student}.toml").write_text(f'seed = {seed}\n[answer]\nq = "C k_a"\n')
    by_name = grade(asked, folder, tmp_path / "one", workers=1, variant_by="student")
    for row in by_name.rows:
        assert row.verdict == "unreadable"
        assert f"asked is that with the seed {row.seed}" in row.message
    same = {row.student: row for row in grade(asked, folder, tmp_path / "two", seed=7).rows}
    drawn = regard.problems.ranges.with_seed(regard.problems.load(asked), 7)
    assert same["ann"].found["statement"] == drawn.statement != "Of 6 keys $k_a$ gets 0.7."
    assert (same["ann"].verdict, same["bea"].verdict) == ("wrong", "unreadable")


def test_a_student_is_told_a_command_that_works_for_the_variant(tmp_path: Path) -> None:
    asked, folder = tmp_path / "two.toml", tmp_path / "class"
    asked.write_text(DRAWN)
    folder.mkdir()
    (folder / "ann.toml").write_text('q = "C k_a"\n')
    page = Path("feedback", "ann.html")
    grade(asked, folder, tmp_path / "own", workers=1, seed=7)
    shown = (tmp_path / "own" / page).read_text("utf-8")
    assert "Your variant has the seed 7." in shown
    assert "regard variant" not in shown
    grade(PROBLEM, folder, tmp_path / "bundled", workers=1, seed=7)
    shown = (tmp_path / "bundled" / page).read_text("utf-8")
    assert f"regard variant {PROBLEM} --seed 7" in shown
