"""Bounds of weights: what is called proved holds for NumPy, and what fails is refuted."""

from __future__ import annotations

import numpy as np
import pytest

from regard.checking.assertions import decide
from regard.problems.assertions import assertions
from regard.problems.symbols import SymbolsGiven
from regard.solving.assertions import settle

GIVEN = SymbolsGiven.model_validate(
    {
        "shapes": {
            "s": [4], "t": [4], "S": ["N", "M"], "U": [4, 2], "X": ["N", "D"], "r": ["N"], "W": ["D", "D"],
        },
        "define": {
            "a": "softmax(s)", "A": "softmax(S)", "b": "softmax(r)", "c": "softmax(t)", "Z": "(X W) (X W)'",
            "C": "softmax(X X', causal(N))",
        },
    }
)  # fmt: skip
TRUE = [
    "-a' log(a) <= log(4)", "-a' log(a) <= log(5)", "-a' log(a) >= 0", "-a' log(a) > 0",
    "-sum(a ⊙ log(a)) <= log(4)", "-rowsum(A ⊙ log(A)) <= log(M)", "-rowsum(log(A) ⊙ A) >= 0",
    "-b' log(b) <= log(N)", "-b' log(b) >= 0", "max(a) >= 1/4", "max(a) > 1/5", "min(a) <= 1/4",
    "rowmax(A) >= 1/M", "rowmax(softmax(S)) >= 1/M", "max(C) >= 1/N", "rowmax(C) >= 1/N",
    "max(softmax(2 s)) >= max(softmax(s))", "rowmax(softmax(2 S)) >= rowmax(softmax(S))",
    "U' a >= min(U)", "a' U <= max(U)", "a' s <= max(s)", "s' a >= min(s)",
    "norm(U' a)^2 <= max(diag(U U'))", "a' a <= 1", "norm(a) <= 1", "norm(a)^2 <= 1",
    "s' (diag(a) - a a') s >= 0", "-a' log(c) >= -a' log(a)",
    "rowsum(A ⊙ A) <= 1", "rowsum(softmax(X X') ⊙ causal(N)) <= 1", "diag(Z) >= 0",
]  # fmt: skip
FALSE = [
    "s' (diag(a) - a a') s > 1/10", "-a' log(a) >= -a' log(c)",
    "-a' log(a) <= log(3)", "-a' log(a) >= 1/10", "max(a) >= 1/3", "max(a) > 1/4", "min(a) <= 1/5",
    "rowmax(A) >= 1/N", "-rowsum(A ⊙ log(A)) <= log(N)", "U' a >= max(U)", "a' U <= min(U)",
    "norm(U' a)^2 <= min(diag(U U'))", "a' a < 1/2", "rowsum(A ⊙ A) <= 1/2",
    "rowsum(S ⊙ A) <= 1", "max(softmax(s)) >= max(softmax(2 s))", "diag(Z) > 0", "diag(X W X') >= 0",
    "rowmax(softmax(S/2)) >= rowmax(softmax(S))", "rowsum(A ⊙ S) <= 1",
]  # fmt: skip
# Equal for N = 1, equal for equal scores, below 0 for scores that are nearly the same.
OPEN = ["-b' log(b) > 0", "-a' log(a) < log(4)", "s' (diag(a) - c a') s >= 0"]


@pytest.mark.parametrize("says", TRUE)
def test_what_is_true_is_proved(says: str) -> None:
    parts = assertions(GIVEN, says)
    assert decide(parts, GIVEN).truth is True
    assert settle(parts, GIVEN).truth is True
    # And it is true: at numbers of all sizes, small and large.
    rng = np.random.default_rng(5)
    for size in (0.1, 1.0, 5.0):
        sizes = {"N": 3, "M": 5, "D": 2}
        values = {n: float(k) for n, k in sizes.items()}
        for name, shape in GIVEN.shapes.items():
            counts = [sizes[k] if isinstance(k, str) else k for k in shape]
            values[name] = size * rng.normal(size=counts)
        for part in parts:
            left, right = (GIVEN.evaluate(side, values) for side in (part.left, part.right))
            assert np.all(np.asarray(left) - right > -1e-12)


@pytest.mark.parametrize("says", FALSE)
def test_what_is_false_is_refuted(says: str) -> None:
    parts = assertions(GIVEN, says)
    assert decide(parts, GIVEN).truth is False
    assert settle(parts, GIVEN).truth is False


@pytest.mark.parametrize("says", OPEN)
def test_what_fails_for_few_numbers_is_not_called_true(says: str) -> None:
    assert decide(assertions(GIVEN, says), GIVEN).truth is not True
