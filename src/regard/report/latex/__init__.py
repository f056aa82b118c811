"""Reports as LaTeX."""
