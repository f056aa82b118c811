"""How the words after `regard` are read, where typer alone would be slow or in the way."""
