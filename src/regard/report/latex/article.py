"""A report as an article for pdflatex.

Only packages that Debian has in texlive-latex-base, texlive-latex-recommended and texlive-pictures
are used. All words are escaped, and formulas have passed the whitelist: nothing of a report is a
command to TeX.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from regard.report import document as doc
from regard.report.headline import pieces
from regard.report.latex.plots import plot, slider
from regard.report.latex.prose import code, formula, prose, steps
from regard.report.latex.tables import facts, table
from regard.report.latex.text import bookmark, words

_PREAMBLE: Final = r"""\documentclass[11pt]{article}
\IfFileExists{lmodern.sty}{\usepackage[T1]{fontenc}\usepackage{lmodern}}{}
\usepackage{amsmath}
\usepackage{amssymb}
\usepackage{array}
\usepackage{booktabs}
\usepackage{graphicx}
\usepackage{xcolor}
\usepackage[a4paper,margin=25mm]{geometry}
\usepackage{tikz}
\usetikzlibrary{patterns}
\usepackage[hidelinks]{hyperref}
\IfFileExists{bookmark.sty}{\usepackage{bookmark}}{}
\definecolor{regardtarget}{HTML}{C2410C}
\definecolor{regardquery}{HTML}{0B62A4}
\definecolor{regardbad}{HTML}{7A1FD6}
\setcounter{secnumdepth}{0}
\setlength{\parindent}{0pt}
\setlength{\parskip}{0.5\baselineskip}
\tolerance=10000 \emergencystretch=3em \hbadness=10000
\raggedbottom
% A formula on its own line, made smaller if it is wider than the page.
\newsavebox{\regardbox}
\newcommand{\regardmath}[1]{\par\noindent\sbox{\regardbox}{$\displaystyle #1$}%
  \makebox[\linewidth]{\ifdim\wd\regardbox>\linewidth
    \resizebox{\linewidth}{!}{\usebox{\regardbox}}\else\usebox{\regardbox}\fi}\par}
% One of several parts, broken between them if it is wider than the page.
\newcommand{\regardparts}[2]{\par\sbox{\regardbox}{$\displaystyle #1$}%
  \ifdim\wd\regardbox>\linewidth{\raggedright\noindent #2\par}\else
    \noindent\makebox[\linewidth]{\usebox{\regardbox}}\par\fi}
\newcommand{\regardpart}[1]{\sbox{\regardbox}{$\displaystyle #1$}%
  \ifdim\wd\regardbox>\linewidth\resizebox{\linewidth}{!}{\usebox{\regardbox}}\else
    \mbox{\usebox{\regardbox}}\fi\hskip 2em\relax}
% One between words that is wider than a line.
\newcommand{\regardinline}[1]{\sbox{\regardbox}{$#1$}%
  \ifdim\wd\regardbox>\linewidth\resizebox{\linewidth}{!}{\usebox{\regardbox}}\else$#1$\fi}
% A very long one, broken where TeX breaks formulas in text.
\newcommand{\regardlong}[1]{\par\noindent{\raggedright$#1$\par}}
\newenvironment{regardlisting}{\par\begingroup\ttfamily\small\parskip=0pt\raggedright}
  {\par\endgroup}
\newcommand{\regardcode}[1]{\noindent\hangindent=2em\strut #1\par}
"""
_SECTIONS: Final = ("section", "subsection", "subsubsection")
_CONTENTS: Final = 3  # chapters from which a list of them helps


def to_latex(report: doc.Report) -> str:
    """Render a report as a LaTeX document."""
    headings = [block for block in report.blocks if isinstance(block, doc.Heading)]
    highest = min((heading.level for heading in headings), default=1)
    chapters = sum(heading.level == 1 for heading in headings)
    parts = [
        _PREAMBLE + rf"\hypersetup{{pdftitle={{{bookmark(report.title)}}}}}",
        r"\begin{document}",
        rf"{{\LARGE\bfseries\raggedright {words(report.title)}\par}}\bigskip",
    ]
    if chapters >= _CONTENTS:
        parts.append(_contents(heading for heading in headings if heading.level == 1))
    chapter = 0
    for block in report.blocks:
        if isinstance(block, doc.Heading) and block.level == 1:
            chapter += 1
            parts.append(rf"\hypertarget{{chapter-{chapter}}}{{}}")
        parts.append(_block(block, highest))
    parts.append(r"\end{document}")
    return "\n\n".join(part for part in parts if part) + "\n"


def _contents(headings: Iterable[doc.Heading]) -> str:
    """Return links to chapters; a table of contents would need a second run of TeX."""
    rows = [
        rf"\item \hyperlink{{chapter-{i}}}{{{words(heading.text)}}}"
        for i, heading in enumerate(headings, 1)
    ]
    return "\n".join([r"\begin{enumerate}\itemsep=0pt\parskip=0pt", *rows, r"\end{enumerate}"])


def _text(text: str, role: str) -> str:
    """Return a paragraph; what came out is larger, in the colours of its words."""
    if role == "headline":
        said = "".join(
            rf"\textcolor{{regard{colour}}}{{{words(part)}}}" if colour else _beside(part)
            for colour, part in pieces(text)
        )
        return rf"{{\Large\raggedright {said}\par}}\smallskip"
    if role == "eyebrow":
        return rf"{{\small\color{{black!60}} {words(text)}\par}}"
    return words(text)


def _beside(part: str) -> str:
    """Return words between others, with the spaces at their ends."""
    inner = words(part)
    return f"{' ' * part.startswith(' ')}{inner.strip(' ')}{' ' * part.endswith(' ')}"


def _block(block: doc.Block, highest: int) -> str:
    match block:
        case doc.Text(text, role):
            return _text(text, role)
        case doc.Heading(level=level):
            command, text = _SECTIONS[level - highest], block.words
            return rf"\{command}{{\texorpdfstring{{{words(text)}}}{{{bookmark(text)}}}}}"
        case doc.Table():
            return table(block)
        case doc.Facts(pairs):
            return facts(pairs)
        case doc.Prose(markdown):
            return prose(markdown)
        case doc.Math(latex):
            return formula(latex)
        case doc.Steps(items):
            return steps(items)
        case doc.Code(text):
            return code(text)
        case doc.Plot():
            return plot(block)
        case doc.Slider():
            return slider(block)
