"""The fields of an answer about the law of an output: read, evaluated, and compared with a law.

Decimals are judged to the digits written, at least two of them: 0.92 stands for anything from 0.915
to 0.925. Whole numbers and fractions are exact.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.checking.answers import Answer, Value, evaluate
from regard.checking.matrices import shape_words, with_own_names
from regard.errors import InvalidAnswer
from regard.kinds.noise.judge.atoms import Atoms, apart
from regard.kinds.noise.judge.decimals import larger
from regard.kinds.noise.judge.law import Law
from regard.kinds.noise.spec import NoiseProblem, value_symbols
from regard.language import Formula, parse_limit

Float64 = NDArray[np.float64]

FIELDS = ("atoms", "mean", "variance", "independent")
# What stands for a number that grows without bound, or is that near to its limit: the first with
# which an answer is finite.
LARGE = (1e300, 1e150, 1e60, 1e30, 1e16, 1e10, 1e8, 1e6, 1e5, 1e4, 1e3, 700.0, 300.0, 100.0)
MOST_STAGES = 70
NEAR = (0.0, 1e-200, 1e-100, 1e-30, 1e-16)
FALLS = 0.99  # an error that falls by more from one such number to the next is not at its end


@dataclass(frozen=True, eq=False)
class Said:
    """What an answer says.

    Attributes:
        problem: what is asked.
        answer: what was answered.
        own: the names that it declares beside the fields asked for.
    """

    problem: NoiseProblem
    answer: Answer
    own: tuple[str, ...]

    @cached_property
    def stages(self) -> tuple[dict[str, float], ...]:
        """The parameters at their limits or near them, the nearest first.

        Limits are taken in their order: a parameter that goes to a number after another has grown
        is not there yet.
        """
        grown: str | None = None
        goes: dict[str, tuple[float, ...]] = {}
        for limit in map(parse_limit, self.problem.given.limits):
            if math.isinf(limit.target):
                grown = limit.name
                goes[limit.name] = tuple(math.copysign(x, limit.target) for x in LARGE)
            else:
                near = NEAR if grown is None else (1e-20, 1e-12)
                goes[limit.name] = tuple(limit.target + x for x in near)
        used = [name for name in goes if name in self.uses_limits]
        start = dict(self.problem.given.parameters) | {name: x[0] for name, x in goes.items()}
        # What grows is varied first: a limit that is a number is taken exactly if it can be.
        chosen = [goes[name] for name in sorted(used, key=lambda name: name == grown)]
        names = sorted(used, key=lambda name: name == grown)
        found = [start | dict(zip(names, x, strict=True)) for x in itertools.product(*chosen)]
        return tuple(found[:MOST_STAGES])

    def symbols(self, values: Float64, stage: int = 0) -> dict[str, Value]:
        """Return what formulas may use, for these values (n, d_v)."""
        given = self.problem.given.model_copy(update={"n": len(values)})
        # A parameter such as C may have a number of the answer's own.
        known: dict[str, Value] = {
            name: x for name, x in self.stages[stage].items() if name not in self.own
        }
        known |= {"n": float(len(values)), **value_symbols(given, values)}
        return with_own_names(self.answer, self.own, known)

    @property
    def uses_limits(self) -> tuple[str, ...]:
        """The parameters with a limit that the answer uses."""
        used = {name for formula in self._formulas() for name in formula.names}
        names = (parse_limit(text).name for text in self.problem.given.limits)
        return tuple(name for name in names if name in used)

    @property
    def counts_values(self) -> bool:
        """Whether the answer names values by their number, and so is about one number of keys."""
        used = {name for formula in self._formulas() for name in formula.names}
        return any(name.startswith("v_") and name[2:].isdigit() for name in used)

    def _formulas(self, *names: str) -> list[Formula]:
        found = []
        for name in names or tuple(self.answer.fields):
            field: Any = self.answer.fields.get(name)
            parts = [x for atom in field for x in atom.values()] if _is_atoms(field) else [field]
            found += [part for part in parts if isinstance(part, Formula)]
        return found

    def has_arrays(self, name: str) -> bool:
        """Whether a field holds vectors of numbers."""
        field: Any = self.answer.fields.get(name)
        parts = [atom.get("value") for atom in field] if _is_atoms(field) else [field]
        return any(
            isinstance(part, np.ndarray)
            or (
                isinstance(part, Formula)
                and any(node.op in ("matrix", "column") for node in part.tree)
            )
            for part in parts
        )

    def is_constant(self, name: str) -> bool:
        """Whether a field is made of numbers without names."""
        return not any(formula.names for formula in self._formulas(name))

    def value(self, name: str, values: Float64, stage: int | None = None) -> Any:
        """Return what a field says for these values; InvalidAnswer where it is of no use."""
        if name == "independent":
            return self.answer.need(name)
        if stage is None:
            stage = self._stage(name, values)
        symbols = self.symbols(values, stage)
        if name == "atoms":
            return self._atoms(symbols, values.shape[1])
        field = evaluate(name, self.answer.need(name), symbols)
        if name == "variance":
            return _number(name, field)
        return _vector(name, field, values.shape[1])

    def _stage(self, name: str, values: Float64) -> int:
        """Return the first stage at which a field is finite."""
        if len(self.stages) == 1:
            return 0
        for stage in range(len(self.stages)):
            if _finite(self.value(name, values, stage)):
                return stage
        return 0

    def _atoms(self, symbols: dict[str, Value], width: int) -> Atoms:
        found: Atoms = []
        for place, atom in enumerate(self.answer.fields["atoms"]):
            label = f"atoms[{place}]"
            point = evaluate(f"{label}.value", atom["value"], symbols)
            chance = evaluate(f"{label}.probability", atom["probability"], symbols)
            found.append(
                (
                    _number(f"{label}.probability", chance),
                    _vector(f"{label}.value", point, width),
                )
            )
        return found

    def rounding(self, name: str, values: Float64, stage: int | None = None) -> Any:
        """Return how far each part of a field moves within the digits of its decimals."""
        stage = self._stage(name, values) if stage is None else stage
        plain = self.value(name, values, stage)
        total = _moved(plain, plain)
        for changed in self._rounded[name]:
            total = _plus(total, _moved(changed.value(name, values, stage), plain))
        return total

    @cached_property
    def _rounded(self) -> dict[str, list[Said]]:
        """For each field the same answer with one decimal after the other half a unit larger."""
        fields = self.answer.fields

        def changed(key: str) -> list[Said]:
            return [
                Said(self.problem, Answer({**fields, key: one}), self.own)
                for one in larger(fields[key])
            ]

        shared = [said for key in self.own for said in changed(key)]
        return {key: changed(key) + shared for key in fields if key not in self.own}

    def error(self, name: str, law: Law, values: Float64, independent: bool = True) -> float:
        """Return how far off a field is from a law beyond its digits, for these values."""
        if name == "independent":
            return float(self.value(name, values) != independent)
        return self._error(name, law, values, self._stage(name, values))

    def _error(self, name: str, law: Law, values: Float64, stage: int) -> float:
        found, room = self.value(name, values, stage), self.rounding(name, values, stage)
        size = float(np.max(np.linalg.norm(values - np.mean(values, axis=0), axis=1))) or 1.0
        if name == "atoms":
            right = list(zip(law.chances, law.shares @ values, strict=True))
            return apart(found, right, size, room)
        if name == "mean":
            off = np.abs(found - law.mean @ values) - room
            return float(np.max(np.maximum(off, 0) / size))
        variance = law.variance(values)
        unit = variance if variance > 1e-9 * size**2 else size**2
        return float(np.maximum(abs(found - variance) - room, 0) / unit)

    def falling(self, name: str, law: Law, values: Float64) -> bool:
        """Whether a field that uses what grows comes nearer to the law as far as float64 goes."""
        stage = self._stage(name, values)
        if name == "independent" or stage + 1 >= len(self.stages):
            return False
        later = [self._error(name, law, values, at) for at in (stage, stage + 1)]
        return bool(later[0] < FALLS * later[1])


def _finite(found: Any) -> bool:
    parts = [x for atom in found for x in atom] if isinstance(found, list) else [found]
    return all(bool(np.all(np.isfinite(part))) for part in parts)


def _moved(changed: Any, plain: Any) -> Any:
    """Return by how much each part of a field differs."""
    if isinstance(plain, list):
        return [(abs(c - d), np.abs(x - y)) for (c, x), (d, y) in zip(changed, plain, strict=True)]
    return np.abs(changed - plain)


def _plus(one: Any, two: Any) -> Any:
    if isinstance(one, list):
        return [(c + d, x + y) for (c, x), (d, y) in zip(one, two, strict=True)]
    return one + two


def read(problem: NoiseProblem, answer: Answer) -> Said:
    """Read what an answer says; InvalidAnswer where something is missing."""
    fields = dict(answer.fields)
    for name in problem.goal.find:
        answer.need(name)
    if "independent" in problem.goal.find and not isinstance(fields["independent"], bool):
        raise InvalidAnswer("answer: independent must be true or false.")
    if "atoms" in problem.goal.find:
        fields["atoms"] = _read_atoms(fields["atoms"])
    own = tuple(name for name in fields if name not in problem.goal.find)
    ignored = [name for name in own if name in FIELDS]  # not asked for
    own = tuple(name for name in own if name not in FIELDS)
    kept = {name: field for name, field in fields.items() if name not in ignored}
    return Said(problem, Answer(kept, answer.problem), own)


def _read_atoms(field: Any) -> list[dict[str, Any]]:
    atoms = [field] if isinstance(field, dict) else field
    if not isinstance(atoms, list) or not all(isinstance(atom, dict) for atom in atoms):
        raise InvalidAnswer(
            "answer: atoms must be a list of tables, each with a value and a probability."
        )
    for place, atom in enumerate(atoms):
        for name in ("value", "probability"):
            if name not in atom:
                raise InvalidAnswer(
                    f"answer: atoms[{place}].{name} is missing: write "
                    '{ value = "v_a", probability = "1/2" } for each.'
                )
        extra = sorted(set(atom) - {"value", "probability"})
        if extra:
            raise InvalidAnswer(
                f"answer: atoms[{place}].{extra[0]} is no part of an atom: use value and "
                "probability."
            )
    return atoms


def _is_atoms(field: Any) -> bool:
    return isinstance(field, list) and all(isinstance(atom, dict) for atom in field)


def _number(name: str, found: Any) -> float:
    if isinstance(found, bool | list | dict):
        raise InvalidAnswer(f"answer: {name} must be a formula or a number.")
    array = np.asarray(found, float)
    if array.shape != ():
        square = array.ndim == 2 and array.shape[0] == array.shape[1]
        hint = " Of a covariance, take the trace: tr(…)." if square else ""
        raise InvalidAnswer(
            f"answer: {name} must be a single number. It is {shape_words(array)}.{hint}"
        )
    return float(array)


def _vector(name: str, found: Any, width: int) -> Float64:
    if isinstance(found, bool | list | dict):
        raise InvalidAnswer(f"answer: {name} must be a formula or a list of numbers.")
    array = np.asarray(found, float)
    if array.shape in ((1, width), (width, 1)):
        array = array.reshape(width)
    if array.shape != (width,):
        raise InvalidAnswer(
            f"answer: {name} must be a vector of {width} entries, as long as a value. It is "
            f"{shape_words(array)}."
        )
    return array
