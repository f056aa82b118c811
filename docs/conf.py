"""How Sphinx builds the documentation."""

from functools import cache
from html import escape
from pathlib import Path

from docutils import nodes

import regard
from regard import problems, report, solving
from regard.language import notation

SOLVED = Path(__file__).parent / "_solved"

project = "regard"
author = "The regard authors"
project_copyright = "2026, The regard authors"
version = release = regard.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]
myst_enable_extensions = ["deflist", "dollarmath"]
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # shapes are in the text, and say more
napoleon_attr_annotations = False
html_theme = "furo"
html_math_renderer = "mathml"
html_title = "regard"
exclude_patterns = ["_build", "_solved"]


def _keep_bars(app, what, name, thing, options, lines):
    """Keep |x| an absolute value: reStructuredText would take it for a substitution."""
    for i, line in enumerate(lines):
        if "|" in line and not line.lstrip().startswith(">>>"):
            lines[i] = line.replace("|", r"\|")


def _solve(app):
    """Write what the pages about collections include: their problems, solved."""
    SOLVED.mkdir(exist_ok=True)
    for name in problems.collections():
        collection = problems.collection(name)
        pairs = zip(collection.parts, collection.problems, strict=True)
        text = "\n".join(_solved(part.label, problem) for part, problem in pairs)
        (SOLVED / f"{name}.md").write_text(text, encoding="utf-8")


def _solved(label, problem):
    """Return a heading of its own, which the table of contents can show, and the solution."""
    shown = _fragment(problem.id).replace(f"<h3>{escape(problem.title)}</h3>\n", "", 1)
    return (
        f"## {label}: {problem.title}\n\n`regard solve {problem.id}`\n\n"
        f"```{{raw}} html\n{shown}\n```\n"
    )


@cache  # a problem may stand in several collections
def _fragment(name):
    return report.to_html_fragment(solving.solve(name).report())


def _inline_math(writer, node):
    """Typeset formulas as reports do, which needs nothing from elsewhere."""
    writer.body.append(notation.to_mathml(node.astext()))
    raise nodes.SkipNode


def _display_math(writer, node):
    writer.body.append(f"<p>{notation.to_mathml(node.astext(), display=True)}</p>")
    raise nodes.SkipNode


def setup(app):
    """Called by Sphinx."""
    app.add_html_math_renderer("mathml", (_inline_math, None), (_display_math, None))
    app.connect("builder-inited", _solve)
    app.connect("autodoc-process-docstring", _keep_bars)
