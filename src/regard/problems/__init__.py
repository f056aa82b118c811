"""What is asked: the format of problems, laws of keys and values, and the bundled problems.

>>> problem = load("average-two-values")
>>> problem.title, problem.goal.weights
('Average two values', {'a': 0.5, 'b': 0.5})
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from regard.problems.head import Problem
from regard.problems.instances import key_instance
from regard.problems.loading import from_dict, load, loads
from regard.problems.problem_sets import Collection, collection, collections, names
from regard.problems.registry import kinds, needed, schema
from regard.problems.token_instances import token_instance
from regard.problems.writing import to_dict, to_toml

__all__ = [
    "KINDS",
    "Collection",
    "Problem",
    "collection",
    "collections",
    "from_dict",
    "key_instance",
    "load",
    "loads",
    "names",
    "schema",
    "separator_instance",
    "to_dict",
    "to_toml",
    "token_instance",
]

if TYPE_CHECKING:
    from regard.kinds.separator.instance import separator_instance

    KINDS: tuple[str, ...]


def __getattr__(name: str) -> Any:
    """Find what belongs to the kinds when it is asked for: they are above this folder."""
    if name == "KINDS":
        return kinds()
    if name == "separator_instance":
        return needed("separator", "instance").separator_instance
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
