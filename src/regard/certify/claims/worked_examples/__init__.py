"""Claims that the numbers of a worked example are right."""
