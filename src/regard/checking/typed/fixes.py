"""What is said beside an answer that cannot be read: the form of a field, a decimal point, a word.

Each is asked of the text that was typed, never of another message.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from regard.checking.typed.names import field_meant
from regard.errors import InvalidAnswer
from regard.language import Formula
from regard.problems import Problem
from regard.problems.answer_fields import answer_fields, only_field

__all__ = ["as_sentence", "beside_reading", "beside_verdict", "infinite_factor", "says_impossible"]

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
_IMPOSSIBLE: Final = frozenset(
    {
        *("impossible", "not possible", "none", "no", "false", "infeasible", "does not exist"),
        *("no solution", "no answer", "cannot be done", "it is impossible"),
    }
)
_WITH_POSSIBLE: Final = frozenset(
    ("query", "key", "separator", "heads", "self_attention", "sequences", "feasibility")
)
_TRUTHS: Final = frozenset(("true", "false"))


def beside_reading(problem: Problem, error: InvalidAnswer) -> str:
    """Say how a field is written whose text is no formula; "" where its own message is enough."""
    text = "" if error.formula is None else error.formula.text
    field = next((one for one in answer_fields(problem) if one.name == error.field), None)
    if error.formula is None or field is None:
        return ""
    shown = f"{field.name} = {field.example}"
    if field.example in _TRUTHS:
        return f"\nWrite {field.name} = true or {field.name} = false, and nothing else."
    if field.example.startswith("["):
        return f"\nWrite a list, as in {shown}."
    if field.example.startswith("{"):
        return f"\nWrite a table, as in {shown}."
    if not text.strip():
        return f"\nIt is written as in {shown} (which is not the answer)."
    return _decimal_point(text)


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


def beside_verdict(problem: Problem, fields: Mapping[str, Any]) -> str:
    """Say what else may be wrong with fields that were read and cannot be judged."""
    only = only_field(problem)
    if only is not None and only not in fields and len(fields) == 1:
        (name,) = fields
        if not field_meant(name, [only]):  # else the message itself says so
            return f" Write {only} for {name}."
    texts = (one.text for one in fields.values() if isinstance(one, Formula))
    return next(filter(None, map(_decimal_point, texts)), "")


def _decimal_point(text: str) -> str:
    """Say how decimals are written, for a text whose commas may be meant as points: 2,5; 0,25."""
    plain = text.strip()
    if not _DECIMAL.search(plain) or not _LIST_OF_DECIMALS.fullmatch(plain.replace("−", "-")):
        return ""
    is_list = ";" in plain
    bare = plain.strip("[](){} ") if not is_list else plain
    with_points = _DECIMAL.sub(r"\1.\2", bare).replace(";", ",")
    return f" Decimals have a point: write {with_points}, if that is meant."


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
