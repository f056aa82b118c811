"""The Jacobian of softmax(s/2), by hand, and what comes of a scale that is left out or taken twice."""

from __future__ import annotations

import numpy as np
import pytest

from regard import check, problems, solving

HALVED = problems.from_dict(
    {
        "schema": 1,
        "id": "halved",
        "title": "The Jacobian of a softmax of halved scores",
        "kind": "gradient",
        "statement": "x",
        "given": {
            "forward": "softmax",
            "scale": "1/2",
            "numbers": {"s": [0, "2 ln(3)"], "g": [0, 16]},
        },
        "goal": {"find": ["J", "ds"]},
    }
)


def test_the_jacobian_of_halved_scores_is_half_of_the_one_of_softmax() -> None:
    # s/2 = (0, ln 3): weights 1/4 and 3/4, J = (3/16) [[1, -1], [-1, 1]]/2, ds = J g.
    right = {"J": [[3 / 32, -3 / 32], [-3 / 32, 3 / 32]], "ds": [-1.5, 1.5]}
    assert check(HALVED, right).score == 1
    assert check(HALVED, dict(solving.solve(HALVED).answer)).score == 1


@pytest.mark.parametrize(
    ("factor", "tag"),
    [("", "scale-forgotten-in-gradient"), ("1/4", "scale-twice-in-gradient")],
)
def test_a_scale_left_out_or_taken_twice_is_named(factor: str, tag: str) -> None:
    jacobian = f"{factor} (diag(a) - a a')"
    found = check(HALVED, {"J": jacobian, "ds": f"{factor} (diag(a) - a a') g"})
    assert found.score == 0
    assert found.misconception is not None
    assert found.misconception.tag == tag
    shown = found.counterexample
    assert shown is not None
    np.testing.assert_array_less(0, np.max(np.abs(shown.arrays["J"])))
