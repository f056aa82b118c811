"""Words in LaTeX: Markdown, formulas, steps, code."""

from __future__ import annotations

import re
from collections.abc import Sequence

from regard.report import markdown
from regard.report.characters import verbatim
from regard.report.latex.text import escaped, inline_formula, words
from regard.report.markdown import Part, Span

_DEEPEST = 4  # LaTeX has no more levels of lists
_LONG = 1200  # a formula that would be too small to read if it were fitted into a line
_PAIRS = (("{", "}"), (r"\left", r"\right"), (r"\begin", r"\end"), ("(", ")"))
_UNSAFE = re.compile(r"[^A-Za-z0-9:/?=.;@()+&#%-]")
_ENVIRONMENTS = {"ul": "itemize", "ol": "enumerate", "quote": "quote"}
_COUNTERS = ("enumi", "enumii", "enumiii", "enumiv")


def formula(latex: str) -> str:
    """Return a formula on a line of its own; broken between its parts where they are too wide."""
    if len(latex) > _LONG:
        return f"\\regardlong{{{latex}}}"
    parts = _parts(latex)
    if len(parts) == 1:
        return f"\\regardmath{{{latex}}}"
    pieces = "".join(f"\\regardpart{{{part}}}" for part in parts)
    return f"\\regardparts{{{latex}}}{{{pieces}}}"


def _parts(latex: str) -> list[str]:
    """Return what stands between the wide gaps of a formula; gaps within something do not count."""
    pieces = latex.split(r"\qquad")
    parts = [pieces[0]]
    for piece in pieces[1:]:
        whole = all(parts[-1].count(a) == parts[-1].count(b) for a, b in _PAIRS)
        parts[-1:] = [parts[-1], piece] if whole else [rf"{parts[-1]}\qquad{piece}"]
    return [part.strip() for part in parts if part.strip()]


def steps(items: Sequence[tuple[str, str]]) -> str:
    """Return numbered sentences, each with its formula."""
    if not items:
        return ""
    rows = []
    for sentence, latex in items:
        rows.append(f"\\item {words(sentence)}")
        if latex:
            rows.append(formula(latex))
    return "\n".join([r"\begin{enumerate}", *rows, r"\end{enumerate}"])


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
    for part in markdown.parse(text):
        opens = part.kind == "open"
        if part.tag == "li":
            if opens:
                # Deeper lists go on in the items of the last one.
                result.append(r"\item{}" if depth <= _DEEPEST else r"\par \textbullet{} ")
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
