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

from regard.checking.answers import Answer, Value, evaluate
from regard.checking.attempt import Attempt
from regard.checking.factors.open_factor import in_balls, rungs
from regard.checking.matrices import as_vector, shape_words, with_own_names
from regard.checking.numbers.digits import larger
from regard.errors import InvalidAnswer
from regard.kinds.noise.reading.output_law import Law, apart
from regard.kinds.noise.spec import NoiseProblem, value_symbols
from regard.language import Formula
from regard.problems.instances import Float64

FIELDS = ("atoms", "mean", "variance", "independent")
# What stands for a number that grows without bound, or is that near to its limit: the first with
# which an answer is finite.
LARGE = (1e300, 1e150, 1e60, 1e30, 1e16, 1e10, 1e8, 1e6, 1e5, 1e4, 1e3, 700.0, 300.0, 100.0)
MOST_STAGES = 80
NEAR = (0.0, 1e-200, 1e-100, 1e-30, 1e-16)
FALLS = 0.99  # an error that falls by more from one such number to the next is not at its end


@dataclass(frozen=True, eq=False)
class Said(Attempt[NoiseProblem]):
    """What an answer says.

    Attributes:
        own: the names that it declares beside the fields asked for.
    """

    own: tuple[str, ...]

    @cached_property
    def stages(self) -> tuple[dict[str, float], ...]:
        """The parameters at their limits or near them, the nearest first.

        Limits are taken in their order: a parameter that goes to a number after another has grown
        is not there yet.
        """
        grown: str | None = None
        goes: dict[str, tuple[float, ...]] = {}
        for limit in self.problem.given.read_limits:
            if math.isinf(limit.target):
                grown = limit.name
                goes[limit.name] = tuple(in_balls(math.copysign(x, limit.target)) for x in LARGE)
                if limit.target > 0:  # log(log(C)) grows as well
                    goes[limit.name] = (rungs()[-1][1], *goes[limit.name])
            else:
                near = NEAR if grown is None else (1e-20, 1e-12)
                goes[limit.name] = tuple(limit.target + x for x in near)
        start = dict(self.problem.given.parameters) | {name: x[0] for name, x in goes.items()}
        # What grows is varied first: a limit that is a number is taken exactly if it can be.
        names = sorted((n for n in goes if n in self.uses_limits), key=lambda name: name == grown)
        chosen = itertools.product(*(goes[name] for name in names))
        found = [start | dict(zip(names, x, strict=True)) for x in chosen]
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

    def _parts(self, name: str) -> list[Any]:
        """Return the formulas and numbers that a field is made of."""
        field: Any = self.answer.fields.get(name)
        if isinstance(field, list) and all(isinstance(atom, dict) for atom in field):
            return [part for atom in field for part in atom.values()]
        return [field]

    def names(self, *fields: str) -> set[str]:
        """Return the names that some fields use; without any, those that all use."""
        parts = [x for field in fields or self.answer.fields for x in self._parts(field)]
        return {name for x in parts if isinstance(x, Formula) for name in x.names}

    @property
    def uses_limits(self) -> tuple[str, ...]:
        """The parameters with a limit that the answer uses."""
        used = self.names()
        return tuple(x.name for x in self.problem.given.read_limits if x.name in used)

    @property
    def counts_values(self) -> bool:
        """Whether the answer names values by their number, and so is about one number of keys."""
        return bool(self.names() & {f"v_{row + 1}" for row in range(self.problem.given.n)})

    def has_arrays(self, name: str) -> bool:
        """Whether a field holds vectors of numbers."""
        return any(
            isinstance(x, np.ndarray)
            or (isinstance(x, Formula) and any(n.op in ("matrix", "column") for n in x.tree))
            for x in self._parts(name)
        )

    def value(self, name: str, values: Float64, stage: int | None = None) -> Any:
        """Return what a field says for these values; InvalidAnswer where it is of no use.

        Atoms are rows of an array: the probability, then the value.
        """
        if name == "independent":
            return self.answer.need(name)
        if stage is None:
            stage = self._stage(name, values)
        symbols, width = self.symbols(values, stage), values.shape[1]
        if name == "atoms":
            rows = [
                [
                    _number(f"atoms[{place}].probability", atom["probability"], symbols),
                    *_vector(f"atoms[{place}].value", atom["value"], symbols, width),
                ]
                for place, atom in enumerate(self.answer.fields["atoms"])
            ]
            return np.array(rows).reshape(-1, 1 + width)
        field = self.answer.need(name)
        if name == "variance":
            return _number(name, field, symbols)
        return _vector(name, field, symbols, width)

    def _stage(self, name: str, values: Float64) -> int:
        """Return the first stage at which a field is finite."""
        if len(self.stages) == 1:
            return 0
        stages = range(len(self.stages))
        finite = (at for at in stages if np.all(np.isfinite(self.value(name, values, at))))
        return next(finite, 0)

    def rounding(self, name: str, values: Float64, stage: int | None = None) -> Any:
        """Return how far each part of a field moves within the digits of its decimals."""
        stage = self._stage(name, values) if stage is None else stage
        plain = self.value(name, values, stage)
        moved = [np.abs(c.value(name, values, stage) - plain) for c in self._rounded[name]]
        return sum(moved, 0 * plain)

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
            return apart(found, law.atoms(values), size, room)
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


def read(problem: NoiseProblem, answer: Answer) -> Said:
    """Read what an answer says; InvalidAnswer where something is missing."""
    fields, wanted = dict(answer.fields), problem.goal.find
    for name in wanted:
        answer.need(name)
    if "independent" in wanted and not isinstance(fields["independent"], bool):
        raise InvalidAnswer("answer: independent must be true or false.")
    if "atoms" in wanted:
        fields["atoms"] = _read_atoms(fields["atoms"])
    kept = {name: x for name, x in fields.items() if name in wanted or name not in FIELDS}
    own = tuple(name for name in kept if name not in wanted)
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


def _array(name: str, said: Any, symbols: dict[str, Value], kind: str) -> Float64:
    found = evaluate(name, said, symbols)
    if isinstance(found, bool | list | dict):
        raise InvalidAnswer(f"answer: {name} must be a formula or a {kind}.")
    return np.asarray(found, float)


def _number(name: str, said: Any, symbols: dict[str, Value]) -> float:
    array = _array(name, said, symbols, "number")
    if array.shape != ():
        square = array.ndim == 2 and array.shape[0] == array.shape[1]
        hint = " Of a covariance, take the trace: tr(…)." if square else ""
        raise InvalidAnswer(
            f"answer: {name} must be a single number. It is {shape_words(array)}.{hint}"
        )
    return float(array)


def _vector(name: str, said: Any, symbols: dict[str, Value], width: int) -> Float64:
    return as_vector(name, _array(name, said, symbols, "list of numbers"), width, "a value")
