"""An open factor is right if it is for every large enough C, however late it grows.

What a growth comes to is worked out in mpmath, where C = 10^(10^2000) is a number like any other:
an answer is right if the softmax there, in mpmath, is within the tolerance, and wrong if it is not.
"""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from audits.labelled_files import bundled
from regard import checking, problems
from regard.checking.factors.open_factor import largest, written
from regard.language import parse

INNER = ("C", "C^0.1", "C^0.003", "C/1e200", "C/log(C)", "C/(1 + log(C))", "log(C)", "log(C)/3",
         "log(C)/200", "sqrt(log(C))", "log(C)^0.2", "log(log(C))", "log(1 + log(1 + C))",
         "exp(C)", "exp(sqrt(C))", "C^10", "C - 1e9", "(C + 1)^2 - C^2", "C - sqrt(C)",
         "exp(C)/C", "log(C + 3) - 40")  # fmt: skip
SATURATED = ("A C/(1 + C)", "A log(C)/(2 + log(C))", "A tanh(C)", "A ((C + 1) - C)",
             "A sqrt(C)/(1 + sqrt(C))", "A (1 - exp(-C))", "A C^0", "A log(C^2)/log(C)/2",
             "A (1 + 1/C)")  # fmt: skip
SINKING = ("-({})", "1/({})", "0 ({})")


def growth(rng: np.random.Generator) -> tuple[str, float]:
    """Return a text in C, and its limit as C grows: infinite, a number, or minus infinity."""
    kind = rng.integers(4)
    if kind < 2:
        first, second = rng.choice(INNER, 2)
        text = str(rng.choice(["{0}", "({0}) + ({1})", "0.05 ({0})", "({0})/7"]))
        return text.format(first, second), np.inf
    if kind == 2:
        A = float(np.round(rng.uniform(0.5, 30), 1))
        return str(rng.choice(SATURATED)).replace("A", str(A)), A
    way = int(rng.integers(3))
    return SINKING[way].format(rng.choice(INNER)), (-np.inf, 0.0, 0.0)[way]


def weights(scores: list[float]) -> np.ndarray:
    """Softmax in mpmath, of scores that may be infinite."""
    top = max(scores)
    if np.isinf(top):
        powers = [mpmath.mpf(s == top) for s in scores]
    else:
        powers = [mpmath.exp(mpmath.mpf(s) - top) if np.isfinite(s) else 0 for s in scores]
    return np.array([float(p / sum(powers)) for p in powers])


def times(limit: float, products: tuple[float, ...]) -> list[float]:
    return [limit * p if p else 0.0 for p in products]


def of_query(limit: float) -> bool:
    """keys (2, 0), (0, 1), (-1, -1) and q = g (1, 0): the first value to 0.01."""
    return abs(weights(times(limit, (2.0, 0.0, -1.0)))[0] - 1) <= 0.01


def of_average(limit: float) -> bool:
    """Orthonormal keys, q = g (k_i + k_j): what is left to two others, in their values' lengths."""
    found = weights(times(limit, (1.0, 1.0, 0.0, 0.0)))
    values = np.array([[1, 0], [0, 1], [2, 2], [-1, 3]])
    return np.linalg.norm((found - [0.5, 0.5, 0, 0]) @ values) <= 1e-3


def of_heads(limit: float) -> bool:
    """Three tokens at right angles, each to find itself among them: 0.01 of each weight."""
    found = weights(times(limit, (1.0, 0.0, 0.0)))
    axes = np.linalg.norm(found - [1, 0, 0])
    return max(abs(found[0] - 1), axes) <= 0.01


def of_sequences(limit: float) -> bool:
    """The token before, in the worst of the sequences of up to eight: all others are another one."""
    left = 1 - weights(times(limit, (1.0, *[0.0] * 7)))[0]
    return left * np.sqrt(2) <= 0.01


def of_layers(limit: float) -> bool:
    """Two heads that step back by one, with scores of g: a g of 3 leaks 1/(1 + e^3) to one key."""
    return limit > 60


KINDS = {
    "select-the-first-value": (of_query, lambda g: {"q": f"({g}) [1, 0]"}),
    "exact-average": (of_average, lambda g: {"q": f"({g}) k_i + ({g}) k_j"}),
    "every-token-finds-itself": (of_heads, lambda g: {"K": f"({g}) I", "Q": "I", "V": "I"}),
    "copy-the-previous-token": (
        of_sequences,
        lambda g: {"K": "P'", "Q": f"({g}) S P'", "V": "U U'"},
    ),
    "two-steps-back-by-two-heads": (
        of_layers,
        lambda g: {"K_1": "P'", "Q_1": f"({g}) S P'", "V_1": "W U'",
                   "K_2": "P'", "Q_2": f"({g}) S P'", "V_2": "U W'"},
    ),
}  # fmt: skip


def cases() -> list[object]:
    rng = np.random.default_rng(17)
    drawn = [(name, *growth(rng)) for name in KINDS for _ in range(24)]
    return [
        pytest.param(*one, marks=[pytest.mark.slow] if at % 6 else [])
        for at, one in enumerate(drawn)
    ]


@pytest.mark.parametrize(("name", "text", "limit"), cases())
def test_an_open_factor_is_judged_where_it_gets_to(name, text, limit):
    right, answer = KINDS[name]
    # Where a limit is near what is just enough, the words "large enough" decide nothing.
    if np.isfinite(limit) and right(limit * 1.02) != right(limit * 0.98):
        limit *= 1.05
        text = f"1.05 ({text})"
    if np.isfinite(limit) and right is of_layers:
        limit, text = 0.1 * limit, f"0.1 ({text})"
    verdict = checking.check(problems.from_dict(bundled(name)), answer(text))
    assert verdict.score is not None, text
    assert (verdict.score == 1) == right(limit), (text, limit, verdict.score)


@pytest.mark.parametrize("text", INNER)
def test_the_largest_factors_are_as_large_as_scores_allow(text):
    formula = parse(text)

    def size(C: float) -> float:
        return abs(float(formula.evaluate({"C": C})))

    found = largest(size, 1e10, 3)
    assert found, text
    with mpmath.workdps(80):
        for C in found:
            exact = mpmath.mpf(C)
            if hasattr(C, "exact"):
                exact = mpmath.ldexp(*(int(part) for part in C.exact.mid().man_exp()))
            names = {"C": exact, "exp": mpmath.exp, "log": mpmath.log,
                     "sqrt": mpmath.sqrt}  # fmt: skip
            truth = abs(eval(text.replace("^", "**"), {"__builtins__": {}}, names))
            assert 30 < truth < 1e10, (text, written(C), truth)
            np.testing.assert_allclose(size(C), float(truth), rtol=1e-9)


def test_a_factor_beyond_float64_is_written_as_a_power():
    last = largest(lambda C: 1.0, 2.0, 1)[0]
    assert written(last).startswith("10^(10^")
    assert np.isinf(last)
    assert written(20.0) == "20"


APART = {
    "two-steps-back-by-two-heads": lambda g: {
        "K_1": "P'", "Q_1": "C^2 S P'", "V_1": "W U'", "K_2": "P'", "Q_2": f"({g}) S P'",
        "V_2": "U W'",
    },
    "copy-the-previous-token": lambda g: {
        "K": "P'", "Q": f"C^2 S P' (I - p_2 p_2') + ({g}) S P' p_2 p_2'", "V": "U U'",
    },
    "one-head-per-value": lambda g: {"q_1": "C^2 mu_a", "q_2": f"({g}) mu_b"},
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("text", ["log(C)/20", "4 C/(1 + C)", "-log(C)", "log(log(C))"])
@pytest.mark.parametrize("name", list(APART))
def test_a_part_that_grows_later_than_the_others_is_followed_by_itself(name, text):
    verdict = checking.check(problems.from_dict(bundled(name)), APART[name](text))
    # What grows without end leaves nothing to others; 4 leaves them e^-4 of the weight, and more.
    assert verdict.score is not None, text
    assert (verdict.score == 1) == text.startswith("log"), (text, verdict.score)
