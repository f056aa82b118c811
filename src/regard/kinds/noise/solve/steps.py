"""Why the output is distributed as it is, in a few sentences with formulas."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from regard.kinds.noise.solve.answer import Found, plain_number
from regard.kinds.noise.solve.setting import Setting
from regard.kinds.noise.solve.words import chance_latex, means_named, outcome_latex, subscript
from regard.language import parse, parse_limit
from regard.report import number

Float64 = NDArray[np.float64]

MOST_SHOWN = 4  # heads that are written out


def steps(found: Found) -> tuple[tuple[str, str], ...]:
    """The steps of the solution."""
    setting = found.setting
    i = r"\ell" if "i" in setting.given.names else "i"
    out: list[tuple[str, str]] = [
        (
            "A head sees nothing of a key but its score, and the score of a normal vector is a "
            "normal number; scores of different keys are independent.",
            rf"s_{i} = q^\top k_{i} \sim N\left(q^\top \mu_{i},\; q^\top \Sigma_{i}\, q\right)",
        )
    ]
    out += _scores(setting)
    out += _one_weight(found)
    if found.law is None:
        out.append(
            (
                _no_atoms(setting) + means_named(setting.given.names, found.moments_latex),
                found.moments_latex,
            )
        )
    else:
        out += _limit(found)
        out += _left_out(found)
        out.append(
            (
                "Mean and variance follow from the values and their probabilities: with "
                r"probabilities $p_r$ of values $x_r$ the variance is "
                r"$\sum_{r<t} p_r p_t \|x_r - x_t\|^2$, and independent parts add up.",
                found.moments_latex,
            )
        )
    if setting.heads > 1:
        out.append(_independence(found))
    return tuple(out)


def _no_atoms(setting: Setting) -> str:
    """Why mean and variance are numbers, and of what."""
    if setting.growth is None:
        return (
            "Nothing grows without bound, so the output has no atoms: its mean and variance are "
            "integrals, here for the numbers of the instance."
        )
    name = parse(setting.growth.name).to_latex()
    end = r"\infty" if setting.growth.sign > 0 else r"-\infty"
    return (
        rf"As ${name} \to {end}$, the output comes near to no list of values that could be written "
        "out here, and the limit is not worked out. Its mean and variance are those for "
        f"${name} = {number(setting.growth.size)}$."
    )


def _label(setting: Setting, row: int) -> str:
    by_row = {place: name for name, place in setting.given.names.items()}
    return subscript(by_row.get(row, str(row + 1)))


def _size(setting: Setting) -> str:
    """What grows, as LaTeX; empty where scores are plain numbers."""
    growth = setting.growth
    if growth is None or not growth.linear or np.any(growth.offsets) or growth.sign < 0:
        return ""
    return parse(growth.name).to_latex()


def _times(x: float, unit: str) -> str:
    """A multiple of a power of what grows."""
    if not unit:
        return number(x)
    if abs(x) <= 1e-13:
        return "0"
    text = plain_number(abs(x))
    shown = "" if text == "1" else parse(text).to_latex() + " "
    return ("-" if x < 0 else "") + shown + unit


def score_numbers(setting: Setting) -> tuple[Float64, Float64, str]:
    """Means and variances of scores (H, n), per unit of what grows, and its symbol."""
    unit = _size(setting)
    queries = setting.queries() if not unit or setting.growth is None else setting.growth.directions
    scale = float(setting.given.scale)
    means = scale * queries @ setting.means.T
    spread = scale**2 * np.einsum("hd,nde,he->hn", queries, setting.covariances, queries)
    return means, np.where(spread > 1e-13, spread, 0.0), unit


def _scores(setting: Setting) -> list[tuple[str, str]]:
    """The scores of each head, those that are alike together."""
    means, spread, unit = score_numbers(setting)
    early = []
    for limit in map(parse_limit, setting.given.limits):
        if np.isinf(limit.target):
            break
        if limit.name in setting.used:
            early.append(limit)
    taken = ", ".join(
        rf"${parse(limit.name).to_latex()} \to {number(limit.target)}$" for limit in early
    )
    lines, counts = [], []
    for h in range(min(setting.heads, MOST_SHOWN)):
        pieces = []
        rest: dict[tuple[float, float], list[int]] = {}
        for row in range(setting.given.n):
            if row in setting.given.names.values():
                pieces.append(_score(_label(setting, row), means[h, row], spread[h, row], unit))
            else:
                key = (round(float(means[h, row]), 12), round(float(spread[h, row]), 12))
                rest.setdefault(key, []).append(row)
        for (mean, variance), rows in rest.items():
            name = r"\mathrm{others}" if len(rest) == 1 else ",".join(str(r + 1) for r in rows[:3])
            pieces.append(_score(name, mean, variance, unit))
        shown = pieces if len(pieces) <= 6 else [*pieces[:5], r"\ldots"]
        lines.append(r",\quad ".join(shown))
        counts.append(int(np.count_nonzero(spread[h])))
    where = f"As {taken}, the scores are these" if taken else "The scores are these"
    if setting.heads == 1:
        return [(f"{where}: {_varying(counts[0], setting.given.n)}.", lines[0])]
    each = "; ".join(
        f"in head {h + 1}, {_varying(count, setting.given.n)}" for h, count in enumerate(counts)
    )
    rows_of = [rf"\text{{head {h + 1}: }} & {line}" for h, line in enumerate(lines)]
    table = r"\begin{aligned} " + r" \\ ".join(rows_of) + r" \end{aligned}"
    return [(f"{where}: {each}.", table)]


def _varying(count: int, n: int) -> str:
    if count == 0:
        return "none of them varies"
    return f"one of {n} varies" if count == 1 else f"{count} of {n} vary"


def _score(name: str, mean: float, variance: float, unit: str) -> str:
    square = f"{unit}^2" if unit else ""
    if variance == 0:
        return rf"s_{{{name}}} = {_times(float(mean), unit)}"
    return (
        rf"s_{{{name}}} \sim N\left({_times(float(mean), unit)},\; "
        rf"{_times(float(variance), square)}\right)"
    )


def _one_weight(found: Found) -> list[tuple[str, str]]:
    """The weight of the one key that varies, exactly, for the first head in which one does."""
    setting = found.setting
    means, spread, unit = score_numbers(setting)
    for h in range(setting.heads):
        noisy = np.flatnonzero(spread[h])
        if len(noisy) != 1 or setting.given.n < 2:
            continue
        key = int(noisy[0])
        counts: dict[float, int] = {}
        for x in np.delete(means[h], key):
            level = round(float(x), 12)
            counts[level] = counts.get(level, 0) + 1
        if len(counts) > 4:
            continue
        terms = [
            _exponential(level, count, unit)
            for level, count in sorted(counts.items(), reverse=True)
        ]
        square = f"{unit}^2" if unit else ""
        mean = _times(float(means[h, key]), unit)
        if terms != ["1"]:  # ln 1 is 0
            mean = "" if mean == "0" else f"{mean} "
            mean += rf"- \ln\left({' + '.join(terms)}\right)"
        which = "" if setting.heads == 1 else f" of head {h + 1}"
        label = _label(setting, key)
        return [
            (
                f"So the weight{which} on $v_{{{label}}}$ is a logistic function of one normal "
                "number, at every size of the query; all other weights keep their proportions.",
                rf"\alpha_{{{label}}} = \frac{{1}}{{1 + e^{{-Z}}}},\quad Z \sim N\left({mean},\; "
                rf"{_times(float(spread[h, key]), square)}\right)",
            )
        ]
    return []


def _exponential(level: float, count: int, unit: str) -> str:
    if level == 0:
        return str(count)
    front = "" if count == 1 else f"{count} "
    return rf"{front}e^{{{_times(level, unit)}}}"


def _limit(found: Found) -> list[tuple[str, str]]:
    """What becomes of the output."""
    assert found.whole is not None
    law = found.whole
    growth = found.setting.growth
    grown = "" if growth is None else rf"As ${parse(growth.name).to_latex()}$ grows, "
    out = []
    for part in law.parts:
        if len(part.outcomes) == 2 and len(part.heads) == 1 and len(part.noisy) == 1:
            label = _label(found.setting, part.noisy[0])
            first = part.outcomes[0].chance
            win = next((o.chance for o in part.outcomes if o.shares[part.noisy[0]] > 0), first)
            which = "" if found.setting.heads == 1 else f" in head {part.heads[0] + 1}"
            sentence = (
                f"{grown}a difference of scores is either very large or very negative: key "
                f"${label}$ has all the weight{which} if its score is the highest, and none if not."
            )
            shown = rf"P(s_{{{label}}} \text{{ is the highest}}) = {chance_latex(win)}"
            if win.symbolic:
                shown += rf" = {win.value:.10g}"
            out.append((sentence[0].upper() + sentence[1:], shown))
    here = "" if found.general else " (for the keys and values of the instance)"
    if not law.exact:
        here += (
            ". Three heads or more that share the noise of several keys have no simple integral: "
            "the probabilities are sampled, and right to about two digits"
            if found.setting.heads > 2
            else ". The probabilities are sampled, and right to about two digits"
        )
    if found.setting.heads > 1:
        text = "The output is the average of what the heads give"
    elif out:
        text = "The output is then near the value that wins"
    else:
        text = f"{grown}all the weight goes to the key with the highest score"
        text = text[0].upper() + text[1:]
    if not np.any(found.setting.queries()):
        text = "A query of 0 scores every key 0, so all keys have the same weight"
    elif all(len(part.outcomes) == 1 for part in law.parts):
        text = f"{grown}the weights settle, and nothing of the noise is left"
        text = text[0].upper() + text[1:]
    shown = outcome_latex(law, found.setting.given.names)
    named = means_named(found.setting.given.names, shown + found.moments_latex)
    out.append((f"{text}{here}.{named}", shown))
    return out


def _left_out(found: Found) -> list[tuple[str, str]]:
    """What ignoring negative scores changes."""
    if not found.setting.given.ignore_negative or found.law is None or found.whole is None:
        return []
    kept = 1.0
    latex = ""
    for part in found.law.parts:
        kept *= part.kept.value
        if part.kept.value < 1:
            latex = rf"P(\text{{no score that varies is negative}}) = {chance_latex(part.kept)}"
            latex += rf" = {part.kept.value:.10g}"
    if kept == 1:
        return [("No score that varies is ever negative, so nothing is left out.", "")]
    return [
        (
            f"Cases with a negative score are left out: they have probability {number(1 - kept)}. "
            "What remains is this.",
            rf"{latex},\quad {outcome_latex(found.law, found.setting.given.names)}",
        )
    ]


def _independence(found: Found) -> tuple[str, str]:
    if found.independent:
        return (
            "The heads are independent, and the reason is not that their queries differ: for "
            "every key the two scores have covariance 0, and uncorrelated normal numbers are "
            "independent.",
            r"q_h^\top \Sigma_i\, q_g = 0 \quad \forall i,\; h \ne g",
        )
    setting = found.setting
    q = setting.queries()
    joint = np.einsum("hd,nde,ge->nhg", q, setting.covariances, q)
    joint = joint * (1 - np.eye(len(q)))
    i, h, g = np.unravel_index(int(np.argmax(np.abs(joint))), joint.shape)
    return (
        "The heads are not independent: they see noise of the same key, and these two scores "
        "are correlated.",
        rf"q_{{{h + 1}}}^\top \Sigma_{{{_label(setting, int(i))}}}\, q_{{{g + 1}}} = "
        rf"{number(float(joint[i, h, g]))} \ne 0",
    )
