r"""Run functions of a Python file that somebody handed in, in a process of its own.

>>> with Box([("mine.py", "def double(x):\n    return 2 * x")], "mine.py") as box:
...     box.call("double", 21).value
42
"""

from __future__ import annotations

from regard.sandbox.box import Box, Direct, Failure, Outcome
from regard.sandbox.limits import Limits
from regard.sandbox.printable import printable

__all__ = ["Box", "Direct", "Failure", "Limits", "Outcome", "printable"]
