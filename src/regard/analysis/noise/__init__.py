"""What random keys do to the output."""
