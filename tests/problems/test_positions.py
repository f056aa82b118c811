"""Positions in numbers: frequencies, and what formulas of blocks may use."""

from __future__ import annotations

import numpy as np

from regard.problems.positions import Positions, frequencies


def test_frequencies_fall_by_the_same_factor_from_1_on() -> None:
    np.testing.assert_allclose(frequencies(6, 1000.0), [1, 0.1, 0.01], rtol=1e-15)


def test_a_block_has_its_own_names_beside_those_of_all() -> None:
    place = Positions(d_model=6, n=11, T=-3, base=1000.0)
    assert place.symbols == {"T": -3.0, "d_model": 6.0, "n": 11.0, "base": 1000.0}
    found = place.of_block("j", 2)
    assert found == {"j": 2.0, "w_j": place.omega[2], "omega_j": place.omega[2]}
