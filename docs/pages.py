"""Pages that are written when the documentation is built: the home page's parts, problems, collections, the gallery.

They go to `_made/`, and pages include them; those about single problems are pages themselves.
"""

from __future__ import annotations

import re
from functools import cache
from html import escape
from pathlib import Path

from pictures import PICTURES, share

from regard import problems, report, solving
from regard.report.html.page import article_style, script_text, to_html_article
from regard.solving.joined import joined

HERE = Path(__file__).parent
MADE, PROBLEMS = HERE / "_made", HERE / "problems"
CARDS = (
    (
        "I have homework",
        "Find it, and check your own answer first: the verdict says what is wrong, with the smallest counterexample.",
        'regard list "Problem Set 9"\nregard check average-two-values "k_a + k_b"',
        (
            ("Find your homework", "problems/index"),
            ("How to write answers", "check"),
            ("Programs", "programs"),
        ),
    ),
    (
        "I teach",
        "Variants with other numbers for every student, handouts, and grading by behaviour.",
        "regard handout cs114b-hw4 --seed 7 -o hw4.pdf",
        (
            ("Your own problems", "own_problems"),
            ("Grade a class", "grade"),
            ("Other graders", "exports"),
        ),
    ),
    (
        "I do research",
        "Design heads, ask for the law of an output under noise, and read the heads of real models.",
        "regard solve one-head-under-noise",
        (
            ("Design", "design"),
            ("Noise", "analysis"),
            ("Positions", "positions"),
            ("Models", "models"),
            ("Theory", "theory"),
        ),
    ),
    (
        "I build things",
        "One exact attention for NumPy, torch and JAX: masks, windows, caches, and words that fit.",
        "import numpy as np, regard\n"
        "x = np.eye(3)\n"
        "print(regard.attention(x, x, x, is_causal=True))",
        (("Compute", "compute"), ("Past one machine", "cluster"), ("Reference", "reference")),
    ),
)


def write() -> None:
    """Write everything that is made when the documentation is built."""
    (MADE / "collections").mkdir(parents=True, exist_ok=True)
    PROBLEMS.mkdir(exist_ok=True)
    for name, picture in PICTURES.items():
        _write(MADE / f"{name}.html", picture.html())
    _write(HERE / "_static" / "report.css", article_style(".regard-page"))
    _write(MADE / "home.html", _home())
    _write(MADE / "gallery.html", _gallery())
    _write_problems()


def _write(path: Path, text: str) -> None:
    """Write a file if it says something new: Sphinx then reads only what has changed."""
    if not path.exists() or path.read_text("utf-8") != text:
        path.write_text(text, encoding="utf-8")


def _home() -> str:
    cards = "".join(
        f'<section class="card"><h3>{title}</h3><p>{words}</p><pre>{_words(command)}</pre>'
        f'<div class="links">{_links(links)}</div></section>'
        for title, words, command, links in CARDS
    )
    seen = "".join(
        f'<figure><div class="frame">{one.draw()}</div><div><strong>{one.title}</strong>'
        f"<span>{one.sentence}</span></div></figure>"
        for one in (PICTURES[name] for name in ("leak", "analysis", "design"))
    )
    return (
        '<div class="home"><div class="hero"><div>'
        '<p class="claim">Ask what attention can do, and get the answer with its <em>proof</em>.</p>'
        '<p class="lead">A workbench for the attention mechanism: it designs queries and heads, says how large '
        "a factor must be, checks answers by what they do, and proves it where something cannot be done.</p>"
        f"<pre>{_words('regard solve average-two-values -o page.html')}</pre></div>"
        f'<div class="card"><p><b>{share()}</b> of the attention is on <i>k<sub>a</sub></i>, '
        f"as much on <i>k<sub>b</sub></i>.</p>{PICTURES['tour'].draw()}</div></div>"
        f'<h2>Which are you?</h2><div class="cards">{cards}</div>'
        f'<h2>See it first</h2><div class="see">{seen}</div></div>'
    )


def _words(command: str) -> str:
    """Return a command that is broken into lines at its spaces outside of quotes, nowhere else."""
    lines = (re.findall(r'"[^"]*"|[^ "]+', line) for line in command.split("\n"))
    return "\n".join(" ".join(f"<span>{escape(word)}</span>" for word in line) for line in lines)


def _links(links: tuple[tuple[str, str], ...]) -> str:
    return " ".join(f'<a href="{page}.html">{words}</a>' for words, page in links)


def _gallery() -> str:
    figures = "".join(
        f'<figure class="picture">{one.draw()}<figcaption><strong>{one.title}</strong><br>{one.sentence}<br>'
        f'<code>{escape(one.code)}</code> · <a href="{one.page}.html">read more</a></figcaption></figure>'
        for one in PICTURES.values()
    )
    return f'<div class="gallery">{figures}</div>'


def _write_problems() -> None:
    """Write a page for each problem, an index of all by collection, and one of each collection."""
    shelves: dict[str, list[str]] = {}
    for name in problems.collections():
        collection = problems.collection(name)
        for part in collection.parts:
            shelves.setdefault(part.problem, []).append(
                f"[{collection.title}](../collections/{name}.md), {part.label}"
            )
        solutions = [solved(part.problem) for part in collection.parts]
        _write(MADE / "collections" / f"{name}.html", _rows(solutions, collection, "../problems/"))
    everything = [solved(name) for name in problems.names()]
    _write(MADE / "problems.html", _rows(everything, None, ""))
    _write(PROBLEMS / "index.md", _index(len(everything)))
    for name in problems.names():
        _write(PROBLEMS / f"{name}.md", _page(name, shelves.get(name, [])))
    for old in PROBLEMS.glob("*.md"):
        if old.stem != "index" and old.stem not in problems.names():
            old.unlink()


def _rows(solutions, collection, folder: str) -> str:
    """Return solutions as rows with a picture each, which lead to their pages."""
    told = joined(solutions, collection, page=True)
    said = () if collection is None else (report.Text(collection.about),)  # as its page says
    blocks = [block for block in _below_title(told).blocks if block not in said]
    neighbours = [i for i, one in enumerate(blocks) if getattr(one, "role", "") == "cards"]
    blocks = tuple(blocks[: neighbours[0]] if neighbours else blocks)  # the menu has them
    rows = to_html_article(report.Report(told.title, blocks), lambda name: f"{folder}{name}.html")
    return f'<div class="regard-page">\n{rows}\n</div>'


def _below_title(told: report.Report) -> report.Report:
    """Return a report without the line above its title, which stands on the page already."""
    kept = (block for block in told.blocks if getattr(block, "role", "") != "eyebrow")
    return report.Report(told.title, tuple(kept))


def _index(count: int) -> str:
    return (
        f"# Problems, solved\n\nAll {count} bundled problems by collection. `regard list` prints the same, "
        "`regard list WORDS` finds some of them, and `regard show ID` asks one without its answer.\n\n"
        "```{raw} html\n:file: ../_made/problems.html\n```\n"
        "\n```{toctree}\n:hidden:\n:glob:\n\n*\n```\n"
    )


def _page(name: str, shelves: list[str]) -> str:
    solution = solved(name)
    title = solution.problem.title
    told = _below_title(solution.report())
    shown = f'<div class="regard-page">\n{to_html_article(told)}\n</div>'
    if any(isinstance(block, report.Slider) for block in told.blocks):
        shown += f"\n<script>{script_text()}</script>"
    where = f"In {'; '.join(shelves)}.\n\n" if shelves else ""
    return (
        f"# {title}\n\n{where}`regard show {name}` · `regard hint {name}` · `regard solve {name}` · "
        f"`regard check {name} …`\n\n```{{raw}} html\n{shown}\n```\n"
    )


@cache  # a problem may stand in several collections
def solved(name: str):
    """Return the solution of a bundled problem."""
    return solving.solve(name)
