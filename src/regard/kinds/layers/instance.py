"""A stream of tokens through two causal heads, for all sequences at once.

Token x at position t enters as u_x + p_t. Layer 1 adds what its head brings: y_t = x_t + V_1 Σ a x.
Layer 2 brings c_t = V_2 Σ b y. Rows see what is up to them, so that row t of the longest sequences
is row t of all sequences, and a prefix is the shortest sequence with that row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray

from regard.kinds.layers.spec import LayersGiven, LayersProblem

Float64 = NDArray[np.float64]
Matrices = Mapping[str, Float64]
NAMES = ("K_1", "Q_1", "V_1", "K_2", "Q_2", "V_2")


def example(problem: LayersProblem) -> dict[str, str]:
    """Return matrices that do it with a large enough C.

    Layer 1 copies the token before into the second room. For what followed, a key of layer 2 is
    that copy. Row 1 of a sequence without a start takes its own token for the one before, so its
    key is pushed down.
    """
    first = {"K_1": "P'", "Q_1": "C S P'", "V_1": "W U'"}
    if problem.goal.bring == "token two before":
        return {**first, "K_2": "P'", "Q_2": "C S P'", "V_2": "U W'"}
    key = "W'" if problem.given.start else "W' - ones(M) p_1'"
    return {**first, "K_2": key, "Q_2": "C U'", "V_2": "U U'"}


@dataclass(frozen=True, eq=False)
class Stream:
    """M tokens (and the start), N positions (and that of the start), and a second room."""

    problem: LayersProblem

    @property
    def given(self) -> LayersGiven:
        """What is given."""
        return self.problem.given

    @property
    def M(self) -> int:
        """How many tokens there are, without the start."""
        return len(self.given.vocabulary)

    @property
    def kinds(self) -> int:
        """How many tokens there are, with the start."""
        return self.M + self.given.start

    @property
    def places(self) -> int:
        """How many positions there are, with that of the start."""
        return self.given.length + self.given.start

    @property
    def d(self) -> int:
        """The width of the stream."""
        return 2 * self.kinds + self.places

    @cached_property
    def U(self) -> Float64:
        """The tokens as columns, the start last."""
        return np.eye(self.d)[:, : self.kinds]

    @cached_property
    def P(self) -> Float64:
        """The positions as columns."""
        return np.eye(self.d)[:, self.kinds : self.kinds + self.places]

    @cached_property
    def W(self) -> Float64:
        """The second room as columns, one for each token."""
        return np.eye(self.d)[:, self.kinds + self.places :]

    def symbols(self) -> dict[str, Float64 | float]:
        """Return what an answer may name."""
        tokens = [*self.given.vocabulary, *(["start"] if self.given.start else [])]
        names: dict[str, Float64 | float] = {
            "U": self.U, "P": self.P, "W": self.W, "S": np.eye(self.places, k=1),
            "J": np.diag(np.arange(1.0, self.places + 1)), "N": float(self.places),
            "M": float(self.kinds),
        }  # fmt: skip
        names |= {f"u_{x}": self.U[:, i] for i, x in enumerate(tokens)}
        names |= {f"w_{x}": self.W[:, i] for i, x in enumerate(tokens)}
        first = 0 if self.given.start else 1
        return names | {f"p_{t + first}": self.P[:, t] for t in range(self.places)}

    @cached_property
    def sequences(self) -> NDArray[np.intp]:
        """All longest sequences as tokens, with the start before them, (count, places)."""
        found = np.array(list(product(range(self.M), repeat=self.given.length)))
        if not self.given.start:
            return found
        return np.concatenate([np.full((len(found), 1), self.M), found], axis=1)

    @cached_property
    def inputs(self) -> Float64:
        """The inputs of all sequences, (count, places, d)."""
        return self.U.T[self.sequences] + self.P.T[None]

    @cached_property
    def wanted(self) -> NDArray[np.intp]:
        """The token that each row has to bring, (count, places); -1 where it is free."""
        x, s = self.sequences, int(self.given.start)
        found = np.full(x.shape, -1)
        if self.problem.goal.bring == "token two before":
            found[:, s + 2 :] = x[:, s:-2]
            return found
        for t in range(s + 1, x.shape[1]):
            seen = np.zeros((len(x), self.M), bool)
            for i in range(s, t):
                same = x[:, i] == x[:, t]
                seen[np.flatnonzero(same), x[same, i + 1]] = True
            one = np.count_nonzero(seen, axis=1) == 1
            found[one, t] = np.argmax(seen[one], axis=1)
        return found

    def run(
        self, matrices: Matrices, hidden: int | None = None
    ) -> tuple[Float64, Float64, Float64]:
        """Return the weights of both layers and what layer 2 brings, for all sequences.

        Args:
            matrices: by name, on columns.
            hidden: a position that layer 2 does not see, to ask what it does to an answer.
        """
        x = self.inputs
        a = _pattern(x, matrices["K_1"], matrices["Q_1"], None)
        y = x + a @ (x @ matrices["V_1"].T)
        b = _pattern(y, matrices["K_2"], matrices["Q_2"], hidden)
        return a, b, b @ (y @ matrices["V_2"].T)

    def errors(self, matrices: Matrices, hidden: int | None = None) -> Float64:
        """Return ‖c − wanted‖ of each row, (count, places); 0 where it is free."""
        with np.errstate(all="ignore"):
            brought = self.run(matrices, hidden)[2]
            goal = self.U.T[np.maximum(self.wanted, 0)]
            off = np.linalg.norm(brought - goal, axis=-1)
        off = np.where(np.isnan(off), np.inf, off)
        return np.where(self.wanted < 0, 0.0, off)


def _pattern(x: Float64, K: Float64, Q: Float64, hidden: int | None) -> Float64:
    scores = (x @ Q.T) @ np.swapaxes(x @ K.T, -1, -2)
    n = scores.shape[-1]
    seen = np.tril(np.ones((n, n), bool))
    if hidden is not None:
        seen[hidden + 1 :, hidden] = False
    scores = np.where(seen, scores, -np.inf)
    powers = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    return np.asarray(powers / np.sum(powers, axis=-1, keepdims=True))
