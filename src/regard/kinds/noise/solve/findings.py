"""What is found about an output over random keys: its law in the limit, or mean and variance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from regard.kinds.noise.instance import Setting
from regard.kinds.noise.instance.formulas import average
from regard.kinds.noise.solve.hardmax_limit import LimitLaw
from regard.solving.finding import Finding

FIELDS = ("atoms", "mean", "variance", "independent")


@dataclass(frozen=True, eq=False, kw_only=True)
class OutputFound(Finding):
    """The output: mean and variance as formulas, in the limit or at the size that is given.

    Attributes:
        setting: the problem in arrays.
        mean: as a formula of the language.
        variance: as a formula of the language.
    """

    setting: Setting
    mean: str
    variance: str

    @property
    def independent(self) -> bool:
        """Whether the heads share no noise."""
        return not np.any(self.setting.shared_noise(self.setting.queries()))

    @property
    def atoms(self) -> list[dict[str, str]]:
        """The values that the output comes near to, as an answer has them."""
        return []

    @property
    def fields(self) -> dict[str, Any]:
        """All that may be asked for, as an answer has it."""
        return {name: getattr(self, name) for name in FIELDS}


class FiniteFound(OutputFound):
    """An output without atoms, or of which the limit is not known: at the size that is given."""


@dataclass(frozen=True, eq=False, kw_only=True)
class LimitFound(OutputFound):
    """An output with finitely many values in the limit.

    Attributes:
        law: with cases left out if the problem says so.
        whole: the same with nothing left out.
        general: whether the formulas hold for other instances of the same laws.
        one_instance: whether the variance is a number, for the values of the instance.
    """

    law: LimitLaw
    whole: LimitLaw
    general: bool
    one_instance: bool

    @property
    def atoms(self) -> list[dict[str, str]]:
        """The values that the output comes near to, as an answer has them."""
        names = self.setting.given.names
        return [
            {"value": average(shares, names).formula, "probability": chance.formula}
            for chance, shares in self.law.atoms
        ]
