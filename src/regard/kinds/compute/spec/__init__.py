"""What a worked example gives and asks for."""

from regard.kinds.compute.spec.given import ComputeGiven
from regard.kinds.compute.spec.names import Quantity, is_quantity, quantity, sizes
from regard.kinds.compute.spec.numbers import ROOT, fraction, is_rational
from regard.kinds.compute.spec.problem import ComputeGoal, ComputeProblem

__all__ = [
    "PROBLEM",
    "ROOT",
    "ComputeGiven",
    "ComputeGoal",
    "ComputeProblem",
    "Quantity",
    "fraction",
    "is_quantity",
    "is_rational",
    "quantity",
    "sizes",
]

PROBLEM = ComputeProblem
