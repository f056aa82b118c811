"""Questions of exams and exercise sheets that are answered with numbers, and what NumPy says.

Each is a problem file as `docs/own_problems.md` has it: it has to be settled, its right answers taken in two
spellings, and its wrong ones refused.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from regard import problems
from regard.checking import check
from regard.errors import InvalidProblem
from regard.solving import Status, solve

CASES: list[tuple[str, str, list[Any], list[Any]]] = []


def softmax(scores: Any) -> np.ndarray:
    """Return the softmax along the last axis."""
    array = np.asarray(scores, float)
    powers = np.exp(array - array.max(-1, keepdims=True))
    return np.asarray(powers / powers.sum(-1, keepdims=True))


def rounded(array: Any, digits: int = 4) -> Any:
    """Return numbers as an answer writes them."""
    return np.round(np.asarray(array, float), digits).tolist()


def ask(name: str, text: str, right: list[Any], wrong: list[Any]) -> None:
    """Add a question."""
    CASES.append((name, text, right, wrong))


# A decoder state attends to encoder states by plain dot products.
STATES, STATE = np.array([[1, 2, 3], [1, 2, 1], [0, 1, -1.0]]), np.array([1, 2, 1.0])
A, B = softmax(STATES @ STATE), softmax(STATES @ STATE / np.sqrt(3))
ask(
    "encoder-context",
    """
    kind = "compute"
    statement = "A decoder state attends to three encoder states. Compute weights and context."
    given = { Q = [1, 2, 1], K = [[1, 2, 3], [1, 2, 1], [0, 1, -1]], V = [[1, 2, 3], [1, 2, 1], [0, 1, -1]] }
    goal = { find = ["weights", "output"] }
    """,
    [
        {"A": [rounded(A)], "C": [rounded(A @ STATES)]},
        {"weights": rounded(A, 6), "output": rounded(A @ STATES, 6)},
    ],
    [
        {"A": [rounded(B)], "C": [rounded(B @ STATES)]},
        {"A": [rounded(A[::-1])], "C": [rounded(A[::-1] @ STATES)]},
    ],
)

# Nadaraya-Watson regression: the softmax of minus half the squared distances.
POINT, KEYS, VALUES = (
    np.array([1, 2.0]),
    np.array([[1, 2], [0, 0], [2, 1.0]]),
    np.array([1, 2, 3.0]),
)
S = -((POINT - KEYS) ** 2).sum(1) / 2
A, B, C = softmax(S), softmax(2 * S), softmax(KEYS @ POINT)
ask(
    "a-gaussian-kernel",
    """
    kind = "compute"
    statement = "The score is minus half the squared distance. Compute scores, weights and the estimate."
    given = { Q = [1, 2], K = [[1, 2], [0, 0], [2, 1]], V = [1, 2, 3], score = "distance" }
    goal = { find = ["z_1", "a_1", "c_1"] }
    """,
    [
        {"z_1": [0, "-5/2", -1], "a_1": rounded(A), "c_1": round(float(A @ VALUES), 4)},
        {"z_1": [0, -2.5, -1], "a_1": rounded(A, 7), "c_1": [round(float(A @ VALUES), 7)]},
    ],
    [
        {"z_1": rounded(2 * S), "a_1": rounded(B), "c_1": round(float(B @ VALUES), 4)},
        {"z_1": rounded(KEYS @ POINT), "a_1": rounded(C), "c_1": round(float(C @ VALUES), 4)},
    ],
)

# A sink of score 0 and value 0: the softmax with one more in its denominator.
A = softmax([0, 2, 1, -1])
ask(
    "one-more-below",
    """
    kind = "compute"
    statement = "A sink of score 0 and value 0 stands before three keys. Compute weights and output."
    given = { scores = [[0, 2, 1, -1]], V = [0, 1, 2, 4] }
    goal = { find = ["a_1", "c_1"] }
    """,
    [
        {"a_1": rounded(A), "c_1": round(float(A @ [0, 1, 2, 4]), 4)},
        {"a_1": rounded(A, 6), "c_1": [round(float(A @ [0, 1, 2, 4]), 6)]},
    ],
    [
        {"a_1": [0, *rounded(softmax([2, 1, -1]))], "c_1": 1.5},
        {"a_1": rounded(A), "c_1": round(float(softmax([2, 1, -1]) @ [1, 2, 4]), 4)},
    ],
)

# ALiBi: head 3 of 8 has the slope 1/8.
AWAY = np.abs(np.subtract.outer(range(4), range(4)))
ask(
    "slope-of-a-head",
    """
    kind = "compute"
    statement = "Write the ALiBi biases of head 3 of 8 for four tokens."
    given = { n = 4, heads = 8, is_causal = true, positions = { kind = "alibi" } }
    goal = { find = ["B_h3"] }
    """,
    [{"B_h3": (-AWAY / 8).tolist()}, {"B_h3": [[f"{-k}/8" for k in row] for row in AWAY.tolist()]}],
    [{"B_h3": (-AWAY / 4).tolist()}, {"B_h3": (AWAY / 8).tolist()}],
)

# Scores of 0 under a causal mask: running averages.
A, V = np.tril(np.ones((3, 3))), np.array([[2, 0], [4, 2], [0, 1.0]])
A /= A.sum(1, keepdims=True)
ask(
    "running-averages",
    """
    kind = "compute"
    statement = "All scores are 0, and a causal mask hides what comes later. Compute weights and output."
    given = { scores = [[0, 0, 0], [0, 0, 0], [0, 0, 0]], V = [[2, 0], [4, 2], [0, 1]], is_causal = true }
    goal = { find = ["A", "C"] }
    """,
    [
        {"A": rounded(A), "C": rounded(A @ V)},
        {"A": [[1, 0, 0], ["1/2", "1/2", 0], ["1/3", "1/3", "1/3"]], "C": [[2, 0], [3, 1], [2, 1]]},
    ],
    [
        {"A": rounded(np.ones((3, 3)) / 3), "C": rounded(np.ones((3, 3)) @ V / 3)},
        {
            "A": rounded(np.tril(np.ones((3, 3))) / 3),
            "C": rounded(np.tril(np.ones((3, 3))) @ V / 3),
        },
    ],
)

# Causal linear attention with relu.
Q, K, V = (
    np.array([[1, 0], [1, 1], [0, 2.0]]),
    np.array([[1, 0], [0, 1], [1, 1.0]]),
    np.arange(1.0, 4),
)
A = np.tril(Q @ K.T)
A /= A.sum(1, keepdims=True)
B = Q @ K.T / (Q @ K.T).sum(1, keepdims=True)
ask(
    "causal-linear-attention",
    """
    kind = "compute"
    statement = "Causal linear attention with relu as its feature map. Compute weights and outputs."
    given = { Q = [[1, 0], [1, 1], [0, 2]], K = [[1, 0], [0, 1], [1, 1]], V = [1, 2, 3], feature_map = "relu", is_causal = true }
    goal = { find = ["A", "C"] }
    """,
    [{"A": rounded(A), "C": rounded(A @ V)}, {"A": rounded(A, 6), "C": [[1], ["3/2"], ["5/2"]]}],
    [{"A": rounded(B), "C": rounded(B @ V)}, {"A": rounded(A), "C": [[1], [2], [3]]}],
)

# Cross-entropy with a label that is smoothed by 0.1 over four classes.
Z, Y = np.array([1, 2, 3, 0.5]), np.array([0.025, 0.025, 0.925, 0.025])
P = softmax(Z)
LOSS = float(-(Y * np.log(P)).sum())
ask(
    "smoothed-labels",
    """
    kind = "gradient"
    statement = "Class 3 is the label, smoothed by 0.1 over four classes. Loss and gradient in the logits?"
    given = { forward = "softmax", loss = "cross-entropy", numbers = { s = [1, 2, 3, 0.5], y = [0.025, 0.025, 0.925, 0.025] } }
    goal = { find = ["loss", "ds"] }
    """,
    [
        {"loss": round(LOSS, 4), "ds": rounded(P - Y)},
        {"loss": f"{LOSS:.6f}", "ds": [f"{x:.6f}" for x in P - Y]},
    ],
    [
        {"loss": round(float(-np.log(P[2])), 4), "ds": rounded(P - np.eye(4)[2])},
        {"loss": round(LOSS / np.log(2), 4), "ds": rounded(P - Y)},
    ],
)

# The same with a temperature: softmax(s/2).
P = softmax(Z / 2)
LOSS = float(-np.log(P[2]))
ask(
    "cross-entropy-at-a-temperature",
    """
    kind = "gradient"
    statement = "The weights are softmax(s/2), class 3 is the label. Loss and gradient in the logits?"
    given = { forward = "softmax", scale = "1/2", loss = "cross-entropy", numbers = { s = [1, 2, 3, 0.5], y = [0, 0, 1, 0] } }
    goal = { find = ["loss", "ds"] }
    """,
    [
        {"loss": round(LOSS, 4), "ds": rounded((P - np.eye(4)[2]) / 2)},
        {"loss": round(LOSS, 7), "ds": rounded((P - np.eye(4)[2]) / 2, 7)},
    ],
    [
        {"loss": round(LOSS, 4), "ds": rounded(P - np.eye(4)[2])},
        {"loss": round(float(-np.log(softmax(Z)[2])), 4), "ds": rounded(softmax(Z) - np.eye(4)[2])},
    ],
)

# The loss of attention, half the squared distance from targets.
Q, K, V, T = np.array([[1, 0.0]]), np.array([[1, 1], [0, 1.0]]), np.array([[1], [3.0]]), 2.0
A = softmax(Q @ K.T)
LOSS = float(((A @ V - T) ** 2).sum() / 2)
ask(
    "loss-of-one-query",
    """
    kind = "gradient"
    statement = "The loss is half the squared distance from 2. What is it, and what comes back to the values?"
    given = { scale = 1, loss = "squared", numbers = { Q = [[1, 0]], K = [[1, 1], [0, 1]], V = [[1], [3]], T = [[2]] } }
    goal = { find = ["loss", "dV"] }
    """,
    [
        {"loss": round(LOSS, 5), "dV": rounded(A.T @ (A @ V - T), 5)},
        {"loss": [round(LOSS, 4)], "dV": rounded(A.T @ (A @ V - T))},
    ],
    [
        {"loss": round(2 * LOSS, 5), "dV": rounded(A.T @ (A @ V - T), 5)},
        {"loss": round(LOSS, 5), "dV": rounded(A.T @ (T - A @ V), 5)},
    ],
)

# In formulas: the temperature divides the gradient.
ask(
    "temperature-on-the-way-back",
    """
    kind = "gradient"
    statement = "a is the softmax of s/T, and L is the cross-entropy of y and a. What is its gradient in s?"
    given = { forward = "softmax", scale = "1/T", loss = "cross-entropy" }
    goal = { find = ["ds"] }
    """,
    [{"ds": "(a - y)/T"}, {"ds": "1/T (softmax(s/T) - y)"}],
    [{"ds": "a - y"}, {"ds": "T (a - y)"}, {"ds": "(y - a)/T"}, {"ds": "(softmax(s) - y)/T"}],
)
ask(
    "jacobian-at-a-temperature",
    """
    kind = "gradient"
    statement = "a is the softmax of s/tau. What is its Jacobian, and what becomes of g?"
    given = { forward = "softmax", scale = "1/tau" }
    goal = { find = ["J", "ds"] }
    """,
    [
        {"J": "(diag(a) - a a')/tau", "ds": "hadamard(a, g - (a' g) ones(n))/tau"},
        {"J": "1/tau (diag(a) - a a')", "ds": "J g"},
    ],
    [{"J": "diag(a) - a a'", "ds": "(diag(a) - a a') g"}, {"J": "diag(a)/tau", "ds": "a ∘ g/tau"}],
)


@pytest.mark.parametrize(("name", "text", "right", "wrong"), CASES, ids=[one[0] for one in CASES])
def test_it_is_settled_and_answers_are_told_apart(
    name: str, text: str, right: list[Any], wrong: list[Any]
) -> None:
    problem = problems.loads(f'schema = 1\nid = "{name}"\ntitle = "{name}"\n{text}')
    assert solve(problem).verdict in (Status.PROVED, Status.COMPUTED)
    for answer in right:
        assert check(problem, answer).right, answer
    for answer in wrong:
        verdict = check(problem, answer)
        assert not verdict.right, answer
        assert verdict.decided, answer


@pytest.mark.parametrize(
    ("given", "goal", "words"),
    [
        ('forward = "softmax"', 'find = ["loss"]', "the loss needs `numbers`"),
        ('forward = "softmax"\nscale = "c/T"', 'find = ["ds"]', "a formula in one symbol"),
        ('forward = "softmax"\nscale = "a"', 'find = ["ds"]', "the name of something else"),
    ],
)
def test_what_no_gradient_is_is_refused(given: str, goal: str, words: str) -> None:
    head = 'schema = 1\nid = "x"\ntitle = "x"\nkind = "gradient"\nstatement = "x"\n'
    with pytest.raises(InvalidProblem, match=words):
        problems.loads(f"{head}[given]\n{given}\n[goal]\n{goal}")


@pytest.mark.parametrize(
    ("given", "goal", "words"),
    [
        (
            'Q = [[1], [1]]\nK = [[1], [2]]\nV = [1, 2]\nfeature_map = "relu"\nis_causal = true',
            'find = ["KV"]',
            "every query has a sum of its own",
        ),
        (
            "scores = [[1, 2], [3, 1]]\nmask = [[0, -1e9], [0, 0]]",
            'find = ["A"]',
            r'-1e\+09, which stands for it, is "-inf" here',
        ),
    ],
)
def test_refusals_of_worked_examples_say_what_to_write(given: str, goal: str, words: str) -> None:
    head = 'schema = 1\nid = "x"\ntitle = "x"\nkind = "compute"\nstatement = "x"\n'
    with pytest.raises(InvalidProblem, match=words):
        problems.loads(f"{head}[given]\n{given}\n[goal]\n{goal}")
