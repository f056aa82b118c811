"""The steps of a worked example, written down one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from regard.analysis.exact_trace.pipeline import Step
from regard.kinds.compute.spec import ComputeGiven


@dataclass
class Recipe:
    """What is given, and the steps so far.

    Attributes:
        given: the problem's part of that name.
        steps: so far.
    """

    given: ComputeGiven
    steps: list[Step] = field(default_factory=list)

    def has(self, name: str) -> bool:
        """Whether there is a result of this name."""
        return any(step.name == name for step in self.steps)

    def first(self, *names: str) -> str:
        """Return the first of these that there is."""
        return next(name for name in names if self.has(name))

    def do(self, name: str, op: str, *of: str, **options: Any) -> str:
        """Add a step, and return its name."""
        self.steps.append(Step(name, op, of, options))
        return name

    def array(self, name: str) -> str | None:
        """Return the name of a given array, which becomes a step when it is first used."""
        rows = self.given.arrays().get(name)
        if rows is None:
            return None
        if not self.has(f"given {name}"):
            self.do(f"given {name}", "written", entries=rows)
        return f"given {name}"

    def written(self, name: str, rows: Any) -> str:
        """Add numbers that follow from what is given."""
        return self.do(name, "written", entries=rows)

    def heads(self) -> Iterator[tuple[int, str]]:
        """Return each head, counted from 0, with what stands behind its names."""
        for head in range(self.given.heads):
            yield head, f"_h{head + 1}" if self.given.heads > 1 else ""

    def columns_of(self, name: str, head: int, *, grouped: bool) -> str:
        """Return the part of queries (or of keys and values: grouped) that a head uses."""
        given = self.given
        parts = given.groups if grouped else given.heads
        if parts == 1:
            return name
        part = head * given.groups // given.heads if grouped else head
        label = f"{name} of head {part + 1}"
        if not self.has(label):
            width = self.width(name) // parts
            self.do(label, "columns", name, first=part * width, last=(part + 1) * width)
        return label

    def width(self, name: str) -> int:
        """Return how many columns queries, keys or values have, of all heads together."""
        given = self.given
        if name[0] == "V":
            return (given.d_v or 0) * given.groups
        return (given.d_k or 0) * (given.heads if name[0] == "Q" else given.groups)
