"""Tables and plots of several heads."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from regard.kinds.heads.explain.general_facts import allocations, hardmax_limit, null_steering
from regard.kinds.heads.explain.proved_bounds import proved_in_words, tolerance_in_words
from regard.kinds.heads.solve.head_queries import HeadQueries
from regard.kinds.heads.spec import HeadsProblem
from regard.problems.instances import Float64
from regard.report import Block, Facts, Plot, Series, Slider, Table, number, vector
from regard.report.numbers import short
from regard.solving.general_remarks import GENERAL_REMARKS
from regard.solving.key_tables import (
    KNOWN,
    below,
    drawn,
    error_in_digits,
    key_name,
    listing,
    symbol,
    weights_plot,
    weights_table,
)
from regard.solving.sliders import MeanWeights, along

POINTS = 31
ROUNDING = 1e-12  # of weights


def details(problem: HeadsProblem, found: HeadQueries) -> Iterator[Block]:
    """Yield the numbers of the instance: facts, heads, average weights, and one head instead."""
    given, heads, keys = problem.given, found.heads, found.heads.keys
    pattern, weights = found.pattern, found.weights
    yield Facts(tuple(_facts(problem, found)))
    rows = tuple(
        (
            str(h + 1),
            listing([_symbol(problem, row, own.prefix) for row in own.rows]),
            vector(found.queries[h]),
            *map(number, found.head(h)),
        )
        for h, own in enumerate(heads.patterns[:8])
    )
    yield Table(("head", "wants", "query", "gap", "error at most"), rows, "heads")
    caption = "average weights" + ", keys at their means" * keys.random
    yield weights_table(given, pattern.wanted, weights, pattern.prefix, caption)
    if found.factor is None:
        title = "Average weights of all heads"
        yield weights_plot(given, pattern.wanted, weights, title, pattern.prefix)
    else:
        yield from _against_one(problem, found, found.factor)
    if keys.random and pattern.structure == "orthonormal":
        yield from (*GENERAL_REMARKS, _limits(found), *allocations(), null_steering())


def _symbol(problem: HeadsProblem, row: int, prefix: str) -> str:
    return f"${symbol(key_name(problem.given, row, prefix))}$"


def _facts(problem: HeadsProblem, found: HeadQueries) -> Iterator[tuple[str, str]]:
    heads = found.heads
    yield "keys", str(found.pattern.n)
    yield "heads", str(len(found.queries))
    yield "tolerance", tolerance_in_words(problem)
    if found.factor is not None:
        yield f"factor ${found.pattern.factor}$", number(found.factor)
    name = "error, by the exact law" if heads.keys.random else "error"
    if found.noisy is not None:
        name = "error in the limit without noise"
        yield "error with the noise given", error_in_digits(found.error_with_noise)
    yield name, _error(found, found.error)
    yield f"{'error' if found.noisy is None else 'the same'}, as proved", proved_in_words(found)


def _error(found: HeadQueries, x: float) -> str:
    return error_in_digits(x) if found.heads.keys.random else below(x, ROUNDING)


def _against_one(
    problem: HeadsProblem, found: HeadQueries, factor: float
) -> tuple[Table, Plot | Slider]:
    """Compare one factor in several heads with the same in one head for all wanted keys."""
    heads, whole, random = found.heads, found.pattern, found.heads.keys.random

    def errors(of: Float64) -> tuple[Float64, Float64]:
        start, end = (whole.query(f, heads.instance.symbols) for f in (0.0, 1.0))
        single = (start + np.multiply.outer(of, end - start))[:, None, :]
        return heads.off(heads.at(of)), heads.keys.off(single, heads.wanted)

    factors = np.array(sorted({times * whole.unit for times in (1, 5, 10, 50, 100)} | {factor}))
    rows = tuple(
        (number(f), _error(found, float(a)), _error(found, float(b)))
        for f, a, b in zip(factors.tolist(), *errors(factors), strict=True)
    )
    several = f"{len(found.queries)} heads"
    table = Table(
        (f"${whole.factor}$", several, "one head"),
        rows,
        "error: several heads against one head for all wanted keys",
    )
    # Heads with keys in common need double integrals, so fewer points are drawn.
    x = np.linspace(0, 5 * max(factor, 1.0), POINTS if heads.pure else POINTS // 3)
    x = np.unique(np.append(x, factor))
    lines = [drawn(line, KNOWN if random else ROUNDING) for line in errors(x)]
    plot = Plot(
        "lines",
        "Heads of one key have no upper limit on the factor; one head for all keys has"
        if heads.pure and random and whole.m > 1
        else "The error of several heads, of which some are mixed, and of one head"
        if not heads.pure
        else "The error of several heads, and of one head for all wanted keys",
        whole.factor,
        f"root mean square error, 0 if below {short(KNOWN)}" if random else "error",
        tuple(
            Series(name, tuple(x.tolist()), line)
            for name, line in zip((several, "one head"), lines, strict=True)
        ),
    )
    weights = MeanWeights.of(
        problem.given, heads.mean_weights(heads.at(x)), whole.wanted, whole.prefix
    )
    return table, along(plot, factor, weights)


def _limits(found: HeadQueries) -> Table:
    n, alpha = found.pattern.n, found.heads.keys.isotropic
    tried = sorted({0.01, 0.05, 0.1, 0.5} | ({alpha} if alpha is not None else set()))
    rows = tuple(
        (number(variance), *(number(x, 10) for x in hardmax_limit(n, variance)))
        for variance in tried
    )
    columns = ("variance of the noise", "a head with one key succeeds", "at least")
    return Table(columns, rows, f"the limit of a large factor, {n} orthonormal means")
