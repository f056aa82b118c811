"""The sentence for a wrong file: the file, the line, the key, and what to write instead."""

from __future__ import annotations

import pytest

from regard import problems
from regard.errors import InvalidProblem

NOISE = """schema = 1
id = "mine"
title = "Mine"
kind = "noise"
statement = "Mine."
[given]
n = 5
names = { a = 0, b = 1 }
parameters = { alpha = 1e-4, C = 10 }
limits = ["alpha -> 0", "C -> inf"]
queries = ["C mu_a"]
[given.keys]
law = "gaussian"
mean = { law = "orthonormal" }
covariance = "alpha I"
[goal]
find = ["atoms"]
"""
IDENTITY = """schema = 1
id = "mine"
title = "Mine"
kind = "identity"
statement = "Mine."
[given]
shapes = { X = ["N", "D"], W_K = ["D", "D_K"] }
rows = { x = "X" }
[goal]
claims = [{ name = "K", part = "row i", equals = "W_K' x_i", shape = ["N", "D_K"] }]
"""
KEYS = """schema = 1
id = "mine"
title = "Mine"
kind = "query"
statement = "Mine."
[given]
keys = [[1, 0], [0, 1]]
names = { a = 0 }
[goal]
weights = { a = 1 }
"""


@pytest.mark.parametrize(
    ("text", "old", "new", "message"),
    [
        (
            NOISE,
            '"alpha I"',
            '"-alpha I"',
            "line 15: given: keys.covariance: must have no variance below 0; along some direction it "
            "is -0.0001.",
        ),
        (
            NOISE,
            '"alpha I"',
            '"alpha I + mu_a mu_b\'"',
            "line 15: given: keys.covariance: must be symmetric, as mu_a mu_a' is.",
        ),
        (
            NOISE,
            '"alpha I"',
            '{ b = "alpha I - mu_a mu_a\'", others = "alpha I" }',
            "line 15: given: keys.covariance: that of b must have no variance below 0; along some "
            "direction it is -0.9999.",
        ),
        (
            NOISE,
            '"C -> inf"]',
            '"C to infinity"]',
            "line 10: given.limits[1]: A limit has one arrow, as in alpha -> 0 or C -> inf.\n"
            "  C to infinity\n"
            "  ^",
        ),
        (
            IDENTITY,
            "W_K' x_i",
            "W_K x_i",
            "line 10: goal.claims[0].equals: A matrix of D × D_K cannot be multiplied by a column of "
            "D entries: D_K is not D. W_K' x_i would fit.\n"
            "  W_K x_i\n"
            "      ^",
        ),
        (
            IDENTITY,
            '["N", "D_K"] }]',
            '["N", "Q"] }]',
            "line 10: goal.claims[0].shape: the size Q is not declared.",
        ),
        (
            IDENTITY,
            '"row i"',
            '"diagonal"',
            "line 10: goal.claims[0].part: must be 'whole', 'row i' or 'entry i j', not 'diagonal'.",
        ),
        (KEYS, "[[1, 0], [0, 1]]", "[]", "line 7: given: keys: must have at least 2 rows, not 0."),
        (KEYS, ", [0, 1]]", "]", "line 7: given: keys: must have at least 2 rows, not 1."),
        (
            KEYS,
            "[0, 1]]",
            "[0]]",
            "line 7: given.keys.rows: row 2 has 1 number and row 1 has 2: every row must be as long "
            "as the first.",
        ),
    ],
)
def test_a_wrong_file_is_answered_like_this(text: str, old: str, new: str, message: str) -> None:
    assert text.count(old) == 1
    problems.loads(text, "mine.toml")
    with pytest.raises(InvalidProblem) as caught:
        problems.loads(text.replace(old, new), "mine.toml")
    assert str(caught.value) == f"mine.toml: {message}"


def test_a_phase_that_is_not_accepted_says_how_to_accept_it() -> None:
    band = """schema = 1
id = "mine"
title = "Mine"
kind = "band"
statement = "Mine."
[given]
d_model = 8
n = 50
T = 0
B = 4
[goal]
phase = 0.1
"""
    with pytest.raises(InvalidProblem) as caught:
        problems.loads(band, "mine.toml")
    assert str(caught.value) == (
        "mine.toml: line 12: goal: phase: 0.1 is outside of accept, the phases that are right: "
        "0.785398 to 3.14159. Write accept = [low, high] to allow others."
    )
    assert problems.loads(band + "accept = [0.05, 1]\n").goal.phase == 0.1
