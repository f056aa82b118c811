"""The hint before the first statement is settled: how one is decided without looking it up."""

from __future__ import annotations

from regard.kinds.choice.spec import ChoiceProblem


def hints(problem: ChoiceProblem) -> tuple[str, ...]:
    """Return what helps with every statement and says of none whether it is true."""
    labels = [statement.label for statement in problem.goal.statements]
    about_positions = any(one.shared_positions is not None for one in problem.goal.statements)
    how = (
        "Two positions share a row if every pair has turned by whole turns between them."
        if about_positions
        else "Write both sides out: row by row, or by their sizes."
    )
    return (
        f"Take each statement by itself, {labels[0]} first. One case in which it fails makes it "
        f"false, so try a small one: two or three tokens with simple numbers. {how} The next "
        "hints settle one statement each.",
    )
