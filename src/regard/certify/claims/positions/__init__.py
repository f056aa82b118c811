"""Claims about heads and vectors that know positions."""
