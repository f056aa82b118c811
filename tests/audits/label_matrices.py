"""Matrices, formulas, positions and laws judged once more, in plain NumPy."""

from __future__ import annotations

from math import erf
from typing import Any

import numpy as np

from audits.label_queries import softmax

WORDS = {name: getattr(np, name) for name in ("log", "exp", "sqrt", "cos", "sin", "outer", "eye")}
WORDS |= {name: getattr(np, name) for name in ("array", "zeros", "ones", "pi", "abs")}
WORDS |= {"inv": np.linalg.inv, "pinv": np.linalg.pinv, "softmax": softmax, "sq": lambda x: x @ x}
WORDS |= {"norm": np.linalg.norm}


def value(text: Any, names: dict[str, Any]) -> np.ndarray:
    if not isinstance(text, str):
        return np.asarray(text, dtype=float)
    return np.asarray(eval(text, {"__builtins__": {}}, {**WORDS, **names}), dtype=float)


def basis(problem: dict[str, Any], beta: float) -> dict[str, Any]:
    names = problem["given"]["basis"]["names"]
    return {name: beta * row for name, row in zip(names, np.eye(len(names)), strict=True)} | {
        "beta": beta
    }


def token(text: str, names: dict[str, Any]) -> np.ndarray:
    """Read a sum such as "1/2 u_a + 3 u_b - u_c" of multiples of basis vectors."""
    total = np.zeros(len(names) - 1)
    for term in text.replace("- ", "+ -").split("+"):
        factor, _, name = term.strip().rpartition(" ")
        sign = -1.0 if name.startswith("-") else 1.0
        top, _, bottom = (factor or "1").partition("/")
        total += sign * float(top) / float(bottom or 1) * names[name.lstrip("-")]
    return total


def self_attention(problem: dict[str, Any], answer: dict[str, Any]) -> bool:
    """Say whether K, Q and V reach the goal where beta is large."""
    for beta in (5.0, 8.0):
        names = basis(problem, beta)
        rows = np.array([token(text, names) for text in problem["given"]["tokens"]])
        matrices = [value(answer[name], names) for name in "KQV"]
        if not answer.get("rows"):
            matrices = [matrix.T for matrix in matrices]
        keys, queries, values = (rows @ matrix for matrix in matrices)
        weights = softmax(queries @ keys.T)
        outputs, goal = weights @ values, problem["goal"]
        for name, wanted in goal.get("outputs", {}).items():
            missed = outputs[int(name[2:]) - 1] - token(wanted, names)
            if np.linalg.norm(missed) > goal["tolerance"]:
                return False
        for name, wanted in goal.get("attend", {}).items():
            target = np.zeros(len(rows))
            for seen, share in ({wanted: 1.0} if isinstance(wanted, str) else wanted).items():
                target[int(seen[2:]) - 1] = share
            if np.abs(weights[int(name[2:]) - 1] - target).max() > goal["tolerance"]:
                return False
    return True


def own_keys(problem: dict[str, Any], beta: float, factors: Any) -> np.ndarray:
    """Return the output of the token in question when multiples are added to it."""
    names, given = basis(problem, beta), problem["given"]
    rows = np.array([token(text, names) for text in given["tokens"]])
    number = int(given["change"]["token"][2:]) - 1
    for factor, added in zip(factors, given["change"]["add"], strict=False):
        rows[number] = rows[number] + factor * names[added]
    return softmax(rows @ rows[number]) @ rows


def feasibility(problem: dict[str, Any], answer: dict[str, Any]) -> bool:
    """Say whether c_k and possible are so: a factor that does it, or a grid where none does."""
    beta = float(answer.get("beta", 8.0))
    names = basis(problem, beta)
    ((name, wanted),) = problem["goal"]["output"].items()
    target, tolerance = token(wanted, names), problem["goal"].get("tolerance", 0.01)
    now = own_keys(problem, beta, [])
    if np.linalg.norm(now - value(answer[name], names)) > 0.01 * beta:
        return False

    def missed(factors: Any) -> float:
        away = own_keys(problem, beta, factors) - target
        return float(np.linalg.norm(away) / np.linalg.norm(target))

    if answer["possible"] is not False:
        return missed([answer["possible"]]) <= tolerance
    grid = np.concatenate([np.linspace(-30, 30, 601), [100.0, -100, 1000, -1000]])
    both = [(one, 0.0) for one in grid] + [(0.0, one) for one in grid]
    both += [(one, other) for one in grid[::15] for other in grid[::15]]
    if len(problem["given"]["change"]["add"]) == 1:
        both = [(one,) for one in grid]
    return min(missed(factors) for factors in both) > 2 * tolerance


def separator(problem: dict[str, Any], text: str) -> bool:
    rng = np.random.default_rng(8)
    given, goal = problem["given"], problem["goal"]
    for _ in range(4):
        d, frame = given["d"], np.linalg.qr(rng.normal(size=(given["d"],) * 2))[0]
        bases, used = {}, 0
        for name in "ST":
            law = given[name]
            if law["law"] == "fixed":
                bases[name] = np.array(law["rows"], dtype=float).T
                continue
            columns = frame[:, used : used + law["count"]]
            used += law["count"]
            if law["law"] == "unit":
                columns = columns @ rng.normal(size=(law["count"],) * 2)
                columns = columns / np.linalg.norm(columns, axis=0)
            bases[name] = columns
        parts = {name: matrix @ rng.normal(size=matrix.shape[1]) for name, matrix in bases.items()}
        c = given["share"] * (parts["S"] + parts["T"])
        M = value(text, {**bases, "d": d})
        found = M @ c if goal["side"] == "M c" else c @ M
        if np.abs(found - parts[goal["recover"]]).max() > 1e-8:
            return False
    return True


def offset(problem: dict[str, Any], answer: dict[str, str]) -> bool:
    """Say whether every query scores the key T steps back above all others."""
    d, n, T = (problem["given"][name] for name in ("d_model", "n", "T"))
    w = 10000.0 ** (-2 * np.arange(d // 2) / d)
    A = np.zeros((d, d))
    for i in range(d // 2):
        for j in range(d // 2):
            rotation = np.array(
                [[np.cos(w[i] * T), -np.sin(w[i] * T)], [np.sin(w[i] * T), np.cos(w[i] * T)]]
            )
            text = answer["block"] if i == j else answer["off"]
            A[2 * i : 2 * i + 2, 2 * j : 2 * j + 2] = value(
                text, {"w": w[i], "T": float(T), "rot": rotation}
            )
    times = np.arange(n)[:, None] * w
    rows = np.stack([np.sin(times), np.cos(times)], -1).reshape(n, d)
    table = rows @ A @ rows.T  # key, query
    seen = [t for t in range(n) if 0 <= t - T < n]
    return all(table[t - T, t] > np.delete(table[:, t], t - T).max() + 1e-9 for t in seen)


def band(problem: dict[str, Any], zeroed: Any) -> bool:
    """Say whether the zeroed blocks are those above some accepted phase."""
    given = problem["given"]
    w = 10000.0 ** (-2 * np.arange(given["d_model"] // 2) / given["d_model"])
    low, high = problem["goal"].get("accept", (np.pi / 4, np.pi))
    if isinstance(zeroed, str):
        B = float(given["B"])
        picked = {
            i
            for i, frequency in enumerate(w)
            if bool(eval(zeroed, {"__builtins__": {}}, {**WORDS, "i": i, "w": frequency, "B": B}))
        }
    else:
        picked = set(zeroed)
    phases = np.linspace(low, high, 4001)
    return any(picked == set(np.flatnonzero(w * given["B"] / 2 > phase)) for phase in phases)


def identity(problem: dict[str, Any], answer: dict[str, str]) -> bool:
    """Say whether each formula is the known one at random matrices."""
    rng = np.random.default_rng(4)
    wanted = {
        "Q": "X@W_Q", "K": "X@W_K", "V": "X@W_V", "Z": "Q@K.T", "C": "A@V", "total": "1.0",
        "alpha": "softmax(K@q)" if "q" in problem["given"]["shapes"] else "softmax(s)",
    }  # fmt: skip
    for _ in range(3):
        sizes = dict(zip(("N", "D", "D_K", "D_V", "n", "d"), (5, 3, 4, 2, 6, 3), strict=True))
        names: dict[str, Any] = {
            name: rng.normal(size=[sizes[size] for size in shape])
            for name, shape in problem["given"]["shapes"].items()
        }
        names["n"] = 6.0
        if "define" in problem["given"]:
            names["A"] = softmax(names["Q"] @ names["K"].T)
        for name, text in answer.items():
            found, right = value(text, names), value(wanted[name], names)
            if found.shape != right.shape or np.abs(found - right).max() > 1e-9:
                return False
    return True


def moments(problem: dict[str, Any], answer: dict[str, str]) -> bool:
    """Say whether the formulas are the moments, from those of one entry."""
    rng = np.random.default_rng(6)
    given, goal = problem["given"], problem["goal"]
    for _ in range(4):
        names = {name: rng.uniform(0.3, 3) for name in ("mu", "sigma", "a", "m")}
        names |= given.get("assume", {})
        names |= {"D_k": 37.0, "D": 23.0, "d_model": 58.0}
        size = names[given["dimension"]]
        if "k + e_tau" in given["of"]:
            angles = 2 * np.pi * (np.arange(64) + 0.5) / 64
            cross = np.mean(np.sin(angles) ** 2)  # an entry of variance 1 times a sine
            pair = np.mean(np.outer(np.sin(angles), np.sin(angles)) ** 2)
            right = {"mean": 1.0, "variance": size * (2 * cross + pair)}
        elif given.get("same"):
            nodes, shares = np.polynomial.hermite_e.hermegauss(12)
            x, shares = names["mu"] + names["sigma"] * nodes, shares / shares.sum()
            mean = shares @ x**2
            right = {"mean": size * mean, "variance": size * (shares @ x**4 - mean**2)}
        else:
            laws = [
                (
                    float(value(_python(given[v]["mean"]), names)),
                    float(value(_python(given[v]["variance"]), names)),
                )
                for v in "qk"
            ]
            mean = laws[0][0] * laws[1][0]
            square = np.prod([m**2 + variance for m, variance in laws])
            right = {"mean": size * mean, "variance": size * (square - mean**2)}
        right["s"] = np.sqrt(right["variance"] / goal.get("variance", 1.0))
        for name, text in answer.items():
            if abs(value(text, names) - right[name]) > 1e-9 * max(1, abs(right[name])):
                return False
    return True


def _python(text: str) -> str:
    return text.replace("^", "**")


def noise(problem: dict[str, Any], answer: dict[str, Any]) -> bool:
    """Say whether a law is that of the output where alpha is 0 and C is infinite.

    The one number z that varies, a normal one, decides who wins. Its line is cut finely and each
    piece counted with its probability, so that nothing is left to chance.
    """
    given = problem["given"]
    n, names = given["n"], given["names"]
    covariance = given["keys"]["covariance"]
    edges = np.linspace(-7, 7, 7001)
    share = np.diff([0.5 * (1 + erf(edge / 2**0.5)) for edge in edges])
    z = (edges[1:] + edges[:-1]) / 2
    (noisy,) = [name for name in covariance if name != "others"][:1]
    text = covariance[noisy].split(" I + ")[-1]
    size, _, direction = text.partition(" ")
    top, _, bottom = size.partition("/")
    root = (float(top) / float(bottom or 1)) ** 0.5
    along = np.eye(n)[names[noisy]]
    if direction.startswith("("):
        along = along + np.eye(n)[names["b"]]
    if {"a", "b"} <= set(covariance):  # two keys that vary alike: the longer wins
        root, along = root * 2**0.5, np.eye(n)[names["a"]]
    keys = np.repeat(np.eye(n)[None], len(z), 0)
    keys[:, names[noisy]] += root * z[:, None] * along
    V = np.random.default_rng(12).normal(size=(n, 4))
    heads, kept = [], np.ones(len(z), dtype=bool)
    for query in given["queries"]:
        q = sum(
            float(term.split(" ")[0] if " " in term else 1) * np.eye(n)[names[term.split("mu_")[1]]]
            for term in query.removeprefix("C ").strip("()").split(" + ")
        )
        scores = keys @ q
        if given.get("ignore_negative"):
            kept &= scores[:, names[noisy]] >= 0
        best = scores >= scores.max(1, keepdims=True) - 1e-9
        heads.append(best / best.sum(1, keepdims=True))
    share = np.where(kept, share, 0) / share[kept].sum()
    outputs = np.mean(heads, 0) @ V
    mean = share @ outputs
    variance = share @ np.sum((outputs - mean) ** 2, 1)
    a = names.get("a", names.get("i"))
    words = {"V": V, "notA": np.delete(V, a, 0).mean(0)}
    words |= {f"v_{name}": V[row] for name, row in names.items()}
    if "mean" in answer and np.abs(value(answer["mean"], words) - mean).max() > 2e-3:
        return False
    if "variance" in answer and abs(float(value(answer["variance"], words)) - variance) > 5e-4:
        return False
    if "atoms" in answer:
        left = share.copy()
        for text, chance in answer["atoms"]:
            near = np.abs(outputs - value(text, words)).max(1) < 1e-6
            if abs(share[near].sum() - chance) > 2.5e-3:
                return False
            left[near] = 0
        if left.sum() > 1e-3:
            return False
    if "independent" in answer:
        first, second = (np.unique(head, axis=0, return_inverse=True)[1].ravel() for head in heads)
        joint = np.zeros((first.max() + 1, second.max() + 1))
        np.add.at(joint, (first, second), share)
        apart = np.outer(joint.sum(1), joint.sum(0))
        if (np.abs(joint - apart).max() < 1e-6) != answer["independent"]:
            return False
    return True


def compute(given: dict[str, Any]) -> dict[str, np.ndarray]:
    """Return every number of a worked example."""

    def numbers(rows: Any) -> np.ndarray:
        return np.array(
            [[eval(str(x), {"__builtins__": {}}) for x in row] for row in rows], dtype=float
        )

    tokens = numbers(given["tokens"])
    Q, K, V = (tokens @ numbers(given[name]) for name in ("W_Q", "W_K", "W_V"))
    Z = Q @ K.T * (1 / np.sqrt(K.shape[1]) if given.get("scale") == "1/sqrt(d_k)" else 1.0)
    A = softmax(Z)
    found = {"Q": Q, "K": K, "V": V, "Z": Z, "A": A, "C": A @ V}
    lower = {"Q": "q", "K": "k", "V": "v", "Z": "z", "A": "a", "C": "c"}
    for name, rows in list(found.items()):
        found |= {f"{lower[name]}_{number}": row for number, row in enumerate(rows, 1)}
    return found
