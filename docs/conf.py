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
