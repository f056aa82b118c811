"""The stages of attention, each a file that says which steps it adds; see `pipeline_of`."""

from __future__ import annotations

from regard.analysis.exact_trace.pipeline import Pipeline
from regard.kinds.compute.solve.stages import (
    block,
    inputs,
    masks,
    merge,
    outputs,
    positions,
    projections,
    scores,
    weights,
)
from regard.kinds.compute.solve.stages.recipe import Recipe
from regard.kinds.compute.spec import ComputeGiven

STAGES = (inputs, projections, positions, scores, masks, weights, outputs, merge, block)


def pipeline_of(given: ComputeGiven) -> Pipeline:
    """Return every step of a worked example, from what is given to what comes out."""
    recipe = Recipe(given)
    for stage in STAGES:
        stage.add(recipe)
    return Pipeline(tuple(recipe.steps))
