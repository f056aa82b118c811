"""Problems that are put together as they must be, of numbers and formulas that nobody would choose."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from fuzzing.strange_formulas import SHARES, SIZES, Parts, code, compute, identity, moments
from fuzzing.strange_statements import choice, symmetry

QUIET = [0.0, 1e-30, 1e-9, 1e-3, 1e-2, 0.1, 1.0, 3.0]  # louder noise takes minutes
SCALES = [1.0, 1.0, 0.5, 3.0, 1e-30, 1e-9, 1e9, 1e30]


def rows(rng: Random, n: int, d: int) -> list[list[float]]:
    """Return n rows: ordinary ones, or some that are zero, alike, on a line, huge or tiny."""
    ordinary = [[float(rng.randint(-3, 3)) for _ in range(d)] for _ in range(n)]
    for _ in range(rng.choice([0, 0, 1, 2])):
        i = rng.randrange(n)
        size = rng.choice(SIZES)
        ordinary[i] = rng.choice([[size * x for x in ordinary[rng.randrange(n)]], [size] * d])
    size = rng.choice([1.0, 1.0, 1.0, *SIZES])
    return [[size * x for x in row] for row in ordinary]


def weights(rng: Random, names: list[str]) -> dict[str, float]:
    """Return weights by name that sum to 1."""
    chosen = names[: rng.randint(1, len(names))]
    first = rng.choice(SHARES) if len(chosen) > 1 else 1.0
    rest = (1 - first) / max(1, len(chosen) - 1)
    return {name: rest if i else first for i, name in enumerate(chosen)}


def law(rng: Random, n: int, d: int) -> Any:
    """Return a law of keys or values that n vectors of length d can have."""
    norms = {"law": "orthogonal", "norms": [abs(rng.choice(SIZES)) or 1.0 for _ in range(n)]}
    orthogonal = [{"law": "orthonormal"}, {"law": "orthogonal"}, norms] if d >= n else []
    return rng.choice([rows(rng, n, d), rows(rng, n, d), {"law": "arbitrary"}, *orthogonal])


def keys(rng: Random, random: bool) -> dict[str, Any]:
    """Return what is given about keys, random or not."""
    n, d = rng.choice([2, 2, 3, 4, 5, 9]), rng.choice([1, 1, 2, 3, 5])
    d = n if rng.random() < 0.4 else d
    letters = ["a", "b", "c", "others", "j"][: rng.randint(1, min(n, 4))]
    given: dict[str, Any] = {
        "n": n,
        "d": d,
        "keys": law(rng, n, d),
        "values": law(rng, n, rng.choice([n, d])),
        "names": dict(zip(letters, rng.sample(range(n), len(letters)), strict=True)),
        "parameters": {"alpha": rng.choice(QUIET), "C": rng.choice(SIZES)},
        "limits": rng.choice([[], [], ["alpha -> 0"], ["C -> inf"], ["alpha -> 0", "C -> inf"]]),
        "scale": rng.choice(SCALES),
    }
    if given["values"] in ({"law": "orthonormal"}, {"law": "orthogonal"}) and d < n:
        del given["values"]
    if random:
        spread = ["alpha I", "0 I", "I", "alpha^2 I + mu_a mu_a'", "1/2 mu_a mu_a'", "-I"]
        own = {"a": rng.choice(spread), "others": rng.choice(spread)}
        covariance = rng.choice([rng.choice(spread), own])
        given["keys"] = {"law": "gaussian", "mean": given["keys"], "covariance": covariance}
    return given


def query(rng: Random) -> Parts:
    """Return a query problem."""
    given = keys(rng, rng.random() < 0.5)
    goal = {"weights": weights(rng, list(given["names"])), "tolerance": rng.choice(SHARES)}
    return {"given": given, "goal": goal}


def heads(rng: Random) -> Parts:
    """Return a problem of several heads."""
    parts = query(rng)
    parts["goal"]["heads"] = rng.choice([2, 2, 3, 5])
    return parts


def noise(rng: Random) -> Parts:
    """Return a problem about the law of outputs."""
    given = keys(rng, True)
    texts = [
        "C mu_a",
        "mu_a",
        "0 mu_a",
        "C mu_a - C mu_a",
        "C^2 mu_a",
        "alpha mu_a",
        "C (mu_a + mu_b)",
    ]
    texts += ["mu_a/norm(mu_a)", "1e100 mu_a", "exp(C) mu_a", "(C + 1) mu_b", "-C mu_b + mu_a"]
    given["queries"] = rng.choices(texts, k=rng.choice([1, 1, 2, 3]))
    given["ignore_negative"] = rng.random() < 0.2
    find = rng.sample(["atoms", "mean", "variance", "independent"], rng.randint(1, 4))
    return {"given": given, "goal": {"find": find}}


def condition(rng: Random) -> Parts:
    """Return a problem about a condition."""
    given = keys(rng, False)
    goal = {"effect": rng.choice(["mass", "output", "pairwise", "dominable", "aligned"])}
    goal |= {"of": rng.choice(list(given["names"])), "epsilon": rng.choice(SHARES)}
    goal |= {"ratio": rng.choice([1 + 1e-9, 1.5, 100, 1e100]), "exact": rng.random() < 0.5}
    return {"given": given, "goal": goal}


def tokens(rng: Random) -> dict[str, Any]:
    """Return tokens of a few basis vectors."""
    names = ["u_a", "u_b", "u_c", "u_d"][: rng.choice([1, 2, 3, 4])]
    sums = [*names, "0 u_a", "-u_a", "2 u_a", "1e-29 u_a", "1e5 u_a", "u_a/beta", "beta u_a"]
    sums += [f"{one} + {other}" for one in names for other in names]
    return {
        "parameters": {"beta": rng.choice([1.0, 3.0, 1e-30, 1e-9, 1e3, 1e6, 0.5])},
        "basis": {"names": names, "norm": rng.choice(["beta", 1.0, 1e-9, 1e-30, 100.0])},
        "tokens": rng.choices(sums, k=rng.choice([1, 2, 3, 4])),
        "limits": rng.choice([[], ["beta -> inf"], ["beta -> 0"]]),
        "scale": rng.choice(SCALES),
    }


def self_attention(rng: Random) -> Parts:
    """Return a problem about the matrices of a head."""
    given = tokens(rng)
    count = len(given["tokens"])
    places = rng.sample(range(1, count + 1), rng.randint(1, count))
    goal: dict[str, Any] = {"tolerance": rng.choice([1e-300, 1e-3, 0.5, 1e6])}
    if rng.random() < 0.6:
        goal["outputs"] = {f"c_{i}": rng.choice([*given["tokens"], "u_a", "0 u_a"]) for i in places}
    else:
        own = {f"x_{i + 1}": 1 / count for i in range(count)}
        goal["attend"] = {f"x_{i}": rng.choice([f"x_{rng.randint(1, count)}", own]) for i in places}
    return {"given": given, "goal": goal}


def feasibility(rng: Random) -> Parts:
    """Return a problem about what a token can be changed to do."""
    given = tokens(rng)
    row = rng.randint(1, len(given["tokens"]))
    added = rng.choices(
        [*given["basis"]["names"], "0 u_a", *given["tokens"]], k=rng.choice([1, 2, 3])
    )
    given["change"] = {"token": f"x_{row}", "add": added}
    output = {f"c_{rng.choice([row, 1])}": rng.choice([*given["tokens"], "u_a", "0 u_a"])}
    return {"given": given, "goal": {"output": output, "tolerance": rng.choice([1e-9, 0.01, 5.0])}}


def separator(rng: Random) -> Parts:
    """Return a problem about two subspaces."""
    d = rng.choice([1, 2, 3, 4, 8])
    first, second = rng.randint(1, d), rng.randint(1, d)
    drawn = ["unit", "orthonormal"]
    given = {
        "d": d,
        "S": rng.choice([{"law": "fixed", "rows": rows(rng, first, d)}, {"law": rng.choice(drawn), "count": first}]),
        "T": rng.choice([{"law": "fixed", "rows": rows(rng, second, d)}, {"law": rng.choice(drawn), "count": second}]),
        "orthogonal": rng.random() < 0.3,
        "share": rng.choice(SCALES),
    }  # fmt: skip
    return {
        "given": given,
        "goal": {"recover": rng.choice("ST"), "side": rng.choice(["M c", "c M"])},
    }


def positions(rng: Random) -> Parts:
    """Return a problem about looking back; for bands `B` and `accept` are added."""
    n = rng.choice([2, 3, 5, 17, 64])
    given = {"d_model": rng.choice([2, 4, 6, 16, 64]), "n": n, "T": rng.randint(1 - n, n - 1)}
    given["base"] = rng.choice([10000.0, 1 + 1e-12, 1.5, 1e100])
    return {"given": given, "goal": {}}


def offset(rng: Random) -> Parts:
    """Return a problem about one offset."""
    parts = positions(rng)
    parts["goal"]["tolerance"] = rng.choice(SHARES)
    parts["given"] |= rng.choice([{}, {}, {"d_k": rng.choice([2, 3, 4, 100])}])
    return parts


def band(rng: Random) -> Parts:
    """Return a problem about a window of offsets."""
    parts = positions(rng)
    parts["given"]["B"] = rng.choice([5e-324, 1e-9, 0.5, 1, 2, 3.3, 10, 64])
    low = rng.choice([1e-300, 1e-3, 1.0, 3.0])
    parts["goal"] = {
        "phase": rng.choice([low, 1.5, 3.14]),
        "accept": [low, rng.choice([3.14, 1e100])],
    }
    return parts


def key(rng: Random) -> Parts:
    """Return a problem about a key that is replaced."""
    keys: Any = rng.choice([[[1, 0], [0, 2], [1, 1]], {"law": "orthonormal"}, {"law": "arbitrary"}])
    names = {"a": 0, "b": 1, rng.choice(["c", "q", "k"]): rng.choice([2, 2, 3])}
    given: dict[str, Any] = {"keys": keys, "n": 3, "names": names}
    given["query"] = rng.choice([[1, 2], [0, 0], [1e20, 1], "k_a + k_b", "2 v_a", "k_z", [1, 2, 3]])
    given["replace"] = rng.choice(["a", "b", "c", "z"])
    goal: dict[str, Any] = {"tolerance": rng.choice([1e-12, 0.01, 0.9])}
    goal |= rng.choice(
        [{"weights": {"a": "1/3", "b": "2/3"}}, {"weights": {"a": 1}}, {"output": [1, 0]}]
    )
    goal |= rng.choice([{}, {"norm": 1}, {"longest": 1e-20}, {"norm": 1, "longest": 2}])
    goal |= rng.choice([{}, {"find": ["error"]}, {"find": ["key", "error"]}])
    if rng.random() < 0.5:
        given["values"] = [[1, 0], [0, 1], [2, 2]]
    return {"given": given, "goal": goal}


def layers(rng: Random) -> Parts:
    """Return a problem about two layers."""
    names = rng.sample(["a", "b", "c", "start", "p_1", "N"], rng.choice([1, 2, 2, 3]))
    given: dict[str, Any] = {"vocabulary": names, "length": rng.choice([2, 3, 4, 11])}
    given |= rng.choice([{}, {"start": True}])
    goal = {"bring": rng.choice(["what followed", "token two before", "own token"])}
    return {"given": given, "goal": {**goal, "tolerance": rng.choice([1e-8, 0.01, 0.69, 1.0])}}


def sequences(rng: Random) -> Parts:
    """Return a problem about every sequence."""
    names = rng.sample(["a", "b", "c", "d", "u", "p_1", "N"], rng.choice([1, 2, 3, 6]))
    given: dict[str, Any] = {"vocabulary": names, "length": rng.choice([1, 2, 3, 5, 17])}
    given |= rng.choice([{}, {"positions": "none"}, {"is_causal": True}])
    task = rng.choice(["own token", "first token", "previous token", "last place", "next token"])
    goal: dict[str, Any] = {"copy": task, "tolerance": rng.choice([1e-8, 0.01, 0.69, 1.0])}
    if task == "last place" or rng.random() < 0.1:
        goal["of"] = rng.choice([*names, "z"])
    return {"given": given, "goal": goal}


def count(rng: Random) -> Parts:
    """Return a problem about a count."""
    size = lambda: rng.choice([0, 1, 2, 3, 512, "d", "n", "h", "2 d", "d/h", 10**9])  # noqa: E731
    given: dict[str, Any] = {"of": rng.choice(["attention", "head", "block", "model", "product"])}
    names = ["d_model", "heads", "key_heads", "d_k", "d_ff", "n", "layers", "vocabulary", "batch"]
    given |= {name: size() for name in rng.sample(names, rng.randint(1, 6))}
    given["values"] = {name: rng.choice([1, 2, 8, 64]) for name in "dnh"[: rng.randint(0, 3)]}
    find = ["parameters", "flops", "kv_cache_bytes", "multiplications", "shape_Q", "nothing"]
    return {"given": given, "goal": {"find": rng.sample(find, rng.choice([1, 1, 2]))}}


def gradient(rng: Random) -> Parts:
    """Return a problem about a backward pass."""
    given: dict[str, Any] = {"forward": rng.choice(["attention", "softmax", "self_attention", "x"])}
    given |= rng.choice([{}, {"causal": True}, {"scale": rng.choice([0, 1, 0.5, "kappa"])}])
    find = ["dV", "dA", "dS", "dQ", "dK", "dX", "dW_Q", "J", "ds", "dZ"]
    goal: dict[str, Any] = {"find": rng.sample(find, rng.choice([1, 2, 3]))}
    goal |= rng.choice([{}, {}, {"bound": rng.choice(["leak", "jacobian", "query"]), "find": []}])
    return {"given": given, "goal": goal}


MAKERS: dict[str, Callable[[Random], Parts]] = {
    "query": query, "heads": heads, "noise": noise, "condition": condition, "code": code,
    "self_attention": self_attention, "feasibility": feasibility, "separator": separator,
    "offset": offset, "band": band, "compute": compute, "moments": moments, "identity": identity,
    "choice": choice, "symmetry": symmetry, "sequences": sequences, "key": key, "layers": layers, "count": count, "gradient": gradient,
}  # fmt: skip
