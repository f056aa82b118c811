"""Gradients of a loss through attention."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from pydantic import Field, model_validator

from regard.language import parse
from regard.problems.exact_numbers import Scalar, value
from regard.problems.fields import Formula, Name, Part, Share
from regard.problems.head import Problem

Forward = Literal["softmax", "attention", "projections"]
Loss = Literal["G", "sum", "squared", "cross-entropy"]
TO_TARGETS = ("squared", "cross-entropy")  # losses that compare with targets
ROOT = "1/sqrt(d_k)"
LOSS = "loss"  # what the loss comes to, in numbers
MOST = 16
# What can be asked for, in the order in which a backward pass finds it.
FIELDS: dict[str, tuple[str, ...]] = {
    "softmax": ("J", "ds"),
    "attention": ("dY", "dV", "dA", "dS", "dQ", "dK"),
    "projections": (
        "dZ", "dY", "dW_O", "dV", "dA", "dS", "dQ", "dK", "dW_Q", "dW_K", "dW_V", "db_Q", "db_K",
        "db_V", "dX",
    ),
}  # fmt: skip
OF_KEYS = ("K", "V", "W_K", "W_V", "b_K", "b_V")  # there is one for each head of keys
OF_ALL = ("X", "Z", "T")  # and one for all heads of these


class GradientGiven(Part):
    """What the loss is computed from.

    Attributes:
        forward: "softmax": a = softmax(scale s) of one row, and g = dL/da; "attention":
            S = scale Q K', A = softmax(S), Y = A V, and G = dL/dY; "projections": the same from
            tokens X, with Q = X W_Q, K = X W_K, V = X W_V.
        scale: a number, "1/sqrt(d_k)" (of a softmax, where there is no d_k, this is 1), a symbol
            such as "kappa", or a formula in one, such as "1/tau".
        causal: whether query i attends to keys j ≤ i only.
        biases: of the projections, b_Q, b_K and b_V, added to every row.
        output: whether the output is Z = Y W_O, and G = dL/dZ.
        heads: how many; with more than one, names have the number of the head: Q_1, A_2, dS_1. The
            matrices of the heads stand side by side in `numbers`, those of W_O below each other.
        key_heads: how many heads of keys and values there are; neighbouring heads share one.
        loss: "G": what comes back is G; "sum": the loss is the sum of all outputs, G is all ones;
            "squared": half the squared distance of the output from targets T (y of a softmax);
            "cross-entropy": of targets T, whose rows sum to 1, and the softmax of the output's
            rows, summed over rows (of a softmax: of y and a).
        numbers: an example: exact numbers for Q, K, V, G, or X, W_Q, W_K, W_V, G, or s, g; with
            targets T or y in place of G or g. Of a softmax the weights a may stand in place of s,
            and g is needed for ds alone.
        mask: rows of 0 and 1 in the example: 1 = may attend.
    """

    forward: Forward = "attention"
    scale: Scalar | Literal["1/sqrt(d_k)"] | Formula = "1/sqrt(d_k)"
    causal: bool = False
    biases: bool = False
    output: bool = False
    heads: Annotated[int, Field(ge=1, le=8)] = 1
    key_heads: Annotated[int, Field(ge=1, le=8)] | None = None
    loss: Loss = "G"
    numbers: dict[Name, list[Scalar] | list[list[Scalar]]] = Field(default_factory=dict)
    mask: list[list[Literal[0, 1]]] | None = None

    def inputs(self) -> dict[str, tuple[str, ...]]:
        """Return the shapes of what is free, in named sizes; of several heads, of each."""
        found: dict[str, tuple[str, ...]] = {}
        for name, shape in self.whole_inputs().items():
            found |= dict.fromkeys(self.parts(name), shape)
        return found

    def whole_inputs(self) -> dict[str, tuple[str, ...]]:
        """Return the shapes of what is free, for one head."""
        back = {"G": "G", "squared": "T", "cross-entropy": "T"}.get(self.loss)
        if self.forward == "softmax":
            return {"s": ("n",), "g" if back == "G" else "y": ("n",)}
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
        if back is not None:
            found[back] = ("n", "d" if self.output else "d_v")
        return found

    def parts(self, name: str) -> tuple[str, ...]:
        """Return what an array is called in each head, for the name that it has with one head."""
        if self.heads == 1 or name in OF_ALL or (name == "G" and self.output):
            return (name,)
        count = self.heads if name not in OF_KEYS else self.key_heads or self.heads
        return tuple(f"{name}_{head}" for head in range(1, count + 1))

    def of_head(self, name: str, head: int) -> str:
        """Return what an array is called in a head of the query, counted from 0."""
        parts = self.parts(name)
        return parts[head * len(parts) // self.heads]

    def gradients(self) -> tuple[str, ...]:
        """Return the names of all gradients there are, in the order in which they are found."""
        known = FIELDS[self.forward]
        left_out = set[str]()
        if not self.biases:
            left_out |= {"db_Q", "db_K", "db_V"}
        if not self.output:
            left_out |= {"dW_O"} if self.loss in TO_TARGETS else {"dW_O", "dY"}
        if not (self.output and self.loss in TO_TARGETS):
            left_out |= {"dZ"}
        if self.forward == "softmax":
            return known
        return tuple(
            f"d{part}"
            for name in known
            if name not in left_out
            for part in self.parts(name.removeprefix("d"))
        )

    def joined(self) -> dict[str, tuple[str, ...]]:
        """Return names of gradients for all heads at once, and the parts they are made of."""
        found: dict[str, tuple[str, ...]] = {}
        order = self.gradients()
        for name in FIELDS[self.forward]:
            parts = tuple(f"d{part}" for part in self.parts(name.removeprefix("d")))
            if name not in (*order, "dA", "dS") and set(parts) <= set(order):
                found[name] = parts
        return found

    @property
    def symbol(self) -> str | None:
        """The symbol in the scale, where there is one."""
        names = sorted(parse(str(self.scale)).names - {"d_k"})
        return names[0] if names else None

    @model_validator(mode="after")
    def _fits(self) -> GradientGiven:
        if self.forward != "projections" and (self.biases or self.output):
            raise ValueError('biases and output need forward = "projections"')
        if self.forward == "softmax" and (
            self.causal or self.mask or self.loss == "sum" or self.heads > 1
        ):
            raise ValueError('with forward = "softmax" there is one row of scores, s, and g or y')
        if self.heads % (self.key_heads or 1):
            raise ValueError("key_heads: must divide heads")
        if self.heads > 1 and self.loss in TO_TARGETS and not self.output:
            raise ValueError(f'loss = "{self.loss}" of several heads needs output = true')
        if self.scale != ROOT and len(parse(str(self.scale)).names) > 1:
            raise ValueError(f"scale: is a number, {ROOT}, or a formula in one symbol")
        if self.symbol in self.inputs() or self.symbol in ("n", "m", "d", "d_k", "d_v", "a"):
            raise ValueError(f"scale: {self.symbol} is the name of something else")
        if self.numbers:
            self._numbers()
        elif self.mask is not None:
            raise ValueError("mask: needs numbers")
        return self

    def _numbers(self) -> None:
        wanted = self.whole_inputs()
        if self.forward == "softmax":
            if "a" in self.numbers:
                wanted = {"a": ("n",), **wanted}
                del wanted["s"]
            if "g" in wanted and "g" not in self.numbers:
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
            found = self._of_one_head(name, found)
            for size, count in zip(shape, found, strict=True):
                if sizes.setdefault(size, count) != count:
                    raise ValueError(
                        f"numbers.{name}: makes {size} = {count}, and it is {sizes[size]} before"
                    )
        self._shares("a", above=True)
        if self.loss == "cross-entropy":
            self._shares("y")
            self._shares("T")
        if self.mask is not None:
            keys = sizes.get("m", sizes["n"])
            if np.shape(np.array(self.mask, dtype=object)) != (sizes["n"], keys):
                raise ValueError(f"mask: must be {sizes['n']} rows of {keys}")
            if not all(any(row) for row in self.mask):
                raise ValueError("mask: every row needs a 1")

    def _of_one_head(self, name: str, found: tuple[int, ...]) -> tuple[int, ...]:
        """Return the shape of the part of one head, of arrays side by side (W_O: stacked)."""
        heads, axis = len(self.parts(name)), 0 if name == "W_O" else len(found) - 1
        if found[axis] % heads:
            what = "rows" if axis == 0 and len(found) == 2 else "columns"
            raise ValueError(
                f"numbers.{name}: {found[axis]} {what} cannot be those of {heads} heads"
            )
        return tuple(count // heads if at == axis else count for at, count in enumerate(found))

    def _shares(self, name: str, above: bool = False) -> None:
        """Refuse numbers whose rows do not sum to 1."""
        for row in np.atleast_2d(np.array(self.numbers.get(name, []), dtype=object)):
            shares = [value(x) for x in row]
            least = min(shares, default=1)
            if shares and (least < 0 or (above and least == 0) or abs(sum(shares) - 1) > 1e-9):
                what = "weights are above 0" if above else "targets are 0 or more"
                raise ValueError(f"numbers.{name}: {what} and sum to 1")


class GradientGoal(Part):
    """What is asked for.

    Attributes:
        find: gradients by name: dV, dA, dS, dQ, dK; with projections also dW_Q, dW_K, dW_V, db_Q …,
            dW_O, dY, dX; for a softmax J (its Jacobian) and ds; in numbers also the loss. Of
            several heads those of each, dS_1, dW_Q_2 …, but for dX; with targets also what comes
            back to the output, dY or dZ.
        form: "formula", "numbers", or "any": numbers where an example is given, else formulas.
        bound: an upper bound is asked for, field `bound`: of the "leak" (the weight of all other
            keys), of the spectral norm of the softmax "jacobian", or of the length of the gradient
            in the "query"; in n, gamma (how far one score is above all others), and for the query
            kappa, D_K and D_V (scale, largest distances of keys and of values along G).
        vanishing: whether the bound must go to 0 as gamma grows.
        tolerance: how near rounded numbers have to come.
    """

    find: Annotated[list[Name], Field(max_length=60)] = Field(default_factory=list)
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
        known = given.gradients()
        if self.in_numbers:
            known += tuple(given.joined())
            known += (LOSS,) if given.loss != "G" else ()
        for name in goal.find:
            if name == LOSS and name not in known:
                raise ValueError('goal.find: the loss needs `numbers`, and a `loss` other than "G"')
            if name not in known:
                raise ValueError(f"goal.find: {name} is no gradient here: use {', '.join(known)}")
        if "ds" in goal.find and given.numbers and not {"g", "y"} & set(given.numbers):
            raise ValueError("goal.find: ds needs numbers.g, what comes back")
        if goal.form == "numbers" and not given.numbers:
            raise ValueError("goal.form: there are no `numbers` to compute with")
        return self


PROBLEM = GradientProblem
