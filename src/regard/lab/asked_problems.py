"""Problems that a question names: a bundled one by its id, or the text of a file; never a path."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from regard.errors import InvalidProblem
from regard.lab.arguments import Arguments

if TYPE_CHECKING:
    from regard.problems import Problem

Id = Annotated[str, Field(min_length=1, max_length=80)]
Text = Annotated[str, Field(max_length=20_000)]


class AskedProblem(Arguments):
    """A problem: `problem`, its id, or `file`, what is in a problem file (TOML or JSON)."""

    problem: Id | None = None
    file: Text | None = None

    def load(self) -> Problem:
        """Return the problem; files of this machine are never read."""
        from regard.problems import load, loads
        from regard.problems.loading import bundled_ids

        if (self.problem is None) == (self.file is None):
            raise InvalidProblem(
                "Name a problem by its id, or give the text of a file: one of both."
            )
        if self.file is not None:
            return loads(self.file, "the file", is_json=self.file.lstrip()[:1] == "{")
        if self.problem not in bundled_ids():
            raise InvalidProblem(f"There is no bundled problem {self.problem!r}.")
        return load(self.problem or "")
