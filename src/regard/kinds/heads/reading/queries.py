"""The queries that an answer gives, read once and evaluated on instances.

An answer may leave a factor C open, which is judged for every C that is large enough; it may say
how large with a number or a formula (`C = 20`, `C = "log(1000 n)"`) or with bounds (`"C >= 10"`),
and then every C within them has to do. The factor may have another name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from regard.checking.answers import Answer, Value, evaluate, without_name
from regard.checking.factors.factor_bounds import Bounds, read_bounds
from regard.checking.factors.open_factor import FACTOR, largest, lower
from regard.checking.sampling import Trial
from regard.errors import InvalidAnswer
from regard.kinds.heads.instance import has_noise
from regard.kinds.heads.reading.goal import WIDEST, Goal
from regard.kinds.heads.spec import WeightsProblem
from regard.language import Formula, Limit
from regard.language.formula.vocabulary import GREEK_WORDS
from regard.problems.instances import Float64, KeyInstance

OPEN = 4  # so many of the largest factors that float64 resolves stand for all larger ones
RESOLVED = 1e10  # below this rounding of scores does not show in weights, whatever ties
_ROW = re.compile(r"(k|mu|v)_([1-9][0-9]{0,3})")
# A name that nobody declared may be a factor if it is no vector's letter and no unit or index.
_FACTOR_LETTER = re.compile(r"[A-Za-z](_0)?")
_NO_FACTORS = frozenset("eijkqvIKMQV")


@dataclass(frozen=True, eq=False)
class Candidate(Goal):
    """The queries that an answer gives to a problem.

    Attributes:
        queries: formulas or arrays, one per head.
        own: what else the answer names, in its order: formulas, numbers and arrays.
        free: whether the answer leaves the factor open.
        bounds: what it says about the factor, if that is an inequality.
        factor: the name of the factor.
        factors: what an open factor is tried with; () where it is not open.
        most: of each head, where one grows much later than another; () where none does.
    """

    queries: tuple[Formula | Float64, ...]
    own: Mapping[str, Any]
    free: bool = False
    bounds: Bounds | None = None
    factor: str = FACTOR
    factors: tuple[float, ...] = ()
    most: tuple[float, ...] = ()

    @property
    def names(self) -> frozenset[str]:
        """The names that the queries use, also by way of the answer's own ones."""
        used: set[str] = set()
        new = [query for query in self.queries if isinstance(query, Formula)]
        while new:
            names = {name for formula in new for name in formula.names} - used
            used |= names
            new = [self.own[name] for name in names if isinstance(self.own.get(name), Formula)]
        return frozenset(used)

    @property
    def counts_rows(self) -> bool:
        """Whether the queries name rows by their numbers, as k_3 does."""
        return any(_ROW.fullmatch(name) for name in self.names)

    def tried(self, instance: KeyInstance, *, fine: bool = False) -> tuple[float, ...]:
        """Return the factors to try on an instance.

        Args:
            instance: keys and values.
            fine: whether a range of factors is to be tried at many places.
        """
        if self.bounds is None:
            return self.factors or (1.0,)
        symbols = self.symbols(instance)
        found = self.bounds.factors(lambda name, field: evaluate(name, field, symbols), fine=fine)
        if self.bounds.high or len(found) == 1:
            return found
        # Without an upper bound: as far as float64 resolves scores.
        with np.errstate(all="ignore"):
            scores = self.scores(instance, self.evaluate(instance, found))
            seen = np.max(np.abs(scores), axis=(1, 2)) <= RESOLVED
        return found[: max(1, len(found) if np.all(seen) else int(np.argmin(seen)))]

    def symbols(self, instance: KeyInstance, factor: float = 1.0) -> dict[str, Value]:
        """Return what the names in the answer stand for."""
        given, used = self.problem.given, self.names
        symbols: dict[str, Value] = {"d": float(instance.keys.shape[1]), "epsilon": self.tolerance}
        for name in used:
            row = _ROW.fullmatch(name)
            if row and int(row[2]) <= len(instance.keys):
                is_key = row[1] == given.key_prefix
                if is_key or row[1] == "v":
                    rows = instance.keys if is_key else instance.values
                    symbols[name] = rows[int(row[2]) - 1]
        # A parameter that goes to 0 has left the noise, and is itself still small.
        symbols |= instance.symbols | self.problem.given.parameters
        if self.free or self.bounds is not None:
            symbols[self.factor] = factor
        for name, own in self.own.items():
            found = evaluate(name, own, symbols)
            if isinstance(found, bool):
                raise InvalidAnswer(f"answer: {name} must be a formula or numbers.")
            symbols[name] = found
        return symbols

    def evaluate(self, instance: KeyInstance, factors: Sequence[float] = (1.0,)) -> Float64:
        """Return the queries (factors, heads, d) on an instance; InvalidAnswer if they are none."""
        return np.array([self._rows(instance, factor) for factor in factors])

    def errors_at(self, instance: KeyInstance, factors: Sequence[float]) -> Float64:
        """Return the errors at these factors."""
        return self.errors(instance, self.evaluate(instance, factors))

    def last(self, instance: KeyInstance) -> Float64:
        """Return the queries (heads, d) with the last of the factors to try, the largest."""
        return np.asarray(self.evaluate(instance, self.tried(instance)[-1:])[0])

    def fits(self, instance: KeyInstance) -> bool:
        """Whether it can be tried: [1, 1, 0, 0] is about four dimensions or keys only."""
        try:
            self.evaluate(instance, self.tried(instance)[:1])
        except InvalidAnswer:
            return False
        return True

    def largest_error(self, instance: KeyInstance, *, fine: bool = False) -> float:
        """Return the largest error over the factors that it speaks of; NaN before all others."""
        try:
            factors = self.tried(instance, fine=fine and not has_noise(instance))
            errors = self.errors_at(instance, factors)
        except InvalidAnswer:  # it fits the numbers of the problem, and not those of this instance
            return float("nan")
        if self.bounds is None:
            return float(np.max(errors))
        for _ in range(2):  # a range of factors: also between those that were tried
            if not np.all(np.isfinite(errors)) or len(factors) < 3:
                break
            top = int(np.argmax(errors))
            low, high = factors[max(top - 1, 0)], factors[min(top + 1, len(factors) - 1)]
            finer = tuple(np.linspace(low, high, 7 if has_noise(instance) else 13).tolist())
            found = self.errors_at(instance, finer)
            if np.all(found <= np.max(errors) * (1 + 1e-9)):
                break
            factors, errors = finer, found
        return float(np.max(errors))

    def trial(
        self, instance: KeyInstance, seed: int | None = None, *, fine: bool = False
    ) -> Trial[KeyInstance]:
        """Return what comes of it on an instance."""
        return Trial(instance, self.largest_error(instance, fine=fine), self.tolerance, seed)

    def score_size(
        self, instance: KeyInstance, *, of_terms: bool, heads: slice | None = None
    ) -> Callable[[float], float]:
        """Return the largest size of a score at a factor, as a function that remembers.

        Of the sums of the sizes of the terms, or of the scores themselves; infinite where a query
        is not finite, or noise makes scores so wide that nothing can be told of them.
        """
        noisy, known = has_noise(instance), dict[float, float]()
        keys = np.abs(instance.keys.T)

        def found(factor: float) -> float:
            queries = self.evaluate(instance, (factor,))[0, heads or slice(None)]
            if not np.all(np.isfinite(queries)):
                return np.inf
            with np.errstate(all="ignore"):
                terms = self.problem.given.scale * (np.abs(queries) @ keys)
                scores = terms if of_terms else np.abs(self.scores(instance, queries))
                wide = noisy and not self.score_width(instance, queries) <= WIDEST
            size = float(np.max(scores))
            return np.inf if wide or np.isnan(size) else size

        def remembered(factor: float) -> float:
            if factor not in known:
                known[factor] = found(factor)
            return known[factor]

        return remembered

    def open_factors(
        self,
        instance: KeyInstance,
        most: float = RESOLVED,
        size: Callable[[float], float] | None = None,
    ) -> list[float]:
        """Return the largest factors with which float64 can tell scores apart, from the smallest.

        Up to RESOLVED it is not the scores that count but the sums of the sizes of their terms,
        which is what rounding is a share of: a score may be a small difference of these. These
        sizes may be known already.
        """
        if size is None or most > RESOLVED:
            size = self.score_size(instance, of_terms=most <= RESOLVED)
        return list(largest(size, most, OPEN))

    def _rows(self, instance: KeyInstance, factor: float) -> Float64:
        symbols = self.symbols(instance, factor)
        rows, width = [], instance.keys.shape[1]
        most = self.most or (None,) * len(self.queries)
        for label, query, end in zip(self.problem.query_names, self.queries, most, strict=True):
            if end is not None:
                symbols = self.symbols(instance, lower(factor, end))
            found = evaluate(label, query, symbols)
            row = np.asarray(found, float)
            row = row[0] if row.shape == (1, width) else row  # which does what its column does
            if row.shape != (width,) or isinstance(found, bool):
                what = "a single number" if row.shape == () else f"of shape {row.shape}"
                what = "true or false" if isinstance(found, bool) else what
                if row.shape == () and row == 0 and not isinstance(found, bool):
                    what += f"; if the vector of zeros is meant, write zeros({width})"
                need = f"a vector of {width} entries, as long as a key"
                raise InvalidAnswer(f"answer: {label} must be {need}. It is {what}.")
            rows.append(row)
        return np.array(rows)


def read_queries(problem: WeightsProblem, answer: Answer) -> Candidate:
    """Return the queries of an answer; InvalidAnswer where some are missing."""
    names = problem.query_names
    queries = tuple(_query(name, answer.need(name)) for name in names)
    beside = ((name, said) for name, said in answer.fields.items() if name not in names)
    own = {name: without_name(name, said) for name, said in beside}
    meaning = {"K", "M", "n", *problem.given.parameters}
    meaning |= {f"{kind}_{name}" for kind in ("k", "mu", "v") for name in problem.given.names}
    for name, value in own.items():
        if name in meaning:
            raise InvalidAnswer(f"answer: {name} has a meaning in the problem: use another name.")
        if not isinstance(value, Formula | Limit | np.ndarray | float):
            raise InvalidAnswer(f"answer: {name} must be a formula or numbers.")
    candidate = Candidate(problem, queries, own)
    factor = _factor_name(candidate)
    said = own.get(factor)
    bounds, is_open = None, factor not in own and factor not in problem.given.parameters
    if isinstance(said, Formula) and said.is_condition:
        bounds = read_bounds(factor, said)
    if isinstance(said, Formula) and all(node.op in ("name", "*") for node in said.tree):
        known = {"n", "d", "epsilon", *problem.given.parameters, *own}
        if not said.names & known:  # C = "large", or "very large"
            raise InvalidAnswer(
                f"answer: {factor} must be a number, a formula, or bounds such as {factor} >= 10. "
                "Left out, it is as large as needed."
            )
    if isinstance(said, Limit):
        if said.name != factor or said.target != np.inf:
            raise InvalidAnswer(
                f"answer: {factor} must be a number, a formula, or bounds such as {factor} >= 10; "
                f"or it may grow: {factor} -> inf."
            )
        is_open = True
    if bounds is not None or isinstance(said, Limit):
        own = {name: value for name, value in own.items() if name != factor}
    candidate = replace(candidate, own=own, bounds=bounds, factor=factor)
    return replace(candidate, free=is_open and factor in candidate.names)


def _factor_name(candidate: Candidate) -> str:
    """Return what the factor is called: C, or the only other name that can be one."""
    given, own = candidate.problem.given, candidate.own
    known = {"n", "d", "epsilon", "K", "M", *given.parameters}
    known |= {f"{kind}_{name}" for kind in (given.key_prefix, "v") for name in given.names}
    said = {
        name
        for name, field in own.items()
        if isinstance(field, Limit) or (isinstance(field, Formula) and field.is_condition)
    }
    unknown = {
        name for name in candidate.names - known - (set(own) - said) if not _ROW.fullmatch(name)
    }
    if FACTOR in unknown | said or len(unknown | said) != 1:
        return FACTOR
    name = next(iter(unknown | said))
    letters = _FACTOR_LETTER.fullmatch(name) and name[0] not in _NO_FACTORS
    return name if name in said or letters or name in GREEK_WORDS - {"mu"} else FACTOR


def _query(name: str, said: Any) -> Formula | Float64:
    """Return a query; `q = C k_a`, with the name before it, is C k_a."""
    if isinstance(said, float):
        return np.array([said])
    if isinstance(said, Formula) and said.relations == ("=",) and str(said.sides[0]) == name:
        return said.sides[1]
    if isinstance(said, list) and all(isinstance(one, float | Formula) for one in said):
        entries = [evaluate(f"{name}[{i}]", one, {}) for i, one in enumerate(said)]  # ["log(3)", 0]
        if all(np.ndim(one) == 0 for one in entries):
            return np.array(entries, float)
    if not isinstance(said, Formula | np.ndarray):
        raise InvalidAnswer(f"answer: {name} must be a formula or a list of numbers.")
    return said
