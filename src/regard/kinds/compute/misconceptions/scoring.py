"""Mistakes about scores and weights."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from regard.checking.tags.softmax_substitutes import SOFTMAX_SUBSTITUTES
from regard.kinds.compute.instance import Example, Float64, Found, Setup
from regard.kinds.compute.instance.forward import entropy, head_names, weights
from regard.kinds.compute.instance.positions import biases
from regard.kinds.compute.misconceptions.case import imitated, otherwise, with_given, with_stage
from regard.kinds.compute.misconceptions.imitation import Imitate, Imitated
from regard.kinds.compute.spec import ROOT, Quantity


def _scaled_otherwise(example: Example, scale: float) -> Imitated:
    if scale != example.setup.scale:
        yield otherwise(example, scale=scale)


def _with_root(example: Example) -> Imitated:
    if example.setup.scale == 1 and example.given.d_k:
        yield from _scaled_otherwise(example, 1 / math.sqrt(example.given.d_k))


def _without_root(example: Example) -> Imitated:
    if example.given.scale == ROOT and example.given.d_k:
        yield from _scaled_otherwise(example, 1 / example.given.d_k)


def _weighed(weigh: str) -> Imitate:
    """Weights that something else than the softmax makes out of the scores."""

    def stage(setup: Setup, found: Found) -> Mapping[str, Float64]:
        result = dict(weights(setup, found))
        for name in head_names(setup):
            Z = found[f"Z{name}"] / setup.temperature
            Z = np.where(setup.allowed, Z, -np.inf) if setup.given.hides else Z
            result[f"A{name}"] = SOFTMAX_SUBSTITUTES[weigh](Z)
        return result

    def imitate(example: Example) -> Imitated:
        if "Z" in example.right or "Z_h1" in example.right:
            yield with_stage(example, weights=stage)

    return imitate


def _unweighted(example: Example) -> Imitated:
    """The mean of the values, or their sum."""
    if "V" not in example.right or example.given.heads > 1:
        return
    yield from _weighed("values-not-weighted")(example)
    total = np.sum(example.right["V"], axis=0)
    yield {**example.right, "C": np.tile(total, (example.given.n_q, 1))}


def _temperature(power: int) -> Imitate:
    def imitate(example: Example) -> Imitated:
        if example.setup.temperature != 1:
            yield otherwise(example, temperature=example.setup.temperature**power)

    return imitate


def _uncapped(example: Example) -> Imitated:
    if example.given.softcap is not None:
        yield with_given(example, softcap=None)


def _softmax_for_sum(example: Example) -> Imitated:
    def stage(setup: Setup, found: Found) -> Mapping[str, Float64]:
        Z = np.where(setup.allowed, found["Z"], -np.inf)
        powers = np.exp(Z - Z.max(axis=1, keepdims=True))
        return {**weights(setup, found), "A": powers / powers.sum(axis=1, keepdims=True)}

    if example.given.divides and example.given.heads == 1:
        yield with_stage(example, weights=stage)


def _features(how: str) -> Imitate:
    """Linear attention with the feature map left out, or elu without the 1."""

    def stage(setup: Setup, found: Found) -> Mapping[str, Float64]:
        def phi(x: Float64) -> Float64:
            return x if how == "none" else np.where(x > 0, x, np.expm1(np.minimum(x, 0)))

        result = {f"{one}F": phi(found[one]) for one in "QK"}
        if "V" in found and not setup.given.hides:
            result["KV"] = result["KF"].T @ found["V"]
        return result

    def imitate(example: Example) -> Imitated:
        if example.given.feature_map == "elu+1":
            yield with_stage(example, rotated=stage)

    return imitate


def _score_otherwise(kind: str) -> Imitate:
    """Cosines without the lengths; additive scores without tanh."""

    def stage(setup: Setup, found: Found) -> Mapping[str, Float64]:
        Q, K = found["Q"], found["K"]
        if kind == "cosine":
            return {"G": Q @ K.T}
        return {"G": (Q[:, None, :] + K[None, :, :]) @ setup.arrays["w_score"][0]}

    def imitate(example: Example) -> Imitated:
        if example.given.score == kind and example.given.heads == 1:
            yield with_stage(example, raw_scores=stage)

    return imitate


def _biases_turned(example: Example) -> Imitated:
    """Biases with the other sign (alibi), or for query minus key (relative, t5)."""

    def stage(setup: Setup, found: Found) -> Mapping[str, Float64]:
        kind = setup.given.positions.kind if setup.given.positions else ""
        result: Found = {}
        for h, name in enumerate(head_names(setup)):
            B = biases(setup, h)
            result[f"B{name}"] = -B if kind == "alibi" else B.T
            if f"G{name}" in found:
                result[f"Z{name}"] = setup.scale * found[f"G{name}"] + result[f"B{name}"]
        return result

    p = example.given.positions
    square = example.given.n_q == example.given.n_k
    if p is not None and p.kind in ("alibi", "relative", "t5") and (square or p.kind == "alibi"):
        yield with_stage(example, scores=stage)


def _other_unit(example: Example) -> Imitated:
    if example.given.n is None:
        other = "nats" if example.given.entropy == "bits" else "bits"
        found = dict(example.right)
        for name in [one for one in found if Quantity(one).symbol == "H"]:
            found[name] = entropy(found[Quantity(name).other("A")], other)
        yield found


def _not_rescaled(example: Example) -> Imitated:
    """Each tile with its own maximum, and the sums just added."""
    size = example.given.tiles
    if size is None or example.given.hides:
        return
    Z = example.right["Z"] / example.setup.temperature
    parts = [Z[:, i : i + size] for i in range(0, Z.shape[1], size)]
    sums = np.cumsum([np.exp(z - z.max(1, keepdims=True)).sum(1) for z in parts], axis=0).T
    found: Found = {**example.right, "RS": sums}
    yield found
    yield {**found, "RM": np.array([z.max(1) for z in parts]).T}


def _weights_for_scores(example: Example) -> Imitated:
    names = [n for n in example.right if Quantity(n).symbol == "Z"]
    weights = {name: example.right.get(Quantity(name).other("A")) for name in names}
    given = {name: one for name, one in weights.items() if one is not None}
    if given:
        yield {**example.right, **given}


SCALES = (
    imitated(
        "forgot-scale",
        lambda example: _scaled_otherwise(example, 1.0),
        "The scale left out",
        "The scores were not multiplied by the scale that is asked for.\n"
        "That comes before the softmax.",
    ),
    imitated(
        "scaled-although-not-asked",
        _with_root,
        "The factor $1/\\sqrt{d_k}$ used although it is not asked for here",
    ),
    imitated(
        "scaled-without-root",
        _without_root,
        "Divided by $d_k$ instead of its root",
        "The scores were divided by d_k.\nThey are to be divided by its square root.",
    ),
)


WEIGHTS = (
    imitated(
        "softmax-over-columns",
        _weighed("softmax-over-columns"),
        "The softmax down the columns of $Z$ instead of along its rows",
    ),
    *(
        imitated(tag, _weighed(tag))
        for tag in (
            "unnormalised-weights",
            "scores-divided-by-their-sum",
            "scores-instead-of-weights",
            "softmax-over-all",
        )
    ),
    imitated("values-not-weighted", _unweighted, "The values without the weights"),
    imitated(
        "largest-score-takes-all",
        _weighed("largest-score-takes-all"),
        sentence=(
            "All the weight went to the largest score.\n"
            "Softmax leaves some for every key, and it counts here."
        ),
    ),
    imitated("weights-instead-of-scores", _weights_for_scores),
)


OTHERS = (
    imitated(
        "temperature-multiplied",
        _temperature(-1),
        "Multiplied by the temperature",
        "The scores were multiplied by the temperature.\nThey are to be divided by it.",
    ),
    imitated(
        "temperature-forgotten",
        _temperature(0),
        sentence=("The temperature was left out:\nthe scores are to be divided by it."),
    ),
    imitated(
        "softcap-forgotten",
        _uncapped,
        "The scores without their cap",
        "The scores were not capped:\neach score z becomes c tanh(z/c).",
    ),
    imitated(
        "softmax-although-sum",
        _softmax_for_sum,
        "The softmax although a division by the sum is asked for",
        "The softmax was taken.\nHere weights are the scores themselves, divided by their sum.",
    ),
    imitated(
        "feature-map-forgotten",
        _features("none"),
        "Without the feature map",
        "The feature map was left out:\nit is applied to queries and keys before their product.",
    ),
    imitated(
        "elu-without-one",
        _features("elu"),
        sentence=(
            "The feature map is elu(x) + 1, and the 1 is missing:\nfeatures have to be positive."
        ),
    ),
    imitated(
        "lengths-not-divided-out",
        _score_otherwise("cosine"),
        sentence=("Dot products were taken.\nFor cosines they are divided by both lengths."),
    ),
    imitated(
        "tanh-forgotten",
        _score_otherwise("additive"),
        sentence=(
            "The sum of query and key did not go through tanh.\n"
            "It does so before it becomes a score."
        ),
    ),
    imitated(
        "bias-the-other-way",
        _biases_turned,
        "The bias with the other sign",
        "The biases have the wrong sign.\nOr they belong to the offset with the other sign.",
    ),
    imitated(
        "entropy-in-another-unit",
        _other_unit,
        "The other logarithm",
        "The entropy was taken with another logarithm:\n"
        "nats have the natural one, bits that to base 2.",
    ),
    imitated(
        "running-sum-not-rescaled",
        _not_rescaled,
        "The sums of the tiles just added",
        "The running sum, or the maximum, is that of single tiles:\n"
        "when the maximum grows, the sum so far is multiplied by e to the old maximum minus "
        "the new one.",
    ),
)
