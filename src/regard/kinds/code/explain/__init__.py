"""Tell what each function of a lab does, what came of running it, and how it goes wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from regard.kinds.code.explain.function_words import WORDS
from regard.kinds.code.explain.wrong_versions import wrong_versions
from regard.kinds.code.solve import Completed
from regard.kinds.code.solve.completed_file import load
from regard.kinds.code.solve.reference_runs import RUNS, draw, outcome
from regard.kinds.code.spec import CodeProblem
from regard.report import Block, Code, Heading, Plot, Series, Table, Text, number
from regard.report.headline import marked
from regard.report.numbers import spelled
from regard.solving.finding import Explanation

# The formula that says most about a lab, if it is part of it.
HEADLINES = (
    "attention",
    "causal_attention",
    "masked_attention",
    "self_attention",
    "cross_attention",
    "padding_attention",
    "causal_padding_attention",
    "multi_head_attention",
    "split_head_attention",
    "rotary",
    "softmax",
    "sinusoidal_positions",
    "copy_query",
)


def explain(problem: CodeProblem, found: Completed) -> Explanation:
    """Return the functions one by one."""
    wanted = problem.goal.functions
    first = next(name for name in HEADLINES if name in wanted.values())
    entries = [(part, WORDS[part.behaviour]) for part in found.functions]
    return Explanation(
        WORDS[first].formula,
        tuple(
            step
            for part, one in entries
            for step in ((f"**{one.title} ({part.name}).** {one.why}", one.formula), *one.more)
        ),
        (*_compared(found), _plot(problem, found), *_shown(found)),
        wrong_versions(wanted),
        argued=_result(found),
    )


def _result(found: Completed) -> str:
    """Say how many functions agree with plain loops."""
    count = len(found.apart)
    agree = marked("agrees" if count == 1 else "agree", "query")
    functions = f"{spelled(count).capitalize()} function{'s' * (count != 1)}"
    each = "" if count == 1 else " each"
    return f"{functions} {agree} with plain loops on {RUNS} drawn instances{each}."


def _shown(found: Completed) -> list[Block]:
    blocks: list[Block] = [Heading("The functions, one by one", role="folded")]
    for part in found.functions:
        entry = WORDS[part.behaviour]
        blocks.append(Heading(f"{entry.title}: {part.name}", 3))
        if part.helper:
            blocks.append(Text("The skeleton has no such function, and others call it."))
        blocks += [Text(entry.why), Code(part.source, "python")]
    return blocks


def _compared(found: Completed) -> list[Block]:
    rows = tuple((name, str(RUNS), number(apart, 2)) for name, apart in found.apart.items())
    blocks: list[Block] = [
        Text("Each function was run on drawn instances and compared with plain loops."),
        Table(("function", "drawn instances", "largest difference"), rows),
    ]
    if found.rows:
        caption = "Which rows of the outputs that are proved below a function returned"
        blocks.append(Table(("function", "rows, from 0"), found.rows, caption))
    return blocks


def _plot(problem: CodeProblem, found: Completed) -> Plot:
    """Draw what one of the functions does: weights if one attends, waves or powers otherwise."""
    run = load(found.functions, problem.given.skeleton)
    names = {part.behaviour: part.name for part in found.functions if not part.helper}
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
                rows=tuple(map(tuple, weights.tolist())),
                row_labels=labels,
                column_labels=labels,
            )
    if "sinusoidal_positions" in names:
        table = np.asarray(run[names["sinusoidal_positions"]](40, 8))
        places = tuple(float(t) for t in range(40))
        waves = [Series(f"column {i}", places, tuple(table[:, i].tolist())) for i in range(4)]
        return Plot("lines", "Sinusoidal positions, d_model = 8", "position", "entry", tuple(waves))
    if "softmax" in names:
        weights = np.asarray(run[names["softmax"]](np.arange(6.0)))
        series = (Series("softmax", labels, tuple(weights.tolist())),)
        return Plot("bars", "The softmax of 0, 1, …, 5", "entry", "weight", series)
    return _other_plot(run, *next(iter(names.items())), rng)


def _other_plot(
    run: Mapping[str, Callable[..., Any]], behaviour: str, name: str, rng: np.random.Generator
) -> Plot:
    """Draw weights where a function can show them, turns where it turns, else its output."""
    if behaviour == "rotary":
        places = tuple(float(t) for t in range(40))
        pair = np.tile([1.0, 0.0], (40, 2))
        table = np.asarray(run[name](pair, np.arange(40)))
        waves = [Series(f"entry {i}", places, tuple(table[:, i].tolist())) for i in range(4)]
        return Plot("lines", "(1, 0, 1, 0), turned by position", "position", "entry", tuple(waves))
    title, rows_of = f"Output of {name} on a drawn instance", "entry"
    arguments = draw(behaviour, rng)
    if behaviour in ("padding_attention", "causal_padding_attention"):
        query, key = (rng.standard_normal((1, 6, 4)) for _ in range(2))
        # With the axes as values, outputs are weights.
        arguments = query, key, np.eye(6)[np.newaxis], np.array([4])
        title, rows_of = f"Weights of {name}, with 4 of 6 keys real", "key"
    shown = np.asarray(outcome(behaviour, arguments, run[name](*arguments)))
    shown = np.atleast_2d(shown[0] if shown.ndim == 3 else shown)
    if behaviour == "copy_query":
        title, rows_of = f"Weights of the query that {name} returns", "key"
    return Plot("heatmap", title, rows_of, "token", rows=tuple(map(tuple, shown.tolist())))
