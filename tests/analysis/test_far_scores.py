"""Scores that are further apart than floats reach: the best key has all the weight."""

from __future__ import annotations

import numpy as np

from regard.analysis import key_noise


def test_drawn_outputs_are_those_of_the_best_key() -> None:
    law = key_noise([[1.0]], [[1.5e308], [-1.5e308]], np.full((2, 1, 1), 1.0), np.eye(2))
    np.testing.assert_array_equal(law.sample(3, 0), [[1.0, 0.0]] * 3)
    assert law.quantile(0.3, [1.0, 0.0]) == 1.0
