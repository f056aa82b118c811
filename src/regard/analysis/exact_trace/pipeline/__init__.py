"""Attention as a list of steps, each number exact where it can be and else in balls of any size."""

from regard.analysis.exact_trace.pipeline.inexact import Inexact, Traced, floats, in_digits
from regard.analysis.exact_trace.pipeline.pipeline import Pipeline, Step

__all__ = ["Inexact", "Pipeline", "Step", "Traced", "floats", "in_digits"]
