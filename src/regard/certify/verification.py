"""Check every claim of a certificate, and say what was found.

A claim holds if it is proved from the arrays and its witness, fails if it is
certainly false, and is undecided otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any, NamedTuple

import numpy as np

from regard.certify import (
    bands,
    beyond,
    computed,
    conditions,
    distribution,
    equivalences,
    hard_limit,
    heads,
    hull,
    identities,
    impossibility,
    moments,
    multiples,
    noise,
    noise_bounds,
    output_law,
    output_rms,
    outputs,
    patterns,
    position_moments,
    positions,
    random_heads,
    rank,
    rms_exclusion,
    separating_formulas,
    separator,
    shortest,
    weights,
)
from regard.certify.balls import Decision
from regard.certify.certificate import Certificate, Claim, Unusable
from regard.certify.floats import differing, floats_of
from regard.certify.objects import contradictions, held_by_claims, subjects


class _Kind(NamedTuple):
    decide: Callable[[Claim, Certificate], Decision]
    say: Callable[[Claim], str]


KINDS = {
    "weights_close": _Kind(weights.weights_close, weights.say_weights_close),
    "output_close": _Kind(weights.output_close, weights.say_output_close),
    "margin_at_least": _Kind(weights.margin_at_least, weights.say_margin_at_least),
    "margin_at_most": _Kind(weights.margin_at_most, weights.say_margin_at_most),
    "shortest_copy": _Kind(shortest.shortest_copy, shortest.say_shortest_copy),
    "ceiling": _Kind(impossibility.ceiling, impossibility.say_ceiling),
    "weights_apart": _Kind(impossibility.weights_apart, impossibility.say_weights_apart),
    "floors_out_of_reach": _Kind(
        impossibility.floors_out_of_reach, impossibility.say_floors_out_of_reach
    ),
    "output_ceiling": _Kind(impossibility.output_ceiling, impossibility.say_output_ceiling),
    "weights_beyond": _Kind(beyond.weights_beyond, beyond.say_weights_beyond),
    "output_beyond": _Kind(beyond.output_beyond, beyond.say_output_beyond),
    "pattern_beyond": _Kind(beyond.pattern_beyond, beyond.say_pattern_beyond),
    "outputs_beyond": _Kind(beyond.outputs_beyond, beyond.say_outputs_beyond),
    "apart_from_hull": _Kind(hull.apart_from_hull, hull.say_apart_from_hull),
    "multiples_out_of_reach": _Kind(
        multiples.multiples_out_of_reach, multiples.say_multiples_out_of_reach
    ),
    "separates": _Kind(separator.separates, separator.say_separates),
    "separating_formula": _Kind(
        separating_formulas.separating_formula, separating_formulas.say_separating_formula
    ),
    "norm_at_most": _Kind(separator.norm_at_most_claim, separator.say_norm_at_most),
    "norm_at_least": _Kind(separator.norm_at_least, separator.say_norm_at_least),
    "no_separator": _Kind(separator.no_separator, separator.say_no_separator),
    "pattern_close": _Kind(heads.pattern_close, heads.say_pattern_close),
    "outputs_close": _Kind(heads.outputs_close, heads.say_outputs_close),
    "pattern_ceiling": _Kind(patterns.pattern_ceiling, patterns.say_pattern_ceiling),
    "pattern_apart": _Kind(patterns.pattern_apart, patterns.say_pattern_apart),
    "d_k_at_least": _Kind(rank.d_k_at_least, rank.say_d_k_at_least),
    "outputs_out_of_reach": _Kind(outputs.outputs_out_of_reach, outputs.say_outputs_out_of_reach),
    "outputs_contradict": _Kind(outputs.outputs_contradict, outputs.say_outputs_contradict),
    "mean_gap": _Kind(noise.mean_gap, noise.say_mean_gap),
    "mean_weights": _Kind(noise.mean_weights, noise.say_mean_weights),
    "score_variance": _Kind(noise.score_variance, noise.say_score_variance),
    "failure_at_most": _Kind(noise.failure_at_most, noise.say_failure_at_most),
    "variance_at_least": _Kind(noise_bounds.variance_at_least, noise_bounds.say_variance_at_least),
    "gap_at_most": _Kind(noise_bounds.gap_at_most, noise_bounds.say_gap_at_most),
    "offset_mass": _Kind(positions.offset_mass, positions.say_offset_mass),
    "strongest_rival": _Kind(positions.strongest_rival, positions.say_strongest_rival),
    "band_gap": _Kind(bands.band_gap, bands.say_band_gap),
    "band_optimal": _Kind(bands.band_optimal, bands.say_band_optimal),
    "computed": _Kind(computed.computed, computed.say_computed),
    "identity": _Kind(identities.identity, identities.say_identity),
    "always_above": _Kind(identities.always_above, identities.say_always_above),
    "identity_fails": _Kind(identities.identity_fails, identities.say_identity_fails),
    "distribution": _Kind(distribution.distribution, distribution.say_distribution),
    "dot_product_moments": _Kind(moments.dot_product_moments, moments.say_dot_product_moments),
    "position_moments": _Kind(
        position_moments.position_moments, position_moments.say_position_moments
    ),
    "output_law": _Kind(output_law.output_law, output_law.say_output_law),
    "output_rms": _Kind(output_rms.output_rms, output_rms.say_output_rms),
    "weights_rms_at_least": _Kind(
        rms_exclusion.weights_rms_at_least, rms_exclusion.say_weights_rms_at_least
    ),
    "hard_limit": _Kind(hard_limit.hard_limit, hard_limit.say_hard_limit),
    "heads_independent": _Kind(random_heads.heads_independent, random_heads.say_heads_independent),
    "score_differences": _Kind(random_heads.score_differences, random_heads.say_score_differences),
    "equivalence": _Kind(equivalences.equivalence, equivalences.say_equivalence),
    "gap_condition": _Kind(conditions.gap_condition, conditions.say_gap_condition),
    "condition": _Kind(conditions.condition, conditions.say_condition),
    "aligned": _Kind(conditions.aligned, conditions.say_aligned),
}


@dataclass(frozen=True)
class ClaimResult:
    """What was found about one claim.

    Attributes:
        kind: the kind of the claim; "arrays" for arrays that are not the certificate's, and for
            claims about different ones.
        status: "holds", "fails" or "undecided".
        statement: the claim as a sentence.
        reason: one sentence with the number found.
        tested: on how many instances a claim about all of them was tested; 0: it is proved as it
            is stated.
    """

    kind: str
    status: str
    statement: str
    reason: str
    tested: int = 0


@dataclass(frozen=True)
class Verification:
    """What was found about a certificate. `holds` only if every claim does."""

    holds: bool
    claims: tuple[ClaimResult, ...]

    def __str__(self) -> str:
        good = sum(result.status == "holds" for result in self.claims)
        lines = [
            f"{'holds' if self.holds else 'does not hold'}: {good} of {len(self.claims)} claims"
        ]
        for result in self.claims:
            lines.append(f"  {result.status:<9}  {result.kind}: {result.statement}")
            lines.append(f"{'':13}{result.reason}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{name}</th>" for name in ("status", "kind", "claim", "found"))
        rows = [
            "".join(
                f"<td>{escape(text)}</td>"
                for text in (result.status, result.kind, result.statement, result.reason)
            )
            for result in self.claims
        ]
        return f"<table><tr>{head}</tr>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"


def verify(certificate: Any, /, **arrays: Any) -> Verification:
    """Check every claim of a certificate.

    Args:
        certificate: a `Certificate`, or the dict from its `to_dict()`.
        arrays: arrays by name, which must be the ones that the certificate is about: those it was
            given (`keys`, `values` …) or those it proves something of (`query`, `M` …).

    Returns:
        A `Verification`. It holds only if every claim is decided and true. A claim that
        cannot be checked is undecided; an error (a ValueError) is raised only for a dict
        that `Certificate.from_dict` cannot read.

    Example:
        >>> import numpy as np
        >>> from regard.certify import Certificate, Claim, verify
        >>> fields = {"key": 0, "bound": 0.5, "radius": None}
        >>> claim = Claim("ceiling", fields, {"combination": [0, 1, 1]})
        >>> print(verify(Certificate({"keys": np.array([[1.0], [0.0], [2.0]])}, (claim,))))
        holds: 1 of 1 claims
          holds      ceiling: no query gives key 0 more than 0.5
                     The weight is at most 0.333333.
    """
    if not isinstance(certificate, Certificate):
        certificate = Certificate.from_dict(certificate)
    claims = certificate.claims if isinstance(certificate.claims, list | tuple) else ()
    results = [_check(claim, certificate) for claim in claims]
    if not results:
        reason = "There is nothing to check."
        results = [ClaimResult("none", "fails", "the certificate claims nothing", reason)]
    if isinstance(certificate.claims, list | tuple) and isinstance(certificate.arrays, Mapping):
        for said, reason in contradictions(certificate):
            results.append(ClaimResult("arrays", "fails", said, reason))
    for name, array in arrays.items():
        difference = _difference(name, array, certificate)
        if difference is not None:
            about = f"the certificate is about this array {name}"
            results.append(ClaimResult("arrays", "fails", about, difference))
    holds = all(result.status == "holds" for result in results)
    return Verification(holds, tuple(results))


def statement(claim: Claim) -> str:
    """Return a claim as a sentence."""
    try:
        names = subjects(claim)
        about = f"of {', '.join(names)}: " if names else ""
        return about + KINDS[claim.kind].say(claim)
    except Exception:  # its fields may be anything
        return "a claim that cannot be read"


def _check(claim: Claim, certificate: Certificate) -> ClaimResult:
    try:
        kind = KINDS.get(claim.kind)
        if kind is None:
            decision = Decision("undecided", f"{claim.kind!r} is not a kind of claim.")
        else:
            decision = kind.decide(claim, certificate)
    except Unusable as problem:
        decision = Decision("undecided", str(problem))
    except Exception as problem:  # a witness may be anything; what cannot be read proves nothing
        decision = Decision("undecided", f"It cannot be checked: {problem!r}.")
    name = str(getattr(claim, "kind", "none"))
    reason = _sentence(decision.reason)
    return ClaimResult(name, decision.status, statement(claim), reason, decision.tested)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _difference(name: str, array: Any, certificate: Certificate) -> str | None:
    """Say how an array differs from the certificate's of that name; None: it does not."""
    try:
        arrays = certificate.arrays
        own = arrays[name] if name in arrays else held_by_claims(certificate, name)
        if own is None:
            return f"The certificate has no array {name}."
        # Of a list NumPy would make floats, and round whole numbers on the way.
        given = np.asarray(array, dtype=object if isinstance(array, list | tuple) else None)
        mine = floats_of(own, name)
        if given.dtype.kind not in "biufVO":
            return f"{name} does not hold numbers."
        if given.dtype.kind in "bV":  # booleans, and bfloat16: float64 holds all of them
            given = given.astype(np.float64)
        if mine.shape != given.shape:
            return f"{name} has shape {given.shape}, and the certificate's has {mine.shape}."
        others = int(differing(mine, given).sum())
    except Exception as problem:  # whatever was given, it is not the array
        return f"{name} cannot be read: {problem!r}."
    return f"{name} has {others} other entries than the certificate's." if others else None
