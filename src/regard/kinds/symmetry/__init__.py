"""What a change of the input does to the output."""
