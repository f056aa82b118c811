"""Problems to solutions: one solver per kind.

A solver reads what a problem gives and asks for, never its name, title, statement or source.

>>> solution = solve("average-two-values")
>>> solution.answer["q"]
'C (k_a + k_b)'
"""

from __future__ import annotations

from regard.solving.dispatch import solve
from regard.solving.finding import Status
from regard.solving.solution import Solution
from regard.solving.variants import variant

__all__ = ["Solution", "Status", "solve", "variant"]
