"""What `design.robust` returns."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from regard.analysis import OutputLaw
from regard.certify import Certificate
from regard.design.linear_scores.family import Array
from regard.language.bounds import lower_bound
from regard.report import Facts, Report, Table, number, vector
from regard.report.reported import Reported

__all__ = ["RobustDesign"]

MOST_ROWS = 6


@dataclass(frozen=True, eq=False, repr=False)
class RobustDesign(Reported):
    """Queries that survive noise in the keys, and what is proved of them.

    Attributes:
        queries: (heads, d), a query per head that is used.
        head_weights: (heads,), what each head counts in the output.
        allocation: per head, the keys that it serves.
        law: the law of the output; of the weights, if no values were given.
        certificate: the claims, with witnesses.
        gap: the least mean score difference between a head's targets and every other key that is
            proved; inf if no head has other keys.
        robust_gap: the same less the deviations that were asked for; None unless the objective is
            "quantile".
        failure: (heads,), per head a bound on the probability that another key scores higher than
            one of its targets.
        rmse: √E ‖c − c*‖², by the law.
        objective: "variance", "quantile" or "failure".
        scale: what scores are multiplied by.
        allocated: how the targets were shared among the heads, in words.
    """

    queries: Array
    head_weights: Array
    allocation: tuple[tuple[int, ...], ...]
    law: OutputLaw
    certificate: Certificate
    gap: float
    robust_gap: float | None
    failure: Array
    rmse: float
    objective: str
    scale: float
    allocated: str

    def report(self) -> Report:
        """The design as a report: the heads, what they are proved to do, the law."""
        facts = [
            ("objective", self.objective),
            (
                "gap",
                "no other keys" if math.isinf(self.gap) else f"at least {lower_bound(self.gap)}",
            ),
        ]
        if self.robust_gap is not None and math.isfinite(self.robust_gap):
            facts.append(("gap less deviations", f"at least {lower_bound(self.robust_gap)}"))
        facts += [
            ("scale", number(self.scale)),
            ("root mean square error", f"{number(self.rmse)} ({self.law.method})"),
            ("allocation", self.allocated),
            ("claims", str(len(self.certificate.claims))),
        ]
        rows = tuple(
            (
                ", ".join(str(key) for key in self.allocation[h]),
                number(float(self.head_weights[h])),
                vector(self.queries[h]),
                number(float(np.linalg.norm(self.queries[h]))),
                f"≤ {number(float(self.failure[h]))}",
            )
            for h in range(min(len(self.queries), MOST_ROWS))
        )
        left = len(self.queries) - len(rows)
        columns = ("keys", "weight", "query", "length", "failure")
        table = Table(columns, rows, "heads" + (f"; {left} more" if left else ""))
        count, n = len(self.queries), self.law.scores.keys
        title = f"{count} robust head{'s' * (count > 1)} over {n} key{'s' * (n > 1)}"
        return Report(title, (Facts(tuple(facts)), table))

    def plot(self) -> Any:
        """Draw the law of the output; return the Matplotlib figure."""
        return self.law.plot()
