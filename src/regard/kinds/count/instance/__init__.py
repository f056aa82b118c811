"""The sizes of a configuration as rational functions of its symbols, and closed forms in them."""
