"""When does something happen: a condition on scores, norms or factors."""
