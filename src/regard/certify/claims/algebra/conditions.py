"""Claims about when a key gets the weight.

With scores s, weights a = softmax(s) and the gap g = s_j - max_{i≠j} s_i of key j:

    gap_condition   g ≥ gap is sufficient (necessary) for a_j ≥ 1 - ε among n keys, or for
                    a_j ≥ R a_i for all i ≠ j, whatever the scores; if tight, no smaller (larger)
                    gap is
    condition       in given instances, a condition is sufficient (necessary, both) for an effect:
                    a test of the condition, not a proof; or one instance proves that it is not
    aligned         for q = C k_j the weight of key j goes to 1 as C → ∞, or does not

Proof of the first. a_j = 1/(1 + Σ_{i≠j} exp(s_i - s_j)), where the sum is at most (n-1) exp(-g),
with equality if the others score alike, and at least exp(-g), which is approached as all others but
one fall. So g ≥ gap is sufficient iff (n-1) exp(-gap) ≤ ε/(1-ε), and necessary iff exp(-gap) ≥
ε/(1-ε). The least a_j/a_i = exp(s_j - s_i) is exp(g).

The third. The scores are scale C k_i·k_j: key j must score above all others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from flint import arb, fmpq

from regard.certify import balls, reading
from regard.certify.balls import BALLS, EXACT, Arithmetic, Decision, Outcome
from regard.certify.certificate import Certificate, Claim, Unusable
from regard.certify.claims.claim_type import ClaimType
from regard.certify.claims.worked_examples.computed import in_digits
from regard.certify.claims.worked_examples.instances import belonging
from regard.certify.formulas.evaluation import evaluate, read, scalar, table
from regard.certify.formulas.functions import exact_number, exponential, in_balls, in_rationals
from regard.certify.formulas.number_tables import Table
from regard.language import Formula

SAYS = ("sufficient", "necessary", "equivalent", "not sufficient", "not necessary")
MOST_INSTANCES = 1000


def gap_claim(
    says: str,
    gap: str | float,
    cases: Sequence[Mapping[str, Any]],
    *,
    effect: str = "mass",
    tight: bool = False,
) -> Claim:
    """Return the claim that a gap is sufficient or necessary, in cases of n and epsilon, or R."""
    fields = {
        "says": says,
        "gap": gap,
        "cases": [dict(case) for case in cases],
        "effect": effect,
        "tight": tight,
    }
    return Claim("gap_condition", fields)


def condition_claim(
    says: str, condition: str, effect: str, instances: Sequence[Mapping[str, Any]]
) -> Claim:
    """Return the claim that a condition is (not) sufficient or necessary in some instances."""
    fields = {"says": says, "condition": condition, "effect": effect}
    return Claim("condition", fields, {"instances": [dict(some) for some in instances]})


def aligned_claim(key: int, wins: bool) -> Claim:
    """Return the claim that a long query along a key has (or has not) its weight go to 1."""
    return Claim("aligned", {"key": key, "wins": wins})


def _say_gap_condition(claim: Claim) -> str:
    fields = claim.fields
    effect = "1 - epsilon" if fields["effect"] == "mass" else "R times every other weight"
    cases = reading.listed(fields["cases"], "cases")
    some = "; ".join(
        ", ".join(f"{name} = {in_digits(value)}" for name, value in case.items())
        for case in cases[:3]
    )
    more = f" and {len(cases) - 3} more" if len(cases) > 3 else ""
    edge = ""
    if fields["tight"]:
        edge = f", and no {'smaller' if fields['says'] == 'sufficient' else 'larger'} gap is"
    return (
        f"that a key scores above every other by at least {in_digits(fields['gap'])} is "
        f"{fields['says']} for a weight of at least {effect}{edge} ({some}{more})"
    )


def gap_condition(claim: Claim, certificate: Certificate) -> Decision:
    """Compare exp(gap) with the level at which the gap is both sufficient and tight."""
    says, effect, tight = (claim.stated.part(name) for name in ("says", "effect", "tight"))
    if says not in SAYS[:2] or effect not in ("mass", "ratio") or not isinstance(tight, bool):
        raise Unusable("says, effect or tight cannot be read.")
    gap = claim.stated.part("gap")
    formula = read(gap, "gap") if isinstance(gap, str) else None
    cases = claim.stated.listed("cases")
    if not cases:
        raise Unusable("cases must not be empty.")
    readings = [_case(case, effect, says) for case in cases]
    if formula is None:
        reading.number(gap, "gap")

    def test(in_rationals: bool) -> Outcome:
        truths, found = [], ""
        for values, level in readings:
            raised = _exp_of_gap(gap, formula, values, in_rationals)
            wanted = level if in_rationals else arb(level)
            pair = (wanted, raised) if says == "sufficient" else (raised, wanted)
            truths.append(balls.at_most(*pair))
            if tight:
                truths.append(balls.at_most(*pair[::-1]))
            found = f"exp(gap) is {balls.show(raised)}, where {balls.show(level)} is the border."
        return Outcome(balls.every(*truths), found)

    return balls.constructed(balls.settle(lambda: test(False), lambda: test(True)))


def _case(case: Any, effect: str, says: str) -> tuple[dict[str, Table], fmpq]:
    """Return the values of the symbols, and the border of exp(gap)."""
    names = {"n", "epsilon"} if effect == "mass" else {"R"}
    if not isinstance(case, Mapping) or set(case) != names:
        raise Unusable(f"a case must give {' and '.join(sorted(names))}.")
    values = {name: exact_number(value, name) for name, value in case.items()}
    if effect == "ratio":
        level = values["R"]
        if level <= 0:
            raise Unusable("R must be above 0.")
    else:
        n, epsilon = values["n"], values["epsilon"]
        if n.q != 1 or n < 2 or not 0 < epsilon < 1:
            raise Unusable("n must be at least 2, and epsilon between 0 and 1.")
        level = (1 - epsilon) / epsilon * (n - 1 if says == "sufficient" else 1)
    return {name: Table((), (value,)) for name, value in values.items()}, level


def _exp_of_gap(
    gap: Any, formula: Formula | None, values: Mapping[str, Table], in_rationals: bool
) -> Any:
    """Return exp(gap)."""
    if in_rationals:
        if formula is None:
            raise Unusable("the exponential of a number is not rational.")
        return exponential(formula.tree, values)
    if formula is None:
        return arb(gap).exp()
    balls = {name: Table((), (arb(value.entries[0]),)) for name, value in values.items()}
    return scalar(evaluate(formula.tree, balls, BALLS, in_balls), "gap").exp()


def _say_condition(claim: Claim) -> str:
    says, condition, effect = (claim.fields[name] for name in ("says", "condition", "effect"))
    count = len(reading.listed(claim.witness["instances"], "instances"))
    return {
        "sufficient": f"in {count} instances, wherever {condition}, also {effect}",
        "necessary": f"in {count} instances, {effect} only where {condition}",
        "equivalent": f"in {count} instances, {effect} exactly where {condition}",
        "not sufficient": f"{condition} does not imply {effect}: an instance shows it",
        "not necessary": f"{effect} does not need {condition}: an instance shows it",
    }[says]


def condition(claim: Claim, certificate: Certificate) -> Decision:
    """Decide in every instance whether there is the condition, and whether there is the effect."""
    says = claim.stated.part("says")
    if says not in SAYS:
        raise Unusable(f"says must be one of {', '.join(SAYS)}.")
    cause, effect = (read(claim.stated.part(name), name) for name in ("condition", "effect"))
    instances = claim.witnessed.listed("instances")
    if not 0 < len(instances) <= MOST_INSTANCES:
        raise Unusable(f"there must be 1 to {MOST_INSTANCES} instances.")
    if not all(isinstance(some, Mapping) for some in instances):
        raise Unusable("an instance must give values by name.")
    for some in instances:
        belonging(some)

    def test(numbers: Arithmetic) -> Outcome:
        seen: list[tuple[bool | None, bool | None]] = []
        for some in instances:
            values = {str(name): table(value, str(name), numbers) for name, value in some.items()}
            seen.append((_truth(cause, values, numbers), _truth(effect, values, numbers)))
        both, neither = seen.count((True, True)), seen.count((False, False))
        alone, without = seen.count((True, False)), seen.count((False, True))
        reason = (
            f"Both in {both}, neither in {neither}, the condition alone in {alone}, the effect "
            f"alone in {without}."
        )
        known = not any(None in pair for pair in seen)
        if says.startswith("not"):
            shown = alone if says == "not sufficient" else without
            return Outcome(True if shown else False if known else None, reason)
        against = (alone if says != "necessary" else 0) + (without if says != "sufficient" else 0)
        if against:
            return Outcome(False, reason)
        if known and (both == 0 or (neither == 0 and says == "equivalent")):
            raise Unusable(f"too few instances show anything: {reason[:1].lower()}{reason[1:]}")
        return Outcome(True if known else None, reason)

    found = balls.constructed(balls.settle(lambda: test(BALLS), lambda: test(EXACT)))
    # One instance against a condition is a proof; any number of instances for it is a test.
    return found if says.startswith("not") else found._replace(tested=len(instances))


def _truth(formula: Formula, values: Mapping[str, Table], numbers: Arithmetic) -> bool | None:
    try:
        function = in_rationals if numbers is EXACT else in_balls
        found = evaluate(formula.tree, values, numbers, function)
    except ZeroDivisionError:
        raise Unusable("an instance divides by 0.") from None
    if isinstance(found, Table):
        raise Unusable("a condition must be a comparison.")
    return found


def _say_aligned(claim: Claim) -> str:
    key = claim.fields["key"]
    goes = "goes to 1" if claim.fields["wins"] else "does not go to 1"
    return f"as a query along key {key} grows, the weight of key {key} {goes}"


def aligned(claim: Claim, certificate: Certificate) -> Decision:
    """Decide scale (k_j·k_j - k_i·k_j) > 0 for all i ≠ j."""
    keys = reading.given(certificate, "keys")
    key = claim.stated.index("key", len(keys))
    wins = claim.stated.part("wins")
    scale = reading.number(certificate.scale, "scale")
    if not isinstance(wins, bool) or len(keys) < 2:
        raise Unusable("there must be two keys, and wins must be true or false.")

    def test(numbers: Arithmetic) -> Outcome:
        direction = [numbers.number(scale) * numbers.number(x) for x in keys[key].tolist()]
        scores = balls.products(keys, direction, numbers)
        rival = numbers.largest([score for i, score in enumerate(scores) if i != key])
        ahead = scores[key] - rival
        truth = balls.less(0, ahead)
        if truth is not None:
            truth = truth == wins
        return Outcome(truth, f"Key {key} is ahead by {balls.show(ahead)} per unit of C.")

    return balls.constructed(balls.settle_algebra(test))


CLAIM_TYPES = {
    "gap_condition": ClaimType(gap_condition, _say_gap_condition),
    "condition": ClaimType(
        condition,
        _say_condition,
        "Instances are counted in which the condition and its effect hold, both or alone.",
    ),
    "aligned": ClaimType(aligned, _say_aligned),
}
