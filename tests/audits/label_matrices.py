"""Matrices, formulas and positions judged once more, in plain NumPy."""

from __future__ import annotations

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
    return np.asarray(eval(text, {}, {**WORDS, **names}), dtype=float)


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
            if bool(eval(zeroed, {}, {**WORDS, "i": i, "w": frequency, "B": B}))
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
