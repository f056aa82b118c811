"""Other sizes, the same question; the statement's `$d = 512$` and `512` follow."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import numpy as np

from regard.kinds.count.solve import solve
from regard.kinds.count.spec import CountProblem
from regard.problems import to_dict
from regard.solving.finding import Status

FACTORS = (Fraction(1, 4), Fraction(1, 2), Fraction(3, 2), Fraction(2), Fraction(3), Fraction(4))
FIXED = ("bytes",)


def vary(problem: CountProblem, rng: np.random.Generator) -> dict[str, Any]:
    """Return given and statement with other numbers; where all is symbols, symbols get numbers."""
    data = to_dict(problem)
    given, statement = data["given"], data["statement"]
    old = {n: v for n, v in given.items() if isinstance(v, int) and n not in FIXED}
    old |= {f"values.{n}": v for n, v in given.get("values", {}).items() if isinstance(v, int)}
    changed: dict[int, int] = {}  # what was the same number stays the same, as in the text

    def draw(value: int) -> int:
        return changed.setdefault(value, _drawn(value, rng))

    new = {name: (value, draw(value)) for name, value in old.items()}
    elsewhere: dict[str, tuple[int, int]] = {}
    for called, other in given.get("others", {}).items():
        for name, value in other.items():
            if isinstance(value, int) and not isinstance(value, bool) and value > 1:
                other[name] = draw(value)
                elsewhere[f"others.{called}.{name}"] = (value, other[name])
    for name, (_, value) in new.items():
        if name.startswith("values."):
            given["values"][name.removeprefix("values.")] = value
        else:
            given[name] = value
    if not old:  # all is symbols: the same question about one more head, layer or key
        goal = dict(data["goal"])
        if solve(problem).status is Status.PROVED:  # what is found depends on the symbols
            goal["form"] = "formula"
        varied = {**given, "values": _numbers(problem, rng)}
        return {"given": varied, "goal": goal, "statement": statement}
    pattern = "|".join(sorted((re.escape(str(v)) for v in changed), key=len, reverse=True))
    text = re.sub(_number(pattern), lambda m: str(changed[int(m[0])]), statement)
    quoted = {int(one) for one in re.findall(_number(pattern), statement)}
    unquoted = [
        f"`{name.removeprefix('values.')} = {drawn}`"
        for name, (value, drawn) in {**new, **elsewhere}.items()
        if value != drawn and value not in quoted
    ]
    if unquoted:  # "1.3 billion", or a size that the text leaves to a name
        text = f"{text.rstrip()}\n\n(A variant: these numbers count: {', '.join(unquoted)}.)\n"
    return {"given": given, "goal": data["goal"], "statement": text}


def _number(pattern: str) -> str:
    """Return a pattern for whole numbers that stand by themselves, and are not those of bits."""
    return rf"(?<![\w.\\^{{])(?:{pattern})(?![\w.])(?![ -]?bits?\b)"


def _drawn(value: int, rng: np.random.Generator) -> int:
    """Return another whole number of about this size; 1 stays 1."""
    whole = [int(f * value) for f in FACTORS if (f * value).denominator == 1 and f * value > 1]
    return int(rng.choice(whole)) if whole and value > 1 else value


def _numbers(problem: CountProblem, rng: np.random.Generator) -> dict[str, int]:
    """Return powers of two for symbols, the larger the wider: heads divide widths."""
    found = {}
    for name in problem.given.symbols:
        small = name in ("h", "g", "b", "heads", "key_heads", "bytes", "h_kv", "h_k")
        found[name] = int(2 ** rng.integers(0, 3)) if small else int(2 ** rng.integers(4, 9))
    return found
