"""Design: from a goal to the query or the matrices that reach it, with a proof either way."""

from regard.lazy_names import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__)
