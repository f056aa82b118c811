"""A report in a terminal with colours, by rich; without colours it is the plain text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from regard.language import notation
from regard.report import document as doc
from regard.report import inline, markdown
from regard.report.characters import columns, verbatim, wrap
from regard.report.headline import MARKED, unmarked
from regard.report.inline import shown
from regard.report.markdown import Part
from regard.report.text import plots as text_plots
from regard.report.text.grid import table as plain_table
from regard.report.text.plain import checklist, to_text
from regard.report.text.prose import Margin, formula

if TYPE_CHECKING:
    from rich import table as rich_table
    from rich import text as rich_text
    from rich.console import Console, RenderableType

_TITLE = "bold cyan"
_HEADINGS = {1: "bold cyan", 2: "bold", 3: "bold dim"}
_RULES = {1: "━", 2: "─", 3: ""}
_MATH = "cyan"
_CODE = "green"
_MARK = "bold cyan"
# Of eight colours every terminal has, those that tell most people apart.
_SERIES = ("blue", "yellow", "cyan", "magenta", "white", "green", "red", "bright_black")
_NARROWEST = 20


def to_terminal(report: doc.Report, console: Console) -> None:
    """Print a report on a rich console, at its width.

    Args:
        report: what to show.
        console: one without colours gets what `to_text` returns.
    """
    width = max(_NARROWEST, console.width)
    if console.color_system is None or console.no_color:
        console.out(to_text(report, width), highlight=False)
        return
    shown_before = False
    for part in _parts(report, width):
        if shown_before:
            console.print()
        console.print(part, width=width, highlight=False)
        shown_before = True


def _parts(report: doc.Report, width: int) -> Iterator[RenderableType]:
    yield _headed(report.title, _TITLE, "━", width)
    for block in report.blocks:
        part = _block(block, width)
        if part is not None:
            yield part


def _block(block: doc.Block, width: int) -> RenderableType | None:
    match block:
        case doc.Text(text, role):
            text = unmarked(text) if role in MARKED else text
            return _words(text) if shown(text) else None
        case doc.Heading(level=level):
            return _headed(block.words, _HEADINGS[level], _RULES[level], width)
        case doc.Table():
            return _table(block, width)
        case doc.Checklist(items):
            return _styled("\n".join(checklist(items, width)))
        case doc.Comparison():
            return _table(block.table, width)
        case doc.Facts(pairs):
            return _facts(pairs, width) if pairs else None
        case doc.Prose(text):
            return _prose(text, width)
        case doc.Math(latex):
            return _styled("\n".join(formula(latex, "    ", width)), _MATH)
        case doc.Steps(items):
            return _steps(block.named, width) if items else None
        case doc.Code(text, language):
            return _code(text, language)
        case doc.Plot():
            return _plot(block, width)
        case doc.Slider(plot):
            return _plot(plot, width)


def _styled(text: str, style: str = "") -> rich_text.Text:
    from rich.text import Text as Styled

    return Styled(text, style)


def _words(text: str, style: str = "") -> rich_text.Text:
    """Return a string, its formulas in their colour."""
    result = _styled("", style)
    for is_formula, part in inline.spans(text):
        result.append(notation.to_text(part) if is_formula else part, _MATH if is_formula else None)
    return result


def _headed(text: str, style: str, rule: str, width: int) -> RenderableType:
    result = _words(text, style)
    if rule:
        longest = max(columns(line) for line in wrap(shown(text), width))
        result.append("\n" + rule * longest, "dim")
    return result


def _lines(given: list[RenderableType]) -> RenderableType:
    from rich.console import Group

    return Group(*given)


def _table(given: doc.Table, width: int) -> RenderableType:
    from rich import box
    from rich.table import Table as Grid

    caption = [_words(given.caption, "italic")] if shown(given.caption) else []
    numeric = given.numeric
    header = any(shown(name) for name in given.columns)
    if not _fits(given, width) or not given.rows:
        # rich would squeeze the columns: they come in parts instead.
        return _lines([*caption, *(_styled(line) for line in plain_table(given, width))])
    grid: rich_table.Table = Grid(
        box=box.SIMPLE_HEAD if header else None,
        show_header=header,
        header_style="bold",
        show_edge=False,
        pad_edge=False,
    )
    for j, name in enumerate(given.columns):
        grid.add_column(
            _words(name),
            justify="right" if numeric[j] else "left",
            no_wrap=numeric[j],
            style="bold" if j == 0 and given.names_rows else "",
        )
    for row in given.rows:
        grid.add_row(*(_words(cell) for cell in row))
    return _lines([*caption, grid])


def _fits(given: doc.Table, width: int) -> bool:
    """Whether all columns fit beside each other without breaking a number or a word."""
    total = 3 * (len(given.columns) - 1)
    for j, name in enumerate(given.columns):
        cells = [shown(row[j]) for row in given.rows]
        texts = cells if given.numeric[j] else [word for cell in cells for word in cell.split(" ")]
        total += max(columns(text) for text in [*texts, *shown(name).split(" ")])
    return total <= width


def _facts(pairs: tuple[tuple[str, str], ...], width: int) -> RenderableType:
    from rich.table import Table as Grid

    grid = Grid.grid(padding=(0, 2, 0, 0))
    grid.add_column(style="bold", max_width=width // 2)
    grid.add_column(overflow="fold")
    for name, value in pairs:
        grid.add_row(_words(name), _words(value))
    return grid


def _steps(items: tuple[tuple[str, str, str], ...], width: int) -> RenderableType:
    from rich.table import Table as Grid

    grid = Grid.grid(padding=(0, 1, 0, 0))
    margin = len(str(len(items))) + 1
    grid.add_column(style=_MARK, justify="right", width=margin)
    grid.add_column(overflow="fold")
    for i, (name, sentence, latex) in enumerate(items, 1):
        result = _words(f"{name}. " if name else "", "bold").append(_words(sentence))
        if latex:
            result.append("\n" + "\n".join(formula(latex, "  ", width - margin - 1)), _MATH)
        grid.add_row(f"{i}.", result)
    return grid


def _code(text: str, language: str) -> RenderableType | None:
    from rich.padding import Padding
    from rich.syntax import Syntax

    lines = "\n".join(verbatim(text))
    if not lines:
        return None
    code = Syntax(
        lines, language or "text", theme="ansi_dark", background_color="default", word_wrap=True
    )
    return Padding(code, (0, 0, 0, 4))


def _prose(text: str, width: int) -> RenderableType | None:
    from rich.table import Table as Grid

    margin = Margin()
    result: list[RenderableType] = []
    was_in_list = False
    for part in markdown.parse(text):
        if part.kind in ("open", "close"):
            (margin.enter if part.kind == "open" else margin.leave)(part)
            was_in_list &= margin.in_list
            continue
        if result and not (was_in_list and margin.in_list):
            result.append("")
        was_in_list = margin.in_list
        first, _ = margin.take(width // 2)
        body = _part(part, width - len(first))
        if first:
            grid = Grid.grid()
            grid.add_column(style=_MARK, width=len(first))
            grid.add_column(overflow="fold")
            grid.add_row(first, body)
            body = grid
        result.append(body)
    return _lines(result) if result else None


def _part(part: Part, width: int) -> RenderableType:
    if part.kind == "math":
        return _styled("\n".join(formula(part.text, "  ", width)), _MATH)
    if part.kind == "code":
        return _styled("\n".join("  " + line for line in verbatim(part.text)), _CODE)
    if part.kind == "rule":
        return _styled("─" * min(width, 20), "dim")
    result = _styled("", "bold" if part.kind == "heading" else "")
    styles: list[str] = []
    address = ""
    for span in part.spans:
        style = " ".join(styles)
        match span.kind:
            case "open":
                styles.append({"em": "italic", "strong": "bold", "link": "underline"}[span.tag])
                address = span.text if span.tag == "link" else address
            case "close":
                styles.pop()
                if span.tag == "link" and not result.plain.endswith(address):
                    result.append(f" ({address})", "dim")
            case "math" | "display":
                result.append(notation.to_text(span.text), f"{style} {_MATH}".strip())
            case "code":
                result.append(span.text, f"{style} {_CODE}".strip())
            case "break":
                result.append("\n")
            case _:
                result.append(span.text, style or None)
    return result


def _plot(plot: doc.Plot, width: int) -> RenderableType:
    caption: list[RenderableType] = [_words(plot.caption, "italic")] if shown(plot.caption) else []
    if plot.kind == "lines":
        tables = text_plots.line_tables(plot)
        return _lines([*caption, *(_table(table, width) for table in tables)])
    above: list[RenderableType] = [_styled(line, "dim") for line in text_plots.axes(plot, width)]
    if plot.kind == "heatmap":
        return _lines([*caption, *above, _table(text_plots.heatmap_table(plot), width)])
    lines: list[RenderableType] = []
    for bar, label, name, blocks in text_plots.bar_lines(plot, width):
        line = _styled(label)
        line.append(name)
        line.append(blocks, _SERIES[bar.series])
        line.append(f" {bar.value}")
        lines.append(line)
    return _lines([*caption, *above, *lines])
