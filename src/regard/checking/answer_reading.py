"""An answer read: from a file, or from a dict of fields, where texts are formulas.

What cannot be read is an InvalidAnswer, with the place.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from numbers import Rational
from pathlib import Path
from typing import Any

import numpy as np

from regard.checking.answers import Answer
from regard.checking.numbers.digits import written
from regard.checking.typed.formulas import as_typed
from regard.checking.typed.lost_backslashes import with_backslashes
from regard.checking.typed.matrix_products import letters_apart
from regard.checking.typed.running_index import Over, without_index
from regard.errors import FormulaError, InvalidAnswer, InvalidProblem
from regard.language import Formula, Limit, parse, parse_limit
from regard.problems.loading import parse as parse_file
from regard.problems.loading import read_file

_MOST_NUMBERS = 100_000
_DEEPEST = 8  # lists and tables within each other
_BESIDE = frozenset({"problem", "answer", "name", "schema", "seed"})  # the table of fields
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,79}")
_THOUSANDS = re.compile(
    r"(?<![\w.,])[0-9]{1,3}(?:(?:,[0-9]{3})+|(?:[ \u2009\u202f_][0-9]{3})+)(?![0-9,])"
)
_PERCENT = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*\\?%")
_BY = re.compile(r"\s*\(?\s*[0-9]+(?:\s*[x×]\s*[0-9]+)+\s*\)?\s*")
_INFINITE = frozenset(("inf", "infinity", "∞", r"\infty", "oo", math.inf))
_DECIMAL_COMMA = re.compile(r"\s*[0-9]+,(?:[0-9]{1,2}|[0-9]{4,})\s*")  # 7,5; 1,000 is a thousand
_YES_OR_NO = ("possible", "independent")  # fields of several kinds
_WORDS = {"yes": True, "true": True, "no": False, "false": False}


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
        extra = sorted(str(key) for key in set(data) - _BESIDE)
        if extra:
            raise InvalidAnswer(f"answer: {extra[0][:80]!r} does not belong beside [answer].")
    if problem is not None and not isinstance(problem, str):
        raise InvalidAnswer("answer: problem must be the id of a problem.")
    read_fields: dict[str, Any] = {}
    for name, value in fields.items():
        if name in ("problem", "seed") and "answer" not in data:
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
    seed = data.get("seed")
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
    if name == "C" and isinstance(value, str | float) and value in _INFINITE:
        return Limit(name, math.inf)  # as large as one likes
    if name == "C" and isinstance(value, str) and _DECIMAL_COMMA.fullmatch(value):
        point = value.strip().replace(",", ".")
        raise InvalidAnswer(f"answer: C: is {value.strip()} one number? Then write {point}.")
    if isinstance(value, Rational | Decimal):
        value = value if isinstance(value, bool | int) else float(value)
    if isinstance(value, str):
        if name in _YES_OR_NO and value.strip().lower() in _WORDS:
            return _WORDS[value.strip().lower()]
        value = with_backslashes(value)
        try:
            found = parse(value)
            return _reread(value, found)
        except FormulaError as error:
            limit = _limit(value)
            if limit is not None and limit.name == name:  # C = "C -> inf"
                return limit
            if _THOUSANDS.search(value):  # 1,048,576
                together = _THOUSANDS.sub(lambda n: re.sub(r"[^0-9]", "", n[0]), value)
                return _field(name, together, depth)
            if name.startswith("shape") and _BY.fullmatch(value):  # 4 x 10 x 64
                return _field(name, re.sub(r"\s*[x×]\s*", ", ", value), depth)
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
    if value is None:
        raise InvalidAnswer(f"answer: {name} is empty: write what belongs there, or leave it out.")
    raise InvalidAnswer(
        f"answer: {name}: cannot read {type(value).__name__}. Write the formula as text, such as "
        '"1/2 (x + y)".'
    )


_WORDS_OF_OTHERS = {
    *("for", "where", "with", "when", "as", "large", "big"),
    *("array", "tensor", "matmul", "bmm", "mm", "add", "mT", "eye", "per"),
}
_CALLS_OF_OTHERS = re.compile(r"\.dot\(|softmax\(.*,\s*-?1\s*\)", re.DOTALL)


def _reread(text: str, found: Any) -> Any:
    """Return a formula; one in which words of other languages stand as names is read again."""
    upright = "T" in found.names and "\\" in text  # K^{\mathsf T}
    calls = _CALLS_OF_OTHERS.search(text) is not None  # np.dot(Q, K.T), softmax(Z, -1)
    if not upright and not calls and not _WORDS_OF_OTHERS & found.names:
        return found
    again = as_typed(text)
    try:
        return found if again == text else parse(again)
    except FormulaError:
        return found


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
            sizes = [len(item) for item in items if item.ndim]
            unlike = next(k for k, size in enumerate(sizes) if size != sizes[0])
            raise InvalidAnswer(
                f"answer: {name}: its rows are of different lengths: row 1 has {sizes[0]} and row "
                f"{unlike + 1} has {sizes[unlike]}. Write every entry, zeros too."
                if len(sizes) == len(items) and len({*sizes}) > 1
                else f"answer: {name}: its rows are of different lengths."
            )
        return np.array(items)
    return items
