"""The law of an output as an answer: atoms, mean and variance as formulas in the values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.analysis import key_noise
from regard.kinds.noise.solve.chances import Chance, factor, plain, recognised
from regard.kinds.noise.solve.finite import kept_law, one_noise, output_law
from regard.kinds.noise.solve.limit import LimitLaw, Outcome, head_lead, limit_law
from regard.kinds.noise.solve.setting import Setting, covariance_parameters, read
from regard.kinds.noise.solve.words import Average, average, chance_latex, weighted
from regard.kinds.noise.spec import NoiseGiven, value_symbols
from regard.language import parse
from regard.solving.latex_numbers import tex

Float64 = NDArray[np.float64]

MOST_PAIRS = 6  # of values in a formula for the variance
DRAWN = 3  # other instances that formulas are tried on


@dataclass(frozen=True, eq=False)
class Found:
    """What is known about the output.

    Attributes:
        setting: the problem in arrays.
        law: in the limit, with cases left out if the problem says so; None: it has no atoms.
        whole: the same with nothing left out.
        mean, variance: as formulas of the language.
        mean_latex, variance_latex: the same as LaTeX.
        variance_number: for the values of the instance.
        general: whether the formulas hold for other instances of the same laws.
        independent: whether the heads share no noise.
    """

    setting: Setting
    law: LimitLaw | None
    whole: LimitLaw | None
    mean: str
    mean_latex: str
    variance: str
    variance_latex: str
    variance_number: float
    general: bool
    independent: bool

    @property
    def moments_latex(self) -> str:
        """Mean and variance in one line; only about so much where they were sampled."""
        sign = "=" if self.law is None or self.law.exact else r"\approx"
        return (
            rf"E\,c {sign} {self.mean_latex},\quad E\,\|c - E\,c\|^2 {sign} {self.variance_latex}"
        )

    @property
    def atoms(self) -> list[dict[str, str]]:
        """The atoms as an answer has them."""
        if self.law is None:
            return []
        names = self.setting.given.names
        return [
            {"value": average(atom.shares, names).formula, "probability": atom.chance.formula}
            for atom in self.law.atoms
        ]

    def answer(self, wanted: list[str]) -> dict[str, Any]:
        """The fields that are asked for."""
        fields = {
            "atoms": self.atoms,
            "mean": self.mean,
            "variance": self.variance,
            "independent": self.independent,
        }
        return {name: fields[name] for name in fields if name in wanted}


def find(given: NoiseGiven) -> Found:
    """Work out the law of the output."""
    setting = read(given)
    now = {name: given.parameters[name] for name in covariance_parameters(given)}

    def lead(head: int) -> Any:
        return recognised(lambda changed: head_lead(read(given, changed=changed), head), now)

    whole = limit_law(setting, ignore_negative=False, recognise=lead)
    law = whole
    if given.ignore_negative:
        law = limit_law(setting, ignore_negative=True, recognise=lead)
        if law is not None and not law.atoms:
            law = whole  # what is left has no chance at all
    independent = _independent(setting)
    if law is None:
        return _finite(setting, independent)
    mean, mean_latex = _mean(law, given)
    variance, variance_latex = _variance(law, setting)
    number = float(np.trace(law.moments(setting.values)[1]))
    general = _holds_elsewhere(given, whole)
    return Found(
        setting,
        law,
        whole,
        mean,
        mean_latex,
        variance,
        variance_latex,
        number,
        general,
        independent,
    )


def _independent(setting: Setting) -> bool:
    """Whether q_h·Σ_i q_g = 0 for all keys and pairs of heads."""
    q = setting.queries()
    joint = np.einsum("hd,nde,ge->nhg", q, setting.covariances, q)
    size = np.einsum("hd,nde,ge->nhg", np.abs(q), np.abs(setting.covariances), np.abs(q))
    off = np.abs(joint) > 1e-13 * size
    return not np.any(off & ~np.eye(len(q), dtype=bool))


def _mean(law: LimitLaw, given: NoiseGiven) -> tuple[str, str]:
    """The mean of the output, as a formula and as LaTeX."""
    outcomes = [(o.chance, o.shares) for part in law.parts for o in part.outcomes]
    still = sum(
        (chance.value * shares for chance, shares in outcomes if not chance.symbolic),
        np.zeros(given.n),
    )
    if not law.exact:
        still = np.round(still, 3)  # samples know no more
    moving = [(c, average(s, given.names)) for c, s in outcomes if c.symbolic]
    terms = [*moving, (plain(1.0), average(np.asarray(still), given.names))]
    return weighted(terms, latex=False), weighted(terms, latex=True)


def _variance(law: LimitLaw, setting: Setting) -> tuple[str, str]:
    """Σ p_i p_j ‖x_i - x_j‖² over pairs of outcomes of each part, or the number if that is long."""
    pairs = [
        (one, two)
        for part in law.parts
        for place, one in enumerate(part.outcomes)
        for two in part.outcomes[place + 1 :]
    ]
    if not pairs:
        return "0", "0"
    if len(pairs) > MOST_PAIRS:
        number = float(np.trace(law.moments(setting.values)[1]))
        digits = 15 if law.exact else 4
        shown = tex(number, 6 if law.exact else 2)
        return f"{number:.{digits}g}", rf"{shown} \;\text{{ for the values of the instance}}"
    texts, latexes = zip(*(_apart(one, two, setting.given) for one, two in pairs), strict=True)
    return " + ".join(texts), " + ".join(latexes)


def _apart(one: Outcome, two: Outcome, given: NoiseGiven) -> tuple[str, str]:
    """p_i p_j ‖x_i - x_j‖² as text and LaTeX, with the difference in whole numbers."""
    difference = average(one.shares - two.shares, given.names)
    size = difference.terms[0][0]
    away = difference.scaled(1 / size)
    return square_term(one.chance, two.chance, size**2, away)


def square_term(first: Chance, second: Chance, size: float, away: Average) -> tuple[str, str]:
    """Write first · second · size · ‖away‖² as text and LaTeX."""
    number, symbols = size, []
    for chance in (first, second):
        if chance.symbolic:
            symbols.append(chance)
        else:
            number *= chance.value
    front = plain_number(number)
    text = [] if front == "1" else [front]
    latex = [] if front == "1" else [parse(front).to_latex() if "/" in front else tex(number)]
    squared = len(symbols) == 2 and first.formula == second.formula
    for chance in symbols[: 1 if squared else 2]:
        text.append(factor(chance.formula))
        shown = chance_latex(chance)
        latex.append(rf"\left({shown}\right)" if factor(chance.formula)[0] == "(" else shown)
    if squared:
        text[-1] += "^2"
        latex[-1] += "^2"
    text.append(f"norm({away.formula})^2")
    latex.append(rf"\lVert {away.latex} \rVert^2")
    return " ".join(text), r"\, ".join(latex)


def plain_number(x: float) -> str:
    """A number as a simple fraction, or in 15 digits."""
    from regard.kinds.noise.solve.chances import fraction_of

    simple = fraction_of(x)
    return str(simple) if simple is not None else f"{x:.15g}"


def _finite(setting: Setting, independent: bool) -> Found:
    """Mean and variance where the output has a density: for the numbers of the instance."""
    given, queries = setting.given, setting.queries()
    unit = np.eye(given.n)
    law = output_law(setting, queries, unit)
    mean, covariance = law.mean, law.covariance
    kept = kept_law(setting, queries, unit) if given.ignore_negative else None
    if kept is not None:
        mean, covariance = kept
    shown = average(np.where(np.abs(mean) > 1e-15, mean, 0.0), given.names)
    number = float(np.trace(setting.values.T @ covariance @ setting.values))
    variance, variance_latex = f"{number:.15g}", f"{number:.6g}"
    moved = one_noise(setting, queries)
    if moved is not None and len(queries) == 1 and kept is None:
        # c = w + σ(Z) (v_a - w): the variance is that of one weight.
        spread = float(covariance[moved.key, moved.key])
        s = np.delete(moved.means[0], moved.key)
        s = np.exp(s - np.max(s))
        away = np.insert(-s / np.sum(s), moved.key, 1.0)
        variance = f"{spread:.15g} norm({average(away, given.names).formula})^2"
    return Found(
        setting,
        None,
        None,
        shown.formula,
        shown.latex,
        variance,
        variance_latex,
        number,
        True,
        independent,
    )


def _holds_elsewhere(given: NoiseGiven, law: LimitLaw | None) -> bool:
    """Try the atoms on other instances: their keys decide who wins, their values what that is."""
    if law is None or not law.exact:
        return False
    for seed in range(DRAWN):
        other = read(given, np.random.default_rng(seed))
        if other.growth is None:
            return bool(np.all(other.covariances == 0))
        if np.any(other.growth.offsets):
            return False
        drawn = key_noise(
            other.growth.directions, other.means, other.covariances, other.values, method="limit"
        )
        symbols = {**value_symbols(given, other.values), "n": float(given.n)}
        left = [atom for atom in drawn.atoms if not other.late or atom[0] > 1e-5]
        for atom in law.atoms:
            point = np.asarray(parse(average(atom.shares, given.names).formula).evaluate(symbols))
            close = [
                place
                for place, (chance, value) in enumerate(left)
                if np.max(np.abs(point - value)) <= 1e-9 * (1 + np.max(np.abs(value)))
                and abs(chance - atom.chance.value) <= (1e-5 if other.late else 1e-9)
            ]
            if not close:
                return False
            left.pop(close[0])
        if left:
            return False
    return True
