"""The fields of an answer about the law of an output: read, evaluated, and compared with a law."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.checking.answers import Answer, Value, evaluate
from regard.checking.matrices import shape_words, with_own_names
from regard.checking.noise.law import Law
from regard.errors import InvalidAnswer
from regard.language import Formula, parse_limit
from regard.problems.kinds.noise import NoiseProblem, value_symbols

Float64 = NDArray[np.float64]
Atoms = list[tuple[float, Float64]]

FIELDS = ("atoms", "mean", "variance", "independent")
EXACT = 1e-6
ROUNDED = {"atoms": 5e-3, "mean": 5e-3, "variance": 1e-2, "independent": 0.0}  # of decimals
LARGE = 300.0  # what grows without bound, in answers that use it: exp(2 C) is still finite


@dataclass(frozen=True, eq=False)
class Said:
    """What an answer says.

    Attributes:
        problem: what is asked.
        answer: what was answered.
        own: the names that it declares beside the fields asked for.
        numbers: the parameters, near their limits where they have some.
    """

    problem: NoiseProblem
    answer: Answer
    own: tuple[str, ...]
    numbers: Mapping[str, float]

    def symbols(self, values: Float64) -> dict[str, Value]:
        """Return what formulas may use, for these values (n, d_v)."""
        given = self.problem.given.model_copy(update={"n": len(values)})
        # A parameter such as C may have a number of the answer's own.
        known: dict[str, Value] = {
            name: x for name, x in self.numbers.items() if name not in self.own
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
        """Whether a field is a number without names."""
        field = self.answer.fields.get(name)
        return not isinstance(field, Formula) or not field.names

    def tolerance(self, name: str) -> float:
        """How far off a field may be: more where it has decimals, which people round."""
        field = self.answer.fields.get(name)
        parts = list(field) if isinstance(field, list) else [field]
        numbers = [x for part in parts if isinstance(part, dict) for x in part.values()] or parts
        literals = [x for x in numbers if isinstance(x, float)]
        for formula in self._formulas(name, *self.own):
            literals += [float(node.value) for node in formula.tree if node.op == "number"]
        decimals = any(math.isfinite(x) and (64 * x) % 1 for x in literals)
        return ROUNDED[name] if decimals or self.has_arrays(name) else EXACT

    def value(self, name: str, values: Float64) -> Any:
        """Return what a field says for these values; InvalidAnswer where it is of no use."""
        if name == "independent":
            return self.answer.need(name)
        symbols = self.symbols(values)
        if name == "atoms":
            return self._atoms(symbols, values.shape[1])
        field = evaluate(name, self.answer.need(name), symbols)
        if name == "variance":
            return _number(name, field)
        return _vector(name, field, values.shape[1])

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

    def error(self, name: str, law: Law, values: Float64, independent: bool = True) -> float:
        """Return how far off a field is from a law, for these values."""
        found = self.value(name, values)
        if name == "independent":
            return float(found != independent)
        size = float(np.max(np.linalg.norm(values - np.mean(values, axis=0), axis=1))) or 1.0
        if name == "atoms":
            return apart(found, list(zip(law.chances, law.shares @ values, strict=True)), size)
        if name == "mean":
            return float(np.linalg.norm(found - law.mean @ values) / size)
        right = law.variance(values)
        return abs(found - right) / (right if right > 1e-9 * size**2 else size**2)


def apart(one: Atoms, two: Atoms, size: float) -> float:
    """Return how often outputs of the two laws differ at the least; NaN if one is not finite."""
    signed = [(chance, point, 1.0) for chance, point in one]
    signed += [(chance, point, -1.0) for chance, point in two]
    if not all(math.isfinite(c) and np.all(np.isfinite(x)) for c, x, _ in signed):
        return math.nan
    groups: list[tuple[Float64, float]] = []
    for chance, point, sign in signed:
        for place, (other, total) in enumerate(groups):
            if np.linalg.norm(other - point) <= 1e-3 * size:
                groups[place] = (other, total + sign * chance)
                break
        else:
            groups.append((point, sign * chance))
    missing = abs(1 - sum(chance for chance, _ in one)) if one else 0.0
    negative = sum(max(0.0, -chance) for chance, _ in one)
    return 0.5 * sum(abs(total) for _, total in groups) + 0.5 * missing + negative


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
    numbers = dict(problem.given.parameters)
    for limit in map(parse_limit, problem.given.limits):
        far = math.copysign(LARGE, limit.target)
        numbers[limit.name] = far if math.isinf(limit.target) else limit.target
    return Said(problem, Answer(kept, answer.problem), own, numbers)


def _read_atoms(field: Any) -> list[dict[str, Any]]:
    atoms = [field] if isinstance(field, dict) else field
    if not isinstance(atoms, list) or not all(isinstance(atom, dict) for atom in atoms):
        raise InvalidAnswer(
            "answer: atoms must be a list of tables, each with a value and a probability."
        )
    for place, atom in enumerate(atoms):
        for name in ("value", "probability"):
            if name not in atom:
                raise InvalidAnswer(f"answer: atoms[{place}].{name} is missing.")
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
        raise InvalidAnswer(f"answer: {name} must be a single number. It is {shape_words(array)}.")
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
