"""Reports as HTML, with plots as SVG."""
