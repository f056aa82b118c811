"""The kinds of problems: each is a folder of `regard.kinds`, or of a package that brings its own.

A kind is found by its name alone: it need not be listed anywhere (`_ORDER` only sorts them), and
nothing of a kind is imported before it is asked for. A package adds kinds by the entry-point group
`regard.kinds`; the name of an entry is the kind, its value the package that holds `spec`, `solve`,
`explain` and so on:

    [project.entry-points."regard.kinds"]
    toy = "my_course.toy"
"""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
from functools import cache, reduce
from importlib.metadata import entry_points
from operator import or_
from types import ModuleType
from typing import Annotated, Any, Literal, get_args

from pydantic import Field, TypeAdapter

from regard.errors import InvalidProblem, RegardError
from regard.problems.head import Problem

GROUP = "regard.kinds"
PartName = Literal[
    "spec",
    "fields",
    "instance",
    "reading",
    "misconceptions",
    "judge",
    "solve",
    "explain",
    "hints",
    "vary",
    "start",
]
# The order in which lists and the schema name the kinds; a kind that is not here comes after them.
_ORDER = [
    "compute",
    "identity",
    "condition",
    "query",
    "key",
    "heads",
    "separator",
    "self_attention",
    "sequences",
    "layers",
    "feasibility",
    "offset",
    "band",
    "moments",
    "noise",
    "count",
    "gradient",
    "symmetry",
    "choice",
    "code",
]


@cache
def packages() -> dict[str, str]:
    """Return the package of each kind, without importing any.

    A kind of regard's own cannot be replaced by a package that uses its name.
    """
    root = importlib.import_module(GROUP)
    own = {module.name for module in pkgutil.iter_modules(root.__path__) if module.ispkg}
    found = {entry.name: entry.value for entry in entry_points(group=GROUP)}
    found |= {kind: f"{GROUP}.{kind}" for kind in own}
    places = {kind: place for place, kind in enumerate(_ORDER)}
    return {k: found[k] for k in sorted(found, key=lambda k: (places.get(k, len(places)), k))}


def kinds() -> tuple[str, ...]:
    """Return the names of the kinds."""
    return tuple(packages())


def part(kind: str, name: PartName) -> ModuleType | None:
    """Return one part of a kind, such as its judge; None if the kind has no such part.

    Raises:
        InvalidProblem: the part is there and cannot be imported; the message says why and where.
    """
    module = f"{packages()[kind]}.{name}"
    try:
        if importlib.util.find_spec(module) is None:
            return None
        return importlib.import_module(module)
    except RegardError:
        raise
    except Exception as fault:  # of a package, which may be unfinished or need what is not there
        raise InvalidProblem(f"kind {kind}: {module} cannot be used: {_told(fault)}.") from fault


def needed(kind: str, name: PartName) -> ModuleType:
    """Return a part that every kind has; InvalidProblem if this one lacks it."""
    module = part(kind, name)
    if module is None:
        raise InvalidProblem(f"kind {kind}: {packages()[kind]} has no module {name}.")
    return module


def looked_up(kind: str, name: PartName, attribute: str) -> Any:
    """Return what a part must hold, such as `solve` of solve; InvalidProblem if it does not."""
    module = needed(kind, name)
    try:
        return getattr(module, attribute)
    except AttributeError:
        raise InvalidProblem(
            f"kind {kind}: {module.__name__} has no {attribute}. `python -m pydoc regard.kinds` "
            "says what each file of a kind holds."
        ) from None


def model(kind: str) -> type[Problem]:
    """Return the class of the problems of a kind: `PROBLEM` of its spec."""
    chosen: type[Problem] = looked_up(kind, "spec", "PROBLEM")
    field = chosen.model_fields.get("kind")
    if field is None or get_args(field.annotation) != (kind,):
        raise InvalidProblem(
            f"kind {kind}: {chosen.__name__} in {packages()[kind]}.spec must declare "
            f'kind: Literal["{kind}"], the name by which the kind is found.'
        )
    return chosen


def _told(fault: Exception) -> str:
    """Say what an import stumbled over, with the line of a file that cannot be read."""
    if isinstance(fault, SyntaxError):
        return f"{fault.msg} in line {fault.lineno} of {fault.filename}"
    return str(fault) if isinstance(fault, ImportError) else f"{type(fault).__name__}: {fault}"


def schema() -> dict[str, Any]:
    """Return the JSON Schema of a problem file, of whatever kind."""
    union: Any = reduce(or_, map(model, kinds()))
    adapter: TypeAdapter[Any] = TypeAdapter(Annotated[union, Field(discriminator="kind")])
    return adapter.json_schema(by_alias=True)
