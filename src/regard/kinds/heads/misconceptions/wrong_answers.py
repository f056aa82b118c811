"""The queries that somebody with a misconception would give; None where there is no room for it."""

from __future__ import annotations

from collections.abc import Mapping

from regard.kinds.heads.spec import WeightsProblem
from regard.problems.laws import Gaussian, Orthogonal, Orthonormal, Plain

Fields = Mapping[str, str]


def _keys(problem: WeightsProblem, law: type[Plain] = Orthonormal) -> list[str]:
    """Return the names of the wanted keys, or means, if they are of this law; else none."""
    given = problem.given
    names = [f"{given.key_prefix}_{name}" for name in problem.goal.weights]
    return names if isinstance(given.key_law, law) else []


def _alike(problem: WeightsProblem) -> bool:
    """Whether all wanted keys are to have the same weight."""
    return len(set(problem.goal.weights.values())) == 1


def _one_each(problem: WeightsProblem) -> bool:
    """Whether each of several heads can look at one wanted key, of which all count alike."""
    return _alike(problem) and len(problem.query_names) == len(problem.goal.weights) > 1


def _one_mixed_query(problem: WeightsProblem) -> bool:
    """Whether one query is to give several keys the same weight."""
    return _alike(problem) and len(problem.goal.weights) > 1 == len(problem.query_names)


def without_factor(problem: WeightsProblem) -> Fields | None:
    """The right direction, of length 1."""
    keys = _keys(problem)
    if problem.given.n == len(keys) or not keys:
        return None
    if _one_each(problem):
        return dict(zip(problem.query_names, keys, strict=True))
    one = len(problem.query_names) == 1 and _alike(problem)
    return {"q": " + ".join(keys)} if one else None


def sum_of_keys(problem: WeightsProblem) -> Fields | None:
    """Keys that are not of length 1, taken as if they were."""
    keys = _keys(problem, Orthogonal)
    return {"q": f"C ({' + '.join(keys)})"} if keys and _one_mixed_query(problem) else None


def proportional_scores(problem: WeightsProblem) -> Fields | None:
    """Weights as coefficients."""
    weights = problem.goal.weights.values()
    terms = [f"{w!r} {key}" for w, key in zip(weights, _keys(problem), strict=False)]
    room = terms and not _alike(problem) and len(problem.query_names) == 1
    return {"q": f"C ({' + '.join(terms)})"} if room else None


def very_long(problem: WeightsProblem) -> Fields | None:
    """A factor that is as large as one likes, over random keys."""
    keys = _keys(problem) if isinstance(problem.given.keys, Gaussian) else []
    return {"q": f"1000 ({' + '.join(keys)})"} if keys and _one_mixed_query(problem) else None


def same_query_in_each_head(problem: WeightsProblem) -> Fields | None:
    """The query of one head for all wanted keys; as noise vanishes it is right."""
    keys = _keys(problem)
    if not keys or not _one_each(problem) or problem.given.limits:
        return None
    return dict.fromkeys(problem.query_names, f"C ({' + '.join(keys)})")


def same_query_for_own_parts(problem: WeightsProblem) -> Fields | None:
    """The query of one head for all wanted keys, where each head was to have its own."""
    keys = _keys(problem)
    if not keys or not problem.own_weights or not _one_each(problem):
        return None
    return dict.fromkeys(problem.query_names, f"C ({' + '.join(keys)})")


def shares_in_each_head(problem: WeightsProblem) -> Fields | None:
    """Each head gives its key the share that the key is to have in the average."""
    keys = _keys(problem)
    if not keys or not _one_each(problem) or problem.given.scale != 1:
        return None
    over = "" if len(keys) == 2 else f"/{len(keys) - 1}"
    queries = [f"log((n - 1){over}) {key}" for key in keys]
    return dict(zip(problem.query_names, queries, strict=True))


def one_key_only(problem: WeightsProblem) -> Fields | None:
    """A query for the first of several wanted keys, in every head."""
    keys = _keys(problem)
    return dict.fromkeys(problem.query_names, f"C {keys[0]}") if len(keys) > 1 else None


def equal_shares(problem: WeightsProblem) -> Fields | None:
    """A query for all wanted keys alike, where their weights were to differ."""
    keys = _keys(problem)
    room = keys and not _alike(problem) and len(problem.query_names) == 1
    return {"q": f"C ({' + '.join(keys)})"} if room else None


def shares_without_factor(problem: WeightsProblem) -> Fields | None:
    """Scores that compare the wanted keys as they should be, and all others with the largest."""
    weights = problem.goal.weights.values()
    largest = max(weights, default=1.0)
    terms = [f"log({w / largest!r}) {key}" for w, key in zip(weights, _keys(problem), strict=False)]
    room = terms and not _alike(problem) and len(problem.query_names) == 1
    return {"q": " + ".join(terms)} if room and problem.given.n > len(terms) else None


def one_head_idle(problem: WeightsProblem) -> Fields | None:
    """A head that looks at nothing, beside others that each look at their key."""
    keys = _keys(problem)
    if not keys or not _one_each(problem):
        return None
    queries = [f"C {key}" for key in keys[:-1]] + [f"0 {keys[-1]}"]
    return dict(zip(problem.query_names, queries, strict=True))


def beyond_floats(problem: WeightsProblem) -> Fields | None:
    """A factor with which scores 1 apart are the same number."""
    keys = _keys(problem)
    return {"q": f"1e20 ({' + '.join(keys)})"} if keys and _one_mixed_query(problem) else None
