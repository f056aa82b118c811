"""Tokens in other words: basis vectors and tokens trade places, lengths change."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from regard.language import parse
from regard.problems.tokens import Tokens, read_label, token_label
from regard.solving.latex_numbers import tex

__all__ = [
    "Shuffle",
    "label_symbol",
    "length_symbol",
    "listed",
    "token_symbol",
    "tokens_sentence",
]

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


class Shuffle:
    """New names for basis vectors, new places for tokens, another length."""

    def __init__(self, given: Tokens, rng: np.random.Generator) -> None:
        names = list(given.basis.names)
        self.names = dict(zip(names, (names[i] for i in rng.permutation(len(names))), strict=True))
        places = rng.permutation(len(given.tokens))
        self.place = {int(old): new for new, old in enumerate(places)}
        self.order = [int(old) for old in places]
        self.factor = float(rng.choice([0.9, 1.0, 1.1, 1.2]))

    def formula(self, text: str) -> str:
        """Return the formula with its names exchanged."""
        plain = str(parse(text))
        return _NAME.sub(lambda match: self.names.get(match[0], match[0]), plain)

    def label(self, name: str) -> str:
        """Return x_2 or c_2 for the place where that token now stands."""
        letter, row = read_label(name)
        return token_label(self.place[row], letter)

    def given(self, data: dict[str, Any]) -> dict[str, Any]:
        """Return what is given, shuffled."""
        found = dict(data)
        found["tokens"] = [self.formula(data["tokens"][old]) for old in self.order]
        norm = data["basis"].get("norm", 1.0)
        if isinstance(norm, str):
            length = round(data["parameters"][norm] * self.factor, 2)
            found["parameters"] = {**data["parameters"], norm: length}
        return found


def token_symbol(row: int, letter: str = "x") -> str:
    """Return a token, by its row from 0, in LaTeX: x_{2}; with the letter c its output."""
    return f"{letter}_{{{row + 1}}}"


def length_symbol(given: Tokens) -> str:
    """Return the length of the basis vectors in LaTeX, such that a power can follow."""
    norm = given.basis.norm
    if isinstance(norm, str):
        return parse(norm).to_latex()
    return f"({tex(norm)})" if "^" in tex(norm) else tex(norm)


def label_symbol(label: str, letter: str = "") -> str:
    """Return a label such as x_2 in LaTeX, perhaps with another letter."""
    own, row = read_label(label)
    return token_symbol(row, letter or own)


def listed(words: list[str]) -> str:
    """Return a, b and c."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def tokens_sentence(given: dict[str, Any]) -> str:
    """Return what a statement says about basis and tokens."""
    names = listed([f"${parse(name).to_latex()}$" for name in given["basis"]["names"]])
    norm = given["basis"].get("norm", 1.0)
    length = f"${parse(norm).to_latex()}$" if isinstance(norm, str) else f"{norm:g}"
    large = " large" if given.get("limits") else ""
    tokens = r", \qquad ".join(
        f"{token_symbol(i)} = {parse(text).to_latex()}" for i, text in enumerate(given["tokens"])
    )
    return (
        f"The vectors {names} are at right angles to each other and all have the same{large} "
        f"length {length}. The tokens are\n\n$${tokens}.$$\n\n"
    )
