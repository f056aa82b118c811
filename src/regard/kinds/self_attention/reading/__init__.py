"""The matrices of an answer, and what they do with the tokens of an instance."""
