"""What is called for each cell: whether it takes the settings, and what it is known by."""

from __future__ import annotations

import hashlib
import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import CodeType
from typing import Any

from regard.cluster.sweeps.cells import SEED, takes
from regard.cluster.sweeps.problem_target import ProblemTarget, problem_target
from regard.cluster.sweeps.settings import Cell
from regard.cluster.sweeps.targets import Named, named, names, nearest, similar
from regard.errors import InvalidProblem, ParameterError

__all__ = ["check_cells", "identity", "read_target", "with_defaults"]


def read_target(what: Any, draws: Mapping[str, Any], where: str) -> tuple[Any, str]:
    """Return what is called for each cell, and its name."""
    if isinstance(what, str | Path):
        if what not in names():
            try:
                found = problem_target(what)
            except InvalidProblem as unknown:
                problem = "Did you mean" in str(unknown)
                if Path(what).exists() or (problem and not similar(str(what), names())):
                    raise
            else:
                return found, found.name
        return named(str(what), draws, where), str(what)
    if not callable(what):
        from regard.problems import to_dict
        from regard.problems.head import Problem

        if isinstance(what, Problem):
            return ProblemTarget(what.id, to_dict(what)), what.id
        raise ParameterError(
            f"{where}: what must be a function, the name of one of regard's, or a problem. "
            f"Got {what!r}."
        )
    if draws:
        raise ParameterError(
            f"{where}: draw is for functions of regard that are named. A function of your own "
            "draws from its argument rng."
        )
    return what, getattr(what, "__name__", type(what).__name__)


def check_cells(target: Any, cells: Sequence[Cell], where: str) -> None:
    """Refuse settings that the target does not have, before anything is run."""
    check = getattr(target, "check", None)
    shapes = {tuple(cell.settings): cell for cell in cells}
    for cell in shapes.values():
        if check is not None and isinstance(target, Named | ProblemTarget):
            check(cell.settings, where)
        else:
            _bind(target, cell.settings, where)


def _bind(function: Callable[..., Any], settings: Mapping[str, Any], where: str) -> None:
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some functions in C do not say what they take
        return
    given = {k: v for k, v in settings.items() if k != SEED or takes(function, SEED)}
    given |= {"rng": None} if takes(function, "rng") else {}
    known = signature.parameters
    if not any(one.kind is one.VAR_KEYWORD for one in known.values()):
        for name in given:
            if name not in known:
                own = [one for one in known if one != "rng"]
                raise ParameterError(
                    f"{where}: the function does not take these settings: it has no argument "
                    f"{name!r}. {nearest(name, own)}"
                )
    try:
        signature.bind(**given)
    except TypeError as error:
        raise ParameterError(
            f"{where}: the function does not take these settings: {error}. Settings are given to "
            "it as keyword arguments."
        ) from None


def with_defaults(target: Any, settings: Any) -> Any:
    """Add the sizes that the recipe of a function has, so that the table shows them."""
    defaults = dict(target.recipe.defaults) if isinstance(target, Named) else {}
    if defaults:  # where other laws were given, nothing may be left that is built from some
        defaults = {name: x for name, x in defaults.items() if name in target.settings}
    if not defaults:
        return settings
    if isinstance(settings, Mapping):
        return {**settings, **{k: [v] for k, v in defaults.items() if k not in settings}}
    return [{**row, **{k: v for k, v in defaults.items() if k not in row}} for row in settings]


def identity(target: Any) -> str:
    """Return a hash of what is computed, so that a checkpoint of something else is noticed."""
    if isinstance(target, Named):
        said: Any = [target.name, {name: dict(law) for name, law in target.draws.items()}]
    elif isinstance(target, ProblemTarget):
        said = target.data
    else:
        said = _of_code(getattr(target, "__code__", None))
    return hashlib.blake2b(json.dumps(said, default=str).encode(), digest_size=8).hexdigest()


def _of_code(code: CodeType | None) -> Any:
    if code is None:
        return None
    constants = [_of_code(x) if isinstance(x, CodeType) else repr(x) for x in code.co_consts]
    return [code.co_code.hex(), constants, list(code.co_names)]
