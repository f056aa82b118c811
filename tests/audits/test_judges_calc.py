"""Random problems about numbers, moments and positions, with answers whose labels come from NumPy.

Nothing of the judges is used for a label: weights are computed with np.exp, moments by summing over
all outcomes of coins, offsets and windows from the sines and cosines themselves.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

from regard import problems
from regard.checking import check

FEW, MANY = range(3), range(1000, 1150)
SEEDS = [*FEW, *(pytest.param(seed, marks=pytest.mark.slow) for seed in MANY)]


def changed(name: str, **parts: Any) -> Any:
    return problems.from_dict({**problems.to_dict(problems.load(name)), **parts})


def judged(problem: Any, answer: dict[str, Any]) -> bool:
    found = check(problem, answer)
    assert found.decided
    assert (found.score == 1) == found.right == (found.counterexample is None)
    return found.right


# Worked examples.


def softmax(scores: np.ndarray) -> np.ndarray:
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("seed", SEEDS)
def test_numbers_pass_if_they_are_rounded_rightly(seed: int) -> None:
    rng = np.random.default_rng([1, seed])
    count, width, d_k, d_v = rng.integers(1, 4, 4)
    sizes = {"tokens": (count, width), "W_Q": (width, d_k), "W_K": (width, d_k)}
    sizes["W_V"] = (width, d_v)
    given = {name: rng.integers(-2, 3, size) for name, size in sizes.items()}
    scale = [1, "1/2", "1/sqrt(d_k)"][rng.integers(3)]
    X, W_Q, W_K, W_V = given.values()
    factor = {1: 1.0, "1/2": 0.5}.get(scale, 1 / math.sqrt(d_k))
    Z = factor * (X @ W_Q @ (X @ W_K).T)
    right = {"Z": Z, "A": softmax(Z), "C": softmax(Z) @ X @ W_V}
    data = {name: value.tolist() for name, value in given.items()}
    one = changed("worked-scores", given={**data, "scale": scale}, goal={"find": list(right)})
    decimals = int(rng.integers(2, 8))
    rounded = {name: np.round(value, decimals).tolist() for name, value in right.items()}
    assert judged(one, rounded)
    assert judged(one, {name: value.tolist() for name, value in right.items()})
    name = str(rng.choice(list(right)))
    place = tuple(rng.integers(0, size) for size in right[name].shape)
    wrong = np.round(right[name], decimals)
    # Two units of the last digit, which may come out as a number with fewer digits: 0.07 for 0.05.
    off = float(rng.choice([-1.0, 1.0]) * max(2 * 10.0**-decimals, 0.02 * rng.random()))
    wrong[place] = round(float(wrong[place]) + off, decimals)
    assert not judged(one, {**rounded, name: wrong.tolist()})


# Moments.


def by_coins(D: int, a: float, u: float, b: float, v: float) -> tuple[float, float]:
    """Return mean and variance of q'k with entries a ± √u and b ± √v, over all outcomes."""
    scores = []
    for signs in itertools.product((-1.0, 1.0), repeat=2 * D):
        q = a + math.sqrt(u) * np.array(signs[:D])
        k = b + math.sqrt(v) * np.array(signs[D:])
        scores.append(float(q @ k))
    return float(np.mean(scores)), float(np.var(scores))


TERMS = ("u*v", "a**2*v", "b**2*u", "a**2*u", "b**2*v", "a**2*b**2", "a*b", "u", "v", "a*b*u")


@pytest.mark.parametrize("seed", SEEDS)
def test_formulas_of_moments_pass_if_they_are_those_of_coins(seed: int) -> None:
    rng = np.random.default_rng([2, seed])
    texts = {
        "mean": ["D*a*b", "D*(a + b)**2/4 - D*(a - b)**2/4", "a*b + (D - 1)*a*b"],
        "variance": [
            "D*(u*v + a**2*v + b**2*u)",
            "D*((u + a**2)*(v + b**2) - a**2*b**2)",
            "D*u*v + D*(a**2*v + b**2*u)",
        ],
    }
    answer = {name: str(rng.choice(some)) for name, some in texts.items()}
    if rng.random() < 0.6:  # a term too many, too few, or a factor
        name = str(rng.choice(list(answer)))
        sign, term = rng.choice(["+", "-"]), rng.choice(TERMS)
        size = rng.choice(["D", "D**2", "1", "0", "0.5"])
        answer[name] = f"{answer[name]} {sign} {size}*{term}"
    right = True
    for _ in range(4):
        D = int(rng.integers(1, 4))
        a, b = rng.uniform(-2, 2, 2)
        u, v = rng.uniform(0.1, 3, 2)
        for name, value in zip(("mean", "variance"), by_coins(D, a, u, b, v), strict=True):
            said = eval(answer[name], {"D": D, "a": a, "b": b, "u": u, "v": v})
            right &= abs(said - value) <= 1e-9 * max(1, abs(value))
    parameters = {"D": 5, "a": 1.5, "b": -0.5, "u": 0.25, "v": 2.0}
    laws = {"q": {"mean": "a", "variance": "u"}, "k": {"mean": "b", "variance": "v"}}
    given = {"of": "q' k", "dimension": "D", **laws, "parameters": parameters}
    one = changed("dot-product-mean", given=given, goal={"find": ["mean", "variance"]})
    as_written = {name: text.replace("**", "^") for name, text in answer.items()}
    assert judged(one, as_written) == right, answer
    # The numbers themselves are an answer only to whoever was told them.
    mean, variance = by_coins(5, *(parameters[name] for name in ("a", "u", "b", "v")))
    numbers = {"mean": round(mean, 6), "variance": round(variance, 6)}
    assert not judged(one, numbers)
    shown = ", ".join(f"${name} = {value}$" for name, value in parameters.items())
    assert judged(
        changed(
            "dot-product-mean",
            given=given,
            goal=one.goal.model_dump(),
            statement=f"With {shown}: mean and variance of the score?",
        ),
        numbers,
    )


# Offsets.


def embedded(t: np.ndarray, d_model: int, base: float) -> tuple[np.ndarray, np.ndarray]:
    speeds = np.array([base ** (-2 * i / d_model) for i in range(d_model // 2)])
    rows = [[f(w * one) for w in speeds for f in (math.sin, math.cos)] for one in t]
    return np.array(rows), speeds


def looks_back(block: Any, d_model: int, n: int, T: int, base: float) -> bool:
    """Whether the largest score of every query is that of the key T steps before it."""
    keys, speeds = embedded(np.arange(n), d_model, base)
    queries, _ = embedded(np.arange(n) + T, d_model, base)
    A = np.zeros((d_model, d_model))
    for i, w in enumerate(speeds):
        A[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = block(w, T)
    scores = keys @ A @ queries.T
    own = np.diag(scores)
    others = np.where(np.eye(n, dtype=bool), -np.inf, scores)
    return bool(np.all(own > others.max(axis=0) + 1e-12))


@pytest.mark.parametrize("seed", SEEDS)
def test_blocks_pass_if_every_query_looks_where_it_should(seed: int) -> None:
    rng = np.random.default_rng([3, seed])
    base = float(rng.choice([100.0, 10000.0]))
    signs = (1, -1, 1, 1) if rng.random() < 0.6 else tuple(rng.choice([-1, 1], 4).tolist())
    times, plus = (1, 0) if rng.random() < 0.6 else rng.choice([-1, 0, 1, 2], 2).tolist()
    factor = float(rng.choice([0.5, 1.0, 3.0]))

    def block(w: float, T: int) -> np.ndarray:
        x = w * (times * T + plus)
        plain = [[math.cos(x), math.sin(x)], [math.sin(x), math.cos(x)]]
        return factor * np.array(signs).reshape(2, 2) * np.array(plain)

    places = [(2, 5, 1), (4, 12, 3), (6, 15, -4), (8, 30, 5), (10, 20, 0), (12, 40, -11)]
    right = all(looks_back(block, *place, base) for place in places)
    angle = f"w_i ({times} T + {plus})"
    entries = [
        f"{s} {f}({angle})" for s, f in zip(signs, ("cos", "sin", "sin", "cos"), strict=True)
    ]
    text = f"{factor} [[{entries[0]}, {entries[1]}], [{entries[2]}, {entries[3]}]]"
    given = {"d_model": 6, "n": 18, "T": int(rng.integers(1, 6)), "base": base}
    one = changed("look-back-exactly", given=given)
    assert judged(one, {"block": text, "off_block": 0}) == right, text
    assert not judged(one, {"block": text, "off_block": "I"})
    told = changed(
        "look-back-exactly", given=given, statement=f"Look back $T = {given['T']}$ steps."
    )
    steps = int(rng.choice([given["T"], given["T"] + 1]))
    numbers = f"[[cos({steps} w_i), -sin({steps} w_i)], [sin({steps} w_i), cos({steps} w_i)]]"
    assert not judged(one, {"block": numbers, "off_block": 0})
    assert judged(told, {"block": numbers, "off_block": 0}) == (steps == given["T"])


# Windows.


@pytest.mark.parametrize("seed", SEEDS)
def test_conditions_and_lists_pass_if_their_phase_is_accepted(seed: int) -> None:
    rng = np.random.default_rng([4, seed])
    d_model, n = 2 * int(rng.integers(2, 40)), int(rng.integers(60, 300))
    base = float(rng.choice([100.0, 10000.0]))
    B = float(rng.integers(1, 50))
    low, high = sorted(rng.uniform(0.5, 3.1, 2).tolist())
    given = {"d_model": d_model, "n": n, "T": 5, "B": B, "base": base}
    goal = {"phase": (low + high) / 2, "accept": [low, high]}
    one = changed("look-back-roughly", given=given, goal=goal)
    for phase, right in (
        (low * 1.001, True),
        (high * 0.999, True),
        (low * 0.8, False),
        (high * 1.25, False),
    ):
        if right and not low <= phase <= high:
            continue
        c = float(rng.choice([0.5, 1.0, 2.0, 3.0]))
        spellings = (
            f"w_i B/2 > {phase}",
            f"{c} w_i B >= {2 * c * phase}",
            f"not (w_i <= {2 * phase}/B)",
            f"i < d_model log(B/{2 * phase})/(2 log(base))",
        )
        text = str(rng.choice(spellings))
        assert judged(one, {"zeroed": text}) == right, text
    phases = [base ** (-2 * i / d_model) * B / 2 for i in range(d_model // 2)]
    for m in range(d_model // 2 + 1):
        # The first m blocks are those above some phase that is accepted.
        above = phases[m - 1] if m else math.inf
        below = phases[m] if m < len(phases) else 0.0
        right = max(below, low) < min(above, high)
        assert judged(one, {"zeroed": list(range(m))}) == right, m
    gap = sorted(set(rng.integers(0, d_model // 2, 4).tolist()))
    if gap != list(range(len(gap))):
        assert not judged(one, {"zeroed": gap})
