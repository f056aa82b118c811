"""Labs: the completed file does what it should, and nothing of a skeleton is run."""

from __future__ import annotations

import ast
import json
import math
from typing import Any

import numpy as np
import pytest

from regard.errors import InvalidProblem
from regard.kinds.code.explain.function_words import WORDS
from regard.kinds.code.explain.wrong_versions import WRONG, changed
from regard.kinds.code.solve.catalogue import CATALOGUE
from regard.problems import from_dict, load
from regard.report import Code, Plot, to_html_page, to_latex, to_text
from regard.solving import Solution, Status, solve, variant
from solving.reading import SEEDS

ID = "attention-lab"
PARAMETERS = {
    "softmax": 1,
    "attention": 3,
    "causal_attention": 3,
    "masked_attention": 4,
    "multi_head_attention": 5,
    "sinusoidal_positions": 2,
    "self_attention": 4,
    "cross_attention": 5,
    "padding_attention": 4,
    "causal_padding_attention": 4,
    "split_head_attention": 6,
    "rotary": 2,
    "copy_query": 2,
}


def problem(skeleton: str, functions: dict[str, str], **goal: Any) -> Any:
    head = {"schema": 1, "id": "p", "title": "p", "kind": "code", "statement": "p"}
    goal = {"functions": functions, **goal}
    return from_dict({**head, "given": {"skeleton": skeleton}, "goal": goal})


def run(solution: Solution) -> dict[str, Any]:
    """The functions of the completed file, as Python runs them."""
    namespace: dict[str, Any] = {}
    exec(compile(solution.answer["file"], "lab.py", "exec"), namespace)
    return namespace


def by_hand(query: Any, key: Any, value: Any, mask: Any = None) -> np.ndarray:
    """Attention, one number at a time."""
    rows = []
    for i, q in enumerate(query):
        allowed = [j for j in range(len(key)) if mask is None or mask[i][j]]
        powers = {j: math.exp(float(q @ key[j]) / math.sqrt(len(q))) for j in allowed}
        total = sum(powers.values())
        terms = [powers[j] / total * value[j] for j in allowed]
        rows.append(sum(terms) if terms else np.zeros(value.shape[1]))
    return np.array(rows)


def turned(pair: Any, angle: float) -> list[float]:
    a, b = pair
    return [a * math.cos(angle) - b * math.sin(angle), a * math.sin(angle) + b * math.cos(angle)]


def check(behaviour: str, function: Any, rng: np.random.Generator) -> None:
    """Compare a function with its definition on a drawn instance of prime sizes."""
    n_q, n_k, d_k, d_v, d_model = 3, 5, 7, 2, 11
    q, k, v = (rng.standard_normal(shape) for shape in ((n_q, d_k), (n_k, d_k), (n_k, d_v)))
    x = rng.standard_normal((n_k, d_model))
    W = [rng.standard_normal((13, d_model, width)) for width in (d_k, d_k, d_v)]
    if behaviour == "softmax":
        s = rng.standard_normal((n_q, n_k)) * 5
        wanted = np.array([[math.exp(a) / sum(map(math.exp, row)) for a in row] for row in s])
        np.testing.assert_allclose(function(s), wanted, rtol=1e-12)
        np.testing.assert_array_equal(function(np.array([1000.0, 0.0])), [1.0, 0.0])
    elif behaviour == "attention":
        np.testing.assert_allclose(function(q, k, v), by_hand(q, k, v), rtol=1e-12)
    elif behaviour == "masked_attention":
        mask = rng.random((n_q, n_k)) < 0.5
        mask[1] = False
        found = function(q, k, v, mask)
        np.testing.assert_allclose(found, by_hand(q, k, v, mask), rtol=1e-12)
        np.testing.assert_array_equal(found[1], np.zeros(d_v))
    elif behaviour == "causal_attention":
        k3, v3 = k[:3], v[:3]
        mask = [[j <= i for j in range(3)] for i in range(3)]
        np.testing.assert_allclose(function(q, k3, v3), by_hand(q, k3, v3, mask), rtol=1e-12)
    elif behaviour == "self_attention":
        wanted = by_hand(x @ W[0][0], x @ W[1][0], x @ W[2][0])
        np.testing.assert_allclose(function(x, *(w[0] for w in W)), wanted, rtol=1e-11)
    elif behaviour == "multi_head_attention":
        W_O = rng.standard_normal((13 * d_v, d_model))
        heads = [by_hand(x @ W[0][h], x @ W[1][h], x @ W[2][h]) for h in range(13)]
        wanted = np.hstack(heads) @ W_O
        np.testing.assert_allclose(function(x, *W, W_O), wanted, rtol=1e-9, atol=1e-9)
    elif behaviour == "cross_attention":
        y = rng.standard_normal((n_q, d_model))
        wanted = by_hand(y @ W[0][0], x @ W[1][0], x @ W[2][0])
        np.testing.assert_allclose(function(y, x, *(w[0] for w in W)), wanted, rtol=1e-11)
    elif behaviour in ("padding_attention", "causal_padding_attention"):
        q, k, v = (rng.standard_normal((3, 5, width)) for width in (d_k, d_k, d_v))
        found = function(q, k, v, np.array([4, 0, 5]))
        for b, length in enumerate((4, 0, 5)):
            causal = behaviour.startswith("causal")
            mask = [[j < length and (j <= i or not causal) for j in range(5)] for i in range(5)]
            np.testing.assert_allclose(found[b], by_hand(q[b], k[b], v[b], mask), rtol=1e-12)
    elif behaviour == "split_head_attention":
        W_O = rng.standard_normal((3 * d_v, d_model))
        heads = [by_hand(x @ W[0][h], x @ W[1][h], x @ W[2][h]) for h in range(3)]
        wanted = np.hstack(heads) @ W_O
        found = function(x, *(np.hstack(list(w[:3])) for w in W), W_O, 3)
        np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-9)
    elif behaviour == "rotary":
        # A quarter turn by hand, and what rotary is for: scores depend on distances alone.
        quarter = function(np.array([[3.0, 4.0]]), np.array([math.pi / 2]))
        np.testing.assert_allclose(quarter, [[-4.0, 3.0]], atol=1e-12)
        a, b = rng.standard_normal((2, 1, 6))
        scores = [function(a, np.array([t + 3])) @ function(b, np.array([t])).T for t in (0, 9)]
        np.testing.assert_allclose(scores[0], scores[1], rtol=1e-12)
        np.testing.assert_allclose(
            function(a, np.array([7]))[0, 4:], turned(a[0, 4:], 7 * 10000 ** (-4 / 6))
        )
    elif behaviour == "copy_query":
        frame = np.linalg.qr(rng.standard_normal((7, 7)))[0][:5]
        for index in range(5):
            weights = by_hand(function(frame, index)[np.newaxis], frame, np.eye(5))
            np.testing.assert_allclose(weights[0], np.eye(5)[index], atol=1e-6)
    else:
        table = function(7, 6)
        assert table.shape == (7, 6)
        for t in range(7):
            for i in range(3):
                angle = t / 10000 ** (2 * i / 6)
                np.testing.assert_allclose(table[t, 2 * i], math.sin(angle), atol=1e-13)
                np.testing.assert_allclose(table[t, 2 * i + 1], math.cos(angle), atol=1e-13)


def test_the_lab_is_completed_run_and_proved() -> None:
    solution = solve(ID)
    assert solution.verdict is Status.ARGUED, str(solution.verification)
    assert 2 <= len(solution.mistakes) <= 4
    assert len(solution.steps) == 8
    assert len([block for block in solution.details if isinstance(block, Plot)]) == 1
    assert len([block for block in solution.details if isinstance(block, Code)]) == 8
    assert "NotImplementedError" not in solution.answer["file"].split('"""', 2)[2]
    namespace = run(solution)
    for name, behaviour in load(ID).goal.functions.items():
        check(behaviour, namespace[name], np.random.default_rng(1))
        assert namespace[name].__doc__  # the skeleton's words are kept
    report = solution.report()
    for render in (to_text, to_html_page, to_latex):
        assert "Often got wrong" in render(report)
    json.dumps(solution.to_dict())


@pytest.mark.parametrize("behaviour", PARAMETERS)
def test_a_wrong_version_is_a_change_of_the_right_one_and_fails(behaviour: str) -> None:
    assert all(piece in CATALOGUE[behaviour].body for piece in WRONG[behaviour].pieces)
    with np.errstate(all="ignore"), pytest.raises(AssertionError):
        check(behaviour, changed(behaviour), np.random.default_rng(1))


def test_every_behaviour_has_an_implementation_that_fits_on_a_line_of_a_report() -> None:
    assert set(CATALOGUE) == set(WORDS) == set(PARAMETERS)
    for entry in CATALOGUE.values():
        assert max(map(len, entry.body.splitlines())) <= 72


@pytest.mark.parametrize("behaviour", PARAMETERS)
def test_a_function_alone_brings_the_helpers_it_needs(behaviour: str) -> None:
    names = ", ".join(
        ["scores", "weights", "powers", "mask", "largest", "turned"][: PARAMETERS[behaviour]]
    )
    solution = solve(problem(f"def total({names}):\n    pass\n", {"total": behaviour}))
    assert solution.verdict is Status.ARGUED, str(solution.verification)
    assert len([block for block in solution.details if isinstance(block, Plot)]) == 1
    check(behaviour, run(solution)["total"], np.random.default_rng(2))


@pytest.mark.parametrize(
    "skeleton",
    [
        "def f(x): pass\n",
        "def f(x): pass",
        'def f(x):\n  "words"\n',
        "import numpy\n\n\ndef f(x):\n\t'''é'''; pass\n",
        "from __future__ import annotations\nimport numpy as xp\ndef f(a: xp.ndarray) -> int:\n    ...\n",
        "def f(\n    np_,\n):\n    # write here\n\n    return None  # yes\n\n\nlast = 3\n",
        "import numpy as np\r\ndef f(x):\r\n    '''d'''\r\n    pass\r\n",
        "def g(y):\n    return y\n\n\ndef f(x):\n    if x:\n        return 1\n    return 2\n",
    ],
)
def test_skeletons_of_every_layout_are_completed(skeleton: str) -> None:
    solution = solve(problem(skeleton, {"f": "softmax"}))
    check("softmax", run(solution)["f"], np.random.default_rng(3))
    if "last" in skeleton:
        assert run(solution)["last"] == 3
        assert "write here" not in solution.answer["file"]


def test_a_function_called_like_a_variable_of_another_is_still_called() -> None:
    skeleton = "def weights(scores):\n    pass\n\n\ndef scores(weights_, key, powers):\n    pass\n"
    with pytest.raises(InvalidProblem, match="weights: scores is the name of something else"):
        problem(skeleton, {"weights": "softmax", "scores": "attention"})
    skeleton = skeleton.replace("weights(scores)", "weights(x)")
    found = solve(problem(skeleton, {"weights": "softmax", "scores": "attention"}))
    check("attention", run(found)["scores"], np.random.default_rng(4))


def test_a_helper_does_not_take_a_name_that_is_in_use() -> None:
    skeleton = "def _softmax(x):\n    return 1\n\n\ndef f(q, k, v):\n    pass\n"
    namespace = run(solve(problem(skeleton, {"f": "attention"})))
    assert namespace["_softmax"](3) == 1
    check("attention", namespace["f"], np.random.default_rng(5))
    alone = solve(problem("def f(_softmax, k, v):\n    pass\n", {"f": "attention"}))
    check("attention", run(alone)["f"], np.random.default_rng(5))


def test_nothing_of_a_skeleton_is_run(tmp_path: Any) -> None:
    trace = tmp_path / "trace"
    skeleton = (
        f"open({str(trace)!r}, 'w').close()\n\n\ndef f(x=open({str(trace)!r}, 'w')):\n    pass\n"
    )
    solution = solve(problem(skeleton, {"f": "softmax"}))
    assert solution.verdict is Status.ARGUED
    assert not trace.exists()
    assert str(trace) in solution.answer["file"]


def test_a_tolerance_that_floats_do_not_reach_is_undecided() -> None:
    solution = solve(problem("def f(x):\n    pass\n", {"f": "softmax"}, tolerance=1e-30))
    assert solution.verdict is Status.UNDECIDED


def test_the_certificate_fails_if_a_function_returns_something_else() -> None:
    from regard.certify import Certificate, Claim, verify

    solution = solve(ID)
    claims = list(solution.certificate.claims)
    rows = claims[0].fields["entries"]
    for row in range(len(rows)):
        entries = [[*other] for other in rows]
        entries[row][0] += 1e-8
        changed = Claim("computed", {**claims[0].fields, "entries": entries})
        assert not verify(Certificate(solution.certificate.arrays, (changed,))).holds
    instances = [dict(some) for some in claims[1].witness["instances"]]
    instances[4]["y"] += 1e-8
    moved = Claim(claims[1].kind, claims[1].fields, {"instances": instances})
    assert not verify(Certificate({}, (moved,))).holds


def test_variants_have_other_names() -> None:
    original = load(ID)
    seen = set()
    for seed in range(6):
        varied = variant(original, seed)
        assert list(varied.goal.functions.values()) == list(original.goal.functions.values())
        seen.add(varied.given.skeleton)
        for node in ast.parse(varied.given.skeleton).body:
            if isinstance(node, ast.FunctionDef) and node.name in varied.goal.functions:
                words = ast.get_docstring(node) or ""
                assert all(f"{one.arg}: " in words for one in node.args.args)
    assert len(seen) > 3


@pytest.mark.parametrize("seed", SEEDS)
def test_variants_are_completed(seed: int) -> None:
    varied = variant(load(ID), seed)
    namespace = run(solve(varied))
    for name, behaviour in varied.goal.functions.items():
        check(behaviour, namespace[name], np.random.default_rng(seed))


@pytest.mark.parametrize(
    ("skeleton", "message"),
    [
        ("def f(", "is not Python: line 1: '\\(' was never closed"),
        ("x = 1", "has no function f"),
        ("def f(x, y): pass", "f must take 1 argument, under any names: f\\(x\\)"),
        ("def f(*x): pass", "f must take 1 argument"),
        ("def f(np): pass", "f: np is the name of something else"),
        ("import numpy as xp\ndef f(xp): pass", "f: xp is the name of something else"),
        ("def f(x): pass\ndef f(x): pass", "defines f 2 times"),
        ("x = '\0'", "is not Python"),
    ],
)
def test_a_skeleton_that_cannot_be_completed_is_refused(skeleton: str, message: str) -> None:
    with pytest.raises(InvalidProblem, match=message):
        problem(skeleton, {"f": "softmax"})
