"""Analyse: what random keys, positions and perturbations do to attention."""

from regard.lazy_names import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__)
