"""Find the law of the output for given queries over random keys.

It is worked out for the keys of the plainest instance, written as formulas in the values, and
tried on other instances of the same laws. Probabilities are proved where one key at most varies in
each head.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from regard.certify import Certificate
from regard.kinds.noise.instance import Setting, read
from regard.kinds.noise.instance.formulas import average, mean_formula, variance_formula
from regard.kinds.noise.solve.claims import certificate
from regard.kinds.noise.solve.findings import FiniteFound, LimitFound, OutputFound
from regard.kinds.noise.solve.finite_queries import kept_law, weight_law
from regard.kinds.noise.solve.hardmax_limit import LimitLaw, head_lead, limit_law
from regard.kinds.noise.solve.normal_chances import Cut, recognised
from regard.kinds.noise.spec import NoiseGiven, NoiseProblem
from regard.language import parse
from regard.solving.finding import Status
from regard.solving.key_tables import softmax

__all__ = ["FiniteFound", "LimitFound", "find", "solve"]


MOST_PAIRS = 6  # of values in a formula for the variance
CLOSE = 1e-9
DRAWN = 3  # other instances that formulas are tried on


def solve(problem: NoiseProblem) -> FiniteFound | LimitFound:
    """Return the law of the output: atoms, mean, variance, and whether heads are independent."""
    found, wanted = find(problem.given), problem.goal.find
    proof, reaches = certificate(found, wanted)
    return replace(
        found,
        status=_status(found, bool(reaches)),
        answer={name: field for name, field in found.fields.items() if name in wanted},
        certificate=proof,
        reaches=reaches,
    )


def _status(found: OutputFound, proved: bool) -> Status:
    # Samples say about how likely something is, and no more; a finite size is not the limit.
    known = found.law.exact if isinstance(found, LimitFound) else not found.setting.grows
    if not known:
        return Status.UNDECIDED
    return Status.PROVED if proved else Status.NUMERIC


def find(given: NoiseGiven) -> FiniteFound | LimitFound:
    """Work out the law of the output, without a proof."""
    setting = read(given)
    used = {name for text in given.covariance_formulas.values() for name in parse(text).names}
    used -= {limit.name for limit in given.read_limits}
    now = {name: given.parameters[name] for name in sorted(used & set(given.parameters))}

    def lead(head: int) -> Cut:
        return recognised(lambda changed: head_lead(read(given, changed=changed), head), now)

    whole = limit_law(setting, ignore_negative=False, recognise=lead)
    law = whole
    if given.ignore_negative:
        law = limit_law(setting, ignore_negative=True, recognise=lead)
        if law is not None and not all(part.outcomes for part in law.parts):
            law = whole  # what is left has no chance at all
    if law is None or whole is None:
        return _finite(setting)
    parts = [part.outcomes for part in law.parts]
    pairs = sum(len(outcomes) * (len(outcomes) - 1) // 2 for outcomes in parts)
    number = float(np.trace(law.moments(setting.values)[1]))
    digits = 15 if law.exact else 4
    many = pairs > MOST_PAIRS
    outcomes = [outcome for part in parts for outcome in part]
    return LimitFound(
        Status.UNDECIDED,
        {},
        Certificate({}, ()),
        setting=setting,
        # Samples know no more than three digits.
        mean=mean_formula(outcomes, given.names, None if law.exact else 3),
        variance=f"{number:.{digits}g}" if many else variance_formula(parts, given.names),
        law=law,
        whole=whole,
        general=_holds_elsewhere(given, whole),
        one_instance=many,
    )


def _finite(setting: Setting) -> FiniteFound:
    """Mean and variance where the output has a density: for the numbers of the instance."""
    law, names = weight_law(setting), setting.given.names
    mean, covariance = law.mean, law.covariance
    kept = kept_law(setting) if setting.given.ignore_negative else None
    if kept is not None:
        mean, covariance = kept
    variance = f"{float(np.trace(setting.values.T @ covariance @ setting.values)):.15g}"
    moved = setting.one_noise(setting.queries())
    if moved is not None and setting.heads == 1 and kept is None:
        # c = w + σ(Z) (v_a - w): the variance is that of one weight.
        rest = softmax(np.delete(moved.means[0], moved.key))
        away = average(np.insert(-rest, moved.key, 1.0), names)
        variance = f"{covariance[moved.key, moved.key]:.15g} norm({away.formula})^2"
    return FiniteFound(
        Status.UNDECIDED,
        {},
        Certificate({}, ()),
        setting=setting,
        mean=average(np.where(np.abs(mean) > 1e-15, mean, 0.0), names).formula,
        variance=variance,
    )


def _holds_elsewhere(given: NoiseGiven, law: LimitLaw) -> bool:
    """Whether other instances have the same atoms: their keys decide who wins."""
    for seed in range(DRAWN):
        drawn = read(given, np.random.default_rng(seed))
        other = limit_law(drawn, ignore_negative=False)
        if other is None or not law.exact or len(other.atoms) != len(law.atoms):
            return False
        for (p, shares), (q, others) in zip(law.atoms, other.atoms, strict=True):
            same = abs(p.value - q.value) <= (1e-5 if drawn.late else CLOSE)
            if not same or np.max(np.abs(shares - others)) > CLOSE:
                return False
    return True
