"""Complete the file of a lab, run its functions and compare them with the reference."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from regard.kinds.code.solve.block_certificate import certificate
from regard.kinds.code.solve.completed_file import Function, complete, functions, load
from regard.kinds.code.solve.reference_runs import RUNS, worst
from regard.kinds.code.spec import CodeProblem
from regard.solving.finding import Finding, Status


@dataclass(frozen=True, eq=False, kw_only=True)
class Completed(Finding):
    """A completed file.

    Attributes:
        functions: those asked for, and the helpers that they need.
        apart: the largest difference from the reference, by the name of the function.
        rows: which rows of the outputs that are proved a function returned.
    """

    functions: tuple[Function, ...]
    apart: Mapping[str, float]
    rows: tuple[tuple[str, str], ...]


def solve(problem: CodeProblem) -> Completed:
    """Return the completed file with what its functions do on instances."""
    skeleton, wanted = problem.given.skeleton, problem.goal.functions
    parts = functions(skeleton, wanted)
    run = load(parts, skeleton)
    rng = np.random.default_rng(3)
    apart = {part.name: worst(run[part.name], part.behaviour, rng) for part in parts}
    proof, rows = certificate(parts, run, problem.goal.tolerance)
    good = all(apart[name] <= problem.goal.tolerance for name in wanted)
    return Completed(
        # What a function returns is proved on an instance, and compared with loops on others.
        Status.ARGUED if good else Status.UNDECIDED,
        {"file": complete(skeleton, parts)},
        proof,
        tuple(range(len(proof.claims))),
        RUNS,
        functions=parts,
        apart=apart,
        rows=rows,
    )
