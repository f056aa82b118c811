"""Answers: fields of formulas and numbers, read from a file or given as a dict.

An answer that cannot be read is an InvalidAnswer; one that can be read and is not right gets a
verdict.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.checking.digits import written
from regard.checking.typed.formulas import as_typed
from regard.checking.typed.matrix_products import letters_apart
from regard.checking.typed.running_index import Over, without_index
from regard.errors import FormulaError, InvalidAnswer, InvalidProblem
from regard.language import Formula, Limit, parse, parse_limit
from regard.language.formula.vocabulary import GREEK_WORDS
from regard.problems.loading import parse as parse_file
from regard.problems.loading import read_file

Float64 = NDArray[np.float64]
Value = float | Float64
_MOST_NUMBERS = 100_000
_DEEPEST = 8  # lists and tables within each other
_BESIDE = frozenset({"problem", "answer", "name", "schema", "seed"})  # the table of fields
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,79}")
_THOUSANDS = re.compile(
    r"(?<![\w.,])[0-9]{1,3}(?:(?:,[0-9]{3})+|(?:[ \u2009\u202f_][0-9]{3})+)(?![0-9,])"
)
_PERCENT = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*\\?%")
_YES_OR_NO = ("possible", "independent")  # fields of several kinds
_WORDS = {"yes": True, "true": True, "no": False, "false": False}


@dataclass(frozen=True, eq=False)
class Answer:
    """The fields of an answer.

    Attributes:
        fields: formulas (of texts), limits such as "C -> inf", numbers and arrays, true or false,
            lists of tables; by name.
        problem: the id that an answer file names, or None.
        decimals: how many each number is written with, by name and nested as the field is.
        seed: of the variant that the answer is to, or None.
    """

    fields: Mapping[str, Any]
    problem: str | None = None
    decimals: Mapping[str, Any] = field(default_factory=dict)
    seed: int | None = None

    def need(self, name: str, *others: str) -> Any:
        """Return a field, under any of these names; InvalidAnswer where it is missing."""
        for one in (name, *others):
            if one in self.fields:
                return self.fields[one]
        given = ", ".join(self.fields) or "nothing"
        plain = {one.replace("_", "").casefold(): one for one in self.fields}
        near = plain.get(name.replace("_", "").casefold())
        fix = "." if near is None else f": write {name} for {near}."
        raise InvalidAnswer(f"answer: {name} is missing. Got {given}{fix}")

    def has(self, name: str) -> bool:
        """Whether a field is there."""
        return name in self.fields

    def only(self, *names: str) -> None:
        """Raise InvalidAnswer where there is a field that is not among names."""
        unknown = sorted(set(self.fields) - set(names))
        if unknown:
            raise InvalidAnswer(
                f"answer: {unknown[0]} is no field of this kind of problem: use {', '.join(names)}."
            )

    def beside(self, *names: str) -> tuple[str, ...]:
        """Return the names that the answer declares for itself, beside these fields."""
        return tuple(name for name in self.fields if name not in names)

    @property
    def used(self) -> frozenset[str]:
        """The names that formulas of the answer use."""
        formulas = [said for said in self.fields.values() if isinstance(said, Formula)]
        return frozenset[str]().union(*(formula.names for formula in formulas))

    def behind(self, name: str) -> list[Formula]:
        """Return the formulas that a field is made of, also through names the answer declares."""
        found: list[Formula] = []
        left, seen = [name], {name}
        while left:
            said = self.fields.get(left.pop())
            if isinstance(said, Formula):
                found.append(said)
                new = said.names - seen
                seen |= new
                left += new
        return found

    def value(
        self,
        name: str,
        symbols: Mapping[str, Value],
        *,
        context: str = "this problem",
    ) -> Value | bool:
        """Evaluate a field with these symbols; numbers are themselves.

        Raises:
            InvalidAnswer: the field is missing, uses names that are not declared, or has shapes
                that do not fit.
        """
        return evaluate(name, self.need(name), symbols, context=context)


def evaluate(
    name: str, field: Any, symbols: Mapping[str, Value], *, context: str = "this problem"
) -> Value | bool:
    """Evaluate what an answer says under `name`."""
    if isinstance(field, Limit):
        raise InvalidAnswer(f"answer: {name} must be a formula or numbers, not a limit.")
    if not isinstance(field, Formula):
        return np.asarray(field, float) if isinstance(field, np.ndarray) else field
    unknown = sorted(field.names - set(symbols))
    if unknown:
        raise InvalidAnswer(
            f"answer: {name}: {unknown[0]} is not a name in {context}."
            f"{_meant(unknown[0], symbols)} Declared are {', '.join(sorted(symbols))}."
        )
    try:
        return field.evaluate(symbols)
    except FormulaError as error:
        raise InvalidAnswer(f"answer: {name}: {error}") from None


def _meant(unknown: str, symbols: Mapping[str, Value]) -> str:
    """Say what an undeclared name may stand for, where that can be told."""
    for known in sorted(symbols):
        if known.replace("_", "").casefold() == unknown.replace("_", "").casefold():
            return f" Is {known} meant?"
        if len(unknown) > 2 and known.startswith(unknown):  # eps
            return f" Is {known} meant?"
    for at in range(1, len(unknown)):
        if unknown[:at] in symbols and unknown[at:] in symbols:
            return f" For the product write {unknown[:at]} {unknown[at:]}, with a space."
    if "C" in symbols and (len(unknown) == 1 or unknown in GREEK_WORDS):
        return " A factor that may be as large as one likes is called C."
    if len(unknown) > 3 and unknown.isalpha() and unknown not in GREEK_WORDS:
        return " A field holds a formula, without words."
    return ""


def without_name(name: str, said: Any) -> Any:
    """Return a field; `s = sqrt(D)`, with its name before it, is sqrt(D)."""
    if isinstance(said, Formula) and said.relations == ("=",) and str(said.sides[0]) == name:
        return said.sides[1]
    return said


def read(answer: Any, letters: frozenset[str] = frozenset()) -> Answer:
    """Return the answer in a file (TOML or JSON), or in a dict of fields.

    Args:
        answer: the file, or the fields.
        letters: names of matrices, of which QK is the product of Q and K.

    Raises:
        InvalidAnswer: it cannot be read; the message says why.
    """
    if isinstance(answer, Answer):
        return answer
    if isinstance(answer, str | Path):
        path = Path(answer)
        try:
            text = read_file(path)
        except InvalidProblem as error:
            raise InvalidAnswer(str(error)) from None
        return loads(text, str(path), is_json=path.suffix == ".json", letters=letters)
    if isinstance(answer, Mapping):
        return from_dict(answer, letters)
    raise InvalidAnswer(
        f"check: answer must be a file or a dict of fields. Got {type(answer).__name__}."
    )


def loads(
    text: str,
    name: str = "answer",
    *,
    is_json: bool = False,
    letters: frozenset[str] = frozenset(),
) -> Answer:
    """Return the answer written in text; `name` is what messages call it."""
    try:
        data = parse_file(text, name, is_json=is_json)
    except InvalidProblem as error:
        raise InvalidAnswer(str(error)) from None
    return from_dict(data, letters)


def from_dict(data: Mapping[Any, Any], letters: frozenset[str] = frozenset()) -> Answer:
    """Return the answer that plain data describes: its fields, or `problem` and `answer`."""
    problem = data.get("problem")
    fields = data.get("answer", data)
    if not isinstance(fields, Mapping):
        raise InvalidAnswer("answer: must be a table of fields.")
    if "answer" in data:
        extra = sorted(
            str(key) for key in set(data) - {"problem", "answer", "name", "schema", "seed"}
        )
        if extra:
            raise InvalidAnswer(f"answer: {extra[0][:80]!r} does not belong beside [answer].")
    if problem is not None and not isinstance(problem, str):
        raise InvalidAnswer("answer: problem must be the id of a problem.")
    read_fields: dict[str, Any] = {}
    for name, value in fields.items():
        if name == "problem" and "answer" not in data:
            continue
        over: dict[str, Over] = {}
        if letters and isinstance(value, str):
            value = letters_apart(value, letters)
        if name == "condition" and isinstance(value, str):
            value, over = without_index(value)
        read_fields |= {_name(name): _field(str(name), value), **over}
    decimals = {name: written(fields.get(name)) for name in read_fields}
    return Answer(read_fields, problem, decimals, _seed(data))


def _seed(data: Mapping[Any, Any]) -> int | None:
    """Return the seed that stands beside the fields of an answer."""
    seed = data.get("seed") if "answer" in data else None
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int) or seed < 0):
        raise InvalidAnswer("answer: seed must be a whole number from 0 on.")
    return seed


def _name(name: Any) -> str:
    """Return a name that is one: it comes up in messages, which a terminal shows."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise InvalidAnswer(
            f"answer: {str(name)[:80]!r} is no name: use letters, digits and _, from a letter on."
        )
    return name


def _field(name: str, value: Any, depth: int = 0) -> Any:
    """Read one field: text is a formula, lists of numbers are arrays."""
    if depth > _DEEPEST:
        raise InvalidAnswer(f"answer: {name.partition('[')[0][:80]}: is nested too deeply.")
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, Formula):
        return value
    if isinstance(value, str):
        if name in _YES_OR_NO and value.strip().lower() in _WORDS:
            return _WORDS[value.strip().lower()]
        try:
            return parse(value)
        except FormulaError as error:
            limit = _limit(value)
            if limit is not None and limit.name == name:  # C = "C -> inf"
                return limit
            if _THOUSANDS.search(value):  # 1,048,576
                together = _THOUSANDS.sub(lambda n: re.sub(r"[^0-9]", "", n[0]), value)
                return _field(name, together, depth)
            if _PERCENT.search(value):
                return _field(name, _PERCENT.sub(r"(\1/100)", value), depth)
            again = as_typed(value)
            if again != value:
                return _field(name, again, depth)
            raise InvalidAnswer(f"answer: {name}: {error}", field=name, formula=error) from None
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return _number(name, value)
    if isinstance(value, Mapping):
        return {_name(key): _field(f"{name}.{key}", x, depth + 1) for key, x in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray | memoryview):
        return _list(name, value, depth + 1)
    raise InvalidAnswer(f"answer: {name}: cannot read {type(value).__name__}.")


def _limit(text: str) -> Limit | None:
    """Return the limit that a text is, such as C -> inf, or None."""
    try:
        return parse_limit(text)
    except FormulaError:
        return None


def _number(name: str, value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf  # and so not right, whatever was asked for


def _list(name: str, value: Sequence[Any], depth: int) -> Any:
    if len(value) > _MOST_NUMBERS:
        raise InvalidAnswer(f"answer: {name}: has more than {_MOST_NUMBERS} entries.")
    items = [_field(f"{name}[{i}]", item, depth) for i, item in enumerate(value)]
    if items and all(isinstance(item, float) for item in items):
        return np.array(items)
    if items and all(isinstance(item, np.ndarray) for item in items):
        if len({item.shape for item in items}) > 1:
            raise InvalidAnswer(f"answer: {name}: its rows are of different lengths.")
        return np.array(items)
    return items
