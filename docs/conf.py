"""How Sphinx builds the documentation."""

import regard

project = "regard"
author = "The regard authors"
project_copyright = "2026, The regard authors"
version = release = regard.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]
myst_enable_extensions = ["deflist"]
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # shapes are in the text, and say more
html_theme = "furo"
html_title = "regard"
exclude_patterns = ["_build"]


def _keep_bars(app, what, name, thing, options, lines):
    """Keep |x| an absolute value: reStructuredText would take it for a substitution."""
    for i, line in enumerate(lines):
        if "|" in line and not line.lstrip().startswith(">>>"):
            lines[i] = line.replace("|", r"\|")


def setup(app):
    """Called by Sphinx."""
    app.connect("autodoc-process-docstring", _keep_bars)
