"""A counterexample whose values do not belong together shows nothing."""

from __future__ import annotations

import pytest

from regard.certify import Certificate, verify
from regard.certify.claims.algebra.conditions import condition_claim

EFFECT = "u' softmax(s) >= 1 - epsilon"
HONEST = {"s": [0.5, 0.001], "s_j": 0.5, "u": [1, 0], "n": 2, "epsilon": "1/100"}


@pytest.mark.parametrize(
    ("forged", "holds"),
    [
        ({}, True),
        ({"s_j": 99.0}, False),  # no score of these
        ({"epsilon": 0}, False),
        ({"epsilon": -1}, False),
        ({"n": 7}, False),
        ({"u": [0, 0]}, False),
        ({"u": [-1, 0]}, False),
    ],
)
def test_a_forged_instance_does_not_refute_a_condition(forged: dict, holds: bool) -> None:
    claim = condition_claim("not sufficient", "s_j >= 1/3", EFFECT, [{**HONEST, **forged}])
    assert verify(Certificate({}, (claim,))).holds is holds
