"""What is asked: the format of problems, laws of keys and values, and the bundled problems.

>>> problem = load("average-two-values")
>>> problem.title, problem.goal.weights
('Average two values', {'a': 0.5, 'b': 0.5})
"""

from __future__ import annotations

from typing import Any

from regard.problems.instances import key_instance
from regard.problems.kinds import ADAPTER, KINDS, Problem
from regard.problems.loading import from_dict, load, loads, names
from regard.problems.separator_instances import separator_instance
from regard.problems.token_instances import token_instance
from regard.problems.writing import to_dict, to_toml

__all__ = [
    "KINDS",
    "Problem",
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


def schema() -> dict[str, Any]:
    """Return the JSON Schema of a problem file."""
    return ADAPTER.json_schema(by_alias=True)
