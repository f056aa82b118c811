"""What to say about text that the grammar does not recognise, and names that are not known."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

_COMMAND: Final = re.compile(r"\\([A-Za-z]+)")
_ACCENTS: Final = frozenset(
    {"bar", "hat", "tilde", "dot", "ddot", "overline", "underline", "widehat", "widetilde"}
)
_VAGUE: Final = frozenset(["gg", "ll", "approx", "sim", "simeq", "propto", "≫", "≪", "≈"])
_OPERATORS: Final = frozenset({"SIGN", "TIMES", "OVER", "CARET", "RELATION", "AND", "OR"})
_ENDS: Final = frozenset({"RPAR", "RBRACKET", "RBRACE", "RBAR", "RNORM", "RANGLE", "END"})
_MODULE: Final = re.compile(r"\b(?:np|numpy|math|torch|jnp|sp|scipy|linalg)\Z")
_MOST_NAMES: Final = 12  # in one message
_VAGUE_SENTENCE: Final = (
    "{0} says no number: write how much is enough, as in a - b >= 10 or abs(a - b) <= 0.01."
)
_ARROW: Final = (
    "An arrow says no number, and belongs to a limit such as alpha -> 0: write a formula, or how "
    "much is enough, as in a - b >= 10."
)
_MIXED: Final = re.compile(r"(?<![\w.])([0-9]+)\s+\Z")
_FRACTION: Final = re.compile(r"([0-9]+)\s*/\s*([0-9]+)(?![\w.])")


def unknown(text: str, column: int) -> str:
    """Return the sentence about characters that begin nothing of the language."""
    rest = text[column:]
    command = _COMMAND.match(rest)
    if command:
        return _unknown_command(command[1], rest)
    letter = rest[0]
    if letter in _VAGUE:
        return _VAGUE_SENTENCE.replace("{0}", letter)
    if letter == "→":
        return _ARROW
    if rest.startswith("_{"):
        return "An index is made of letters, digits and commas, as in x_{2i} or z_{3,1}."
    if letter == "_" and text[:column].rstrip().endswith((")", "]")):
        return (
            "An entry of an expression is not picked by an index: write it out, such as "
            "exp(s_j) / sum(exp(s)) for softmax(s)_j."
        )
    if letter == "_":
        return "A name begins with a letter, and each _ in it is followed by a letter or a digit."
    module = _MODULE.search(text[:column])
    if letter == "." and module:
        return f"Functions have no {module[0]} before them: write log(x), sqrt(x) or dot(u, v)."
    if letter == "." and rest[1:2] in ("*", "/", "^", "+", "-", "'"):
        return (
            f"MATLAB's .{rest[1]} has no point here: write {rest[1]}, and hadamard(x, y) for a "
            "product entry by entry."
        )
    if letter == "." and re.match(r"\.\s*[A-Za-z]", rest):
        one, other = re.search(r"\w*\Z", text[:column]), re.match(r"\.\s*(\w+)", rest)
        if one and one[0][:1].isupper() and other and other[1][:1].isupper():
            return f"A point does not multiply: write {one[0]} {other[1]}, with a space."
        if other and other[1][:1].isupper() and text[:column].rstrip()[-1:] in (")", "]"):
            return "A point does not multiply: write a space for the product of two matrices."
        return "A point does not multiply: write dot(u, v) or u' v."
    if letter == "." and re.match(r"\.\s*\(", rest):
        return "A point does not multiply: write a space."
    if letter == "#":
        return "What is said beside a formula has no place in it: leave it out."
    if letter == "!":
        return "There is no factorial here; for 'not equal' write !=."
    if letter == "∑":
        return "A sum over an index is not part of the language: sum(x) adds the entries of x."
    if letter == "\\":
        return "A \\ begins a command such as \\alpha or \\frac, and here none follows."
    return f"{letter} is not part of the formula language."


def _unknown_command(command: str, rest: str) -> str:
    if command in ("sum", "prod", "max", "min", "log", "ln") and "_" in rest[:12]:
        examples = {
            "sum": "sum(x) adds the entries of x, as in sum(exp(s)) - exp(s_j)",
            "prod": "write the product out",
        }
        if re.search(r"([A-Za-z])_(\w)\s*\1_\2\s*(?:'|\^)", rest):
            examples["sum"] = "a sum of products x_i x_i' is X X', with the x_i as columns of X"
        example = examples.get(command, f"{command}(x) takes no index")
        return f"\\{command} with an index is not part of the language: {example}."
    if command in _ACCENTS:
        return _accent(command, rest)
    if command in _VAGUE:
        return _VAGUE_SENTENCE.replace("{0}", f"\\{command}")
    if command in ("to", "rightarrow"):
        return _ARROW
    if command in ("left", "right"):
        return f"\\{command} must be followed by a bracket or a bar."
    if command in ("begin", "end"):
        return f"Of what \\{command} can take, only matrix, bmatrix and pmatrix are known."
    if command == "sqrt":
        return "\\sqrt takes braces, as in \\sqrt{x}."
    return f"\\{command} is not a command of the formula language."


def _accent(command: str, rest: str) -> str:
    """Return what to write for an accent: the name without it, or as the problem spells it."""
    after = rest[len(command) + 1 :]
    under = re.match(r"\s*(?:\{\s*(\w+)\s*\}|([A-Za-z]))\s*(_\{?\s*\w+)?", after)
    if under is None:
        return f"\\{command} is not part of a name here: write a name such as v_{command}."
    letter = under[1] or under[2]
    plain = letter + (under[3] or "").replace("{", "").replace(" ", "")
    return (
        f"\\{command} is not part of a name here: write {plain}, or the name that the problem has, "
        f"such as {letter}{command}."
    )


def _number_behind(text: str, column: int) -> str:
    """Return the sentence about a number that stands behind a value."""
    whole, part = _MIXED.search(text[:column]), _FRACTION.match(text, column)
    if whole is not None and part is not None:  # 1 1/2
        value = f"{int(whole[1]) * int(part[2]) + int(part[1])}/{part[2]}"
        return (
            f"{whole[1]} {part[0]} can be read in two ways: write {value} for the sum of the two."
        )
    if re.search(r"[0-9]\Z", text[:column]) and text[column] == ".":
        return "A number has one point in it, and nothing between its thousands."
    return "A number cannot follow a value directly: write * between the two, or ^ for a power."


def unexpected(text: str, token: Any, before: Any, after_value: bool) -> tuple[str, int]:
    """Return the sentence about a token in the wrong place, and the column.

    Args:
        text: the formula.
        token: the one that does not fit.
        before: the one before it, if no value stands there.
        after_value: whether one does.
    """
    column = len(text) if token.type == "$END" else token.start_pos
    previous = before.type if before is not None else ""
    shown = str(token)
    if previous in ("FUNCTION", "CALL"):
        return f"{before} needs an argument: write {before}(x).", column
    if previous == "RELATION" and token.type == "RELATION":
        both = text[before.start_pos : token.end_pos]
        if both in (">>", "<<"):
            return _VAGUE_SENTENCE.replace("{0}", both), before.start_pos
        known = {"=>": ">=", "=<": "<=", "<>": "!="}.get(both)
        if known:
            return f"{both} is not a relation: write {known}.", before.start_pos
    if str(before) == "-" and shown == ">":
        return _ARROW, before.start_pos
    if token.type == "$END":
        if previous in _OPERATORS:
            return f"The formula ends after {before}, where a value must follow.", column
        return "The formula ends here, where something must follow.", column
    if token.type in ("NUMBER", "FRACTION"):
        return _number_behind(text, column), column
    if token.type in ("COMMA", "SEMICOLON", "AMPERSAND", "NEWROW"):
        places = {
            "COMMA": "the entries of [a, b] or the arguments of a function",
            "SEMICOLON": "the rows of [a, b; c, d]",
        }.get(token.type, "the entries of a matrix between \\begin{bmatrix} and \\end{bmatrix}")
        if after_value and token.type == "COMMA" and _outside(text[:column]):
            return (
                f"{shown} can only separate {places}. A list stands in brackets. What is said "
                "about a factor, such as C >= 10, goes into a field of its own.",
                column,
            )
        if after_value:
            plus = " A sum is written with +." * (token.type == "AMPERSAND")
            return f"{shown} can only separate {places}.{plus}", column
        return f"A value is missing before this {shown}.", column
    if token.type in _OPERATORS or token.type in _ENDS or token.type in ("POSTFIX",):
        return f"A value is missing before this {shown}.", column
    if token.type == "NOT":
        return "not stands before a comparison, as in not a < b.", column
    return f"{shown} cannot stand here.", column


def _outside(text: str) -> bool:
    """Whether no bracket of the text is open at its end."""
    return sum(text.count(opening) for opening in "([{") == sum(text.count(c) for c in ")]}")


def undeclared(name: str, declared: Iterable[str]) -> str:
    """Return the sentence about a name that is not known, with what may have been meant."""
    known = sorted(declared, key=lambda word: (word.casefold(), word))
    for cut in range(1, len(name)):
        if name[:cut] in known and name[cut:] in known:
            return (
                f"{name} is not a name here. To multiply, leave a space: {name[:cut]} {name[cut:]}."
            )
    from difflib import get_close_matches

    close = get_close_matches(name, known, 1)
    if close:
        return f"{name} is not a name here. Is {close[0]} meant?"
    if not known:
        return f"{name} is not a name here: there are none."
    more = ", …" if len(known) > _MOST_NAMES else ""
    return f"{name} is not a name here. Those that are: {', '.join(known[:_MOST_NAMES])}{more}."
