"""Which numbers a statement tells to whoever answers it."""

from __future__ import annotations

import pytest

from regard import problems
from regard.checking.numbers.stated_numbers import stated

NUMBERS = {"T": 3.0, "d_model": 64.0, "mu": 0.5, "D_k": 16.0}


@pytest.mark.parametrize(
    ("statement", "names"),
    [
        ("Look back $T = 3$ steps.", {"T"}),
        ("Look back $T=3$ steps, where $T$ is a number.", {"T"}),
        ("Look back `T` steps, with T = 4.", set()),
        ("Look back $T$ steps, of 3 blocks.", set()),  # T has a name, and 3 is something else
        ("Look back 3 steps.", {"T"}),
        ("Look back three steps.", {"T"}),
        ("Look back 30 steps, or 3.5, or x3.", set()),
        (r"with $d_{model} = 64$", {"d_model"}),
        (r"with $d_{\mathrm{model}} = 64$ and $\mu = \frac{1}{2}$", {"d_model", "mu"}),
        (r"mean $\mu = 1/2$ and $D_k$", {"mu"}),
        (r"mean $\mu = 0.50$", {"mu"}),
        (r"$q, k \in \mathbb{R}^{16}$", {"D_k"}),
        (r"$q, k \in \mathbb{R}^{D_k}$", set()),
        (r"$D_k$ is 16", {"D_k"}),
    ],
)
def test_a_number_is_told_by_name_or_where_its_name_is_not_used(
    statement: str, names: set[str]
) -> None:
    assert stated(statement, NUMBERS) == names


def test_a_negative_number_is_told_with_its_sign_or_in_words() -> None:
    assert stated("Look ahead: $T = -3$.", {"T": -3.0})
    assert stated("Look three steps ahead.", {"T": -3.0})
    assert not stated("Look back: $T = 3$.", {"T": -3.0})


@pytest.mark.parametrize("name", ["look-back-exactly", "dot-product-mean", "dot-product-scale"])
def test_bundled_problems_ask_for_formulas(name: str) -> None:
    one = problems.load(name)
    given = one.given.model_dump()
    numbers = given.get("parameters") or {"T": given["T"], "d_model": given["d_model"]}
    assert stated(one.statement, numbers) == frozenset()
