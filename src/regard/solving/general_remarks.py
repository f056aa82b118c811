"""The heading under which a solution says what is true in general, with numbers of its own."""

from __future__ import annotations

from regard.report import Block, Heading, Text

GENERAL_REMARKS: tuple[Block, ...] = (
    Heading("Beyond this problem", role="folded"),
    Text("These are general facts, with numbers of their own: they are not about this problem."),
)
