"""Tell what comes out of tokens without matrices, and whether a change of one of them helps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from regard.checking.sampling import Float64
from regard.kinds.feasibility.explain.steps import multiple, square, steps
from regard.kinds.feasibility.instance import instance
from regard.kinds.feasibility.solve import AsItIs, Found, OutOfReach, Reached
from regard.kinds.feasibility.solve.best_multiple import grid
from regard.kinds.feasibility.solve.findings import CHANGED, MIXED
from regard.kinds.feasibility.solve.limit import away
from regard.kinds.feasibility.spec import FeasibilityProblem
from regard.language import parse, parse_limit
from regard.problems.tokens import token_label
from regard.report import Block, Facts, Plot, Series, Table, number, vector
from regard.report.headline import marked
from regard.report.numbers import short
from regard.solving.finding import Explanation
from regard.solving.latex_numbers import percent
from regard.solving.token_names import token_symbol

__all__ = ["explain"]

SHARES = (0.5, 2 / 3, 1.0, 4 / 3)  # of the instance's length: the trend towards the limit


def explain(problem: FeasibilityProblem, found: AsItIs | Reached | OutOfReach) -> Explanation:
    """Return the output in words, and what a change can do about it."""
    details = (*_numbers(found), *_trend(found), _plot(found))
    told = Explanation(_headline(found), steps(found), details, _beliefs(found), _assumes(found))
    return replace(told, terms=tuple(_terms(found)), result=_result(found))


def _result(found: Found) -> str:
    symbol, goal = token_symbol(found.at.row, "c"), parse(found.goal_text).to_latex()
    instead = parse(found.instead).to_latex()
    if isinstance(found, AsItIs):
        return f"The output ${symbol}$ is close to ${goal}$ {marked('as it is', 'target')}."
    if isinstance(found, Reached):
        return f"The output ${symbol}$ is close to ${instead}$, and one change makes it ${goal}$."
    return (
        f"The output ${symbol}$ is close to ${instead}$, and ${goal}$ is "
        f"{marked('out of reach', 'bad')}."
    )


def _terms(found: Found) -> Iterator[str]:
    """Yield what the arrays are that claims name."""
    arrays = [str(claim.fields.get("array", "")) for claim in found.certificate.claims]
    if any(name.startswith(CHANGED) for name in arrays):
        yield f"The rows of {CHANGED}1 are the tokens with the first vector added once."
    if any(name.startswith(MIXED) for name in arrays):
        yield (
            f"Whatever the factor of the first vector is, the output is an average of the rows of "
            f"{MIXED}1; more numbers stand for a range of factors."
        )


def _headline(found: Found) -> str:
    symbol, goal = token_symbol(found.at.row, "c"), parse(found.goal_text).to_latex()
    close = rf"{symbol} \approx {parse(found.instead).to_latex()}"
    if isinstance(found, AsItIs):
        return rf"{symbol} \approx {goal} \; \text{{as it is}}"
    if isinstance(found, Reached):
        return (
            rf"{close} \; \text{{as it is}}, \qquad {symbol} \approx {goal} \; \text{{with}} \; "
            rf"{token_symbol(found.at.changed)} = {parse(found.token).to_latex()}"
        )
    return rf"{close}, \qquad {symbol} \approx {goal} \; \text{{is impossible}}"


def _assumes(found: Found) -> tuple[str, ...]:
    """Where what is asked about a limit is shown at the length given only."""
    if not isinstance(found, OutOfReach) or found.in_the_limit:
        return ()
    parameters = found.problem.given.parameters.items()
    values = ", ".join(f"{name} = {short(value, 4)}" for name, value in parameters)
    return (f"the parameters are as given ({values}), short of the limit.",)


def _numbers(found: Found) -> tuple[Block, ...]:
    """What comes out, as things are and with what may be added once."""
    at = found.at
    cases = {"as it is": at.tokens}
    cases |= {f"with {name}": at.changed_by(1.0, one) for name, one in at.directions.items()}
    if isinstance(found, Reached) and found.best.factor != 1:
        changed = at.changed_by(found.best.factor, found.best.vector)
        cases[f"{token_label(at.changed)} = {found.token}"] = changed
    comes = [(f"{found.label} is close to", found.instead)]
    if found.problem.given.limits:
        comes.append(("at a distance of", number(found.distance, 10)))
    wanted = f"{found.goal_text}, within {percent(found.tolerance)} of its length"
    columns = ("tokens", "weights", "error", "nearest weights", "distance", "relative")
    return (
        Facts((*comes, ("wanted", wanted))),
        Table(
            columns,
            tuple((name, *_row(found, tokens)) for name, tokens in cases.items()),
            "what comes out, and how near any weights at all could come",
        ),
    )


def _row(found: Found, tokens: Float64) -> tuple[str, ...]:
    distance, nearest = found.nearest_average(tokens)
    return (
        vector(found.at.weights(tokens), digits=4),
        percent(found.at.error(tokens)),
        vector(nearest, digits=4),
        number(distance, 10),
        percent(distance / found.at.size),
    )


def _trend(found: Found) -> list[Block]:
    """Return a table of how the output approaches its limit, if the length is a parameter."""
    given, length = found.problem.given, found.at.table.norm
    norm, limits = given.basis.norm, [parse_limit(limit).name for limit in given.limits]
    if not isinstance(norm, str) or limits != [norm] or length > 20:
        return []
    rows = []
    for share in SHARES:
        there = instance(found.problem, {norm: share * length})
        off = away(there, found.limit_weights)
        weights = vector(there.weights(), digits=4)
        over = percent(off / there.table.norm)
        rows.append((number(there.table.norm), weights, number(off, 10), over))
    columns = (norm, "weights", "distance to its limit", f"over {norm}")
    return [Table(columns, tuple(rows), f"{found.label} for other lengths")]


def _plot(found: Found) -> Plot:
    at, series = found.at, []
    for name, one in at.directions.items():
        factors = grid(at, one, 2.0)[::2]
        errors = [min(at.error(at.changed_by(float(f), one)), 1e3) for f in factors]
        series.append(Series(f"multiples of {name}", tuple(factors.tolist()), tuple(errors)))
    if not series:
        series.append(Series("as it is", (0.0,), (at.error(at.tokens),)))
    return Plot(
        "lines", "how far the output is from the goal", "factor", "relative error", tuple(series)
    )


def _beliefs(found: Found) -> tuple[str, ...]:
    """What is often believed: that what is added draws the token, or that weights are to blame."""
    at, said = found.at, []
    others = [j for j in range(len(at.tokens)) if j != at.row]
    before, unit, row = at.scores() / at.unit, square(found), at.row
    for name, one in list(at.directions.items())[:2]:
        if at.changed != row or not others:
            continue
        tokens = at.changed_by(1.0, one)
        after = at.scores(tokens) / at.unit
        j = max(others, key=lambda k: float(after[k] - before[k]))
        if after[j] <= before[j] or after[j] >= after[row]:
            continue
        said.append(
            f"Thinking that ${parse(name).to_latex()}$ in token {row + 1} makes it attend to "
            f"${token_symbol(j)}$: that score does grow, to ${multiple(float(after[j]))} \\cdot "
            f"{unit}$, but its own grows to ${multiple(float(after[row]))} \\cdot {unit}$. The "
            f"weight on ${token_symbol(j)}$ is {number(float(at.weights(tokens)[j]), 3)}."
        )
    if isinstance(found, OutOfReach) and not found.is_average(at.tokens):
        said.append(
            f"Blaming the weights alone: even weights chosen freely leave an error of "
            f"{percent(found.nearest_average(at.tokens)[0] / at.size)}, because the values are the "
            "tokens themselves. Only a matrix for the values can take a part of a token."
        )
    return tuple(said)
