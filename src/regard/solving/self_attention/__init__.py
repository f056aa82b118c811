"""Choose K, Q and V: outer products of basis vectors where they do it, numbers otherwise."""

from __future__ import annotations

from regard.solving.self_attention.solver import solve

__all__ = ["solve"]
