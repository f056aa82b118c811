"""Two layers of attention that do the same thing for every sequence."""
