"""Gradescope: `setup.sh`, `run_autograder`, and the grader that the latter runs.

`run_autograder` first writes results that say that the grader stopped, then runs this module within
a time limit; it writes its own results beside and renames. So there always are results.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import regard
from regard.errors import RegardError
from regard.grading.exports.folders import Files, problem_data, problem_from
from regard.grading.exports.marks import Marks, marked, points
from regard.grading.seeds import student_seed
from regard.problems import Problem
from regard.sandbox import printable

MOST_OUTPUT = 8000  # characters
MOST_SUBMITTED = 1_000_000  # bytes of one file
ENDINGS = (".toml", ".json", ".py", ".ipynb")
SECONDS = 540  # Gradescope stops at 10 minutes, and then there are no results at all
STOPPED = "The grader stopped before it had results. Please tell your instructor."

SETUP = """\
#!/usr/bin/env bash
# Installs regard where every user may read it: programs of students run as another user.
set -e
apt-get update && apt-get install -y python3 python3-venv
python3 -m venv /opt/regard
cd /autograder/source
# A wheel that lies beside this file, or else the published package.
if ls regard-*.whl >/dev/null 2>&1; then
    /opt/regard/bin/pip install regard-*.whl
else
    /opt/regard/bin/pip install "regard==VERSION"
fi
chmod -R a+rX /opt/regard
"""
RUN = """\
#!/usr/bin/env bash
# Always leaves a results.json: first one that says that the grader stopped, then the grader's.
root="${AUTOGRADER_ROOT:-/autograder}"
python="${REGARD_PYTHON:-/opt/regard/bin/python}"
mkdir -p "$root/results"
chmod 700 "$root/source" "$root/results" 2>/dev/null
cat > "$root/results/results.json" <<'EOF'
{"score": 0, "output": "STOPPED", "output_format": "text", "stdout_visibility": "hidden"}
EOF
timeout --kill-after=5 "${REGARD_SECONDS:-SECONDS}" \\
    "$python" -I -m regard.grading.exports.gradescope "$root" > /dev/null 2>&1
exit 0
"""


def files(problems: list[Problem], variant_by: str | None) -> Files:
    """Return the folder to upload as a zip."""
    setup = SETUP.replace("VERSION", regard.__version__)
    run = RUN.replace("STOPPED", STOPPED).replace("SECONDS}", f"{SECONDS}}}")
    config = {"problems": [problem_data(problem) for problem in problems], "variant_by": variant_by}
    return {
        "setup.sh": setup,
        "run_autograder": run,
        "problems.json": json.dumps(config, indent=1) + "\n",
        "README.md": README.replace("IDS", ", ".join(problem.id for problem in problems)),
    }


README = """\
# For Gradescope

Zip what is in this folder (`zip -r autograder.zip .`) and upload it as the autograder.
Problems: IDS.

Students hand in one file for each problem: `answer.toml` or `.json`, or `.py` and `.ipynb` for
programs. With several problems a file is named by its problem (`ID.toml`), or says
`problem = "ID"`.

regard is installed by `setup.sh`: put a wheel of it beside that file (`pip wheel --no-deps
regard`), or it is fetched from the package index. Nothing is shown as HTML or Markdown, so that an
answer cannot bring script into a page.
"""


def results(root: Path) -> dict[str, Any]:
    """Return the results for what lies in `root/submission`."""
    config = json.loads((root / "source" / "problems.json").read_text("utf-8"))
    problems = [problem_from(data) for data in config["problems"]]
    submitted = _submitted(root / "submission")
    seed = None
    if config["variant_by"] == "student":
        seed = student_seed(_student(root / "submission_metadata.json"))
    tests: list[dict[str, Any]] = []
    score = 0.0
    for problem in problems:
        asked = problem if seed is None else _variant(problem, seed)
        path = _file_of(problem, submitted, alone=len(problems) == 1)
        worth = points(problem)
        if path is None:
            tests.append(_test(problem.title, 0.0, worth, "Nothing was handed in to it."))
            continue
        found = marked(asked, path)
        score += worth * found.score
        tests += _tests(problem, found, worth)
    return {
        "score": _rounded(score),
        "output": f"regard {regard.__version__}"
        + (f", variant {seed}" if seed is not None else ""),
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "stdout_visibility": "hidden",
        "tests": tests,
    }


def _tests(problem: Problem, found: Marks, worth: float) -> list[dict[str, Any]]:
    """Return one test for each goal; the feedback stands with the first."""
    if not found.goals:
        return [_test(problem.title, 0.0, worth, found.text)]
    tests = [
        _test(
            f"{problem.title}: {goal.name}",
            worth * goal.share * goal.earned,
            worth * goal.share,
            goal.sentence,
        )
        for goal in found.goals
    ]
    tests[0]["output"] = printable(f"{tests[0]['output']}\n\n{found.text}", MOST_OUTPUT, lines=True)
    tests[0]["tags"] = [found.tag] if found.tag else []
    return tests


def _test(name: str, score: float, worth: float, output: str) -> dict[str, Any]:
    return {
        "name": printable(name),
        "name_format": "text",
        "score": _rounded(score),
        "max_score": _rounded(worth),
        "status": "passed" if score >= worth else "failed",
        "output": printable(output, MOST_OUTPUT, lines=True),
        "output_format": "text",
    }


def _rounded(points: float) -> float:
    """Return points without the last digits, which are rounding."""
    return round(points, 9)


def _submitted(folder: Path) -> list[Path]:
    """Return the ordinary files of a submission, in folders too; links are not followed."""
    found = []
    for path in sorted(folder.rglob("*")):
        ordinary = not path.is_symlink() and path.is_file() and path.suffix in ENDINGS
        if ordinary and path.stat().st_size <= MOST_SUBMITTED:
            found.append(path)
    return found


def _file_of(problem: Problem, paths: list[Path], *, alone: bool) -> Path | None:
    """Return the file that answers a problem: by its name, or by what it says."""
    wanted = (".py", ".ipynb", ".toml", ".json") if problem.kind == "code" else (".toml", ".json")
    fitting = [path for path in paths if path.suffix in wanted]
    named = [path for path in fitting if path.stem.replace("_", "-") == problem.id]
    said = [path for path in fitting if _says(path, problem.id)]
    return next(iter([*named, *said, *(fitting if alone else ())]), None)


def _says(path: Path, name: str) -> bool:
    from regard.problems.loading import parse

    if path.suffix not in (".toml", ".json"):
        return False
    try:
        data = parse(path.read_text("utf-8"), path.name, is_json=path.suffix == ".json")
    except (RegardError, OSError, UnicodeDecodeError):
        return False
    return data.get("problem") == name


def _student(path: Path) -> str:
    """Return who handed in: the first e-mail address of the submission's metadata."""
    users = json.loads(path.read_text("utf-8"))["users"]
    return min(str(user.get("email") or user.get("id")) for user in users)


def _variant(problem: Problem, seed: int) -> Problem:
    from regard.solving import variant

    return variant(problem, seed)


def main(root: Path) -> None:
    """Grade, and replace the results that `run_autograder` left."""
    try:
        found = results(root)
    except Exception as fault:  # always results
        text = f"The grader failed, which is its own fault: {printable(repr(fault), 500)}"
        found = {"score": 0, "output": text, "output_format": "text"}
    target = root / "results" / "results.json"
    beside = target.with_suffix(".new")
    beside.write_text(json.dumps(found, allow_nan=False), "utf-8")
    os.replace(beside, target)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
