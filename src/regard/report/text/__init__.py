"""Reports as text, plain and in a terminal."""
