"""Claims about queries over keys that are given: what one does, and what none can do."""
