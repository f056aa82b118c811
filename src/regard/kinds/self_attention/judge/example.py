"""The instance on which a head goes wrong, worked out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from regard.checking.factors.open_factor import plain as plain_factor
from regard.checking.sampling import compare
from regard.checking.verdict import Counterexample, SideBySide
from regard.kinds.self_attention.instance import Instance, instance_of
from regard.kinds.self_attention.reading.heads import Asked, errors, weights_of, worst
from regard.problems.tokens import read_label
from regard.report import number, vector

_LONGEST = 60  # frames that are drawn to find one on which the answer is wrong


def counterexample(asked: Asked, prefix: str = "") -> Counterexample:
    """Return the plainest instance on which the answer is wrong: along the axes if there is one."""
    at, seed = _failing(asked)
    wrong = (C for C in asked.factors if not _error(asked, at, (C,)) <= asked.tolerance)
    factor = next(wrong, asked.factors[0])
    head = asked.head(at, factor)
    found = errors(asked, at, head)
    label = max(found, key=lambda one: found[one] if np.isfinite(found[one]) else np.inf)
    row = read_label(label)[1]
    outputs, attend = at.outputs, at.attend
    weights = weights_of(asked, at, head)[row]
    arrays = {
        "tokens": at.tokens.tolist(),
        **{name: at.symbols[name] for name in asked.problem.given.parameters},
        **({"C": plain_factor(factor)} if asked.free else {}),
        "K": head.K.tolist(),
        "Q": head.Q.tolist(),
        **({} if head.V is None else {"V": head.V.tolist()}),
        "weights": weights.tolist(),
    }
    with np.errstate(all="ignore"):
        query = at.tokens[row] @ head.Q.T
        scores = asked.problem.given.scale * (at.tokens @ head.K.T @ query)
    steps = [
        (f"Token {row + 1} is {vector(at.tokens[row])}, and its query is {vector(query)}.", ""),
        (f"Its scores with the keys are {vector(scores)}.", ""),
        (f"Softmax turns them into the weights {vector(weights)}.", ""),
    ]
    if row in outputs and label.startswith("c_"):
        assert head.V is not None
        with np.errstate(all="ignore"):
            output = weights @ (at.tokens @ head.V.T)
        arrays[label] = output.tolist()
        arrays["wanted"] = outputs[row].tolist()
        steps.append((f"The values with these weights come to {vector(output)}.", ""))
        said = f"{label} is {vector(output)}, and {vector(outputs[row])} is wanted"
    else:
        arrays["wanted"] = attend[row].tolist()
        said = f"the weights of {label} are {vector(weights)}, and {vector(attend[row])} are wanted"
    given = asked.problem.given.parameters
    where = ", ".join(f"{name} = {number(float(at.symbols[name]))}" for name in given)
    start = f"With {where} " if where else "Here "
    sentence = f"{start}{said}: {compare(found[label], asked.tolerance)}."
    if prefix:
        sentence = f"{prefix}: then {said}."
    output = label.startswith("c_") and label in arrays
    shows = "" if prefix else f"{label} is {compare(found[label], asked.tolerance)}."
    if shows and not np.isfinite(found[label]):
        shows = f"The error of {label} is not a finite number."
    return Counterexample(
        arrays, sentence, seed, tuple(steps), shows if output else "", where,
        (label, "wanted") if output else ("weights", "wanted"),
        table=_table(asked, at, arrays, label) if output else _of_tokens(arrays),
    )  # fmt: skip


def _table(asked: Asked, at: Instance, arrays: Mapping[str, Any], label: str) -> SideBySide | None:
    """Return an output beside the one wanted, along the basis where that is along the axes."""
    names = asked.problem.given.basis.names
    yours, wanted = arrays[label], arrays["wanted"]
    basis = np.array([at.symbols[name] for name in names])
    along = np.array_equal(basis, np.diag(np.diag(basis))) if basis.ndim == 2 else False
    if not along or len(yours) != len(names):
        return None
    titles = tuple(f"along {name}" for name in names)
    return SideBySide(titles, tuple(yours), tuple(wanted), f"${label}$")


def _of_tokens(arrays: Mapping[str, Any]) -> SideBySide:
    """Return the weights of the tokens beside those wanted."""
    yours, wanted = arrays["weights"], arrays["wanted"]
    names = tuple(f"token {i + 1}" for i in range(len(yours)))
    return SideBySide(names, tuple(yours), tuple(wanted))


def _failing(asked: Asked) -> tuple[Instance, int | None]:
    """Return an instance on which the answer is wrong, and the seed of its frame."""
    problem, given = asked.problem, asked.problem.given
    times = asked.times
    plain = [instance_of(problem, one) for one in dict.fromkeys((1.0, *times))]
    count = len(given.basis.names)
    drawn = [(seed, d) for d in (count, count + 3) for seed in range(_LONGEST)]
    for at in plain:
        if not _error(asked, at) <= asked.tolerance:
            return at, None
    if asked.in_coordinates:
        return plain[0], None
    for seed, d in drawn:
        at = instance_of(problem, times[-1], seed, d if given.d is None else None)
        if not _error(asked, at) <= asked.tolerance:
            return at, seed
    return plain[0], None


def _error(asked: Asked, at: Instance, factors: tuple[float, ...] = ()) -> float:
    found = (errors(asked, at, asked.head(at, C)).values() for C in factors or asked.factors)
    return worst(one for each in found for one in each)
