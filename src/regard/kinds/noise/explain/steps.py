"""Why the output is distributed as it is, in a few sentences with formulas."""

from __future__ import annotations

import math
from collections import Counter
from functools import reduce

import numpy as np

from regard.kinds.noise.explain.notation import (
    chance_latex,
    means_named,
    moments_latex,
    outcome_latex,
)
from regard.kinds.noise.instance import Setting
from regard.kinds.noise.instance.formulas import Chance, number_text
from regard.kinds.noise.solve.findings import LimitFound, OutputFound
from regard.language import parse
from regard.problems.instances import Float64
from regard.report import number
from regard.report.numbers import short
from regard.solving.finding import Steps
from regard.solving.key_tables import symbol
from regard.solving.latex_numbers import equal

MOST_SHOWN = 4  # heads that are written out


def steps(found: OutputFound) -> Steps:
    """The steps of the solution."""
    setting = found.setting
    i = r"\ell" if "i" in setting.given.names else "i"
    out: list[tuple[str, str]] = [
        (
            "**Scores.** A head sees nothing of a key but its score, and the score of a normal "
            "vector is a "
            "normal number; scores of different keys are independent.",
            rf"s_{i} = q^\top k_{i} \sim N\left(q^\top \mu_{i},\; q^\top \Sigma_{i}\, q\right)",
        ),
        _scores(setting),
        *_one_weight(setting),
    ]
    if isinstance(found, LimitFound):
        out += [*_limit(found), *_left_out(found)]
        out.append(
            (
                "**Moments.** Mean and variance follow from the values and their probabilities: "
                "with "
                r"probabilities $p_r$ of values $x_r$ the variance is "
                r"$\sum_{r<t} p_r p_t \|x_r - x_t\|^2$, and independent parts add up.",
                moments_latex(found),
            )
        )
    else:
        out.append((_no_atoms(setting) + means_named(found), moments_latex(found)))
    if setting.heads > 1:
        out.append(_independence(found))
    return tuple(out)


def _no_atoms(setting: Setting) -> str:
    """Why mean and variance are numbers, and of what."""
    if not setting.grows:
        return (
            "**Moments.** Nothing grows without bound, so the output has no atoms: its mean and "
            "variance are "
            "integrals, here for the numbers of the instance."
        )
    name, size = symbol(setting.grows), float(setting.symbols[setting.grows])
    targets = [limit.target for limit in setting.given.read_limits]
    end = r"\infty" if math.inf in targets else r"-\infty"
    return (
        rf"**Moments.** As ${name} \to {end}$, the output comes near to no list of values that "
        rf"could be written "
        "out here, and the limit is not worked out. Its mean and variance are those for "
        f"${name} = {short(size)}$."
    )


def _times(x: float, unit: str) -> str:
    """A multiple of a power of what grows."""
    if not unit:
        return number(x)
    if abs(x) <= 1e-13:
        return "0"
    text = number_text(abs(x), roots=False)
    shown = "" if text == "1" else parse(text).to_latex() + " "
    return ("-" if x < 0 else "") + shown + unit


def _score_numbers(setting: Setting) -> tuple[Float64, Float64, str]:
    """Means and variances of scores (H, n), per unit of what grows, and its symbol.

    The symbol is empty where scores are plain numbers.
    """
    growth, unit = setting.growth, ""
    if growth and growth.linear and growth.sign > 0 and not np.any(setting.offsets):
        unit = symbol(growth.name)
    queries = setting.directions if unit else setting.queries()
    scores = setting.scores(queries)
    spread = np.einsum("nhh->hn", scores.covariances)
    return scores.means, np.where(spread > 1e-13, spread, 0.0), unit


def _scores(setting: Setting) -> tuple[str, str]:
    """The scores of each head, those that are alike together."""
    means, spread, unit = _score_numbers(setting)
    names = setting.given.names
    formulas = [*setting.given.covariance_formulas.values(), *setting.given.queries]
    used = {name for text in formulas for name in parse(text).names}
    early = []
    for limit in setting.given.read_limits:
        if math.isinf(limit.target):
            break
        if limit.name in used:
            early.append(rf"${symbol(limit.name)} \to {short(limit.target, 4)}$")
    lines, counts = [], []
    for h in range(min(setting.heads, MOST_SHOWN)):
        pieces = []
        rest: dict[tuple[float, float], list[int]] = {}
        for row in range(setting.given.n):
            mean, variance = float(means[h, row]), float(spread[h, row])
            if row in names.values():
                pieces.append(_score(symbol(f"s_{setting.label(row)}"), mean, variance, unit))
            else:
                rest.setdefault((round(mean, 12), round(variance, 12)), []).append(row)
        for (mean, variance), rows in rest.items():
            few = ",".join(str(row + 1) for row in rows[:3])
            name = symbol("s_others") if len(rest) == 1 else f"s_{{{few}}}"
            pieces.append(_score(name, mean, variance, unit))
        shown = pieces if len(pieces) <= 6 else [*pieces[:5], r"\ldots"]
        lines.append(r",\quad ".join(shown))
        counts.append(_varying(int(np.count_nonzero(spread[h])), setting.given.n))
    where = f"As {', '.join(early)}, the scores are these" if early else "The scores are these"
    if setting.heads == 1:
        return f"**Scores.** {where}: {counts[0]}.", lines[0]
    each = "; ".join(f"in head {h + 1}, {count}" for h, count in enumerate(counts))
    rows_of = [rf"\text{{head {h + 1}: }} & {line}" for h, line in enumerate(lines)]
    table = r"\begin{aligned} " + r" \\ ".join(rows_of) + r" \end{aligned}"
    return f"**Scores.** {where}: {each}.", table


def _varying(count: int, n: int) -> str:
    if count == 0:
        return "none of them varies"
    return f"one of {n} varies" if count == 1 else f"{count} of {n} vary"


def _score(name: str, mean: float, variance: float, unit: str) -> str:
    if variance == 0:
        return f"{name} = {_times(mean, unit)}"
    return rf"{name} \sim {_normal(_times(mean, unit), variance, unit)}"


def _normal(mean: str, variance: float, unit: str) -> str:
    return rf"N\left({mean},\; {_times(variance, f'{unit}^2' if unit else '')}\right)"


def _one_weight(setting: Setting) -> Steps:
    """The weight of the one key that varies, exactly, for the first head in which one does."""
    means, spread, unit = _score_numbers(setting)
    for h in range(setting.heads):
        noisy = np.flatnonzero(spread[h])
        counts = Counter(round(float(x), 12) for x in np.delete(means[h], noisy))
        if len(noisy) != 1 or len(counts) > 4:
            continue
        key = int(noisy[0])
        terms = [
            _exponential(level, count, unit)
            for level, count in sorted(counts.items(), reverse=True)
        ]
        mean = _times(float(means[h, key]), unit)
        if terms != ["1"]:  # ln 1 is 0
            mean = "" if mean == "0" else f"{mean} "
            mean += rf"- \ln\left({' + '.join(terms)}\right)"
        which = "" if setting.heads == 1 else f" of head {h + 1}"
        label = setting.label(key)
        return (
            (
                f"**Weight.** So the weight{which} on ${symbol(f'v_{label}')}$ is a logistic "
                f"function of one "
                "normal number, at every size of the query; all other weights keep their "
                "proportions.",
                rf"{symbol(f'alpha_{label}')} = \frac{{1}}{{1 + e^{{-Z}}}},\quad "
                rf"Z \sim {_normal(mean, float(spread[h, key]), unit)}",
            ),
        )
    return ()


def _exponential(level: float, count: int, unit: str) -> str:
    if level == 0:
        return str(count)
    return rf"{'' if count == 1 else f'{count} '}e^{{{_times(level, unit)}}}"


def _limit(found: LimitFound) -> list[tuple[str, str]]:
    """What becomes of the output."""
    law, setting = found.whole, found.setting
    grown = rf"as ${symbol(setting.growth.name)}$ grows, " if setting.growth else ""
    out = []
    for part in law.parts:
        if len(part.outcomes) == 2 and len(part.heads) == 1 and len(part.noisy) == 1:
            label = setting.label(part.noisy[0])
            wins = [chance for chance, shares in part.outcomes if shares[part.noisy[0]] > 0]
            win = [*wins, part.outcomes[0][0]][0]
            which = "" if setting.heads == 1 else f" in head {part.heads[0] + 1}"
            sentence = (
                f"{grown}a difference of scores is either very large or very negative: key "
                f"${symbol(label)}$ has all the weight{which} if its score is the highest, and "
                "none if not."
            )
            score = symbol(f"s_{label}")
            shown = rf"P({score} \text{{ is the highest}}) = {chance_latex(win)}"
            out.append(
                (f"**Limit.** {_capital(sentence)}", shown + rf" {equal(win.value)}" * win.symbolic)
            )
    if not np.any(setting.queries()):
        text = "a query of 0 scores every key 0, so all keys have the same weight"
    elif all(len(part.outcomes) == 1 for part in law.parts):
        text = f"{grown}the weights settle, and nothing of the noise is left"
    elif setting.heads > 1:
        text = "the output is the average of what the heads give"
    elif out:
        text = "the output is then near the value that wins"
    else:
        text = f"{grown}all the weight goes to the key with the highest score"
    if not found.general:
        text += " (for the keys and values of the instance)"
    if not law.exact and setting.heads > 2:
        text += (
            ". Three heads or more that share the noise of several keys have no simple integral: "
            "the probabilities are sampled, and right to about two digits"
        )
    elif not law.exact:
        text += ". The probabilities are sampled, and right to about two digits"
    named = means_named(found, whole=True)
    out.append((f"**Output.** {_capital(text)}.{named}", outcome_latex(law, setting.given.names)))
    return out


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


def _left_out(found: LimitFound) -> Steps:
    """What ignoring negative scores changes."""
    if not found.setting.given.ignore_negative:
        return ()
    kept = [part.kept for part in found.law.parts if part.kept.value < 1]
    if not kept:
        return (
            (
                "**Negative scores.** No score that varies is ever negative, so nothing is left "
                "out.",
                "",
            ),
        )
    total = reduce(Chance.times, kept)
    what_is_left = outcome_latex(found.law, found.setting.given.names)
    return (
        (
            "**Negative scores.** Cases with a negative score are left out: they have probability "
            f"{short(1 - total.value)}. What remains is this.",
            rf"P(\text{{no score that varies is negative}}) = {chance_latex(total)}"
            rf" {equal(total.value)},\quad {what_is_left}",
        ),
    )


def _independence(found: OutputFound) -> tuple[str, str]:
    if found.independent:
        return (
            "**Heads.** The heads are independent, and the reason is not that their queries "
            "differ: for "
            "every key the two scores have covariance 0, and uncorrelated normal numbers are "
            "independent.",
            r"q_h^\top \Sigma_i\, q_g = 0 \quad \forall i,\; h \ne g",
        )
    joint = found.setting.shared_noise(found.setting.queries())
    i, h, g = np.unravel_index(int(np.argmax(np.abs(joint))), joint.shape)
    return (
        "**Heads.** The heads are not independent: they see noise of the same key, and these two "
        "scores "
        "are correlated.",
        rf"q_{{{h + 1}}}^\top {symbol(f'Sigma_{found.setting.label(int(i))}')}\, q_{{{g + 1}}} = "
        rf"{short(float(joint[i, h, g]), 4)} \ne 0",
    )
