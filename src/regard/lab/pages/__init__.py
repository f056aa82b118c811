"""Scenes as one HTML file: modules in one text, the style sheet, words where no script runs."""
