"""What an answer says: whether the output stays, what it becomes, or what the unknown is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice, product

import numpy as np

from regard.checking.answers import Answer, without_name
from regard.checking.typed.names import meant
from regard.errors import FormulaError, InvalidAnswer
from regard.kinds.symmetry.spec import OLD, SymmetryProblem
from regard.language import Formula, expanded, parse
from regard.language import abbreviations as read_functions
from regard.problems.assertions import Assertion
from regard.problems.symbols import MOST_NAMES, SymbolsGiven

_INSTEAD = " There are M^-1, M', tr(M), sum(x), diag(v), ones(n) and I(n)."
MOST_SHAPES = 2000  # that are tried for the names of an answer
WORDS = {"true": True, "yes": True, "t": True, "false": False, "no": False, "f": False}


@dataclass(frozen=True, eq=False)
class Said:
    """An answer, read.

    Attributes:
        invariant: whether the output is said to stay the same; None where that is not asked.
        assertion: that the output becomes what is said, or that the unknown is what is said; None
            where neither is asked.
        given: the symbols of the assertion; names that the answer brings in are any numbers.
        formula: what is said, as text.
    """

    invariant: bool | None
    assertion: list[Assertion]
    given: SymbolsGiven
    formula: str = ""


def read(problem: SymmetryProblem, answer: Answer) -> Said:
    """Return what an answer says.

    Raises:
        InvalidAnswer: a field is missing, cannot be read, or uses what it must not.
    """
    if problem.unknown:
        answer.only(problem.unknown)
        return _unknown(problem, answer)
    answer.only(*problem.goal.find)
    invariant = _truth(answer) if "invariant" in problem.goal.find else None
    if "becomes" not in problem.goal.find:
        return Said(invariant, [], problem.given)
    text = _formula(problem, answer, "becomes")
    changed = problem.changed()
    used = sorted(parse(text).names & {*problem.goal.change, *problem.given.functions})
    if used:
        raise InvalidAnswer(
            f"answer: becomes must be written with {OLD}, the output before the change, without "
            f"{used[0]}, which is changed."
        )
    allowed = {**problem.given.free_shapes(), OLD: ()}
    _declared(text, set(allowed) | set(problem.given.define))
    assertion = changed.same(text)
    _fits(assertion, problem.given, "becomes")
    return Said(invariant, [assertion], problem.given, text)


def _truth(answer: Answer) -> bool:
    field = answer.need("invariant")
    word = str(field).lower() if isinstance(field, Formula) else ""
    if isinstance(field, bool):
        return field
    if word in WORDS:
        return WORDS[word]
    raise InvalidAnswer("answer: invariant must be true or false.")


def _formula(problem: SymmetryProblem, answer: Answer, name: str) -> str:
    field = without_name(name, answer.need(name))
    if isinstance(field, float):
        return repr(field)
    if isinstance(field, np.ndarray) or not isinstance(field, Formula) or field.is_condition:
        raise InvalidAnswer(f"answer: {name} must be a formula.")
    try:
        functions = read_functions(problem.given.functions)
        if not field.names & set(functions):
            return str(field)
        return str(parse(expanded(field.text, functions)))  # as it was typed: S(X) is no product
    except FormulaError as error:
        raise InvalidAnswer(f"answer: {name}: {error}") from None


def _declared(text: str, known: set[str]) -> None:
    unknown = sorted(parse(text).names - known)
    if unknown:
        raise InvalidAnswer(
            f"answer: {unknown[0]} is not a name here.{meant(unknown[0], known, unknown)} Declared "
            f"are {', '.join(sorted(known))}."
        )


def _unknown(problem: SymmetryProblem, answer: Answer) -> Said:
    name = problem.unknown
    text = _formula(problem, answer, name)
    given = problem.given
    known = {*given.free_shapes(), *given.define}
    if name in parse(text).names:
        raise InvalidAnswer(
            f"answer: {name}: {name} is what is asked for: call what is arbitrary in it otherwise."
        )
    new = sorted(parse(text).names - known)
    typed = str(getattr(answer.need(name), "text", ""))
    called = next((one for one in new if _called(one, typed)), None)
    if called is not None:
        raise InvalidAnswer(f"answer: {name}: {called} is no function here.{_INSTEAD}")
    _as_numbers(new, given, name)
    text = _inverses(text, given)
    data = given.model_dump()
    shapes = {**data["shapes"], **_own_shapes(problem, text, new)}
    wide = SymbolsGiven.model_validate({**data, "shapes": shapes})
    own = problem.goal.unknown[name]
    try:
        shape = parse(text).shape({**wide.free_shapes(), **_defined(wide)}, own)
    except FormulaError as error:
        raise InvalidAnswer(f"answer: {name}: {error}") from None
    if tuple(shape) != tuple(own):
        raise InvalidAnswer(f"answer: {name} has another shape.")
    if not _sized(text, wide):  # c I: what is asked for has a size
        text = f"{text} + zeros({', '.join(map(str, own))})"
    stated = [
        Assertion(part.relation, part.left, part.right, {name: text, **part.where})
        for part in problem.condition()
    ]
    return Said(None, stated, wide, text)


def _as_numbers(names: list[str], given: SymbolsGiven, field: str) -> None:
    """Refuse names of an answer that cannot stand for any numbers."""
    called = {head.partition("(")[0].strip(): head for head in given.functions}
    for name in names:
        if name in called:
            raise InvalidAnswer(
                f"answer: {field}: {name} is a function here: write what it is of, such as "
                f"{called[name]}."
            )
    most = MOST_NAMES - len(given.shapes)
    if len(names) > most:
        raise InvalidAnswer(
            f"answer: {field}: {len(names)} names are arbitrary in it. Use {most} at most."
        )


def _sized(text: str, given: SymbolsGiven) -> bool:
    """Whether the size of a formula follows from itself."""
    try:
        parse(text).shape({**given.free_shapes(), **_defined(given)})
    except FormulaError:
        return False
    return True


def sizes_of_ones(problem: SymmetryProblem) -> tuple[str, ...]:
    """Return what may be meant by the length of a vector of ones."""
    wanted = problem.goal.unknown.get(problem.unknown, [])
    return tuple(dict.fromkeys(map(str, [*wanted, *problem.given.size_names])))


def has_shape_of(problem: SymmetryProblem, name: str, formula: Formula) -> bool:
    """Whether a formula has the shape of a field, as far as names of sizes tell."""
    given = problem.given
    known = {**given.free_shapes(), **_defined(given)}
    text = str(formula)
    try:
        if name == problem.unknown:
            new = sorted(formula.names - set(known))
            own = _own_shapes(problem, text, new)
            shapes = {**known, **{one: tuple(shape) for one, shape in own.items()}}
            wanted = tuple(problem.goal.unknown[name])
            return tuple(parse(text).shape(shapes, wanted)) == wanted
        output = given.shape_of(problem.goal.output or "", "output")
        return tuple(parse(text).shape({**known, OLD: output}, output)) == output
    except (FormulaError, ValueError):
        return False


def _own_shapes(
    problem: SymmetryProblem, text: str, names: list[str]
) -> dict[str, list[int | str]]:
    """Return shapes of the arbitrary names of an answer, with which it is what is asked for.

    They are numbers if that fits, else columns and matrices: in ones(N) b' for a matrix, b is one.
    """
    given = problem.given
    known = {**given.free_shapes(), **_defined(given)}
    wanted = tuple(problem.goal.unknown[problem.unknown])
    sizes: list[int | str] = list(dict.fromkeys([*wanted, *given.size_names]))
    plain: list[list[int | str]] = [[]]
    wide = [[one] for one in sizes] + [[one, other] for one in sizes for other in sizes]
    for shapes in islice(product(plain + wide, repeat=len(names)), MOST_SHAPES):
        own = dict(zip(names, shapes, strict=True))
        try:
            found = parse(text).shape({**known, **{n: tuple(s) for n, s in own.items()}}, wanted)
        except FormulaError:
            continue
        if tuple(found) == wanted:
            return own
    return {name: [] for name in names}


def _called(name: str, text: str) -> bool:
    """Whether a name that is not declared stands like a function: det(M), and not t (A + B)."""
    return len(name) > 2 and re.search(rf"(?<!\w){re.escape(name)}\(", text) is not None


def _inverses(text: str, given: SymbolsGiven) -> str:
    """Return a formula in which the pseudo-inverse of a square matrix is its inverse.

    Unknowns are sought for matrices that can be inverted, and there the two are the same.
    """

    def inverse(found: re.Match[str]) -> str:
        shape = given.free_shapes().get(found[1], ())
        return f"({found[1]}^-1)" if len(shape) == 2 and shape[0] == shape[1] else found[0]

    return re.sub(r"(?<!\w)pinv\((\w+)\)", inverse, text)


def _defined(given: SymbolsGiven) -> dict[str, tuple[int | str, ...]]:
    return {name: given.shape_of(name, "define") for name in given.define}


def _fits(assertion: Assertion, given: SymbolsGiven, name: str) -> None:
    """Refuse a formula of another shape than the output."""
    shapes = given.free_shapes()
    try:
        for one, text in assertion.where.items():
            shapes[one] = parse(text).shape(shapes)
        wanted = shapes[assertion.left]
        parse(assertion.right).shape(shapes, wanted)
    except FormulaError as error:
        raise InvalidAnswer(f"answer: {name}: {error}") from None
