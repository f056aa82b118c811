"""What is said beside an answer that cannot be read: the form of a field, a decimal point, a word.

Each is asked of the text that was typed, never of another message.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from regard.checking.typed.names import SENTENCE, field_meant
from regard.errors import InvalidAnswer
from regard.language import Formula
from regard.problems import Problem
from regard.problems.answer_fields import AnswerField, answer_fields, only_field

__all__ = [
    "as_sentence",
    "beside_reading",
    "beside_verdict",
    "decimal_point",
    "infinite_factor",
    "says_impossible",
]

# Words that stand in sentences and in no formula.
_OF_SENTENCES: Final = frozenset(
    {
        *("the", "of", "in", "to", "do", "be", "it", "this", "that", "these", "its", "i", "we"),
        *("you", "my", "not", "all", "every", "each", "other", "others", "with", "when", "if"),
        *("so", "because", "then", "than", "there", "which", "can", "could", "would", "should"),
        *("must", "has", "have", "does", "dont", "know", "think", "idea", "sure", "much", "larger"),
    }
)
_WORD: Final = re.compile(r"(?<![\\\w^_{.])[A-Za-z]+(?![\w(])")
_DECIMAL: Final = re.compile(r"(?<![\d.])(\d+),(\d+)(?![\d.])")
_LIST_OF_DECIMALS: Final = re.compile(r"[\s\[({]*-?\d+(?:,\d+)?(?:\s*;\s*-?\d+(?:,\d+)?)*[\s\])}]*")
_GROUPED: Final = re.compile(r"(?<![\w.,])\d{1,3}(?:(?:\.\d{3})+,\d+|(?:\.\d{3}){2,})(?![\w.,])")
_EXPONENT: Final = re.compile(r"(?<![\w.,])(\d+),(\d+[eE][-+]?\d+)(?![\w.,])")
_BEFORE_NAME: Final = re.compile(r"(?<![\w.,(])(\d+),(\d+)(?=\s*[*·]?\s*[A-Za-z(\\])")
_SPACED: Final = re.compile(
    r"[\[(]?\s*(?=[^\])]*\d,\d)-?\d+(?:,\d+)?(?:\s+-?\d+(?:,\d+)?)+\s*[\])]?"
)
_LONGEST: Final = 60  # letters of an answer that are written once more
_IMPOSSIBLE: Final = frozenset(
    {
        *("impossible", "not possible", "none", "no", "false", "infeasible", "does not exist"),
        *("no solution", "no answer", "cannot be done", "it is impossible"),
    }
)
_WITH_POSSIBLE: Final = frozenset(
    ("query", "key", "separator", "heads", "self_attention", "sequences", "feasibility")
)
_FACTOR: Final = "C"
_TRUTHS: Final = frozenset(("true", "false"))


def beside_reading(problem: Problem, error: InvalidAnswer) -> str:
    """Say how a field is written whose text is no formula; "" where its own message is enough."""
    text = "" if error.formula is None else error.formula.text
    field = next((one for one in answer_fields(problem) if one.name == error.field), None)
    if error.formula is None:
        return ""
    if field is None:
        return _not_asked(problem, error)
    shown = f"{field.name} = {field.example}"
    point = decimal_point(text)
    if point:
        return f"\n{point[1:]}"
    if field.example in _TRUTHS:
        return f"\nWrite {field.name} = true or {field.name} = false, and nothing else."
    if field.example.strip('"').startswith("[") and text.strip()[:1] not in ("[", "("):
        return f"\nWrite a list, as in {shown}."
    if field.example.startswith("{"):
        return f"\nWrite a table, as in {shown}."
    if not text.strip():
        return f"\nIt is written as in {shown} (which is not the answer)."
    return ""


def _not_asked(problem: Problem, error: InvalidAnswer) -> str:
    """Say which fields there are, beside one that there is not."""
    asked = [one for one in answer_fields(problem) if not one.optional]
    if not asked or error.field is None:
        return ""
    first = f"{asked[0].name} = {asked[0].example}"
    names = ", ".join(one.name for one in asked)
    return f"\n{error.field[:40]} is not asked for. An answer has {names}, as in {first}."


def as_sentence(problem: Problem, error: InvalidAnswer) -> str:
    """Say what belongs into a field that holds a sentence; "" where it holds something else."""
    text = "" if error.formula is None else error.formula.text
    words = [word.casefold() for word in _WORD.findall(text)]
    if len(words) < 3 or sum(word in _OF_SENTENCES for word in words) < 2:
        return ""
    field = next((one for one in answer_fields(problem) if one.name == error.field), None)
    example = "" if field is None else f", as in {field.name} = {field.example}"
    return (
        f"answer: {error.field}: this reads as a sentence. What is checked is a formula{example} "
        f"(which is not the answer). The first step: regard hint {problem.id}"
    )


def beside_verdict(problem: Problem, fields: Mapping[str, Any], field: str | None = None) -> str:
    """Say what else may be wrong with fields that were read and cannot be judged.

    Args:
        problem: what is answered.
        fields: of the answer.
        field: the one that was being read when the judge gave up, where that is known.
    """
    asked = {one.name: one for one in answer_fields(problem)}
    if not fields and asked:
        written = ", ".join(f"{x.name} = {x.example}" for x in asked.values() if not x.optional)
        return f" It is written like this (which is not the answer): {written}."
    only = only_field(problem)
    if only is not None and len(fields) == 1 and not fields.keys() & {*asked, "possible"}:
        (name,) = fields
        if not field_meant(name, [only]):  # else the message itself says so
            return f" Write {only} for {name}."
    more = filter(None, (_in_a_field(asked, fields, name, field) for name in fields))
    return next(more, "")


def _in_a_field(
    asked: Mapping[str, AnswerField], fields: Mapping[str, Any], name: str, field: str | None
) -> str:
    """Say what is wrong with one field: words, fields that are swapped, two formulas in one."""
    said = fields[name]
    if not isinstance(said, Formula):
        return ""
    if said.names & SENTENCE - {"a"} and field in (None, name):
        if name not in asked:
            return f" {name} is not asked for: a remark stands behind a #."
        return f" It is written as in {name} = {asked[name].example} (which is not the answer)."
    numbers = [one for one, value in fields.items() if _is_number(value)]
    if name == _FACTOR and name in said.names and len(numbers) == 1 and numbers[0] in asked:
        (other,) = numbers
        value = fields[other]
        number = str(value) if isinstance(value, Formula) else f"{value:g}"
        return f" Have two fields changed places? Then write {other} = '{said}' and C = {number}."
    if {*said.relations} == {"="} and name in asked and not _asks_condition(asked[name]):
        return f" A field holds one formula, without =, such as {name} = '{said.sides[-1]}'."
    return decimal_point(said.text)


def _is_number(value: Any) -> bool:
    return isinstance(value, float) or (
        isinstance(value, Formula) and all(node.op == "number" for node in value.tree)
    )


def _asks_condition(field: AnswerField) -> bool:
    return any(sign in field.example for sign in "<>=")


def decimal_point(text: str) -> str:
    """Say how decimals are written, for a text whose commas may be meant as points: 2,5; 0,25."""
    plain = text.strip()
    fixed = _plain_numbers(plain)
    if fixed and fixed != plain:
        return f" Decimals have a point, and thousands no mark: write {fixed}, if that is meant."
    if not _DECIMAL.search(plain) or not _LIST_OF_DECIMALS.fullmatch(plain.replace("−", "-")):
        return ""
    is_list = ";" in plain
    bare = plain.strip("[](){} ") if not is_list else plain
    with_points = _DECIMAL.sub(r"\1.\2", bare).replace(";", ",")
    return f" Decimals have a point: write {with_points}, if that is meant."


def _plain_numbers(text: str) -> str:
    """Return a text with numbers such as 1.048.576, 1.000,5, 1,05e6 and 0,5 (x) in plain digits.

    >>> _plain_numbers("0,5 (v_a + v_b)"), _plain_numbers("[1,5 0,5 2]"), _plain_numbers("[1, 2]")
    ('0.5 (v_a + v_b)', '[1.5, 0.5, 2]', '[1, 2]')
    """
    if not text.isprintable() or len(text) > _LONGEST:
        return ""
    if _SPACED.fullmatch(text):
        return f"[{', '.join(text.strip('[]( )').replace(',', '.').split())}]"
    text = _GROUPED.sub(lambda n: n[0].replace(".", "").replace(",", "."), text)
    text = _EXPONENT.sub(r"\1.\2", text)
    if re.fullmatch(r"\[[^,\s]+\]", text):  # one number, which a comma had made a list
        return text.strip("[]")
    return _BEFORE_NAME.sub(r"\1.\2", text) if not re.search(r"[\[{]|\w\(", text) else text


def says_impossible(problem: Problem, text: str) -> str:
    """Return what to write for words that say that nothing does it; "" for any other text."""
    if text.strip(" .!").casefold() not in _IMPOSSIBLE or problem.kind not in _WITH_POSSIBLE:
        return ""
    if only_field(problem) == "error":  # how near one can come, which has an answer always
        return ""
    return f"{text.strip()[:40]!r}: to say that nothing does it, write possible=false."


def infinite_factor(problem: Problem, fields: Mapping[str, Any]) -> str:
    """Say how a factor that grows is written, where a formula is multiplied by infinity."""
    if problem.kind not in ("query", "heads", "self_attention", "sequences"):
        return ""
    for name, one in _formulas(fields):
        ops = {node.op for node in one.tree}
        infinite = any(node.op == "constant" and node.value == "inf" for node in one.tree)
        if infinite and ops & {"*", "·"} and "C" not in one.names:
            text = str(one).replace("inf", "C").replace("∞", "C")
            return (
                f"answer: {name}: infinity is no number to multiply by. A factor that may be as "
                f"large as one likes is called C: write {name} = {text!r}."
            )
    return ""


def _formulas(fields: Mapping[str, Any]) -> Iterator[tuple[str, Formula]]:
    for name, one in fields.items():
        if isinstance(one, Formula) and not one.is_condition:
            yield name, one
