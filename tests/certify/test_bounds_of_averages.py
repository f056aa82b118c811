"""Averages lie between the smallest and the largest value, and what looks like that may not."""

from __future__ import annotations

import pytest

from regard.certify import Certificate, verify
from regard.certify.claims.algebra.comparisons import claim

FIELDS = {
    "shapes": {"S": ["N", "M"], "v": ["M"], "w": ["M"], "V": ["M", "E"], "s": ["N"], "c": []},
    "where": {"A": "softmax(S)"},
}


@pytest.mark.parametrize(
    ("left", "right", "holds"),
    [
        ("ones(N) max(v)", "softmax(S) v", True),
        ("-(A V)", "-max(V)", True),
        ("A v", "min(v)", True),
        ("A v", "ones(N) min(v)", True),
        ("-rowmax(A)", "-1", True),
        ("ones(N) max(w)", "A v", False),
        ("ones(N) min(v)", "A v", False),
        ("A v", "max(v)", False),
        ("ones(N) max(v)", "hadamard(S, S) v", False),
        ("ones(N) max(c)", "softmax(s) c", False),  # no averages: a column times a number
        ("-rowmax(S)", "-1", False),
    ],
)
def test_a_bound_of_averages_is_proved_only_where_it_is_one(
    left: str, right: str, holds: bool
) -> None:
    found = verify(Certificate({}, (claim(left, right, False, FIELDS),)))
    assert (found.claims[0].status == "holds") is holds


def test_averages_may_be_the_largest_value() -> None:
    stated = claim("ones(N) max(v)", "A v", True, FIELDS)
    assert verify(Certificate({}, (stated,))).claims[0].status != "holds"
