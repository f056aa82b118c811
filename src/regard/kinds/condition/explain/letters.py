"""Keys j and i in the letters of a problem."""

from __future__ import annotations

from collections.abc import Iterable

from regard.kinds.condition.spec import ConditionProblem
from regard.solving.finding import Steps
from regard.solving.key_tables import symbol


def renamed(problem: ConditionProblem, text: str) -> str:
    """Write words or LaTeX about keys j and i in the letters of the problem."""
    letters = (symbol(f"x_{name}") for name in (problem.goal.of, problem.goal.other))
    j, i = (letter.removeprefix("x_") for letter in letters)
    new = {
        "_j": f"_{j}",
        "_i": f"_{i}",
        r"i \ne j": rf"{i} \ne {j}",
        "key $j$": f"key ${j}$",
        "other } i": f"other }} {i}",
    }
    marks = {old: chr(place) for place, old in enumerate(new)}
    for old, mark in marks.items():
        text = text.replace(old, mark)
    for old, mark in marks.items():
        text = text.replace(mark, new[old])
    return text


def renamed_steps(problem: ConditionProblem, steps: Iterable[tuple[str, str]]) -> Steps:
    """Write steps about keys j and i in the letters of the problem."""
    return tuple((renamed(problem, words), renamed(problem, latex)) for words, latex in steps)
