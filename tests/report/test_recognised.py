"""Formulas in plain words are recognised, and words that only look like some are left alone."""

from __future__ import annotations

import pytest

from regard.report import Facts, Heading, Math, Steps, Table, Text
from regard.report.inline import shown
from regard.report.recognised import in_block, in_cell, in_words


@pytest.mark.parametrize(
    ("words", "typeset"),
    [
        ("the weight of k_b is off", "the weight of $k_b$ is off"),
        ("2 d_model numbers", "2 $d_{model}$ numbers"),
        ("With n = 6 and r < 0.5: no", "With $n$ = 6 and $r$ < 0.5: no"),
        ("it is 12 h^2 + 13 h (once)", "it is $12 h^2 + 13 h$ (once)"),
        ("X W_K' and then Q", r"$X W_K^\top$ and then $Q$"),
        ("a factor C. Which", "a factor $C$. Which"),
        ("With mu = 2 and sigma ≥ 1, the", r"With $\mu$ = 2 and $\sigma$ ≥ 1, the"),
    ],
)
def test_symbols_in_words_are_formulas(words: str, typeset: str) -> None:
    assert in_words(words) == typeset


@pytest.mark.parametrize(
    "words",
    [
        "A head is what I mean",
        "multi_head_attention and _softmax of n_heads",
        'check again with q="C k_a" and `W_O`',
        "see $k_a$ there, 3.5 and 10^-5",
        "the file x_a.toml of U.S. law",
        "S(X) and a = false",
        "the beta of it, and alpha = true",
    ],
)
def test_other_words_stay_as_they_are(words: str) -> None:
    assert in_words(words) == words


@pytest.mark.parametrize(
    ("cell", "typeset"),
    [
        ("f", "$f$"),
        ("d × f", r"$d \times f$"),
        ("n (d/h)", "$n (d/h)$"),
        ("norms", "norms"),
        ("0.25", "0.25"),
        ("e^-C", "$e^{-C}$"),
        ("sqrt(D_k) = 8", r"$\sqrt{D_k} = 8$"),
        ("beta", r"$\beta$"),
        ("error of c_2", "error of $c_2$"),
    ],
)
def test_a_cell_of_letters_is_a_formula(cell: str, typeset: str) -> None:
    assert in_cell(cell) == typeset


def test_every_block_of_words_is_typeset_and_the_others_are_kept() -> None:
    assert in_block(Text("at k_a")) == Text("at $k_a$")
    assert in_block(Text("CS 114B, part C", "eyebrow")) == Text("CS 114B, part C", "eyebrow")
    assert in_block(Heading("Without W_O", 3)) == Heading("Without $W_O$", 3)
    assert in_block(Facts((("q", "3"),))) == Facts((("$q$", "3"),))
    assert in_block(Table(("C", "rows"), (("1", "b"),), "of k_a")) == (
        Table(("$C$", "rows"), (("1", "$b$"),), "of $k_a$")
    )
    assert in_block(Steps((("Then V.", "q"),))) == Steps((("Then $V$.", "q"),))
    assert in_block(Math("k_a")) == Math("k_a")


def test_a_terminal_shows_the_same_words() -> None:
    said = "2 d_model, W_O and X W_Q with n = 6"
    assert shown(in_words(said)) == said
