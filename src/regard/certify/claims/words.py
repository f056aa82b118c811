"""Words that the sentences of several claims have in common, made from the fields of a claim."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from regard.certify import reading
from regard.certify.certificate import Claim

__all__ = ["WORDS", "keys_in_words", "queries", "worded_target"]


def queries(claim: Claim) -> str:
    """Return words for the queries that a claim is about: all, or those up to a length."""
    radius = claim.stated.part("radius")
    return "no query" if radius is None else f"no query of length up to {reading.down(radius)}"


def _heads(claim: Claim) -> str:
    """Return words for the heads that a claim is about: all, or those up to a norm of A."""
    radius = claim.stated.part("radius")
    return "every head" if radius is None else f"every head with ‖A‖ up to {reading.down(radius)}"


def _within(claim: Claim) -> str:
    """Return words for the length up to which queries are spoken of, or nothing."""
    radius = claim.stated.part("radius")
    return "" if radius is None else f" of length up to {reading.down(radius)}"


def worded_target(claim: Claim) -> str:
    """Word a target: "all of its weight on key 2", "the weights 0.5, 0.5 on keys 0, 1"."""
    target = claim.stated.part("target")
    places = reading.listed(target["indices"], "indices")
    weights = reading.listed(target["weights"], "weights")
    if len(places) > 5:
        return f"its target weights on {len(places)} keys"
    if len(places) == 1:
        return f"a weight of {reading.exactly(weights[0])} on key {places[0]}"
    on = ", ".join(str(place) for place in places)
    return f"weights of {', '.join(reading.exactly(w) for w in weights)} on keys {on}"


def keys_in_words(places: Sequence[Any]) -> str:
    """Name keys: "key 2", "keys 0, 1", "the 7 chosen keys"."""
    if len(places) > 5:
        return f"the {len(places)} chosen keys"
    return f"key{'s' * (len(places) > 1)} {', '.join(str(place) for place in places)}"


def _chosen_keys(claim: Claim) -> str:
    return keys_in_words(reading.listed(claim.fields["chosen"], "chosen"))


def _scores_in_the_mean(target: Any) -> str:
    """Say how the mean scores of keys must differ: "scores keys 0, 1 alike in the mean"."""
    places = reading.listed(reading.part(target, "indices"), "indices")
    weights = [
        reading.number(w, "weights")
        for w in reading.listed(reading.part(target, "weights"), "weights")
    ]
    if len(set(weights)) == 1:
        return f"scores {keys_in_words(places)} alike in the mean"
    few = f" {', '.join(reading.exactly(w) for w in weights)}" if len(weights) <= 5 else " given"
    return (
        f"gives {keys_in_words(places)} mean scores that differ as the logarithms of the weights"
        f"{few}"
    )


def _lifts(claim: Claim) -> str:
    """Word what admissible queries do: "scores keys 0, 1 alike in the mean and lifts them"."""
    target = claim.fields["target"]
    places = reading.listed(target["indices"], "indices")
    if len(places) == 1:
        return f"lifts {keys_in_words(places)}"
    return f"{_scores_in_the_mean(target)} and lifts them"


def _deviations(claim: Claim) -> str:
    """Say how many standard deviations are taken off a gap."""
    deviations = reading.number(claim.fields["deviations"], "deviations")
    return f", less {reading.exactly(deviations)} standard deviations" if deviations else ""


def _noise(claim: Claim) -> str:
    """Name the variance that a claim is about."""
    pairs = reading.listed(claim.fields["pairs"], "pairs")
    weights = claim.fields["weights"]
    if len(pairs) == 1 and (weights is None or reading.listed(weights, "weights") == [1.0]):
        return f"variance of the score difference of keys {pairs[0][0]}, {pairs[0][1]}"
    which = "largest variance" if weights is None else "weighted sum of the variances"
    return f"{which} of {len(pairs)} score difference{'s' * (len(pairs) > 1)}"


WORDS: Mapping[str, Callable[[Claim], str]] = {
    "queries": queries,
    "heads": _heads,
    "up_to": _within,
    "weights": worded_target,
    "chosen_keys": _chosen_keys,
    "scores_in_the_mean": lambda claim: _scores_in_the_mean(claim.fields["target"]),
    "lifts": _lifts,
    "less_deviations": _deviations,
    "noise": _noise,
}
