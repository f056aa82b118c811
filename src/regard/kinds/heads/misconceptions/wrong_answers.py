"""The queries that somebody with a misconception would give; None where there is no room for it."""

from __future__ import annotations

from collections.abc import Mapping

from regard.kinds.heads.spec import WeightsProblem
from regard.problems.laws import Gaussian, Orthogonal, Orthonormal

Fields = Mapping[str, str]


def _keys(problem: WeightsProblem, *laws: type) -> list[str] | None:
    """Return the names of the wanted keys, or means, if they are of one of these laws."""
    law = problem.given.keys
    prefix = "mu" if isinstance(law, Gaussian) else "k"
    plain = law.mean if isinstance(law, Gaussian) else law
    return (
        [f"{prefix}_{name}" for name in problem.goal.weights] if isinstance(plain, laws) else None
    )


def _weights_alike(problem: WeightsProblem) -> bool:
    return len(set(problem.goal.weights.values())) == 1


def _summed(keys: list[str]) -> str:
    return keys[0] if len(keys) == 1 else f"({' + '.join(keys)})"


def _one_each(problem: WeightsProblem) -> bool:
    """Whether each head can look at one wanted key, of which all are to count alike."""
    return _weights_alike(problem) and len(problem.query_names) == len(problem.goal.weights) > 1


def without_factor(problem: WeightsProblem) -> Fields | None:
    """The right direction, of length 1."""
    keys = _keys(problem, Orthonormal)
    if keys is None or problem.given.n == len(keys) or not _weights_alike(problem):
        return None
    if len(problem.query_names) == 1:
        return {"q": " + ".join(keys)}
    return dict(zip(problem.query_names, keys, strict=True)) if _one_each(problem) else None


def sum_of_keys(problem: WeightsProblem) -> Fields | None:
    """Keys that are not of length 1, taken as if they were."""
    keys = _keys(problem, Orthogonal)
    one_query = len(problem.query_names) == 1
    if keys is None or len(keys) == 1 or not one_query or not _weights_alike(problem):
        return None
    return {"q": f"C {_summed(keys)}"}


def proportional_scores(problem: WeightsProblem) -> Fields | None:
    """Weights as coefficients."""
    keys = _keys(problem, Orthonormal)
    if keys is None or _weights_alike(problem) or len(problem.query_names) > 1:
        return None
    weights = problem.goal.weights.values()
    return {"q": f"C ({' + '.join(f'{w!r} {k}' for w, k in zip(weights, keys, strict=True))})"}


def very_long(problem: WeightsProblem) -> Fields | None:
    """A factor that is as large as one likes, over random keys."""
    keys = _keys(problem, Orthonormal)
    random = isinstance(problem.given.keys, Gaussian)
    if not random or keys is None or len(keys) == 1 or not _weights_alike(problem):
        return None
    return {"q": f"1000 {_summed(keys)}"} if len(problem.query_names) == 1 else None


def same_query_in_each_head(problem: WeightsProblem) -> Fields | None:
    """The query of one head for all wanted keys; as noise vanishes it is right."""
    keys = _keys(problem, Orthonormal)
    if keys is None or not _one_each(problem) or problem.given.limits:
        return None
    return dict.fromkeys(problem.query_names, f"C {_summed(keys)}")


def shares_in_each_head(problem: WeightsProblem) -> Fields | None:
    """Each head gives its key the share that the key is to have in the average."""
    keys = _keys(problem, Orthonormal)
    if keys is None or not _one_each(problem) or problem.given.scale != 1:
        return None
    over = "" if len(keys) == 2 else f"/{len(keys) - 1}"
    queries = [f"log((n - 1){over}) {key}" for key in keys]
    return dict(zip(problem.query_names, queries, strict=True))


def one_key_only(problem: WeightsProblem) -> Fields | None:
    """A query for the first of several wanted keys, in every head."""
    keys = _keys(problem, Orthonormal)
    if keys is None or len(keys) == 1:
        return None
    return dict.fromkeys(problem.query_names, f"C {keys[0]}")
