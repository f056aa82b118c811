"""One query per head, whose outputs are averaged."""
