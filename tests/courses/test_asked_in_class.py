"""Questions of classes and exams, stated with docs/own_problems.md alone: expected answers by NumPy or by hand.

Each is settled, its own answer and two spellings of the right one pass, wrong ones do not, and a variant of it is solved.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from regard import problems
from regard.checking import check
from regard.solving import Status, solve, variant

SETTLED = (Status.PROVED, Status.IMPOSSIBLE, Status.COMPUTED)
CASES: list[tuple[str, str, str, list[dict[str, Any]], list[dict[str, Any]]]] = []


def case(name: str, kind: str, body: str, right: list[Any], wrong: list[Any]) -> None:
    """Add a question, with right answers and wrong ones."""
    CASES.append((name, kind, body, right, wrong))


def sm(scores: Any) -> Any:
    """Return the softmax of each row."""
    powers = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def r(array: Any, digits: int = 4) -> Any:
    """Return numbers as an answer writes them."""
    return np.round(np.asarray(array, float), digits).tolist()


# Decoder states attend to encoder states of another width: two heads, biases, an output matrix.
X = np.array([[1.0, 0], [0, 2]])
H = np.array([[1.0, 0, 1], [0, 2, 1], [1, 1, 0]])
W_Q, b_Q = np.array([[1.0, 0, 0, 1], [0, 1, 1, 0]]), np.array([0, 1.0, 0, 0])
W_K = np.array([[1.0, 0, 0, 1], [0, 1, 1, 0], [1, 1, 0, 0]])
W_V, b_V = np.array([[1.0, 0, 0, 2], [0, 1, 1, 0], [0, 0, 1, 1]]), np.array([0, 0, 1.0, 0])
W_O, b_O = np.array([[1.0, 0], [0, 1], [1, 1], [0, 2]]), np.array([0.0, 2])
Q, K, V = X @ W_Q + b_Q, H @ W_K, H @ W_V + b_V
weights = [sm(Q[:, i : i + 2] @ K[:, i : i + 2].T / np.sqrt(2)) for i in (0, 2)]
C = np.hstack([weights[0] @ V[:, :2], weights[1] @ V[:, 2:]])
case(
    "two-heads-over-an-encoder",
    "compute",
    """
[given]
tokens = [[1, 0], [0, 2]]
context = [[1, 0, 1], [0, 2, 1], [1, 1, 0]]
W_Q = [[1, 0, 0, 1], [0, 1, 1, 0]]
W_K = [[1, 0, 0, 1], [0, 1, 1, 0], [1, 1, 0, 0]]
W_V = [[1, 0, 0, 2], [0, 1, 1, 0], [0, 0, 1, 1]]
W_O = [[1, 0], [0, 1], [1, 1], [0, 2]]
b_Q = [0, 1, 0, 0]
b_V = [0, 0, 1, 0]
b_O = [0, 2]
heads = 2
scale = "1/sqrt(d_k)"
[goal]
find = ["A_h2", "output"]
""",
    [
        {"A_h2": r(weights[1]), "output": r(C @ W_O + b_O)},
        {"A_h2": r(weights[1], 6), "O": r(C @ W_O + b_O, 3)},
    ],
    [
        {"A_h2": r(weights[0]), "O": r(C @ W_O + b_O)},
        {"A_h2": r(weights[1]), "O": r(C @ W_O)},
    ],
)

# One step of decoding: two query heads share the cached keys.
x = np.array([[1.0, 2, 0, 1]])
K = np.array([[1.0, 0], [0, 1], [1, 2]])
V = np.array([[2.0, 0], [0, 2], [3, 2]])
weights = [sm(x[:, i : i + 2] @ K.T / np.sqrt(2)) for i in (0, 2)]
case(
    "one-step-of-decoding",
    "compute",
    """
[given]
tokens = [[1, 2, 0, 1]]
W_Q = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
W_K = [[1, 0], [0, 1], [1, 0], [0, 0]]
W_V = [[0, 1], [1, 0], [0, 1], [1, 1]]
heads = 2
key_heads = 1
cached_K = [[1, 0], [0, 1]]
cached_V = [[2, 0], [0, 2]]
scale = "1/sqrt(d_k)"
is_causal = true
[goal]
find = ["A_h1", "A_h2", "C"]
""",
    [
        {"A_h1": r(weights[0]), "A_h2": r(weights[1]), "C": r(np.hstack([a @ V for a in weights]))},
        {
            "A_h1": r(weights[0])[0],
            "A_h2": r(weights[1])[0],
            "C": r(np.hstack([a @ V for a in weights]))[0],
        },
    ],
    [{"A_h1": r(weights[1]), "A_h2": r(weights[0]), "C": r(np.hstack([a @ V for a in weights]))}],
)

# Bahdanau's score of encoder states of another width.
s, H = np.array([1.0, 2]), np.array([[1.0, 0, 1], [0, -1, 1]])
U = np.array([[1.0, 0], [1, 1], [0, -2]])
e = np.array([np.array([1, -1.0]) @ np.tanh(s + h @ U) for h in H])
case(
    "additive-attention",
    "compute",
    """
[given]
tokens = [[1, 2]]
context = [[1, 0, 1], [0, -1, 1]]
W_Q = [[1, 0], [0, 1]]
W_K = [[1, 0], [1, 1], [0, -2]]
W_V = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
score = "additive"
w_score = [1, -1]
[goal]
find = ["scores", "weights", "output"]
""",
    [
        {"scores": r(e), "weights": r(sm(e)), "output": r(sm(e) @ H)},
        {"scores": [r(e)], "weights": [r(sm(e))], "output": [r(sm(e) @ H)]},
    ],
    [{"scores": r(np.tanh(e)), "weights": r(sm(np.tanh(e))), "output": r(sm(np.tanh(e)) @ H)}],
)

# Scores whose powers overflow.
case(
    "scores-of-a-thousand",
    "compute",
    """
[given]
scores = [1000, 1001, 1002]
[goal]
find = ["weights", "logsumexp"]
""",
    [
        {"weights": [0.09, 0.2447, 0.6652], "logsumexp": 1002.4076},
        {
            "weights": ["1/(1+e+e^2)", "e/(1+e+e^2)", "e^2/(1+e+e^2)"],
            "LSE": "1000 + log(1 + e + e^2)",
        },
    ],
    [{"weights": ["1/3", "1/3", "1/3"], "logsumexp": 1002.4}],
)

# Hardly any temperature: all weight at the largest score.
case(
    "nearly-hard-attention",
    "compute",
    """
[given]
scores = [1.2, 3.4, 2.2]
V = [[1, 0], [0, 1], [1, 1]]
temperature = "1/100"
[goal]
find = ["weights", "output"]
""",
    [
        {"weights": [0, 1, 0], "output": [0, 1]},
        {"weights": [["0%", "100%", "0%"]], "output": [[0, 1]]},
    ],
    [{"weights": [0, 0, 1], "output": [1, 1]}],
)

# A block with a norm after each sum.
X = np.array([[1.0, 0], [0, 2]])


def ln(rows: Any) -> Any:
    """Return the layer norm of each row, with epsilon 1e-5."""
    return (rows - rows.mean(1, keepdims=True)) / np.sqrt(rows.var(1, keepdims=True) + 1e-5)


R = X + sm(X @ X.T / np.sqrt(2)) @ X
inner = ln(R) @ np.array([[1.0, -1, 0], [0, 1, 1]])
F = inner * np.vectorize(lambda one: 0.5 * (1 + math.erf(one / math.sqrt(2))))(inner)
F = F @ np.array([[1.0, 0], [0, 1], [1, 1]])
case(
    "a-post-norm-block",
    "compute",
    """
[given]
tokens = [[1, 0], [0, 2]]
scale = "1/sqrt(d_k)"
residual = true
norm = { place = "post", epsilon = 1e-5 }
feed_forward = { W_1 = [[1, -1, 0], [0, 1, 1]], W_2 = [[1, 0], [0, 1], [1, 1]], activation = "gelu" }
[goal]
find = ["R", "L", "F", "Y"]
""",
    [
        {"R": r(R), "L": r(ln(R)), "F": r(F), "Y": r(ln(ln(R) + F))},
        {"R": r(R, 6), "L": r(ln(R), 6), "F": r(F, 6), "Y": r(ln(ln(R) + F), 2)},
    ],
    [{"R": r(R), "L": r(ln(R)), "F": r(F), "Y": r(ln(R) + F)}],
)

# Sizes and costs of models that are known.
case(
    "a-model-of-seven-billion",
    "count",
    """
[given]
of = "model"
d_model = 4096
heads = 32
d_ff = 11008
layers = 32
vocabulary = 32000
bytes = 2
conventions = { norms = "rms", feed_forward = "gated" }
[goal]
find = ["parameters", "parameter_bytes"]
""",
    [
        {"parameters": 6738415616, "parameter_bytes": 13476831232},
        {"parameters": "6.74B", "parameter_bytes": "13.5 GB"},
    ],
    [{"parameters": 6607343616, "parameter_bytes": "27 GB"}],
)
case(
    "a-rolling-cache",
    "count",
    """
[given]
layers = 32
heads = 32
key_heads = 8
d_k = 128
n = 32768
window = 4096
bytes = 2
conventions = { rolling_cache = true, causal = true }
[goal]
find = ["kv_cache_bytes"]
""",
    [{"kv_cache_bytes": 536870912}, {"kv_cache_bytes": "0.5 GiB"}],
    [{"kv_cache_bytes": "4 GiB"}, {"kv_cache_bytes": "256 MiB"}],
)
case(
    "four-times-as-long",
    "count",
    """
[given]
n = "n"
heads = "h"
[given.others.long]
n = "4 n"
[goal]
find = ["ratio"]
define = { ratio = "weights_entries_long / weights_entries" }
""",
    [{"ratio": 16}, {"ratio": "4^2"}],
    [{"ratio": 4}, {"ratio": 8}],
)

# What does not change.
case(
    "one-vector-on-all-queries",
    "symmetry",
    """
[given]
shapes = { Q = ["N", "D"], K = ["M", "D"], V = ["M", "E"], b = ["D"] }
[goal]
output = "softmax(Q K') V"
change = { Q = "Q + ones(N) b'" }
find = ["invariant"]
""",
    [{"invariant": False}, {"invariant": "no"}],
    [{"invariant": True}],
)
case(
    "averages-stay-among-the-values",
    "choice",
    """
[given]
shapes = { S = ["N", "M"], v = ["M"], V = ["M", "E"], c = [] }
define = { A = "softmax(S)" }
[goal]
statements = [
    { label = "a", words = "No output is above the largest value.", says = "A V <= max(V)" },
    { label = "b", words = "None is below the smallest.", says = "A v >= ones(N) min(v)" },
    { label = "c", words = "Outputs are at most half of the largest value.", says = "A v <= max(v)/2" },
    { label = "d", words = "Outputs are as long as values.", says = "norm(A v) = norm(v)" },
    { label = "e", words = "No weight of a row is above 1.", says = "rowmax(A) <= 1" },
]
""",
    [{"true": ["a", "b", "e"]}, {"a": True, "b": True, "c": False, "d": False, "e": True}],
    [{"true": ["a", "b", "c", "e"]}, {"true": ["b", "e"]}],
)
case(
    "true-of-the-value-circuit",
    "choice",
    """
[given]
shapes = { X = ["N", "D"], W_Q = ["D", "K"], W_K = ["D", "K"], W_V = ["D", "K"], W_O = ["K", "D"] }
functions = { "H(X)" = "softmax(X W_Q W_K' X') X W_V W_O" }
[goal]
statements = [
    { label = "a", words = "Linear in $W_V$.", says = "softmax(X W_Q W_K' X') X (3 W_V) W_O = 3 H(X)" },
    { label = "b", words = "Linear in $X$.", says = "H(2 X) = 2 H(X)" },
    { label = "c", words = "At most of rank $K$.", says = "rank(H(X)) <= K" },
]
""",
    [{"true": ["a", "c"]}, {"a": True, "b": False, "c": True}],
    [{"true": ["a", "b", "c"]}, {"true": ["a"]}],
)

# Queries in numbers.
case(
    "nine-to-one",
    "query",
    """
[given]
keys = [[1, 0], [1, 1]]
names = { a = 0, b = 1 }
[goal]
weights = { a = 0.9, b = 0.1 }
tolerance = 1e-3
""",
    [{"q": [0, "-log(9)"]}, {"q": [3, -2.1972]}],
    [{"q": [0, "log(9)"]}, {"q": ["log(9)", 0]}],
)


@pytest.mark.parametrize(
    ("name", "kind", "body", "right", "wrong"), CASES, ids=[one[0] for one in CASES]
)
def test_a_question_of_a_class_is_settled_and_tells_right_from_wrong(
    name: str, kind: str, body: str, right: list[Any], wrong: list[Any]
) -> None:
    head = (
        f'schema = 1\nid = "{name}"\ntitle = "{name}"\nkind = "{kind}"\nstatement = "Solve it."\n'
    )
    problem = problems.loads(head + body)
    found = solve(problem)
    assert found.verdict in SETTLED
    assert check(problem, dict(found.answer)).right
    for answer in right:
        assert check(problem, answer).right
    for answer in wrong:
        verdict = check(problem, answer)
        assert not verdict.right
        assert verdict.decided
    other = variant(problem, 1)
    assert check(other, dict(solve(other).answer)).right
