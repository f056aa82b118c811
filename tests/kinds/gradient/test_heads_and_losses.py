"""Gradients of several heads and of losses with targets, against torch's autograd."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from peers.required import peer
from regard import check, problems, solving
from regard.errors import InvalidProblem
from regard.solving import Status

torch = peer("torch")

CE = "cross-entropy"
SHAPES = {"X": "n d", "W_Q": "d hk", "W_K": "d gk", "W_V": "d gv", "W_O": "hv d"}
BIASES = {"b_Q": "hk", "b_K": "gk", "b_V": "gv"}


def made(given: dict[str, Any], **goal: Any) -> Any:
    data = {"schema": 1, "id": "x", "title": "x", "kind": "gradient", "statement": "x"}
    return problems.from_dict({**data, "given": given, "goal": goal})


def numbers(h: int, g: int, biases: bool, seed: int) -> dict[str, list[Any]]:
    rng = np.random.default_rng(seed)
    sizes = {"n": 3, "d": 4, "hk": 2 * h, "gk": 2 * g, "gv": 3 * g, "hv": 3 * h}
    shapes = {**SHAPES, **(BIASES if biases else {})}
    return {
        name: rng.integers(-2, 3, [sizes[one] for one in text.split()]).tolist()
        for name, text in shapes.items()
    }


def autograd(arrays: dict[str, Any], h: int, g: int, loss: str, back: Any) -> dict[str, Any]:
    """Return gradients by torch, of matrices whose heads stand side by side."""
    at = {name: torch.tensor(rows, dtype=torch.float64) for name, rows in arrays.items()}
    for one in at.values():
        one.requires_grad_(True)
    parts = []
    for letter, count in (("Q", h), ("K", g), ("V", g)):
        whole = at["X"] @ at[f"W_{letter}"] + at.get(f"b_{letter}", 0)
        parts.append(whole.reshape(len(whole), count, -1).transpose(0, 1)[None])
    mixed = torch.nn.functional.scaled_dot_product_attention(
        *parts, is_causal=True, enable_gqa=g < h
    )[0]
    Z = mixed.transpose(0, 1).reshape(len(at["X"]), -1) @ at["W_O"]
    back = torch.tensor(back, dtype=torch.float64)
    if loss == "G":
        total = (Z * back).sum()
    elif loss == "squared":
        total = 0.5 * torch.nn.functional.mse_loss(Z, back, reduction="sum")
    else:
        total = torch.nn.functional.cross_entropy(Z, back, reduction="sum")
    Z.retain_grad()
    total.backward()
    return {f"d{name}": one.grad.numpy() for name, one in {**at, "Z": Z}.items()}


@pytest.mark.parametrize(
    ("h", "g", "loss", "biases"),
    [
        (2, 1, CE, False),
        pytest.param(2, 2, "G", True, marks=pytest.mark.slow),
        pytest.param(4, 2, "squared", True, marks=pytest.mark.slow),
        pytest.param(3, 1, CE, True, marks=pytest.mark.slow),
        pytest.param(1, 1, CE, True, marks=pytest.mark.slow),
    ],
)
def test_numbers_of_heads_and_losses_are_those_of_autograd(
    h: int, g: int, loss: str, biases: bool
) -> None:
    arrays = numbers(h, g, biases, seed=h + g)
    targets = [[0, 1, 0, 0], ["1/2", 0, "1/4", "1/4"], [0, 0, 0, 1]]
    back = [[0, 1, 0, 0], [0.5, 0, 0.25, 0.25], [0, 0, 0, 1]]
    given = {
        "forward": "projections", "causal": True, "output": True, "biases": biases,
        "heads": h, "key_heads": g, "loss": loss,
        "numbers": {**arrays, "G" if loss == "G" else "T": targets},
    }  # fmt: skip
    expected = autograd(arrays, h, g, loss, back)
    if loss == "G":
        del expected["dZ"]
    if not biases:  # the quick one: it takes a while to prove what comes back to all tokens
        del expected["dX"]
    problem = made(given, find=list(expected))
    solution = solving.solve(problem)
    assert solution.verdict is Status.COMPUTED
    for name, array in expected.items():
        np.testing.assert_allclose(solution.answer[name], array, rtol=1e-9, atol=1e-12)
    assert check(problem, {n: np.round(a, 4).tolist() for n, a in expected.items()}).right
    wrong = {n: (1.5 * a).tolist() for n, a in expected.items()}
    assert not check(problem, wrong).right


def test_the_parts_of_the_heads_are_the_columns_of_the_whole() -> None:
    arrays = numbers(4, 2, False, seed=0)
    back = np.arange(12).reshape(3, 4).tolist()
    whole = autograd(arrays, 4, 2, "G", back)
    given = {
        "forward": "projections", "causal": True, "output": True, "heads": 4, "key_heads": 2,
        "numbers": {**arrays, "G": back},
    }  # fmt: skip
    found = solving.solve(made(given, find=["dW_Q_3", "dW_K_2", "dW_V_1", "dW_O_4"])).answer
    np.testing.assert_allclose(found["dW_Q_3"], whole["dW_Q"][:, 4:6], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found["dW_K_2"], whole["dW_K"][:, 2:], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found["dW_V_1"], whole["dW_V"][:, :3], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found["dW_O_4"], whole["dW_O"][9:], rtol=1e-9, atol=1e-12)


def test_two_heads_without_an_output_matrix_have_their_own_gradients() -> None:
    rng = np.random.default_rng(3)
    Q, K, V, G = (rng.integers(-2, 3, (3, 4)).astype(float) for _ in range(4))
    tensors = [torch.tensor(one, requires_grad=True) for one in (Q, K, V)]
    for i in (0, 2):
        q, k, v = (one[:, i : i + 2] for one in tensors)
        weights = torch.softmax(q @ k.T / 2**0.5, -1)
        (weights @ v * torch.tensor(G[:, i : i + 2])).sum().backward()
    arrays = dict(zip("QKVG", (one.astype(int).tolist() for one in (Q, K, V, G)), strict=True))
    found = solving.solve(made({"heads": 2, "numbers": arrays}, find=["dQ", "dK_2", "dV"])).answer
    dQ, dK, dV = (one.grad.numpy() for one in tensors)
    np.testing.assert_allclose(found["dQ"], dQ, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found["dK_2"], dK[:, 2:], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found["dV"], dV, rtol=1e-9, atol=1e-12)


def test_cross_entropy_of_a_softmax_is_the_weights_less_the_targets() -> None:
    s, y = [0.5, -1.0, 2.0], [0.25, 0.0, 0.75]
    logits = torch.tensor(s, requires_grad=True, dtype=torch.float64)
    loss = torch.nn.functional.cross_entropy(logits, torch.tensor(y, dtype=torch.float64))
    loss.backward()
    given = {"forward": "softmax", "loss": CE, "numbers": {"s": s, "y": y}}
    found = solving.solve(made(given, find=["ds"]))
    np.testing.assert_allclose(found.answer["ds"], logits.grad.numpy(), rtol=1e-12)


RIGHT = [
    ({"forward": "softmax", "loss": CE}, {"ds": "a - y"}),
    ({"forward": "softmax", "loss": CE}, {"ds": "softmax(s) - y"}),
    ({"forward": "softmax", "loss": CE}, {"ds": "-J' y + (a - J a) - (I(n) - J) y + J a"}),
    ({"forward": "softmax", "loss": "squared"}, {"ds": "(diag(a) - a a') (a - y)"}),
    ({"forward": "attention", "loss": CE}, {"dY": "softmax(Y) - T", "dV": "A' (softmax(Y) - T)"}),
    ({"forward": "attention", "loss": "squared"}, {"dV": "A' A V - A' T"}),
    (
        {"forward": "projections", "loss": CE, "output": True, "heads": 2},
        {"dZ": "softmax(Z) - T", "dW_O_2": "Y_2' dZ", "dV_1": "A_1' dZ W_O_1'"},
    ),
    (
        {"forward": "projections", "heads": 4, "key_heads": 2, "output": True, "scale": "c"},
        {"dV_2": "A_3' dY_3 + A_4' dY_4", "dK_1": "c dS_1' Q_1 + c dS_2' Q_2"},
    ),
    (
        {"forward": "projections", "heads": 2, "key_heads": 1},
        {"dX": "dQ_1 W_Q_1' + dQ_2 W_Q_2' + dK_1 W_K_1' + dV_1 W_V_1'"},
    ),
    ({"forward": "attention", "heads": 2}, {"dQ_1": "dS_1 K_1/sqrt(d_k)", "dV_2": "A_2' G_2"}),
]
WRONG = [
    ({"forward": "softmax", "loss": CE}, {"ds": "y - a"}, "sign-error"),
    ({"forward": "softmax", "loss": CE}, {"ds": "a"}, ""),
    ({"forward": "attention", "loss": CE}, {"dY": "Y - T"}, ""),
    (
        {"forward": "projections", "heads": 2, "key_heads": 1, "output": True},
        {"dV_1": "A_1' dY_1"},
        "",
    ),
    (
        {"forward": "projections", "heads": 2},
        {"dX": "dQ_1 W_Q_1' + dK_1 W_K_1' + dV_1 W_V_1'"},
        "",
    ),
    ({"forward": "attention", "heads": 2}, {"dQ_1": "dS_1 Q_1/sqrt(d_k)"}, "own-matrix-instead-of-the-other"),
    ({"forward": "attention", "heads": 2}, {"dQ_2": "dS_2 K_2"}, "scale-forgotten-in-gradient"),
]  # fmt: skip


@pytest.mark.parametrize(("given", "answer"), RIGHT)
def test_a_right_formula_is_proved(given: dict[str, Any], answer: dict[str, Any]) -> None:
    problem = made(given, find=list(answer))
    assert solving.solve(problem).verdict is Status.PROVED
    verdict = check(problem, answer)
    assert verdict.right
    assert {goal.scope for goal in verdict.goals} == {"all"}


@pytest.mark.parametrize(("given", "answer", "tag"), WRONG)
def test_a_wrong_formula_is_refused(
    given: dict[str, Any], answer: dict[str, Any], tag: str
) -> None:
    verdict = check(made(given, find=list(answer)), answer)
    assert not verdict.right
    assert verdict.decided
    assert (verdict.misconception.tag if verdict.misconception else "") == tag


@pytest.mark.parametrize(
    ("given", "goal", "words"),
    [
        ({"forward": "attention", "heads": 2, "loss": CE}, ["dV_1"], "needs output"),
        ({"forward": "projections", "heads": 3, "key_heads": 2}, ["dV_1"], "must divide heads"),
        ({"forward": "projections", "heads": 2}, ["dW_Q"], "use dV_1, dV_2"),
        ({"forward": "softmax", "loss": CE, "numbers": {"s": [1, 2], "y": [1, 1]}}, ["ds"], "sum"),
        ({"forward": "attention", "loss": "sum"}, ["dY"], "no gradient here"),
    ],
)
def test_what_does_not_fit_is_refused(given: Any, goal: list[str], words: str) -> None:
    with pytest.raises(InvalidProblem, match=words):
        made(given, find=goal)


@pytest.mark.parametrize("seed", range(2))
def test_variants_keep_targets_that_sum_to_one(seed: int) -> None:
    arrays = numbers(2, 1, False, seed=1)
    given = {
        "forward": "projections", "output": True, "heads": 2, "key_heads": 1, "loss": CE,
        "numbers": {**arrays, "T": [[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1]]},
    }  # fmt: skip
    other = solving.variant(made(given, find=["dZ", "dW_O"]), seed)
    np.testing.assert_allclose(np.sum(other.given.numbers["T"], axis=1), 1)
    assert check(other, dict(solving.solve(other).answer)).right
