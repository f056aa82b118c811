"""Designs from numbers of extreme size: a result that holds, or a message that names the number."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtr

import regard
from audits.designs.extreme_inputs import DESIGNS, Call, Rng
from regard.analysis.noise.two_keys import logistic_moments
from regard.certify import verify

EYE = np.eye(3)


def noisy(size: float) -> Any:
    return np.broadcast_to(size * EYE, (3, 3, 3))


SLOWEST = 120.0  # seconds, of one call on a busy machine; nearly all take a hundredth


def outcome(call: Call) -> str:
    """Call a design function: all certificates hold, or a message of that function says why not."""
    function, arguments, options = call
    started = time.monotonic()
    certificates, said = [], ""
    try:
        certificates, found = [function(*arguments, **options).certificate], "design"
    except (regard.InfeasibleDesign, regard.UndecidedDesign) as refusal:
        certificates = [refusal.certificate, refusal.best and refusal.best.certificate]
        found, said = type(refusal).__name__, str(refusal)
    except regard.RegardError as refusal:
        found, said = "refused", str(refusal)
    assert time.monotonic() - started < SLOWEST
    assert said.startswith(f"design.{function.__name__}: ") == (found != "design")
    for certificate in certificates:
        assert certificate is None or verify(certificate).holds, str(verify(certificate))
    return found if " must not be that " not in said else "extreme: " + said


@pytest.mark.parametrize("draw", DESIGNS, ids=lambda draw: draw.__name__)
def test_random_extremes_hold_or_are_refused_by_name(draw: Any) -> None:
    found = {outcome(draw(np.random.default_rng([seed, 1]))) for seed in range(40)}
    assert "design" in found
    assert len(found) > 1


@pytest.mark.slow
@pytest.mark.parametrize("draw", DESIGNS, ids=lambda draw: draw.__name__)
def test_many_random_extremes_hold_or_are_refused_by_name(draw: Any) -> None:
    found = {outcome(draw(np.random.default_rng([seed, 2]))) for seed in range(300)}
    assert "design" in found


@pytest.mark.parametrize(
    ("call", "name"),
    [
        ((regard.design.query, (1e-310 * EYE, 0), {}), "keys"),
        ((regard.design.query, (EYE, 0), {"scale": 1e200, "tolerance": 1e-200}), "tolerance"),
        ((regard.design.query, (EYE, {0: 0.3, 1: 0.7}), {"scale": 1e200}), "scale"),
        ((regard.design.query, (EYE, 0), {"values": 1e200 * EYE}), "values"),
        ((regard.design.query, ([[1.7e308], [-1.7e308]], 0), {}), "keys"),
        ((regard.design.query, ([[1.7e308, 0], [0, 1.7e308]], {0: 0.5, 1: 0.5}), {}), "keys"),
        ((regard.design.robust, (EYE, noisy(1e300), 0), {"gap": 1.0}), "covariances"),
        ((regard.design.robust, (1e-310 * EYE, noisy(1.0), 0), {"gap": 1.0}), "means"),
        ((regard.design.robust, (EYE, noisy(1.0), 0), {"gap": 1e200}), "gap"),
        ((regard.design.separator, ([[1e-310], [0]], [[0], [1]]), {}), "S"),
        ((regard.design.separator, ([[1], [0]], [[1.7e308], [1.7e308]]), {}), "T"),
        ((regard.design.self_attention, (EYE,), {"attend": {0: 1}, "scale": 1e300}), "scale"),
        ((regard.design.self_attention, (EYE,), {"outputs": {0: [1e300, 1e-310]}}), "outputs[0]"),
    ],
)
def test_an_extreme_number_is_named_or_the_design_holds(call: Call, name: str) -> None:
    found = outcome(call)
    assert not found.startswith("extreme") or f": {name} must not be that " in found
    assert found != "refused"


def test_the_message_says_what_to_do() -> None:
    with pytest.raises(regard.ParameterError) as caught:
        regard.design.query(1e-310 * EYE, 0)
    assert str(caught.value) == (
        "design.query: keys must not be that small: float64 cannot work with it here. Measure in "
        "other units: multiply keys by a constant, so that it lies between 1e-30 and 1e+30. Got "
        "1e-310."
    )


@pytest.mark.parametrize("size", [1e-200, 1e-40, 1e40, 1e200])
def test_keys_of_extreme_size_that_can_be_served_still_are(size: float) -> None:
    design = regard.design.query(size * EYE, 1)
    assert verify(design.certificate, keys=size * EYE, query=design.query).holds
    ordinary = regard.design.query(EYE, 1)
    np.testing.assert_allclose(design.query * size, ordinary.query, rtol=1e-6)


def test_means_that_drown_in_noise_take_no_time() -> None:
    """The score differences have a deviation of 1e8 and more: σ is a step then."""
    means = 1e-8 * np.array([[-2.0, 1.0], [2.0, -1.0]])
    noise = np.array([[[3.3, 3.9], [3.9, 7.6]], [[4.5, 3.0], [3.0, 5.3]]])
    assert outcome((regard.design.robust, (means, noise, 0), {})) == "design"


def test_the_law_of_a_weight_between_two_very_noisy_keys() -> None:
    """E σ(Z) and Var σ(Z) by a fine sum over Z itself, where σ is not a step."""
    for mean, deviation in ((0.0, 1100.0), (300.0, 2000.0), (-4000.0, 1500.0), (7.0, 30000.0)):
        z = np.arange(-60.0, 60.0, 0.01) + 0.005
        # Outside ±60 σ is 0 or 1 to 1e-26: there the Gaussian tail is all.
        density = np.exp(-0.5 * ((z - mean) / deviation) ** 2) / deviation / np.sqrt(2 * np.pi)
        slope = 1 / (2 + np.exp(z) + np.exp(-z))
        inside = np.sum(density * slope) * 0.01  # E σ(1 − σ)
        above = ndtr((mean - 60) / deviation)
        sigma = 1 / (1 + np.exp(-z))
        expected = above + np.sum(density * sigma) * 0.01
        got = [float(x) for x in logistic_moments(np.array(mean), np.array(deviation))]
        np.testing.assert_allclose(got[0], expected, rtol=1e-7)
        np.testing.assert_allclose(got[1], expected * (1 - expected) - inside, rtol=1e-6)
        np.testing.assert_allclose(got[2], 1 - expected, rtol=1e-7)


def test_ordinary_numbers_are_not_looked_at_twice() -> None:
    """Nothing is verified on the way where nothing is extreme: a large design stays quick."""
    rng: Rng = np.random.default_rng(0)
    assert outcome((regard.design.query, (rng.standard_normal((2000, 20)), 5), {})) == "design"
