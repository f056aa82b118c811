"""Settle every statement: by a proof, or by numbers for which it fails."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from regard.certify import Certificate, verify
from regard.certify.claims.positions import equal_positions
from regard.kinds.choice.spec import ChoiceProblem, SharedPositions, Statement
from regard.problems.symbols import SymbolsGiven
from regard.solving.assertions import Settled, settle
from regard.solving.finding import Finding, Status

__all__ = ["Choice", "solve"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Choice(Finding):
    """All statements of a problem.

    Attributes:
        settled: what became of each, by label.
    """

    settled: dict[str, Settled]


def solve(problem: ChoiceProblem) -> Choice:
    """Settle each statement, with a claim that is its truth or its falsity."""
    given = problem.given
    settled = {
        statement.label: _positions(statement.shared_positions)
        if statement.shared_positions is not None
        else settle(problem.parts(statement), given)
        for statement in problem.goal.statements
    }
    claims = tuple(
        {
            f"{claim.kind}{claim.fields}": claim for one in settled.values() for claim in one.claims
        }.values()
    )
    return Choice(
        _status(settled),
        _answer(problem, settled),
        Certificate({}, claims),
        reaches=tuple(range(len(claims))),
        settled=settled,
    )


def _status(settled: dict[str, Settled]) -> Status:
    if any(one.truth is None for one in settled.values()):
        return Status.UNDECIDED
    true = [one.scope for one in settled.values() if one.truth]
    return Status.PROVED if all(scope == "all" for scope in true) else Status.ARGUED


def _positions(asked: SharedPositions) -> Settled:
    """Say whether two positions share their sinusoidal row."""
    d_model, base, over = asked.d_model, asked.base, asked.over
    differ = equal_positions.claim("positions_differ", d_model, base, over)
    if verify(Certificate({}, (differ,))).holds:
        return Settled(False, (differ,))
    period = equal_positions.common_period(d_model, base)
    share = equal_positions.claim("positions_share", d_model, base, over, period)
    if period is not None and verify(Certificate({}, (share,))).holds:
        return Settled(True, (share,), "all")
    return Settled(None)


def _answer(problem: ChoiceProblem, settled: dict[str, Settled]) -> dict[str, Any]:
    if any(one.truth is None for one in settled.values()):
        return {}
    answer: dict[str, Any] = {label: one.truth for label, one in settled.items()}
    for label in problem.goal.reasons:
        reason = _reason(problem.labelled(label), settled[label], problem.given)
        if reason is not None:
            answer[f"reason_{label}"] = reason
    return answer


def _reason(statement: Statement, settled: Settled, given: SymbolsGiven) -> Any:
    """Return numbers that show it, or the sides of an equation that is proved."""
    if settled.values:
        return {name: settled.values[name] for name in given.shapes if name in settled.values}
    return statement.says
