"""What is wrong with a problem, in sentences: the key, its line, and what was expected."""

from __future__ import annotations

import re
from typing import Any

from pydantic import ValidationError

from regard.problems.loading.lines import line_of

# Names that pydantic puts into a path for the alternatives of a union, which are no keys.
_ALTERNATIVES = {"fixed", "orthonormal", "orthogonal", "gaussian", "arbitrary", "unit"}
# A rule about several keys begins with the one that breaks it: "names: …", "queries[0]: …".
_KEY_FIRST = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*|\[\d+\])*(?=: | must )")


def sentences(error: ValidationError, name: str, text: str, kind: str) -> tuple[str, ...]:
    """Return one sentence for each thing that is wrong with the problem called `name`."""
    errors = error.errors(include_url=False)
    # Where one alternative of a value is a fixed word, what is wrong with the other says more.
    places = [_path(one) for one in errors if one["type"] != "literal_error"]
    told = [e for e in errors if e["type"] != "literal_error" or _path(e) not in places]
    found = [_sentence(one, name, text, kind) for one in told]
    return tuple(dict.fromkeys(found))  # alternatives may complain in the same words


def _sentence(error: Any, name: str, text: str, kind: str) -> str:
    path = _path(error)
    message = _words(error, kind)
    exact = (*path, *_keys_in(message)) if error["type"] == "value_error" else path
    key = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    end = "" if "\n" in message else "."  # a formula with a mark below it ends as it is
    return f"{where(name, text, exact)}{key[1:] + ': ' if key else ''}{message}{end}"


def _path(error: Any) -> tuple[str | int, ...]:
    """Return where in the file an error is."""
    return tuple(part for part in error["loc"] if not _is_alternative(part))


def where(name: str, text: str, path: tuple[str | int, ...]) -> str:
    """Return the name of a file and, if it can be found, the line of a key in it."""
    line = line_of(text, path) if text else None
    return f"{name}: line {line}: " if line else f"{name}: "


def _is_alternative(part: str | int) -> bool:
    if isinstance(part, int):
        return False
    return part in _ALTERNATIVES or part.startswith("function") or bool(set(part) & set("[](){}' "))


def _keys_in(message: str) -> tuple[str | int, ...]:
    match = _KEY_FIRST.match(message)
    parts = re.findall(r"\w+", match[0]) if match else []
    return tuple(int(part) if part.isdigit() else part for part in parts)


def _words(error: Any, kind: str) -> str:
    """Word an error of pydantic as regard words its own."""
    context = error.get("ctx", {})
    shown = str(error.get("input"))[:40]
    words = {
        "missing": "is missing",
        "extra_forbidden": f"is no key of a problem of kind {kind}",
        "dict_type": "must be a table: { name = … }",
        "model_type": "must be a table: { name = … }",
        "model_attributes_type": "must be a table: { name = … }",
        "list_type": "must be a list: [ … ]",
        "string_type": "must be text",
        "bool_type": "must be true or false",
        "bool_parsing": "must be true or false",
        "float_type": "must be a number",
        "string_pattern_mismatch": f"must be small letters, digits and -, not {shown!r}",
        "finite_number": "must be a finite number",
    }
    if error["type"] == "string_type" and error["loc"][-2:-1] == ("vary",):
        return 'must be a range in quotes: "5..12", "0.1..0.5", "2 | 3 | 5" or "simplex(2, 0.1)"'
    if error["type"] in words:
        return words[error["type"]]
    match error["type"]:
        case "value_error":  # a rule of regard's own
            return str(context["error"]).rstrip(".")
        case "union_tag_invalid":
            return f"{context.get('tag')!r} is unknown: use one of {context.get('expected_tags')}"
        case "union_tag_not_found":
            return f"must say its {str(context.get('discriminator')).strip(chr(39))}"
        case "literal_error":
            return f"must be {context.get('expected')}, not {str(repr(error.get('input')))[:40]}"
        case "too_short" | "string_too_short":
            least = context.get("min_length", 1)
            return "must not be empty" if least == 1 else f"must have at least {least} entries"
        case "too_long" | "string_too_long":
            return f"must have at most {context.get('max_length')} entries or characters"
        case "greater_than_equal":
            return f"must be at least {context.get('ge')}, not {shown}"
        case "less_than_equal":
            return f"must be at most {context.get('le')}, not {shown}"
        case "greater_than":
            return f"must be more than {context.get('gt')}, not {shown}"
        case "less_than":
            return f"must be less than {context.get('lt')}, not {shown}"
        case "multiple_of":
            return f"must be a multiple of {context.get('multiple_of')}, not {shown}"
    return str(error["msg"]).rstrip(".")
