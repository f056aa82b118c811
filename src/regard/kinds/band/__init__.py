"""A head that looks T steps back, give or take B/2: which blocks are zeroed."""
