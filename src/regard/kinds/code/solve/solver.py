"""Labs: the completed file, each function explained, run and compared with the reference."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from regard.kinds.code.solve.catalogue import CATALOGUE
from regard.kinds.code.solve.certificate import certificate
from regard.kinds.code.solve.file import Function, complete, functions, load
from regard.kinds.code.solve.mistakes import mistakes
from regard.kinds.code.solve.runs import RUNS, worst
from regard.kinds.code.spec import CodeProblem
from regard.report import Block, Code, Heading, Plot, Series, Table, Text, number
from regard.solving.finding import Status
from regard.solving.solution import Solution, solved

# The formula that says most about a lab, if it is part of it.
HEADLINES = (
    "attention",
    "causal_attention",
    "masked_attention",
    "self_attention",
    "multi_head_attention",
    "softmax",
    "sinusoidal_positions",
)


def solve(problem: CodeProblem) -> Solution:
    """Complete the file, run its functions and show them one by one."""
    skeleton, wanted = problem.given.skeleton, problem.goal.functions
    parts = functions(skeleton, wanted)
    run = load(parts, skeleton)
    rng = np.random.default_rng(3)
    apart = {part.name: worst(run[part.name], part.behaviour, rng) for part in parts}
    proof, places = certificate(parts, run, problem.goal.tolerance)
    good = all(apart[name] <= problem.goal.tolerance for name in wanted)
    first = next(name for name in HEADLINES if name in wanted.values())
    return solved(
        problem=problem,
        # What a function returns is proved on an instance, and compared with loops on others.
        status=Status.ARGUED if good else Status.UNDECIDED,
        headline=CATALOGUE[first].formula,
        answer={"file": complete(skeleton, parts)},
        certificate=proof,
        steps=tuple((_sentence(part), CATALOGUE[part.behaviour].formula) for part in parts),
        details=(*_shown(parts), *_compared(parts, apart, places), _plot(parts, run)),
        mistakes=mistakes(wanted),
        reaches=tuple(range(len(proof.claims))),
        instances=RUNS,
    )


def _sentence(part: Function) -> str:
    return f"{CATALOGUE[part.behaviour].title} ({part.name}). {CATALOGUE[part.behaviour].why}"


def _shown(parts: tuple[Function, ...]) -> list[Block]:
    blocks: list[Block] = []
    for part in parts:
        entry = CATALOGUE[part.behaviour]
        blocks.append(Heading(f"{entry.title}: {part.name}", 3))
        if part.helper:
            blocks.append(Text("The skeleton has no such function, and others call it."))
        blocks += [Text(entry.why), Code(part.source, "python")]
    return blocks


def _compared(
    parts: tuple[Function, ...], apart: Mapping[str, float], places: tuple[tuple[str, str], ...]
) -> list[Block]:
    rows = tuple((part.name, str(RUNS), number(apart[part.name], 2)) for part in parts)
    columns = ("function", "drawn instances", "largest difference")
    blocks: list[Block] = [
        Heading("Run and compared", 3),
        Text("Each function was run on drawn instances and compared with plain loops."),
        Table(columns, rows),
    ]
    if places:
        caption = "Which rows of the outputs that are proved below a function returned"
        blocks.append(Table(("function", "rows, from 0"), places, caption))
    return blocks


def _plot(parts: tuple[Function, ...], run: Mapping[str, Callable[..., Any]]) -> Plot:
    """Draw what one of the functions does: weights if one attends, waves or powers otherwise."""
    names = {part.behaviour: part.name for part in parts if not part.helper}
    rng = np.random.default_rng(2)
    query, key = (2 * rng.standard_normal((6, 4)) for _ in range(2))
    labels = tuple(str(place) for place in range(1, 7))
    for behaviour in ("causal_attention", "masked_attention", "attention"):
        if behaviour in names:
            # With the axes as values, outputs are weights.
            mask = (np.tri(6, dtype=bool),) if behaviour == "masked_attention" else ()
            weights = np.asarray(run[names[behaviour]](query, key, np.eye(6), *mask))
            return Plot(
                "heatmap",
                f"Weights of {names[behaviour]} on a drawn instance",
                "key",
                "query",
                rows=tuple(tuple(row) for row in weights.tolist()),
                row_labels=labels,
                column_labels=labels,
            )
    if "sinusoidal_positions" in names:
        table = np.asarray(run[names["sinusoidal_positions"]](40, 8))
        places = tuple(float(t) for t in range(40))
        series = tuple(
            Series(f"column {column}", places, tuple(table[:, column].tolist()))
            for column in (0, 1, 2, 3)
        )
        return Plot("lines", "Sinusoidal positions, d_model = 8", "position", "entry", series)
    if "softmax" in names:
        weights = np.asarray(run[names["softmax"]](np.arange(6.0)))
        series = (Series("softmax", labels, tuple(weights.tolist())),)
        return Plot("bars", "The softmax of 0, 1, …, 5", "entry", "weight", series)
    behaviour, name = next(iter(names.items()))
    x = rng.standard_normal((6, 4))
    heads = (2,) if behaviour == "multi_head_attention" else ()
    matrices = [rng.standard_normal((*heads, 4, 4)) for _ in range(3)]
    matrices += [rng.standard_normal((8, 4))] if heads else []
    output = np.asarray(run[name](x, *matrices))
    return Plot(
        "heatmap",
        f"Output of {name} on a drawn instance",
        "entry",
        "token",
        rows=tuple(tuple(row) for row in output.tolist()),
        row_labels=labels,
    )
