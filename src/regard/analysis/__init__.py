"""Analyse: what random keys, positions and perturbations do to attention."""

from __future__ import annotations

from regard.analysis.capacity import Capacity, capacity
from regard.analysis.law import OutputLaw
from regard.analysis.moments import (
    Moments,
    SimulatedMoments,
    dot_product_moments,
    simulate_dot_product,
)
from regard.analysis.noise import key_noise
from regard.analysis.sensitivity import Sensitivity, sensitivity
from regard.analysis.sharpness import Entropy, entropy, scale_for_support

__all__ = [
    "Capacity",
    "Entropy",
    "Moments",
    "OutputLaw",
    "Sensitivity",
    "SimulatedMoments",
    "capacity",
    "dot_product_moments",
    "entropy",
    "key_noise",
    "scale_for_support",
    "sensitivity",
    "simulate_dot_product",
]
