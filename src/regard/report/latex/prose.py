"""Words in LaTeX: Markdown, formulas, steps, code."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from regard.report import markdown
from regard.report.characters import verbatim
from regard.report.headline import written
from regard.report.latex.text import escaped, inline_formula, words
from regard.report.markdown import Part, Span

_DEEPEST = 4  # LaTeX has no more levels of lists
_LONG = 1200  # a formula that would be too small to read if it were fitted into a line
_PAIRS = (("{", "}"), (r"\left", r"\right"), (r"\begin", r"\end"), ("(", ")"))
_LABEL = re.compile(r"(\([A-Za-z0-9]{1,4}\)) ")  # of an item: (b)
_WIDE = 60  # a formula of fewer letters fits into a line
_GAP = re.compile(r"(\\q?quad(?![A-Za-z]))")
_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|.", re.DOTALL)
_BREAKS = frozenset(
    ["=", "+", r"\le", r"\leq", r"\ge", r"\geq", r"\approx", r"\to", r"\Rightarrow"]
)
_OPENS = frozenset(["{", r"\left", r"\begin"])
_CLOSES = frozenset(["}", r"\right", r"\end"])
_HOLDS = frozenset(["^", "_"])  # after these a sign is an index
_UNSAFE = re.compile(r"[^A-Za-z0-9:/?=.;@()+&#%-]")
_ENVIRONMENTS = {"ul": "itemize", "ol": "enumerate", "quote": "quote"}
_COUNTERS = ("enumi", "enumii", "enumiii", "enumiv")


def formula(latex: str) -> str:
    """Return a formula on a line of its own; broken between its parts where they are too wide."""
    if len(latex) > _LONG:
        return f"\\regardlong{{{latex}}}"
    parts = _parts(latex)
    if len(parts) == 1 and not _pieces(latex):
        return f"\\regardmath{{{latex}}}"
    broken = "".join(f"\\regardpart{{{part}}}{{{_pieces(part)}}}" for part in parts)
    return f"\\regardparts{{{latex}}}{{{broken}}}"


def _parts(latex: str) -> list[str]:
    """Return what stands between the wide gaps of a formula; gaps within something do not count."""
    first, *others = _GAP.split(latex)
    parts = [first]
    for gap, piece in zip(others[::2], others[1::2], strict=True):
        whole = all(parts[-1].count(a) == parts[-1].count(b) for a, b in _PAIRS)
        parts[-1:] = [parts[-1], piece] if whole else [f"{parts[-1]}{gap}{piece}"]
    return [part.strip() for part in parts if part.strip()]


def _pieces(latex: str) -> str:
    """Return a long formula in pieces that begin with a relation or a plus, or "" for only one."""
    if len(latex) <= _WIDE:
        return ""
    pieces, groups, brackets, before = [""], 0, 0, ""
    for token in _TOKEN.findall(latex):
        groups += (token in _OPENS) - (token in _CLOSES)
        brackets += (token in "([") - (token in ")]")
        outside = groups == 0 and brackets == 0
        if token in _BREAKS and outside and before not in _HOLDS and pieces[-1].strip():
            pieces.append("")
        pieces[-1] += token
        before = token if token.strip() else before
    if len(pieces) == 1:
        return ""
    return "".join(f"\\regardpiece{{{piece.strip()}}}" for piece in pieces)


def steps(items: Sequence[tuple[str, str, str]]) -> str:
    """Return numbered steps: a name in bold or "", a sentence, a formula or ""."""
    if not items:
        return ""
    rows = []
    for number, (name, sentence, latex) in enumerate(items, 1):
        called = rf"\textbf{{{words(name)}.}} " if name else ""
        rows.append(rf"\item[{number}] {called}{words(sentence)}")
        if latex:
            rows.append(r"\par\nopagebreak" + formula(latex))
    return "\n".join([r"\begin{regardsteps}", *rows, r"\end{regardsteps}"])


def coloured(text: str) -> str:
    """Return a sentence whose words may stand out (`regard.report.headline`)."""
    said = written(
        text,
        words,
        lambda name, part: rf"\textcolor{{regard{name}}}{{\bfseries {part}}}",
    )
    return said.replace(r"$ = \textcolor", r"$~=~\textcolor")  # a name stays with its number


def code(text: str) -> str:
    """Return lines as they are; long ones are broken at their spaces."""
    lines = []
    for line in verbatim(text):
        inner = line.lstrip(" ")
        spaces = "~" * min(len(line) - len(inner), 60)
        kept = escaped(inner).replace("  ", "~ ")
        lines.append(rf"\regardcode{{{spaces}{kept}}}")
    return "\n".join([r"\begin{regardlisting}", *lines, r"\end{regardlisting}"]) if lines else ""


def prose(text: str) -> str:
    """Return Markdown as LaTeX."""
    result: list[str] = []
    depth = numbered = 0  # of open lists and quotations, and of numbered lists among them
    parts = markdown.parse(text)
    for i, part in enumerate(parts):
        opens = part.kind == "open"
        if part.tag == "li":
            if opens and depth <= _DEEPEST:
                label, parts[i + 1] = _label(parts[i + 1])
                result.append(rf"\item[{label}]" if label else r"\item{}")
            elif opens:  # deeper lists go on in the items of the last one
                result.append(r"\par \textbullet{} ")
        elif part.tag:
            depth += opens
            if depth <= _DEEPEST:
                numbered += opens and part.tag == "ol"
                command = "begin" if opens else "end"
                result.append(rf"\{command}{{{_ENVIRONMENTS[part.tag]}}}")
                if opens and part.tag == "ol" and part.text not in ("", "1"):
                    counter = _COUNTERS[numbered - 1]
                    result.append(rf"\setcounter{{{counter}}}{{{int(part.text) - 1}}}")
                numbered -= not opens and part.tag == "ol"
            depth -= not opens
        else:
            result.append(_leaf(part))
    return "\n".join(result)


def _label(part: Part) -> tuple[str, Part]:
    """Return the label that an item begins with, such as (b), and the rest; "" without one."""
    first = part.spans[0] if part.spans else None
    found = _LABEL.match(first.text) if first is not None and first.kind == "words" else None
    if first is None or found is None:
        return "", part
    rest = replace(first, text=first.text[found.end() :])
    return escaped(found[1]), replace(part, spans=(rest, *part.spans[1:]))


def _leaf(part: Part) -> str:
    match part.kind:
        case "math":
            return formula(part.text)
        case "code":
            return code(part.text)
        case "rule":
            return r"\par\noindent\rule{\linewidth}{0.4pt}\par"
        case "heading":
            return rf"\par\textbf{{{spans(part.spans)}}}\par"
    return f"{spans(part.spans)}\\par"


def spans(given: Sequence[Span]) -> str:
    """Return pieces of a line."""
    return "".join(_span(span) for span in given)


def _span(span: Span) -> str:
    match span.kind, span.tag:
        case "math", _:
            return inline_formula(span.text)
        case "display", _:
            return formula(span.text)
        case "code", _:
            return rf"\texttt{{{escaped(span.text)}}}"
        case "break", _:
            return r"\leavevmode\hfill\break{}"
        case "open", "link":
            return rf"\href{{{_address(span.text)}}}{{"
        case "open", tag:
            return r"\emph{" if tag == "em" else r"\textbf{"
        case "close", _:
            return "}"
    return escaped(span.text)


def _address(address: str) -> str:
    encoded = _UNSAFE.sub(lambda found: f"%{ord(found[0]):02X}", address)
    return re.sub("[%#&]", lambda found: "\\" + found[0], encoded)
