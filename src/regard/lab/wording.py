"""What pydantic found wrong with the arguments of a question, as a sentence."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

# The branches of a union, which pydantic names as if they were places.
BRANCH = re.compile(r"bool|int|float|str|constrained-\w+|list\[.*|function-before\[.*")
KINDS = {
    "bool_type": "true or false",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "string_type": "a text",
    "string_unicode": "a text in Unicode",
    "list_type": "a list",
    "dict_type": "an object",
    "model_type": "an object",
    "model_attributes_type": "an object",
    "literal_error": "{expected}",
    "greater_than": "more than {gt:g}",
    "greater_than_equal": "at least {ge:g}",
    "less_than": "less than {lt:g}",
    "less_than_equal": "at most {le:g}",
}
SAYINGS = {
    "missing": "is missing",
    "extra_forbidden": "is no argument of this question",
    "json_invalid": "is not JSON",
    "too_long": "has more than {max_length} entries",
    "too_short": "has fewer entries than {min_length}",
    "string_too_long": "has more than {max_length} characters",
    "string_too_short": "has fewer characters than {min_length}",
    "string_pattern_mismatch": "is not a number as it is written, such as 1/3 or -0.25",
}


def sentence(errors: Sequence[Mapping[str, Any]]) -> str:
    """Word the first finding: which argument, what is wrong with it.

    Where an argument may be one of several sorts, what is wrong with the sort that it is comes
    first; if it is none of them, all are named.
    """
    place = _place(errors[0])
    here = [error for error in errors if _place(error) == place]
    fitting = [error for error in here if not error["type"].endswith("_type")]
    if fitting:
        return f"{place} {_said(fitting[0])}."
    kinds = list(dict.fromkeys(KINDS[one["type"]] for one in here if one["type"] in KINDS))
    if not kinds:
        return f"{place} {_said(here[0])}."
    return f"{place} must be {' or '.join(kinds)}."


def _place(error: Mapping[str, Any]) -> str:
    if error["type"] == "json_invalid":
        return "The question"
    loc = [str(part) for part in error["loc"] if part != "body"]
    parts = [part for part in loc if not BRANCH.fullmatch(part)]
    text = "".join(f"[{part}]" if part.isdigit() else f".{part}" for part in parts).lstrip(".")
    return f"{text[:80]}:" if text else "The question"


def _said(error: Mapping[str, Any]) -> str:
    kind, bounds = error["type"], error.get("ctx", {})
    if kind in SAYINGS:
        return SAYINGS[kind].format_map(bounds)
    if kind in KINDS:
        return f"must be {KINDS[kind].format_map(bounds)}"
    return str(error["msg"][:1].lower() + error["msg"][1:])
