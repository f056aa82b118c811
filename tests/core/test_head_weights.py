"""What heads attend to, under every rule of attention, against the reference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import regard
from regard.core import reference
from regard.core.head_pictures import matrices_picture

RNG = np.random.default_rng(31)


def normal(*shape: int) -> Any:
    return RNG.standard_normal(shape)


# d_model 5, d_k 3, d_v 2, d_out 7; batches of 2 sequences of 11 tokens, contexts of 13.
ONE = {"W_Q": normal(5, 3), "W_K": normal(5, 3), "W_V": normal(5, 2), "W_O": normal(2, 7)}
MANY = {
    "W_Q": normal(6, 5, 3),
    "W_K": normal(2, 5, 3),
    "W_V": normal(2, 5, 2),
    "W_O": normal(6, 2, 7),
    "b_Q": normal(6, 3),
    "b_K": normal(2, 3),
    "b_V": normal(2, 2),
}
X, CONTEXT = normal(2, 11, 5), normal(2, 13, 5)
RULES: dict[str, dict[str, Any]] = {
    "nothing": {},
    "causal": {"is_causal": True},
    "causal with an offset for each": {"is_causal": True, "causal_offset": np.array([2, 0])},
    "a window": {"window": (3, 1)},
    "lengths": {"key_lengths": np.array([13, 4])},
    "a softcap": {"softcap": 0.7},
    "all": {
        "is_causal": True,
        "causal_offset": 2,
        "window": (4, None),
        "key_lengths": [9, 0],
        "softcap": 2.0,
    },
}
rules = pytest.mark.parametrize("rules", RULES.values(), ids=RULES)


@rules
def test_a_head_obeys_every_rule_of_attention(rules: dict[str, Any]) -> None:
    head = regard.Head(**ONE, scale=0.6)
    mask = RNG.random((2, 11, 13)) < 0.8
    arrays = X @ ONE["W_Q"], CONTEXT @ ONE["W_K"], CONTEXT @ ONE["W_V"]
    expected = [
        reference.attention(*(one[b] for one in arrays), mask[b], scale=0.6, **_for_batch(rules, b))
        for b in range(2)
    ]
    output, weights = (
        np.stack([e.output for e in expected]),
        np.stack([e.weights for e in expected]),
    )
    actual = head.weights(X, CONTEXT, mask=mask, **rules)
    np.testing.assert_allclose(actual, weights, atol=1e-13)
    actual = head(X, CONTEXT, mask=mask, **rules)
    np.testing.assert_allclose(actual, output @ ONE["W_O"], atol=1e-12)


@rules
def test_several_heads_obey_every_rule_of_attention(rules: dict[str, Any]) -> None:
    heads = regard.MultiHead(**MANY)
    mask = RNG.random((2, 6, 11, 13)) < 0.8
    output, weights = np.zeros((2, 11, 7)), np.zeros((2, 6, 11, 13))
    for b in range(2):
        for h in range(6):
            own = {
                name: MANY[name][h if name[-1] in "QO" else h // 3] for name in MANY
            }  # three query heads share a key head
            found = reference.attention(
                X[b] @ own["W_Q"] + own["b_Q"],
                CONTEXT[b] @ own["W_K"] + own["b_K"],
                CONTEXT[b] @ own["W_V"] + own["b_V"],
                mask[b, h],
                **_for_batch(rules, b),
            )
            weights[b, h] = found.weights
            output[b] += found.output @ own["W_O"]
    np.testing.assert_allclose(heads.weights(X, CONTEXT, mask=mask, **rules), weights, atol=1e-13)
    np.testing.assert_allclose(heads(X, CONTEXT, mask=mask, **rules), output, atol=1e-12)


def _for_batch(rules: dict[str, Any], b: int) -> dict[str, Any]:
    """The rules of one of the batch."""
    per_batch = ("causal_offset", "key_lengths")
    return {
        name: int(value[b]) if name in per_batch and not isinstance(value, int) else value
        for name, value in rules.items()
    }


def test_weights_are_those_of_the_tokens_with_their_positions() -> None:
    head, table = regard.Head(**ONE), normal(17, 5)
    np.testing.assert_array_equal(
        head.weights(X, positions=table), head.weights(X + table[:11], X + table[:11])
    )


def test_weights_do_not_depend_on_values() -> None:
    # A value that is not a number says nothing about where a head looks.
    spoiled = regard.Head(**ONE | {"W_V": np.full((5, 2), np.nan)})
    np.testing.assert_array_equal(spoiled.weights(X), regard.Head(**ONE).weights(X))


def test_weights_are_of_the_dtype_of_the_tokens() -> None:
    narrow = regard.Head(**{name: m.astype(np.float32) for name, m in ONE.items()})
    assert narrow.weights(X.astype(np.float32)).dtype == np.float32


def test_a_map_has_a_cell_for_each_pair_of_tokens_and_their_names() -> None:
    head = regard.Head(**ONE, scale=2)
    figure = head.plot(X[0, :3], tokens=["the", "$5", "cat"], is_causal=True)
    (axes,) = figure.axes
    drawn = axes.images[0].get_array()
    np.testing.assert_array_equal(drawn, head.weights(X[0, :3], is_causal=True))
    assert [label.get_text() for label in axes.get_yticklabels()] == ["the", "$5", "cat"]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["the", "$5", "cat"]
    assert axes.texts[0].get_text() == "1.00"  # the first token sees itself alone
    assert axes.texts[1].get_text() == "0.00"


def test_each_of_several_heads_has_its_map() -> None:
    heads = regard.MultiHead(**MANY)
    figure = heads.plot(X[0], CONTEXT[0], context_tokens=[f"c{j}" for j in range(13)])
    assert [axes.get_title(loc="left") for axes in figure.axes] == [f"head {h}" for h in range(6)]
    weights = heads.weights(X[0], CONTEXT[0])
    for h, axes in enumerate(figure.axes):
        np.testing.assert_array_equal(axes.images[0].get_array(), weights[h])
    assert figure.axes[5].get_xticklabels()[12].get_text() == "c12"


def test_a_notebook_shows_the_two_products_of_each_head() -> None:
    shown = regard.MultiHead(**MANY)._repr_html_()
    assert shown.index("<figure") < shown.index("<svg") < shown.index("<figcaption")
    assert shown.endswith("</figure>")
    assert shown.count("<image") == 12  # A and OV of six heads
    assert "A, head 5" in shown
    assert "OV, head 0" in shown
    assert "MultiHead(n_heads=6, d_model=5" in shown
    one = regard.Head(**ONE)._repr_html_()
    assert one.count("<image") == 2
    assert one == regard.Head(**ONE)._repr_html_()


def test_a_notebook_shows_the_first_of_many_heads_and_says_so() -> None:
    matrices = {name: m[:1].repeat(11, 0) for name, m in MANY.items()}
    shown = regard.MultiHead(**matrices)._repr_html_()
    assert "The first 8 of 11 heads." in shown
    assert shown.count("<image") == 16


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"x": X},
            "Head.plot: x must have no batch axes. Got weights (2, 11, 11). "
            "Draw one of the batch: plot(x[0]).",
        ),
        (
            {"x": X[0], "tokens": ["a", "b"]},
            "Head.plot: tokens must have a name for each of the 11 tokens. Got 2.",
        ),
        (
            {"x": X[0], "tokens": "hello world"},
            "Head.plot: tokens must be a list of strings.",
        ),
        (
            {"x": X[0], "context": CONTEXT[0], "context_tokens": ["a"] * 11},
            "Head.plot: context_tokens must have a name for each of the 13 tokens. Got 11.",
        ),
    ],
)
def test_what_cannot_be_drawn_is_said(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(regard.RegardError) as caught:
        regard.Head(**ONE).plot(**arguments)
    assert str(caught.value) == message


def test_a_block_of_a_large_matrix_is_shown_by_its_largest_entry() -> None:
    A = np.zeros((1, 96, 96))
    A[0, 7, 50], A[0, 6, 51] = 2.0, -3.0  # one block of two rows and two columns
    from matplotlib.figure import Figure

    drawn: list[Any] = []
    original = Figure.add_subplot

    def kept(figure: Figure, *place: int) -> Any:
        drawn.append(original(figure, *place))
        return drawn[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Figure, "add_subplot", kept)
        shown = matrices_picture("large", A, np.ones((1, 96, 5)))
    cells = drawn[0].images[0].get_array()
    assert cells.shape == (48, 48)
    assert cells[3, 25] == -3.0
    assert np.count_nonzero(cells) == 1
    assert drawn[1].images[0].get_array().shape == (48, 5)
    assert "A cell is the largest entry" in shown
    assert "A cell is" not in regard.Head(**ONE)._repr_html_()
