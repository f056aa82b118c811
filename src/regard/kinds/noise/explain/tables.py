"""The law of an output in numbers: for the instance, at several sizes, and with other queries."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from regard.analysis.noise.one_noise import OneNoise
from regard.kinds.noise.explain.notation import chance_latex, latex
from regard.kinds.noise.explain.plots import (
    Curve,
    curves,
    law_of_one_weight,
    mean_weights,
    moved_parameters,
    over_sizes,
    weights_over_sizes,
)
from regard.kinds.noise.instance import Growth, Setting, read
from regard.kinds.noise.instance.formulas import average
from regard.kinds.noise.solve.findings import LimitFound, OutputFound
from regard.kinds.noise.solve.finite_queries import TOLERANCE, affordable, settled, weight_law
from regard.kinds.noise.solve.null_steering import components, noise_free, rms_error, steered
from regard.problems.instances import Float64
from regard.report import Block, Facts, Table, number, vector
from regard.report.numbers import short
from regard.solving.sliders import along

SIZES = (1.0, 5.0, 10.0, 100.0)
_MOST = 8  # weights that are written out
MOST_VALUES, MOST_ROWS = 12, 6  # of a table, and of values in a line
NEAR = 0.1  # of a weight


def details(found: OutputFound) -> tuple[Block, ...]:
    """The tables and plots that stand under *In numbers*."""
    setting = found.setting
    blocks: list[Block] = [_atoms(found)] if isinstance(found, LimitFound) else []
    blocks.append(Facts((*_facts(found), *_typical(setting), *_small_noise(setting))))
    lines, growth = curves(setting), setting.growth
    against = over_sizes(setting, growth, lines) if growth and lines else None
    if growth and against:
        blocks.append(_sizes(growth, lines))
    blocks += _queries_compared(setting)
    if growth and against:
        blocks.append(along(against, growth.size, weights_over_sizes(setting, against)))
    else:
        blocks.append(mean_weights(setting))
    return (*blocks, *law_of_one_weight(setting))


def _atoms(found: LimitFound) -> Table:
    given, values, atoms = found.setting.given, found.setting.values, found.whole.atoms
    rows = [
        (
            f"${latex(average(shares, given.names).formula)}$",
            f"{chance.value:.4g}" if found.whole.exact else f"about {chance.value:.2g}",
            vector(shares @ values),
        )
        for chance, shares in atoms[:MOST_VALUES]
    ]
    if len(atoms) > MOST_VALUES:
        rows.append((f"{len(atoms) - MOST_VALUES} more", "", ""))
    caption = f"the output in the limit{', nothing left out' * given.ignore_negative}"
    return Table(("value", "probability", "in the instance"), tuple(rows), caption)


def at_size(setting: Setting) -> str:
    """For which size of the query numbers are given, such as "C = 10"."""
    growth = setting.growth
    return "the instance" if growth is None else f"{growth.name} = {short(growth.size, 4)}"


def _facts(found: OutputFound) -> list[tuple[str, str]]:
    setting, values = found.setting, found.setting.values
    more = "; …" if len(values) > MOST_ROWS else ""
    pairs = [("values", "; ".join(vector(row) for row in values[:MOST_ROWS]) + more)]
    if isinstance(found, LimitFound):
        mean, covariance = found.law.moments(values)
        digits, how = (4, "") if found.law.exact else (2, ", sampled")
        pairs.append((f"mean in the limit{how}", vector(mean, digits)))
        variance = number(float(np.trace(covariance)), digits)
        pairs.append((f"variance in the limit{how}", variance))
    law, at = setting.output_law(setting.queries(), values, TOLERANCE), at_size(setting)
    pairs.append((f"mean at {at}", vector(law.mean)))
    pairs.append((f"variance at {at}", number(settled(law))))
    weights = weight_law(setting).mean
    pairs.append((f"mean weights at {at}", _weights(np.where(weights > 1e-15, weights, 0.0))))
    if isinstance(found, LimitFound):
        in_all = ", nothing left out" * setting.given.ignore_negative
        digits, how = (4, "") if found.whole.exact else (2, ", sampled")
        limit = _weights(found.whole.moments(np.eye(setting.given.n))[0], digits)
        pairs.append((f"mean weights in the limit{in_all}{how}", limit))
        pairs += _binary(found)[:1]
    return pairs


def _weights(weights: Float64, digits: int = 4) -> str:
    """Write weights, of which none is rounded onto a half that it does not reach."""
    said = [short(float(x), digits) for x in weights]
    return f"({', '.join(said if len(said) <= _MOST else [*said[: _MOST - 1], '…', said[-1]])})"


def _binary(found: LimitFound) -> list[tuple[str, str]]:
    """1/(p (1 − p)) of a head that wins or loses: how much steadier it is than a fair coin."""
    wins = [part.outcomes for part in found.whole.parts if len(part.outcomes) == 2]
    chances = [one for (one, _), (two, _) in wins if one.symbolic and two.value > 1e-9]
    return [
        (
            f"$1/(p (1 - p))$ for $p = {chance_latex(chance)}$",
            f"{1 / (chance.value * (1 - chance.value)):.4g}",
        )
        for chance in chances
    ]


def _typical(setting: Setting) -> list[tuple[str, str]]:
    """How many samples have about the weight that one head gives to a key at its mean."""
    moved = setting.one_noise(setting.queries())
    if moved is None or setting.heads > 1:
        return []
    still = np.where(np.arange(setting.given.n) == moved.key, -math.inf, moved.means[0])
    two = [moved.key, int(np.argmax(still))]
    few = replace(setting, means=setting.means[two], covariances=setting.covariances[two])
    pair = few.one_noise(setting.queries())
    assert pair is not None
    near, alone = (
        f"{100 * (law.weight_below(at + NEAR) - law.weight_below(at - NEAR)):.4g} %"
        for law, at in ((moved, _middle(moved)), (pair, _middle(pair)))
    )
    said = f"within {NEAR} of {number(_middle(moved), 3)} in {near} of samples"
    name = f"weight on v_{setting.label(moved.key)} at {at_size(setting)}"
    return [(name, f"{said}, and in {alone} if there were only the two keys")]


def _middle(moved: OneNoise) -> float:
    """The weight of the one key that varies, at its mean."""
    return 1 / (1 + math.exp(-moved.logit(0)[0]))


def _small_noise(setting: Setting) -> list[tuple[str, str]]:
    """The variance with the small noise of the instance, where there is some."""
    actual = read(setting.given, limits=False)
    changed = np.any(actual.covariances != setting.covariances)
    if not changed or not affordable(actual, actual.queries(), once=True):
        return []
    law = actual.output_law(actual.queries(), actual.values, TOLERANCE)
    error = "" if law.method == "exact" else " (sampled)"
    name = f"variance with {moved_parameters(setting)}"
    return [(name, number(float(law.variance)) + error)]


def _sizes(growth: Growth, lines: list[Curve]) -> Table:
    """Variances at several sizes of the query, for values along the axes."""
    paired = lines[0].setting is not lines[-1].setting  # one head, and all of them
    rows = []
    for size in sorted({*(growth.sign * size for size in SIZES), growth.size, math.inf}, key=abs):
        cells = [line.at(size) for line in lines]
        if paired:
            cells += [_ratio(*cells[at : at + 2]) for at in range(0, len(cells), 2)]
        shown = "∞" if math.isinf(size) else number(size)
        rows.append((shown, *("–" if x is None else number(x, 7) for x in cells)))
    columns = [growth.name, *(line.name for line in lines)]
    caption = r"$E \lVert c - E\,c \rVert^2$ for orthonormal values: the variances of all weights"
    caption += ", added"
    if paired:
        columns += ["ratio", "ratio, s ≥ 0"][: len(lines) // 2]
        caption += "; the one head has the sum of the queries"
    if lines[-1].ignore_negative:
        caption += "; s ≥ 0: no score that varies is negative"
    return Table(tuple(columns), tuple(rows), caption)


def _ratio(above: float | None, below: float | None) -> float | None:
    if above is None or below is None:
        return None
    if below <= 1e-15:
        return math.inf if above > 1e-15 else None
    return above / below


def _queries_compared(setting: Setting) -> list[Block]:
    """The error of the queries with the noise as it is, and of queries that avoid it."""
    actual = read(setting.given, limits=False)
    queries = actual.queries()
    if len(queries) > 2 or setting.given.n > 12:
        return []
    other, still = steered(setting, queries), noise_free(setting)
    if other is None or still is None or np.array_equal(other, queries):
        return []
    tried = [("as given", queries), ("blind to the noise", other)]
    everywhere = steered(setting, queries, every=True) if len(queries) > 1 else None
    if everywhere is not None and not np.array_equal(everywhere, other):
        tried.append(("every head steered", everywhere))
    tried = [one for one in tried if affordable(actual, one[1], once=True)]
    if len(tried) < 2:
        return []
    rows = []
    for name, q in tried:
        law = actual.output_law(q, np.eye(setting.given.n), TOLERANCE)
        texts = "; ".join(map(vector, components(setting, q)))
        rows.append((name, texts, number(rms_error(law, still)), law.method))
    numbers = ", ".join(f"{k} = {short(v, 4)}" for k, v in setting.given.parameters.items())
    caption = (
        r"$\sqrt{E \lVert c - c^* \rVert^2}$ for orthonormal values and "
        rf"{numbers}; $c^*$ is without noise"
    )
    return [Table(("queries", "per mean, in their order", "error", "how"), tuple(rows), caption)]
