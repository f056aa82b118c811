"""What a comparison of designs under random keys found, and how it is shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from regard.analysis.noise.output_law import OutputLaw
from regard.report import Report, Table, Text, number
from regard.report.reported import Reported

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["DesignStability", "Stability"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class DesignStability:
    """What random keys do to one design.

    Attributes:
        name: what the design was called.
        law: the law of its output c.
        head_weights: (heads,), which the heads' outputs are added with.
        mean_error: ‖E c − c*‖.
        variance: trace of the covariance, E ‖c − E c‖².
        rmse: root of E ‖c − c*‖² = mean_error² + variance.
        failure: P(‖c − c*‖ > tolerance).
        failure_error: how far off that is at most: rounding for closed forms, else with
            probability 0.99.
        failure_method: "closed form", "atoms" (of a limit) or "qmc".
        main: (heads,), for every head the key of the target with its largest mean weight.
        correlation: (heads, heads), of the heads' weights on these keys; 0 where a weight does
            not vary.
        independent: (heads, heads), whether two heads are independent: q_g·Σ_i q_h = 0 for all i.
    """

    name: str
    law: OutputLaw
    head_weights: Array
    mean_error: float
    variance: float
    rmse: float
    failure: float
    failure_error: float
    failure_method: str
    main: NDArray[np.intp]
    correlation: Array
    independent: NDArray[np.bool_]

    @property
    def all_independent(self) -> bool:
        """Whether every head is independent of every other."""
        return bool(np.all(self.independent | np.eye(len(self.main), dtype=bool)))

    def __str__(self) -> str:
        return (
            f"{self.name}: RMSE {number(self.rmse)}, mean error {number(self.mean_error)}, "
            f"failure {number(self.failure)}"
        )

    __repr__ = __str__


@dataclass(frozen=True, eq=False, repr=False)
class Stability(Reported):
    """Designs compared on the same random keys.

    Attributes:
        designs: one entry per design, in the order they were given; also by name, `[name]`.
        target: (n,), the wanted weights.
        output: (d_v,), the wanted output c* = target @ values.
        tolerance: an output further than this from c* is a failure.
    """

    designs: tuple[DesignStability, ...]
    target: Array
    output: Array
    tolerance: float

    def __getitem__(self, name: str) -> DesignStability:
        for design in self.designs:
            if design.name == name:
                return design
        known = ", ".join(repr(design.name) for design in self.designs)
        raise KeyError(f"no design {name!r}; there are {known}")

    @property
    def best(self) -> DesignStability:
        """The design with the smallest root mean square error."""
        return min(self.designs, key=lambda design: design.rmse)

    def plot(self) -> Figure:
        """Draw the cloud of outputs and the law of the weights of every design."""
        from regard.analysis.noise.plots import plot_stability

        return plot_stability(self)

    def report(self) -> Report:
        """The comparison as a report."""
        columns = ("design", "heads", "mean error", "variance", "RMSE", "failure", "correlation")
        table = Table(columns, tuple(_row(design) for design in self.designs))
        words = (
            f"Failure: the probability of an output further than {number(self.tolerance)} from "
            f"the target. Correlation: the largest between two heads' weights on their main "
            f"targets."
        )
        ways = {design.law.method for design in self.designs}
        how = [f"Moments: {' and '.join(sorted(ways))}."]
        sampled = [d.failure_error for d in self.designs if d.failure_method == "qmc"]
        if sampled:
            how.append(
                f"Failures marked ≈ are sampled: off by at most {max(sampled):.1g} with "
                f"probability 0.99."
            )
        blocks = (table, Text(words), Text(" ".join(how)))
        return Report("Stability under key noise", blocks)


def _row(design: DesignStability) -> tuple[str, ...]:
    heads = len(design.main)
    related = "–"
    if heads > 1:
        apart = design.correlation[~np.eye(heads, dtype=bool)]
        worst = float(apart[np.argmax(np.abs(apart))])
        related = "independent" if design.all_independent else number(worst, 3)
    failure = number(design.failure, 3)
    if design.failure_method == "qmc":
        unseen = design.failure == 0
        failure = f"< {design.failure_error:.1g}" if unseen else f"≈ {failure}"
    # What is below the error of the law is as good as 0.
    sizes = [design.mean_error, design.variance, design.rmse]
    known = [number(size if size > design.law.error else 0.0, 3) for size in sizes]
    return (design.name, str(heads), *known, failure, related)
