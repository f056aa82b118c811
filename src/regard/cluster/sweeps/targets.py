"""What is swept: a function of regard by its name, a problem, or any function in Python."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from regard.cluster.sweeps.cells import SEED
from regard.cluster.sweeps.columns import Row, columns_of
from regard.cluster.sweeps.drawn_arrays import LAWS, PLANE, build, parameters
from regard.cluster.sweeps.recipes import RECIPES, Recipe
from regard.errors import ParameterError

__all__ = ["Named", "named", "names", "nearest", "similar"]

_WITHOUT_NUMBERS = ("analysis.interference_table", "analysis.trace")  # tables, not numbers


def names() -> list[str]:
    """Return the functions of regard that can be swept by their names."""
    from regard import analysis, design

    found = ["attention_statistics"]
    for part, package in (("analysis", analysis), ("design", design)):
        for name in package.__all__:
            function = inspect.isfunction(getattr(package, name))
            if function and not name.startswith("plot_"):
                found.append(f"{part}.{name}")
    return sorted(set(found) - set(_WITHOUT_NUMBERS))


def nearest(name: str, known: Collection[str]) -> str:
    """Return a sentence with the right names that are nearest to a wrong one, or with all."""
    chosen = similar(name, known)
    if chosen:
        return f"Did you mean {' or '.join(chosen)}?"
    return f"There are {', '.join(sorted(known))}." if known else "There are none."


def similar(name: str, known: Collection[str]) -> list[str]:
    """Return the names that are nearest to a wrong one, or none."""
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
    ends = [one for one in known if one.rpartition(".")[2] == name.rpartition(".")[2]]
    return list(dict.fromkeys([*ends, *near]))


@dataclass(frozen=True)
class Named:
    """A function of regard, called with arrays that are drawn for each cell.

    Attributes:
        name: such as "analysis.key_noise".
        draws: for each argument that is built, its law.
    """

    name: str
    draws: Mapping[str, Mapping[str, Any]]

    @cached_property
    def function(self) -> Callable[..., Any]:
        """The function itself."""
        import regard

        part, _, last = self.name.rpartition(".")
        found: Callable[..., Any] = getattr(getattr(regard, part) if part else regard, last)
        return found

    @cached_property
    def _arguments(self) -> dict[str, inspect.Parameter]:
        return dict(inspect.signature(self.function).parameters)

    @property
    def recipe(self) -> Recipe:
        """What is built and written down where nothing else is said."""
        return RECIPES.get(self.name, Recipe())

    @property
    def sizes(self) -> set[str]:
        """The settings that laws are built from."""
        words: set[str] = set()
        for law in self.draws.values():
            for key, value in law.items():
                if key != "law":
                    words |= {x for x in (value if isinstance(value, list) else [value])
                              if isinstance(x, str)}  # fmt: skip
        return words - set(self.draws)

    @property
    def settings(self) -> set[str]:
        """All that a cell may set."""
        return {*self._arguments, *self.sizes, SEED} - {"rng"}

    def check(self, settings: Mapping[str, Any], where: str) -> None:
        """Refuse settings that the function does not have, and find those that are missing."""
        known = self.settings
        for name in settings:
            if name not in known:
                raise ParameterError(
                    f"{where}: {self.name} has no setting {name!r}. {nearest(name, known)}"
                )
            if name in self.sizes and isinstance(settings[name], str):
                raise ParameterError(
                    f"{where}: {name} must be a number, from which arrays are drawn. "
                    f"Got {settings[name]!r}."
                )
        given = {*settings, *self.draws, "rng"}
        for name, one in self._arguments.items():
            if one.default is one.empty and name not in given:
                law = f'{name} = {{ law = "gaussian", shape = ["n", "d"] }}'
                drawn = f", or say in [draw] by which law it is drawn: {law}"
                raise ParameterError(
                    f"{where}: {self.name} needs {name}. Give it as a setting"
                    f"{drawn if 'ArrayLike' in str(one.annotation) else ''}."
                )
        missing = sorted(self.sizes - set(settings))
        used = [s for s in missing if any(_uses(law, s) and a not in settings
                                          for a, law in self.draws.items())]  # fmt: skip
        if used:
            raise ParameterError(
                f"{where}: {self.name} needs {used[0]}, which arrays are drawn from."
            )

    def __call__(self, *, rng: np.random.Generator, **settings: Any) -> Row:
        """Draw the arrays of a cell, call the function, and return its columns."""
        known = {name: _with_whole_keys(value) for name, value in settings.items()}
        for name, law in self.draws.items():
            if name not in known:
                known[name] = build(name, law, known, rng)
        given = {name: x for name, x in known.items() if name in self._arguments}
        if "rng" in self._arguments:
            given["rng"] = rng
        result = self.function(**given)
        return self.columns(result, given)

    def columns(self, result: Any, given: Mapping[str, Any] | None = None) -> Row:
        """Return the scalars of a result, and what the recipe adds."""
        found = columns_of(result) | self.recipe.more(result, given or {})
        return {name: x for name, x in found.items() if name not in self.recipe.without}


def named(what: str, draws: Mapping[str, Any], where: str) -> Named:
    """Return the function that is called so, with the laws of its recipe and those given."""
    if what not in names():
        raise ParameterError(f"{where}: what = {what!r} is unknown. {nearest(what, names())}")
    recipe = RECIPES.get(what, Recipe())
    for name, law in draws.items():
        _check_law(name, law, where)
    target = Named(what, {**draws, **{k: v for k, v in recipe.draws.items() if k not in draws}})
    unknown = [name for name in draws if name not in target._arguments]
    if unknown:
        raise ParameterError(
            f"{where}: {what} has no argument {unknown[0]!r} to draw. "
            f"{nearest(unknown[0], target._arguments)}"
        )
    return target


def _check_law(name: str, law: Any, where: str) -> None:
    if not isinstance(law, Mapping) or not isinstance(law.get("law"), str):
        raise ParameterError(
            f'{where}: draw.{name} must be a table such as {{ law = "gaussian", '
            f'shape = ["n", "d"] }}. Got {law!r}.'
        )
    if law["law"] not in LAWS:
        raise ParameterError(
            f"{where}: draw.{name}: there is no law {law['law']!r}. {nearest(law['law'], LAWS)}"
        )
    shape = law.get("shape", [])
    if not isinstance(shape, list | tuple) or not shape:
        if "shape" in law:
            raise ParameterError(
                f'{where}: draw.{name}: shape must be a list such as ["n", "d"]. Got {shape!r}.'
            )
    elif law["law"] in PLANE and len(shape) != 2:
        raise ParameterError(
            f"{where}: draw.{name}: the law {law['law']} needs a shape of two numbers, rows and "
            f"columns. Got {shape!r}."
        )
    known = parameters(law["law"])
    for key in law:
        if key != "law" and key not in known:
            raise ParameterError(
                f"{where}: draw.{name}: the law {law['law']} has no {key!r}. {nearest(key, known)}"
            )
    missing = [key for key, needed in known.items() if needed and key not in law]
    if missing:
        raise ParameterError(f"{where}: draw.{name}: the law {law['law']} needs {missing[0]}.")


def _uses(law: Mapping[str, Any], word: str) -> bool:
    return any(value == word or (isinstance(value, list) and word in value)
               for key, value in law.items() if key != "law")  # fmt: skip


def _with_whole_keys(value: Any) -> Any:
    """Return a table with its keys as whole numbers where they are: files have words alone."""
    if isinstance(value, dict) and value and all(key.lstrip("-").isdigit() for key in value):
        return {int(key): _with_whole_keys(x) for key, x in value.items()}
    return value
