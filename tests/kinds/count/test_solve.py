"""Counts: against golden numbers, and on variants against arrays that are built and measured."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from regard import check, problems, solving
from regard.solving import Status

NAMES = [name for name in problems.names() if problems.load(name).kind == "count"]


def count(given: dict[str, Any], *find: str, **goal: Any) -> Any:
    data = {"schema": 1, "id": "x", "title": "x", "kind": "count", "statement": "x"}
    return solving.solve(
        problems.from_dict({**data, "given": given, "goal": {"find": list(find), **goal}})
    )


def bare(**given: Any) -> dict[str, Any]:
    return given


# Known models, by their published sizes; operations by the tables of textbooks.
KNOWN: list[tuple[dict[str, Any], str, Any]] = [
    (bare(d_model=512, heads=8), "parameters", 1048576),
    (bare(d_model=512, heads=8, conventions={"biases": True}), "parameters", 1050624),
    (bare(d_model=512, heads=8, key_heads=1), "parameters", 589824),
    (bare(d_model=512, heads=8, key_heads=2), "parameters", 655360),
    (bare(of="block", d_model=512, heads=8, d_ff=2048), "parameters", 3145728),
    (
        bare(
            of="block", d_model=512, heads=8, d_ff=2048,
            conventions={"norms": "rms", "feed_forward": "gated"},
        ),
        "parameters", 4195328,
    ),
    (
        bare(
            of="model", d_model=1024, heads=16, d_ff=4096, layers=24, vocabulary=50257,
            positions=1024, conventions={"biases": True, "norms": "layer", "tied": True},
        ),
        "parameters", 354823168,
    ),
    (
        bare(
            of="model", d_model=4096, heads=32, d_ff=11008, layers=32, vocabulary=32000,
            conventions={"norms": "rms", "feed_forward": "gated"},
        ),
        "parameters", 6738415616,
    ),
    (
        bare(
            of="model", d_model=4096, heads=32, key_heads=8, d_ff=14336, layers=32,
            vocabulary=128256, conventions={"norms": "rms", "feed_forward": "gated"},
        ),
        "parameters", 8030261248,
    ),
    (bare(heads=64, d_k=128, layers=80, bytes=2), "kv_cache_bytes_per_token", 2621440),
    (bare(heads=64, key_heads=8, d_k=128, layers=80, bytes=2), "kv_cache_bytes_per_token", 327680),
    (bare(of="head", n=1024, d_k=64), "multiplications", 134217728),
    (bare(of="head", n=1024, d_k=64), "additions", 133103616),
    (bare(of="head", n=1024, d_k=64), "softmax_additions", 1047552),
    (bare(of="head", n=1024, d_k=64, conventions={"causal": True}), "pairs", 524800),
    (bare(of="head", n=1024, d_k=64, window=128, conventions={"causal": True}), "pairs", 122944),
    (bare(of="block", n=2048, d_model=4096, heads=32, d_ff=16384), "multiplications", 446676598784),
    (bare(of="head", n=4096, d_k=128, bytes=2), "intensity", 2048),
    (
        bare(of="head", n=4096, d_k=128, bytes=2, conventions={"weights_in_memory": True}),
        "intensity", "2048/33",
    ),
    (bare(heads=8, n=1, n_k=4096, d_k=128, bytes=2), "intensity", "4096/4097"),
    (bare(heads=8, key_heads=1, n=1, n_k=4096, d_k=128, bytes=2), "intensity", "4096/513"),
]  # fmt: skip


@pytest.mark.parametrize(("given", "name", "expected"), KNOWN)
def test_known_models_and_operations(given: dict[str, Any], name: str, expected: Any) -> None:
    solution = count(given, name)
    assert solution.answer[name] == expected
    assert solution.verdict is Status.COMPUTED


def test_attention_equals_all_the_rest_at_six_widths() -> None:
    given = {"of": "block", "d_model": "d", "heads": "h", "d_ff": "4 d", "n": "n"}
    share = "(score_multiplications + average_multiplications)/multiplications"
    solution = count(given, "share", define={"share": share})
    assert solution.answer["share"] == "n/(6 d + n)"
    assert solution.verdict is Status.PROVED


class Layer:
    """A block built of arrays: what is there is counted by measuring it."""

    def __init__(self, sizes: dict[str, int], conventions: dict[str, Any]) -> None:
        d, h, g = sizes["d_model"], sizes["heads"], sizes.get("key_heads", sizes["heads"])
        k = d // h
        self.arrays = [np.empty((d, h * k)), np.empty((d, g * k)), np.empty((d, g * k))]
        if conventions.get("output_projection", True):
            self.arrays.append(np.empty((h * k, d)))
        if "d_ff" in sizes:
            wide = sizes["d_ff"]
            gates = 2 if conventions.get("feed_forward") == "gated" else 1
            self.arrays += [np.empty((d, wide))] * gates + [np.empty((wide, d))]
        if conventions.get("biases"):
            self.arrays += [np.empty(array.shape[1]) for array in list(self.arrays)]
        if "d_ff" in sizes:
            numbers = {"layer": 2, "rms": 1}.get(conventions.get("norms", ""), 0)
            self.arrays += [np.empty(d)] * (2 * numbers)

    @property
    def size(self) -> int:
        return sum(array.size for array in self.arrays)


@pytest.mark.parametrize("seed", range(20))
def test_layers_have_as_many_parameters_as_their_arrays(seed: int) -> None:
    rng = np.random.default_rng(seed)
    g = int(rng.integers(1, 4))
    h = g * int(rng.integers(1, 4))
    sizes = {"d_model": h * int(rng.integers(2, 6)), "heads": h, "key_heads": g}
    conventions: dict[str, Any] = {"biases": bool(rng.integers(2))}
    of = "attention"
    if rng.integers(2):
        of = "block"
        sizes["d_ff"] = int(rng.integers(5, 30))
        conventions["norms"] = str(rng.choice(["none", "layer", "rms"]))
        conventions["feed_forward"] = str(rng.choice(["plain", "gated"]))
    solution = count({"of": of, **sizes, "conventions": conventions}, "parameters")
    assert solution.answer["parameters"] == Layer(sizes, conventions).size
    assert solution.verdict is Status.COMPUTED


class Counted:
    """Products done entry by entry, with every multiplication and addition counted."""

    def __init__(self) -> None:
        self.multiplications = self.additions = 0

    def dot(self, terms: int) -> None:
        self.multiplications += terms
        self.additions += terms - 1


@pytest.mark.parametrize("seed", range(20))
def test_a_head_takes_as_many_operations_as_a_loop_counts(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, d, e = (int(x) for x in rng.integers(2, 8, 3))
    causal = bool(rng.integers(2))
    m = n if causal else int(rng.integers(2, 8))
    window = int(rng.integers(1, n + 1)) if causal and rng.integers(2) else None
    loop, pairs = Counted(), 0
    for i in range(n):
        keys = [j for j in range(m) if not causal or j <= i]
        keys = [j for j in keys if window is None or j > i - window]
        pairs += len(keys)
        for _ in keys:
            loop.dot(d)
        for _ in range(e):
            loop.dot(len(keys))
    given = {"of": "head", "n": n, "n_k": m, "d_k": d, "d_v": e, "conventions": {"causal": causal}}
    if window is not None:
        given["window"] = window
    found = count(given, "multiplications", "additions", "pairs").answer
    assert found == {
        "multiplications": loop.multiplications, "additions": loop.additions, "pairs": pairs,
    }  # fmt: skip


@pytest.mark.parametrize("seed", range(20))
def test_shapes_are_those_of_arrays(seed: int) -> None:
    rng = np.random.default_rng(seed)
    B, n, h, k = (int(x) for x in rng.integers(2, 7, 4))
    d = h * k
    X, W = np.ones((B, n, d)), np.ones((d, d))
    Q = (X @ W).reshape(B, n, h, k).swapaxes(1, 2)
    weights = Q @ Q.swapaxes(-1, -2)
    heads = weights @ Q
    concat = heads.swapaxes(1, 2).reshape(B, n, d)
    given = {"batch": B, "n": n, "d_model": d, "heads": h}
    names = ("Q", "weights", "heads", "concat", "output")
    found = count(given, *(f"shape_{name}" for name in names)).answer
    arrays = (Q, weights, heads, concat, concat @ W)
    for name, array in zip(names, arrays, strict=True):
        assert found[f"shape_{name}"] == list(array.shape)


SEEDS = [range(2), pytest.param(range(2, 20), marks=pytest.mark.slow)]


@pytest.mark.parametrize("seeds", SEEDS)
@pytest.mark.parametrize("name", NAMES)
def test_twenty_variants_are_solved_and_their_answers_pass(name: str, seeds: range) -> None:
    problem = problems.load(name)
    for seed in seeds:
        other = solving.variant(problem, seed)
        solution = solving.solve(other)
        assert solution.verification.holds
        assert check(other, dict(solution.answer)).right
