"""Sums over indices as factors of monomials: their indices are numbered in one way only.

The numbers come from colours that are refined by where an index stands, as for the isomorphism of
graphs. Where indices are moved by permutations, ways to run through them are tried.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from regard.certify.formulas.indices import Index, Word, bare, fresh, moved, undone
from regard.certify.formulas.monomials import (
    WIDTH,
    Exponent,
    Factor,
    Monomial,
    factors_of,
    inner,
    level,
    own_places,
    places,
    relabelled,
    relabelled_monomial,
    text,
    written,
)

MOST_ORDERS = 120  # that are tried to number the indices of a sum
MOST_MOVES = 64  # ways to run through the indices of a sum that are tried


def sum_factor(body: Mapping[Factor, Exponent], bound: list[Index]) -> Factor:
    """Return a monomial summed over indices, with these numbered in one way."""
    depth = 1 + max((level(factor) for factor in body), default=0)
    best, least = None, ""
    # With more orders only some are tried: equal sums may then look different, never the reverse.
    for same in itertools.islice(_unmoved(body, bound), MOST_MOVES):
        for order in itertools.islice(_orders(same, dict.fromkeys(bound, "")), MOST_ORDERS):
            names = {
                index: Index(-(depth * WIDTH + place), index.size)
                for place, index in enumerate(order)
            }
            found = relabelled_monomial(frozenset(same.items()), names)
            shown = written(found)
            if best is None or shown < least:
                best, least = found, shown
    return ("sum", best)


def _numbered_anew(monomial: Monomial) -> Monomial:
    """Number the indices of inner sums again: which is first depends on the outer ones."""
    return frozenset((_numbered(factor), exponent) for factor, exponent in monomial)


def _numbered(factor: Factor) -> Factor:
    def one(part: Any) -> Any:
        if isinstance(part, frozenset):
            return _numbered_anew(part)
        return part.mapped(_numbered_anew)

    kind = factor[0]
    if kind == "sum":
        body, own = opened(factor)
        return sum_factor(dict(body), own)
    if kind in ("exp", "cis", "poly", "root"):
        return (kind, one(factor[1]))
    if kind == "f":
        return (kind, factor[1], *(one(part) for part in factor[2:]))
    if kind == "w" and not isinstance(factor[2], str):
        return (kind, factor[1], tuple(one(part) for part in factor[2]), *factor[3:])
    return factor


def _unmoved(
    body: Mapping[Factor, Exponent], bound: list[Index]
) -> Iterator[Mapping[Factor, Exponent]]:
    """Return a summand in which indices run in other orders, with fewer permutations in it.

    Where k is all over the range, so is P⁻¹(k): the sum stays what it is if one is put for the
    other.
    """
    words: dict[Index, set[Word]] = {index: {()} for index in bound}
    for factor in body:
        for place in _moved_places(factor):
            words.setdefault(bare(place), {()}).add(place.word)
    if all(found == {()} for found in words.values()):
        yield body
        return
    for chosen in itertools.product(*(sorted(words[index]) for index in bound)):
        names = {
            index: moved(undone(word), index) for index, word in zip(bound, chosen, strict=True)
        }
        yield {_numbered(relabelled(factor, names)): exponent for factor, exponent in body.items()}


@lru_cache(maxsize=50_000)
def _moved_places(factor: Factor) -> frozenset[Index]:
    """Return the indices in a factor that are moved, with what moves them."""
    found = {p for p in own_places(factor) if isinstance(p, Index) and p.word}
    for part in inner(factor):
        for one in factors_of(part):
            found |= _moved_places(one)
    return frozenset(found)


def opened(factor: Factor) -> tuple[Monomial, list[Index]]:
    """Return what a sum adds up, with indices of its own that are new."""
    depth = level(factor)
    own = {place for place in places(factor) if place.label < 0 and -place.label // WIDTH == depth}
    names = {index: fresh(index.size) for index in sorted(own)}
    return relabelled_monomial(factor[1], names), list(names.values())


def _orders(body: Mapping[Factor, Exponent], colour: dict[Index, str]) -> Iterator[list[Index]]:
    """Return orders of indices that do not depend on their labels.

    Indices are put in the order of their colours. Where several have one colour, each of them is
    given a colour of its own in turn.
    """
    colour = _refined(body, colour)
    groups: dict[str, list[Index]] = {}
    for index in sorted(colour, key=lambda one: colour[one]):
        groups.setdefault(colour[index], []).append(index)
    alike = next((group for group in groups.values() if len(group) > 1), None)
    if alike is None:
        yield [index for group in groups.values() for index in group]
        return
    for first in alike:
        yield from _orders(body, {**colour, first: f"{colour[first]}!"})


def _refined(body: Mapping[Factor, Exponent], colour: dict[Index, str]) -> dict[Index, str]:
    """Tell indices apart by the factors that they are in, with colours for all indices."""
    for _ in colour:
        seen: dict[Index, str] = {}
        for index in colour:
            marks = {
                other: Index(10**6 + (other == index), f"{shade}.{other.size}")
                for other, shade in colour.items()
            }
            around = sorted(
                f"{text(relabelled(factor, marks))}^{exponent}"
                for factor, exponent in body.items()
                if index in places(factor)
            )
            seen[index] = f"{index.size}.{colour[index]}<{';'.join(around)}>"
        ranks = {shade: f"{rank:03d}" for rank, shade in enumerate(sorted(set(seen.values())))}
        before = len(set(colour.values()))
        colour = {index: ranks[shade] for index, shade in seen.items()}
        if len(ranks) in (before, len(colour)):
            break
    return colour
