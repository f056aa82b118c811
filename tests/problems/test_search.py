"""Bundled problems found by words, and by sentences of handouts."""

from __future__ import annotations

import pytest

from regard import problems
from regard.problems.search import search


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("attention is maximized when the key precedes the query by T steps", "look-back-exactly"),
        (
            "mean and variance of the inner product of position-enhanced embeddings",
            "position-disturbs-content",
        ),
        ("attention to “copy” a value vector to the output", "copy-a-value"),
        (
            r"a query such that the output is approximately the average of $v_a$ and $v_b$",
            "average-two-values",
        ),
        ("key vector larger or smaller in norm than the others", "one-head-under-noise"),
        (
            r"would it be possible for $c_2$ to approximate $u_b$ by adding $u_d$ to $x_2$",
            "tokens-as-their-own-keys",
        ),
        (
            r"stack $\mathbf{x}_1, \mathbf{x}_2$ into the rows of a data matrix",
            "stack-into-matrices",
        ),
        (
            r"define $\text{Var}(\mathbf{q}^\top \mathbf{k})$ in terms of $D_k$",
            "dot-product-variance",
        ),
        ("interpreted as a categorical probability distribution", "weights-are-a-distribution"),
        ("q aligns very closely with one of all key vectors", "query-along-a-key"),
        ("one weight overwhelmingly larger than all others", "overwhelming-weight"),
        ("rotary", "rotary-in-numbers"),
        ("an average with perpendicular keys", "average-two-values"),
        ("kv cache", "kv-cache-bytes"),
    ],
)
def test_a_sentence_of_a_handout_leads_to_its_problem(words: str, wanted: str) -> None:
    assert wanted in [problem.id for problem in search(words)]


@pytest.mark.parametrize(
    ("heading", "name"),
    [
        ("ECE 537 Fundamentals of Speech Processing Problem Set 9", "ece537-ps9"),
        ("CS114B (Spring 2021) Written Assignment 4", "cs114b-hw4"),
        ("Discussion 10", "discussion-10"),
        ("NLP Homework 2", "homework-2"),
        ("Lab 3", "attention-exam"),
    ],
)
def test_the_heading_of_a_handout_leads_to_its_collection(heading: str, name: str) -> None:
    of = {problem.id for problem in problems.collection(name).problems}
    assert search(heading)[0].id in of


def test_a_word_in_a_title_or_id_comes_before_one_in_a_statement() -> None:
    found = search("softmax", most=200)
    in_title = ["softmax" in f"{problem.title} {problem.id}".casefold() for problem in found]
    assert True in in_title
    assert False in in_title
    assert in_title == sorted(in_title, reverse=True)


@pytest.mark.parametrize("words", ["", "xyzzy", "the of a", r"$\frac{}{}$"])
def test_words_that_nobody_wrote_find_nothing(words: str) -> None:
    assert search(words) == ()


def test_no_more_come_than_are_asked_for() -> None:
    assert len(search("keys and values", most=3)) == 3
