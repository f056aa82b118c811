"""Claims about queries and heads over random keys, and about random vectors."""
