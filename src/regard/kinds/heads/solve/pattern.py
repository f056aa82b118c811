"""Weights wanted of keys, and the query for them: a formula with a factor C, and how large C is.

Where the keys allow scores to be chosen one by one (orthonormal, orthogonal or independent keys),
let d_i be the vector with d_i·k_i = 1 and d_i·k_j = 0 for all other j: k_i itself, k_i/‖k_i‖², or a
column of the pseudo-inverse. Then q = Σ (C + ln p_i) d_i over the m wanted keys gives them the
weights p_i (1 − r) and each of the n − m others r/(n − m), with the leak

    r = (n − m) / (n − m + e^C),

exactly. If all p_i are alike, ln p_i may be left out: q = C Σ d_i, r = (n − m)/(n − m + m e^C).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np

from regard.errors import FormulaError
from regard.language import parse
from regard.problems.instances import Float64
from regard.problems.keys import Keys
from regard.problems.laws import Orthogonal, Orthonormal

SAME = 1e-12  # angles and lengths that differ by less differ by rounding
MOST_LISTED = 40  # numbers that a formula spells out


_parsed = lru_cache(maxsize=64)(parse)  # the same formula is evaluated at many factors


@dataclass(frozen=True)
class Pattern:
    """Weights that are wanted of some keys, and the query for them.

    Attributes:
        n: how many keys there are.
        scale: what the scores are multiplied by.
        names: of the wanted keys.
        rows: of the wanted keys.
        weights: wanted, in the same order.
        prefix: "k", or "mu" where keys are random.
        structure: "orthonormal", "orthogonal" or "independent" keys; None where scores cannot be
            chosen one by one.
        factor: the letter of the factor.
    """

    n: int
    scale: float
    names: tuple[str, ...]
    rows: tuple[int, ...]
    weights: tuple[float, ...]
    prefix: str
    structure: str | None
    factor: str = "C"

    @property
    def m(self) -> int:
        """How many keys are wanted."""
        return len(self.names)

    @property
    def rest(self) -> int:
        """How many keys are not wanted."""
        return self.n - self.m

    @property
    def even(self) -> bool:
        """Whether all weights are alike."""
        return max(self.weights) - min(self.weights) <= SAME

    @property
    def target(self) -> dict[int, float]:
        """The wanted weights by row."""
        return dict(zip(self.rows, self.weights, strict=True))

    @property
    def worst(self) -> float:
        """The largest change of a weight, per unit of the leak."""
        return max(*self.weights, 1 / self.rest) if self.rest else max(self.weights)

    @property
    def unit(self) -> float:
        """The factor, or the step of it, that raises the scores of the wanted keys by 1."""
        return 1 / self.scale if self.even else 1.0

    @property
    def others(self) -> list[int]:
        """The rows of the keys that are not wanted."""
        return [row for row in range(self.n) if row not in self.rows]

    @property
    def claimed(self) -> dict[str, list[float]]:
        """The wanted weights as claims write them."""
        return {"indices": list(self.rows), "weights": list(self.weights)}

    @cached_property
    def wanted(self) -> Float64:
        """The wanted weights of all keys."""
        result = np.zeros(self.n)
        result[list(self.rows)] = self.weights
        return result

    def distance(self, values: Float64) -> float:
        """The D of the error r D: from the wanted output to the mean of the other values (n, d)."""
        if not self.rest:
            return 0.0
        rest = np.mean(values[self.others], axis=0)
        return float(np.linalg.norm(rest - self.wanted @ values))

    @property
    def any_scores(self) -> bool:
        """Whether any scores can be had, by a formula or (of many keys) by numbers."""
        return self.structure in ("orthonormal", "orthogonal") or self.has_formula

    @property
    def has_formula(self) -> bool:
        """Whether there is a formula that is short enough for the language."""
        return self.structure is not None and spelled(self)

    def of_rows(self, share: Mapping[int, float]) -> Pattern:
        """Return the pattern of one head: other weights of some of the wanted keys, by row."""
        names = dict(zip(self.rows, self.names, strict=True))
        named = tuple(names[row] for row in share)
        return replace(self, names=named, rows=tuple(share), weights=tuple(share.values()))

    def text(self) -> str:
        """The query in the formula language."""
        if self.structure == "independent":
            return self._divided(f"pinv({self.matrix}) {self.scores_text()}")
        duals = [self._dual(name) for name in self.names]
        if self.even:
            return f"{self.factor} {duals[0] if self.m == 1 else '(' + ' + '.join(duals) + ')'}"
        terms = [
            f"({self.factor} + log({weight!r})) {dual}"
            for weight, dual in zip(self.weights, duals, strict=True)
        ]
        return self._divided(" + ".join(terms))

    @property
    def matrix(self) -> str:
        """What formulas call all keys, or all means, together."""
        return "M" if self.prefix == "mu" else "K"

    def scores_text(self) -> str:
        """The scores of all keys as a vector, before the scale."""
        return "[" + ", ".join(self._entry(row) for row in range(self.n)) + "]"

    def _dual(self, name: str) -> str:
        key = f"{self.prefix}_{name}"
        return f"{key}/norm({key})^2" if self.structure == "orthogonal" else key

    def _entry(self, row: int) -> str:
        if row not in self.rows:
            return "0"
        weight = self.target[row]
        return self.factor if self.even else f"{self.factor} + log({weight!r})"

    def _divided(self, text: str) -> str:
        # In an even mix the factor takes up the scale.
        return text if self.even or self.scale == 1 else f"({text})/{self.scale!r}"

    def latex(self) -> str:
        """The query as LaTeX."""
        return _parsed(self.text()).to_latex()

    def query(self, factor: float, symbols: Mapping[str, Float64 | float]) -> Float64:
        """The query for keys that formulas call by these names."""
        if not spelled(self):  # too many names for a formula
            keys = np.asarray(symbols[self.matrix], float)[list(self.rows)]
            duals = keys / np.sum(keys**2, axis=1, keepdims=True)
            if self.even:
                return np.asarray(factor * np.sum(duals, axis=0))
            return np.asarray((factor + np.log(self.weights)) @ duals / self.scale)
        return np.asarray(_parsed(self.text()).evaluate({**symbols, self.factor: factor}), float)

    @property
    def height(self) -> str:
        """How far wanted keys score above the others, as a formula; uneven ones less −ln p_i."""
        return f"{self.scale!r} {self.factor}" if self.even and self.scale != 1 else self.factor

    @property
    def weight_formula(self) -> str:
        """The weight of each wanted key, which uneven ones call p_i, as a formula with n."""
        return f"{'' if self.even else 'p_i '}exp({self.height})/{self._total}"

    @property
    def leak_formula(self) -> str:
        """The weight of all other keys together, as a formula with n."""
        return f"(n - {self.m})/{self._total}"

    @property
    def _total(self) -> str:
        times = f"{self.m} " if self.even and self.m > 1 else ""
        return f"({times}exp({self.height}) + n - {self.m})"

    def factor_formula(self, most: str) -> str:
        """The smallest factor for an error of epsilon, as a formula with n and epsilon.

        Args:
            most: how large the error is per unit of the leak, as a formula.
        """
        under = f"({self.m} epsilon)" if self.even and self.m > 1 else "epsilon"
        over = f"/{self.scale!r}" if self.even and self.scale != 1 else ""
        return f"log((n - {self.m}) ({most} - epsilon)/{under}){over}"

    def leak(self, factor: float) -> float:
        """The weight of all other keys together."""
        if not self.rest:
            return 0.0
        small = min(factor, 700.0 * self.unit)  # beyond, exp would overflow
        return self._evaluated(self.leak_formula, **{self.factor: small})

    def factor_for(self, leak: float) -> float:
        """The smallest factor with at most this leak; −∞ where every factor has."""
        if not self.rest or leak >= 1:
            return -math.inf
        return self._evaluated(self.factor_formula("1"), epsilon=leak)

    def _evaluated(self, formula: str, **symbols: float) -> float:
        return float(_parsed(formula).evaluate({"n": float(self.n), **symbols}))

    def all_weights(self, factor: float) -> Float64:
        """The weights of all keys, in closed form."""
        leak = self.leak(factor)
        result = (1 - leak) * self.wanted
        if self.rest:
            result[self.others] = leak / self.rest
        return result


def read_pattern(given: Keys, weights: Mapping[str, float], keys: Float64) -> Pattern:
    """Return the pattern that a goal asks for, of keys (n, d)."""
    names = tuple(weights)
    factor = next(letter for letter in ("C", "L", "S", "factor") if letter not in given.parameters)
    return Pattern(
        given.n,
        given.scale,
        names,
        tuple(given.names[name] for name in names),
        tuple(float(weights[name]) for name in names),
        given.key_prefix,
        _structure(given, keys),
        factor,
    )


def _structure(given: Keys, keys: Float64) -> str | None:
    """Say what lets scores be chosen one by one; None: nothing that a formula could use.

    What the law promises counts first; fixed keys are looked at.
    """
    law = given.key_law
    if isinstance(law, Orthonormal):
        return "orthonormal"
    if isinstance(law, Orthogonal):
        return "orthogonal"
    lengths = np.linalg.norm(keys, axis=1)
    if len(keys) <= keys.shape[1] and np.min(lengths) > 0:
        gram = keys @ keys.T / np.outer(lengths, lengths)
        if np.max(np.abs(gram - np.eye(len(keys)))) <= SAME:
            return "orthonormal" if np.max(np.abs(lengths - 1)) <= SAME else "orthogonal"
    if law.law == "arbitrary" and len(keys) <= min(keys.shape[1], MOST_LISTED):
        singular = np.linalg.svd(keys, compute_uv=False)
        if singular[-1] > 1e-9 * singular[0]:
            return "independent"
    return None


@lru_cache(maxsize=64)
def spelled(pattern: Pattern) -> bool:
    """Whether the formula is short enough for the language."""
    try:
        _parsed(pattern.text())
    except FormulaError:
        return False
    return True


def rounded_up(x: float, digits: int = 6) -> float:
    """The number of so many digits that is next above x, or x itself."""
    if x == 0 or not math.isfinite(x):
        return x
    unit = 10.0 ** (math.floor(math.log10(abs(x))) - digits + 1)
    found = float(f"{math.ceil(x / unit * (1 - 1e-15)) * unit:.{digits}g}")
    return found if found >= x else float(f"{(math.ceil(x / unit) + 1) * unit:.{digits}g}")
