"""Numbers about heads, one idea per file, each with its formula: `FORMULAS` gathers them."""

from __future__ import annotations

from regard.models.scores import activations, composition, copying, kernel, rank, shares, sinks

FORMULAS: dict[str, str] = {
    name: formula
    for module in (kernel, shares, sinks, rank, copying, composition, activations)
    for name, formula in module.FORMULAS.items()
}
"""What each number of an inspection is, by its name."""
