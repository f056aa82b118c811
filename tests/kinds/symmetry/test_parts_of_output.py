"""What a change does inside an output: each line against numbers, and what is not told of."""

from __future__ import annotations

import numpy as np

from regard import solve
from regard.certify import verify
from regard.language import parse
from regard.problems import load

SIZES = {"N": 5, "D": 3, "D_K": 2, "D_V": 7}


def test_tokens_in_another_order_move_through_projections_scores_and_weights() -> None:
    problem = load("permuted-tokens")
    parts = solve(problem).finding.parts
    assert [one.part for one in parts] == [
        "X W_Q", "X W_K", "X W_Q (X W_K)'", "softmax(X W_Q (X W_K)')", "softmax(X W_Q (X W_K)') X"
    ]  # fmt: skip
    rng = np.random.default_rng(0)
    arrays = {
        name: rng.standard_normal([SIZES[size] for size in shape])
        for name, shape in problem.given.shapes.items()
    }
    arrays["P"] = np.eye(5)[[2, 0, 1, 4, 3]]  # a cycle and a swap: not its own transpose
    moved = {**arrays, "X": arrays["P"] @ arrays["X"]}
    for one in parts:
        np.testing.assert_allclose(
            np.asarray(parse(one.part).evaluate(moved)),
            np.asarray(parse(one.becomes).evaluate(arrays)),
            rtol=1e-12,
        )


def test_the_steps_tell_of_the_parts_and_the_certificate_holds_their_proofs() -> None:
    solution = solve("permuted-tokens")
    (inside,) = (latex for sentence, latex in solution.steps if "from the inside out" in sentence)
    assert inside.count("&") == len(solution.finding.parts)
    assert len(solution.certificate.claims) > len(solution.finding.reaches) > 0
    assert verify(solution.certificate).holds


def test_a_part_that_becomes_nothing_short_is_left_out() -> None:
    """Q (K + 1 u')' is Q K' + (Q u) 1', which no short formula in Q K' is."""
    parts = solve("one-vector-for-all-keys").finding.parts
    assert [one.part for one in parts] == ["softmax(Q K')"]
    assert parts[0].becomes == parts[0].part
