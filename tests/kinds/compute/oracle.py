"""Worked examples once more, in plain NumPy with a head axis: nothing of regard is used.

`slip` names one thing that is done wrong, so that wrong answers have numbers from here too.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

CALLS = {"sqrt": np.sqrt, "log": np.log, "exp": np.exp, "pi": np.pi}


def number(x: Any, **names: float) -> float:
    text = re.sub(r"(\d)\s+([a-z])", r"\1*\2", str(x))  # 2 sqrt(3)
    return float(eval(text, {"__builtins__": {}}, {**CALLS, **names}))


def array(rows: Any) -> np.ndarray:
    if isinstance(rows, list):
        return np.array([array(row) for row in rows])
    return np.array(-np.inf if rows == "-inf" else number(rows))


def sinusoids(places: np.ndarray, d: int, base: float, slip: str) -> np.ndarray:
    speeds = 1 / base ** (2 * np.arange(d // 2) / d)
    both = np.stack([np.sin(np.outer(places, speeds)), np.cos(np.outer(places, speeds))], -1)
    both = both.swapaxes(1, 2) if slip == "sines-first" else both
    return both.reshape(len(places), d)


def rotate(x: np.ndarray, places: np.ndarray, base: float, pairs: str) -> np.ndarray:
    """Pairs as complex numbers; x (heads, n, d)."""
    d = x.shape[-1]
    if pairs == "interleaved":
        z = x[..., 0::2] + 1j * x[..., 1::2]
    else:
        z = x[..., : d // 2] + 1j * x[..., d // 2 :]
    z = z * np.exp(1j * np.outer(places, 1 / base ** (2 * np.arange(d // 2) / d)))
    if pairs == "interleaved":
        return np.stack([z.real, z.imag], -1).reshape(x.shape)
    return np.concatenate([z.real, z.imag], -1)


def norm(x: np.ndarray, p: dict[str, Any], slip: str) -> np.ndarray:
    if slip == "no-norm":
        return x
    axis = 0 if slip == "norm-over-tokens" else -1
    ddof = 1 if slip == "sample-variance" else 0
    if p.get("kind", "layer") == "rms":
        unit = x / np.sqrt(np.mean(x * x, axis, keepdims=True) + number(p.get("epsilon", 0)))
    else:
        below = np.var(x, axis, ddof=ddof, keepdims=True) + number(p.get("epsilon", 0))
        unit = (x - np.mean(x, axis, keepdims=True)) / np.sqrt(below)
    return unit * array(p.get("gain", [1])) + array(p.get("shift", [0]))


def bucket(later: int, count: int, causal: bool) -> int:
    """T5's buckets by their definition in floats (agrees with whole numbers here)."""
    extra = 0
    if not causal:
        count //= 2
        extra, later = (count if later > 0 else 0), -abs(later)
    n, half = max(-later, 0), count // 2
    if n < half:
        return extra + n
    return extra + min(
        half + int(np.log(n / half) / np.log(128 / half) * (count - half) + 1e-9), count - 1
    )


def attend(g: dict[str, Any], slip: str = "") -> dict[str, np.ndarray]:
    """Return every quantity of a problem's `given`, whole matrices by the names of answers."""
    found: dict[str, np.ndarray] = {}
    h, kv = g.get("heads", 1), g.get("key_heads") or g.get("heads", 1)
    p = dict(g.get("positions") or {})
    start = p.get("start", 0) + (1 if slip == "positions-from-1" else 0)
    base = number(p.get("base", 10000))
    X = array(g["tokens"]) if "tokens" in g else None
    source = X
    context = array(g["context"]) if "context" in g else None
    if p.get("kind") in ("sinusoidal", "learned") and slip != "no-positions":
        n = g["n"] if X is None else max(len(X), 0 if context is None else len(context))
        d = g["d_model"] if X is None else X.shape[1]
        places = start + np.arange(n)
        P = (
            sinusoids(places, d, base, slip)
            if p["kind"] == "sinusoidal"
            else array(p["table"])[places]
        )
        found["P"] = P
        if X is not None:
            source = found["XP"] = X + P[: len(X)]
            context = None if context is None else context + P[: len(context)]
    elif p.get("kind") in ("sinusoidal", "learned") and X is not None:
        found["XP"] = X
    residual = source
    if g.get("norm", {}).get("place", "pre") == "pre" and "norm" in g:
        source = found["N"] = norm(source, g["norm"], slip)

    def project(letter: str) -> np.ndarray | None:
        if letter in g:
            rows = array(g[letter])
        elif source is None or (letter == "V" and "W_V" not in g and "W_Q" in g):
            return None
        else:
            rows = source if letter == "Q" or context is None or slip == "self" else context
            if f"W_{letter}" in g:
                W = array(g[f"W_{letter}"])
                rows = rows @ (
                    W.T if slip == "rows-and-columns" and W.shape[0] == W.shape[1] else W
                )
            if f"b_{letter}" in g and slip != "no-biases":
                rows = rows + array(g[f"b_{letter}"])
        if f"cached_{letter}" in g and slip != "no-cache":
            rows = np.concatenate([array(g[f"cached_{letter}"]), rows])
        return rows

    direct = "scores" in g or "weights" in g
    Q, K, V = (None if direct and one in "QK" else project(one) for one in "QKV")
    for name, rows in (("Q", Q), ("K", K), ("V", V)):
        if rows is not None:
            found[name] = rows

    def split(x: np.ndarray, parts: int) -> np.ndarray:
        if slip == "heads-mixed":
            return x.reshape(len(x), -1, parts).transpose(2, 0, 1)
        return x.reshape(len(x), parts, -1).transpose(1, 0, 2)

    if "n" in g:
        n_q = n_k = g["n"]
    elif "weights" in g or "scores" in g:
        n_q, n_k = array(g["weights" if "weights" in g else "scores"]).shape
    else:
        n_q, n_k = len(Q), len(K)
    offset = g.get("causal_offset", len(g.get("cached_K", [])) if slip != "no-cache" else 0)
    i, j = np.arange(n_q)[:, None] + offset, np.arange(n_k)[None, :]
    may = np.ones((n_q, n_k), bool)
    if g.get("is_causal"):
        may &= j <= i + (1 if slip == "one-too-late" else 0)
    if "window" in g:
        may &= (j >= i - g["window"][0]) & (j <= i + g["window"][1])
    if "key_length" in g:
        may &= j < g["key_length"]
    if "mask" in g:
        M = array(g["mask"])
        may &= np.isfinite(M) if np.isneginf(M).any() else M == 1
    hides = not may.all() or any(x in g for x in ("is_causal", "mask", "key_length", "window"))
    seen = np.ones_like(may) if slip == "no-mask" else may.T if slip == "mask-turned" else may
    if hides:
        found["M"] = seen.astype(float)
    heads = [""] if h == 1 else [f"_h{a}" for a in range(1, h + 1)]
    B = np.zeros((h, n_q, n_k)) + (array(g["bias"]) if "bias" in g else 0)
    first = p.get("query_start", start + offset)
    later = start + j - (first - offset + i)
    if p.get("kind") == "alibi" and slip != "no-positions":
        slopes = array(p["slopes"]) if "slopes" in p else 2.0 ** (-8 * np.arange(1, h + 1) / h)
        B = B - slopes[:, None, None] * np.abs(later) * (-1 if slip == "bias-turned" else 1)
    if p.get("kind") in ("relative", "t5"):
        table = array(p["table"])
        places = later + len(table) // 2
        if p["kind"] == "t5":
            causal = bool(g.get("is_causal"))
            places = np.array([[bucket(int(x), len(table), causal) for x in row] for row in later])
        B = B + (table[places].T if slip == "bias-turned" else table[places])
    if "bias" in g or p.get("kind") in ("alibi", "relative", "t5"):
        found |= {f"B{name}": B[a] for a, name in enumerate(heads)}
    if "weights" in g:
        A = array(g["weights"])[None]
    elif "n" in g:
        return found
    else:
        if "scores" in g:
            G, d_k = array(g["scores"])[None], 1
        else:
            q, k = split(Q, h), split(K, kv)
            d_k = q.shape[-1]
            if p.get("kind") == "rotary" and slip != "no-positions":
                pairs = p.get("pairs", "interleaved")
                if slip == "other-pairs":
                    pairs = "halves" if pairs == "interleaved" else "interleaved"
                sense = -1 if slip == "turned-back" else 1
                q = rotate(q, sense * (first + np.arange(n_q)), base, pairs)
                # Cached keys were turned when they were made, unless the problem says otherwise.
                before = len(g.get("cached_K", [])) if slip != "no-cache" else 0
                before = 0 if p.get("cached") == "plain" else before
                new = rotate(k[:, before:], sense * (start + np.arange(before, n_k)), base, pairs)
                k = np.concatenate([k[:, :before], new], axis=1)
                found["QR"] = q.transpose(1, 0, 2).reshape(n_q, -1)
                found["KR"] = k.transpose(1, 0, 2).reshape(n_k, -1)
            elif p.get("kind") == "rotary":
                found |= {"QR": Q, "KR": K}
            feature = g.get("feature_map")
            if feature:
                minus = 1 if slip == "elu-without-1" else 0
                phi = {
                    "elu+1": lambda x: np.where(x > 0, x + 1, np.exp(np.minimum(x, 0))) - minus,
                    "relu": lambda x: np.maximum(x, 0),
                    "identity": lambda x: x,
                }[feature if slip != "no-features" else "identity"]
                q, k = phi(q), phi(k)
                found |= {"QF": q[0], "KF": k[0]}
                if V is not None and not hides:
                    found["KV"] = np.einsum("jd,jm->dm", k[0], V)
            order = (
                np.arange(h) % kv if slip == "groups-in-turn" else np.repeat(np.arange(kv), h // kv)
            )
            k = k[order]
            if slip == "swapped":
                q, k = k, q
            score = g.get("score", "dot")
            if score == "additive":
                inner = q[:, :, None] + k[:, None]
                G = np.einsum(
                    "hijd,d->hij",
                    inner if slip == "no-tanh" else np.tanh(inner),
                    array(g["w_score"]),
                )
            elif score == "bilinear":
                G = np.einsum("hid,de,hje->hij", q, array(g["W_score"]), k)
            elif score == "distance":
                G = -(np.linalg.norm(q[:, :, None] - k[:, None], axis=-1) ** 2) / 2
            else:
                G = np.einsum("hid,hjd->hij", q, k)
            if score == "cosine" and slip != "no-lengths":
                G = G / np.linalg.norm(q, axis=-1)[:, :, None] / np.linalg.norm(k, axis=-1)[:, None]
        scale = number(g.get("scale", 1), d_k=d_k)
        scale = {"no-scale": 1.0, "d-not-root": 1 / d_k, "root": d_k**-0.5}.get(slip, scale)
        Z = scale * G + B
        T = number(g.get("temperature", 1))
        T = {"no-temperature": 1.0, "times-temperature": 1 / T}.get(slip, T)
        for a, name in enumerate(heads):
            found |= {f"G{name}": G[a], f"Z{name}": Z[a]}
        divides = g.get("normaliser", "sum" if g.get("feature_map") else "softmax") == "sum"
        if divides and slip != "softmax":
            kept = Z * seen
            with np.errstate(all="ignore"):
                A = kept / kept.sum(-1, keepdims=True)
            found |= {f"S{name}": kept[a].sum(-1) for a, name in enumerate(heads)}
        else:
            axis = -2 if slip == "columns" else -1
            if slip == "mask-multiplied":
                E = np.exp(Z / T * seen)
            elif slip == "mask-after":
                E = np.exp(Z / T)
            else:
                E = np.exp(Z / T) * seen
            A = E if slip == "not-divided" else E / E.sum(axis, keepdims=True)
            A = A * seen if slip == "mask-after" else A
            for a, name in enumerate(heads):
                S = E[a].sum(-1)
                found |= {f"E{name}": E[a], f"S{name}": S, f"LSE{name}": np.log(S)}
        if g.get("tiles"):
            ends = [*range(g["tiles"], n_k, g["tiles"]), n_k]
            z = np.where(seen, Z[0] / T, -np.inf)
            tops = np.stack([z[:, :e].max(1) for e in ends], 1)
            found["RM"] = tops
            terms = [np.exp(z[:, :e] - tops[:, [t]]) for t, e in enumerate(ends)]
            if slip == "not-rescaled":
                cuts = np.split(z, ends[:-1], axis=1)
                sums = [np.exp(c - c.max(1, keepdims=True)).sum(1) for c in cuts]
                found["RS"] = np.cumsum(np.stack(sums, 1), 1)
            else:
                found["RS"] = np.stack([t.sum(1) for t in terms], 1)
            if V is not None:
                found |= {
                    f"RU_t{t}": x @ V[:e]
                    for t, (x, e) in enumerate(zip(terms, ends, strict=True), 1)
                }
    for a, name in enumerate(heads):
        found[f"A{name}"] = A[a]
        bits = (g.get("entropy") == "bits") != (slip == "other-unit")
        with np.errstate(all="ignore"):
            found[f"H{name}"] = -np.where(A[a] > 0, A[a] * np.log(A[a]), 0).sum(1) / (
                np.log(2) if bits else 1
            )
    if V is None:
        return found
    v = split(V, kv)
    order = np.arange(h) % kv if slip == "groups-in-turn" else np.repeat(np.arange(kv), h // kv)
    C = np.einsum("hij,hjm->him", A, v[order]).transpose(1, 0, 2).reshape(n_q, -1)
    if slip == "unweighted":
        C = np.tile(V.mean(0), (n_q, 1))
    found["C"] = last = C
    if "W_O" in g:
        last = C if slip == "no-output-matrix" else C @ array(g["W_O"])
        last = last + (array(g["b_O"]) if "b_O" in g and slip != "no-biases" else 0)
        found["O"] = last
    if g.get("residual"):
        last = found["R"] = last + (0 if slip == "no-residual" else residual)
    post = g.get("norm", {}).get("place", "pre") == "post"
    if "feed_forward" in g:
        f, second = (
            g["feed_forward"],
            g.get("norm_2")
            or {k: v for k, v in g.get("norm", {}).items() if k in ("place", "kind", "epsilon")},
        )
        inner = last
        if "norm" in g:
            inner = found["L"] = norm(last, g["norm"] if post else second, slip)
        hidden = inner @ array(f["W_1"]) + array(f.get("b_1", [0]))
        hidden = np.maximum(hidden, 0) if f.get("activation", "relu") == "relu" else hidden
        found["F"] = hidden @ array(f["W_2"]) + array(f.get("b_2", [0]))
        if post:
            found["T"] = inner + found["F"]
            found["Y"] = norm(found["T"], second, slip)
        else:
            found["Y"] = last + found["F"]
    elif post:
        found["Y"] = norm(last, g["norm"], slip)
    return found


def pick(found: dict[str, np.ndarray], name: str) -> np.ndarray:
    """Return a matrix, a row or an entry by the name of an answer."""
    words = {"weights": "A", "scores": "Z", "entropy": "H", "mask": "M"}
    base, head, row, column = re.fullmatch(
        r"([A-Za-z]+)(_[ht]\d+)?(?:_(\d+))?(?:_(\d+))?", name
    ).groups()  # type: ignore[union-attr]
    if base == "output":
        base = next(x for x in ("Y", "R", "O", "C") if x in found)
    whole = found[words.get(base, base.upper()) + (head or "")]
    place = tuple(int(x) - 1 for x in (row, column) if x)
    return np.asarray(whole[place] if place else whole)
