"""The law of an output in numbers: for the instance, at several sizes, and with other queries."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from regard.kinds.noise.solve.answer import Found
from regard.kinds.noise.solve.finite import (
    affordable,
    one_noise,
    output_law,
    rms_error,
    steered,
)
from regard.kinds.noise.solve.limit import limit_law
from regard.kinds.noise.solve.plots import mean_weights, over_sizes, weight_law
from regard.kinds.noise.solve.setting import Setting, read
from regard.kinds.noise.solve.variances import (
    as_one_head,
    kept_variance,
    limit_variance,
    settled,
    total_variance,
)
from regard.kinds.noise.solve.words import average, chance_latex
from regard.report import Block, Facts, Table, number, vector

Float64 = NDArray[np.float64]

SIZES = (1.0, 5.0, 10.0, 100.0)
MOST_VALUES = 12  # of a table


def details(found: Found) -> tuple[Block, ...]:
    """Tables and plots."""
    blocks: list[Block] = [*_atoms(found), _facts(found)]
    setting = found.setting
    sweep = setting.growth is not None and affordable(setting, setting.queries())
    against = over_sizes(found) if sweep else None
    if against is not None and not any(any(series.y) for series in against.series):
        against = None  # nothing varies at any size
    if against is not None:
        blocks.append(_sizes(found))
    blocks += _queries_compared(found)
    blocks.append(mean_weights(found) if against is None else against)
    if setting.heads == 1:
        blocks += weight_law(found)
    return tuple(blocks)


def _atoms(found: Found) -> list[Block]:
    if found.law is None or found.whole is None:
        return []
    given, values = found.setting.given, found.setting.values
    rows = tuple(
        (
            f"${average(a.shares, given.names).latex}$",
            f"{a.chance.value:.10g}" if found.whole.exact else f"about {a.chance.value:.2g}",
            vector(a.shares @ values),
        )
        for a in found.whole.atoms[:MOST_VALUES]
    )
    left = len(found.whole.atoms) - MOST_VALUES
    if left > 0:
        rows += ((f"{left} more", "", ""),)
    note = ", nothing left out" if given.ignore_negative else ""
    return [
        Table(("value", "probability", "in the instance"), rows, f"the output in the limit{note}")
    ]


def _facts(found: Found) -> Facts:
    setting = found.setting
    pairs = [("values", "; ".join(vector(row) for row in setting.values[:6]))]
    if setting.given.n > 6:
        pairs[0] = ("values", f"{pairs[0][1]}; …")
    if found.law is not None:
        mean, _ = found.law.moments(setting.values)
        known, how = (6, "") if found.law.exact else (2, ", sampled")
        pairs.append((f"mean in the limit{how}", vector(mean, known)))
        pairs.append((f"variance in the limit{how}", number(found.variance_number, known)))
    law = output_law(setting, setting.queries(), setting.values)
    at = (
        "the instance"
        if setting.growth is None
        else f"{setting.growth.name} = {number(setting.growth.size)}"
    )
    pairs += [(f"mean at {at}", vector(law.mean, 6)),
              (f"variance at {at}", number(settled(law)))]  # fmt: skip
    unit = np.eye(setting.given.n)
    weights = output_law(setting, setting.queries(), unit).mean
    pairs.append((f"mean weights at {at}", vector(np.where(weights > 1e-15, weights, 0.0), 8)))
    if found.whole is not None:
        in_all = ", nothing left out" if setting.given.ignore_negative else ""
        known, how = (10, "") if found.whole.exact else (2, ", sampled")
        limit = vector(found.whole.moments(unit)[0], known)
        pairs.append((f"mean weights in the limit{in_all}{how}", limit))
        pairs += _binary(found)
    actual = read(setting.given, limits=False)
    changed = np.any(actual.covariances != setting.covariances)
    if changed and affordable(actual, actual.queries(), once=True):
        small = ", ".join(
            f"{name} = {number(x)}"
            for name, x in setting.given.parameters.items()
            if setting.numbers[name] != x
        )
        with_noise = output_law(actual, actual.queries(), actual.values)
        error = "" if with_noise.method == "exact" else " (sampled)"
        pairs.append((f"variance with {small}", number(float(with_noise.variance)) + error))
    return Facts(tuple(pairs))


def _binary(found: Found) -> list[tuple[str, str]]:
    """1/(p (1 − p)) of a head that wins or loses: how much steadier it is than a fair coin."""
    assert found.whole is not None
    chances = [
        part.outcomes[0].chance
        for part in found.whole.parts
        if len(part.outcomes) == 2
        and part.outcomes[0].chance.symbolic
        and part.outcomes[1].chance.value > 1e-9
    ]
    return [
        (
            f"$1/(p (1 - p))$ for $p = {chance_latex(chance)}$",
            f"{1 / (chance.value * (1 - chance.value)):.10g}",
        )
        for chance in chances[:1]
    ]


def _sizes_of(found: Found) -> list[float]:
    growth = found.setting.growth
    assert growth is not None
    return sorted({*(growth.sign * size for size in SIZES), growth.size}, key=abs)


def _sizes(found: Found) -> Table:
    """Variances at several sizes of the query, for values along the axes."""
    setting = found.setting
    growth = setting.growth
    assert growth is not None
    several = setting.heads > 1
    one = as_one_head(setting) if several else None
    if one is not None and not affordable(one, one.queries()):
        one = None
    kept = (several or setting.given.ignore_negative) and one_noise(setting, setting.queries())
    columns = [growth.name]
    name = f"{setting.heads} heads" if several else "variance"
    columns += ["one head"] * (one is not None) + [name]
    if kept:
        columns += ["one head, s ≥ 0"] * (one is not None) + [f"{name}, s ≥ 0"]
    if one is not None:
        columns += ["ratio"] + ["ratio, s ≥ 0"] * bool(kept)
    rows = []
    for size in [*_sizes_of(found), math.inf]:
        heads = [setting] if one is None else [one, setting]
        cells = [_variance(each, size, ignore_negative=False) for each in heads]
        if kept:
            cells += [_variance(each, size, ignore_negative=True) for each in heads]
        if one is not None:
            cells += [_ratio(*cells[at : at + 2]) for at in range(0, len(cells), 2)]
        shown = "∞" if math.isinf(size) else number(size)
        rows.append((shown, *("–" if x is None else number(x, 7) for x in cells)))
    caption = "E ‖c − E c‖² for orthonormal values: the sum of the variances of all weights"
    if one is not None:
        caption += "; the one head has the sum of the queries"
    if kept:
        caption += "; s ≥ 0: no score that varies is negative"
    return Table(tuple(columns), tuple(rows), caption)


def _variance(setting: Setting, size: float, *, ignore_negative: bool) -> float | None:
    if math.isinf(size):
        return limit_variance(setting, ignore_negative=ignore_negative)
    return kept_variance(setting, size) if ignore_negative else total_variance(setting, size)


def _ratio(above: float | None, below: float | None) -> float | None:
    if above is None or below is None:
        return None
    if below <= 1e-15:
        return math.inf if above > 1e-15 else None
    return above / below


def _queries_compared(found: Found) -> list[Block]:
    """The error of the queries with the noise as it is, and of queries that avoid it."""
    setting = found.setting
    actual = read(setting.given, limits=False)
    queries = actual.queries()
    if len(queries) > 2 or setting.given.n > 12:
        return []
    other = steered(setting, queries)
    still = _noise_free(setting)
    if other is None or still is None or np.array_equal(other, queries):
        return []
    unit = np.eye(setting.given.n)
    rows = [("as given", queries), ("blind to the noise", other)]
    everywhere = steered(setting, queries, every=True) if len(queries) > 1 else None
    if everywhere is not None and not np.array_equal(everywhere, other):
        rows.append(("every head steered", everywhere))
    rows = [row for row in rows if affordable(actual, row[1], once=True)]
    if len(rows) < 2:
        return []
    shown = []
    for name, q in rows:
        law = output_law(actual, q, unit)
        texts = "; ".join(_query_text(setting, one) for one in q)
        shown.append((name, texts, number(rms_error(law, still)), law.method))
    numbers = ", ".join(f"{k} = {number(v)}" for k, v in setting.given.parameters.items())
    caption = f"root of E ‖c − c*‖² for orthonormal values and {numbers}; c* is without noise"
    return [Table(("queries", "per mean, in their order", "error", "how"), tuple(shown), caption)]


def _query_text(setting: Setting, query: Float64) -> str:
    """A query by its components along the means."""
    parts = np.linalg.lstsq(setting.means.T, query, rcond=None)[0]
    return vector(np.round(parts, 12))


def _noise_free(setting: Setting) -> Float64 | None:
    """What each value has of the output in the limit if no key varies."""
    still = Setting(
        setting.given,
        type(setting.instance)(
            setting.means, setting.values, np.zeros_like(setting.covariances), {}
        ),
        setting.numbers,
        setting.late,
        setting.growth,
    )
    if setting.growth is None:
        return None
    law = limit_law(still, ignore_negative=False)
    return None if law is None else law.atoms[0].shares
