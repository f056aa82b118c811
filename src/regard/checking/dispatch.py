"""Find the judge of a problem: `judge` in the folder of its kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from numbers import Number
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from regard.checking.answer_reading import read
from regard.checking.answers import Answer
from regard.checking.typed.fixes import (
    as_sentence,
    beside_reading,
    beside_verdict,
    infinite_factor,
    says_impossible,
)
from regard.checking.typed.matrix_products import matrix_letters
from regard.checking.typed.ones_vector import with_sized_ones
from regard.checking.verdict import Counterexample, Verdict
from regard.core.kernels.threads import one_blas_thread
from regard.errors import InvalidAnswer, InvalidProblem
from regard.language import Formula
from regard.problems import Problem, load
from regard.problems.answer_fields import answer_fields, only_field
from regard.problems.ranges import with_seed
from regard.problems.registry import looked_up, part
from regard.report import number

_ENDINGS = (".toml", ".json", ".py", ".ipynb", ".npz", ".txt", ".csv")
LONGEST = 200  # characters of a field that are written out


def check(problem: Problem | str | Path, answer: Any = None, **fields: Any) -> Verdict:
    """Return whether an answer is right, decided by what it does.

    Args:
        problem: a problem, its id or its file.
        answer: a file, a dict of fields such as `{"q": "C (k_a + k_b)"}`, or, where an answer has
            one field only, what belongs there: "C (k_a + k_b)".
        fields: the fields of the answer, instead of a dict.

    >>> check("average-two-values", "C (k_a + k_b)").right
    True
    >>> check("average-two-values", q="C (k_a + k_b)", C=20).right
    True

    Raises:
        InvalidProblem: there is no such problem, or it cannot be read.
        InvalidAnswer: the answer cannot be read, or is to another problem. An answer that is
            read and wrong gets a verdict.
    """
    if fields and answer is not None:
        raise InvalidAnswer("check: give the answer or its fields, and not both.")
    asked, given = _both(problem, fields or answer)
    try:
        with one_blas_thread(), np.errstate(all="ignore"):
            verdict = looked_up(asked.kind, "judge", "judge")(asked, given)
    except InvalidAnswer as error:
        from regard.checking.typed.advice import of_fields  # only where an answer is refused

        known = of_fields(asked, given.fields, str(error))
        if known:
            raise InvalidAnswer(known, field=error.field) from None
        more = beside_verdict(asked, given.fields, error.field)
        if not more:
            raise
        told = f"{error}\n{more[1:]}" if "\n" in str(error) else f"{error}{more}"
        raise InvalidAnswer(told, field=error.field, formula=error.formula) from None
    if not isinstance(verdict, Verdict):  # of a kind that a package brings
        got = type(verdict).__name__
        raise InvalidProblem(f"kind {asked.kind}: judge must return a Verdict. Got {got}.")
    return replace(verdict, answer={name: _text(field) for name, field in given.fields.items()})


def replay(problem: Problem | str | Path, answer: Any, seed: int) -> Counterexample:
    """Return the instance that a seed draws, with what the answer does on it worked out.

    Args:
        problem: a problem, its id or its file.
        answer: a file, or a dict of fields.
        seed: of a counterexample, or any other from 0 on where a law is there to draw from.

    Raises:
        InvalidAnswer: the answer cannot be read, or nothing is drawn with this seed.
    """
    asked, given = _both(problem, answer)
    module = _module(asked)
    with one_blas_thread(), np.errstate(all="ignore"):
        if hasattr(module, "replay"):
            example: Counterexample = module.replay(asked, given, seed)
            return example
        # A check draws the same instances every time.
        found = module.judge(asked, given).counterexample
    if found is None or found.seed != seed:
        raise InvalidAnswer(f"replay: the seed {seed} draws no counterexample to this answer.")
    return found


def _both(problem: Problem | str | Path, answer: Any) -> tuple[Problem, Answer]:
    if isinstance(problem, str | Path):
        problem = load(problem)
    accept = getattr(_module(problem), "accept", None)
    try:
        # A kind whose answers are no fields of formulas reads them itself.
        if accept is not None:
            given = accept(problem, answer)
        else:
            given = read(_fields(problem, answer), matrix_letters(problem))
    except InvalidAnswer as error:
        known = (
            _known(problem, error, words=False)
            or as_sentence(problem, error)
            or _known(problem, error, words=True)
        )
        if known:
            raise InvalidAnswer(known, field=error.field, formula=error.formula) from None
        hint = getattr(_module(problem), "hint", None)
        more = ("" if hint is None else hint(error)) or beside_reading(problem, error)
        raise InvalidAnswer(f"{error}{more}", field=error.field, formula=error.formula) from None
    infinite = infinite_factor(problem, given.fields)
    if infinite:
        raise InvalidAnswer(infinite)
    own = _module(problem)
    sizes = getattr(own, "sizes_of_ones", lambda problem: ())(problem)
    given = with_sized_ones(problem, given, sizes, getattr(own, "has_shape_of", None))
    if given.problem is not None and given.problem != problem.id:
        raise InvalidAnswer(
            f"check: the answer is to {given.problem[:80]!r}, and the problem is {problem.id!r}."
        )
    if given.seed is not None:
        problem = with_seed(problem, given.seed)
    return problem, given


def _known(problem: Problem, error: InvalidAnswer, *, words: bool) -> str:
    """Return what is said of a field that is no formula, where its slip is known."""
    if error.formula is None or not error.field:
        return ""
    from regard.checking.typed.advice import of_field  # only where an answer is refused

    return of_field(problem, error.field, error.formula.text, words=words)


def _fields(problem: Problem, answer: Any) -> Any:
    """Return an answer that is written out where a file could be named as a dict of fields."""
    is_text = isinstance(answer, str)
    if answer is None or (is_text and not answer.strip()):
        raise InvalidAnswer("check: the answer is empty.")
    if isinstance(answer, Mapping | Answer | Path) or (is_text and _names_a_file(answer)):
        return answer
    if not is_text and not isinstance(answer, Number | np.ndarray | list | tuple):
        return answer  # reading says what it may be
    named = _written_out(problem, answer) if is_text else None
    if named is not None:
        return named
    field = only_field(problem)
    impossible = says_impossible(problem, answer) if is_text else ""
    if impossible:
        raise InvalidAnswer(impossible)
    if field is None:
        wanted = [one.name for one in answer_fields(problem) if not one.optional]
        if not wanted:
            return answer
        from regard.checking.typed.advice import which_statements

        statements = which_statements(problem, answer) if is_text else ""
        if statements:
            raise InvalidAnswer(statements)
        names = ", ".join(wanted)
        shown = repr(answer if is_text else str(answer))[:82]
        raise InvalidAnswer(
            f"{shown}: there is no such file, and an answer to {problem.id} has the fields "
            f"{names}: say which this is, as in "
            f"{_example(problem, wanted, answer if is_text else '')}."
        )
    plain = {"true": True, "false": False}
    return {field: plain.get(answer.strip(), answer) if is_text else answer}


def _written_out(problem: Problem, text: str) -> dict[str, Any] | None:
    """Return the fields of a text such as `q = C k_a, C = 20`; None where it names none."""
    from regard.checking.typed.inline import apart, inline

    fields = answer_fields(problem)
    names = [one.name for one in fields]
    needed = [one.name for one in fields if not one.optional]
    asks = any(sign in one.example for one in fields for sign in "<>=")
    try:
        said = inline([text] if asks else apart(text, names), needed, names)
    except InvalidAnswer:
        return None
    return said if isinstance(said, dict) and {*said} <= {*names} else None


def _example(problem: Problem, wanted: list[str], typed: str) -> str:
    """Return the first fields as they are typed: name="…", or a=true where that is asked.

    The first holds what was typed, where that is short.
    """
    examples = {one.name: one.example for one in answer_fields(problem)}
    said = [
        f"{name}={examples[name]}" if examples[name] in ("true", "false") else f'{name}="…"'
        for name in wanted[:3]
    ]
    formulas = [one.strip() for one in typed.split(";")]
    if len(formulas) == len(wanted) and all(formulas) and typed.isprintable() and '"' not in typed:
        return " ".join(f'{name}="{one}"' for name, one in zip(wanted, formulas, strict=True))
    if said[0].endswith('="…"') and typed.isprintable() and len(typed) < 60 and '"' not in typed:
        said[0] = f'{wanted[0]}="{typed.strip()}"'
    return " ".join([*said, *(["…"] if len(wanted) > len(said) else [])])


def _names_a_file(text: str) -> bool:
    """Whether a text is the name of a file: one that is there, or that ends as answers do."""
    if "\0" in text or "\n" in text or len(text) > 1000:
        return False
    path = Path(text)
    return path.suffix in _ENDINGS or path.exists()


def _module(problem: Problem) -> ModuleType:
    judge = part(problem.kind, "judge")
    if judge is None:
        raise InvalidProblem(
            f"{problem.id}: answers to problems of kind {problem.kind} cannot be checked."
        )
    return judge


def _text(field: Any) -> str:
    """Write a field out, not much longer than a line or two."""
    if isinstance(field, Formula):
        text = str(field)
    elif isinstance(field, float):
        text = number(field, 12)
    elif isinstance(field, np.ndarray) and field.size <= 64:
        text = str(field.tolist())
    elif isinstance(field, np.ndarray):
        text = f"{' × '.join(map(str, field.shape))} numbers"
    elif isinstance(field, dict):
        text = ", ".join(f"{name} = {_text(item)}" for name, item in field.items())
    elif isinstance(field, list):
        text = "; ".join(_text(item) for item in field)
    elif isinstance(field, bool):
        text = str(field).lower()
    else:
        text = str(field)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
