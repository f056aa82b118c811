"""What a worked example asks for, and whether that can be meant."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from regard.kinds.compute.spec.given import ComputeGiven
from regard.kinds.compute.spec.names import WORDS, Quantity, is_quantity, quantity, shape_of, sizes
from regard.kinds.compute.spec.numbers import fraction
from regard.problems.fields import Exact, ExactRows, Integer, Name, Part, Share
from regard.problems.head import Problem

_ASIDE = ("E", "S", "LSE", "H", "RM", "RS", "RU")  # nothing else is computed from these
_LARGEST_SCORE = 10_000  # e^-10000 is written out with its 4343 zeros


class ComputeGoal(Part):
    """What to compute.

    Attributes:
        find: q_1, k_1, v_1 (of token 1), z_1 (its scores), a_1 (its weights), c_1 (its output),
            or all tokens at once: Q, K, V, Z, A, C, and every other step by its name.
        tolerance: how near a rounded answer has to come.
        digits: how many significant ones the solution shows.
        printed: numbers printed elsewhere, to be compared with what comes out.
    """

    find: Annotated[list[Name], Field(min_length=1, max_length=200)]
    tolerance: Share = 5e-3
    digits: Annotated[Integer, Field(ge=2, le=60)] = 8
    printed: dict[Name, Exact | list[Exact] | ExactRows] = Field(default_factory=dict)


class ComputeProblem(Problem):
    """Queries, keys, values, scores, weights and outputs in exact numbers."""

    kind: Literal["compute"]
    given: ComputeGiven
    goal: ComputeGoal

    def refuse(self) -> None:
        """Refuse what cannot be computed, or not be written out."""
        self._refuse_names()
        self._refuse_sizes()

    def _refuse_names(self) -> None:
        for name in [*self.goal.find, *self.goal.printed]:
            if not is_quantity(name, self.given):
                raise ValueError(f"goal: {_unknown(name, self.given)}")
        known = sizes(self.given)
        for name, numbers in self.goal.printed.items():
            asked = quantity(name, self.given)
            need = shape_of(asked, known[asked.name])
            if _shape(numbers) != need:
                raise ValueError(f"goal.printed.{name}: must be {_size(need)}")
            for entry in np.array(numbers, dtype=object).reshape(-1).tolist():
                fraction(entry)  # ValueError where one divides by 0

    def _refuse_sizes(self) -> None:
        from regard.kinds.compute.instance import Example

        asked = {quantity(n, self.given).name for n in [*self.goal.find, *self.goal.printed]}
        order = list(sizes(self.given))
        last = max(map(order.index, asked))
        with np.errstate(all="ignore"):
            found = Example(self.given).right
        for name in order[: last + 1]:
            if Quantity(name).symbol == "Z" and not self.given.divides:
                largest = float(np.max(np.abs(found[name]), initial=0.0))
                weights = last > order.index(name) or self.goal.printed
                if weights and largest > _LARGEST_SCORE:
                    raise ValueError(
                        f"the scores reach {largest:.3g} in size, and their powers of e are to be "
                        "written out: use smaller numbers, or a smaller scale, so that no score is "
                        f"above {_LARGEST_SCORE}"
                    )
            aside = Quantity(name).symbol in _ASIDE and name not in asked
            if not aside and not np.all(np.isfinite(found[name])):
                raise ValueError(_not_finite(name, self.given))


def _unknown(name: str, given: ComputeGiven) -> str:
    """Say what can be asked for instead."""
    known = sizes(given)
    asked = quantity(name, given)
    if asked.name in known and asked.row is not None:
        shape = known[asked.name]
        counted = f"rows are counted from 1 to {shape[0]}"
        if asked.column is not None and len(shape) == 2:
            counted += f", entries from 1 to {shape[1]}"
        return f"{name} is nothing that can be computed: {counted}"
    if f"{asked.name}_h1" in known:
        return f"{name} is nothing that can be computed: say which head, such as {asked.name}_h1"
    if asked.symbol in ("C", "O", "V", "R") and "V" not in known:
        return f"{name} is nothing that can be computed: it needs values, so give W_V or V"
    if asked.symbol == "KV" and given.feature_map is not None and given.hides:
        return (
            f"{name} is nothing that can be computed: under a mask every query has a sum of its "
            "own; for that after t tokens give the first t keys and values alone"
        )
    some = ", ".join(list(known)[:24])
    words = ", ".join(word for word, symbol in WORDS.items() if symbol in known)
    return (
        f"{name} is nothing that can be computed: use one of {some}; in small letters with a row "
        f"(q_1) or a row and a column (a_2_1); or a word: {words}"
    )


def _shape(numbers: Any) -> tuple[int, ...]:
    if not isinstance(numbers, list):
        return ()
    inner = {_shape(part) for part in numbers}
    return (len(numbers), *inner.pop()) if len(inner) == 1 else (-1,)


def _size(shape: tuple[int, ...]) -> str:
    if len(shape) == 2:
        return f"{shape[0]} rows of {shape[1]} numbers"
    return f"{shape[0]} numbers" if shape else "one number"


def _not_finite(name: str, given: ComputeGiven) -> str:
    symbol = Quantity(name).symbol
    if symbol == "A" and given.divides:
        return 'normaliser: the scores of some query sum to 0, so that "sum" divides by 0'
    if symbol in ("N", "L", "Y"):
        return "norm: a token with equal entries has the variance 0: give an epsilon"
    if symbol == "H":
        return f"{name}: the entropy is that of weights above 0, and some are not"
    if symbol in ("G", "Z") and given.score == "cosine":
        return "score: a query or key of length 0 has no cosine"
    return f"{name} is not finite with these numbers"
