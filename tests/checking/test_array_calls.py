"""Answers as NumPy and torch have them: dot of matrices, einsum, the axis of a softmax."""

from __future__ import annotations

import pytest

from regard import check
from regard.checking.typed.array_calls import without_array_calls

SCORES, OUTPUTS = ("scores-as-a-product", "Z"), ("outputs-as-a-product", "C")


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        (SCORES, "np.dot(Q, K.T)"),
        (SCORES, "Q.dot(K.T)"),
        (SCORES, "torch.mm(Q, K.t())"),
        (SCORES, "np.einsum('qd,kd->qk', Q, K)"),
        (OUTPUTS, "torch.nn.functional.softmax(Q @ K.T, -1) @ V"),
        (OUTPUTS, "F.softmax(Q @ K.transpose(-2, -1), dim=-1).matmul(V)"),
        (OUTPUTS, "scipy.special.softmax(np.dot(Q, K.T), axis=1).dot(V)"),
    ],
)
def test_calls_on_matrices_are_understood(asked: tuple[str, str], text: str) -> None:
    problem, field = asked
    assert check(problem, {field: text}).right


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        ("np.dot(K, Q.T)", "queries-and-keys-swapped"),
        ("Q.dot(K)", "transpose-forgotten"),
    ],
)
def test_they_mean_what_they_say(text: str, tag: str) -> None:
    found = check("scores-as-a-product", {"Z": text}).misconception
    assert found is not None
    assert found.tag == tag


@pytest.mark.parametrize(
    ("call", "product"),
    [
        ("ab,bc->ac", "(A) (B)"),
        ("ab,cb->ac", "(A) (B)'"),
        ("ba,bc->ac", "(A)' (B)"),
        ("ba,cb->ac", "(A)' (B)'"),
    ],
)
def test_an_einsum_of_two_matrices_is_their_product(call: str, product: str) -> None:
    assert without_array_calls(f'1 + einsum("{call}", A, B)') == f"1 + {product}"


@pytest.mark.parametrize(
    "text",
    [
        "np.dot(k_a, q)",
        "einsum('ab,ab->ab', A, B)",
        "einsum('abc,cd->abd', A, B)",
        "softmax(Z, axis=0)",
        "softmax(Z, M)",
        "np.dot(Q, K, V)",
        "np.dot(Q",
    ],
)
def test_what_is_no_product_of_matrices_is_left_alone(text: str) -> None:
    assert without_array_calls(text) == text
