"""Random problems with answers that are right or wrong by construction; truth by plain NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from regard import problems
from regard.checking import Verdict, check


def made(base: str, given: dict[str, Any], goal: dict[str, Any]) -> Any:
    data = problems.to_dict(problems.load(base))
    return problems.from_dict({**data, "id": "random", "given": given, "goal": goal})


def condition(seed: int) -> None:
    """A gap, or a lead over the log-sum-exp of the others, on either side of what is needed."""
    rng = np.random.default_rng([1, seed])
    n = int(rng.integers(3, 40))
    epsilon = float(f"{10 ** rng.uniform(-5, -0.5):.2g}")
    given = {
        "n": n,
        "keys": {"law": "arbitrary"},
        "values": {"law": "arbitrary"},
        "names": {"j": 0},
    }
    exact = bool(rng.integers(2))
    problem = made(
        "one-key-dominates",
        given,
        {"effect": "mass", "of": "j", "epsilon": epsilon, "exact": exact},
    )
    odds = (1 - epsilon) / epsilon
    off = float(rng.choice([-0.7, -0.05, -0.012, 0.0, 0.05, 0.7]))
    sign = "+" if off >= 0 else "-"
    forms = {  # text and whether it is exact with off = 0
        f"s_j - s_i >= log((n - 1) (1 - epsilon)/epsilon) {sign} {abs(off)}": False,
        f"s_j - log(sum(exp(s)) - exp(s_j)) >= log((1 - epsilon)/epsilon) {sign} {abs(off)}": True,
        f"exp(s_j) >= {float(odds * np.exp(off))!r} (sum(exp(s)) - exp(s_j))": True,
        f"{abs(off)} {sign} 0 - s_i + s_j >= {float(np.log((n - 1) * odds) + 2 * abs(off))!r}": False,
    }
    text, tight = list(forms.items())[int(rng.integers(len(forms)))]
    if text.startswith(f"{abs(off)} {sign} 0"):
        off = abs(off)  # the last form asks for |off| more than is needed
    score = check(problem, {"condition": text}).score
    level = 1e-3 * max(1.0, np.log((n - 1) * odds))
    if off < 0:
        assert score == 0, text
    elif not exact or (tight and off == 0):
        assert score == 1, text
    elif not tight or off > 1.3 * level:
        assert score == 0.5, text


def separator(seed: int) -> None:
    """M from a pseudoinverse, with anything outside of both subspaces; and a little beside it."""
    rng = np.random.default_rng([2, seed])
    p, r, extra = int(rng.integers(1, 4)), int(rng.integers(1, 4)), int(rng.integers(0, 3))
    d, share = p + r + extra, float(rng.choice([0.25, 0.5, 1.0]))
    rows = rng.integers(-4, 5, (p + r, d)).astype(float)
    if np.linalg.matrix_rank(rows) < p + r:
        return
    S, both = rows[:p].T, rows.T
    given = {
        "d": d,
        "S": {"law": "fixed", "rows": rows[:p].tolist()},
        "T": {"law": "fixed", "rows": rows[p:].tolist()},
        "orthogonal": False,
        "share": share,
    }
    problem = made("take-a-value-out-of-a-sum", given, {"recover": "S", "side": "M c"})
    pick = np.vstack([np.eye(p), np.zeros((r, p))]).T  # the coordinates of the part in S
    M = S @ pick @ np.linalg.pinv(both) / share
    M = M + rng.standard_normal((d, d)) @ (np.eye(d) - both @ np.linalg.pinv(both))
    x = rng.standard_normal(p + r)
    np.testing.assert_allclose(M @ (share * both @ x), S @ x[:p], atol=1e-8)
    assert check(problem, {"M": M.tolist()}).score == 1
    wrong = M + 0.03 * np.outer(rng.standard_normal(d), both[:, -1])
    assert np.max(np.abs(wrong @ (share * both[:, -1]))) > 1e-3
    assert check(problem, {"M": wrong.tolist()}).score == 0
    assert check(problem, {"possible": False}).score == 0


def head(seed: int) -> None:
    """Tokens on a line: all patterns are those of one number, which is tried out."""
    rng = np.random.default_rng([3, seed])
    places = np.sort(rng.choice(np.arange(-3, 4), 3, replace=False)).astype(float)
    row = int(rng.integers(3))
    if places[row] == 0:
        return
    p = rng.dirichlet([1.0, 1.0, 1.0])
    if rng.integers(2):  # one that can be had
        p = np.exp(rng.uniform(-2, 2) * places)
        p /= p.sum()
    p = np.round(p, 3)
    p[-1] = round(1 - p[0] - p[1], 3)
    if np.min(p) <= 0:
        return
    tolerance = float(rng.choice([0.002, 0.02]))
    given = {
        "basis": {"names": ["u"], "norm": 1.0},
        "tokens": [f"{x} u" if x >= 0 else f"-{-x} u" for x in places],
    }
    weights = {f"x_{j + 1}": float(w) for j, w in enumerate(p)}
    problem = made(
        "choose-keys-queries-values",
        given,
        {"attend": {f"x_{row + 1}": weights}, "tolerance": tolerance},
    )
    slopes = np.linspace(-8, 8, 20001)
    tried = np.exp(slopes[:, None] * places - np.max(slopes[:, None] * places, 1, keepdims=True))
    tried /= tried.sum(1, keepdims=True)
    best = float(np.min(np.max(np.abs(tried - p), axis=1)))
    decided_rightly(check(problem, {"possible": False}), best, tolerance)


def decided_rightly(found: Verdict, best: float, tolerance: float) -> None:
    """A claim that it is impossible: false where it can be done, true where it cannot."""
    if best < 0.95 * tolerance:
        assert found.score == 0, (best, str(found))
    elif best > 1.05 * tolerance:
        assert found.score in (1, None), (best, str(found))


def feasibility(seed: int) -> None:
    """Whether a multiple does it, against a fine grid of multiples."""
    rng = np.random.default_rng([4, seed])
    n, d = int(rng.integers(2, 5)), 2
    tokens = rng.integers(-2, 3, (n, d)).astype(float)
    row, changed = (int(x) for x in rng.integers(0, n, 2))
    added = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, -1.0]][int(rng.integers(3))])
    grid = np.concatenate([np.linspace(-12, 12, 60001), np.geomspace(12, 4000, 4000)])
    grid = np.concatenate([grid, -grid])
    x = np.repeat(tokens[None], len(grid), axis=0)
    x[:, changed] += grid[:, None] * added
    scores = np.einsum("mnd,md->mn", x, x[:, row])
    weights = np.exp(scores - scores.max(1, keepdims=True))
    outputs = np.einsum("mn,mnd->md", weights / weights.sum(1, keepdims=True), x)
    wanted = np.round(outputs[int(rng.integers(len(grid)))], 1)
    if rng.integers(2):
        wanted = wanted + np.round(rng.standard_normal(2), 1)
    if not 0.2 < np.linalg.norm(wanted) < 20:
        return
    best = float(np.min(np.linalg.norm(outputs - wanted, axis=1)) / np.linalg.norm(wanted))
    given = {
        "basis": {"names": ["u", "v"], "norm": 1.0},
        "tokens": [f"{a} u + ({b}) v" for a, b in tokens],
        "change": {"token": f"x_{changed + 1}", "add": [f"{added[0]} u + ({added[1]}) v"]},
    }
    goal = {"output": {f"c_{row + 1}": f"{wanted[0]} u + ({wanted[1]}) v"}, "tolerance": 0.03}
    problem = made("tokens-as-their-own-keys", given, goal)
    plain = np.exp(tokens @ tokens[row])
    now = (plain @ tokens / plain.sum()).tolist()
    label = f"c_{row + 1}"
    found = check(problem, {label: f"{now[0]!r} u + ({now[1]!r}) v", "possible": False})
    assert found.goals[0].passed
    if best < 0.95 * 0.03:
        assert found.score == 0.5, (best, str(found))
    elif best > 1.05 * 0.03:
        assert found.score in (1, None), (best, str(found))


AUDITS = (condition, separator, head, feasibility)


@pytest.mark.parametrize("audit", AUDITS, ids=lambda audit: audit.__name__)
def test_answers_made_to_be_right_or_wrong_are_judged_so(audit: Any) -> None:
    for seed in range(8):
        audit(seed)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(5))
@pytest.mark.parametrize("audit", AUDITS, ids=lambda audit: audit.__name__)
def test_many_answers_made_to_be_right_or_wrong_are_judged_so(audit: Any, block: int) -> None:
    for seed in range(100 + 40 * block, 140 + 40 * block):
        audit(seed)


@pytest.mark.parametrize(
    ("goal", "message"),
    [
        ({"outputs": {"x_1": "u_a"}}, "goal.outputs: an output is called c_1 here, not x_1"),
        ({"attend": {"c_1": "x_2"}}, "goal.attend: a token is called x_1 here, not c_1"),
        ({"attend": {"x_1": "c_2"}}, "goal.attend: a token is called x_2 here, not c_2"),
    ],
)
def test_labels_of_the_other_kind_are_named_when_a_file_is_read(
    goal: dict[str, Any], message: str
) -> None:
    data = problems.to_dict(problems.load("choose-keys-queries-values"))
    with pytest.raises(ValueError, match=message):
        problems.from_dict({**data, "goal": goal})
