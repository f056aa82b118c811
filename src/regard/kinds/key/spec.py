"""One key is replaced and the query stays: which key gives the weights, or the output, wanted."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from pydantic import Field, model_validator

from regard.errors import FormulaError
from regard.language import parse
from regard.problems.fields import Formula, Name, Ordinary, OrdinaryPositive, Part, Share
from regard.problems.head import Problem
from regard.problems.instances import key_instance
from regard.problems.keys import Keys, Weights, names_are_declared
from regard.problems.laws import Arbitrary, Fixed, Gaussian, Orthogonal


class KeyGiven(Keys):
    """Keys, the query that stays, and which key is to be replaced.

    Attributes:
        query: numbers, or a formula in the keys as they were.
        replace: the name of the key that is replaced; its value stays.
    """

    query: Annotated[list[Ordinary], Field(min_length=1)] | Formula
    replace: Name

    @property
    def row(self) -> int:
        """The row of the key that is replaced."""
        return self.names[self.replace]

    @model_validator(mode="after")
    def _can_be_computed(self) -> KeyGiven:
        law = self.keys
        free = isinstance(law, Orthogonal) and law.norms is None
        if isinstance(law, Gaussian | Arbitrary) or free:
            raise ValueError(
                "keys: must be rows of numbers, orthonormal, or orthogonal with norms: a new key "
                "is found from the scores of the others"
            )
        if self.replace not in self.names:
            raise ValueError(f"replace: {self.replace} is not among the names")
        if self.limits:
            raise ValueError("limits: the query stays, so nothing becomes small or large")
        instance = key_instance(self)
        if isinstance(self.query, str):
            try:
                found = np.asarray(parse(self.query).evaluate(instance.symbols), float)
            except FormulaError as error:
                raise ValueError(f"query: {error}") from None
            if found.shape != instance.keys[0].shape or not np.all(np.isfinite(found)):
                raise ValueError("query: must be a vector as long as a key")
        elif not isinstance(law, Fixed):
            raise ValueError("query: keys without numbers need a query that is a formula in them")
        elif len(self.query) != instance.keys.shape[1]:
            raise ValueError(
                f"query: has {len(self.query)} numbers and a key has {instance.keys.shape[1]}"
            )
        return self


class KeyGoal(Part):
    """What the query is to get with the new key.

    Attributes:
        weights: by name, above 0; they sum to 1, and keys that are not named are to have none.
        output: the output instead, as numbers or a formula in the values.
        tolerance: of each weight, or of the output, ‖c − c*‖.
        norm: the length that the new key must have; left out, it may have any.
        longest: the length that it may have at most.
        find: "key", a key within the tolerance; "error", the least error of all keys.
    """

    weights: Weights | None = None
    output: Annotated[list[Ordinary], Field(min_length=1)] | Formula | None = None
    tolerance: Share = 1e-2
    norm: OrdinaryPositive | None = None
    longest: OrdinaryPositive | None = None
    find: Annotated[list[Literal["key", "error"]], Field(min_length=1)] = Field(default=["key"])

    @property
    def radius(self) -> float | None:
        """How long the key may be, or None."""
        return self.norm if self.norm is not None else self.longest

    @model_validator(mode="after")
    def _one_goal(self) -> KeyGoal:
        if (self.weights is None) == (self.output is None):
            raise ValueError("say either the weights or the output that is wanted")
        if self.weights is not None and abs(sum(self.weights.values()) - 1) > 1e-9:
            total = sum(self.weights.values())
            raise ValueError(f"weights must sum to 1; they sum to {total:.12g}")
        if self.norm is not None and self.longest is not None:
            raise ValueError("norm, longest: say one of them")
        if len(set(self.find)) < len(self.find):
            raise ValueError("find: names something twice")
        return self


class KeyProblem(Problem):
    """A key k in place of another one."""

    kind: Literal["key"]
    given: KeyGiven
    goal: KeyGoal

    def refuse(self) -> None:
        """Refuse an output or a length that no key can have."""
        given, goal = self.given, self.goal
        if goal.norm is not None and key_instance(given).keys.shape[1] == 1:
            raise ValueError("goal.norm: a key of one number has two choices: use longest")
        if goal.weights is not None:
            names_are_declared("goal.weights", set(goal.weights), given)
            return
        if not isinstance(given.values, Fixed):
            raise ValueError(
                "goal.output: values must be rows of numbers for an output; or say weights"
            )
        wanted = self.wanted_output()
        if wanted.shape != (len(given.values.rows[0]),) or not np.all(np.isfinite(wanted)):
            raise ValueError(
                f"goal.output: must have {len(given.values.rows[0])} numbers, as a value has"
            )

    def wanted_output(self) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        """Return the output that is wanted, (d_v,)."""
        output = self.goal.output
        if isinstance(output, str):
            try:
                output = parse(output).evaluate(key_instance(self.given).symbols)  # type: ignore[assignment]
            except FormulaError as error:
                raise ValueError(f"goal.output: {error}") from None
        return np.asarray(output, float)


PROBLEM = KeyProblem
