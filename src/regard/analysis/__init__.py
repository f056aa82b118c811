"""Analyse: what random keys, positions and perturbations do to attention."""

from __future__ import annotations

from regard.analysis.law import OutputLaw
from regard.analysis.noise import key_noise

__all__ = ["OutputLaw", "key_noise"]
