"""Problems and answers of every kind, changed at random: all ends in a sentence, nothing in a crash.

Run as `python tests/fuzzing/whole_files.py KIND FIRST LAST [SECONDS]`: it prints what escapes, one
line each with the seed that makes it again, and what takes longer than so many seconds.
"""

from __future__ import annotations

import json
import signal
import sys
import time
import tomllib
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from fuzzing.mutating import changed
from fuzzing.strange import MAKERS
from regard import problems, report, solving
from regard.checking import check
from regard.errors import InvalidAnswer, InvalidProblem

ANSWERS = Path(__file__).parents[1] / "answers"
HEAD = {"schema": 1, "id": "changed", "title": "x", "statement": "x"}
FILE = "def softmax(x):\n    return x\n"
Case = tuple[dict[str, Any], list[dict[str, Any]]]


class TooLongError(BaseException):
    """A case took longer than it may; no `except Exception` on the way may keep it."""


@cache
def seeds(kind: str) -> list[Case]:
    """Return problems of a kind, as plain data, each with answers to it or to one like it."""
    found = [problems.to_dict(problems.load(name)) for name in problems.names()]
    ours = {one["id"]: one for one in found if one["kind"] == kind}
    path = ANSWERS / f"{kind}.toml"
    written = tomllib.loads(path.read_text("utf-8")) if path.exists() else {}
    for name, change in written.get("problems", {}).items():
        if change["base"] in ours:
            parts = {part: change[part] for part in ("given", "goal") if part in change}
            ours[name] = ours[change["base"]] | parts
    answers = [*written.get("right", []), *written.get("wrong", [])]
    cases = []
    for name, one in ours.items():
        base = written.get("problems", {}).get(name, {}).get("base")
        own = [
            entry["answer"]
            for entry in answers
            if "answer" in entry and entry["problem"] in (name, base)
        ]
        cases.append(({part: one[part] for part in ("given", "goal")}, own or [{"file": FILE}]))
    return cases


def case(kind: str, seed: int) -> Case:
    """Return the problem, strange or changed, and the changed answers that a seed draws."""
    rng = Random(f"{kind} {seed}")
    known = seeds(kind)
    data, answers = rng.choice(known)
    others = [other for other, _ in known]
    if rng.random() < 0.6:
        parts = MAKERS[kind](rng)
    else:
        parts = data if rng.random() < 0.2 else changed(data, others, rng)
    drawn = [rng.choice(answers) for _ in range(2)]
    return {**HEAD, "kind": kind, **parts}, [
        drawn[0] if rng.random() < 0.3 else changed(drawn[0], answers, rng),
        changed(drawn[1], answers, rng),
    ]


def run(kind: str, seed: int) -> str:
    """Read, solve, check and show one case; return how it ended. What escapes is a fault."""
    data, answers = case(kind, seed)
    try:
        problem = problems.from_dict(data)
    except InvalidProblem as error:
        return _refused(*error.args)
    try:
        solution = solving.solve(problem)
        ending = solution.verdict.name
    except InvalidProblem as error:
        return f"{_refused(str(error))} by the solver"
    if seed % 3 == 0:  # figures take longest
        _shown(solution.report(), solution.to_dict())
    for answer in [dict(solution.answer), *answers]:
        try:
            verdict = check(problem, answer)
        except InvalidAnswer as error:
            _refused(str(error))
            continue
        except InvalidProblem:
            assert kind == "code", "a problem that can be solved cannot be checked"
            continue
        assert verdict.score is None or 0 <= verdict.score <= 1
        _shown(verdict.report(), verdict.to_dict())
    return ending


def _refused(*sentences: str) -> str:
    assert all(map(str.strip, sentences)), "a refusal without a sentence"
    return "refused"


def _shown(page: report.Report, data: dict[str, Any]) -> None:
    for render in (report.to_text, report.to_html_page, report.to_latex, report.to_json):
        assert render(page)
    json.dumps(data, allow_nan=False)


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Raise TooLongError where it computes for longer; only Unix has such a clock."""

    def ring(*_: Any) -> None:
        raise TooLongError(f"more than {seconds:g} s")

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def main() -> None:
    """Run the cases of a kind, and print what escapes."""
    kinds = problems.KINDS if sys.argv[1] == "all" else sys.argv[1].split(",")
    seconds = float(sys.argv[4]) if len(sys.argv) > 4 else 60.0
    warnings.simplefilter("error")
    ends: dict[str, int] = {}
    for seed in range(int(sys.argv[2]), int(sys.argv[3])):
        for kind in kinds:
            start, end = time.process_time(), "escaped"
            try:
                with at_most(seconds):
                    end = run(kind, seed)
            except (Exception, TooLongError) as fault:
                frames = traceback.extract_tb(fault.__traceback__)
                place = [
                    f"{Path(f.filename).name}:{f.lineno}" for f in frames if "regard" in f.filename
                ]
                told = str(fault).replace("\n", " ")[:150]
                print(
                    f"{kind} {seed}: {type(fault).__name__}: {told} | {' '.join(place[-5:])}",
                    flush=True,
                )
            took = time.process_time() - start
            if took > seconds / 4 and end != "escaped":
                print(f"{kind} {seed}: slow: {took:.1f} s", flush=True)
            ends[end] = ends.get(end, 0) + 1
    print(ends)


if __name__ == "__main__":
    main()
