"""From text to a formula."""

from __future__ import annotations

import functools
from typing import Any

from regard.errors import FormulaError
from regard.language.formula import size_limits
from regard.language.formula.parsing import brackets, characters, messages, tables
from regard.language.formula.parsing.partial_trees import Refusal
from regard.language.formula.parsing.tree_builder import Builder
from regard.language.formula.tree import Tree


@functools.cache
def _parser() -> Any:
    """Load the parser, once and when it is first needed."""
    return tables.parser(brackets.Places(), Builder())


def parse_tree(text: str) -> Tree:
    """Return the tree of a formula.

    Raises:
        FormulaError: the text is not a formula, or too large.
    """
    if not isinstance(text, str):
        raise FormulaError(f"A formula is text, and this is {type(text).__name__}.", "", 0)
    _check_length(text)
    plain = characters.plain(text)
    refused = characters.refusal(plain)
    if refused:
        raise FormulaError(refused[0], text, refused[1])
    if not plain.strip():
        raise FormulaError("The formula is empty.", text, 0)
    try:
        return _read(brackets.prepared(plain))
    except Refusal as error:
        raise FormulaError(error.reason, text, error.column) from None


def _check_length(text: str) -> None:
    # A surrogate has no bytes; counting characters first keeps this quick for any length.
    size = len(text)
    if size <= size_limits.LONGEST:
        size = len(text.encode("utf-8", "surrogatepass"))
    if size > size_limits.LONGEST:
        raise FormulaError(
            f"A formula may have {size_limits.LONGEST} bytes. This one has {size}.",
            text[: size_limits.LONGEST],
            0,
        )


def _read(text: str) -> Tree:
    from lark import Token
    from lark.exceptions import UnexpectedCharacters, UnexpectedToken

    try:
        return _parser().parse(text)
    except UnexpectedCharacters as error:
        column: int = error.pos_in_stream  # type: ignore[assignment]
        raise Refusal(messages.unknown(text, column), column) from None
    except UnexpectedToken as error:
        stack = error.interactive_parser.parser_state.value_stack
        before = stack[-1] if stack and isinstance(stack[-1], Token) else None
        after_value = bool(stack) and before is None
        raise Refusal(*messages.unexpected(text, error.token, before, after_value)) from None
