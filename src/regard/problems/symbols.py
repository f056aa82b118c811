"""What problems about formulas say of their symbols: permutations, positive numbers, functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.language import FormulaError, abbreviations, expanded


def check_restricted(
    shapes: Mapping[str, Sequence[int | str]], permutations: Sequence[str], positive: Sequence[str]
) -> None:
    """Refuse permutations that are no square matrices, and positive symbols that are no numbers.

    Raises:
        ValueError: with the place.
    """
    for name in permutations:
        shape = shapes.get(name, ())
        if len(shape) != 2 or shape[0] != shape[1]:
            raise ValueError(
                f'permutations: {name} must be a square matrix of `shapes`, as {name} = ["N", "N"]'
            )
    for name in positive:
        if name not in shapes or len(shapes[name]):
            raise ValueError(f"positive: {name} must be a number of `shapes`, as {name} = []")


def with_functions(data: Any, claims: Sequence[str]) -> Any:
    """Put what functions stand for into `given.define` and these fields of `goal.claims`.

    Data that is no problem is left as it is, for what is wrong with it to be told elsewhere.

    Raises:
        ValueError: a function or a formula with one cannot be read.
    """
    try:
        functions, define = data["given"].get("functions"), data["given"].get("define", {})
        listed = data["goal"].get("claims", [])
        if not functions:
            return data
        known = abbreviations(functions)
        given = {
            **data["given"],
            "define": {name: expanded(text, known) for name, text in define.items()},
        }
        put = [
            {key: expanded(one, known) if key in claims else one for key, one in claim.items()}
            for claim in listed
        ]
        return {**data, "given": given, "goal": {**data["goal"], "claims": put}}
    except FormulaError as error:
        raise ValueError(f"functions: {error}") from None
    except (TypeError, KeyError, AttributeError):
        return data


def permutation(size: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Draw a permutation matrix that moves something, where there is something to move."""
    order = rng.permutation(size)
    if (order == np.arange(size)).all():
        order = order[::-1]
    found: NDArray[np.float64] = np.eye(size)[order]
    return found
