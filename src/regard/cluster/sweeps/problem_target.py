"""Sweeping a problem: the same question with other numbers, solved and verified in every cell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from regard.cluster.sweeps.columns import Row, columns_of
from regard.cluster.sweeps.targets import nearest
from regard.errors import ParameterError

__all__ = ["ProblemTarget", "problem_target"]

_FREE = ("seed", "variant")


@dataclass(frozen=True)
class ProblemTarget:
    """A problem whose given and goal are settings.

    Settings are `given.n`, `goal.tolerance` …, or `n` and `tolerance` where only one of the two has
    them; `variant = 3` is the problem that `regard variant --seed 3` prints.

    Attributes:
        name: what the problem is called.
        data: the problem as plain data.
    """

    name: str
    data: Mapping[str, Any]

    def _fields(self) -> dict[str, set[str]]:
        from regard.problems import from_dict

        problem = from_dict(self.data)
        return {part: set(type(getattr(problem, part)).model_fields) for part in ("given", "goal")}

    def place(self, name: str, where: str) -> tuple[str, str]:
        """Return the part and the field that a setting changes."""
        fields = self._fields()
        part, _, rest = name.partition(".")
        if part in fields and rest in fields[part]:
            return part, rest
        found = [one for one, known in fields.items() if name in known]
        if len(found) == 1:
            return found[0], name
        known = {f"{one}.{field}" for one, own in fields.items() for field in own} | {*_FREE}
        if found:
            raise ParameterError(
                f"{where}: {name!r} is both given.{name} and goal.{name}: say one."
            )
        raise ParameterError(
            f"{where}: {self.name} has no setting {name!r}. {nearest(name, known)}"
        )

    def check(self, settings: Mapping[str, Any], where: str) -> None:
        """Refuse settings that the problem does not have."""
        for name in settings:
            if name not in _FREE:
                self.place(name, where)

    def __call__(self, **settings: Any) -> Row:
        """Solve the problem with these numbers, verify the solution, and return its columns."""
        from regard.problems import from_dict
        from regard.solving import solve, variant

        data = {name: dict(x) if isinstance(x, Mapping) else x for name, x in self.data.items()}
        for name, value in settings.items():
            if name not in _FREE:
                part, field = self.place(name, self.name)
                data[part][field] = value
        problem = from_dict(data, self.name)
        if settings.get("variant") is not None:
            problem = variant(problem, settings["variant"])
        solution = solve(problem)
        claims = solution.certificate.claims
        bounds = [claims[place].fields.get("bound") for place in solution.reaches]
        answer = columns_of(solution.answer)
        return {
            "outcome": solution.outcome,
            **{f"answer.{name}": value for name, value in answer.items()},
            "bound": max((float(b) for b in bounds if isinstance(b, int | float)), default=None),
            "claims": len(claims),
        }


def problem_target(given: str | Path) -> ProblemTarget:
    """Return the problem of this id or file."""
    from regard.problems import load, to_dict

    problem = load(given)
    return ProblemTarget(problem.id, to_dict(problem))
