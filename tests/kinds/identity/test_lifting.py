"""From rows and entries to matrices: rules, their words, and numbers that formulas are tried on."""

from __future__ import annotations

import numpy as np
import pytest

from regard.kinds.identity.explain.lifting_steps import derived
from regard.kinds.identity.instance import drawn_numbers, expected, find_softmax, sizes_of
from regard.kinds.identity.misconceptions.case import repairs
from regard.kinds.identity.solve.lifting import Lifting, NoRule
from regard.kinds.identity.solve.results import Derivation
from regard.kinds.identity.spec import IdentityClaim, IdentityGiven
from regard.language import parse
from regard.language.formula.printing.text import to_text
from regard.solving.finding import lead

GIVEN = IdentityGiven(
    shapes={"X": ["n", "d"], "Y": ["n", "d"], "W": ["k", "d"], "S": ["n", "n"], "c": []},
    rows={"x": "X", "y": "Y", "s": "S"},
)


def lifting() -> Lifting:
    return Lifting(GIVEN.all_shapes(), GIVEN.indexed())


@pytest.mark.parametrize(
    ("rule", "part", "whole"),
    [
        ("row", "x_i", "X"),
        ("row", "W x_i", "X W'"),
        ("row", "c x_i - y_i / c", "c X - Y / c"),
        ("row", "softmax(W x_i)", "softmax(X W')"),
        ("row", "(x_i' W')'", "X W'"),
        ("entry", "x_i' y_j", "X Y'"),
        ("entry", "c exp(s_i_j)", "c exp(S)"),
        ("summed_row", "s_i_j y_j", "S Y"),
        ("summed_row", "W (s_i_j y_j)", "S Y W'"),
        ("summed", "x_j y_j'", "X' Y"),
        ("summed", "x_j' y_j", "tr(X Y')"),
    ],
)
def test_a_part_leads_to_its_whole(rule: str, part: str, whole: str) -> None:
    found = getattr(lifting(), rule)(parse(part).tree)
    assert to_text(found) == str(parse(whole))


def test_rules_are_told_once_each_and_so_is_where_they_end() -> None:
    rules = lifting()
    with pytest.raises(NoRule) as end:
        rules.row(parse("x_i + W' (W x_i) / norm(x_i)").tree)
    steps = derived(Derivation(tuple(rules.used), end=end.value))
    assert steps[0] == (r"**Rows.** $x_i^\top$ is row $i$ of $X$.", "")
    assert len(set(steps)) == len(steps)
    assert lead(steps[-1][0])[1].startswith(
        "The rules for rows and entries lead no further: row $i$ of "
    )


def test_every_free_size_is_a_prime_of_its_own() -> None:
    assert sizes_of(GIVEN, {"d": 5}) == {"d": 5, "n": 3, "k": 2}
    for seed in range(9):
        sizes = [int(drawn_numbers(GIVEN, seed)[size]) for size in ("n", "d", "k")]
        assert len(set(sizes)) == 3
        assert drawn_numbers(GIVEN, seed)["W"].shape == (sizes[2], sizes[1])


def test_a_row_is_summed_term_by_term() -> None:
    claim = IdentityClaim(name="F", part="row i", equals="s_i_j y_j", over="j")
    values = drawn_numbers(GIVEN, 3)
    S, Y = values["S"], values["Y"]
    by_hand = np.zeros_like(Y)
    for i in range(len(S)):
        for j in range(len(S)):
            by_hand[i] += S[i, j] * Y[j]
    np.testing.assert_array_equal(expected(claim, GIVEN, values), by_hand)


def test_a_softmax_is_found_by_name_and_written_out() -> None:
    for text in ("2 softmax(X W') Y", "2 (exp(X W') / sum(exp(X W'))) Y"):
        place = find_softmax(parse(text).tree)
        assert place is not None
        assert to_text(place[2]) == "X W'"
    assert find_softmax(parse("exp(X) / sum(exp(Y))").tree) is None


def test_one_repair_changes_one_place() -> None:
    found = [(tag, to_text(tree)) for tag, tree in repairs(parse("X W").tree)]
    assert found == [
        ("transpose-forgotten", "X' W"),
        ("transpose-forgotten", "X W'"),
        ("matrix-on-the-wrong-side", "W X"),
        ("transpose-forgotten", "(X W)'"),
    ]
