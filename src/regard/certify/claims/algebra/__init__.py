"""Claims about formulas, for all matrices of all sizes."""
