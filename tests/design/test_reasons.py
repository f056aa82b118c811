"""Refusals carry their reason as data, and their messages are made from it."""

from __future__ import annotations

import dataclasses
import pickle
from typing import Any

import pytest

import regard
from regard.design.heads.reasons import (
    NoHead,
    NoHeadFound,
    NoneWithColumns,
    OutputsOutOfReach,
    TooFewColumns,
)
from regard.design.oblique_projection import CommonDirection
from regard.design.positions.reasons import NoBand, ShiftsAlike
from regard.design.queries.reasons import KeyInHull, KeysMove, NoQuery, NoQueryFound
from regard.design.reasons import Nearest, Reason
from regard.design.robust_heads.reasons import GapOutOfReach, NoQueriesFound, WeightsOfMeans

SQUARE = [[0, 0], [1, 1], [1, -1], [-1, 1], [-1, -1]]
LINE = [[-1.0], [0.0], [1.0]]
ONE, TWO = Nearest("query", "gap", 0.25), Nearest("queries", "gap", 0.25)


def refusal(call: Any, *arguments: Any, **options: Any) -> Any:
    with pytest.raises((regard.InfeasibleDesign, regard.UndecidedDesign)) as caught:
        call(*arguments, **options)
    return caught.value


def test_a_key_in_the_hull_of_others_is_named_with_the_most_it_gets() -> None:
    error = refusal(regard.design.query, SQUARE, 0)
    assert isinstance(error.reason, KeyInHull)
    assert (error.reason.key, error.reason.radius) == (0, None)
    assert error.reason.bound == pytest.approx(1 / 5, rel=1e-9)  # five equal weights
    assert error.reason.nearest.amount == error.best.error == pytest.approx(4 / 5, rel=1e-9)


def test_weights_out_of_reach_come_with_the_tolerance_and_the_kind_of_proof() -> None:
    error = refusal(regard.design.query, LINE, {0: 0.5, 2: 0.5}, tolerance=0.3)
    assert isinstance(error.reason, NoQuery)
    assert (error.reason.tolerance, error.reason.because) == (0.3, "averages")
    assert error.reason.nearest == Nearest("weights", "error", error.best.error, 1e-3, rough=True)
    # Weights are as u : 1 : 1/u. Of the first two the errors agree where 1 + u = 1/u.
    assert error.reason.nearest.amount == pytest.approx((5**0.5 - 1) / 4, rel=1e-3)


def test_columns_that_are_too_few_are_counted() -> None:
    tokens = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    error = refusal(regard.design.self_attention, tokens, attend={0: 0, 1: 1, 2: 2}, d_k=1)
    assert isinstance(error.reason, TooFewColumns)
    assert (error.reason.d_k, error.reason.needed) == (1, error.best.d_k_lower_bound)
    assert error.reason.nearest.amount == error.best.d_k


def test_a_direction_in_common_is_the_reason_against_a_separator() -> None:
    error = refusal(regard.design.separator, [[1], [0]], [[1], [0]])
    assert isinstance(error.reason, CommonDirection)
    assert error.reason.radius is None


def test_a_reason_survives_pickling_and_cannot_be_changed() -> None:
    error = refusal(regard.design.query, SQUARE, 0)
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), copy.reason) == (str(error), error.reason)
    with pytest.raises(dataclasses.FrozenInstanceError):
        error.reason.bound = 1.0


def test_an_error_of_somebody_else_needs_no_reason() -> None:
    assert regard.InfeasibleDesign("theirs: no.", None, None).reason is None


@pytest.mark.parametrize(
    ("reason", "message"),
    [
        (
            NoQuery(Nearest("output", "error", 0.5), 3.0, 0.1, "cells", 17),
            "design.query: no query of length up to 3 gives the output asked for to within 0.1: "
            "all queries were searched, in 17 cells, and each cell misses it. The certificate "
            "proves it. The closest found output is that of .best, with error at most 0.5.",
        ),
        (
            NoQueryFound(Nearest("query", "error", 0.5), 0.1, edge=False, divergence=0.02),
            "design.query: neither a query nor a proof that there is none was found. What is "
            "proved is that the divergence from the target stays at 0.02 or more. The closest "
            "query found is .best, with error at most 0.5.",
        ),
        (
            NoQueryFound(Nearest("query", "error", 0.5), 0.1, edge=False),
            "design.query: neither a query nor a proof that there is none was found. Nothing is "
            "proved of it. The closest query found is .best, with error at most 0.5.",
        ),
        (
            KeysMove(Nearest("query", "error", 0.5), 0.1, 2.0, proved=True),
            "design.query: no query has the weights asked for to within 0.1 for all keys within 2 "
            "of those given: keys can move by so much that averages of others take their place. "
            "The certificate proves it. The smallest error found is that of .best, at most 0.5.",
        ),
        (
            KeysMove(Nearest("query", "error", 0.5), 0.1, 2.0, proved=False),
            "design.query: neither a query within 0.1 for all keys within 2 of those given nor a "
            "proof that there is none was found. The smallest error found is that of .best, at most 0.5.",
        ),
        (
            NoHead(Nearest("head", "error", 0.5, 1e-3, rough=True), "token", 0.25, None),
            "design.self_attention: no head attends like this: whatever the matrices, some row "
            "gives its token at most 0.25. The certificate proves it. .best comes closest, with "
            "error at most 0.5 (proved to 0.1 %).",
        ),
        (
            NoHead(Nearest("head", "error", 0.5), "weight", 0.25, 300.0),
            "design.self_attention: no head attends like this: as long as ‖A‖ ≤ 300, some weight "
            "is off by more than 0.25. The certificate proves it. The closest head found is .best, "
            "with error at most 0.5.",
        ),
        (
            NoHead(Nearest("head", "error", 0.5), "output", 0.25, None),
            "design.self_attention: no head puts this out: whatever the matrices, some output is "
            "off by more than 0.25. The certificate proves it. The closest head found is .best, "
            "with error at most 0.5.",
        ),
        (
            NoHeadFound(Nearest("head", "error", 0.5), outputs=True),
            "design.self_attention: no head with these outputs was found, nor a proof that there "
            "is none. The closest found is .best, with error at most 0.5.",
        ),
        (
            NoHeadFound(Nearest("head", "error", 0.5), outputs=False),
            "design.self_attention: neither a head nor a proof that there is none was found. The "
            "closest head found is .best, with error at most 0.5.",
        ),
        (
            OutputsOutOfReach(Nearest("head", "error", 0.5), 0.25),
            "design.self_attention: these outputs cannot be reached, whatever the head attends to: "
            "some row misses by 0.25 or more. The certificate proves it. The closest head found is "
            ".best, with error at most 0.5.",
        ),
        (
            OutputsOutOfReach(Nearest("head", "error", 0.5, 1e-3, True), 0.4996),
            "design.self_attention: these outputs cannot be reached, whatever the head attends to: "
            "some row misses by 0.4996 or more. The certificate proves it. .best comes closest, "
            "with error at most 0.5 (proved to 0.1 %).",
        ),
        (
            TooFewColumns(Nearest("head", "d_k", 3), 1, 2),
            "design.self_attention: no head with d_k = 1 does this: at least 2 columns are needed. "
            "The certificate proves it. .best has 3.",
        ),
        (
            NoneWithColumns(Nearest("head", "d_k", 3), 1),
            "design.self_attention: no head with d_k = 1 was found, nor a proof that there is "
            "none. .best has d_k = 3.",
        ),
        (
            GapOutOfReach(TWO, (2, 5), 0.125, 7.0, 3.0, shared=True),
            "design.robust: no query of length up to 7 gives keys 2, 5 the weights asked for and "
            "lifts them above every other key by more than 0.125 in the mean, less 3 standard "
            "deviations. Nor can the targets be shared in any other way. The certificate proves "
            "it. The closest found is .best, with a gap of at least 0.25.",
        ),
        (
            GapOutOfReach(ONE, (2,), 0.125, 7.0, 0.0, shared=False),
            "design.robust: no query of length up to 7 lifts key 2 above every other key by more "
            "than 0.125 in the mean. The certificate proves it. The closest found is .best, with a "
            "gap of at least 0.25.",
        ),
        (
            NoQueriesFound(TWO),
            "design.robust: no queries for this were found, nor a proof that there are none. The "
            "closest found are those of .best, with a gap of at least 0.25.",
        ),
        (
            WeightsOfMeans(Nearest("query", None), proved=True),
            "design.robust: no query gives keys at their means the weights asked for. The "
            "certificate proves it, of keys that are the means. The closest found is .best.",
        ),
        (
            WeightsOfMeans(Nearest("query", None), proved=False),
            "design.robust: no query with these weights was found, nor a proof that there is none. "
            "The closest found is .best.",
        ),
        (
            ShiftsAlike(3, 17, 2e-13, 1e-12),
            "design.offset: shifts 3 and 17 look too nearly alike: their scores differ by 2e-13 of "
            "a block's size, and float64 positions may be off by 1e-12 of it.",
        ),
        (
            NoBand(0.0, 0.01, None),
            "design.band: no block weights lift T ± B/2, all within 0.01 above all other shifts by "
            "more than 0 of their sum. The certificate proves it. .best does so without the ripple.",
        ),
        (
            NoBand(0.0, None, 7),
            "design.band: no block weights lift T ± B/2 above all other shifts by more than 0 of "
            "their sum. The certificate proves it. .best misses shift 7.",
        ),
        (
            CommonDirection(300.0, 0.5),
            "design.separator: no matrix of norm up to 300 separates these subspaces: they have a "
            "direction in common. The certificate proves it. .best separates what can be, with "
            "error at most 0.5.",
        ),
    ],
)
def test_the_message_names_the_function_and_the_attributes(reason: Reason, message: str) -> None:
    assert reason.message == message
