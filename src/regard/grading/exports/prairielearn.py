"""PrairieLearn: `info.json`, `question.html`, `server.py`, and what the latter's functions do.

`data` is changed in place, and only under the keys that the documented contract allows to each
phase. What cannot be read is a format error, which costs no attempt.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import uuid
from fractions import Fraction
from html import escape
from pathlib import Path
from typing import Any

from regard.checking.typed.fields import typed
from regard.errors import RegardError
from regard.grading.exports.folders import Files, problem_data, problem_from, question
from regard.grading.exports.marks import Marks, marked
from regard.kinds.code.spec import CodeProblem
from regard.problems import Problem
from regard.problems.answer_fields import answer_fields
from regard.sandbox import printable

Data = dict[str, Any]
FILE = "submission.py"
_NAME = re.compile(r"[^\W\d]\w*")
MOST_NAMES = 50  # of one's own
MORE = "other_fields"  # an answer may use names of its own, or say what is asked in another form
_FIELD = re.compile(r"\s*([A-Za-z]\w{0,79})\s*=(?!=)(.*)")
README = """\
# For PrairieLearn

Copy `questions/` into a course. regard has to be installed for the Python that runs `server.py`.
An answer that cannot be read is a format error and costs no attempt; the goals are partial scores
with feedback.
"""
SERVER = '''\
"""Asks the installed regard; see `regard.grading.exports.prairielearn`."""

from regard.grading.exports import prairielearn


def generate(data):
    prairielearn.generate(data)


def parse(data):
    prairielearn.parse(data)


def grade(data):
    prairielearn.grade(data)
'''
HTML = """\
<pl-question-panel>
  <markdown>
{{params.statement}}
  </markdown>
</pl-question-panel>
INPUTS
<pl-submission-panel>
  {{#feedback.message}}
  <p style="white-space: pre-line">{{feedback.message}}</p>
  <ul>
    {{#feedback.goals}}<li>{{name}}: {{sentence}}</li>{{/feedback.goals}}
  </ul>
  {{/feedback.message}}
</pl-submission-panel>
"""


def files(problems: list[Problem], variant_by: str | None) -> Files:
    """Return a folder with one question for each problem."""
    found = {"README.md": README}
    for problem in problems:
        folder = f"questions/{problem.id}"
        info = {
            # The same problem has the same name whenever it is exported.
            "uuid": str(uuid.uuid5(uuid.NAMESPACE_URL, f"regard:{problem.id}")),
            "title": problem.title,
            "topic": "Attention",
            "tags": [problem.kind],
            "type": "v3",
            "singleVariant": variant_by is None,
            "partialCredit": True,
        }
        config = {"problem": problem_data(problem), "variants": variant_by == "student"}
        found[f"{folder}/info.json"] = json.dumps(info, indent=2) + "\n"
        found[f"{folder}/question.html"] = HTML.replace("INPUTS", _inputs(problem))
        found[f"{folder}/server.py"] = SERVER
        found[f"{folder}/problem.json"] = json.dumps(config, indent=1) + "\n"
    return found


def _inputs(problem: Problem) -> str:
    if isinstance(problem, CodeProblem):
        return f'<pl-file-upload file-names="{FILE}"></pl-file-upload>'
    lines = []
    for field in answer_fields(problem):
        label = escape(f"{field.name}: {field.what}", quote=True)
        hint = escape(field.example, quote=True)
        lines.append(_input(field.name, label, hint))
    lines.append(
        _input(MORE, "names of your own, one on a line", "S = Q K&#39;", ' multiline="true"')
    )
    return "\n".join(lines)


def _input(name: str, label: str, hint: str, more: str = "") -> str:
    """Return one line to type into; what is left blank and needed is told by regard itself."""
    return (
        f'<p><pl-string-input answers-name="{name}" label="{label}" placeholder="{hint}" '
        f'remove-spaces="false" allow-blank="true"{more}></pl-string-input></p>'
    )


def generate(data: Data) -> None:
    """Put the question into `params`: the seed of the variant, where each has its own."""
    config = _config(data)
    seed = int(data["variant_seed"]) % 1_000_000 if config["variants"] else None
    problem = _problem(config, seed)
    data["params"]["seed"] = seed
    data["params"]["statement"] = question(problem)
    if isinstance(problem, CodeProblem):
        data["params"]["skeleton"] = problem.given.skeleton


def parse(data: Data) -> None:
    """Report what cannot be read as format errors."""
    problem = _asked(data)
    answer = _answer(problem, data)
    if answer is None or data["format_errors"]:
        return
    if isinstance(problem, CodeProblem):
        from regard.kinds.code.reading import accept

        try:
            accept(problem, answer)  # read, and run when it is graded
        except RegardError as error:
            data["format_errors"]["_files"] = printable(str(error), 500)
        return
    found = marked(problem, answer)
    if found.status == "unreadable":
        _refuse(data, problem, found)


def grade(data: Data) -> None:
    """Put partial scores, the score and feedback into `data`."""
    problem = _asked(data)
    answer = _answer(problem, data)
    found = marked(problem, answer) if answer is not None else None
    if found is None or found.status == "unreadable":
        if found is not None:
            _refuse(data, problem, found)
        return
    weights = _in_whole_numbers([goal.share for goal in found.goals])
    for place, (goal, weight) in enumerate(zip(found.goals, weights, strict=True), 1):
        if weight:
            data["partial_scores"][f"goal_{place}"] = {
                "score": goal.earned,
                "weight": weight,
                "feedback": f"{goal.name}: {goal.sentence}",
            }
    data["score"] = found.score
    data["feedback"]["message"] = found.text
    data["feedback"]["tag"] = found.tag
    data["feedback"]["goals"] = [{"name": g.name, "sentence": g.sentence} for g in found.goals]


def _refuse(data: Data, problem: Problem, found: Marks) -> None:
    names = [field.name for field in answer_fields(problem)] or ["_files"]
    data["format_errors"][names[0]] = found.text


def _config(data: Data) -> Data:
    folder = Path(data["options"]["question_path"])
    config: Data = json.loads((folder / "problem.json").read_text("utf-8"))
    return config


def _asked(data: Data) -> Problem:
    seed = data["params"]["seed"]
    return _problem(_config(data), None if seed is None else int(seed))


def _problem(config: Data, seed: int | None) -> Problem:
    from regard.solving import variant

    problem = problem_from(config["problem"])
    return problem if seed is None else variant(problem, seed)


def _answer(problem: Problem, data: Data) -> Any:
    """Return the fields that were typed, or the file that was uploaded; None if there is none."""
    submitted = data["submitted_answers"]
    if not isinstance(problem, CodeProblem):
        names = [field.name for field in answer_fields(problem)]
        texts = {name: str(submitted[name]) for name in names if submitted.get(name) is not None}
        for line in str(submitted.get(MORE) or "").splitlines():
            match = _FIELD.fullmatch(line)
            if match is not None:
                texts[match[1]] = match[2]
            elif line.strip():
                data["format_errors"][MORE] = f"{printable(line, 80)!r}: write name = formula."
                return None
        if len(texts) > len(names) + MOST_NAMES:
            data["format_errors"][MORE] = f"at most {MOST_NAMES} names of your own are read."
            return None
        written = {name: text.strip() for name, text in texts.items() if text.strip()}
        return {"answer": {name: typed(text) for name, text in _in_order(written).items()}}
    uploaded = submitted.get("_files") or []
    if not uploaded:
        data["format_errors"]["_files"] = f"{FILE} is missing."
        return None
    try:
        return {"file": base64.b64decode(uploaded[0]["contents"], validate=True).decode("utf-8")}
    except (KeyError, TypeError, binascii.Error, UnicodeDecodeError):
        data["format_errors"]["_files"] = f"{FILE} is not text in UTF-8."
        return None


def _in_order(texts: dict[str, str]) -> dict[str, str]:
    """Return fields in an order in which each comes after those that it uses.

    An answer is read from the top, and here names of one's own are typed below what uses them.
    """
    placed: dict[str, str] = {}

    def place(name: str, users: frozenset[str]) -> None:
        if name in placed or name in users:
            return
        for used in _NAME.findall(texts[name]):
            if used in texts:
                place(used, users | {name})
        placed[name] = texts[name]

    for name in texts:
        place(name, frozenset())
    return placed


def _in_whole_numbers(shares: list[float]) -> list[int]:
    """Return whole numbers in the ratios of the shares."""
    exact = [Fraction(share).limit_denominator(1000) for share in shares]
    common = 1
    for share in exact:
        common = common * share.denominator // _gcd(common, share.denominator)
    return [int(share * common) for share in exact]


def _gcd(a: int, b: int) -> int:
    while b:
        a, b = b, a % b
    return a
