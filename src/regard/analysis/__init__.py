"""Analyse: what random keys, positions and perturbations do to attention."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regard.lazy_names import lazy_names

if TYPE_CHECKING:
    from regard.analysis.backward import Gradients, gradients
    from regard.analysis.exact_trace.entries import Entry
    from regard.analysis.exact_trace.numbers import ExponentialQuotient, Surd
    from regard.analysis.exact_trace.trace import Trace, trace
    from regard.analysis.head_capacity import Capacity, capacity
    from regard.analysis.moments import (
        Moments,
        SimulatedMoments,
        dot_product_moments,
        simulate_dot_product,
    )
    from regard.analysis.noise.key_noise import key_noise
    from regard.analysis.noise.output_law import OutputLaw
    from regard.analysis.noise.stability import DesignStability, Stability, stability
    from regard.analysis.output_sensitivity import Sensitivity, sensitivity
    from regard.analysis.positions.content_split import ContentSplit, content_split
    from regard.analysis.positions.interference import Interference, interference
    from regard.analysis.positions.interference_table import InterferenceTable, interference_table
    from regard.analysis.positions.plots import (
        plot_attention,
        plot_embedding,
        plot_interference,
        plot_kernel,
    )
    from regard.analysis.positions.positional_kernel import PositionalKernel, positional_kernel
    from regard.analysis.positions.rotary_kernel import rotary_kernel
    from regard.analysis.sharpness import Entropy, entropy, scale_for_support
    from regard.analysis.worst_output import WorstCase, worst_case
else:  # a checker of types reads the lines above
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "backward": "Gradients gradients",
            "exact_trace.entries": "Entry",
            "exact_trace.numbers": "ExponentialQuotient Surd",
            "exact_trace.trace": "Trace trace",
            "head_capacity": "Capacity capacity",
            "moments": "Moments SimulatedMoments dot_product_moments simulate_dot_product",
            "noise.key_noise": "key_noise",
            "noise.output_law": "OutputLaw",
            "noise.stability": "DesignStability Stability stability",
            "output_sensitivity": "Sensitivity sensitivity",
            "positions.content_split": "ContentSplit content_split",
            "positions.interference": "Interference interference",
            "positions.interference_table": "InterferenceTable interference_table",
            "positions.plots": "plot_attention plot_embedding plot_interference plot_kernel",
            "positions.positional_kernel": "PositionalKernel positional_kernel",
            "positions.rotary_kernel": "rotary_kernel",
            "sharpness": "Entropy entropy scale_for_support",
            "worst_output": "WorstCase worst_case",
        },
    )

__all__ = [
    "Capacity",
    "ContentSplit",
    "DesignStability",
    "Entropy",
    "Entry",
    "ExponentialQuotient",
    "Gradients",
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
    "WorstCase",
    "capacity",
    "content_split",
    "dot_product_moments",
    "entropy",
    "gradients",
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
    "worst_case",
]
