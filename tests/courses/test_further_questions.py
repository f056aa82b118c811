"""Further questions that a course could ask, as problem files, with answers worked out in NumPy.

Each is stated with what `docs/own_problems.md` says and nothing else; it has to be settled, its right answer taken and
its wrong ones refused.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from regard import problems
from regard.checking import check
from regard.errors import InvalidAnswer
from regard.solving import Status, solve

SETTLED = (Status.PROVED, Status.IMPOSSIBLE, Status.COMPUTED)
CASES: list[tuple[Any, ...]] = []


def sm(scores: np.ndarray) -> np.ndarray:
    """Return the softmax of each row."""
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def r(array: Any, digits: int = 4) -> Any:
    """Return numbers as an answer writes them."""
    return np.round(array, digits).tolist()


def case(name: str, kind: str, given: Any, goal: Any, right: Any, wrong: Any) -> None:
    """Add a question."""
    CASES.append((name, kind, given, goal, right, wrong))


# 1 block-diagonal mask
S = np.array([[1, 2, 0, 1], [0, 1, 1, 3], [2, 0, 1, 1], [1, 1, 0, 2.0]])
M = np.array([[1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 1], [0, 0, 1, 1]])
A = sm(np.where(M == 1, S, -np.inf))
case(
    "block-mask",
    "compute",
    {"scores": S.tolist(), "mask": M.tolist()},
    {"find": ["A", "entropy"]},
    {"A": r(A), "H": r((-np.where(A > 0, A * np.log(np.where(A > 0, A, 1)), 0)).sum(1))},
    [{"A": r(sm(S)), "H": [0, 0, 0, 0]}],
)
# 2 prefix-LM mask (bidirectional on first 2, causal after)
M2 = np.tril(np.ones((4, 4)))
M2[:2, :2] = 1
Q = np.array([[1, 0], [0, 1], [1, 1], [2, -1.0]])
K = np.array([[1, 1], [0, 2], [1, 0], [-1, 1.0]])
V = np.array([[1, 0], [0, 1], [1, 1], [2, 0.0]])
A = sm(np.where(M2 == 1, Q @ K.T / np.sqrt(2), -np.inf))
case(
    "prefix-lm",
    "compute",
    {
        "Q": Q.tolist(),
        "K": K.tolist(),
        "V": V.tolist(),
        "mask": M2.astype(int).tolist(),
        "scale": "1/sqrt(d_k)",
    },
    {"find": ["weights", "output"]},
    {"weights": r(A), "output": r(A @ V)},
    [{"weights": r(sm(Q @ K.T / np.sqrt(2))), "output": r(sm(Q @ K.T / np.sqrt(2)) @ V)}],
)
# 3 multi-query attention 2 heads 1 kv head with output
X = np.array([[1, 2], [0, 1], [1, -1.0]])
WQ = np.array([[1, 0, 0, 1], [0, 1, 1, 0.0]])
WK = np.array([[1, 0], [1, 1.0]])
WV = np.array([[0, 1], [1, 0.0]])
WO = np.array([[1, 0], [0, 1], [1, 1], [0, 2.0]])
outs = []
for h in range(2):
    A = sm((X @ WQ)[:, 2 * h : 2 * h + 2] @ (X @ WK).T / np.sqrt(2))
    outs.append(A @ (X @ WV))
out = np.hstack(outs) @ WO
case(
    "mqa",
    "compute",
    {
        "tokens": X.tolist(),
        "W_Q": WQ.tolist(),
        "W_K": WK.tolist(),
        "W_V": WV.tolist(),
        "W_O": WO.tolist(),
        "heads": 2,
        "key_heads": 1,
        "scale": "1/sqrt(d_k)",
    },
    {"find": ["O"]},
    {"O": r(out)},
    [{"O": r(np.hstack(outs)[:, [2, 3, 0, 1]] @ WO)}],
)
# 4 count: sliding window decoder
case(
    "window-pairs",
    "count",
    {"of": "head", "n": 1000, "d_k": 64, "window": 128, "conventions": {"causal": True}},
    {"find": ["pairs"]},
    {"pairs": sum(min(i, 128) for i in range(1, 1001))},
    [{"pairs": 128000}, {"pairs": 500500}],
)
# 5 count with GQA, gated FFN, rms, tied
d, h, hk, dk, ff, L, Vv = 2048, 32, 8, 64, 5632, 22, 32000
P = L * (d * h * dk + 2 * d * hk * dk + h * dk * d + 3 * d * ff + 2 * d) + Vv * d * 2 + d
case(
    "tinyllama",
    "count",
    {
        "of": "model",
        "d_model": d,
        "heads": h,
        "key_heads": hk,
        "d_ff": ff,
        "layers": L,
        "vocabulary": Vv,
        "conventions": {"norms": "rms", "feed_forward": "gated"},
    },
    {"find": ["parameters"]},
    {"parameters": P},
    [{"parameters": P - Vv * d}],
)
# 6 count flops decode
case(
    "cache-at-8bit",
    "count",
    {"layers": 28, "heads": 16, "key_heads": 4, "d_k": 128, "n": 32768, "bytes": 1, "batch": 2},
    {"find": ["kv_cache_bytes"]},
    {"kv_cache_bytes": 2 * 28 * 4 * 128 * 32768 * 2 * 1},
    [{"kv_cache_bytes": 28 * 4 * 128 * 32768 * 2}],
)
# 7 gradient: dK numbers causal
Q = np.array([[1, 0], [1, 1.0]])
K = np.array([[0, 1], [1, 1.0]])
V = np.array([[1, 2], [0, 1.0]])
G = np.array([[1, 0], [0, 1.0]])
Mk = np.tril(np.ones((2, 2)))
A = sm(np.where(Mk == 1, Q @ K.T / np.sqrt(2), -np.inf))
dA = G @ V.T
dS = A * (dA - (A * dA).sum(1, keepdims=True))
dK = dS.T @ Q / np.sqrt(2)
case(
    "dK-causal",
    "gradient",
    {
        "causal": True,
        "numbers": {"Q": Q.tolist(), "K": K.tolist(), "V": V.tolist(), "G": G.tolist()},
    },
    {"find": ["dK"]},
    {"dK": r(dK)},
    [{"dK": r(dK * np.sqrt(2))}, {"dK": r(-dK)}],
)
# 8 gradient formula dW_K
case(
    "dWK",
    "gradient",
    {"forward": "projections"},
    {"find": ["dW_K"]},
    {"dW_K": "X' dS' Q / sqrt(d_k)"},
    [{"dW_K": "X' dS Q / sqrt(d_k)"}],
)
# 9 symmetry: scale keys & queries
case(
    "scale-both",
    "symmetry",
    {"shapes": {"Q": ["N", "D"], "K": ["M", "D"], "V": ["M", "E"], "c": []}, "positive": ["c"]},
    {"output": "softmax(Q K') V", "change": {"Q": "c Q", "K": "K / c"}, "find": ["invariant"]},
    {"invariant": True},
    [{"invariant": False}],
)
# 10 shift of values
case(
    "shift-values",
    "symmetry",
    {"shapes": {"S": ["N", "M"], "V": ["M", "E"], "b": ["E"]}},
    {"output": "softmax(S) V", "change": {"V": "V + ones(M) b'"}, "find": ["invariant", "becomes"]},
    {"invariant": False, "becomes": "Y + ones(N) b'"},
    [{"invariant": True, "becomes": "Y"}],
)
# 11 choice statements
case(
    "statements",
    "choice",
    {
        "shapes": {"S": ["N", "M"], "V": ["M", "E"], "c": ["N"], "X": [3, 2]},
        "functions": {"C(X)": "softmax(X X', causal(3)) X"},
    },
    {
        "statements": [
            {"label": "a", "words": "shift", "says": "softmax(S + c ones(M)') = softmax(S)"},
            {"label": "b", "words": "scale", "says": "softmax(2 S) = softmax(S)"},
            {"label": "c", "words": "first row copies", "says": "row(C(X), 1) = row(X, 1)"},
        ]
    },
    {"true": ["a", "c"]},
    [{"true": ["a", "b", "c"]}, {"true": ["c"]}],
)
# 12 key replacement with output formula and values
case(
    "key-output",
    "key",
    {
        "keys": [[1, 0], [0, 1], [1, 1]],
        "values": [[1, 0], [0, 1], [3, 3]],
        "names": {"a": 0, "b": 1, "c": 2},
        "query": [1, 1],
        "replace": "c",
    },
    {"output": "(v_a + v_b + 2 v_c)/4", "tolerance": 0.01},
    {"k": [0, 1 + np.log(2)]},
    [{"k": [0, 1]}],
)
# 13 two layers
case(
    "ind4",
    "layers",
    {"vocabulary": ["a", "b", "c", "d"], "length": 4, "start": True},
    {"bring": "what followed", "tolerance": 0.05},
    {"K_1": "P'", "Q_1": "C S P'", "V_1": "W U'", "K_2": "W'", "Q_2": "C U'", "V_2": "U U'"},
    [{"K_1": "P'", "Q_1": "C S P'", "V_1": "W U'", "K_2": "U'", "Q_2": "C U'", "V_2": "U U'"}],
)
# 14 sinusoidal with base 100 positions from 1
pos = np.arange(1, 4)
w = 100.0 ** (-2 * np.arange(3) / 6)
Pm = np.zeros((3, 6))
Pm[:, 0::2] = np.sin(np.outer(pos, w))
Pm[:, 1::2] = np.cos(np.outer(pos, w))
case(
    "sin-base100",
    "compute",
    {"n": 3, "d_model": 6, "positions": {"kind": "sinusoidal", "base": 100, "start": 1}},
    {"find": ["P"]},
    {"P": r(Pm)},
    [{"P": r(np.roll(Pm, 1, 0))}],
)
# 15 ALiBi 2 heads default slopes, causal, n=4, scores zero
case(
    "alibi8",
    "compute",
    {"n": 4, "heads": 8, "positions": {"kind": "alibi"}, "is_causal": True},
    {"find": ["B_h3"]},
    {"B_h3": r(np.array([[-(1 / 8) * abs(i - j) for j in range(4)] for i in range(4)]), 5)},
    [{"B_h3": r(np.array([[-(1 / 4) * abs(i - j) for j in range(4)] for i in range(4)]), 5)}],
)
# 16 noise multi head
case(
    "noise",
    "noise",
    {
        "n": 4,
        "names": {"a": 0, "b": 1},
        "parameters": {"alpha": 1e-4, "C": 10},
        "limits": ["alpha -> 0", "C -> inf"],
        "queries": ["C mu_a", "C mu_b"],
        "keys": {
            "law": "gaussian",
            "mean": {"law": "orthonormal"},
            "covariance": {"a": "alpha I + 1/2 mu_a mu_a'", "others": "alpha I"},
        },
    },
    {"find": ["mean"]},
    {"mean": "(Phi(sqrt(2)) v_a + (1 - Phi(sqrt(2))) vbar_not_a + v_b)/2"},
    [{"mean": "(v_a + v_b)/2"}],
)
# 17 moments: uniform entries variance
case(
    "var",
    "moments",
    {
        "of": "q' k",
        "dimension": "d",
        "q": {"mean": "0", "variance": "s^2"},
        "k": {"mean": "0", "variance": "s^2"},
        "parameters": {"d": 64, "s": 0.5},
    },
    {"find": ["variance", "s"]},
    {"variance": "d s^4", "s": "sqrt(d) s^2"},
    [{"variance": "d s^2", "s": "sqrt(d) s"}],
)
# 18 self attention
case(
    "third",
    "self_attention",
    {
        "parameters": {"beta": 4.0},
        "basis": {"names": ["u_a", "u_b", "u_c"], "norm": "beta"},
        "tokens": ["u_a", "u_b", "u_c"],
        "limits": ["beta -> inf"],
    },
    {"outputs": {"c_1": "u_b", "c_2": "u_c", "c_3": "u_a"}, "tolerance": 0.01},
    {"K": "I", "Q": "u_b u_a' + u_c u_b' + u_a u_c'", "V": "I"},
    [{"K": "I", "Q": "I", "V": "I"}],
)
# 19 condition exact
case(
    "half",
    "condition",
    {"n": 3, "keys": {"law": "arbitrary"}, "names": {"j": 0}},
    {"effect": "pairwise", "of": "j", "ratio": 10},
    {"condition": "s_j - s_i >= log(10)"},
    [{"condition": "s_j >= s_i"}],
)
# 20 identity two layer virtual
case(
    "virtual",
    "identity",
    {
        "shapes": {
            "A_1": ["N", "N"],
            "A_2": ["N", "N"],
            "X": ["N", "D"],
            "W_1": ["D", "D"],
            "W_2": ["D", "D"],
        }
    },
    {"claims": [{"name": "Y", "equals": "A_2 (A_1 X W_1) W_2", "shape": ["N", "D"]}]},
    {"Y": "(A_2 A_1) X (W_1 W_2)", "shape": ["N", "D"]},
    [{"Y": "(A_1 A_2) X (W_1 W_2)", "shape": ["N", "D"]}],
)
# 21 online softmax with tile 3
s = np.array([[2, -1, 0, 4, 1, 3, 0.0]])
case(
    "tiles",
    "compute",
    {"scores": s.tolist(), "V": [[1], [2], [3], [4], [5], [6], [7]], "tiles": 3},
    {"find": ["rm_1", "rs_1", "c_1"]},
    {
        "rm_1": [2, 4, 4],
        "rs_1": r(
            np.array(
                [np.exp(s[0, :3] - 2).sum(), np.exp(s[0, :6] - 4).sum(), np.exp(s[0] - 4).sum()]
            )
        ),
        "c_1": r((sm(s) @ np.arange(1, 8)[:, None])[0]),
    },
    [{"rm_1": [2, 4, 0], "rs_1": [1, 1, 1], "c_1": [4.0]}],
)
# 22 linear attention relu causal
Q = np.array([[1, 0], [1, 2.0]])
K = np.array([[1, 1], [0, 1.0]])
V = np.array([[1], [3.0]])
W = np.maximum(Q, 0) @ np.maximum(K, 0).T * np.tril(np.ones((2, 2)))
W = W / W.sum(1, keepdims=True)
case(
    "lin-causal",
    "compute",
    {"Q": Q.tolist(), "K": K.tolist(), "V": V.tolist(), "feature_map": "relu", "is_causal": True},
    {"find": ["C"]},
    {"C": r(W @ V)},
    [{"C": [[2.0], [2.0]]}],
)
# 23 query with values output impossible
case(
    "mid",
    "query",
    {"keys": [[0, 0], [1, 1], [2, 2]], "names": {"a": 0, "b": 1, "c": 2}},
    {"weights": {"b": 1}, "tolerance": 0.1},
    {"possible": False},
    [{"q": "C k_b"}],
)
# 24 rms pre-norm gain
X = np.array([[3, 4.0], [0, 2]])
N = X / np.sqrt((X**2).mean(1, keepdims=True)) * np.array([1, 0.5])
A = sm(N @ N.T / np.sqrt(2))
Y = X + A @ N
case(
    "rms-pre",
    "compute",
    {
        "tokens": X.tolist(),
        "residual": True,
        "norm": {"place": "pre", "kind": "rms", "gain": [1, "1/2"]},
        "scale": "1/sqrt(d_k)",
    },
    {"find": ["N", "R"]},
    {"N": r(N), "R": r(Y)},
    [{"N": r(X), "R": r(X)}],
)
# 25 query heads with per_head etc fractions
case(
    "heads3",
    "heads",
    {"n": 6, "keys": {"law": "orthonormal"}, "names": {"a": 0, "b": 1, "c": 2}},
    {
        "heads": 3,
        "weights": {"a": "1/3", "b": "1/3", "c": "1/3"},
        "per_head": [{"a": 1}, {"b": 1}, {"c": 1}],
        "tolerance": 0.01,
    },
    {"q_1": "C k_a", "q_2": "C k_b", "q_3": "C k_c"},
    [{"q_1": "C (k_a+k_b+k_c)", "q_2": "C (k_a+k_b+k_c)", "q_3": "C (k_a+k_b+k_c)"}],
)
# 26 offset negative; band; sequences
case(
    "ahead",
    "offset",
    {"d_model": 16, "n": 32, "T": -2},
    {"tolerance": 0.05},
    {
        "block": "[[cos(w_i T), -sin(w_i T)], [sin(w_i T), cos(w_i T)]]",
        "off_block": "[[0,0],[0,0]]",
    },
    [
        {
            "block": "[[cos(w_i T), sin(w_i T)], [-sin(w_i T), cos(w_i T)]]",
            "off_block": "[[0,0],[0,0]]",
        }
    ],
)
case(
    "after",
    "sequences",
    {"vocabulary": ["p", "q"], "length": 5, "is_causal": True},
    {"copy": "written after", "of": "p", "write": "p", "tolerance": 0.05},
    {"K": "P'", "Q": "C S P'", "V": "u_p u_p'"},
    [{"K": "P'", "Q": "C S P'", "V": "U U'"}],
)
# 28 t5, gqa shapes
case(
    "shapes",
    "count",
    {"batch": 2, "n": 5, "n_k": 9, "d_model": 24, "heads": 6, "key_heads": 2},
    {"find": ["shape_Q", "shape_K", "shape_scores", "group"]},
    {"shape_Q": [2, 6, 5, 4], "shape_K": [2, 2, 9, 4], "shape_scores": [2, 6, 5, 9], "group": 3},
    [{"shape_Q": [2, 5, 24], "shape_K": [2, 6, 9, 4], "shape_scores": [2, 6, 5, 5], "group": 2}],
)
case(
    "bound",
    "gradient",
    {"forward": "softmax"},
    {"bound": "jacobian"},
    {"bound": "2 (n - 1) exp(-gamma)"},
    [{"bound": "exp(-gamma)"}],
)
case(
    "cosine-temp",
    "compute",
    {"Q": [[3, 4]], "K": [[1, 0], [0, 2], [1, 1]], "score": "cosine", "temperature": "1/10"},
    {"find": ["a_1"]},
    {"a_1": r(sm(10 * np.array([0.6, 0.8, 7 / 5 / np.sqrt(2)])))},
    [{"a_1": r(sm(np.array([0.6, 0.8, 7 / 5 / np.sqrt(2)])))}],
)

# weights as powers of e
case(
    "powers-of-e",
    "compute",
    {"scores": [[1, 0], [0, 1]], "V": [[1, 0], [0, 1]]},
    {"find": ["A", "output"]},
    {"A": [["e/(1+e)", "1/(1+e)"], ["1/(1+e)", "e/(1+e)"]], "output": "A"},
    [{"A": [["1/(1+e)", "e/(1+e)"], ["e/(1+e)", "1/(1+e)"]], "output": "A"}],
)
# a norm of a row with an entry at its mean: weights of row 2 tie, and its third entry is 0
X = np.array([[1, 2, 0], [0, 1, 1.0]])
T = X + sm(X @ X.T / np.sqrt(3)) @ X
case(
    "an-entry-at-the-mean",
    "compute",
    {"tokens": X.tolist(), "scale": "1/sqrt(d_k)", "residual": True, "norm": {"place": "post"}},
    {"find": ["Y"]},
    {"Y": r((T - T.mean(1, keepdims=True)) / T.std(1, keepdims=True))},
    [{"Y": r(T)}],
)
# a query with logarithms as its entries
case(
    "logarithms-in-a-query",
    "query",
    {"keys": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "names": {"a": 0, "b": 1, "c": 2}},
    {"weights": {"a": "1/2", "b": "1/3", "c": "1/6"}, "tolerance": 1e-3},
    {"q": ["log(3)", "log(2)", 0]},
    [{"q": [3, 2, 1]}, {"q": ["log(2)", "log(3)", 0]}],
)
# a ratio of counts, which other conventions would divide by 0
case(
    "scores-against-feed-forward",
    "count",
    {"of": "block", "d_model": "d", "heads": "h", "n": "n", "d_ff": "4 d"},
    {
        "find": ["ratio"],
        "define": {
            "ratio": "(score_multiplications + average_multiplications)/feed_forward_multiplications"
        },
        "form": "formula",
    },
    {"ratio": "n/(4 d)"},
    [{"ratio": "n/d"}, {"ratio": "n/(8 d)"}],
)
# weights are at most 1, and not all below a half
case(
    "weights-at-most-one",
    "choice",
    {"shapes": {"S": ["N", "M"]}, "define": {"A": "softmax(S)"}},
    {
        "statements": [
            {"label": "a", "words": "No weight is above 1.", "says": "A <= 1"},
            {"label": "b", "words": "No weight is above a half.", "says": "softmax(S) <= 1/2"},
        ]
    },
    {"true": ["a"]},
    [{"true": ["a", "b"]}, {"a": False, "b": False}],
)


@pytest.mark.parametrize(
    ("name", "kind", "given", "goal", "right", "wrong"), CASES, ids=[c[0] for c in CASES]
)
def test_a_further_question_is_settled_and_tells_right_from_wrong(
    name: str, kind: str, given: Any, goal: Any, right: Any, wrong: Any
) -> None:
    head = {"schema": 1, "id": name.lower(), "title": name, "kind": kind, "statement": "Solve it."}
    problem = problems.from_dict({**head, "given": given, "goal": goal})
    found = solve(problem)
    assert found.verdict in SETTLED
    assert check(problem, dict(found.answer)).right
    assert check(problem, right).right
    for answer in wrong:
        verdict = check(problem, answer)
        assert not verdict.right
        assert verdict.decided


def test_sizes_that_differ_in_name_are_refused_as_an_answer() -> None:
    shapes = {"Q": ["N", "D"], "K": ["M", "D"], "V": ["M", "E"], "b": ["E"]}
    goal = {
        "output": "softmax(Q K') V",
        "change": {"V": "V + ones(M) b'"},
        "find": ["becomes"],
    }
    head = {"schema": 1, "id": "v", "title": "v", "kind": "symmetry", "statement": "Solve it."}
    problem = problems.from_dict({**head, "given": {"shapes": shapes}, "goal": goal})
    assert check(problem, {"becomes": "Y + ones(N) b'"}).right
    with pytest.raises(InvalidAnswer, match="becomes"):
        check(problem, {"becomes": "Y + ones(M) b'"})
