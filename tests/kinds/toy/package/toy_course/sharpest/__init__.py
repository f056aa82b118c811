"""Which key gets the most weight, and how much."""
