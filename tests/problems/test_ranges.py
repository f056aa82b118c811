"""Numbers that a problem lets vary: in its file, in its text, and found again from an answer."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cli.running import run
from regard import checking, problems, solving
from regard.errors import InvalidAnswer, InvalidProblem
from regard.problems.ranges import draw, with_seed

MIX = """schema = 1
id = "mix-two-values"
title = "Mix two values"
kind = "query"
vary = { n = "5..12", weights = "simplex(2, 0.1)" }
statement = "Of {{n}} keys at right angles, $k_a$ gets {{w_a}} and $k_b$ gets {{w_b}}."

[given]
n = 6
keys = { law = "orthonormal" }
values = { law = "arbitrary" }
names = { a = 0, b = 1 }

[goal]
weights = { a = 0.7, b = 0.3 }
tolerance = 1e-3
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mix.toml"
    path.write_text(MIX)
    return path


def test_the_statement_says_the_numbers_of_its_file() -> None:
    mix = problems.loads(MIX)
    assert mix.statement == "Of 6 keys at right angles, $k_a$ gets 0.7 and $k_b$ gets 0.3."


def test_a_title_says_the_numbers_too_and_those_of_a_variant() -> None:
    mix = problems.loads(MIX.replace("Mix two values", "Two of {{n}}, {{w_a}}"))
    assert mix.title == "Two of 6, 0.7"
    drawn = with_seed(mix, 4)
    data = problems.to_dict(drawn)
    n, a = data["given"]["n"], data["goal"]["weights"]["a"]
    assert drawn.title == f"Two of {n}, {a} (variant 4)"
    with pytest.raises(InvalidProblem, match=r"title: \{\{m\}\} is no number of it"):
        problems.loads(MIX.replace("Mix two values", "Two of {{m}}"))


def test_every_seed_draws_within_the_ranges_and_the_text_says_what_was_drawn() -> None:
    mix, seen = problems.loads(MIX), set()
    for seed in range(60):
        drawn = with_seed(mix, seed)
        data = problems.to_dict(drawn)
        n, weights = data["given"]["n"], data["goal"]["weights"]
        assert 5 <= n <= 12
        assert min(weights.values()) >= 0.1
        np.testing.assert_allclose(sum(weights.values()), 1, rtol=0, atol=1e-12)
        a, b = weights["a"], weights["b"]
        assert drawn.statement == f"Of {n} keys at right angles, $k_a$ gets {a} and $k_b$ gets {b}."
        assert data == problems.to_dict(with_seed(mix, seed))
        assert "vary" not in data
        seen.add((n, a))
    assert {n for n, _ in seen} == set(range(5, 13))
    assert len(seen) > 30


def test_an_answer_with_its_seed_is_judged_by_the_numbers_of_that_variant(file: Path) -> None:
    mix = problems.load(file)
    right = problems.to_dict(with_seed(mix, 7))["goal"]["weights"]
    q = f"(C + log({right['a']})) k_a + (C + log({right['b']})) k_b"
    answer = {"problem": "mix-two-values", "seed": 7, "answer": {"q": q}}
    assert checking.check(mix, answer).right
    assert not checking.check(mix, {**answer, "seed": 8}).right
    assert solving.solve(with_seed(mix, 7)).answer["q"] == q


def test_a_bundled_problem_is_found_again_by_its_seed_too(tmp_path: Path) -> None:
    answer = tmp_path / "answer.toml"
    answer.write_text('problem = "select-the-first-value"\nseed = 5\n[answer]\nq = [9, 9]\n')
    drawn = solving.variant(problems.load("select-the-first-value"), 5)
    result = run("check", "select-the-first-value", str(answer))
    assert "(variant 5)" in result.stdout or result.returncode == 1
    q = solving.solve(drawn).answer["q"]
    answer.write_text(f'problem = "select-the-first-value"\nseed = 5\n[answer]\nq = {list(q)}\n')
    assert run("check", "select-the-first-value", str(answer)).returncode == 0


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"5..12"', '"5-12"', "'5-12' is no range: write"),
        ('"5..12"', '"12..5"', "'12..5' is no range: write"),
        ("{ n =", "{ m =", "there is no m in given or goal"),
        ("simplex(2, 0.1)", "simplex(3, 0.1)", "weights has 2 entries, its range draws 3"),
        ("simplex(2, 0.1)", "simplex(2, 0.6)", "'simplex(2, 0.6)' is no range"),
        ("simplex(2, 0.1)", "1..2", "weights is not of the form that its range draws"),
        ("{{w_a}}", "{{w_c}}", "{{w_c}} is no number of it. There are n, tolerance, w_a, w_b."),
        ('"5..12"', '"5, 12"', "line 5: vary.n: '5, 12' is no range: write \"5..12\"."),
        ('"5..12"', "7", "line 5: vary.n: must be a range in quotes"),
        ('"5..12"', '"1..4"', "line 5: vary.n: draws 1, with which this is no problem (given.n: "),
        ('"5..12"', '"5 | six"', "line 5: vary.n: draws six, with which this is no problem"),
        ('n = "5..12"', 'tolerance = "0..0.1"', "vary.tolerance: draws 0.0, with which"),
        ('n = "5..12"', 'w_a = "0.1..0.4"', 'weights = "simplex(2, 0.1)" draws all of them'),
        ("{{w_b}}", "{{w_b}", "line 6: statement: {{w_b} is no name in double braces. Write"),
    ],
)
def test_what_cannot_be_meant_is_refused(old: str, new: str, message: str) -> None:
    with pytest.raises(InvalidProblem) as refused:
        problems.loads(MIX.replace(old, new))
    assert message in str(refused.value)


HAND = """schema = 1
id = "by-hand"
title = "By hand"
kind = "compute"
vary = { scores = "-3..3", V_2_1 = "4 | 8", tolerance = "0.01..0.02" }
statement = "Scores {{scores}}, in line $S = {{scores}}$; value 2 is ${{V_2_1}}$."

[given]
scores = [[2, 1, 0]]
V = [[1], [4], [0]]

[goal]
find = ["c_1"]
tolerance = 0.01
"""


def test_matrices_vary_and_one_entry_of_them() -> None:
    hand, seen = problems.loads(HAND), set()
    for seed in range(20):
        drawn = with_seed(hand, seed)
        data = problems.to_dict(drawn)["given"]
        a, b, c = data["scores"][0]
        assert {a, b, c} <= set(range(-3, 4))
        assert data["V"] in ([[1], [4], [0]], [[1], [8], [0]])
        rows = rf"\begin{{bmatrix}} {a} & {b} & {c} \end{{bmatrix}}"
        assert drawn.statement == (
            f"Scores ${rows}$, in line $S = {rows}$; value 2 is ${data['V'][1][0]}$."
        )
        e = np.exp([a, b, c])
        found = float(e @ [1, data["V"][1][0], 0] / e.sum())
        said = {"problem": "by-hand", "seed": seed, "c_1": [round(found, 4)]}
        assert checking.check(hand, said).right
        seen.add((a, b, c))
    assert len(seen) > 15
    with pytest.raises(InvalidProblem, match="V_4_1: entries count from 1, and V has 3 there"):
        problems.loads(HAND.replace("V_2_1 =", "V_4_1 ="))


def test_parameters_vary_by_the_names_that_the_statement_has_for_them() -> None:
    text = (
        HAND.partition("vary")[0].replace("compute", "count")
        + 'vary = { d = "256 | 512" }\nstatement = "A head of width $d = {{d}}$: parameters?"\n'
        + '[given]\nof = "attention"\nd_model = "d"\nheads = 4\nvalues = { d = 64 }\n'
        + '[goal]\nfind = ["parameters"]\n'
    )
    drawn = with_seed(problems.loads(text), 1)
    d = problems.to_dict(drawn)["given"]["values"]["d"]
    assert d in (256, 512)
    assert drawn.statement == f"A head of width $d = {d}$: parameters?"
    assert checking.check(drawn, {"parameters": 4 * d * d}).right


def test_a_problem_written_out_and_read_again_has_the_same_variants() -> None:
    mix = problems.loads(MIX)
    again = problems.loads(problems.to_toml(mix))
    assert again == mix
    assert with_seed(again, 7).statement == with_seed(mix, 7).statement
    assert with_seed(again, 7).statement != mix.statement


def test_a_number_that_the_text_does_not_tell_is_told_below_it(file: Path) -> None:
    file.write_text(MIX.replace("{{n}}", "many"))
    drawn = solving.variant(problems.load(file), 7)
    assert drawn.statement.endswith("those of this file count: `n = 12`.)\n")
    result = run("validate", str(file))
    assert "  variants: 8 seeds come out the same.\n" in result.stdout
    assert "The statement does not tell n: write {{n}} where it should." in result.stdout


def test_validate_refuses_ranges_whose_variants_come_out_otherwise(file: Path) -> None:
    text = file.read_text().replace('n = "5..12"', 'longest = "0.1 | 40"').replace("{{n}}", "six")
    text = text.replace('values = { law = "arbitrary" }\n', "").replace("{{w_b}}", "{{longest}}")
    file.write_text(text.replace("tolerance", "longest = 40\ntolerance"))
    result = run("validate", str(file))
    assert result.returncode == 2
    # A query of length 40 does it, as in the problem itself; none of length 0.1 can.
    assert "it comes out otherwise (impossible and proved, for sizes up to 0.1)" in result.stderr


def test_ranges_draw_what_they_say() -> None:
    rng = np.random.default_rng(3)
    assert {draw("2 | 3 | 5", rng) for _ in range(40)} == {2, 3, 5}
    assert all(0.1 <= draw("0.1..0.5", rng) <= 0.5 for _ in range(40))
    assert draw("7..7", rng) == 7


@pytest.mark.parametrize("seed", [-1, True, 1.5, "7"])
def test_a_seed_is_a_whole_number(seed: object) -> None:
    with pytest.raises(InvalidAnswer, match="seed must be a whole number from 0 on"):
        checking.check(
            "average-two-values",
            {"problem": "average-two-values", "seed": seed, "answer": {"q": "k_a"}},
        )


def test_a_sheet_of_answers_to_a_handout_says_its_seed_once(tmp_path: Path) -> None:
    from regard.errors import InvalidAnswer as Refused

    sheet = tmp_path / "sheet.toml"
    drawn = solving.variant(problems.load("scores-times-three"), 7)
    part = next(
        (name, p.label)
        for name in problems.collections()
        for p in problems.collection(name).parts
        if p.problem == "scores-times-three"
    )
    answer = solving.solve(drawn).to_dict()["answer"]
    fields = "".join(f"{name} = {value!r}\n" for name, value in answer.items())
    sheet.write_text(f"seed = 7\n[scores-times-three]\n{fields}")
    result = run("check", part[0], str(sheet))
    assert "1 of " in result.stdout
    sheet.write_text(f"seed = 8\n[scores-times-three]\n{fields}")
    assert "0 of " in run("check", part[0], str(sheet)).stdout
    with pytest.raises(Refused, match=r"give variant=regard\.solving\.variant"):
        checking.check_collection(part[0], sheet)


def test_a_handout_for_a_student_has_the_numbers_that_grading_gives_them(file: Path) -> None:
    from regard.grading import student_seed

    text = run("handout", str(file), "--student", "ann", "--title", "Sheet 3").stdout
    assert text.startswith("# Sheet 3\n")
    assert with_seed(problems.load(file), student_seed("ann")).statement in text
    assert f'two lines: `problem = "mix-two-values"` and `seed = {student_seed("ann")}`' in text


@pytest.mark.parametrize("suffix", ["md", "html", "tex", "txt"])
def test_a_handout_has_the_statements_and_no_answers(file: Path, suffix: str) -> None:
    output = file.parent / f"handout.{suffix}"
    result = run("handout", str(file), "average-two-values", "--seed", "7", "-o", str(output))
    assert (result.returncode, result.stderr) == (0, "")
    text = output.read_text()
    n = problems.to_dict(with_seed(problems.load(file), 7))["given"]["n"]
    assert f"Of {n} keys at right angles" in text
    assert "Mix two values" in text
    assert "seed = 7" in text
    assert "log(" not in text
    assert "solved" not in text


def test_a_handout_of_a_collection_has_its_title_and_parts() -> None:
    text = run("handout", "ece537-ps9").stdout
    assert text.startswith("# ECE 537, problem set 9: heads that look back\n")
    assert "## (a) Look back exactly T steps" in text
    assert (
        "## 1(b), which keys: Which keys can win at all" in run("handout", "attention-exam").stdout
    )


def test_a_handout_that_cannot_be_written_says_which_endings_there_are() -> None:
    result = run("handout", "ece537-ps9", "-o", "x.docx")
    assert result.returncode == 2
    assert result.stderr == "-o x.docx: use one of the endings .md, .html, .tex, .pdf, .txt.\n"


def test_validate_takes_many_files(file: Path) -> None:
    bad = file.parent / "bad.toml"
    bad.write_text(MIX.replace("5..12", "x"))
    result = run("validate", str(file), str(bad), "average-two-values")
    assert result.returncode == 2
    assert "mix.toml: a query problem, solved and proved." in result.stdout
    assert "average-two-values: a query problem, solved and proved." in result.stdout
    assert "is no range" in result.stderr
    folder = run("validate", str(file.parent))
    assert folder.returncode == 2
    assert "mix.toml: a query problem, solved and proved." in folder.stdout
    assert "is no range" in folder.stderr
    (file.parent / "none").mkdir()
    empty = run("validate", str(file.parent / "none"))
    assert (empty.returncode, empty.stderr.endswith("ends in .toml or .json.\n")) == (2, True)


def test_weights_that_a_query_reaches_to_rounding_are_proved() -> None:
    """Six keys at right angles and a length of 40: what is claimed allows for rounding."""
    text = MIX.replace("tolerance", "longest = 40\ntolerance").replace("{{n}}", "six")
    text = text.replace('vary = { n = "5..12", weights = "simplex(2, 0.1)" }\n', "")
    text = text.replace('values = { law = "arbitrary" }\n', "").replace("{{w_b}}", "the rest")
    for share in (0.85, 0.7, 0.55, 0.9):
        there = text.replace("{{w_a}}", str(share)).replace(
            "a = 0.7, b = 0.3", f"a = {share}, b = {round(1 - share, 2)}"
        )
        assert solving.solve(problems.loads(there)).verdict.value == "solved and proved", share
