"""Tell which statements are true, and why each is or is not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from regard.kinds.choice.solve import Choice
from regard.kinds.choice.spec import ChoiceProblem, Statement
from regard.language import abbreviations, latex_with_calls, parse
from regard.problems.symbols import SymbolsGiven
from regard.report import Plot, Table
from regard.report.arrays import shown
from regard.report.headline import marked
from regard.report.numbers import listing, spelled
from regard.solving.assertions import Settled
from regard.solving.finding import Explanation

_TRUE = {
    "all": "True, proved for all arrays, whatever their sizes.",
    "sizes": "True: proved for some sizes. A proof for all sizes is missing.",
    "tested": "True in all tests at drawn numbers; a proof is missing.",
    "": "True, proved.",
}


def explain(problem: ChoiceProblem, found: Choice) -> Explanation:
    """Return what is true, and a step for each statement."""
    steps = tuple(
        _step(statement, found.settled[statement.label], problem.given)
        for statement in problem.goal.statements
    )
    details: tuple[Plot | Table, ...] = (*_picture(found), *_numbers(problem, found))
    beliefs = _beliefs(problem, found)
    return Explanation(_headline(found), steps, details, beliefs, result=_result(found))


def _result(found: Choice) -> str:
    true = [label for label, one in found.settled.items() if one.truth]
    count, of = spelled(len(true)).capitalize(), spelled(len(found.settled))
    which = f": {listing(true)}" if true else ""
    verb = "is" if len(true) == 1 else "are"
    return f"{marked(count, 'target')} of {of} statements {verb} true{which}."


def _picture(found: Choice) -> tuple[Plot, ...]:
    """Return the statements side by side, those that are true dark; nothing where one is open."""
    truths = [one.truth for one in found.settled.values()]
    if None in truths:
        return ()
    labels = tuple(f"({label})" for label in found.settled)
    row = tuple(float(bool(truth)) for truth in truths)
    caption = "Which statements hold: 1 where one is true, 0 where it is false"
    return (
        Plot(
            "heatmap",
            caption,
            "statement",
            "",
            rows=(row,),
            row_labels=("true",),
            column_labels=labels,
        ),
    )


def _headline(found: Choice) -> str:
    def words(one: Settled) -> str:
        return "not settled" if one.truth is None else "true" if one.truth else "false"

    said = [rf"{_name(label)}\text{{: {words(one)}}}" for label, one in found.settled.items()]
    return r",\quad ".join(said)


def _name(label: str) -> str:
    return parse(label).to_latex()


def _step(statement: Statement, settled: Settled, given: SymbolsGiven) -> tuple[str, str]:
    truth = {True: "true", False: "false", None: "not settled"}[settled.truth]
    words = f"**({statement.label}) is {truth}.** {statement.words}".strip()
    formula = _formula(statement, given)
    if settled.truth is False and settled.values and formula.count("=") == 1:
        formula = formula.replace("=", r"\ne")  # a formula by itself is read as true
    return f"{words} {_reason(statement, settled)}", formula


def _beliefs(problem: ChoiceProblem, found: Choice) -> tuple[str, ...]:
    """Return the first statement that is not so, where it can be read without its formula."""
    for statement in problem.goal.statements:
        settled = found.settled[statement.label]
        if settled.truth is False and statement.words:
            return (f"({statement.label}) {statement.words} {_reason(statement, settled)}",)
    return ()


def _formula(statement: Statement, given: SymbolsGiven) -> str:
    if statement.says is None:
        return ""
    return latex_with_calls(statement.says, abbreviations(given.functions))


def _reason(statement: Statement, settled: Settled) -> str:
    if settled.truth is None:
        return "Not settled: neither a proof nor numbers for which it fails were found."
    shared = statement.shared_positions
    if shared is not None and settled.truth:
        return (
            "True: every pair turns by a whole number of turns over the same distance, which is a "
            "multiple of 2 pi."
        )
    if shared is not None and shared.over == "integers":
        return (
            "False: the first pair is sin(p), cos(p). Two positions share it only if they are a "
            "multiple of 2 pi apart, and no whole number but 0 is one."
        )
    if shared is not None:
        return "False: the first two pairs have no period in common, their ratio is irrational."
    if settled.truth and settled.values:
        return f"True: for the numbers below it is {settled.found}."
    if settled.truth:
        return _TRUE[settled.scope]
    if settled.values is None:
        return "False: both sides are the same for all arrays."
    return f"False. A counterexample is below: {settled.found}."


def _numbers(problem: ChoiceProblem, found: Choice) -> tuple[Table, ...]:
    """Return the numbers that show something, as tables."""
    tables: list[Table] = []
    for label, settled in found.settled.items():
        if settled.values:
            tables.append(_table(label, settled.values, problem))
    return tuple(tables)


def _table(label: str, values: Mapping[str, Any], problem: ChoiceProblem) -> Table:
    rows = tuple((name, shown(values[name])) for name in problem.given.shapes if name in values)
    return Table(("symbol", f"numbers for ({label})"), rows)
