"""Tell what was counted: the parts with their sizes, the total, and the conventions."""

from __future__ import annotations

from fractions import Fraction

from regard.certify.claims.worked_examples.counts import steps_in_words
from regard.checking.answer_reading import from_dict
from regard.kinds.count.figures import parts_plots
from regard.kinds.count.reading import sides
from regard.kinds.count.solve import Counted, Counts, Shaped
from regard.kinds.count.spec import CountProblem
from regard.kinds.count.task import Task
from regard.kinds.count.words import THINGS, conventions_in_words
from regard.language import parse
from regard.report import Block, Heading, Table, Text
from regard.report.headline import marked
from regard.report.numbers import listing, number, short, spelled
from regard.solving.finding import Explanation, Steps
from regard.solving.latex_numbers import typeset

MOST_QUANTITIES = 6
MOST_PARTS = 8  # that are named in a sentence
LONGEST_SYMBOL = 3  # characters of a name that is no word


def explain(problem: CountProblem, found: Counts) -> Explanation:
    """Return formulas and numbers, part by part."""
    return Explanation(
        _headline(found),
        _steps(problem, found),
        (*_printed(problem, found), *parts_plots(found, _words), *_tables(found)),
        (),
        tuple(_assumed(problem)),
        result=_result(found),
    )


def _result(found: Counts) -> str:
    """Name the first thing counted, and how many there are."""
    first = found.found[0] if found.found else None
    if first is None:
        return ""
    if isinstance(first, Shaped):
        axes = first.axes if first.numbers is None else tuple(map(str, first.numbers))
        shape = ", ".join(f"${parse(axis).to_latex()}$" for axis in axes)
        array = first.name.removeprefix("shape_").replace("_", " ")
        return f"The {array} has the shape {marked(f'({shape})', 'target')}."
    short = len(first.name) <= LONGEST_SYMBOL
    what = f"${parse(first.name).to_latex()}$" if short else first.name.replace("_", " ")
    count = f"${parse(first.formula).to_latex()}$"
    if first.number is not None and first.number.denominator == 1:
        count = f"{first.number.numerator:,}".replace(",", "\u202f")
    elif first.number is not None:
        count = number(float(first.number), 4)
    many = not short and any(word.endswith("s") for word in what.partition(" per ")[0].split())
    is_called = "is" if short else "come to" if many else "comes to"
    what = f"KV{what[2:]}" if what.startswith("kv ") else what[:1].upper() + what[1:]
    return f"{what} {is_called} {marked(count, 'target')}."


def _assumed(problem: CountProblem) -> list[str]:
    said = [f"{listing(conventions_in_words(problem.given))}."]
    for name in problem.given.others:
        other = problem.given.other(name)
        if other.conventions != problem.given.conventions:
            said.append(f"For {name}: {listing(conventions_in_words(other))}.")
    return said


def _latex(name: str) -> str:
    return rf"\text{{{name.replace('_', ' ')}}}"


def _headline(found: Counts) -> str:
    parts = []
    for one in found.found[:MOST_QUANTITIES]:
        if isinstance(one, Shaped):
            axes = one.numbers or [parse(axis).to_latex() for axis in one.axes]
            parts.append(f"{_latex(one.name)} = ({', '.join(map(str, axes))})")
            continue
        formula = parse(one.formula).to_latex()
        shown = "" if one.number is None or not parse(one.formula).names else _equals(one.number)
        parts.append(f"{_latex(one.name)} = {formula}{shown}")
    for name, (_, symbol, power) in found.orders.items():
        parts.append(rf"\text{{{name}}} = O({parse(f'{symbol}^{power}').to_latex()})")
    parts += [
        rf"\text{{{n.replace('_', ' ')}: {'yes' if s else 'no'}}}" for n, s in found.same.items()
    ]
    text = r",\quad ".join(parts)
    return text if typeset(text) else _latex(found.found[0].name)


def _equals(value: Fraction) -> str:
    if value.denominator == 1:
        return f" = {value.numerator}"
    return rf" = \frac{{{value.numerator}}}{{{value.denominator}}} \approx {float(value):.4g}"


def _steps(problem: CountProblem, found: Counts) -> Steps:
    steps: list[tuple[str, str]] = [
        (f"**What is counted.** {_capital(THINGS[problem.given.of])}. {_rule(found)}", ""),
        (f"**By convention.** {_capital(listing(conventions_in_words(problem.given)))}.", ""),
    ]
    for one in found.found[:MOST_QUANTITIES]:
        if isinstance(one, Shaped):
            made = steps_in_words(one.steps).replace("_", " ")
            steps.append((f"**{_capital(_words(one.name))}.** Step by step, {made}.", ""))
            continue
        whole = parse(one.formula).to_latex()
        parts = list(one.parts.items())[:MOST_PARTS]
        listed = [f"${parse(text).to_latex()}$ for {_words(name)}" for name, (_, text, _) in parts]
        more = len(one.parts) - len(listed)
        rest = [f"{spelled(more)} more part{'s' * (more > 1)}"] if more else []
        if not listed:
            sentence = f"**{_capital(_words(one.name))}.** ${parse(one.total).to_latex()}$."
        elif len(listed) > 1:
            sentence = (
                f"**{_capital(_words(one.name))}.** "
                f"{_capital(listing([*listed, *rest]))}. Together:"
            )
        else:
            sentence = f"**{_capital(_words(one.name))}.** One part: {listed[0]}."
        number_of = "" if one.number is None else _equals(one.number)
        latex = f"{whole}{number_of}" if parse(one.formula).names else whole
        steps.append((sentence, latex if typeset(latex) else ""))
        if one.number is not None and "bytes" in one.name:
            steps.append((_in_units(one.number), ""))
    for name, (quantity, symbol, power) in found.orders.items():
        sentence = (
            f"**{_capital(_words(name))}.** The highest power of ${symbol}$ in "
            f"{_words(quantity)} is "
            f"{power}."
        )
        steps.append((sentence, ""))
    for name, same in found.same.items():
        sentence = "The counts are the same." if same else "The counts are not the same."
        steps.append((f"**{_capital(_words(name))}.** {sentence}", ""))
    if len(steps) < 3:
        steps.append(("**Nothing else.** Nothing else is counted.", ""))
    return tuple(steps[:12])


def _capital(text: str) -> str:
    """Begin with a capital, but for a symbol: d is not D, and "a" is a word."""
    first = text.split(" ")[0]
    letter = (len(first) == 1 and first != "a") or text.startswith("$")
    return text if letter else text[:1].upper() + text[1:]


def _rule(found: Counts) -> str:
    kinds = {
        part["kind"]
        for one in found.found
        if isinstance(one, Counted)
        for part, _, _ in one.parts.values()
    }
    said = []
    if "array" in kinds:
        said.append("An array has as many entries as the product of its sizes.")
    if "multiplications" in kinds:
        said.append("A product of an (m × k) and a (k × n) matrix takes m k n multiplications.")
    if "additions" in kinds:
        said.append("Each of its m n entries is a sum of k terms: k − 1 additions.")
    return " ".join(said) or "A product of matrices keeps the outer sizes."


def _words(name: str) -> str:
    matrix = name.split("_")[0] in ("W", "b")
    return f"${name}$" if matrix and len(name) <= 3 else name.replace("_", " ")


def _in_units(value: Fraction) -> str:
    for power, unit in ((4, "T"), (3, "G"), (2, "M"), (1, "K")):
        if value >= 1024**power:
            binary, decimal = float(value / 1024**power), float(value / 1000**power)
            return f"**In units.** {number(binary, 4)} {unit}iB, or {number(decimal, 4)} {unit}B."
    return f"**In units.** That is {short(float(value), 4)} bytes."


def _printed(problem: CountProblem, found: Counts) -> list[Block]:
    """Compare with what is printed elsewhere, by the judge's reading of it."""
    rows = []
    for name, text in problem.goal.printed.items():
        task = Task(problem, from_dict({name: text}))
        right = all(
            task.is_right(name, side) for side in sides(task.answer, name, task.names(name))
        )
        (one,) = (c for c in found.found if isinstance(c, Counted) and c.name == name)
        counted = one.formula if one.number is None else _plain(one.number)
        rows.append((_words(name), str(text), counted, "agrees" if right else "wrong"))
    if not rows:
        return []
    wrong = [
        f"The printed {row[0]}, {row[1]}, is wrong: it is {row[2]}."
        for row in rows
        if row[3] == "wrong"
    ]
    table = Table(("", "printed", "counted", ""), tuple(rows))
    return [Heading("The numbers printed elsewhere", 3), table, *map(Text, wrong)]


def _tables(found: Counts) -> list[Block]:
    blocks: list[Block] = []
    for one in found.found[:MOST_QUANTITIES]:
        if isinstance(one, Shaped) or not one.parts:
            continue
        rows = []
        for name, (part, text, value) in one.parts.items():
            sizes = " × ".join(str(size) for size in part["sizes"])
            times = "" if part["times"] == "1" else part["times"]
            shown = (
                ""
                if value is None
                else number(float(value) if value.denominator > 1 else int(value))
            )
            rows.append((name, sizes, times, f"${parse(text).to_latex()}$", shown))
        total = "" if one.number is None else _plain(one.number)
        rows.append(("total", "", "", f"${parse(one.formula).to_latex()}$", total))
        head = ("part", "sizes", "times", "count", "in numbers")
        blocks += [Heading(_words(one.name), 3), Table(head, tuple(rows))]
    known = [
        f"{name} = {_plain(value)}" for name, value in found.symbols.items() if value is not None
    ]
    if known:
        blocks.append(Text(f"The numbers: {', '.join(known)}."))
    return blocks


def _plain(value: Fraction) -> str:
    return str(value.numerator) if value.denominator == 1 else number(float(value), 8)
