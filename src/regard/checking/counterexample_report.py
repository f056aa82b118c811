"""A counterexample as blocks: what to see in it, one table, and the rest of its numbers folded."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from regard.checking.verdict import Counterexample, SideBySide, shown
from regard.problems import Problem
from regard.report import Block, Facts, Heading, Steps, Text
from regard.report.arrays import array
from regard.report.compared import Comparison
from regard.report.decimals import in_table
from regard.report.numbers import number
from regard.report.plot import LARGEST

DIGITS: Final = 4  # of the numbers of a counterexample
_NOTHING: Final = 1e-12
_NEARLY: Final = 1.5e-5  # of a number: a table need not tell it from the round one beside it
MOST_COMPARED: Final = 16  # names of yours beside wanted
_OF_THE_REST: Final = ("weights", "wanted")
_DECIMAL = re.compile(r"(?<![\w.])\d+\.\d+(?:e[-+]?\d+)?(?!\w|\.\d)")


def blocks_of(problem: Problem, example: Counterexample) -> list[Block]:
    """Return a counterexample: a sentence, the numbers to look at, and how they come about."""
    found: list[Block] = [Heading("The smallest counterexample", status=few_digits(example.about))]
    found.append(Text(what_to_see(example), "shows"))
    both = side_by_side(problem, example)
    if both is not None and drawable(both):
        found.append(comparison(both))
        told = {"weights", "wanted", "scores", *example.main}
    else:
        told = set(example.main)
        main = {name: example.arrays[name] for name in example.main if name in example.arrays}
        found += _facts(main)
    rest = {name: x for name, x in example.arrays.items() if name not in told}
    if both is None and not example.main:
        found += _facts(rest)
        rest = {}
    if example.seed is not None:
        found.append(Text(f"The seed {example.seed} draws it again."))
    if example.steps:
        count = len(example.steps)
        title = f"The counterexample worked out, in {count} step{'s' * (count > 1)}"
        found += [Heading(title, role="folded"), *_facts(rest), Steps(example.steps)]
    elif rest:
        found += [Heading("All numbers of the counterexample", role="folded"), *_facts(rest)]
    return found


def what_to_see(example: Counterexample) -> str:
    """Return the sentence about a counterexample, with numbers of few digits."""
    return few_digits(example.shows or example.sentence)


def few_digits(text: str) -> str:
    """Write the numbers of a sentence in four digits, unless two of them would be the same then.

    >>> few_digits("Entry 1 is 0.761594 and must be -18.0000."), few_digits("1.00012 and 1.00014")
    ('Entry 1 is 0.7616 and must be -18.', '1.00012 and 1.00014')
    """
    found = _DECIMAL.findall(text)
    short = {x: _short(x) for x in found}
    apart = len({float(x) for x in short.values()}) == len({float(x) for x in found})
    return _DECIMAL.sub(lambda match: short[match[0]], text) if apart else text


def _short(text: str) -> str:
    value = float(text)
    if "e" in text:
        return number(value, DIGITS)
    return str(int(value)) if value.is_integer() else in_table(text)


def side_by_side(problem: Problem, example: Counterexample) -> SideBySide | None:
    """Return the numbers to look at, one for each key or entry; None where there are none."""
    if example.table is not None:
        return example.table
    yours, wanted = (row(example.arrays.get(name)) for name in _OF_THE_REST)
    if yours and len(yours) == len(wanted):
        scores = row(example.arrays.get("scores"))
        before = (("scores", tuple(scores)),) if len(scores) == len(yours) else ()
        return SideBySide(
            key_names(problem, len(yours)), tuple(yours), tuple(wanted), before=before
        )
    rows = [row(example.arrays.get(name)) for name in example.main]
    if len(rows) == 2 and rows[0] and len(rows[0]) == len(rows[1]) > 1:
        names = tuple(f"entry {i + 1}" for i in range(len(rows[0])))
        return SideBySide(names, tuple(rows[0]), tuple(rows[1]), "")
    return None


def key_names(problem: Problem, count: int) -> tuple[str, ...]:
    """Return the keys as formulas: by the letters that the problem gives them, or by numbers."""
    letters = {at: name for name, at in getattr(problem.given, "names", {}).items()}
    return tuple(f"$k_{{{letters.get(i, i + 1)}}}$" for i in range(count))


def drawable(both: SideBySide) -> bool:
    """Whether no number is too large to be drawn, and there are few enough for one table."""
    numbers = (*both.yours, *both.wanted)
    return len(both.names) <= MOST_COMPARED and all(abs(x) <= LARGEST for x in numbers)


def comparison(both: SideBySide) -> Comparison:
    """Return the numbers as a block."""
    comma = f"{both.what}, " if both.what else ""
    rows = [(name, "", *map(_cell, cells)) for name, cells in both.before]
    rows.append((f"{comma}yours", "yours", *map(fixed, both.yours)))
    if both.wanted:
        off = [mine - right for mine, right in zip(both.yours, both.wanted, strict=True)]
        rows.append((f"{comma}wanted", "wanted", *map(fixed, both.wanted)))
        rows.append(("off by", "off", *map(fixed, off)))
    return Comparison(both.names, tuple(rows), both.yours, both.wanted)


def fixed(x: float) -> str:
    """Write a weight in four decimals, or a number in four digits where these would be others.

    >>> fixed(0.5), fixed(0.49996), fixed(0.15 - 0.3), fixed(2.27e-5), fixed(14.16710)
    ('0.5', '0.49996', '-0.15', '2.27e-05', '14.17')
    >>> fixed(1e-86), fixed(2.99999995), fixed(-0.499995)
    ('≈ 0', '≈ 3', '≈ -0.5')
    """
    if abs(x) < _NOTHING:
        return "0" if x == 0 else "≈ 0"
    if abs(x - round(x, 2)) <= _NOTHING and abs(x) < 1e4:  # but for the rounding of a difference
        return f"{x:.2f}".rstrip("0").rstrip(".")
    near = round(x, 2)
    if near and abs(x) < 1e4 and abs(x - near) <= _NEARLY * abs(near):
        return f"≈ {fixed(near)}"
    if not 5e-4 <= abs(x) < 1:
        return in_table(number(x, 12))
    written = (f"{x:.{decimals}f}" for decimals in range(DIGITS, 17))
    return next(text for text in written if float(text) != round(x, 2))  # never rounded onto 0.5


def row(value: Any) -> list[float]:
    """Return numbers in a row; nothing where it is something else."""
    if not isinstance(value, Sequence) or not all(isinstance(x, int | float) for x in value):
        return []
    return [float(x) for x in value]


def _cell(value: float | str) -> str:
    return value if isinstance(value, str) else fixed(value)


def _facts(arrays: Mapping[str, Any]) -> list[Block]:
    pairs = tuple((name, array(x, DIGITS) or _written(x)) for name, x in arrays.items())
    return [Facts(pairs)] if pairs else []


def _written(value: Any) -> str:
    return number(value, DIGITS) if isinstance(value, float) else shown(value)
