"""Gradients of a loss through attention."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field, model_validator

from regard.problems.exact_numbers import Scalar, value
from regard.problems.fields import Name, Part, Share
from regard.problems.head import Problem

Forward = Literal["softmax", "attention", "projections"]
ROOT = "1/sqrt(d_k)"
MATRICES = {"W_Q": "dQ", "W_K": "dK", "W_V": "dV"}
BIASES = {"b_Q": "dQ", "b_K": "dK", "b_V": "dV"}
MOST = 16
# What can be asked for, in the order in which a backward pass finds it.
FIELDS: dict[str, tuple[str, ...]] = {
    "softmax": ("J", "ds"),
    "attention": ("dV", "dA", "dS", "dQ", "dK"),
    "projections": (
        "dY", "dW_O", "dV", "dA", "dS", "dQ", "dK", "dW_Q", "dW_K", "dW_V", "db_Q", "db_K", "db_V",
        "dX",
    ),
}  # fmt: skip


class GradientGiven(Part):
    """What the loss is computed from.

    Attributes:
        forward: "softmax": a = softmax(s) of one row, and g = dL/da; "attention": S = scale Q K',
            A = softmax(S), Y = A V, and G = dL/dY; "projections": the same from tokens X, with
            Q = X W_Q, K = X W_K, V = X W_V.
        scale: a number, "1/sqrt(d_k)", or a symbol such as "kappa".
        causal: whether query i attends to keys j ≤ i only.
        biases: of the projections, b_Q, b_K and b_V, added to every row.
        output: whether the output is Z = Y W_O, and G = dL/dZ.
        loss: "G": what comes back is G; "sum": the loss is the sum of all outputs, G is all ones.
        numbers: an example: exact numbers for Q, K, V, G, or X, W_Q, W_K, W_V, G, or s, g. Of a
            softmax the weights a may stand in place of s, and g is needed for ds alone.
        mask: rows of 0 and 1 in the example: 1 = may attend.
    """

    forward: Forward = "attention"
    scale: Scalar | Literal["1/sqrt(d_k)"] | Name = "1/sqrt(d_k)"
    causal: bool = False
    biases: bool = False
    output: bool = False
    loss: Literal["G", "sum"] = "G"
    numbers: dict[Name, list[Scalar] | list[list[Scalar]]] = Field(default_factory=dict)
    mask: list[list[Literal[0, 1]]] | None = None

    def inputs(self) -> dict[str, tuple[str, ...]]:
        """Return the shapes of what is free, in named sizes."""
        if self.forward == "softmax":
            return {"s": ("n",), "g": ("n",)}
        m = "n" if self.causal or self.forward == "projections" else "m"
        if self.forward == "attention":
            found: dict[str, tuple[str, ...]] = {
                "Q": ("n", "d_k"), "K": (m, "d_k"), "V": (m, "d_v"),
            }  # fmt: skip
        else:
            found = {"X": ("n", "d"), "W_Q": ("d", "d_k"), "W_K": ("d", "d_k"), "W_V": ("d", "d_v")}
            if self.biases:
                found |= {"b_Q": ("d_k",), "b_K": ("d_k",), "b_V": ("d_v",)}
            if self.output:
                found["W_O"] = ("d_v", "d")
        if self.loss == "G":
            found["G"] = ("n", "d" if self.output else "d_v")
        return found

    @property
    def symbol(self) -> str | None:
        """The name of the scale, where it is a symbol."""
        text = str(self.scale)
        return text if isinstance(self.scale, str) and text[:1].isalpha() else None

    @model_validator(mode="after")
    def _fits(self) -> GradientGiven:
        if self.forward != "projections" and (self.biases or self.output):
            raise ValueError('biases and output need forward = "projections"')
        if self.forward == "softmax" and (self.causal or self.mask or self.loss != "G"):
            raise ValueError('with forward = "softmax" there is one row of scores, s, and g')
        if self.symbol in self.inputs() or self.symbol in ("n", "m", "d", "d_k", "d_v"):
            raise ValueError(f"scale: {self.symbol} is the name of something else")
        if self.numbers:
            self._numbers()
        elif self.mask is not None:
            raise ValueError("mask: needs numbers")
        return self

    def _numbers(self) -> None:
        wanted = self.inputs()
        if self.forward == "softmax":
            wanted = dict.fromkeys(("a" if "a" in self.numbers else "s", "g"), ("n",))
            if "g" not in self.numbers:
                del wanted["g"]
        missing = [name for name in wanted if name not in self.numbers]
        extra = [name for name in self.numbers if name not in wanted]
        if missing or extra:
            wrong = f"{missing[0]} is missing" if missing else f"{extra[0]} is not used"
            raise ValueError(f"numbers: {wrong}: give {', '.join(wanted)}")
        if self.symbol:
            raise ValueError("numbers: the scale must be a number too, not a symbol")
        sizes: dict[str, int] = {}
        for name, shape in wanted.items():
            found = np.shape(np.array(self.numbers[name], dtype=object))
            if len(found) != len(shape) or max(found) > MOST:
                need = " × ".join(shape)
                raise ValueError(f"numbers.{name}: must be {need} numbers, at most {MOST} × {MOST}")
            for size, count in zip(shape, found, strict=True):
                if sizes.setdefault(size, count) != count:
                    raise ValueError(
                        f"numbers.{name}: makes {size} = {count}, and it is {sizes[size]} before"
                    )
        shares = [value(x) for x in self.numbers.get("a", []) if not isinstance(x, list)]
        if shares and (min(shares) <= 0 or abs(sum(shares) - 1) > 1e-9):
            raise ValueError("numbers.a: weights are above 0 and sum to 1")
        if self.mask is not None:
            keys = sizes.get("m", sizes["n"])
            if np.shape(np.array(self.mask, dtype=object)) != (sizes["n"], keys):
                raise ValueError(f"mask: must be {sizes['n']} rows of {keys}")
            if not all(any(row) for row in self.mask):
                raise ValueError("mask: every row needs a 1")


class GradientGoal(Part):
    """What is asked for.

    Attributes:
        find: gradients by name: dV, dA, dS, dQ, dK; with projections also dW_Q, dW_K, dW_V, db_Q …,
            dW_O, dY, dX; for a softmax J (its Jacobian) and ds = J g.
        form: "formula", "numbers", or "any": numbers where an example is given, else formulas.
        bound: an upper bound is asked for, field `bound`: of the "leak" (the weight of all other
            keys), of the spectral norm of the softmax "jacobian", or of the length of the gradient
            in the "query"; in n, gamma (how far one score is above all others), and for the query
            kappa, D_K and D_V (scale, largest distances of keys and of values along G).
        vanishing: whether the bound must go to 0 as gamma grows.
        tolerance: how near rounded numbers have to come.
    """

    find: Annotated[list[Name], Field(max_length=14)] = Field(default_factory=list)
    form: Literal["any", "formula", "numbers"] = "any"
    bound: Literal["leak", "jacobian", "query"] | None = None
    vanishing: bool = True
    tolerance: Share = 5e-3


class GradientProblem(Problem):
    """Formulas or arrays by name."""

    kind: Literal["gradient"]
    given: GradientGiven
    goal: GradientGoal

    @property
    def in_numbers(self) -> bool:
        """Whether arrays are asked for."""
        return self.goal.form == "numbers" or (self.goal.form == "any" and bool(self.given.numbers))

    @model_validator(mode="after")
    def _asked(self) -> GradientProblem:
        given, goal = self.given, self.goal
        if bool(goal.find) == bool(goal.bound):
            raise ValueError("goal: give either `find` or `bound`")
        known: list[Any] = list(FIELDS[given.forward])
        if not given.biases:
            known = [name for name in known if not name.startswith("db_")]
        if not given.output:
            known = [name for name in known if name not in ("dW_O", "dY")]
        for name in goal.find:
            if name not in known:
                raise ValueError(
                    f"goal.find: {name} is no gradient here: use {', '.join(map(str, known))}"
                )
        if "ds" in goal.find and given.numbers and "g" not in given.numbers:
            raise ValueError("goal.find: ds needs numbers.g, what comes back")
        if goal.form == "numbers" and not given.numbers:
            raise ValueError("goal.form: there are no `numbers` to compute with")
        return self


PROBLEM = GradientProblem
