"""What a formula comes to, in float64."""
