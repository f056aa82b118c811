"""From what the grammar recognises to a tree, one method for each rule.

lark calls these from the inside out, so nothing here walks down. Here are conditions, sums,
products, functions and powers; what they are made of is in :mod:`.values`.
"""

from __future__ import annotations

import re
from typing import Any, Final

from regard.language.formula import size_limits
from regard.language.formula.evaluation.evaluator import constant
from regard.language.formula.parsing.grammar import POSTFIXES
from regard.language.formula.parsing.partial_trees import (
    Part,
    Refusal,
    checked,
    condition_of,
    ends_below,
    number_of,
    signed,
    value_of,
)
from regard.language.formula.parsing.value_builder import Values
from regard.language.formula.printing.text import to_text
from regard.language.formula.tree import Tree, apply, depth, name, number
from regard.language.formula.vocabulary import FUNCTIONS, INVERSE, function

_RELATIONS: Final = {
    "==": "=", "≤": "<=", "≥": ">=", "≠": "!=", r"\leqslant": "<=", r"\geqslant": ">=",
    r"\leq": "<=", r"\geq": ">=", r"\le": "<=", r"\ge": ">=", r"\neq": "!=", r"\ne": "!=",
    r"\lt": "<", r"\gt": ">",
}  # fmt: skip
_DOTS: Final = frozenset({"·", r"\cdot", "."})
_HADAMARD: Final = frozenset({"⊙", "∘", r"\odot", r"\circ"})
_POSTFIXES: Final = {kind: re.compile(pattern) for kind, pattern in POSTFIXES.items()}
_SUPERSCRIPTS: Final = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


class Builder(Values):
    """The rules of the grammar."""

    def start(self, children: list[Any]) -> Tree:
        """A whole formula."""
        (whole,) = children
        if depth(whole.tree) > size_limits.DEEPEST:
            raise Refusal(
                f"A formula may be nested {size_limits.DEEPEST} deep. "
                "Name its parts, or shorten it.",
                whole.start,
            )
        return whole.tree

    # Conditions

    def logic(self, children: list[Any]) -> Part:
        """`a < b and c < d`."""
        left, word, right = children
        op = "and" if word.type == "AND" else "or"
        tree = apply(op, condition_of(left), condition_of(right), column=word.start_pos)
        return checked(tree, left.start, right.end)

    def negation(self, children: list[Any]) -> Part:
        """`not a < b`."""
        word, part = children
        return checked(
            apply("not", condition_of(part), column=word.start_pos), word.start_pos, part.end
        )

    def comparison(self, children: list[Any]) -> Part:
        """`0 < a < 1`."""
        parts = children[::2]
        relations = tuple(_RELATIONS.get(str(word), str(word)) for word in children[1::2])
        tree = apply(
            "compare", *map(value_of, parts), value=relations, column=children[1].start_pos
        )
        return checked(tree, parts[0].start, parts[-1].end)

    # Sums and products

    def binary(self, children: list[Any]) -> Part:
        """`a + b`, `a - b`, `a * b`, `a · b`, `A ⊙ B`."""
        left, word, right = children
        if word in _HADAMARD:
            parts = (value_of(left), value_of(right))
            tree = apply("call", *parts, value="hadamard", column=word.start_pos)
            return checked(tree, left.start, right.end)
        op = str(word) if word in ("+", "-") else "·" if word in _DOTS else "*"
        tree = apply(op, value_of(left), value_of(right), column=word.start_pos)
        return checked(tree, left.start, right.end)

    def sign(self, children: list[Any]) -> Part:
        """`-a` and `+a`."""
        word, part = children
        tree = signed(word, value_of(part))
        return checked(tree, word.start_pos, part.end)

    def quotient(self, children: list[Any]) -> Part:
        """`a / b`; in `1/2 x` the fraction is a number, and `a / b c` is clear for a vector c.

        Only a scalar can divide, so that `C/2 (k_a + k_b)` has one meaning; whether c is one is
        known with the shapes.
        """
        left, word, right = children
        over = word.start_pos
        if not right.items:
            tree = apply("/", value_of(left), value_of(right), column=over)
            return checked(tree, left.start, right.end)
        first, *others = right.items
        second = others[0]
        tight = first.end == second.start
        if left.form == first.form == "number" and not (tight and second.form == "word"):
            tree = apply("/", left.tree, first.tree, column=over)
            for other in others:
                tree = apply("*", tree, value_of(other), column=other.start)
            return checked(tree, left.start, right.end)
        rest = value_of(second)
        for other in others[1:]:
            rest = apply("*", rest, value_of(other), column=other.start)
        quotient = apply("/", value_of(left), value_of(first), column=over)
        doubt = None
        if not ends_below(first, second, tight):
            both, below = apply("*", quotient, rest), apply("/", left.tree, right.tree)
            doubt = (
                f"What stands under this / is not clear: write {to_text(both)} or {to_text(below)}."
            )
        tree = apply("*", quotient, rest, value=doubt, column=over)
        return checked(tree, left.start, right.end)

    def juxtaposed(self, children: list[Any]) -> Part:
        """Values side by side, which are multiplied."""
        left, right = children
        last = left.items[-1] if left.items else left
        if right.form == "bracket" and last.form == "word" and last.end == right.start:
            raise Refusal(
                f"Entries are not picked by brackets here: write {_picked(last, right)} for one, "
                "or leave a space to multiply.",
                right.start,
            )
        tree = apply("*", value_of(left), value_of(right), column=right.start)
        part = checked(tree, left.start, right.end)
        return part._replace(items=(*(left.items or (left,)), right))

    # Functions without brackets

    def bare(self, children: list[Any]) -> Part:
        r"""`\cos\omega_i T`."""
        return self._bare(children[0], children[1].tree, children[1])

    def bare_power(self, children: list[Any]) -> Part:
        r"""`\cos^2 x`."""
        word, caret, exponent, part = children
        applied = self._bare(word, part.tree, part)
        return self._of_function(word, applied, exponent, caret.start_pos)

    def bare_postfix(self, children: list[Any]) -> Part:
        """`cos² x`."""
        word, sign, part = children
        if not _POSTFIXES["power"].fullmatch(sign):
            raise Refusal(f"{word} needs an argument: write {word}(x).", sign.start_pos)
        applied = self._bare(word, part.tree, part)
        return self._of_function(word, applied, self._superscript(sign), sign.start_pos)

    def _of_function(self, word: Any, applied: Part, exponent: Part, column: int) -> Part:
        if exponent.tree[-1].op == "neg":
            raise Refusal(
                f"A negative power of {function(word)} can be read in two ways: "
                f"write 1 / {function(word)}(x).",
                column,
            )
        tree = apply("^", applied.tree, exponent.tree, column=column)
        return checked(tree, applied.start, applied.end, "word")

    def _bare(self, word: Any, argument: Tree, part: Part) -> Part:
        value_of(part)
        if function(word) == "log" and len(part.items) > 1:
            # On paper ln 2 k is mostly (ln 2) k and ln 2n is ln(2n); cos w t is always cos(w t).
            first, last = part.items[0], part.items[-1]
            if first.form == "number" or last.form == "group":
                raise Refusal(
                    f"{word} can be read in two ways here: write {word}(2) x for a product, or "
                    f"{word}(2 x) for the logarithm of one.",
                    word.start_pos,
                )
        called = self._called(word, [argument])
        return checked(called, word.start_pos, part.end, "word")

    def call(self, children: list[Any]) -> Part:
        """`dot(u, v)`."""
        word, _, row, closing = children
        tree = self._called(word, [value_of(part) for part in row])
        return checked(tree, word.start_pos, closing.end_pos, "word")

    def _called(self, word: Any, trees: list[Tree]) -> Tree:
        called = function(word)
        if called != "I":
            count, example = FUNCTIONS.get(called, (1, "inv(M)"))
            if count and len(trees) != count:
                wanted = {1: "one argument", 2: "two arguments", 3: "three arguments"}[count]
                raise Refusal(
                    f"{called} takes {wanted}, as in {example}. Here it has {len(trees)}.",
                    word.start_pos,
                )
        elif len(trees) != 1 or any(node.value == "I" for node in trees[0]):
            raise Refusal("I takes one size, as in I(3) or I(d).", word.start_pos)
        if called == INVERSE:
            at = word.start_pos
            return apply("^", trees[0], apply("neg", number(1, at), column=at), column=at)
        return apply("call", *trees, value=called, column=word.start_pos)

    # Powers

    def power(self, children: list[Any]) -> Part:
        """`a^b`."""
        base, caret, exponent = children
        return self._power(base, exponent, caret.start_pos)

    def postfix(self, children: list[Any]) -> Part:
        """`M'`, `M^T`, `M^{-T}`, `M^+`, `a²`."""
        base, sign = children
        at, end = sign.start_pos, sign.end_pos
        kind = next(kind for kind, pattern in _POSTFIXES.items() if pattern.fullmatch(sign))
        if kind == "power":
            return self._power(base, self._superscript(sign), at)
        if kind == "pinv":
            return checked(apply("call", value_of(base), value="pinv", column=at), base.start, end)
        if kind == "inverse transpose":
            minus_one = apply("neg", number(1, at), column=at)
            base = self._power(base, Part(minus_one, at, end), at)
        return checked(apply("'", value_of(base), column=at), base.start, end)

    def _superscript(self, sign: Any) -> Part:
        digits = sign.translate(_SUPERSCRIPTS)
        tree = number_of(digits.lstrip("-"), sign.start_pos)
        if digits.startswith("-"):
            tree = apply("neg", tree, column=sign.start_pos)
        return Part(tree, sign.start_pos, sign.end_pos)

    def _power(self, base: Part, exponent: Part, column: int) -> Part:
        if base.form == "power":
            raise Refusal(
                "Two powers in a row can be read in two ways: write (a^b)^c or a^(b^c).", column
            )
        value = None if base.tree == name("e") else constant(exponent.tree)
        if value is not None and not abs(value) <= size_limits.LARGEST_EXPONENT:
            raise Refusal(
                f"An exponent may be at most {size_limits.LARGEST_EXPONENT} in absolute value.",
                exponent.start,
            )
        tree = apply("^", value_of(base), value_of(exponent), column=column)
        return checked(tree, base.start, exponent.end, "power")

    def exponent(self, children: list[Any]) -> Part:
        """What stands after ^, with its sign."""
        *signs, part = children
        if not signs:
            return part
        return checked(signed(signs[0], value_of(part)), signs[0].start_pos, part.end)


def _picked(base: Part, entry: Part) -> str:
    """Return the name for k[a], the call for Transpose[S]; else an example of a name."""
    names = [node.value for node in (*base.tree, *entry.tree) if node.op == "name"]
    if len(base.tree) != 1 or len(entry.tree) != 2 or len(names) != 2:
        return "a name such as x_1"
    called = names[0].lower()
    return f"{called}({names[1]})" if called in FUNCTIONS else f"{names[0]}_{names[1]}"
