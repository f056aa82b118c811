"""A mean and a variance as a claim states them, compared with what they should be."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from flint import arb, fmpq

from regard.certify.balls import BALLS, Outcome, settle
from regard.certify.certificate import Claim, Unusable
from regard.certify.formulas.evaluation import evaluate, read, scalar
from regard.certify.formulas.functions import in_balls, square
from regard.certify.formulas.number_tables import Table
from regard.certify.formulas.rational_functions import Field, Ratio, has_root
from regard.language import Formula

PROVED = "They are the same rational functions of the symbols."


class Stated:
    """The formulas of a claim and values for their symbols."""

    def __init__(self, claim: Claim, names: list[str]) -> None:
        self.source = json.dumps(_plain(claim.fields), sort_keys=True)
        self.size = claim.stated.part("size")
        self.stated: dict[str, Formula] = {}
        for name in names:
            text = claim.stated.part(name)
            if text is not None:
                self.stated[name] = read(text, name)
        if not {"mean", "variance"} & set(self.stated):
            raise Unusable("a mean or a variance must be stated.")
        if not isinstance(self.size, str):
            raise Unusable("size must be a name.")

    def draw(self, name: str, salt: str, bits: int) -> int:
        """Return a number from 1 to 2^bits that follows from the claim."""
        digest = hashlib.sha256(f"{self.source}|{name}|{salt}".encode()).digest()
        return (int.from_bytes(digest, "big") >> (256 - bits)) + 1

    def agrees(
        self, values: Mapping[str, Table], mean: fmpq, variance: fmpq
    ) -> tuple[bool | None, str]:
        """Are the stated mean and variance, times s and s², these? Squares are compared."""
        below = square(self.stated["divided_by"].tree, values) if "divided_by" in self.stated else 1
        if below == 0:
            raise Unusable("divided_by is 0.")
        for name, truth, power in (("mean", mean, 1), ("variance", variance, 2)):
            if name not in self.stated:
                continue
            if square(self.stated[name].tree, values) * below**power != truth**2:
                return False, f"The {name} is wrong{_where(values)}."
            if truth != 0:
                right = self._positive(name, values, power) == (truth > 0)
                if not right:
                    return False, f"The {name} has the wrong sign{_where(values)}."
        return True, "They agree wherever they were compared, in rationals."

    def proved(self, field: Field, mean: Ratio, variance: Ratio) -> bool:
        """Are the stated formulas, times s and s², these rational functions of the symbols?

        What has roots in it may be right and not be shown so: then this is False.
        """
        below = self.stated.get("divided_by")
        for name, truth, power in (("mean", mean, 1), ("variance", variance, 2)):
            formula = self.stated.get(name)
            if formula is None:
                continue
            found = field.value(formula.tree)
            if below is not None and truth.above != 0:  # 0 divided by anything is 0
                if power == 1 and has_root(below.tree):
                    return False
                times = field.value(below.tree) if power == 1 else field.square(below.tree)
                found = found * times
            if found != truth:
                return False
        return True

    def _positive(self, name: str, values: Mapping[str, Table], power: int) -> bool:
        """Is the stated number, times s, above 0? It is not 0."""
        balls = {
            symbol: Table(value.shape, tuple(arb(x) for x in value.entries))
            for symbol, value in values.items()
        }

        def test() -> Outcome:
            value = _ball(self.stated[name], balls)
            if "divided_by" in self.stated:
                value *= _ball(self.stated["divided_by"], balls) ** power
            truth = True if value > 0 else False if value < 0 else None
            return Outcome(truth, "its sign.")

        outcome = settle(test)
        if outcome.truth is None:
            raise Unusable(f"the sign of the {name} is not known.")
        return outcome.truth


def _ball(formula: Formula, values: Mapping[str, Table]) -> arb:
    return scalar(evaluate(formula.tree, values, BALLS, in_balls), "a formula")


def _plain(value: Any) -> Any:
    return json.loads(json.dumps({**value}, default=str))


def _where(values: Mapping[str, Table]) -> str:
    few = [f"{name} = {value.entries[0]}" for name, value in sorted(values.items())]
    text = ", ".join(few)
    return f" for {text}" if len(text) <= 80 else " for drawn values"
