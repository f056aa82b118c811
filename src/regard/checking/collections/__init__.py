"""Answers to a whole document: a file with a table for each part, or a bundled example."""
