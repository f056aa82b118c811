"""What `solve` and `check` print: one screen of 24 lines of 80 columns, whatever the problem."""

from __future__ import annotations

from typing import Any

import pytest

import regard
from checking.answer_files import FOLDER, read_answers, thinned
from cli.running import run
from regard import problems, solving
from regard.cli.screens import question_screen, solution_screen
from regard.cli.screens.verdict_screen import of_verdict
from regard.problems.answer_fields import answer_fields
from regard.report import Prose
from regard.report.characters import columns
from regard.report.text.plain import lines as plain_lines
from regard.report.text.screen import Line, Part, fit

KINDS = sorted(path.stem for path in FOLDER.glob("*.toml"))
BUNDLED = [(name, problems.load(name).kind) for name in problems.names()]
ANSWERS = [
    (kind, which, entry)
    for kind in KINDS
    for which in ("right", "wrong")
    for entry in getattr(read_answers(kind), which)
]


def fits(screen: list[Line]) -> str:
    """Return what a screen says: 24 lines of 80 columns with the prompt that follows."""
    lines = [line for line, _ in screen]
    assert len(lines) <= 23
    assert max(map(columns, lines)) <= 80
    assert "…" not in lines  # nothing was cut off from the end
    return "\n".join(lines)


@pytest.mark.parametrize(("name", "kind"), thinned(BUNDLED, lambda name, kind: kind, 1))
def test_every_solution_is_one_screen_that_ends_with_the_answer(name: str, kind: str) -> None:
    solution = solving.solve(name)
    text = fits(solution_screen.of_solution(solution))
    assert text.splitlines()[-1].startswith("Answer: ")
    assert "--full" in text.splitlines()[-1]
    # The result is a sentence of its own, and not the title with the status once more.
    assert not solution.result.startswith(f"{solution.problem.title}: ")


@pytest.mark.parametrize(
    ("kind", "which", "entry"), thinned(ANSWERS, lambda kind, which, entry: (kind, which), 1)
)
def test_every_verdict_is_one_screen_that_says_what_to_do_next(
    kind: str, which: str, entry: dict[str, Any]
) -> None:
    verdict = read_answers(kind).judged(entry)
    text = fits(of_verdict(verdict))
    assert text.startswith("The answer is" if verdict.right else "Not right yet: ")
    idea = verdict.misconception
    if idea is not None and not verdict.right:
        said = " ".join(text.split()).casefold()
        assert all(part.casefold() in said for part in (idea.short, idea.why, idea.numbers))
        assert "Hint: " in text
    assert "adversarial" not in text
    assert "sampled" not in text
    assert text.splitlines()[-1].startswith(("Next: ", "More: "))


@pytest.mark.parametrize("name", problems.names())
def test_every_question_is_one_screen_with_all_of_its_statement(name: str) -> None:
    problem = problems.load(name)
    text = fits(question_screen.of_question(problem, answer_fields(problem), name))
    for line in plain_lines(Prose(problem.statement), 80):
        assert line in text.splitlines()
    assert f"regard check {name} " in text


def test_the_screen_of_a_problem_that_everybody_knows() -> None:
    lines = run("solve", "average-two-values").stdout.splitlines()
    assert lines[0].startswith("Average two values · CS 114B, written assignment 4 (b)  ")
    assert lines[0].endswith("  ✓ solved and proved")
    assert lines[1] == "From C = 6.91 on, the query C (k_a + k_b) averages two values of six."
    assert any(0x2800 < ord(c) < 0x2900 for line in lines for c in line)  # a curve in braille
    assert lines[-1].startswith("Answer: q = C (k_a + k_b), C = 6.91 or more ")


def test_full_prints_everything() -> None:
    brief, full = (run("solve", "average-two-values", *more).stdout for more in ([], ["--full"]))
    assert "Often got wrong" not in brief
    assert "Often got wrong" in full
    brief, full = (
        run("check", "average-two-values", "k_a + k_b", *more).stdout for more in ([], ["--full"])
    )
    assert "worked out" not in brief
    assert "worked out" in full


def test_what_gives_way_is_counted_and_the_rest_stays_in_order() -> None:
    first, second = Part([["a"], ["b"], ["c"]], "One", "{} more"), Part([["d"], ["e"]])
    assert [line for line, _ in fit((first, second), ((first, 1), (second, 0)), 6)] == [
        "One",
        "a",
        "2 more",
        "",
        "d",
        "e",
    ]


def test_where_nothing_may_give_way_the_end_is_cut() -> None:
    part = Part([[str(i)] for i in range(9)])
    assert [line for line, _ in fit((part,), (), 4)] == ["0", "1", "2", "…"]


def test_the_hint_stays_where_a_counterexample_and_a_goal_are_long() -> None:
    atoms = [{"value": "v_a", "probability": "1/2"}, {"value": "v_b", "probability": "3/2"}]
    mean, variance = "(v_a + v_b)/2", "1/4 norm(v_a - v_b)^2"
    answer = {"atoms": atoms, "mean": mean, "variance": variance}
    verdict = regard.check("a-key-of-random-length", answer)
    for lines in range(14, 24):
        assert any("Hint: " in line for line, _ in of_verdict(verdict, lines=lines)), lines
