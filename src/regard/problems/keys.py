"""What problems about a query and its keys have in common."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field, model_validator

from regard.errors import FormulaError
from regard.language import Limit, parse, parse_limit
from regard.problems.fields import (
    Count,
    Formula,
    Integer,
    LimitText,
    Name,
    Ordinary,
    OrdinaryPositive,
    Part,
    Share,
    Weight,
)
from regard.problems.laws import Arbitrary, Fixed, Gaussian, Law, Orthogonal, Orthonormal, Plain
from regard.shapes.extremes import LARGEST, SMALLEST

MOST_NUMBERS = 10_000_000  # in the covariances of all keys together
Weights = Annotated[dict[Name, Weight], Field(min_length=1)]


class Keys(Part):
    """Keys, values and their names.

    Attributes:
        scale: what the scores k·q are multiplied by.
        n: how many keys; may be left out where they are fixed.
        d: how long they are; by default as long as the law needs.
        keys: where they come from.
        values: where the values come from.
        names: names of rows, counted from 0: `a = 0` makes k_a, v_a and mu_a names in formulas.
        parameters: numbers that formulas may use.
        limits: what becomes small or large, such as "alpha -> 0", in this order.
    """

    scale: OrdinaryPositive = 1.0
    n: Annotated[Count, Field(ge=2)]
    d: Count | None = None
    keys: Law
    values: Plain = Arbitrary(law="arbitrary")
    names: dict[Name, Integer] = Field(default={})
    parameters: dict[Name, Ordinary] = Field(default={})
    limits: list[LimitText] = Field(default=[])

    @property
    def key_law(self) -> Plain:
        """Where the keys come from, or their means where they are random."""
        return self.keys.mean if isinstance(self.keys, Gaussian) else self.keys

    @property
    def key_prefix(self) -> str:
        """What formulas call a key, or its mean: k_a or mu_a."""
        return "mu" if isinstance(self.keys, Gaussian) else "k"

    @property
    def values_known(self) -> bool:
        """Whether the law settles all distances between values; else each weight counts."""
        if isinstance(self.values, Orthogonal):
            return self.values.norms is not None
        return not isinstance(self.values, Arbitrary)

    @property
    def read_limits(self) -> list[Limit]:
        """What becomes small or large, in the order given."""
        return [parse_limit(text) for text in self.limits]

    @property
    def covariance_formulas(self) -> dict[str, str]:
        """The formulas of the covariances by the name of the key; "others" have none of their own.

        There are none where keys are not random.
        """
        if not isinstance(self.keys, Gaussian):
            return {}
        named = self.keys.covariance
        return named if isinstance(named, dict) else {"others": named}

    def label(self, row: int) -> str:
        """What the key in a row is called: its name, or its number, counted from 1."""
        return next((name for name, at in self.names.items() if at == row), str(row + 1))

    @model_validator(mode="before")
    @classmethod
    def _n_of_fixed_keys(cls, data: object) -> object:
        if isinstance(data, dict) and "n" not in data:
            keys = data.get("keys")
            rows = keys.get("rows") if isinstance(keys, dict) else keys
            if isinstance(rows, list):
                if len(rows) < 2:
                    raise ValueError(f"keys: must have at least 2 rows, not {len(rows)}")
                return {**data, "n": len(rows)}
        return data

    @model_validator(mode="after")
    def _everything_fits(self) -> Keys:
        for name, row in self.names.items():
            if not 0 <= row < self.n:
                raise ValueError(f"names: {name} = {row} is no row of the {self.n} keys (from 0)")
        if len(set(self.names.values())) < len(self.names):
            raise ValueError("names: two names for one row")
        for what, law in (("keys", self.keys), ("values", self.values)):
            _fits(what, law, self)
        declared = set(self.parameters)
        for limit in self.read_limits:
            if limit.name not in declared:
                raise ValueError(
                    f"limits: {limit.name} is not among the parameters: "
                    "say what it is for the numbers of the instance"
                )
        if isinstance(self.keys, Gaussian):
            _covariances_are_declared(self)
            covariances_fit("random keys", self)
            _covariances_are_proper(self.keys, self)
        return self


def _fits(what: str, law: Law, given: Keys) -> None:
    if isinstance(law, Gaussian):
        _fits(f"{what}: mean", law.mean, given)
        return
    if isinstance(law, Fixed):
        if len(law.rows) != given.n:
            raise ValueError(f"{what}: {len(law.rows)} rows for n = {given.n} keys")
        if what != "values" and given.d is not None and len(law.rows[0]) != given.d:
            raise ValueError(f"{what}: rows of {len(law.rows[0])} numbers for d = {given.d}")
    if isinstance(law, Orthonormal | Orthogonal) and given.d is not None and given.d < given.n:
        raise ValueError(f"{what}: {given.n} vectors at right angles do not fit into d = {given.d}")
    if isinstance(law, Orthogonal) and law.norms is not None and len(law.norms) != given.n:
        raise ValueError(f"{what}: {len(law.norms)} norms for n = {given.n} vectors")


def _covariances_are_declared(given: Keys) -> None:
    shapes: dict[str, tuple[int | str, ...]] = dict.fromkeys(given.parameters, ())
    shapes |= {f"mu_{name}": ("d",) for name in given.names}
    known = set(shapes)
    for key, text in given.covariance_formulas.items():
        if key != "others" and key not in given.names:
            raise ValueError(f"keys: covariance: {key} is not among the names")
        unknown = sorted(parse(text).names - known)
        if unknown:
            raise ValueError(
                f"keys: covariance: {unknown[0]} is not declared. "
                f"Declared are {', '.join(sorted(known)) or 'no names'}"
            )
        try:
            parse(text).shape(shapes, expected=("d", "d"))
        except FormulaError as error:
            raise ValueError(
                f"keys: covariance: must be a matrix as large as a key is long: {error.reason}"
            ) from None


def _covariances_are_proper(law: Gaussian, given: Keys) -> None:
    """Raise ValueError where a formula makes no covariance for the parameters given."""
    from regard.problems.instances import key_instance  # which is about what is read here

    found = key_instance(given).covariances
    assert found is not None
    named = given.names if isinstance(law.covariance, dict) else {}
    rest = [row for row in range(given.n) if row not in named.values()]
    rows = {"others": rest[0]} if rest else {}
    rows |= {name: row for name, row in named.items() if name in law.covariance}
    for name, row in rows.items():
        matrix = found[row]
        which = f"that of {name} " if isinstance(law.covariance, dict) else ""
        room = 1e-9 * float(np.max(np.abs(matrix)))
        if not np.all(np.isfinite(matrix)):
            raise ValueError(f"keys.covariance: {which}must be finite for the parameters given")
        size = float(np.max(np.abs(matrix)))
        if size and not SMALLEST**2 <= size <= LARGEST**2:
            raise ValueError(
                f"keys.covariance: {which}reaches {size:g} for the parameters given: use 0, or a "
                f"size between {SMALLEST**2:g} and {LARGEST**2:g}"
            )
        if np.max(np.abs(matrix - matrix.T)) > room:
            raise ValueError(f"keys.covariance: {which}must be symmetric, as mu_a mu_a' is")
        least = float(np.linalg.eigvalsh(matrix)[0])
        if least < -room:
            raise ValueError(
                f"keys.covariance: {which}must have no variance below 0; along some direction "
                f"it is {least:.6g}"
            )


def covariances_fit(what: str, given: Keys) -> None:
    """Raise ValueError where the covariances of all keys would not fit into memory."""
    law = given.key_law
    d = len(law.rows[0]) if isinstance(law, Fixed) else given.d or given.n
    if given.n * d * d > MOST_NUMBERS:
        raise ValueError(
            f"n: {given.n} keys of length {d} are too many for {what}: n d^2 may be at most "
            f"{MOST_NUMBERS}"
        )


class WeightsGoal(Part):
    """The weights that are wanted, and how near to them the answer has to come.

    Attributes:
        weights: by name, above 0; they sum to 1. Keys that are not named are to have none.
        output: instead, the output that is wanted: an average of the values as a formula, such as
            "(v_a + v_b)/2", or numbers where values are; the weights are then worked out of it.
        tolerance: of the output, ‖c − c*‖, where the values (or all their lengths and angles) are
            given; of each weight where values are arbitrary. With random keys: of the root of the
            mean square of that, √E ‖c − c*‖² or √E (α_i − p_i)² for each weight.
    """

    weights: Weights
    output: Annotated[list[Ordinary], Field(min_length=1)] | Formula | None = None
    tolerance: Share = 1e-3

    @model_validator(mode="after")
    def _sum_to_one(self) -> WeightsGoal:
        total = sum(self.weights.values())
        if abs(total - 1) > 1e-9:
            raise ValueError(f"weights must sum to 1; they sum to {total:.12g}")
        return self


def names_are_declared(where: str, used: set[str], given: Keys) -> None:
    """Raise ValueError where a goal speaks of a name that is not declared."""
    unknown = sorted(used - set(given.names))
    if unknown:
        raise ValueError(
            f"{where}: {unknown[0]} is not among given.names "
            f"({', '.join(given.names) or 'which is empty'})"
        )
