"""Problems about numbers, formulas and code that nobody would choose."""

from __future__ import annotations

from random import Random
from typing import Any

SIZES = [0.0, 1.0, -1.0, 2.0, 3.0, 0.5, 1 / 3, 1e-31, 1e-30, 1e-20, 1e-9, 1e9, 1e20, 1e29, 1e100]
SHARES = [1e-300, 1e-30, 1e-16, 1e-9, 1e-3, 0.01, 0.1, 0.3, 0.5, 0.9, 0.999999, 1 - 1e-16]
Parts = dict[str, dict[str, Any]]


def compute(rng: Random) -> Parts:
    """Return a worked example."""
    n, d, k, v = (rng.choice([1, 1, 2, 3]) for _ in range(4))

    def matrix(high: int, wide: int) -> list[list[Any]]:
        numbers = [
            0,
            1,
            -1,
            2,
            "1/3",
            "-0.25",
            0.1,
            rng.choice([1e-9, "1/1000000007", 1000, 2**20]),
        ]
        return [rng.choices(numbers, k=wide) for _ in range(high)]

    given = {"tokens": matrix(n, d), "W_Q": matrix(d, k), "W_K": matrix(d, k), "W_V": matrix(d, v)}
    given["scale"] = rng.choice([1, 0, -1, "1/sqrt(d_k)", "1/3", 1e-9])
    names = [f"{letter}_{i + 1}" for letter in "qkvzac" for i in range(n)] + list("QKVZAC")
    return {
        "given": given,
        "goal": {"find": rng.choices(names, k=3), "tolerance": rng.choice(SHARES)},
    }


def moments(rng: Random) -> Parts:
    """Return a problem about the mean and the variance of a score."""
    texts = [
        "mu",
        "0",
        "1",
        "mu^2",
        "sigma^2",
        "sigma",
        "1/mu",
        "mu + sigma",
        "D/mu",
        "0 mu",
        "1e-30",
    ]
    laws = [{"mean": rng.choice(texts), "variance": rng.choice(texts)} for _ in range(2)]
    numbers = {
        "D": rng.choice([1, 2, 64, 100_000]),
        "mu": rng.choice(SIZES),
        "sigma": rng.choice(SIZES),
    }
    given: dict[str, Any] = {"of": "q' k", "q": laws[0], "parameters": numbers}
    given |= rng.choice([{"k": laws[1]}, {"k": laws[0]}, {"same": True}])
    given["assume"] = rng.choice([{}, {}, {"mu": 0}, {"sigma": 1}, {"mu": 0, "sigma": 0}])
    find = rng.sample(["mean", "variance", "s"], rng.randint(1, 3))
    return {"given": given, "goal": {"find": find, "variance": rng.choice([1, 1e-30, 1e30, 2.5])}}


def identity(rng: Random) -> Parts:
    """Return formulas that may be the same."""
    given = {"shapes": {"X": ["N", "D"], "W": ["D", "D"], "s": ["N"], "t": []}, "rows": {"x": "X"}}
    texts = [
        "X W",
        "X",
        "X X'",
        "softmax(X X')",
        "s",
        "exp(s)",
        "sum(s)",
        "t",
        "t s",
        "X' s",
        "W^-1",
    ]
    texts += [
        "1/t",
        "log(t)",
        "sqrt(s)",
        "softmax(s)",
        "norm(s)",
        "0 X",
        "X W W^-1",
        "s - s",
        "t/t",
    ]
    texts += [
        "x_i",
        "x_j' x_j",
        "W' x_i",
        "x_i_j",
        "exp(1000 t)",
        "X^-1",
        "pinv(X)",
        "tr(W)",
        "[t, t]",
    ]
    claims = []
    for name in "AB"[: rng.choice([1, 1, 2])]:
        claim: dict[str, Any] = {"name": name, "equals": rng.choice(texts)}
        claim |= rng.choice([{}, {"part": "row i"}, {"part": "entry i j"}, {"over": "j"}])
        claim |= rng.choice([{}, {"formula": rng.choice(texts)}, {"formula": claim["equals"]}])
        claim |= rng.choice([{}, {}, {}, {"relation": ">"}])
        claims.append(claim)
    given |= rng.choice([{}, {}, {"sizes": {"N": 1}}, {"sizes": {"N": 2, "D": 1}}])
    return {"given": given, "goal": {"claims": claims}}


def code(rng: Random) -> Parts:
    """Return a file to complete."""
    names = ["softmax", "attention", "causal_attention", "masked_attention", "self_attention"]
    bodies = [": raise NotImplementedError", ": pass", ': """x"""; ...', ":\n    return 1"]
    arguments = [
        "(x)",
        "(q, k, v)",
        "(query, key, value, mask)",
        "(x, W_Q, W_K, W_V)",
        "(*x)",
        "()",
    ]
    chosen = rng.sample(names, rng.randint(1, 3))
    text = "".join(
        f"def f{i}{rng.choice(arguments)}{rng.choice(bodies)}\n" for i in range(len(chosen))
    )
    functions = {f"f{i}": name for i, name in enumerate(chosen)}
    return {"given": {"skeleton": text}, "goal": {"functions": functions}}
