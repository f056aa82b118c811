"""What `import regard` offers, and what it costs."""

from __future__ import annotations

import inspect
import subprocess
import sys
from types import ModuleType

import pytest

import regard

ARCHITECTURE = {
    "attention": "(query, key, value, mask=None, *, scale=None, is_causal=False, causal_offset=0, "
    "window=None, key_lengths=None, softcap=None)",
    "attention_with_weights": "(query, key, value, mask=None, *, scale=None, is_causal=False, "
    "causal_offset=0, window=None, key_lengths=None, softcap=None)",
    "attention_with_lse": "(query, key, value, mask=None, *, scale=None, is_causal=False, "
    "causal_offset=0, window=None, key_lengths=None, softcap=None)",
    "attention_scores": "(query, key, mask=None, *, stage='raw', scale=None, is_causal=False, "
    "causal_offset=0, window=None, key_lengths=None, softcap=None)",
    "attention_statistics": "(query, key, mask=None, *, top=0, offsets=(), columns=(), "
    "received=False, scale=None, is_causal=False, causal_offset=0, window=None, key_lengths=None, "
    "softcap=None)",
    "Head": "(W_Q, W_K, W_V, W_O=None, *, b_Q=None, b_K=None, b_V=None, b_O=None, scale=None)",
    "MultiHead": "(W_Q, W_K, W_V, W_O=None, *, combine='concat', scale=None, b_Q=None, b_K=None, "
    "b_V=None, b_O=None)",
    "sinusoidal": "(n, d_model, base=10000.0, *, start=0)",
    "rotary": "(x, positions, base=10000.0, *, layout='interleaved')",
}

ANALYSIS = {
    "gradients": "(query, key, value, grad_output, mask=None, *, scale=None, is_causal=False)",
}


@pytest.mark.parametrize("name", ANALYSIS)
def test_signatures_of_the_analysis_are_those_that_others_rely_on(name: str) -> None:
    signature = inspect.signature(getattr(regard.analysis, name))
    bare = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
    plain = signature.replace(parameters=bare, return_annotation=inspect.Signature.empty)
    assert str(plain) == ANALYSIS[name]
    assert name in regard.analysis.__all__


PARTS = {
    "analysis.worst_case": "(query, keys, values, *, radius=None, scores=None, direction=None, "
    "scale=1.0)",
    "grading.grade": "(problems, folder, out, *, workers=None, variant_by=None, seed=None)",
    "models.export": "(heads, to, *, dtype='float64')",
    "models.graft": "(model, layer, head, design, path, *, values=False, group=False)",
    "models.inspect": "(model, tokens=None, *, layers=None, n=None, seed=0, progress=None)",
    "models.load": "(path, *, mapping=None, config=None, member=None)",
    "design.query": "(keys, target, *, tolerance=0.001, values=None, scale=1.0, radius=None)",
}


@pytest.mark.parametrize("name", PARTS)
def test_signatures_of_parts_are_those_that_others_rely_on(name: str) -> None:
    part, function = name.split(".")
    signature = inspect.signature(getattr(getattr(regard, part), function))
    bare = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
    plain = signature.replace(parameters=bare, return_annotation=inspect.Signature.empty)
    assert str(plain) == PARTS[name]


def test_all_lists_exactly_the_public_names() -> None:
    names = {
        name
        for name, thing in vars(regard).items()
        if not name.startswith("_") and not isinstance(thing, ModuleType) and name != "annotations"
    }
    assert names == set(regard.__all__)
    assert sorted(regard.__all__) == regard.__all__


@pytest.mark.parametrize("part", ["analysis", "design", "models", "report"])
def test_names_that_are_found_when_used_are_exactly_those_listed(part: str) -> None:
    package = getattr(regard, part)
    found = {name: getattr(package, name) for name in dir(package) if not name.startswith("_")}
    helpers = {"TYPE_CHECKING", "annotations", "lazy_names"}
    names = {name for name, thing in found.items() if not isinstance(thing, ModuleType)} - helpers
    assert names == set(package.__all__)
    assert all(inspect.getdoc(found[name]) for name in names)
    with pytest.raises(AttributeError, match=f"module 'regard.{part}' has no attribute 'nothing'"):
        _ = package.nothing


def test_a_design_is_loaded_without_the_others() -> None:
    program = (
        "import sys, regard.design.positions.offset; print('regard.design.queries' in sys.modules)"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert run.stdout == "False\n"


@pytest.mark.parametrize("name", ARCHITECTURE)
def test_signatures_are_those_that_others_rely_on(name: str) -> None:
    signature = inspect.signature(getattr(regard, name))
    bare = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
    plain = signature.replace(parameters=bare, return_annotation=inspect.Signature.empty)
    assert str(plain) == ARCHITECTURE[name]


@pytest.mark.parametrize("name", regard.__all__)
def test_every_public_name_is_documented_and_says_where_it_is_at_home(name: str) -> None:
    thing = getattr(regard, name)
    assert inspect.getdoc(thing)
    assert thing.__module__.startswith("regard")


def test_import_loads_numpy_and_little_else() -> None:
    program = "import sys, regard; print(*sorted({m.partition('.')[0] for m in sys.modules}))"
    loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout.split()
    assert "numpy" in loaded
    heavy = {"scipy", "matplotlib", "torch", "jax", "typer", "rich", "threadpoolctl", "flint"}
    assert heavy.isdisjoint(loaded)
