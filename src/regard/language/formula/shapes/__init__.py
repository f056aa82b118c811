"""Which shape each part of a formula has, or what to write where it has none."""
