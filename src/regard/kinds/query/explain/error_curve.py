"""What the factor does over random keys: a curve of the error, with the mean weights beside it."""

from __future__ import annotations

import numpy as np

from regard.kinds.query.solve.noise_window import NoiseWindow
from regard.problems.keys import Keys
from regard.report import Plot, Series, Slider
from regard.report.numbers import short
from regard.solving.key_tables import drawn
from regard.solving.sliders import MeanWeights, along

POINTS = 33


def error_curve(given: Keys, found: NoiseWindow) -> Slider | Plot:
    """Return the error and its random part, from 0 to beyond the window of the factor."""
    pattern, tolerance = found.pattern, found.heads.tolerance
    end = max(3 * found.best, 1.5 * min(found.window[1], 10 * found.best), 1.0)
    factors = np.unique(np.append(np.linspace(0, end, POINTS), found.factor))
    x, queries = tuple(factors.tolist()), found.heads.at(factors)
    errors, variances = found.heads.off_and_variance(queries)
    series = (
        Series("error", x, drawn(errors)),
        Series("its random part", x, drawn(np.sqrt(variances))),
    )
    caption = "The error falls with the leak" + " and rises with the noise" * (pattern.m > 1)
    plot = Plot("lines", caption, pattern.factor, "root mean square error", series)
    mean = found.heads.mean_weights(queries)
    weights = MeanWeights.of(given, mean, pattern.wanted, pattern.prefix)
    return along(plot, found.factor, weights, (tolerance, f"{short(tolerance)} allowed"))
