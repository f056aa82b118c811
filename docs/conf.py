"""How Sphinx builds the documentation."""

import sys
from pathlib import Path

from docutils import nodes

import regard
from regard.language import notation

sys.path.insert(0, str(Path(__file__).parent))
import pages

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
html_static_path = ["_static", "../src/regard/report/html/inter-latin.woff2"]
_FONT = {"font-stack": '"Inter", system-ui, sans-serif'}
html_theme_options = {
    "light_css_variables": _FONT
    | {
        "color-background-primary": "#faf9f6",
        "color-background-secondary": "#f3f2ee",
        "color-foreground-primary": "#1a1d21",
        "color-brand-primary": "#0b62a4",
        "color-brand-content": "#0b62a4",
    },
    "dark_css_variables": _FONT
    | {
        "color-background-primary": "#14171b",
        "color-background-secondary": "#181c21",
        "color-foreground-primary": "#eceae4",
        "color-brand-primary": "#62b5f0",
        "color-brand-content": "#62b5f0",
    },
}
html_css_files = ["report.css", "regard.css"]
exclude_patterns = ["_build", "_made"]


def _keep_bars(app, what, name, thing, options, lines):
    """Keep |x| an absolute value: reStructuredText would take it for a substitution."""
    for i, line in enumerate(lines):
        if "|" in line and not line.lstrip().startswith(">>>"):
            lines[i] = line.replace("|", r"\|")


def _write_pages(app):
    """Write the pages that are made of what regard computes."""
    pages.write()


def _inline_math(writer, node):
    """Typeset formulas as reports do, which needs nothing from elsewhere."""
    writer.body.append(notation.to_mathml(node.astext()))
    raise nodes.SkipNode


def _display_math(writer, node):
    writer.body.append(f"<p>{notation.to_mathml(node.astext(), display=True)}</p>")
    raise nodes.SkipNode


def _complete(app, pagename, templatename, context, doctree):
    """Give headings of the menu their level, and let the keyboard scroll wide code."""
    menu = context.get("furo_navigation_tree", "")
    context["furo_navigation_tree"] = menu.replace(
        'role="heading"', 'role="heading" aria-level="2"'
    )
    code = '<div class="highlight"><pre tabindex="0">'
    context["body"] = context.get("body", "").replace('<div class="highlight"><pre>', code)


def setup(app):
    """Called by Sphinx."""
    app.add_html_math_renderer("mathml", (_inline_math, None), (_display_math, None))
    app.connect("builder-inited", _write_pages)
    app.connect("autodoc-process-docstring", _keep_bars)
    app.connect("html-page-context", _complete, priority=900)  # after the theme
