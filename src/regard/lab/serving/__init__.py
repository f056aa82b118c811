"""The page on this machine: the server behind its guard, and the processes that answer."""
