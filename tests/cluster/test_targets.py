from __future__ import annotations

import math

import numpy as np
import pytest

import regard
from regard.cluster import sweep
from regard.cluster.sweeps.drawn_arrays import LAWS, build
from regard.cluster.sweeps.targets import names
from regard.errors import ParameterError

NEEDED: dict[str, dict[str, object]] = {
    "analysis.capacity": {"n": 5, "d_k": 2},
    "analysis.interference": {"d_model": 8},
    "analysis.positional_kernel": {"d_model": 8},
    "analysis.scale_for_support": {"support": 3.0},
    "analysis.worst_case": {"radius": 0.1},
    "analysis.content_split": {"d_model": 6, "m": 7},
    "design.band": {"T": 5, "B": 2, "d_model": 64, "n": 20},
    "design.offset": {"T": 3, "d_model": 16, "n": 10},
    "design.isotropic_scale": {"n": 5, "alpha": 0.01, "D": 1.0, "apart": 0.1},
}
DRAWN = {
    "analysis.content_split": {
        "head": {"law": "gaussian", "shape": ["d_model", "d_model"]},
        "tokens": {"law": "gaussian", "shape": ["m", "d_model"]},
    }
}


@pytest.mark.parametrize("name", names())
def test_every_function_that_is_listed_can_be_swept_and_finds_numbers(name: str) -> None:
    table = sweep(name, [NEEDED.get(name, {})], draw=DRAWN.get(name), workers=0)
    assert table.counts == {"done": 1}, table.rows
    found = table.to_dicts()[0]
    results = table.columns[table.settings + 1 : -1]
    assert any(isinstance(found[column], int | float) for column in results), results


@pytest.mark.parametrize("heads", [1, 2])
@pytest.mark.parametrize("scale", [1.0, 4.0])
def test_without_noise_the_leak_of_orthonormal_keys_is_the_closed_form(
    heads: int, scale: float
) -> None:
    n = 7
    table = sweep(
        "analysis.key_noise",
        [{"n": n, "d": 11, "noise": 0.0, "heads": heads, "scale": scale}],
        workers=0,
    )
    grown = math.exp(scale)
    leak = (n - 2) / (2 * grown + n - 2) if heads == 1 else (n - 2) / (grown + n - 1)
    np.testing.assert_allclose(table.column("leak"), [leak], rtol=1e-12)
    np.testing.assert_allclose(table.column("variance"), [0.0], atol=1e-13)


def test_a_problem_is_solved_with_the_numbers_of_each_cell() -> None:
    table = sweep("average-two-values", {"n": [5, 11], "goal.tolerance": [0.1, 0.001]}, workers=0)
    assert table.column("outcome") == ["solved and proved"] * 4
    # The weights are 1/2 − t where e^C = (n − 2)(1 − 2t) / 4t.
    expected = [math.log((n - 2) * (1 - 2 * t) / (4 * t)) for n in (5, 11) for t in (0.1, 0.001)]
    np.testing.assert_allclose(table.column("answer.C"), expected, atol=1e-4)
    assert all(c >= e for c, e in zip(table.column("answer.C"), expected, strict=True))


def test_variants_of_a_problem_are_those_of_the_command() -> None:
    table = sweep("average-two-values", {"variant": [3, 5]}, workers=0)
    problem = regard.problems.load("average-two-values")
    drawn = [regard.solving.variant(problem, seed) for seed in (3, 5)]
    assert table.column("answer.C") == [regard.solve(one).answer["C"] for one in drawn]
    assert len(set(table.column("answer.C"))) == 2


def test_a_design_that_is_impossible_is_a_row_with_what_comes_closest() -> None:
    cell = {"keys": [[-1.0], [0.0], [1.0]], "target": {"0": 0.5, "2": 0.5}}
    row = sweep("design.query", [cell], workers=0).to_dicts()[0]
    assert row["status"] == "impossible"
    assert row["message"].startswith("design.query: no query gives the weights asked for")
    # With q = (x, −x) no better than the golden section: README has the same number.
    np.testing.assert_allclose(row["error"], (math.sqrt(5) - 1) / 4, atol=1e-5)


@pytest.mark.parametrize(
    ("what", "settings", "sentence"),
    [
        ("analysis.keynoise", {}, "'analysis.keynoise' is unknown. Did you mean analysis.key_noise"),
        ("key_noise", {}, "Did you mean analysis.key_noise"),
        ("analysis.key_noise", {"nois": [1]}, "has no setting 'nois'. Did you mean noise"),
        ("design.band", {"T": [1]}, "design.band needs B. Give it as a setting."),
        ("average-two-values", {"tolerence": [1]}, "Did you mean goal.tolerance"),
        (3, {}, "what must be a function, the name of one of regard's, or a problem. Got 3."),
    ],
)  # fmt: skip
def test_wrong_names_are_answered_with_the_nearest_right_ones(
    what: object, settings: dict[str, object], sentence: str
) -> None:
    with pytest.raises(ParameterError) as refused:
        sweep(what, settings, workers=0)  # type: ignore[arg-type]
    assert sentence in str(refused.value)


def test_a_function_that_does_not_take_the_settings_is_refused_before_anything_runs() -> None:
    for settings, sentence in (
        ([{}], "missing a required argument: 'length'. Settings are given to it"),
        ({"lenght": [1, 2]}, "it has no argument 'lenght'. Did you mean length?"),
    ):
        with pytest.raises(ParameterError) as refused:
            sweep(lambda length: 1 / 0, settings, workers=0)
        assert f"does not take these settings: {sentence}" in str(refused.value)


LAW = {"law": "gaussian", "shape": ["n", "d"]}


@pytest.mark.parametrize(
    ("settings", "more", "sentence"),
    [
        ({}, {}, "cluster.sweep: settings are empty: there is nothing to do. Give settings"),
        ({"n": [4, "five"]}, {}, "n must be a number, from which arrays are drawn. Got 'five'."),
        ({"n": [4]}, {"paired": "n"}, "paired must be a list of names of settings"),
        ({"n": [4]}, {"draw": [LAW]}, "draw must be a mapping of arrays to laws"),
        ({"n": [4]}, {"draw": {"keys": LAW | {"shape": "n"}}}, "draw.keys: shape must be a list"),
        ({"n": [4]}, {"draw": {"keys": {"law": "identity", "shape": ["n"]}}}, "needs a shape of two"),
        ({"n": [4]}, {"title": 3}, "title must be words. Got 3."),
        ({"n": [4]}, {"checkpoint": 3}, "checkpoint must be the path of a file. Got 3."),
        ({"n": [4]}, {"memory": "1GiB"}, "memory is for processes of their own, and workers=0"),
        ({"n": [4]}, {"progress": "yes"}, "progress must be True, False, None or a function"),
    ],
)  # fmt: skip
def test_arguments_that_cannot_be_used_are_refused_in_a_sentence(
    settings: object, more: dict[str, object], sentence: str
) -> None:
    with pytest.raises(ParameterError) as refused:
        sweep("design.query", settings, workers=0, **more)  # type: ignore[arg-type]
    assert sentence in str(refused.value)


def test_a_size_that_is_no_size_is_a_row_that_names_it() -> None:
    table = sweep("design.query", {"n": [0, 2.5, 3], "d": 5}, workers=0)
    assert table.column("message")[:2] == [
        f"ParameterError: draw.keys: n must be a whole number ≥ 1. Got {n}." for n in (0, 2.5)
    ]
    assert table.column("status") == ["failed", "failed", "done"]


def test_laws_build_what_they_say() -> None:
    rng = np.random.default_rng(5)
    known = {"n": 3, "d": 7, "noise": 0.25}
    rows = build("keys", {"law": "orthonormal", "shape": ["n", "d"]}, known, rng)
    np.testing.assert_allclose(rows @ rows.T, np.eye(3), atol=1e-12)
    long = build("keys", {"law": "sphere", "shape": ["n", "d"], "length": 2.0}, known, rng)
    np.testing.assert_allclose(np.linalg.norm(long, axis=1), 2.0)
    noise = build("c", {"law": "isotropic", "shape": ["n", "d"], "variance": "noise"}, known, rng)
    np.testing.assert_array_equal(noise, np.array([0.25 * np.eye(7)] * 3))
    known["means"] = rows
    along = build(
        "c", {"law": "along_means", "means": "means", "variance": "noise", "rows": [1]}, known, rng
    )
    np.testing.assert_allclose(along[1], 0.25 * np.outer(rows[1], rows[1]))
    assert not along[[0, 2]].any()
    queries = build("q", {"law": "toward", "keys": "means", "rows": [0, 2], "heads": 2}, known, rng)
    np.testing.assert_array_equal(queries, rows[[0, 2]])
    assert sorted(build("a", {"law": "permutation", "n": "n"}, known, rng).values()) == [0, 1, 2]
    assert build("a", {"law": "previous", "n": "n"}, known, rng) == {0: 0, 1: 0, 2: 1}
    assert all(law.__doc__ for law in LAWS.values())
