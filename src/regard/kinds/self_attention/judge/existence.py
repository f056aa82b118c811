"""Are there matrices that do what is asked of a head? Found, excluded, or not decided.

Scores are s_ij = <A, x_j x_i'> with A = scale K' Q, so that every bound on them is linear in A.

Excluded is a goal where

- no A has weights within the tolerance: with p the weights asked for, each pair with p_ij > tol
  bounds s_ik − s_ij by ln((p_ik + tol)/(p_ij − tol)), and a linear program finds that no A does;
- one token occurs twice, and what is asked of the two differs by more than twice the tolerance;
- the outputs span more dimensions than the tokens do, by a singular value above the tolerance;
- rows with weights and outputs contradict each other: with these weights no V has the outputs, and
  what the tolerance leaves to other tokens makes no difference unless V x_j are far apart.

Found is one where matrices, made by a linear program, by a convex fit or by a search, are right
when they are run.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, islice, product

import numpy as np

from regard.checking.matrices import Float64
from regard.checking.sampling import generator, softmax
from regard.kinds.self_attention.instance import FAR, Instance, instance_of
from regard.kinds.self_attention.spec import SelfAttentionProblem
from regard.language.bounds import lower_bound

_MOST = 200  # ways to choose a token for each row that are tried
_STARTS = 12  # of the search
_SHARP = 60.0  # gap of a score that makes a copy of a token
_FAR_APART = 10.0  # times the outputs: values further apart are no way to look at a token
_SLACK = 1e-9


@dataclass(frozen=True, eq=False)
class Existence:
    """Whether there are such matrices.

    Attributes:
        possible: True if some were found, False if they are excluded, None if neither.
        why: what was found, as the end of a sentence.
        A: (d, d) the scores' matrix of a head that was found, or None.
        V: (d, d) its values, or None.
    """

    possible: bool | None
    why: str
    A: Float64 | None = None
    V: Float64 | None = None


def existence(problem: SelfAttentionProblem) -> Existence:
    """Decide whether there are matrices; near to the limits where a problem has some."""
    times = FAR if problem.given.limits else (1.0,)
    found = [_of_instance(problem, instance_of(problem, one)) for one in times]
    if len({one.possible for one in found}) > 1:
        return Existence(None, "it differs between instances near to the limit")
    return found[0]


def _of_instance(problem: SelfAttentionProblem, at: Instance) -> Existence:
    tolerance = problem.goal.tolerance
    why = _excluded(at, tolerance)
    if why is not None:
        return Existence(False, why)
    for A in _candidates(at, tolerance):
        V = _values(at, A)
        if _error(at, A, V) <= tolerance:
            return Existence(True, "matrices were found that do it", A, V)
    return Existence(None, "none were found, and none were shown to be impossible")


def _excluded(at: Instance, tolerance: float) -> str | None:
    """Say why no matrices will do, or return None."""
    return (
        _same_token(at, tolerance)
        or _weights_excluded(at, tolerance)
        or _outputs_excluded(at, tolerance)
    )


def _same_token(at: Instance, tolerance: float) -> str | None:
    for j, i in combinations(range(len(at.tokens)), 2):
        if np.any(at.tokens[i] != at.tokens[j]):
            continue
        pair = f"x_{j + 1} and x_{i + 1} are the same token, and"
        if i in at.outputs and j in at.outputs:
            apart = float(np.linalg.norm(at.outputs[i] - at.outputs[j])) / at.growth
            if apart > 2 * tolerance * (1 + _SLACK):
                return f"{pair} different outputs are asked for"
        if i in at.attend and j in at.attend:
            apart = float(np.max(np.abs(at.attend[i] - at.attend[j])))
            if apart > 2 * tolerance * (1 + _SLACK):
                return f"{pair} are asked to look at different ones"
    return None


def _weights_excluded(at: Instance, tolerance: float) -> str | None:
    rows, bounds = _pairs(at, tolerance)
    if not rows or _margin(np.array(rows), np.array(bounds)) is not None:
        return None
    return "whatever the scores are, their weights are further off than the tolerance"


def _pairs(at: Instance, tolerance: float) -> tuple[list[Float64], list[float]]:
    """Return rows r and bounds b with <r, A> ≤ b for every A whose weights are near enough."""
    rows, bounds = [], []
    for row, wanted in at.attend.items():
        for j in np.flatnonzero(wanted > tolerance).tolist():
            for k in range(len(wanted)):
                if k == j:
                    continue
                rows.append(np.outer(at.tokens[k] - at.tokens[j], at.tokens[row]).ravel())
                most = min(1.0, float(wanted[k]) + tolerance)
                bounds.append(float(np.log(most) - np.log(wanted[j] - tolerance)))
    return rows, bounds


def _margin(rows: Float64, bounds: Float64) -> Float64 | None:
    """Return an A with <r, A> ≤ b for all rows, by the most; None where there is none for sure."""
    from scipy.optimize import linprog  # imported where used: it is slow to load

    sizes = np.linalg.norm(rows, axis=1)
    idle = sizes <= 1e-12 * max(1.0, float(np.max(sizes)))
    if np.any(bounds[idle] < -_SLACK):
        return None
    rows, bounds = rows[~idle] / sizes[~idle, None], bounds[~idle] / sizes[~idle]
    d2 = rows.shape[1]
    if not len(rows):
        return np.zeros(d2)
    # The largest t ≤ 1 with <r, A> + t ≤ b; A is free, so that no size is excluded by hand.
    table = np.hstack([rows, np.ones((len(rows), 1))])
    cost = np.append(np.zeros(d2), -1.0)
    limits = [(None, None)] * d2 + [(None, 1.0)]
    found = linprog(cost, A_ub=table, b_ub=bounds, bounds=limits)
    if not found.success:
        return np.zeros(d2)  # says nothing
    return None if -found.fun < -_SLACK else np.asarray(found.x[:d2])


def _outputs_excluded(at: Instance, tolerance: float) -> str | None:
    if not at.outputs:
        return None
    wanted = np.array(list(at.outputs.values())) / at.growth
    rank = int(np.linalg.matrix_rank(at.tokens))
    sizes = np.linalg.svd(wanted, compute_uv=False)
    if len(sizes) > rank and sizes[rank] > tolerance * np.sqrt(len(wanted)) * (1 + 1e-6):
        return f"the tokens span {rank} dimensions, and so do all outputs; more are asked for"
    apart = contradicting_values(at, tolerance)
    if apart is None:
        return None
    names = ", ".join(f"c_{row + 1}" for row in at.outputs if row in at.attend)
    return (
        f"with the weights that are asked for, no V makes {names} what they should be, unless "
        f"its values are more than {lower_bound(apart, 3)} apart"
    )


def contradicting_values(at: Instance, tolerance: float) -> float | None:
    """Return up to which distance of values V x_j the weights rule the outputs out.

    None where they do not, or only for values that are near each other. Values further apart are
    no way to look at a token: what counts then is the little that the tolerance leaves to others.
    """
    both = [row for row in at.outputs if row in at.attend]
    if not both:
        return None
    mixed = np.array([at.attend[row] for row in both]) @ at.tokens
    goal = np.array([at.outputs[row] for row in both]) / at.growth
    left = goal - mixed @ (np.linalg.pinv(mixed, rcond=1e-10) @ goal)
    # Weights p + e with |e| ≤ tolerance take at most min(p, tolerance) from each token and give it
    # to others: an output moves by no more than that times the distance of the values. Some row is
    # off by more than the tolerance if all together are by more than its root of rows.
    moves = max(float(np.sum(np.minimum(at.attend[row], tolerance))) for row in both)
    apart = (np.linalg.norm(left) / np.sqrt(len(both)) - tolerance * (1 + 1e-6)) / moves
    if apart > 0 and apart >= _FAR_APART * np.max(np.linalg.norm(goal, axis=1)):
        return float(apart * at.growth)
    return None


def _candidates(at: Instance, tolerance: float) -> Iterator[Float64]:
    """Yield matrices A that may do, the plainest first."""
    rows, bounds = _pairs(at, tolerance)
    if rows:
        found = _margin(np.array(rows), np.array(bounds))
        if found is not None:
            yield found.reshape(at.tokens.shape[1], -1)
    soft = {row: p for row, p in at.attend.items() if np.max(p) < 1 - tolerance}
    for pattern in _patterns(at, soft):
        A = _fitted(at, {**soft, **pattern})
        if A is not None:
            yield A
    yield from _searched(at)


def _patterns(at: Instance, soft: dict[int, Float64]) -> Iterator[dict[int, Float64]]:
    """Yield a token for each row to look at: itself first, where it is free to choose."""
    n = len(at.tokens)
    hard = {row: p for row, p in at.attend.items() if row not in soft}
    free = [row for row in at.outputs if row not in at.attend]
    itself = [{row: np.eye(n)[row] for row in free}]
    others = (
        dict(zip(free, (np.eye(n)[j] for j in choice), strict=True))
        for choice in islice(product(range(n), repeat=len(free)), _MOST if free else 0)
    )
    for chosen in (*itself, *others):
        yield {**hard, **chosen}


def _fitted(at: Instance, wanted: dict[int, Float64]) -> Float64 | None:
    """Return the A whose scores are the logarithms of these weights, as nearly as may be.

    Weights of 0 are bounds: a linear program finds scores that are far enough below.
    """
    from scipy.optimize import linprog

    d = at.tokens.shape[1]
    upper, high, equal, level = [], [], [], []
    for row, p in wanted.items():
        first = int(np.argmax(p))
        for k in range(len(p)):
            if k == first:
                continue
            gap = np.outer(at.tokens[k] - at.tokens[first], at.tokens[row]).ravel()
            if p[k] > 0:
                equal.append(gap)
                level.append(float(np.log(p[k] / p[first])))
            else:
                upper.append(gap)
                high.append(-_SHARP)
    if not upper and not equal:
        return np.zeros((d, d))
    found = linprog(
        np.zeros(d * d),
        A_ub=np.array(upper) if upper else None,
        b_ub=np.array(high) if upper else None,
        A_eq=np.array(equal) if equal else None,
        b_eq=np.array(level) if equal else None,
        bounds=[(None, None)] * (d * d),
    )
    return np.asarray(found.x).reshape(d, d) if found.success else None


def _searched(at: Instance) -> Iterator[Float64]:
    """Yield what a search from several starts ends at: least squares of all errors."""
    from scipy.optimize import least_squares

    d = at.tokens.shape[1]
    if d > 8 or len(at.tokens) > 12:
        return
    size = float(np.max(np.linalg.norm(at.tokens, axis=1))) or 1.0

    def errors(flat: Float64) -> Float64:
        A = flat.reshape(d, d) / size**2
        return np.concatenate([part.ravel() for part in _parts(at, A, _values(at, A))])

    for seed in range(_STARTS):
        start = generator(seed).standard_normal(d * d) * (0.5, 3.0, 10.0)[seed % 3]
        found = least_squares(errors, start, max_nfev=200)
        yield np.asarray(found.x).reshape(d, d) / size**2


def _weights(at: Instance, A: Float64) -> Float64:
    """Return the weights of all rows; A is that of the scores, with the scale in it."""
    with np.errstate(all="ignore"):
        return softmax(at.tokens @ A.T @ at.tokens.T)


def _values(at: Instance, A: Float64) -> Float64 | None:
    """Return the V that makes the outputs of these weights best, or None where none is asked."""
    if not at.outputs:
        return None
    mixed = _weights(at, A)[list(at.outputs)] @ at.tokens
    if not np.all(np.isfinite(mixed)):
        return np.zeros((at.tokens.shape[1],) * 2)
    return np.asarray((np.linalg.pinv(mixed, rcond=1e-9) @ np.array([*at.outputs.values()])).T)


def _parts(at: Instance, A: Float64, V: Float64 | None) -> Iterator[Float64]:
    weights = _weights(at, A)
    for row, wanted in at.attend.items():
        yield weights[row] - wanted
    for row, wanted in at.outputs.items():
        assert V is not None
        yield (weights[row] @ (at.tokens @ V.T) - wanted) / at.growth


def _error(at: Instance, A: Float64, V: Float64 | None) -> float:
    """Return the largest error, as heads are judged: of weights by size, of outputs by length."""
    found = []
    for i, part in enumerate(_parts(at, A, V)):
        of_weights = i < len(at.attend)
        found.append(np.max(np.abs(part)) if of_weights else np.linalg.norm(part))
    return float(np.max(found)) if np.all(np.isfinite(found)) else float("inf")
