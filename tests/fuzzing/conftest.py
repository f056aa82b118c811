"""What pytest leaves alone here."""

from __future__ import annotations

collect_ignore = ["coverage_guided.py"]  # a program for atheris, run by a slow test
