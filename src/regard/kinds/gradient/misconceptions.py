"""What wrong gradients come from: one step of the backward pass done wrongly, and compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from regard.checking.misconceptions import SHARED
from regard.checking.mistakes import Mistake
from regard.kinds.gradient.case import Case
from regard.kinds.gradient.forward import scale_text
from regard.kinds.gradient.instance import Float64, Step, Values, backward, example
from regard.kinds.gradient.spec import GradientGiven, GradientProblem

Wrongly = Callable[[GradientGiven], Iterator[Mapping[str, Step]]]


def _passes(case: Case, wrongly: Mapping[str, Step]) -> list[Values] | None:
    try:
        return [backward(case.problem.given, at.names, wrongly) for at in case.instances]
    except ValueError:
        return None  # sizes that do not fit


# Formulas that somebody with a mistake would write.
FORMULAS: dict[str, dict[str, str]] = {
    "scale-forgotten-in-gradient": {"dQ": "dS K", "dK": "dS' Q"},
    "jacobian-without-rank-one": {"J": "diag(a)", "ds": "hadamard(a, g)", "dS": "hadamard(A, dA)"},
    "softmax-taken-for-a-sigmoid": {
        "J": "diag(hadamard(a, ones(n) - a))",
        "ds": "hadamard(hadamard(a, ones(n) - a), g)",
        "dS": "hadamard(hadamard(A, ones(n) ones(KEYS)' - A), dA)",
    },
    "softmax-passed-over": {"ds": "g", "dS": "dA"},
    "factor-not-transposed": {"dV": "A G", "dX": "dQ W_Q + dK W_K + dV W_V"},
    "own-matrix-instead-of-the-other": {"dQ": "SCALE dS Q", "dK": "SCALE dS' K"},
    "not-all-paths": {"dX": "dQ W_Q' + dK W_K'"},
}


def _spoiled(tag: str) -> Callable[..., Iterator[Mapping[str, Any]]]:
    """Return right answers in formulas, with the mistake in the fields that have room for it."""

    def answers(problem: GradientProblem, right: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        given = problem.given
        if problem.in_numbers or not problem.goal.find:
            return
        keys = "n" if given.causal or given.forward == "projections" else "m"
        scale = scale_text(given)
        wrong = {
            name: text.replace("SCALE", scale).replace("KEYS", keys)
            for name, text in FORMULAS.get(tag, {}).items()
            if name in right
        }
        if wrong:
            yield {**right, **wrong}

    return answers


def _imitated(tag: str, wrongly: Wrongly, idea: str, sentence: str) -> Mistake[Any, Case]:
    def shows(case: Case) -> bool:
        found = (_passes(case, steps) for steps in wrongly(case.problem.given))
        return any(one is not None and case.has(one) for one in found)

    def wrong(problem: GradientProblem) -> dict[str, Any] | None:
        if not problem.in_numbers or not problem.goal.find:
            return None
        at = example(problem.given)
        for steps in wrongly(problem.given):
            try:
                found = backward(problem.given, at.names, steps)
            except ValueError:
                continue
            arrays = {name: found.get(name, at.gradients[name]) for name in problem.goal.find}
            if any(
                a.shape != at.gradients[n].shape or not np.allclose(a, at.gradients[n], atol=0.02)
                for n, a in arrays.items()
            ):
                return {name: np.round(array, 5).tolist() for name, array in arrays.items()}
        return None

    return Mistake(tag, sentence, shows, wrong, idea, _spoiled(tag))


def _without_scale(given: GradientGiven) -> Iterator[Mapping[str, Step]]:
    if given.forward != "softmax":
        yield {"dQ": lambda at: at["dS"] @ at["K"], "dK": lambda at: at["dS"].T @ at["Q"]}
    elif scale_text(given) != "(1)":
        yield {"J": lambda at: _jacobian(at["a"]), "ds": lambda at: _jacobian(at["a"]) @ at["g"]}


def _jacobian(a: Float64) -> Float64:
    return np.asarray(np.diag(a) - np.outer(a, a))


def _scale_twice(given: GradientGiven) -> Iterator[Mapping[str, Step]]:
    if given.forward == "softmax" and scale_text(given) != "(1)":
        yield {
            "J": lambda at: at["scale"] ** 2 * _jacobian(at["a"]),
            "ds": lambda at: at["scale"] ** 2 * _jacobian(at["a"]) @ at["g"],
        }
    elif given.forward != "softmax":
        yield {
            "dQ": lambda at: at["scale"] ** 2 * at["dS"] @ at["K"],
            "dK": lambda at: at["scale"] ** 2 * at["dS"].T @ at["Q"],
        }


def _diagonal(given: GradientGiven) -> Iterator[Mapping[str, Step]]:
    if given.forward == "softmax":
        yield {"J": lambda at: np.diag(at["a"]), "ds": lambda at: at["a"] * at["g"]}
    else:
        yield {"dS": lambda at: at["A"] * at["dA"]}


def _sigmoid(given: GradientGiven) -> Iterator[Mapping[str, Step]]:
    if given.forward == "softmax":
        yield {
            "J": lambda at: np.diag(at["a"] * (1 - at["a"])),
            "ds": lambda at: at["a"] * (1 - at["a"]) * at["g"],
        }
    else:
        yield {"dS": lambda at: at["A"] * (1 - at["A"]) * at["dA"]}


def _no_softmax(given: GradientGiven) -> Iterator[Mapping[str, Step]]:
    if given.forward == "softmax":
        yield {"ds": lambda at: at["g"]}
    else:
        yield {"dS": lambda at: at["dA"]}


def _columns(given: GradientGiven) -> Iterator[Mapping[str, Step]]:
    if given.forward != "softmax":
        yield {
            "dS": lambda at: (
                at["A"] * (at["dA"] - np.sum(at["A"] * at["dA"], axis=0, keepdims=True))
            )
        }


def _unturned(given: GradientGiven) -> Iterator[Mapping[str, Step]]:
    if given.forward != "softmax":
        yield {"dV": lambda at: at["A"] @ at["dY"]}
        yield {"dK": lambda at: at["scale"] * at["dS"] @ at["Q"]}
        both: dict[str, Step] = {
            "dV": lambda at: at["A"] @ at["dY"],
            "dK": lambda at: at["scale"] * at["dS"] @ at["Q"],
        }
        yield both
        if given.forward == "projections":
            yield {
                "dX": lambda at: at["dQ"] @ at["W_Q"] + at["dK"] @ at["W_K"] + at["dV"] @ at["W_V"]
            }


def _own(given: GradientGiven) -> Iterator[Mapping[str, Step]]:
    if given.forward != "softmax":
        yield {
            "dQ": lambda at: at["scale"] * at["dS"] @ at["Q"],
            "dK": lambda at: at["scale"] * at["dS"].T @ at["K"],
        }


def _one_path(given: GradientGiven) -> Iterator[Mapping[str, Step]]:
    if given.forward != "projections":
        return
    for letters in ("Q", "K", "V", "QK", "QV", "KV"):

        def through(at: Values, letters: str = letters) -> Float64:
            return np.asarray(sum(at[f"d{x}"] @ at[f"W_{x}"].T for x in letters))

        yield {"dX": through}


def _transposed(case: Case) -> bool:
    found = [
        {
            name: np.swapaxes(array, -1, -2) if array.ndim == 2 else array
            for name, array in at.gradients.items()
        }
        for at in case.instances
    ]
    return case.has(found)


def _signs(case: Case) -> bool:
    found = [{name: -array for name, array in at.gradients.items()} for at in case.instances]
    return case.has(found)


MISTAKES: tuple[Mistake[GradientProblem, Case], ...] = (
    _imitated(
        "scale-forgotten-in-gradient",
        _without_scale,
        "The scale left out on the way back",
        "The scale is missing from the gradient.\n"
        "Scores are multiplied by it, so that it is a factor of what comes back through them "
        "as well, of dQ and dK or of ds.",
    ),
    _imitated(
        "scale-twice-in-gradient",
        _scale_twice,
        "The scale twice",
        "The scale is there twice.\nIt is a factor of what comes back once.",
    ),
    _imitated(
        "jacobian-without-rank-one",
        _diagonal,
        "The diagonal of the softmax Jacobian alone, $\\mathrm{diag}(a)$",
        "The part a a' of the Jacobian is missing.\n"
        "The Jacobian of a softmax is diag(a) - a a': through that part every score moves "
        "all weights.",
    ),
    _imitated(
        "softmax-taken-for-a-sigmoid",
        _sigmoid,
        "$a(1-a)$, entry by entry",
        "Only the diagonal of the softmax Jacobian was used.\n"
        "That is a (1 - a). The other entries -a_i a_j count as well.",
    ),
    _imitated(
        "softmax-passed-over",
        _no_softmax,
        "The softmax passed over",
        "The gradient went through the softmax unchanged:\n"
        "it has to be multiplied by the Jacobian diag(a) - a a' of its row.",
    ),
    _imitated(
        "summed-over-queries",
        _columns,
        "The sum over the wrong axis",
        "The sum in the softmax Jacobian runs over the queries.\n"
        "It has to run over the keys of one query.",
    ),
    _imitated(
        "factor-not-transposed",
        _unturned,
        "A factor not transposed",
        "A factor was not transposed:\n"
        "going back through a product A V, V gets A' G, and G V' goes to A.",
    ),
    _imitated(
        "own-matrix-instead-of-the-other",
        _own,
        "The matrix itself instead of the other factor",
        "The gradient of a product has the other factor:\ndQ has K in it, and dK has Q.",
    ),
    _imitated(
        "not-all-paths",
        _one_path,
        "Not all paths from $X$ to the loss",
        "Not all paths of the gradient were added up.\n"
        "X makes queries, keys and values, and each of the three sends a gradient back.",
    ),
    Mistake("sign-error", SHARED["sign-error"], _signs),
    Mistake("transposed-result", SHARED["transposed-result"], _transposed),
    Mistake(
        "bound-is-not-one",
        "The norm of the Jacobian can be larger than the bound says:\n"
        "the counterexample has scores for which it is.",
        lambda case: case.bound == "too small",
        lambda problem: {"bound": "exp(-gamma)/2"} if problem.goal.bound == "jacobian" else None,
        "One competitor instead of $n-1$, and half of it",
    ),
    Mistake(
        "bound-does-not-vanish",
        "The bound does not become small as the gap grows.\nIt is a bound all the same.",
        lambda case: case.bound == "not vanishing",
        lambda problem: {"bound": "1/2"} if problem.goal.bound == "jacobian" else None,
        "A bound that holds for every softmax",
    ),
)
OFTEN = (
    "jacobian-without-rank-one",
    "scale-forgotten-in-gradient",
    "factor-not-transposed",
    "own-matrix-instead-of-the-other",
    "softmax-taken-for-a-sigmoid",
    "softmax-passed-over",
    "not-all-paths",
    "bound-is-not-one",
    "bound-does-not-vanish",
)
