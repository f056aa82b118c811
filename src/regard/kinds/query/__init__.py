"""One query that gives the weights asked for."""
