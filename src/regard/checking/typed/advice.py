"""What to write instead, where the slip in a refused answer is known: the whole message of it.

It is asked only after an answer was refused. What it proposes was typed by whoever answers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from regard.checking.typed.fixes import decimal_point
from regard.checking.typed.names import SENTENCE, fields_meant
from regard.checking.typed.slips import NOT_CALCULATED, formula, of_equation, of_text, without_every
from regard.errors import InvalidAnswer
from regard.language import Formula
from regard.problems import Problem
from regard.problems.answer_fields import AnswerField, answer_fields
from regard.problems.registry import looked_up

__all__ = ["of_field", "of_fields", "which_statements"]

_ZEROS: Final = re.compile(
    r"(?:the\s+)?(?:zeros?[\s-]*vector|null\s*vector|0\s*vector|vector\s+of\s+zeros?|zeros?|nil)\s*\.?"
    r"|\\(?:vec|mathbf|boldsymbol|bm)\s*\{?\s*0\s*\}?",
    re.IGNORECASE,
)
_ENTRY: Final = re.compile(r"\s*([A-Za-z]\w*?)(?:_?\{?(\d)\}?|\[(\d)\])\s*=\s*([-−]?[\d./]+)\s*")
_LARGE: Final = frozenset(("large", "big", "huge", "number", "infinity", "scalar", "constant"))
_UNKNOWN: Final = re.compile(r"answer: \w+: '?(\w+)'? is (?:not a|no) name ")
_LONGEST: Final = 80  # characters of a text that are written once more
_OPERATORS: Final = frozenset("RFGHPW")  # letters of rotations, maps and functions
_LETTERS: Final = {"t": True, "f": False, "1": True, "0": False, "y": True, "n": False}


def of_field(problem: Problem, name: str, text: str, *, words: bool = True) -> str:
    """Return what is said of the text of one field, where its slip is known; "" where not.

    Args:
        problem: what is answered.
        name: of the field.
        text: that was typed.
        words: whether to say that a field holds no words.
    """
    asked = {one.name: one for one in answer_fields(problem)}
    together = _one_list(asked, [f"{name}={text}"]) or _one_list(asked, [text])
    together = together or _named_apart(asked, f"{name}={text}")
    if together:
        return f"answer: {together}"
    field = asked.get(name)
    if field is None:
        remark = _of_remark(asked, name, text)
        return f"answer: {remark}" if remark else ""
    said = _of_asked(problem, field, text) or (_of_words(problem, field, text) if words else "")
    return f"answer: {name}: {said}" if said else ""


def _named_apart(asked: Mapping[str, AnswerField], text: str) -> str:
    """Write q1=…, q2=… in one text as the fields that are meant."""
    pieces = [one.partition("=") for one in re.split(r"[,;]\s*(?=[A-Za-z]\w*\s*=(?!=))", text)]
    names = [name.strip() for name, _, _ in pieces]
    pairs = fields_meant(names, [name for name in asked if name not in names])
    if len(pieces) < 2 or len(pairs) < len(names) or len(text) > _LONGEST:
        return ""
    told = " ".join(
        f'{pairs[name]}="{said.strip()}"' for name, (_, _, said) in zip(names, pieces, strict=True)
    )
    return f"Write {told}" if text.isprintable() and '"' not in text else ""


def _of_remark(asked: Mapping[str, AnswerField], name: str, text: str) -> str:
    words = {*re.findall(r"[A-Za-z]+", text)}
    if not asked or not words & SENTENCE - {"a"}:
        return ""
    return f"{name[:40]} is not asked for: a remark stands behind a #."


def _of_asked(problem: Problem, field: AnswerField, text: str) -> str:
    point = decimal_point(text).strip()
    if point:
        return point
    is_condition = any(sign in field.example for sign in "<>=")
    rest = without_every(text) if is_condition else ()
    if rest and not _refusal(problem, {field.name: formula(rest[1])}):
        return f"It is meant for every i: leave {rest[0]} out: write {rest[1]}"
    said = "" if is_condition else of_equation(field.name, text)
    if said == NOT_CALCULATED:
        return f"{said}, as in {field.name} = {field.example} (which is not the answer)."
    said = said or of_text(text)
    if said:
        return said
    if _ZEROS.fullmatch(text.strip()):
        width = _width(problem, field.name)
        return f"The vector of zeros is written zeros({width})." if width else ""
    return ""


def _of_words(problem: Problem, field: AnswerField, text: str) -> str:
    """Say that a field holds no words, and what a factor is called where there is one."""
    is_condition = any(sign in field.example for sign in "<>=")
    words = {*re.findall(r"(?<![\\\w])[A-Za-z]+(?!\w)", text)}
    if words & SENTENCE - {"a"} and not is_condition and not field.optional:
        large = any(one.name == "C" for one in answer_fields(problem)) and words & _LARGE
        factor = " A factor that may be as large as one likes is called C." * bool(large)
        return (
            f"A field holds a formula, without words.{factor} It is written as in {field.name} = "
            f"{field.example} (which is not the answer)."
        )
    return ""


def _width(problem: Problem, name: str) -> str:
    """Return how many entries a vector has, as the judge tells it of a zero; "" for no vector."""
    found = re.search(r"write zeros\((\d+)\)", _refusal(problem, {name: formula("0")}))
    return found[1] if found else ""


def _refusal(problem: Problem, fields: Mapping[str, Any]) -> str:
    """Return why the judge refuses these fields; "" where it reads them."""
    from regard.checking.answers import Answer

    try:
        with np.errstate(all="ignore"):
            looked_up(problem.kind, "judge", "judge")(problem, Answer(fields))
    except InvalidAnswer as error:
        return str(error)
    return ""


def of_fields(problem: Problem, fields: Mapping[str, Any], refused: str) -> str:
    """Return what is said of the fields of an answer that was read and refused; "" if nothing.

    Args:
        problem: what is answered.
        fields: of the answer.
        refused: why they were refused.
    """
    asked = {one.name: one for one in answer_fields(problem)}
    texts = {
        name: str(value.text) if isinstance(value, Formula) else f"{value:g}"
        for name, value in fields.items()
        if isinstance(value, Formula | float)
    }
    together = _one_list(asked, [f"{name}={text}" for name, text in texts.items()])
    if together:
        return f"answer: {together}"
    names = _names(problem, asked, fields)
    if names:
        return f"answer: {names}"
    truths = _numbers_for_truths(asked, fields)
    if truths:
        return truths
    for name, text in texts.items():
        if name not in asked and refused.startswith(f"answer: {name}: "):
            said = _of_remark(asked, name, text)
            if said:
                return f"answer: {said}"
        about = re.match(rf"answer: {name}\b", refused) is not None or len(texts) == 1
        if name in asked and about and isinstance(fields[name], Formula):
            said = _of_unknown(problem, fields, name, refused)
            said = said or _of_values(problem, name, fields[name])
            said = said or of_field(problem, name, text)
            if said:
                return said
    return ""


def _names(problem: Problem, asked: Mapping[str, AnswerField], fields: Mapping[str, Any]) -> str:
    """Say which names to write for those that are none of the asked."""
    missing = [name for name, one in asked.items() if not one.optional and name not in fields]
    others = [name for name in fields if name not in asked]
    if not missing or not others:
        return ""
    entry = re.fullmatch(r"(\w+?)_\{?[ij]{1,2}\}?", others[0])
    shapes = getattr(getattr(problem, "given", None), "shapes", None) or {}
    if entry is not None and missing == [entry[1]] and entry[1].isupper():
        of = [one for one in shapes if one.isupper() and one != entry[1]]
        made = f", in {' and '.join(of)}" if 0 < len(of) < 4 else ""
        return f"{others[0]} is one entry. Asked for is {entry[1]}, the whole matrix{made}."
    pairs = fields_meant(others, missing)
    if len(pairs) < 2:
        return ""
    told = [f"{wanted} for {given}" for given, wanted in pairs.items()]
    if len(told) == 2:
        return f"Write {told[0]} and {told[1]}."
    return f"Write {', '.join(told)}."


def _of_unknown(problem: Problem, fields: Mapping[str, Any], name: str, refused: str) -> str:
    """Say what is meant by k1, by R(x), and by an entry of a matrix; "" for other refusals."""
    text = fields[name].text
    if not refused.startswith(f"answer: {name}: "):
        return ""
    entries = re.search(r"_\{?[ij]|δ|delta", text) or not _UNKNOWN.match(refused)
    if problem.kind == "gradient" and name == "J" and entries and "diag" not in text:
        return (
            "answer: J is an n × n matrix, with an entry for every pair. diag(x) is the "
            "matrix with x on its diagonal."
        )
    product = re.search(r"(\w)_i\s*\*?\s*(\w)_j", text)
    if problem.kind == "gradient" and product is not None:
        return (
            f"answer: {name}: {product[0]} is one entry. outer(x, y) is the matrix with the "
            "entries x_i y_j."
        )
    unknown = _UNKNOWN.match(refused)
    if unknown is None:
        return ""
    if re.fullmatch(r"[A-Za-z]+\d", unknown[1]):
        mended = re.sub(r"(?<![\w.])([A-Za-z]+)(\d)(?!\w)", r"\1_\2", text)
        again = formula(mended) if len(text) < _LONGEST else None
        if again is not None and not _refusal(problem, {**fields, name: again}):
            return f"answer: {name}: An index follows an underscore: write {mended}"
    if re.search(rf"(?<!\w){unknown[1]}\(", text) and unknown[1] in _OPERATORS:
        called = unknown[1]
        return f"answer: {name}: {called}(…) is no function here: write out what {called} is."
    return ""


def _of_values(problem: Problem, name: str, said: Formula) -> str:
    """Say that a query is made of keys, of one that is made of values alone."""
    values = sorted(one for one in said.names if re.fullmatch(r"v_\w+", one))
    if problem.kind != "query" or not values or said.names - {*values, "C"}:
        return ""
    return (
        f"answer: {name}: This is made of values, {' and '.join(values)}. A query is made of keys."
    )


def _numbers_for_truths(asked: Mapping[str, AnswerField], fields: Mapping[str, Any]) -> str:
    """Write true for 1 and false for 0 in all fields that are true or false."""
    given = {name: fields[name] for name in asked if isinstance(fields.get(name), float)}
    if len(given) < 2 or any(asked[one].what != "true or false" for one in given):
        return ""
    if not {*given.values()} <= {0.0, 1.0}:
        return ""
    told = " ".join(f"{name}={str(bool(one)).lower()}" for name, one in given.items())
    return f"answer: Write true for 1 and false for 0: {told}"


def _one_list(asked: Mapping[str, AnswerField], texts: list[str]) -> str:
    """Say that entries which were written one by one go into one list."""
    entries = [_ENTRY.fullmatch(piece) for text in texts for piece in re.split(r"[,;]", text)]
    if len(entries) < 2 or None in entries:
        return ""
    found = [one for one in entries if one is not None]
    bases = {one[1] for one in found}
    numbers = [int(one[2] or one[3]) for one in found]
    if len(bases) > 1 or numbers not in ([*range(1, len(found) + 1)], [*range(len(found))]):
        return ""
    (base,) = bases
    if base not in asked or not asked[base].example.strip('"').startswith("["):
        return ""
    listed = ", ".join(one[4] for one in found)
    return f"The entries of {base} go into one list: {base}=[{listed}]."


def which_statements(problem: Problem, text: str) -> str:
    """Say how true and false are written for each statement: TTFT, or the letters of true ones.

    Only where each letter is that of a statement, or there is one for every statement.
    """
    names = [one.name for one in answer_fields(problem) if not one.optional]
    if len(names) < 2 or any(one.what != "true or false" for one in answer_fields(problem)[:2]):
        return ""
    plain = re.sub(r"[\s,;/.-]+", "", text).casefold()
    listed = [*plain]
    if len(plain) == len(names) and {*plain} <= {*_LETTERS} and len({*plain}) <= 2:
        truths = [_LETTERS[letter] for letter in plain]
    elif listed and {*listed} <= {*names} and listed == sorted({*listed}):
        truths = [name in listed for name in names]
    else:
        return ""
    told = " ".join(f"{n}={str(one).lower()}" for n, one in zip(names, truths, strict=True))
    return f"{text.strip()[:40]!r}: say it of each statement. If this is meant: {told}"
