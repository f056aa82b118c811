"""Questions as a teacher writes them who has read docs/own_problems.md alone, in TOML.

Each is settled, takes the answers worked out in NumPy beside it, and refuses the wrong ones by the name of the mistake.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from regard import problems
from regard.checking import check
from regard.errors import InvalidProblem
from regard.solving import Status, solve

SETTLED = (Status.PROVED, Status.IMPOSSIBLE, Status.COMPUTED)
CASES: list[tuple[str, str, str, list[dict[str, Any]], list[tuple[str, dict[str, Any]]]]] = []


def case(name: str, kind: str, body: str, right: list[Any], wrong: list[tuple[str, Any]]) -> None:
    """Add a question: answers that are right, and wrong ones, each with its tag ("" for none)."""
    CASES.append((name, kind, body, right, wrong))


def made(name: str, kind: str, body: str) -> Any:
    """Return the problem."""
    head = (
        f'schema = 1\nid = "{name}"\ntitle = "{name}"\nkind = "{kind}"\nstatement = "Solve it."\n'
    )
    return problems.loads(head + body)


def sm(scores: Any) -> Any:
    """Return the softmax of each row."""
    powers = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def r(array: Any, digits: int = 4) -> Any:
    """Return numbers as an answer writes them."""
    return np.round(np.asarray(array, float), digits).tolist()


# One query as a plain list, values of one number each, minus infinity among the scores.
a = sm(np.array([1.0, 0.0]))
case(
    "one-plain-query",
    "compute",
    """
[given]
Q = [1, 0]
K = [[1, 0], [0, 1]]
V = [2, 5]
[goal]
find = ["weights", "output"]
""",
    [
        {"weights": r(a), "output": r(a @ [2, 5])},
        {"weights": [r(a)], "output": [[r(a @ [2, 5])]]},
    ],
    [
        ("values-not-weighted", {"weights": r(a), "output": 3.5}),
        ("", {"weights": r(a), "output": 3}),
    ],
)
case(
    "scores-with-minus-infinity",
    "compute",
    """
[given]
scores = [[1, -inf, 3], ["-inf", 0, 0]]
[goal]
find = ["M", "weights"]
""",
    [
        {
            "M": [[1, 0, 1], [0, 1, 1]],
            "weights": [r([1 / (1 + math.e**2), 0, 1 / (1 + math.e**-2)]), [0, "1/2", "1/2"]],
        }
    ],
    [("mask-forgotten", {"M": [[1, 1, 1], [1, 1, 1]], "weights": [[0, 0, 1], [0, "1/2", "1/2"]]})],
)
case(
    "mask-of-true-and-false",
    "compute",
    """
[given]
scores = [1, 2, 3]
mask = [true, true, false]
[goal]
find = ["weights"]
""",
    [{"weights": r([1 / (1 + math.e), math.e / (1 + math.e), 0])}],
    [("mask-forgotten", {"weights": r(sm(np.array([1.0, 2, 3])))})],
)
# A soft cap, before the biases.
z = 2 * np.tanh(np.array([3.0, 1, -4]) / 2) + [0, 0.5, 0]
case(
    "soft-cap",
    "compute",
    """
[given]
scores = [3, 1, -4]
softcap = 2
bias = [0, "1/2", 0]
[goal]
find = ["scores", "weights"]
""",
    [{"scores": r(z), "weights": r(sm(z))}],
    [("softcap-forgotten", {"scores": [3, 1.5, -4], "weights": r(sm(np.array([3, 1.5, -4])))})],
)
# A feed-forward net with each of its curves: tokens attend with zero scores, so R = X + mean.
for curve, by_hand in (
    ("gelu", lambda x: x * np.vectorize(lambda t: 0.5 * (1 + math.erf(t / math.sqrt(2))))(x)),
    ("silu", lambda x: x * (1 / (1 + np.exp(-x)))),
    ("tanh", np.tanh),
    ("none", lambda x: x),
):
    X = np.array([[1.0, -2], [0, 1]])
    R = X + X.mean(0)
    plain = R @ [[1, 0], [1, -1]] @ [[1, 2], [0, 1]]
    F = by_hand(R @ [[1, 0], [1, -1]]) @ [[1, 2], [0, 1]]
    case(
        f"net-with-{curve}",
        "compute",
        f"""
[given]
tokens = [[1, -2], [0, 1]]
W_Q = [[0], [0]]
W_K = [[1], [1]]
W_V = [[1, 0], [0, 1]]
residual = true
feed_forward = {{ W_1 = [[1, 0], [1, -1]], W_2 = [[1, 2], [0, 1]], activation = "{curve}" }}
[goal]
find = ["R", "F", "Y"]
""",
        [{"R": r(R), "F": r(F), "Y": r(R + F)}],
        [
            ("", {"R": r(R), "F": r(F + 1), "Y": r(R)}),
            *(
                []
                if curve == "none"
                else [("activation-forgotten", {"R": r(R), "F": r(plain), "Y": r(R + plain)})]
            ),
        ],
    )
# Norms and positions that are not the usual ones, and what is taken for them.
X = np.array([[1.0, 2, 3, 4], [0, 0, 2, 2]])
N = (X - X.mean(1, keepdims=True)) / np.sqrt(X.var(1, keepdims=True) + 0.01)
case(
    "a-layer-norm-alone",
    "compute",
    """
[given]
tokens = [[1, 2, 3, 4], [0, 0, 2, 2]]
norm = { place = "pre", epsilon = "1/100" }
[goal]
find = ["N"]
""",
    [{"N": r(N)}],
    [
        (
            "divided-by-the-variance",
            {"N": r((X - X.mean(1, keepdims=True)) / (X.var(1, keepdims=True) + 0.01))},
        ),
        ("another-norm", {"N": r(X / np.sqrt((X**2).mean(1, keepdims=True) + 0.01))}),
        (
            "another-norm",
            {
                "n_1": r((X / np.sqrt((X**2).mean(1, keepdims=True) + 0.01))[0], 3),
                "n_2": r((X / np.sqrt((X**2).mean(1, keepdims=True) + 0.01))[1], 3),
            },
        ),
        (
            "variance-over-d-minus-one",
            {
                "N": r(
                    (X - X.mean(1, keepdims=True)) / np.sqrt(X.var(1, keepdims=True, ddof=1) + 0.01)
                )
            },
        ),
    ],
)
angles = np.array([[0, 0], [1, 0.1]])
P = np.stack([np.sin(angles), np.cos(angles)], 2).reshape(2, 4)
usual = np.array([[0, 0], [1, 0.01]])
case(
    "another-base",
    "compute",
    """
[given]
n = 2
d_model = 4
positions = { kind = "sinusoidal", base = 100 }
[goal]
find = ["P"]
""",
    [{"P": r(P)}],
    [("usual-base", {"P": r(np.stack([np.sin(usual), np.cos(usual)], 2).reshape(2, 4))})],
)
# Linear attention with exponential features.
q, K, V = np.array([1.0, 0]), np.array([[0.0, 1], [1, 1]]), np.array([[1.0], [3]])
s = np.exp(q) @ np.exp(K).T
case(
    "exponential-features",
    "compute",
    """
[given]
Q = [1, 0]
K = [[0, 1], [1, 1]]
V = [1, 3]
feature_map = "exp"
[goal]
find = ["KF", "weights", "output"]
""",
    [{"KF": r(np.exp(K)), "weights": r(s / s.sum()), "output": r(s / s.sum() @ V)}],
    [("", {"KF": r(K), "weights": r(s / s.sum()), "output": r(s / s.sum() @ V)})],
)
# Counts: a cache of a window, sizes in what is defined, rounded quotients, shapes with x.
case(
    "rolling-cache",
    "count",
    """
[given]
of = "model"
layers = 32
heads = 32
key_heads = 8
d_k = 128
n = 32768
window = 4096
bytes = 2
conventions = { causal = true, rolling_cache = true }
[goal]
find = ["pairs", "kv_cache_bytes"]
""",
    [
        {"pairs": sum(min(i, 4096) for i in range(1, 32769)), "kv_cache_bytes": "512 MiB"},
        {"pairs": "125,831,168", "kv_cache_bytes": 2 * 32 * 8 * 128 * 4096 * 2},
    ],
    [
        ("whole-cache-for-a-window", {"pairs": 125831168, "kv_cache_bytes": "4 GiB"}),
        ("one-of-keys-and-values", {"pairs": 125831168, "kv_cache_bytes": "256 MiB"}),
    ],
)
case(
    "two-thin-matrices",
    "count",
    """
[given]
of = "product"
left_rows = "d"
inner = "r"
right_columns = "d"
values = { d = 4096, r = 8 }
[goal]
find = ["thin"]
define = { thin = "left_rows * inner + inner * right_columns" }
""",
    [{"thin": "2 d r"}, {"thin": 65536}],
    [("", {"thin": "d^2"})],
)
case(
    "hours-of-training",
    "count",
    """
[given]
of = "model"
parameter_count = 70e9
tokens = 1.4e12
bytes = 2
[goal]
find = ["training_flops", "hours", "parameter_bytes"]
define = { hours = "training_flops / (4e14 * 3600)" }
""",
    [
        {"training_flops": "5.88e23", "hours": "408,333", "parameter_bytes": "140 GB"},
        {"training_flops": "5.88 × 10^23", "hours": "4.08e5", "parameter_bytes": 140_000_000_000},
    ],
    [
        (
            "backward-pass-forgotten",
            {"training_flops": "1.96e23", "hours": "136,111", "parameter_bytes": "140 GB"},
        ),
        ("", {"training_flops": "5.88e23", "hours": "409,000", "parameter_bytes": "140 GB"}),
    ],
)
case(
    "shapes-with-an-x",
    "count",
    """
[given]
batch = "B"
n = "n"
n_k = "m"
d_model = "d"
heads = "h"
[goal]
find = ["shape_scores", "shape_concat"]
""",
    [{"shape_scores": "B x h x n x m", "shape_concat": "(B, n, d)"}],
    [("", {"shape_scores": "B x h x n x n", "shape_concat": "B x n x d"})],
)
case(
    "flops-with-projections",
    "count",
    """
[given]
of = "attention"
n = "n"
d_model = "d"
heads = "h"
[goal]
find = ["flops"]
form = "formula"
""",
    [{"flops": "8 n d^2 + 4 n^2 d"}, {"flops": "4nd(2d + n)"}],
    [
        ("products-of-attention-forgotten", {"flops": "8 n d^2"}),
        ("products-of-attention-forgotten", {"flops": "8nd^2"}),
        ("one-of-two-products", {"flops": "8 n d^2 + 2 n^2 d"}),
        ("one-of-two-products", {"flops": "2 n d (4 d + n)"}),
        ("multiplications-for-flops", {"flops": "4 n d^2 + 2 n^2 d"}),
    ],
)
# Gradients: a Jacobian at given weights, logarithms, and 1 for the vector of ones.
a = np.array([1 / 2, 1 / 4, 1 / 4])
J = np.diag(a) - np.outer(a, a)
case(
    "jacobian-at-weights",
    "gradient",
    """
[given]
forward = "softmax"
numbers = { a = ["1/2", "1/4", "1/4"] }
[goal]
find = ["J"]
""",
    [{"J": J.tolist()}, {"J": [["1/4", "-1/8", "-1/8"], *r(J)[1:]]}],
    [
        ("jacobian-without-rank-one", {"J": np.diag(a).tolist()}),
        ("sign-error", {"J": (-J).tolist()}),
    ],
)
a = np.array([1, 2, 3]) / 6
J = np.diag(a) - np.outer(a, a)
case(
    "jacobian-at-logarithms",
    "gradient",
    """
[given]
forward = "softmax"
numbers = { s = [0, "log(2)", "log(3)"], g = [1, 0, "1/2"] }
[goal]
find = ["J", "ds"]
""",
    [{"J": r(J), "ds": r(J @ [1, 0, 0.5])}, {"J": J.tolist(), "ds": "J g"}],
    [("softmax-taken-for-a-sigmoid", {"J": r(np.diag(a * (1 - a))), "ds": r(J @ [1, 0, 0.5])})],
)
case(
    "ones-as-a-one",
    "gradient",
    """
[given]
forward = "projections"
biases = true
[goal]
find = ["dS", "db_V"]
""",
    [
        {"dS": "A ⊙ (G V^T - rowsum(A ⊙ (G V^T)) 1^T)", "db_V": "dV^T 1"},
        {"dS": r"A ∘ (G V' - rowsum(A ∘ (G V')) \mathbf{1}')", "db_V": r"G^\top \mathbf{1}"},
    ],
    [("jacobian-without-rank-one", {"dS": "A ⊙ (G V^T)", "db_V": "G^T 1"})],
)
# Symmetries: weights, transposed products, matrices between values and output.
case(
    "weights-of-permuted-tokens",
    "symmetry",
    """
[given]
shapes = { X = ["N", "D"], P = ["N", "N"] }
permutations = ["P"]
[goal]
output = "softmax(X X')"
change = { X = "P X" }
find = ["invariant", "becomes"]
""",
    [{"invariant": False, "becomes": "P Y P'"}, {"invariant": False, "becomes": "P Y P^-1"}],
    [("", {"invariant": False, "becomes": "P Y"})],
)
case(
    "exchanged-matrices",
    "symmetry",
    """
[given]
shapes = { X = ["N", "D"], W_Q = ["D", "K"], W_K = ["D", "K"] }
[goal]
output = "X W_Q (X W_K)'"
change = { W_Q = "W_K", W_K = "W_Q" }
find = ["becomes"]
""",
    [{"becomes": "Y'"}, {"becomes": "Y^T"}],
    [("transposed-solution", {"becomes": "Y"})],
)
case(
    "undo-a-change-of-values",
    "symmetry",
    """
[given]
shapes = { A = ["N", "N"], X = ["N", "D"], W_V = ["D", "E"], W_O = ["E", "D"], M = ["E", "E"] }
[goal]
unknown = { B = ["E", "D"] }
such_that = "A X W_V M B = A X W_V W_O"
""",
    [{"B": "M^-1 W_O"}, {"B": "inv(M) W_O"}],
    [("", {"B": "M W_O"}), ("", {"B": "W_O"})],
)
# Queries and keys: roots and fractions wherever numbers are.
case(
    "keys-with-roots",
    "query",
    """
[given]
keys = [["1/2", "sqrt(3)/2"], [1, 0], [0, -1]]
names = { a = 0 }
scale = "1/sqrt(2)"
[goal]
weights = { a = 1 }
tolerance = 0.01
""",
    [{"q": [10, 20]}],
    [("no-large-scale", {"q": [1, 1]})],
)
case(
    "output-in-fractions",
    "query",
    """
[given]
keys = [[1, 2], [3, 4]]
values = [[1, 0], [0, 1]]
names = { a = 0, b = 1 }
[goal]
output = ["1/4", "3/4"]
tolerance = 1e-6
""",
    [{"q": ["log(3)/2", 0]}, {"q": ["log(3)/4", "log(3)/4"]}],
    [("one-target-only", {"q": [3, 4]})],
)
case(
    "a-key-with-a-logarithm",
    "key",
    """
[given]
keys = [[1, 0], [0, 1]]
values = [[1], [0]]
names = { a = 0, b = 1 }
query = [2, 0]
replace = "b"
[goal]
output = ["1/4"]
tolerance = 0.01
""",
    [{"k": ["1 + log(3)/2", 0]}, {"k": [1.5493, 7]}],
    [("new-key-too-weak", {"k": [0.45, 0]})],
)


@pytest.mark.parametrize(
    ("name", "kind", "body", "right", "wrong"), CASES, ids=[one[0] for one in CASES]
)
def test_a_question_as_it_is_written_is_settled_and_tells_right_from_wrong(
    name: str, kind: str, body: str, right: list[Any], wrong: list[tuple[str, Any]]
) -> None:
    problem = made(name, kind, body)
    found = solve(problem)
    assert found.verdict in SETTLED
    assert check(problem, dict(found.answer)).right
    for answer in right:
        assert check(problem, answer).right, answer
    for tag, answer in wrong:
        verdict = check(problem, answer)
        assert not verdict.right, answer
        assert (verdict.misconception.tag if verdict.misconception else "") == tag, answer


@pytest.mark.parametrize(
    ("kind", "body", "says"),
    [
        (
            "compute",
            '[given]\nQ = [1, 0]\nK = [[1, 0]]\nscale = "1/sqrt(d)"\n[goal]\nfind = ["Z"]',
            "the width of a query is called d_k here",
        ),
        (
            "symmetry",
            '[given]\nshapes = { H = ["N", "D"], w = ["N"] }\n[goal]\nunknown = { w = ["N"] }\n'
            "such_that = \"w' H = w' H\"",
            "declared under `unknown` alone",
        ),
        (
            "count",
            "[given]\nn = 8\nlayers = 2\nd_k = 4\nconventions = { rolling_cache = true }\n[goal]\n"
            'find = ["kv_cache_entries"]',
            "rolling_cache: needs a window",
        ),
        (
            "gradient",
            '[given]\nforward = "softmax"\nnumbers = { a = ["1/2", "1/4"] }\n[goal]\nfind = ["J"]',
            "weights are above 0 and sum to 1",
        ),
        (
            "gradient",
            '[given]\nforward = "softmax"\nnumbers = { s = [0, 1] }\n[goal]\nfind = ["ds"]',
            "ds needs numbers.g",
        ),
    ],
)
def test_what_is_written_otherwise_is_answered_with_the_way_to_write_it(
    kind: str, body: str, says: str
) -> None:
    with pytest.raises(InvalidProblem, match=says.replace("(", r"\(")):
        made("x", kind, body)
