"""Seeded variants of problems: other numbers, the same question.

A variant is shown only after it passed a gate: its solver solves it, the certificate holds,
and what comes out is as it was for the original (solved, or proved impossible).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from regard.errors import InvalidProblem, ParameterError, RegardError
from regard.problems import Problem, from_dict, names, to_dict
from regard.problems.given_numbers import untold
from regard.problems.ranges import with_seed
from regard.problems.registry import looked_up
from regard.problems.writing import inline
from regard.solving.dispatch import solve

_TRIES = 20
_LONGEST = 200  # what is longer is read in the file
_PLAIN = ("numbers", "values", "parameters")  # tables whose names are those of the statement


def variant(problem: Problem, seed: int) -> Problem:
    """Return another problem of the same form, the same one for the same seed.

    Its id is that of the problem followed by the seed.

    Raises:
        ParameterError: seed is no whole number from 0 on.
        InvalidProblem: no variant of this problem passes the gate.
    """
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise ParameterError(f"variant: seed must be a whole number from 0 on. Got {seed!r}.")
    wanted = solve(problem).verdict
    if problem.vary:
        drawn = with_seed(problem, seed)
        if solve(drawn).verdict is not wanted:
            raise InvalidProblem(
                f"{problem.id}: with seed {seed} it comes out otherwise ({solve(drawn).outcome}): "
                "narrow the ranges of vary."
            )
        hidden = untold(problem)
        note = _note(_numbers_of(problem, hidden), _numbers_of(drawn, hidden))
        if note:
            said = f"{drawn.statement.rstrip()}\n\n{note}\n"
            drawn = from_dict({**to_dict(drawn), "statement": said})
        return drawn
    vary = looked_up(problem.kind, "vary", "vary")
    rng = np.random.default_rng([seed, sum(problem.id.encode())])
    for _ in range(_TRIES):
        data = to_dict(problem)
        data["id"] = f"{problem.id}-{seed}"
        data["title"] = f"{problem.title} (variant {seed})"
        try:
            changed = vary(problem, rng)
            if "statement" not in changed and problem.id not in names():
                # What a person wrote may quote numbers, which only that person can change.
                note = _note(data, changed)
                if note:
                    data["statement"] = f"{problem.statement.rstrip()}\n\n{note}\n"
            drawn = from_dict({**data, **changed})
            if solve(drawn).verdict is wanted:
                return drawn
        except RegardError:
            continue  # drawn numbers that do not make a problem are drawn again
    raise InvalidProblem(f"{problem.id}: no variant with seed {seed} passes the gate.")


def _numbers_of(problem: Problem, names: list[str]) -> dict[str, Any]:
    """Return the numbers of these names that stand in given or goal themselves."""
    data = to_dict(problem)
    return {
        part: {name: value for name, value in data[part].items() if name in names}
        for part in ("given", "goal")
    }


def _note(data: dict[str, Any], changed: dict[str, Any]) -> str:
    """Say which numbers count now, where the text may quote others; "" where none changed."""
    now = [
        text
        for part in ("given", "goal")
        for name, value in changed.get(part, {}).items()
        for text in _differing(name, value, data[part].get(name))
    ]
    if not now:
        return ""
    short = [f"`{text}`" for text in now if len(text) <= _LONGEST]
    these = f": {', '.join(short)}" if short else ""
    return (
        "(A variant: where the text above quotes numbers of the original, those of this file "
        f"count{these}.)"
    )


def _differing(name: str, value: Any, before: Any) -> list[str]:
    """Write what changed, number by number where it is a table of numbers."""
    if value == before:
        return []
    if name not in _PLAIN or not isinstance(value, dict) or not isinstance(before, dict):
        return [f"{name} = {inline(value)}"]
    return [f"{one} = {inline(new)}" for one, new in value.items() if new != before.get(one)]
