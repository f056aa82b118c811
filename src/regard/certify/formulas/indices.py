"""Indices that run up to a size that is only a name, and the permutations that move them.

Row i of P X is row P(i) of X: an index carries what moves it. One permutation after another is a
word, in which one and its inverse side by side cancel.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

Word = tuple[tuple[str, int], ...]


class Index(NamedTuple):
    """A place that is not a number; it runs up to a size that is only a name.

    Attributes:
        label: which index.
        size: what it runs up to.
        word: permutations that it is moved by, the outermost first: (("P", 1), ("R", -1)) for
            P(R⁻¹(i)).
    """

    label: int
    size: str
    word: Word = ()


Place = Index | int


def bare(place: Index) -> Index:
    """Return an index without the permutations that it is moved by."""
    return Index(place.label, place.size) if place.word else place


def moved(word: Word, place: Index) -> Index:
    """Move an index by permutations; one and its inverse side by side are none."""
    found = list(place.word)
    for name, power in reversed(word):
        if found and found[0] == (name, -power):
            del found[0]
        else:
            found.insert(0, (name, power))
    return Index(place.label, place.size, tuple(found))


def undone(word: Word) -> Word:
    """Return the inverse of permutations one after another."""
    return tuple((name, -power) for name, power in reversed(word))


_labels = itertools.count(100)  # below it are the indices that a claim is made for


def fresh(size: str) -> Index:
    """Return an index that nothing else has."""
    return Index(next(_labels), size)
