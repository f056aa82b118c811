"""Analyse: what random keys, positions and perturbations do to attention."""

from __future__ import annotations

from regard.analysis.capacity import Capacity, capacity
from regard.analysis.content import ContentSplit, content_split
from regard.analysis.exact_numbers import ExponentialQuotient, Surd
from regard.analysis.interference import Interference, interference
from regard.analysis.interference_table import InterferenceTable, interference_table
from regard.analysis.law import OutputLaw
from regard.analysis.moments import (
    Moments,
    SimulatedMoments,
    dot_product_moments,
    simulate_dot_product,
)
from regard.analysis.noise import key_noise
from regard.analysis.position_plots import (
    plot_attention,
    plot_embedding,
    plot_interference,
    plot_kernel,
)
from regard.analysis.positional_kernel import PositionalKernel, positional_kernel
from regard.analysis.rotary_kernel import rotary_kernel
from regard.analysis.sensitivity import Sensitivity, sensitivity
from regard.analysis.sharpness import Entropy, entropy, scale_for_support
from regard.analysis.stability import DesignStability, Stability, stability
from regard.analysis.trace import Trace, trace
from regard.analysis.trace_entries import Entry

__all__ = [
    "Capacity",
    "ContentSplit",
    "DesignStability",
    "Entropy",
    "Entry",
    "ExponentialQuotient",
    "Interference",
    "InterferenceTable",
    "Moments",
    "OutputLaw",
    "PositionalKernel",
    "Sensitivity",
    "SimulatedMoments",
    "Stability",
    "Surd",
    "Trace",
    "capacity",
    "content_split",
    "dot_product_moments",
    "entropy",
    "interference",
    "interference_table",
    "key_noise",
    "plot_attention",
    "plot_embedding",
    "plot_interference",
    "plot_kernel",
    "positional_kernel",
    "rotary_kernel",
    "scale_for_support",
    "sensitivity",
    "simulate_dot_product",
    "stability",
    "trace",
]
