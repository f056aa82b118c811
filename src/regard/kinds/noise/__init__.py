"""The law of the output for given queries over random keys."""
