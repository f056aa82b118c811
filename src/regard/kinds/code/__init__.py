"""Labs: a file of Python with functions to write."""
