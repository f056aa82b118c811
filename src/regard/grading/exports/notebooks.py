"""Notebooks for students: the question, cells for the answer, and one cell for each goal."""

from __future__ import annotations

from typing import Any

from regard.grading.exports.folders import Files, question, reference
from regard.grading.exports.kernel import answer_name
from regard.grading.exports.marks import goals_of, points
from regard.kinds.code.spec import CodeProblem
from regard.kinds.code.start import code, cut_into_cells, markdown, written
from regard.problems import Problem
from regard.problems.answer_fields import answer_fields

Cell = dict[str, Any]
TIMEOUT = 120  # seconds for a cell

OTTER_README = """\
# For otter-grader

    otter generate -t tests -o autograder.zip --no-environment --no-requirements
    otter run -a autograder.zip -o . student.ipynb

The notebook here is for students. regard has to be installed where notebooks run. Every goal is a
test, passed or not, and the reason is what its error says. Checks run in the student's own kernel:
a cell that changes them, or reads what they expect, is not noticed, and a loop without end is not
stopped. Where marks count, grade programs once more with `regard grade`, which runs them apart.
"""
NBGRADER_README = """\
# For nbgrader

    nbgrader generate_assignment NAME
    nbgrader autograde NAME
    nbgrader generate_feedback NAME

`source/NAME` holds the notebooks. regard has to be installed where they run. Every goal is a cell
that prints the reason and ends in its points. Checks run in the student's own kernel: a cell that
changes them, or reads what they expect, is not noticed. Where marks count, grade programs once more
with `regard grade PROBLEM submitted -o grades`, which runs them apart.
"""


def otter_files(problems: list[Problem]) -> Files:
    """Return a folder for otter: a notebook, and one test file per goal.

    An autograder of otter is for one notebook, so that several problems have folders of their own.
    """
    files: Files = {}
    for problem in problems:
        folder = f"{problem.id}/" if len(problems) > 1 else ""
        files[f"{folder}otter_config.json"] = '{"show_all_public": true}\n'
        files[f"{folder}README.md"] = OTTER_README
        cells = [_question(problem), *_answer_cells(problem, lambda _: {})]
        files[f"{folder}{problem.id}.ipynb"] = written(cells)
        for place, goal in enumerate(goals_of(problem)):
            worth = points(problem) * goal.share
            name = f"{problem.id} {place + 1}: {goal.name}"
            stem = f"{problem.id.replace('-', '_')}_{place + 1}"
            files[f"{folder}tests/{stem}.py"] = _OTTER_TEST.format(
                name=name, points=worth, problem=reference(problem), place=place
            )
    return files


_OTTER_TEST = """\
from otter.test_files import test_case
from regard.grading.exports.kernel import demand

OK_FORMAT = False
name = {name!r}
points = {points!r}


@test_case(name={name!r}, points={points!r})
def test_goal(env):
    demand(env, {problem}, {place})
"""


def nbgrader_files(problems: list[Problem], assignment: str) -> Files:
    """Return a course folder for nbgrader with one assignment, a notebook for each problem."""
    config = (
        "c = get_config()\n"
        'c.CourseDirectory.course_id = "attention"\n'
        f"c.ExecutePreprocessor.timeout = {TIMEOUT}\n"
        f"c.ExecutePreprocessor.iopub_timeout = {TIMEOUT}  # to hear of cells it stopped\n"
    )
    files = {
        "nbgrader_config.py": config,
        "README.md": NBGRADER_README.replace("NAME", assignment),
    }
    for problem in problems:
        cells = [_question(problem), *_answer_cells(problem, _solution_metadata)]
        cells += _grade_cells(problem)
        files[f"source/{assignment}/{problem.id}.ipynb"] = written(cells)
    return files


def _question(problem: Problem) -> Cell:
    return markdown("question", f"# {problem.title}\n\n{question(problem)}")


def _answer_cells(problem: Problem, metadata: Any) -> list[Cell]:
    """Return the cells that a student fills in."""
    if isinstance(problem, CodeProblem):
        sources = cut_into_cells(problem)
    else:
        lines = [f"{answer_name(problem)} = {{"]
        for field in answer_fields(problem):
            more = ", may be left out" if field.optional else ""
            what = " ".join(f"{field.what}{more}; written like {field.example}".split())
            lines.append(f'    "{field.name}": "",  # {what}')
        sources = ["\n".join([*lines, "}"])]
    return [
        code(f"answer-{place}", source, metadata(f"answer-{place}"))
        for place, source in enumerate(sources, 1)
    ]


def _solution_metadata(name: str) -> dict[str, Any]:
    """Mark a cell as the student's, in nbgrader's schema 3."""
    return {
        "nbgrader": {
            "schema_version": 3,
            "grade_id": name,
            "grade": False,
            "solution": True,
            "locked": False,
            "task": False,
            "cell_type": "code",
        }
    }


def _grade_cells(problem: Problem) -> list[Cell]:
    cells = []
    for place, goal in enumerate(goals_of(problem)):
        worth = points(problem) * goal.share
        name = f"goal-{place + 1}"
        metadata = _solution_metadata(name)
        metadata["nbgrader"] |= {"grade": True, "solution": False, "locked": True, "points": worth}
        source = (
            f"# {goal.name}\n"
            "from regard.grading.exports.kernel import mark\n\n"
            f"_reason, _points = mark(globals(), {reference(problem)}, {place}, {worth!r})\n"
            "print(_reason)\n"
            "_points"
        )
        cells.append(code(name, source, metadata))
    return cells
