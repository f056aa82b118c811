"""What holds for the solution of every bundled problem, whatever its kind."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import subprocess
from pathlib import Path

import jsonschema
import pytest

from regard import certify, problems, report, solving
from regard.solving import Status
from solving.reading import solved

NAMES = problems.names()
# Of each kind, the first two: what reads more than it should, reads it in every problem.
BY_KIND: dict[str, list[str]] = {}
for bundled in NAMES:
    BY_KIND.setdefault(problems.load(bundled).kind, []).append(bundled)
FIRST = {name for names in BY_KIND.values() for name in names[:2]}
VALIDATOR = jsonschema.Draft202012Validator(report.json_schema())


@pytest.mark.parametrize("name", NAMES)
def test_it_is_solved_and_every_claim_of_its_certificate_holds(name: str) -> None:
    solution = solved(name)
    assert solution.verdict is solution.status is not Status.UNDECIDED
    # Through JSON and back: the certificate stands by itself.
    data = json.loads(json.dumps(solution.certificate.to_dict()))
    assert certify.verify(certify.Certificate.from_dict(data)).holds


@pytest.mark.parametrize(
    "name", [n if n in FIRST else pytest.param(n, marks=pytest.mark.slow) for n in NAMES]
)
def test_nothing_but_what_is_given_and_asked_for_is_read(name: str) -> None:
    data = problems.to_dict(problems.load(name))
    disguised = problems.from_dict(
        {
            "schema": 1,
            "id": "disguised",
            "title": "Disguised",
            "kind": data["kind"],
            "statement": "Solve it.",
            "given": data["given"],
            "goal": data["goal"],
        }
    )
    other = solving.solve(disguised)
    assert other.headline == solved(name).headline
    assert other.answer == solved(name).answer
    assert other.steps == solved(name).steps


@pytest.mark.parametrize("name", NAMES)
def test_its_report_explains_and_every_formula_in_it_can_be_typeset(name: str) -> None:
    solution = solved(name)
    shown = solution.report()
    assert report.formula_errors(shown) == []
    assert 3 <= len(solution.steps) <= 12
    assert all(sentence.strip() for sentence, _ in solution.steps)
    assert solution.mistakes
    assert len(set(solution.mistakes)) == len(solution.mistakes)
    VALIDATOR.validate(json.loads(report.to_json(shown)))
    for text in (report.to_text(shown), report.to_html_page(shown), report.to_latex(shown)):
        assert "nan" not in text.lower().split()


@pytest.mark.parametrize("name", NAMES)
def test_it_can_be_sent_to_another_process_also_after_it_was_told(name: str) -> None:
    solution = solved(name)
    told = str(solution)
    same = pickle.loads(pickle.dumps(solution))
    assert same.answer == solution.answer
    assert str(same) == told


@pytest.mark.parametrize("name", NAMES)
def test_its_answer_is_plain_data(name: str) -> None:
    answer = dict(solved(name).answer)
    assert answer
    assert json.loads(json.dumps(answer)) == answer


@pytest.mark.tools
def test_all_reports_together_compile_with_pdflatex(tmp_path: Path) -> None:
    if shutil.which("pdflatex") is None:
        if os.environ.get("REGARD_REQUIRE_TOOLS"):
            pytest.fail("pdflatex is required here, and missing")
        pytest.skip("needs pdflatex (Debian: texlive-latex-recommended, texlive-pictures)")
    whole = report.Report.join("All problems", [solved(name).report() for name in NAMES])
    (tmp_path / "all.tex").write_text(report.to_latex(whole), encoding="utf-8")
    command = [
        "pdflatex",
        "-interaction=nonstopmode",
        "-halt-on-error",
        "-no-shell-escape",
        "all.tex",
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:].decode("latin-1")
    assert (tmp_path / "all.pdf").stat().st_size > 100_000


def test_a_solution_prints_shows_in_a_notebook_and_can_be_drawn() -> None:
    solution = solved("average-two-values")
    assert str(solution).startswith("Average two values\n==================\n")
    assert solution._repr_html_().startswith('<div class="regard-report">')
    figure = solution.plot()
    assert figure.axes


def test_variants_have_their_own_id_and_are_the_same_for_the_same_seed() -> None:
    problem = problems.load("average-two-values")
    assert solving.variant(problem, 3) == solving.variant(problem, 3)
    assert solving.variant(problem, 3).id == "average-two-values-3"
    assert solving.variant(problem, 3).given != solving.variant(problem, 4).given


@pytest.mark.parametrize("seed", [-1, 1.5, True, "7"])
def test_a_seed_is_a_whole_number_from_0_on(seed: object) -> None:
    with pytest.raises(ValueError, match=r"^variant: seed must be a whole number from 0 on\. Got "):
        solving.variant(problems.load("average-two-values"), seed)  # type: ignore[arg-type]
