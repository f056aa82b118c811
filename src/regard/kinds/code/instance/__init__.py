"""What functions are tried on, and what they must return: small cases first."""

from __future__ import annotations

from regard.kinds.code.instance.cases import Case, cases
from regard.kinds.code.instance.expected import compared, expected, shape_of

__all__ = ["Case", "cases", "compared", "expected", "shape_of"]
