"""The solution in words: headline, numbers and mistakes for tokens without matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from regard.kinds.feasibility.solve.scene import Scene, scene
from regard.kinds.feasibility.solve.search import grid
from regard.kinds.feasibility.solve.steps import multiple, square, steps, unit
from regard.language import parse, parse_limit
from regard.report import Block, Facts, Plot, Series, Table, number, vector
from regard.solving.latex_numbers import percent, ratio

if TYPE_CHECKING:
    from regard.kinds.feasibility.solve.solver import Found

__all__ = ["details", "headline", "mistakes", "steps", "with_multiple"]

SHARES = (0.5, 2 / 3, 1.0, 4 / 3)  # of the instance's length: the trend towards the limit


def with_multiple(token: str, times: float, name: str) -> str:
    """Return token + times · name in the formula language; without the token if it is empty."""
    sign = "+" if times > 0 else "-"
    size = ratio(abs(times))
    added = name if parse(name).names == {name} else f"({name})"
    added = added if size == "1" else f"{size} {added}"
    return f"{token} {sign} {added}" if token else f"{'-' * (times < 0)}{added}"


def headline(found: Found) -> str:
    """Return the answer in one line."""
    close = rf"{found.symbol} \approx {parse(found.shown).to_latex()}"
    goal = parse(found.goal_text).to_latex()
    if not found.possible:
        return rf"{close}, \qquad {found.symbol} \approx {goal} \; \text{{is impossible}}"
    if found.as_it_is:
        return rf"{found.symbol} \approx {goal} \; \text{{as it is}}"
    token = parse(found.changed_token).to_latex()
    return (
        rf"{close} \; \text{{as it is}}, \qquad {found.symbol} \approx {goal} \; \text{{with}} \; "
        rf"x_{{{found.scene.changed + 1}}} = {token}"
    )


def details(found: Found) -> tuple[Block, ...]:
    """Return the numbers of the instance."""
    at = found.scene
    cases = [("as it is", at.tokens)]
    cases += [(f"with {name}", at.changed_by(1.0, one)) for name, one in at.added]
    best = None if found.as_it_is or not found.possible else found.best
    if best is not None and best.factor != 1:
        changed = at.changed_by(best.factor, best.vector)
        cases.append((f"x_{at.changed + 1} = {found.changed_token}", changed))
    rows = tuple(
        (
            name,
            vector(at.weights(tokens), digits=6),
            percent(at.error(tokens)),
            vector(found.nearest(tokens), digits=6),
            number(found.hull(tokens), 10),
            percent(found.hull(tokens) / at.size),
        )
        for name, tokens in cases
    )
    columns = ("tokens", "weights", "error", "nearest weights", "distance", "relative")
    comes = [(f"{found.label} is close to", found.shown)]
    if found.problem.given.limits:
        comes.append(("at a distance of", number(found.distance, 10)))
    wanted = f"{found.goal_text}, within {percent(found.tolerance)} of its length"
    blocks: list[Block] = [
        Facts((*comes, ("wanted", wanted))),
        Table(columns, rows, "what comes out, and how near any weights at all could come"),
    ]
    blocks += _trend(found)
    blocks.append(_plot(at))
    return tuple(blocks)


def _trend(found: Found) -> list[Block]:
    """Return a table of how the output approaches its limit, if the length is a parameter."""
    given = found.problem.given
    norm, limits = given.basis.norm, [parse_limit(limit).name for limit in given.limits]
    if not isinstance(norm, str) or limits != [norm] or found.scene.norm > 20:
        return []
    rows = []
    for share in SHARES:
        there: Scene = scene(found.problem, {norm: share * found.scene.norm})
        weights = there.weights(there.tokens)
        away = there.away(found.limit_weights)
        rows.append(
            (
                number(there.norm),
                vector(weights, digits=10),
                number(away, 10),
                percent(away / there.norm),
            )
        )
    columns = (norm, "weights", "distance to its limit", f"over {norm}")
    return [Table(columns, tuple(rows), f"{found.label} for other lengths")]


def _plot(at: Scene) -> Plot:
    series = []
    for name, one in at.added:
        factors = grid(at, one, 2.0)[::2]
        errors = [min(at.error(at.changed_by(float(f), one)), 1e3) for f in factors]
        series.append(Series(f"multiples of {name}", tuple(factors.tolist()), tuple(errors)))
    if not series:
        series.append(Series("as it is", (0.0,), (at.error(at.tokens),)))
    return Plot(
        "lines", "how far the output is from the goal", "factor", "relative error", tuple(series)
    )


def mistakes(found: Found) -> tuple[str, ...]:
    """Return what is often got wrong, in numbers."""
    at = found.scene
    weights = at.weights(at.tokens)
    even = float(np.linalg.norm(np.mean(at.tokens, axis=0) - found.limit))
    said = []
    if even > 0.01 * at.norm:
        said.append(
            f"Reading attention as an even average of the tokens: token {at.row + 1} gives itself "
            f"{percent(float(weights[at.row]), 6)} of the weight, and the even average is "
            f"{number(even, 4)} away from what comes out."
        )
    others = [j for j in range(len(at.tokens)) if j != at.row]
    before = at.scale * (at.tokens @ at.tokens[at.row]) / unit(found)
    for name, one in at.added[:2]:
        if at.changed != at.row or not others:
            continue
        tokens = at.changed_by(1.0, one)
        after = at.scale * (tokens @ tokens[at.row]) / unit(found)
        j = max(others, key=lambda k: float(after[k] - before[k]))
        if after[j] <= before[j] or after[j] >= after[at.row]:
            continue
        said.append(
            f"Thinking that ${parse(name).to_latex()}$ in token {at.row + 1} makes it attend to "
            f"$x_{{{j + 1}}}$: that score does grow, to ${multiple(float(after[j]))} \\cdot "
            f"{square(found)}$, but its own grows to ${multiple(float(after[at.row]))} \\cdot "
            f"{square(found)}$. The weight on $x_{{{j + 1}}}$ is "
            f"{number(float(at.weights(tokens)[j]), 3)}."
        )
    nearest = found.hull(at.tokens)
    if not found.possible and nearest > found.tolerance * at.size:
        said.append(
            f"Blaming the weights alone: even weights chosen freely leave an error of "
            f"{percent(nearest / at.size)}, because the values are the tokens themselves. Only a "
            "matrix for the values can take a part of a token."
        )
    return tuple(said)
